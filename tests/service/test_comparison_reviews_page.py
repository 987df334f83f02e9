import html
import io
import re
from pathlib import Path

import httpx
import pytest
from flask.testing import FlaskClient

from glossary.comparison.reviews import ReviewableRow
from service.editions import comparison_view
from service.ops.comparison_reviews import load_reviews
from service.ops.keys import KeyRing
from service.ops.settings import Settings
from service.web.app import create_app
from tests.service import test_pages
from tests.service.harbour import Harbour, Indexes
from tests.service.serving import answering, free_port
from tests.service.test_compare_page import BOTH, ITALIAN, NEW, headed
from tests.service.test_pages import assert_sound, page

GAME = "pegelwacht"
REVIEWS = f"{BOTH}/reviews"
OWN = {"Origin": "http://localhost"}
ENTRY = f"{NEW}/auftauchen"


@pytest.fixture(scope="module")
def index(sample_library) -> Harbour:
    return Harbour(sample_library, id="sample")


@pytest.fixture(scope="module")
def rows(index) -> tuple[ReviewableRow, ...]:
    comparison = comparison_view.searchable_comparison(index, NEW, ITALIAN)
    assert comparison
    return comparison.rows


@pytest.fixture
def home(tmp_path) -> Path:
    home = tmp_path / "mine"
    (home / "rulebooks").mkdir(parents=True)
    return home


@pytest.fixture
def editor(index, rows, home) -> FlaskClient:
    return create_app(Indexes(index), Settings.model_construct(home=home)).test_client()


@pytest.fixture
def reader(index, rows, home) -> FlaskClient:
    """Somebody who calls from elsewhere, of a service with the same workspace."""
    client = create_app(Indexes(index), Settings.model_construct(home=home)).test_client()
    client.environ_base["REMOTE_ADDR"] = "192.0.2.7"
    return client


@pytest.fixture
def form(editor) -> dict[str, str]:
    """The first form on the page of an entry, filled in."""
    return {**fields(editor), "note": "Zahl geprüft\r\n<b>", "reviewer": "Anna", "do": "review"}


def fields(client):
    shown = client.get(f"{BOTH}?entry={ENTRY}").text
    return {
        name: html.unescape(re.findall(rf'name="{name}" value="([^"]*)"', shown)[-1])
        for name in ("key", "stamp", "next")
    }


def said(home):
    return list(load_reviews(home, GAME).reviews.values())


@pytest.mark.parametrize("address", [BOTH, f"{BOTH}?entry={ENTRY}", f"{BOTH}?review=reviewed"])
def test_every_page_is_sound_for_editors(editor, form, address):
    editor.post(REVIEWS, data=form, headers=OWN)
    assert_sound(editor, address)


def test_a_difference_is_marked_reviewed_and_shown_so_to_everybody(editor, reader, form, home):
    response = editor.post(REVIEWS, data=form, headers=OWN)
    assert response.status_code == 303
    assert response.headers["Location"].startswith(f"{BOTH}?entry=")
    assert "#row-" in response.headers["Location"]
    (review,) = said(home)
    assert (review.key, review.reviewer, review.note, review.state) == (
        form["key"],
        "Anna",
        "Zahl geprüft\n<b>",
        "reviewed",
    )
    shown = page(reader, f"{BOTH}?entry={ENTRY}")
    assert "Durchgesehen Anna" in shown.text
    assert "Zahl geprüft <b>" in " ".join(shown.text.split())
    assert not any(
        a.get("name") in ("note", "reviewer")
        for tag in ("textarea", "input")
        for a in shown.all(tag)
    )
    assert "Durchgesehen Anna" in page(reader, f"/v1/compare/{NEW}/{ITALIAN}/html").text


def test_lists_can_be_filtered_by_what_is_reviewed(editor, reader, form):
    assert not any(a.get("id") == "review" for a in page(reader, BOTH).all("select"))
    editor.post(REVIEWS, data=form, headers=OWN)
    shown = page(reader, f"{BOTH}?review=reviewed&status=all")
    assert headed(shown) == [ENTRY]
    assert [a["value"] for a in shown.all("option") if "selected" in a][-1] == "reviewed"
    assert not headed(page(reader, f"{BOTH}?review=reworded&status=all"))


def test_programs_are_told_and_do_not_keep_what_is_outdated(editor, reader, form):
    address = f"/v1/compare/{NEW}/{ITALIAN}"
    before = reader.get(address)
    assert not any(
        "review" in row for entry in before.get_json()["entries"] for row in entry["rows"]
    )
    editor.post(REVIEWS, data=form, headers=OWN)
    after = reader.get(address, headers={"If-None-Match": before.headers["ETag"]})
    assert after.status_code == 200
    counts = before.get_json()["reviews"], after.get_json()["reviews"]
    assert (counts[1]["reviewed"], counts[1]["open"]) == (1, counts[0]["open"] - 1)
    only = reader.get(f"{address}?review=reviewed").get_json()
    (row,) = [row for entry in only["entries"] for row in entry["rows"]]
    assert row["review"] == {
        "status": "reviewed",
        "state": "reviewed",
        "reviewer": "Anna",
        "date": row["review"]["date"],
        "note": "Zahl geprüft\n<b>",
    }
    assert reader.get(f"{address}?review=nonsense").status_code == 422


