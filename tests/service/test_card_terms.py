import csv
import io
import json
import shutil

import openpyxl
import pytest
from flask.testing import FlaskClient
from lxml import etree
from translate.storage.tbx import tbxfile
from translate.storage.tmx import tmxfile

from corpus.cards.model import Card, CardFace, Printing
from corpus.cards.read import SAMPLE as SAMPLE_CARDS
from glossary.terms.term_list import TermKind, TermList
from service.editions.exported_files import TERM_FORMATS as FORMATS
from service.editions.exports.formats import ExportOptions, NothingToExport
from service.editions.terms import library_terms, with_card_names
from service.web.app import create_app
from tests.service.command_line import regula
from tests.service.grammars import OF_2008, OF_2019, TBX_BASIC, TMX, faults
from tests.service.harbour import Indexes
from tests.service.test_terms import EDITION

GAME = "pegelwacht"
HOSTILE = [
    'Kai "der Haken" Ø',
    "=HYPERLINK(0)",
    "+7 Boote",
    "-3",
    "@cmd|' /C calc'",
    "A; B, C",
    "<b>Fett</b> & Co",
    "Zwei\nZeilen",
    "Nul\x00l\x0b",
]


@pytest.fixture(scope="module")
def terms(snapshot) -> TermList:
    return with_card_names(library_terms(snapshot.library, GAME), snapshot.cards.of_game(GAME))


@pytest.fixture
def client(snapshot) -> FlaskClient:
    return create_app(Indexes(snapshot)).test_client()


def card(id, names, products=None):
    printings = (Printing(id, products, "1", ""),) if products else ()
    return Card(id, GAME, f"k-{id}", (CardFace(names, {}, "gear", {}, {}, ()),), printings, (), {})


def named(*cards):
    return with_card_names(TermList(GAME, (EDITION,), ()), cards)


def table(written):
    return list(csv.DictReader(io.StringIO(written.decode("utf-8-sig"), newline="")))


def test_every_card_is_a_term_with_its_names_and_ids(terms, snapshot):
    rows = {
        row["en"]: row
        for row in table(FORMATS["csv"].write(terms, ExportOptions()))
        if row["sort"] == "card"
    }
    assert (rows["Oilskin"]["de"], rows["Oilskin"]["it"], rows["Oilskin"]["cards"]) == (
        "Teerjacke",
        "Cerata",
        "01007",
    )
    assert {id for row in rows.values() for id in row["cards"].split(" | ")} == {
        each.id for each in snapshot.cards.of_game(GAME)
    }


def test_traits_and_products_have_their_languages_too(terms):
    rows = table(FORMATS["csv"].write(terms, ExportOptions()))
    assert (
        next(row for row in rows if row["sort"] == "product" and row["en"] == "Core Set")["it"]
        == "Set Base"
    )
    assert (
        next(row for row in rows if row["sort"] == "trait" and row["en"] == "Clothing")["de"]
        == "Kleidung"
    )


def test_a_name_that_is_the_same_everywhere_is_one_term_in_every_language(terms):
    found = [
        row
        for row in table(FORMATS["csv"].write(terms, ExportOptions()))
        if row["en"] == "Jonna Priel"
    ]
    assert [(row["de"], row["it"], row["cards"]) for row in found] == [
        ("Jonna Priel", "Jonna Priel", "01001a")
    ]
    same = named(
        card("1", {"de": "Kai", "en": "Kai", "it": "Kai"}),
        card("2", {"de": "Kai", "en": "Kai", "it": "Kai"}),
    )
    assert [row["cards"] for row in table(FORMATS["csv"].write(same, ExportOptions()))] == ["1 | 2"]
    assert [
        segment.text
        for segment in etree.fromstring(FORMATS["tmx"].write(same, ExportOptions())).iter("seg")
    ] == ["Kai"] * 3


