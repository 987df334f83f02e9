import time

import pytest

from service.ops.keys import KeyRing
from service.ops.settings import SettingError, Settings
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes, library

ASK = "/v1/ask?q=Flaute"
DE, IT = "sternenhafen-de-1.0", "sternenhafen-it-1.1"


def client(**said):
    return create_app(Indexes(Harbour(library())), Settings(**said)).test_client()


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
def ring(tmp_path) -> KeyRing:
    return KeyRing(tmp_path / "keys.toml")


def test_who_asks_too_much_is_told_when_to_come_back():
    asking = client(rate_limit="3/minute")
    assert [asking.get(ASK).status_code for _ in range(4)] == [200, 200, 200, 429]
    refused = asking.get(ASK)
    assert refused.content_type == "application/problem+json"
    assert 0 < int(refused.headers["Retry-After"]) <= 61
    assert refused.headers["X-RateLimit-Remaining"] == "0"
    assert (
        asking.get("/healthz").status_code == asking.get("/").status_code == 200
    )  # whoever waits sees that it is there
    assert asking.get("/?q=Flaute").status_code == 429
    assert asking.get(ASK, environ_base={"REMOTE_ADDR": "192.0.2.7"}).status_code == 200


@pytest.mark.parametrize(
    "jump", [-3600.0, -86400.0, 3600.0], ids=["an hour back", "a day back", "an hour on"]
)
def test_a_clock_that_is_set_neither_shuts_anybody_out_nor_lets_anybody_in(monkeypatch, jump):
    clock, monotonic, passed = time.time, time.monotonic, {"by": 0.0, "set": 0.0}
    monkeypatch.setattr(time, "time", lambda: clock() + passed["by"] + passed["set"])
    monkeypatch.setattr(time, "monotonic", lambda: monotonic() + passed["by"])
    asking = client(rate_limit="3/minute")
    assert [asking.get(ASK).status_code for _ in range(4)] == [200, 200, 200, 429]
    passed["set"] = jump
    time.sleep(0.05)  # limits forgets old calls 0.01 s after each one
    refused = asking.get(ASK)
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 61
    passed["by"] = 61.0
    assert [asking.get(ASK).status_code for _ in range(4)] == [200, 200, 200, 429]


@pytest.mark.parametrize("path", ["/cards?q=Flaute", "/?q=Flaute"])
def test_pages_are_counted_like_calls_and_say_so_to_people(path):
    asking = client(rate_limit="20/minute")
    answers = [
        asking.get(path, headers={"Accept-Language": "de"}) for _ in range(21)
    ]  # the first ones may count for more than one
    assert answers[0].status_code < 400
    assert answers[-1].status_code == 429
    assert "Zu viele Anfragen" in answers[-1].text


def test_addresses_of_one_ipv6_network_are_one_client():
    asking = client(rate_limit="2/minute")

    def ask(address):
        return asking.get(ASK, environ_base={"REMOTE_ADDR": address}).status_code

    assert [ask(f"2001:db8:1:2::{n}") for n in range(1, 4)] == [200, 200, 429]
    assert ask("2001:db8:1:3::1") == 200
    assert ask("::ffff:192.0.2.1") == ask("192.0.2.1") == 200
    assert ask("::ffff:192.0.2.1") == 429


