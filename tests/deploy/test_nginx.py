import re
import shutil
import subprocess

import pytest

from index.library.former_file import FILE as FORMER_WORDS
from service.ops.settings import Settings
from service.web.app import create_app
from tests.conftest import ROOT
from tests.service.harbour import Harbour, Indexes, library

FOLDER = ROOT / "deploy" / "nginx"
CHANGES = {"/v1/feedback", "/v1/admin/serve"}  # what a POST of the API changes something by


def said(file, directive):
    """What ``directive`` is set to the first time."""
    found = re.search(rf"(?m)^ *{directive} +([^;]*);", (FOLDER / file).read_text(encoding="utf-8"))
    assert found, directive
    return found[1]


@pytest.mark.parametrize("file", sorted(path.name for path in FOLDER.iterdir()))
def test_a_configuration_is_sound(file, tmp_path):
    if shutil.which("nginx") is None:
        pytest.skip("nginx is not here (Debian: apt-get install nginx-light)")
    around = f"pid {tmp_path}/pid; events {{}} http {{ access_log off; include {FOLDER / file}; }}"
    (tmp_path / "nginx.conf").write_text(around, encoding="utf-8")
    command = [
        "nginx",
        "-t",
        "-q",
        "-e",
        str(tmp_path / "error.log"),
        "-c",
        str(tmp_path / "nginx.conf"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_it_waits_longer_than_the_service_and_closes_idle_connections_sooner():
    settings = Settings()
    assert (
        int(said("front.conf", "proxy_read_timeout").removesuffix("s")) > settings.request_timeout
    )
    (kept,) = re.findall(
        r"(?m)^    keepalive_timeout (\d+)s;", (FOLDER / "front.conf").read_text(encoding="utf-8")
    )
    assert int(kept) < settings.keepalive


def test_what_only_asks_may_be_put_to_another_server_and_what_changes_something_may_not():
    (pattern,) = re.findall(
        r"location ~ (\S+) \{[^}]*non_idempotent",
        (FOLDER / "front.conf").read_text(encoding="utf-8"),
    )
    rules = create_app(Indexes(Harbour(library()))).url_map.iter_rules()
    posts = {rule.rule for rule in rules if "POST" in (rule.methods or ())}
    assert {rule for rule in posts if re.search(pattern, rule)} == {
        rule for rule in posts if rule.startswith("/v1/")
    } - CHANGES


def test_what_a_pull_takes_is_given_out(sample_snapshots):
    text = (FOLDER / "indexes.conf").read_text(encoding="utf-8")
    exact = re.findall(r"location = (\S+) \{", text)
    assert exact == ["/current", f"/{FORMER_WORDS}"]
    (pattern,) = re.findall(r'location ~ "([^"]+)" \{', text)
    assert re.search(pattern, f"/{sample_snapshots.current()}/manifest.json")
    assert not any(
        re.search(pattern, f"/{name}") for name in (".lock", ".rendered/x", "keys.toml", "../x")
    )
