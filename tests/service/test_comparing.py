"""`regula compare`, `/v1/compare` and `/v1/concepts`: two editions side by side for people and programs."""

from __future__ import annotations

import csv
import io
import json

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.app import create_app
from tests.service.test_cli import regula

OLD, NEW, ITALIAN = "pegelwacht-de-1.0", "pegelwacht-de-1.1", "pegelwacht-it-1.1"


class Loaded:
    """Indexes of which one is loaded."""

    def __init__(self, index):
        self._index = index

    def current(self):
        return self._index

    def ready(self):
        return self._index


@pytest.fixture(scope="module")
def client(sample_index) -> FlaskClient:
    app: Flask = create_app(Loaded(sample_index))
    return app.test_client()


def test_the_api_puts_two_versions_side_by_side(client):
    body = client.get(f"/v1/compare/{OLD}/{NEW}").json
    assert (body["left"], body["right"]) == (OLD, NEW)
    assert set(body["summary"]) == {"only-left", "only-right", "changed", "same"}
    assert sum(body["summary"].values()) == len(body["entries"])
    changed = next(e for e in body["entries"] if e["status"] == "changed" and any(r["differences"] for r in e["rows"]))
    difference = next(d for row in changed["rows"] for d in row["differences"])
    assert difference["sort"] == "words"


def test_every_passage_of_a_comparison_can_be_checked_to_the_character(client, sample_index):
    body = client.get(f"/v1/compare/{NEW}/{ITALIAN}").json
    passages = {p.id: p for p in sample_index.library.passages}
    shown = [p for e in body["entries"] for row in e["rows"] for side in ("left", "right") for p in row[side]]
    assert shown
    for passage in shown:
        kept = passages[passage["passage"]]
        assert passage["spans"] == [[a, b] for a, b in kept.spans]
        assert passage["display"] == kept.display


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"/v1/compare/{OLD}/no-such-edition", 404),
        (f"/v1/compare/{OLD}/{OLD}", 422),
        (f"/v1/compare/{OLD}/pegelduell-de-2.0", 422),
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
    assert [line.split()[1] for line in lines[1:5]] == ["only-left", "only-right", "changed", "same"]


def test_json_and_csv_say_the_same():
    body = json.loads(regula("compare", OLD, NEW, "--format", "json").stdout)
    rows = list(csv.DictReader(io.StringIO(regula("compare", OLD, NEW, "--format", "csv").stdout)))
    assert len(rows) == sum(len(e["rows"]) for e in body["entries"])
    assert {row["status"] for row in rows} == {row["status"] for e in body["entries"] for row in e["rows"]}


def test_wrong_editions_are_told_in_one_line():
    done = regula("compare", OLD, "pegelwacht-de-7")
    assert done.returncode == 2
    assert NEW in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2