@pytest.mark.parametrize(
    ("path", "weight"),
    [(ASK, 1), ("/v1/terms?game=sternenhafen", 3), (f"/v1/compare/{DE}/{IT}", 3)],
)
def test_a_call_counts_as_many_as_the_manual_says_whatever_it_takes(path, weight):
    asking = client(rate_limit="60/minute")
    for number in range(60 // weight):
        left = asking.get(path).headers["X-RateLimit-Remaining"]
        assert int(left) == 60 - weight * (number + 1)
    assert asking.get(path).status_code == 429


def test_a_call_that_weighs_more_than_a_client_may_send_is_answered_all_the_same():
    asking = client(rate_limit="2/minute")
    assert [asking.get("/v1/terms?game=sternenhafen").status_code for _ in range(2)] == [200, 429]


def test_a_batch_that_no_waiting_would_let_through_is_refused_and_says_so(ring):
    large = ring.make("large", "3/second;50/hour")
    asking = client(rate_limit="5/minute", keys=ring.file)

    def put(count, **headers):
        return asking.post(
            "/v1/batch", json={"questions": [{"question": "Flaute"}] * count}, headers=headers
        )

    refused = put(6)
    assert (refused.status_code, refused.json["field"]) == (422, "questions")
    assert "6 questions" in refused.json["detail"]
    assert "5 in 60 seconds" in refused.json["detail"]
    assert put(5).status_code == 200, "what was refused was not counted"
    assert put(4, **bearer(large)).status_code == 422
    assert put(3, **bearer(large)).status_code == 200


def test_who_is_turned_away_is_not_in_the_log(caplog):
    asking = client(rate_limit="1/minute")
    with caplog.at_level("DEBUG"):
        for _ in range(3):
            asking.get(ASK, environ_base={"REMOTE_ADDR": "192.0.2.77"})
    assert "192.0.2.77" not in caplog.text


def test_a_forwarded_address_is_believed_from_a_trusted_proxy_alone():
    for trusted, expected in ((0, [200, 429]), (1, [200, 200])):
        asking = client(rate_limit="1/minute", trusted_proxies=trusted)
        assert [
            asking.get(ASK, headers={"X-Forwarded-For": f"192.0.2.{n}"}).status_code for n in (1, 2)
        ] == expected


def test_a_key_has_its_own_limit(ring):
    usual, small = ring.make("bot"), ring.make("small", "1/minute")
    asking = client(rate_limit="1/minute", key_rate_limit="3/minute", keys=ring.file)
    assert [asking.get(ASK).status_code for _ in range(2)] == [200, 429]
    assert [asking.get(ASK, headers=bearer(usual)).status_code for _ in range(4)] == [
        200,
        200,
        200,
        429,
    ]
    assert [asking.get(ASK, headers=bearer(small)).status_code for _ in range(2)] == [200, 429]


def test_a_wrong_key_is_refused_even_where_none_is_needed(ring):
    ring.make("bot")
    for header in ("Bearer x", "Bearer regula_" + "A" * 43, "Basic Ym90Og==", "Bearer"):
        assert client(keys=ring.file).get(ASK, headers={"Authorization": header}).status_code == 401


def test_where_a_key_is_needed_the_api_wants_one_and_the_pages_do_not(ring):
    token = ring.make("bot")
    asking = client(keys=ring.file, require_key=True)
    assert asking.get(ASK).status_code == 401
    assert asking.get(ASK, headers=bearer(token)).status_code == 200
    assert asking.get("/").status_code == asking.get("/healthz").status_code == 200


def test_running_services_notice_new_and_revoked_keys(ring):
    asking = client(keys=ring.file, require_key=True)
    token = ring.make("bot")
    assert asking.get(ASK, headers=bearer(token)).status_code == 200
    ring.revoke("bot")
    assert asking.get(ASK, headers=bearer(token)).status_code == 401


def test_only_hashes_are_kept_and_only_the_owner_may_read_them(ring):
    token = ring.make("bot", "10/minute", admin=True)
    assert ring.file is not None
    assert token not in ring.file.read_text()
    assert token.removeprefix("regula_") not in ring.file.read_text()
    assert ring.file.stat().st_mode & 0o077 == 0
    (key,) = KeyRing(ring.file).all()
    assert (key.name, key.limit, key.admin) == ("bot", "10/minute", True)


def test_keys_that_cannot_be_are_told(ring):
    ring.make("bot")
    for name, limit in (("bot", ""), ("No Name", ""), ("other", "often")):
        with pytest.raises(SettingError):
            ring.make(name, limit)
    with pytest.raises(SettingError, match="no key 'nobody'"):
        ring.revoke("nobody")
    ring.file.write_text("bot = 7")
    with pytest.raises(SettingError, match="not a file of keys"):
        KeyRing(ring.file)


@pytest.mark.parametrize(
    ("method", "path"), [("get", "/v1/admin/indexes"), ("post", "/v1/admin/serve")]
)
def test_admin_calls_are_for_admin_keys_alone(ring, method, path):
    plain, admin = ring.make("bot"), ring.make("chief", admin=True)
    asking = client(keys=ring.file)
    call = getattr(asking, method)
    assert call(path).status_code == 401
    assert call(path, headers=bearer(plain)).status_code == 403
    assert (
        call(
            path, headers=bearer(admin), json={"index": None} if method == "post" else None
        ).status_code
        == 404
    )  # kept in no folder here


def test_metrics_can_be_for_admins_or_for_nobody(ring):
    plain, admin = ring.make("bot"), ring.make("chief", admin=True)
    asking = client(keys=ring.file, metrics="key")
    assert asking.get("/metrics").status_code == 401
    found = [asking.get("/metrics", headers=bearer(key)).status_code for key in (plain, admin)]
    assert found == [403, 200]
    assert client(metrics="off").get("/metrics").status_code == 404


def test_every_response_tells_browsers_to_be_strict():
    for path in ("/", ASK, "/v1/nothing", "/healthz", "/docs"):
        headers = client().get(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Frame-Options"] == "DENY"
        assert "Strict-Transport-Security" not in headers
    assert (
        "max-age"
        in client().get("/", base_url="https://localhost").headers["Strict-Transport-Security"]
    )