def test_another_library_reads_the_names_from_tbx_and_tmx(terms):
    of_cards = [term for term in terms.terms if term.kind is TermKind.CARD]
    pairs = {
        (term.wordings["de"].name, term.wordings["it"].name)
        for term in of_cards
        if {"de", "it"} <= term.wordings.keys()
    }
    assert len(pairs) > 20
    read_tbx = tbxfile.parsestring(
        FORMATS["tbx"].write(terms, ExportOptions()), sourcelanguage="de", targetlanguage="it"
    ).units
    assert pairs <= {(unit.source, unit.target) for unit in read_tbx}
    read_tmx = tmxfile.parsestring(
        FORMATS["tmx"].write(terms, ExportOptions()), sourcelanguage="de", targetlanguage="it"
    ).units
    assert pairs <= {(unit.source, unit.target) for unit in read_tmx}


def test_tmx_has_a_unit_for_each_term_in_several_languages(terms):
    document = etree.fromstring(FORMATS["tmx"].write(terms, ExportOptions()))
    assert faults(TMX, document) == []
    several = [
        term
        for term in terms.terms
        if not term.structural and sum(bool(wording.name) for wording in term.wordings.values()) > 1
    ]
    assert len(document.findall(".//tu")) == len(several)
    assert all(len(unit.findall("tuv")) > 1 for unit in document.iter("tu"))


def test_names_in_one_language_make_no_translation_memory():
    with pytest.raises(NothingToExport, match="no terms in two languages"):
        FORMATS["tmx"].write(named(card("1", {"de": "Fass"})), ExportOptions())


@pytest.mark.parametrize("name", HOSTILE)
def test_signs_in_names_of_cards_work_in_no_format(name):
    plain = name.replace("\x00", "").replace("\x0b", "")
    written = named(card("1", {"de": name, "en": "Cask"}, {"de": name, "en": "Set"}))
    rows = table(FORMATS["csv"].write(written, ExportOptions()))
    assert {row["de"] for row in rows} == {f"'{plain}" if plain[0] in "=+-@" else plain}
    cells = [
        cell
        for row in openpyxl.load_workbook(
            io.BytesIO(FORMATS["xlsx"].write(written, ExportOptions()))
        ).active.iter_rows()
        for cell in row
    ]
    assert plain in [cell.value for cell in cells]
    assert {cell.data_type for cell in cells if cell.value} == {"s"}
    for form, grammar in (
        ("tbx", TBX_BASIC.format_map(OF_2008)),
        ("tbx3", TBX_BASIC.format_map(OF_2019)),
        ("tmx", TMX),
    ):
        document = etree.fromstring(FORMATS[form].write(written, ExportOptions()))
        assert faults(grammar, document) == []
        assert plain in [element.text for element in document.iter("{*}term", "{*}seg")]
    assert (
        json.loads(FORMATS["json"].write(written, ExportOptions()))["terms"][0]["names"]["de"][
            "name"
        ]
        == name
    )


def test_the_interface_has_them_where_they_are_asked_for(client, terms):
    response = client.get(f"/v1/terms/csv?game={GAME}&cards=true")
    assert (response.status_code, response.content_type) == (200, FORMATS["csv"].mimetype)
    assert response.data == FORMATS["csv"].write(terms, ExportOptions())
    assert response.data != client.get(f"/v1/terms/csv?game={GAME}").data


def test_the_command_line_takes_the_cards_of_the_workspace(tmp_path):
    folder = tmp_path / "mine" / "cards" / GAME
    shutil.copytree(SAMPLE_CARDS / GAME, folder)
    file = folder / "cards.yaml"
    file.write_text(
        file.read_text(encoding="utf-8").replace("de: Teerjacke, it", 'de: "=Öl|Jacke", it'),
        encoding="utf-8",
    )
    (tmp_path / "mine" / "rulebooks").mkdir()
    done = regula(
        "terms", "--game", GAME, "--cards", settings={"REGULA_HOME": str(tmp_path / "mine")}
    )
    assert done.returncode == 0, done.stderr
    assert (
        next(row for row in table(done.stdout.encode()) if row["en"] == "Oilskin")["de"]
        == "'=Öl|Jacke"
    )
