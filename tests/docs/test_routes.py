import re
from dataclasses import dataclass

import pytest
from werkzeug.exceptions import MethodNotAllowed, NotFound

from tests.docs.code_in_docs import quoted

_PATH = re.compile(r"(?:(?P<method>GET|POST) |https?://127\.0\.0\.1:8080|^)(?P<path>/[\w./{}-]*)")
_PLACEHOLDER = re.compile(r"\{[^}]*\}|(?<=/)[A-Z]+\b")
_OF_THE_SYSTEM = (
    "/path/",
    "/tmp",
    "/etc/",
    "/run/",
    "/var/",
    "/proc/",
    "/dev/",
    "/usr/",
    "/opt/",
    "/srv/",
    "/home/",
)
_OWN_FILES = {"static"}  # what pages and the description are made of


@dataclass(frozen=True, order=True)
class Named:
    """A path that a document names, with its method where that is said."""

    document: str
    path: str
    method: str | None


def named_paths():
    found = set()
    for each in quoted():
        for match in _PATH.finditer(each.code):
            if not match["path"].startswith(_OF_THE_SYSTEM):
                found.add(Named(each.document, match["path"], match["method"] or ""))
    return sorted(found)


NAMED = named_paths()


def endpoint(client, named):
    """Where the path leads. Raises `NotFound`, or `MethodNotAllowed` where a method is said that it
    does not have.
    """
    adapter = client.application.url_map.bind("127.0.0.1")
    path = _PLACEHOLDER.sub("x", named.path.replace("{format}", "csv"))
    for method in [named.method] if named.method else ["GET", "POST"]:
        try:
            found, _ = adapter.match(path, method=method)
            return str(found)
        except MethodNotAllowed:
            continue
    raise MethodNotAllowed


@pytest.mark.parametrize(
    "named", NAMED, ids=lambda named: f"{named.document}: {named.method} {named.path}"
)
def test_each_path_in_the_documents_leads_somewhere(client, named):
    try:
        endpoint(client, named)
    except (NotFound, MethodNotAllowed) as fault:
        pytest.fail(f"{named.method or 'GET'} {named.path}: {fault.name}")


def test_each_page_and_call_is_in_the_documents_or_the_description_of_the_api(client):
    description = client.get("/openapi-translators.json").json
    assert description is not None
    documented = {endpoint(client, named) for named in NAMED}
    undescribed = set()
    for rule in client.application.url_map.iter_rules():
        path = re.sub(r"<(?:[^:>]*:)?(\w+)>", r"{\1}", rule.rule)
        if rule.endpoint not in documented | _OWN_FILES and path not in description["paths"]:
            undescribed.add(rule.rule)
    assert documented
    assert undescribed == set()
