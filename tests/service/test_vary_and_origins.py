"""What caches and scripts of other web sites are told: `Vary`, the same of every answer an address
may have, and CORS.
"""

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from service.ops.settings import Settings
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes, library

DE = "sternenhafen-de-1.0"
ASK = "/v1/ask?q=Flaute"
CHAT = {"Origin": "https://chat.example"}
API = {"Accept-Language", "Cookie", "Accept-Encoding"}
PAGE = API


@pytest.fixture(scope="module")
def make() -> Callable[..., FlaskClient]:
    indexes = Indexes(Harbour(library()))

    def client(**said):
        return FlaskClient(
            create_app(
                indexes,
                Settings.model_validate(
                    {"cors_origins": "https://chat.example,https://b.example"} | said
                ),
            )
        )

    return client


def named(vary):
    found = [name.strip() for name in (vary or "").split(",") if name.strip()]
    assert len(found) == len(set(found))
    return set(found)


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        (ASK, API | {"Origin"}),
        (f"/v1/entries/{DE}/hafen", API | {"Origin"}),
        ("/v1/terms/csv?game=sternenhafen", API | {"Origin"}),
        ("/static/page.js", {"Accept-Encoding"}),
    ],
)
def test_it_is_the_same_with_and_without_a_body(make, path, wanted):
    client = make()
    for encoding in ("gzip", "identity"):
        first = client.get(path, headers={"Accept-Encoding": encoding})
        again = client.get(
            path, headers={"Accept-Encoding": encoding, "If-None-Match": first.headers["ETag"]}
        )
        assert (first.status_code, again.status_code) == (200, 304)
        assert named(first.headers["Vary"]) == named(again.headers["Vary"]) == wanted
        assert named(client.head(path).headers["Vary"]) == wanted


@pytest.mark.parametrize(
    ("path", "status", "wanted"),
    [
        ("/v1/nothing", 404, API | {"Origin"}),
        ("/v2/ask", 404, API | {"Origin"}),
        ("/v1/ask", 400, API | {"Origin"}),
        ("/openapi.json", 200, API | {"Origin"}),
        ("/healthz", 200, API),
        ("/", 200, PAGE),
        ("/nothing", 404, PAGE),
        (f"/e/{DE}/nothing", 404, PAGE),
        (f"/?q=Flaute&in={DE}", 303, PAGE),
        ("/static/nothing.js", 404, PAGE),
        ("/static/icon.svg", 200, {"Accept-Encoding"}),
        ("/manifest.webmanifest", 200, PAGE),
    ],
)
def test_every_kind_of_answer_has_it(make, path, status, wanted):
    answer = make().get(path)
    assert answer.status_code == status
    assert named(answer.headers.get("Vary")) == wanted


def test_who_is_turned_away_reads_the_same_and_a_script_may_read_when_to_come_back(make):
    client = make(rate_limit="1/minute")
    first, refused = (client.get(ASK, headers=CHAT) for _ in range(2))
    assert (first.status_code, refused.status_code) == (200, 429)
    assert named(first.headers["Vary"]) == named(refused.headers["Vary"])
    assert refused.headers["Access-Control-Allow-Origin"] == CHAT["Origin"]
    assert "Retry-After" in refused.headers["Access-Control-Expose-Headers"]


def test_what_depends_on_nothing_says_so(make):
    assert "Origin" not in named(make(cors_origins="*").get("/v1/editions").headers["Vary"])
    assert "Origin" not in named(make(cors_origins="").get(ASK).headers["Vary"])
    assert named(make(compress=False).get("/static/page.js").headers.get("Vary")) == set()


def test_a_browser_asks_first_and_is_told_what_a_script_may_send(make):
    client = make(rate_limit="1/minute", require_key=True)
    preflight = CHAT | {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,x-other",
    }
    for _ in range(3):  # which is no call: it is not counted, and wants no key
        told = client.options("/v1/ask", headers=preflight)
        assert told.status_code == 200
    assert told.headers["Access-Control-Allow-Origin"] == CHAT["Origin"]
    assert {"GET", "POST", "DELETE"} <= named(told.headers["Access-Control-Allow-Methods"])
    assert {name.lower() for name in named(told.headers["Access-Control-Allow-Headers"])} == {
        "authorization",
        "content-type",
    }
    assert int(told.headers["Access-Control-Max-Age"]) >= 600
    assert "Access-Control-Allow-Credentials" not in told.headers
    assert "Origin" in named(told.headers["Vary"])


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "https://chat.example.evil.example", "http://chat.example", "null"],
)
def test_another_site_may_not(make, origin):
    preflight = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
    }
    for answer in (
        make().options("/v1/ask", headers=preflight),
        make().get(ASK, headers={"Origin": origin}),
    ):
        assert not [name for name, _ in answer.headers if name.startswith("Access-Control-")]
        assert "Origin" in named(answer.headers["Vary"])


def test_a_script_may_read_what_the_documents_say(make):
    exposed = named(make().get(ASK, headers=CHAT).headers["Access-Control-Expose-Headers"])
    expected = {
        "X-Regula-Index",
        "ETag",
        "Retry-After",
        "X-RateLimit-Remaining",
        "Deprecation",
        "Sunset",
        "Link",
        "Repr-Digest",
    }
    assert expected <= exposed