def test_two_who_review_at_once_do_not_write_over_each_other(editor, form, home):
    editor.post(REVIEWS, data=form, headers=OWN)
    response = editor.post(
        REVIEWS,
        data={**form, "reviewer": "Ben", "note": "anders"},
        headers={**OWN, "Accept-Language": "de"},
    )
    assert response.status_code == 409
    assert "jemand anderes" in response.text
    assert [review.reviewer for review in said(home)] == ["Anna"]


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"reviewer": " "}, 422),
        ({"reviewer": "x" * 101}, 422),
        ({"note": "x" * 2001}, 422),
        ({"key": "0" * 16}, 404),
        ({"do": "delete"}, 404),
        ({"note": "x" * 100_000}, 413),
    ],
)
def test_what_cannot_be_written_is_refused(editor, form, home, changes, status):
    assert editor.post(REVIEWS, data={**form, **changes}, headers=OWN).status_code == status
    assert not said(home)


def test_nobody_else_may_review(editor, reader, form, home):
    assert reader.post(REVIEWS, data=form, headers=OWN).status_code == 403
    for headers in ({"Origin": "https://elsewhere.example"}, {}):
        assert editor.post(REVIEWS, data=form, headers=headers).status_code == 403
        assert (
            editor.post(
                f"{REVIEWS}/file", data={"file": (io.BytesIO(b"x"), "x.xlf")}, headers=headers
            ).status_code
            == 403
        )
    assert not said(home)


def filled_in(client):
    written: bytes = client.get(f"/v1/compare/{NEW}/{ITALIAN}/xliff").data
    return written.replace(b'state="translated"', b'state="reviewed"', 3)


def test_a_file_that_comes_back_is_taken_in_and_accounted_for(editor, home):
    file = filled_in(editor)
    response = editor.post(
        f"{REVIEWS}/file",
        data={"file": (io.BytesIO(file), "a.xlf"), "reviewer": "Ben"},
        headers={**OWN, "Accept-Language": "de"},
    )
    assert response.status_code == 200
    shown = test_pages.Page(response.text)
    assert f"{len(said(home))} übernommen" in shown.text
    assert {review.reviewer for review in said(home)} == {"Ben"}
    assert headed(shown)
    back = editor.get(f"{REVIEWS}/file?status=all")
    assert (back.status_code, back.headers["Location"]) == (303, f"{BOTH}?status=all")


def test_a_program_with_an_editors_key_sends_files_under_the_name_of_its_key(index, home, tmp_path):
    ring = KeyRing(tmp_path / "keys.toml")
    token, other = ring.make("robot", editor=True), ring.make("reader")
    client = create_app(
        Indexes(index), Settings.model_construct(home=home, keys=tmp_path / "keys.toml")
    ).test_client()
    file = filled_in(client)

    def send(key, content):
        data = {"file": (io.BytesIO(content), "a.xlf"), "reviewer": "Somebody"}
        response = client.post(
            f"{REVIEWS}/file", data=data, headers={"Authorization": f"Bearer {key}"}
        )
        return response.status_code, response.get_json(silent=True) or {}

    assert send(str(other), file)[0] == 403
    status, account = send(str(token), file)
    assert (status, account["faults"]) == (200, [])
    assert account["taken"] == len(said(home)) > 0
    assert {review.reviewer for review in said(home)} == {"robot"}
    assert send(str(token), b"nonsense")[0] == 422


def test_a_faulty_file_of_reviews_keeps_nobody_from_comparing(reader, home):
    (home / "reviews").mkdir()
    (home / "reviews" / f"{GAME}.jsonl").write_text("{by hand\n", encoding="utf-8")
    assert headed(page(reader, BOTH))
    assert reader.get(f"/v1/compare/{NEW}/{ITALIAN}").status_code == 200


@pytest.mark.parametrize("address", [f"{REVIEWS}/file", f"/rulings/{GAME}"])
def test_a_large_file_arrives_whole_at_a_running_service(index, rows, home, address):
    settings = Settings.model_construct(home=home, port=free_port())
    service = answering(create_app(Indexes(index), settings), settings)

    def send(size):
        sent = {"file": ("file.yaml", b"-" * size)}
        return httpx.post(
            service + address,
            files=sent,
            data={"reviewer": "Anna"},
            headers={"Origin": service},
            timeout=600,
        ).status_code

    assert send(1_500_000) == 409  # read, and refused for what it is
    assert send(5_000_000) == 413
