"""`regula compare`, `/v1/compare` and `/v1/concepts`: two editions side by side for people and
programs.
"""

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.core.snapshot import Snapshot
from service.editions.comparison import compare_in_library
from service.editions.exported_files import COMPARISON_FORMATS as FORMATS
from service.editions.exports.formats import ExportOptions
from service.web.app import create_app
from tests.service.command_line import regula

OLD, NEW, ITALIAN = "pegelwacht-de-1.0", "pegelwacht-de-1.1", "pegelwacht-it-1.1"


class Loaded:
    """Indexes of which one is loaded."""

    def __init__(self, index):
        self._snapshot = Snapshot(index)

    def current(self):
        return self._snapshot

    def ready(self):
        return self._snapshot


@pytest.fixture(scope="module")
def client(sample_index) -> FlaskClient:
    app: Flask = create_app(Loaded(sample_index))
    return app.test_client()


def test_the_api_puts_two_versions_side_by_side(client):
    body = client.get(f"/v1/compare/{OLD}/{NEW}").json
    assert (body["left"], body["right"]) == (OLD, NEW)
    assert set(body["summary"]) == {"only-left", "only-right", "changed", "same"}
    assert sum(body["summary"].values()) == len(body["entries"])
    changed = next(
        e
        for e in body["entries"]
        if e["status"] == "changed" and any(r["differences"] for r in e["rows"])
    )
    difference = next(d for row in changed["rows"] for d in row["differences"])
    assert difference["sort"] == "words"


def test_every_passage_of_a_comparison_can_be_checked_to_the_character(client, sample_index):
    body = client.get(f"/v1/compare/{NEW}/{ITALIAN}").json
    passages = {p.id: p for p in sample_index.library.passages}
    shown = [
        p
        for e in body["entries"]
        for row in e["rows"]
        for side in ("left", "right")
        for p in row[side]
    ]
    assert shown
    for passage in shown:
        kept = passages[passage["passage"]]
        assert passage["spans"] == [[a, b] for a, b in kept.spans]
        assert passage["display"] == kept.display


@pytest.mark.parametrize(
    ("name", "extension"),
    [
        ("csv", "csv"),
        ("html", "html"),
        ("xlsx", "xlsx"),
        ("tbx", "tbx"),
        ("tbx3", "tbx"),
        ("tmx", "tmx"),
    ],
)
def test_the_api_serves_every_format_as_a_file(client, sample_index, name, extension):
    response = client.get(f"/v1/compare/{NEW}/{ITALIAN}/{name}")
    assert response.status_code == 200
    assert response.content_type == FORMATS[name].mimetype
    assert (
        response.headers["Content-Disposition"]
        == f"attachment; filename={NEW}-{ITALIAN}.{extension}"
    )
    if name != "xlsx":  # which notes when it was written
        library = sample_index.library
        assert response.data == FORMATS[name].write(
            compare_in_library(library, NEW, ITALIAN), library, ExportOptions()
        )


def test_the_page_speaks_the_language_of_the_browser(client):
    response = client.get(f"/v1/compare/{OLD}/{NEW}/html", headers={"Accept-Language": "it"})
    assert '<html lang="it">' in response.text
    assert "solo in de 1.0: 1" in response.text
    assert response.headers["Content-Language"] == "it"


@pytest.mark.parametrize("name", ["/tmx", "/xliff", "?format=csv"])
def test_a_format_that_cannot_be_had_is_a_problem(client, name):
    response = client.get(
        f"/v1/compare/{OLD}/{NEW}{name}"
    )  # versions of one language, which is no matter for tmx
    assert (response.status_code, response.content_type) == (
        400 if "?" in name else 422,
        "application/problem+json",
    )
    assert response.json["field"] == "format"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"/v1/compare/{OLD}/no-such-edition", 404),
        (f"/v1/compare/{OLD}/{OLD}", 404),
        (f"/v1/compare/{OLD}/{NEW}/pdf", 404),
        (f"/v1/compare/{OLD}/{NEW}/json", 404),
        ("/v1/terms/TBX?game=pegelwacht", 404),
        (f"/v1/compare/{OLD}/pegelduell-de-2.0", 404),
        ("/v1/concepts/pegelwacht/no-such-concept", 404),
    ],
)
def test_what_cannot_be_compared_is_told(client, path, status):
    response = client.get(path)
    assert response.status_code == status
    assert response.content_type == "application/problem+json"
    assert response.json["detail"]


def test_a_concept_has_its_entry_in_every_edition(client, sample_index):
    concept = sample_index.library.concepts[f"{NEW}/pegel"]
    body = client.get(f"/v1/concepts/{concept}").json
    assert {e["edition"] for e in body["entries"]} >= {OLD, NEW, ITALIAN}
    assert {e["title"] for e in body["entries"]} >= {"Pegel", "Livello"}


def test_the_command_prints_a_summary_first(tmp_path):
    done = regula("compare", OLD, NEW)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split("  |  ") == [OLD, NEW]
    assert [line.split()[1] for line in lines[1:5]] == [
        "only-left",
        "only-right",
        "changed",
        "same",
    ]
