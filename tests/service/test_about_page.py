import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from flask.testing import FlaskClient

from service.core.snapshot import IndexDescription
from service.ops.indexes import IndexManager as Kept
from service.ops.settings import Locations
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes, german, library
from tests.service.test_pages import Page, assert_sound, page

DE = "sternenhafen-de-1.0"
OLD, NEW = "pegelwacht-de-1.0", "pegelwacht-de-1.1"


class Described(Indexes):
    """Indexes that say what they are."""

    said: IndexDescription | None = IndexDescription(
        "some/model", {german().document.sha256: 12_345}
    )

    def description(self, id):
        return self.said


@pytest.fixture(scope="module")
def pegelwacht(sample_library) -> FlaskClient:
    return create_app(Indexes(Harbour(sample_library, id="sample"))).test_client()


@pytest.mark.parametrize(
    "address", ["/about", "/terms/sternenhafen", "/terms/sternenhafen?q=xyzzy"]
)
def test_every_page_is_sound(client, address):
    assert_sound(client, address)


def test_every_document_is_named_to_the_byte():
    shown = page(create_app(Described(Harbour(library()))).test_client(), "/about")
    assert german().document.sha256 in shown.text
    assert "Datei hafen.txt Größe 12.345 Byte" in shown.text
    assert "Version 1.0 Sprache Deutsch Inhalt 14 Einträge" in shown.text
    assert "Encoder some/model" in shown.text


@pytest.mark.parametrize(
    ("language", "date", "age"),
    [
        ("de", "17. Mai 2031", "alt)"),
        ("it", "17 maggio 2031", "fa)"),
        ("en", "May 17, 2031", "old)"),
    ],
)
def test_the_age_of_the_index_is_told_as_the_language_wants(client, language, date, age):
    shown = page(client, "/about", 200, **{"Accept-Language": language})
    assert date in shown.text
    assert age in shown.text


def test_an_index_of_three_days_is_three_days_old():
    index = Harbour(library(), built=datetime.now(UTC) - timedelta(days=3, minutes=1))
    assert "(3 Tage alt)" in page(create_app(Indexes(index)).test_client(), "/about").text


def test_a_newer_version_leads_to_its_changes(pegelwacht):
    links = page(pegelwacht, "/about").links()
    assert f"/v1/editions/{NEW}/changes" in links
    assert f"/compare/{OLD}/{NEW}" in links
    assert f"/v1/editions/{OLD}/changes" not in links
    assert pegelwacht.get(f"/v1/editions/{NEW}/changes").status_code == 200


def test_an_edition_that_nobody_described_says_so(sample_library):
    unknown = replace(
        sample_library,
        editions=tuple(replace(e, known=e.id != NEW) for e in sample_library.editions),
    )
    shown = page(create_app(Indexes(Harbour(unknown, id="unknown"))).test_client(), "/about")
    assert shown.text.count("noch niemand beschrieben") == 1


def test_an_index_on_disk_says_what_it_is(tmp_path):
    indexes = Kept(Locations(tmp_path, tmp_path, True))
    documents = tmp_path / "one" / "documents"
    documents.mkdir(parents=True)
    (documents / "abc").write_bytes(b"12345")
    assert indexes.description("one") is None
    (tmp_path / "one" / "manifest.json").write_text(json.dumps({"encoder": ""}), encoding="utf-8")
    assert indexes.description("one") == IndexDescription("", {"abc": 5})
    assert indexes.description("two") is None


def test_a_term_is_found_by_any_of_its_names_and_leads_to_its_entries(pegelwacht):
    whole = page(pegelwacht, "/terms/pegelwacht")
    for words in ("pegel", "LIVELLO"):
        shown = page(pegelwacht, f"/terms/pegelwacht?q={words}")
        assert f"/e/{NEW}/pegel" in shown.links()
        assert len(shown.all("tr")) < len(whole.all("tr"))
    assert "Kein Begriff passt" in page(pegelwacht, "/terms/pegelwacht?q=xyzzy").text
    page(pegelwacht, "/terms/no-such", 404)


def test_every_form_of_the_term_list_that_is_offered_can_be_had(pegelwacht):
    offered = [
        link
        for link in page(pegelwacht, "/terms/pegelwacht").links()
        if link.startswith("/v1/terms")
    ]
    assert {link.partition("?")[0].rpartition("/")[2] for link in offered} == {
        "csv",
        "terms",
        "tbx",
        "tbx3",
        "tmx",
        "xlsx",
    }
    assert all(pegelwacht.get(link).status_code == 200 for link in offered)


def test_terms_of_a_game_without_concepts_are_those_of_its_glossary(client):
    assert f"/e/{DE}/ankern" in Page(client.get("/terms/sternenhafen").text).links()
