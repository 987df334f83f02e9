import csv
import io
from typing import Any

import pytest
from flask.testing import FlaskClient
from lxml import etree
from python_calamine import CalamineWorkbook
from translate.storage.tmx import tmxfile

from glossary.comparison import EditionComparison
from index.library.library import Library
from service.editions.comparison import NoSource, compare_in_library, source_edition
from service.editions.exported_files import COMPARISON_FORMATS as FORMATS
from service.editions.exports.formats import ExportOptions
from service.web.app import create_app
from tests.service.grammars import TMX, faults
from tests.service.harbour import Harbour, Indexes
from tests.service.test_pages import Page, page
from tests.service.three_editions import (
    ENGLISH,
    ENTRIES,
    GAME,
    GERMAN,
    ITALIAN,
    OLDER_ENGLISH,
    three_editions,
)

LANG = "{http://www.w3.org/XML/1998/namespace}lang"
BOTH = f"/compare/{GERMAN}/{ITALIAN}"


@pytest.fixture(scope="module")
def library() -> Library:
    return three_editions()


@pytest.fixture(scope="module")
def comparison(library) -> EditionComparison:
    return compare_in_library(library, GERMAN, ITALIAN, ENGLISH)


@pytest.fixture(scope="module")
def client(library) -> FlaskClient:
    return create_app(Indexes(Harbour(library, id="three"))).test_client()


def rows(comparison):
    return [row for pair in comparison.pairs for row in pair.rows]


def said(concept, language):
    return list(ENTRIES[concept].get(language, ("",))[1:])


def written(comparison, library, name, **options):
    return FORMATS[name].write(comparison, library, ExportOptions(source=ENGLISH, **options))


def test_each_row_has_what_the_source_says(comparison):
    beside = {
        row.left[0].display: [p.display for p in row.source] for row in rows(comparison) if row.left
    }
    assert [beside[text] for text in said("balloon", "de")] == [
        [text] for text in said("balloon", "en")
    ]
    assert beside[said("storm", "de")[0]] == []
    assert beside[said("tower", "de")[0]] == said("tower", "en")
    assert all(row.source_agreed is bool(row.source and row.right) for row in rows(comparison))
    assert [[e.title for e in pair.source] for pair in comparison.pairs] == [
        ["Balloon"],
        ["Letter"],
        [],
        ["Tower"],
    ]


def test_the_only_english_edition_is_the_source_of_two_translations():
    editions = three_editions().editions
    assert source_edition(editions, GERMAN, ITALIAN) == ENGLISH
    assert source_edition(editions, GERMAN, ITALIAN, "none") is None
    assert source_edition(editions, GERMAN, ENGLISH) is None
    two = three_editions((GERMAN, ITALIAN, ENGLISH, OLDER_ENGLISH)).editions
    assert source_edition(two, GERMAN, ITALIAN) is None
    assert source_edition(two, GERMAN, ITALIAN, OLDER_ENGLISH) == OLDER_ENGLISH
    assert source_edition(three_editions((GERMAN, ITALIAN)).editions, GERMAN, ITALIAN) is None


@pytest.mark.parametrize("wanted", ["nebelpost-fr-1.0", GERMAN])
def test_a_source_has_to_be_a_third_edition(wanted):
    with pytest.raises(NoSource, match=wanted):
        source_edition(three_editions().editions, GERMAN, ITALIAN, wanted)


# Formats


def test_tables_have_the_source_behind_what_they_had(comparison, library):
    heading, *lines = csv.reader(
        io.StringIO(written(comparison, library, "csv").decode("utf-8-sig"), newline="")
    )
    assert heading[-3:] == ["source heading", "source line", "source"]
    assert [line[-1] for line in lines][:2] == said("balloon", "en")
    book = CalamineWorkbook.from_filelike(io.BytesIO(written(comparison, library, "xlsx")))
    assert [
        [str(cell) for cell in row] for row in book.get_sheet_by_name("Passages").to_python()
    ] == [heading, *lines]
    entries = book.get_sheet_by_name("Entries").to_python()
    assert entries[0][-2:] == ["source", "source lines"]
    assert [row[-2] for row in entries[1:]] == ["Balloon", "Letter", "", "Tower"]
    assert book.get_sheet_by_name("Summary").to_python()[-1][:2] == ["source", ENGLISH]


def test_the_page_to_take_home_has_three_columns(comparison, library):
    tree = etree.fromstring(
        written(comparison, library, "html"), etree.HTMLParser(encoding="utf-8")
    )
    strips = tree.findall(".//div[@class='strip three']")
    assert strips
    assert {len(strip.findall("div")) for strip in strips} == {3}
    assert said("tower", "en")[0] in Page(written(comparison, library, "html").decode()).text


def test_a_memory_has_english_beside_both_translations(comparison, library):
    document = etree.fromstring(written(comparison, library, "tmx"))
    assert faults(TMX, document) == []
    assert document.find("header").get("srclang") == "*all*"
    units = tmxfile.parsestring(
        written(comparison, library, "tmx"), sourcelanguage="en", targetlanguage="it"
    ).units
    pairs = [
        *zip(said("balloon", "en"), said("balloon", "it"), strict=True),
        (said("letter", "en")[0], said("letter", "it")[0]),
    ]
    assert [(unit.source, unit.target) for unit in units if unit.source] == pairs


def test_languages_have_a_region_where_one_is_asked_for(comparison, library):
    regions = (("de", "de-DE"), ("en", "en-GB"))
    for name in ("tmx", "tbx", "tbx3"):
        document = etree.fromstring(written(comparison, library, name, regions=regions))
        spoken = {element.get(LANG) for element in document.iter()}
        assert spoken >= {"de-DE", "it"}
        assert "de" not in spoken
    assert "en-GB" in {
        element.get(LANG)
        for element in etree.fromstring(written(comparison, library, "tmx", regions=regions)).iter()
    }


# Interface and page


def test_the_interface_shows_the_source_unless_none_is_wanted(client):
    body: Any = client.get(f"/v1{BOTH}").json
    assert body["source"] == ENGLISH
    assert [p["display"] for p in body["entries"][0]["rows"][0]["source"]] == said("balloon", "en")[
        :1
    ]
    assert [row["source_agreed"] for entry in body["entries"] for row in entry["rows"]] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert body["entries"][2]["source"] == []
    without: Any = client.get(f"/v1{BOTH}?source=none").json
    assert "source" not in without
    assert "source" not in without["entries"][0]["rows"][0]
    terms: Any = client.get(f"/v1/terms?game={GAME}").json
    assert (terms["source"], terms["languages"][0]) == (ENGLISH, "en")


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("source=nebelpost-fr-1.0", "source"),
        (f"source={GERMAN}", "source"),
        ("regions=de-DE", "regions"),
        ("regions=de=it-IT", "regions"),
    ],
)
def test_what_cannot_be_a_source_or_a_region_is_refused(client, query, field):
    response = client.get(f"/v1{BOTH}?{query}")
    assert (response.status_code, response.json["field"]) == (422, field)


def test_the_page_offers_the_source_and_shows_it_as_third_column(client):
    while client.get(BOTH).status_code == 202:
        pass
    shown = page(client, f"{BOTH}?status=all")
    assert said("balloon", "en")[0] in shown.text
    assert "source" in {select["name"] for select in shown.all("select")}
    while client.get(f"{BOTH}?source=none").status_code == 202:
        pass
    assert said("balloon", "en")[0] not in page(client, f"{BOTH}?status=all&source=none").text
