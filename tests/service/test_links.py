import pytest

from service.ops.settings import Settings
from service.web.app import create_app
from service.web.request_context import base_address
from tests.service.harbour import Harbour, Indexes

FOREIGN = [
    "http://foreign.example/",
    "http://foreign.example:8080/",
    "http://localhost.foreign.example/",
    "http://localhost@foreign.example/",
    "http://foreign.example\\@foreign.example/",
    "http://8.8.8.8/",
    "http://[2001:4860:4860::8888]/",
    "http://2130706433/",
    "http://localhost:port/",
    "http://[::1/",
    "http:///",
]


@pytest.mark.parametrize("called", FOREIGN)
def test_a_name_that_only_the_caller_knows_is_linked_to_by_nobody(called):
    assert base_address(Settings(hosts=("regula.example",)), called) is None
    assert (
        base_address(Settings(public_url="https://regula.example/"), called)
        == "https://regula.example/"
    )


@pytest.mark.parametrize(
    ("called", "base"),
    [
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/"),
        ("http://localhost:8080/", "http://localhost:8080/"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
        ("http://192.168.1.7/", "http://192.168.1.7/"),
        ("https://REGULA.example/rules/", "https://regula.example/rules/"),
        ("http://9.9.9.9/", "http://9.9.9.9/"),
        ("http://foreign.example\\@localhost/", "http://localhost/"),
        ("http://someone@localhost/", "http://localhost/"),
    ],
)
def test_a_name_of_its_own_is_linked_to(called, base):
    assert base_address(Settings(hosts=("regula.example",), host="9.9.9.9"), called) == base


@pytest.mark.parametrize("form", ["markdown", "plain", "discord"])
def test_a_message_has_no_link_rather_than_a_foreign_one(harbour_library, form):
    client = create_app(
        Indexes(Harbour(harbour_library, id="harbour-links")), Settings(hosts=("regula.example",))
    ).test_client()
    body = {"question": "betäubtes Schiff", "format": form}
    foreign = client.post("/v1/message", json=body, headers={"Host": "foreign.example"}).json
    own = client.post("/v1/message", json=body, headers={"Host": "regula.example"}).json
    assert foreign["citations"] == own["citations"]
    assert "foreign" not in foreign["message"]
    assert "http" not in foreign["message"]
    assert "Sternenhafen" in foreign["message"]
    assert "http://regula.example/e/sternenhafen-de-1.0/" in own["message"]
