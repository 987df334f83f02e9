import io
import json

import openpyxl
import pytest
from flask.testing import FlaskClient
from lxml import etree
from translate.storage.tbx import tbxfile

from corpus.model import Edition, Kind
from glossary.concepts import load_concepts
from glossary.terms.term_list import Term, TermKind, TermList, TermSource, TermWording
from glossary.terms.term_names import term_name
from service.editions.exported_files import TERM_FORMATS as FORMATS
from service.editions.exports.formats import ExportOptions
from service.editions.exports.tables import NAME_SEPARATOR, term_columns, term_rows
from service.editions.terms import library_terms, rulebook_terms
from service.web.app import create_app
from tests.service.command_line import regula
from tests.service.grammars import OF_2008, OF_2019, TBX_BASIC, faults
from tests.service.harbour import Harbour, Indexes
from tests.service.test_exports import read_csv

LANG = "{http://www.w3.org/XML/1998/namespace}lang"
GAMES = ("pegelwacht", "pegelduell")
EDITION = Edition("spiel-1", "spiel", "de", "1", "Spiel", "capitals")


@pytest.fixture(scope="module")
def lists(sample_library) -> dict[str, TermList]:
    """The term lists of the sample, each of which takes seconds."""
    return {game: library_terms(sample_library, game) for game in GAMES}


@pytest.fixture(params=GAMES)
def terms(request, lists) -> TermList:
    return lists[request.param]


@pytest.fixture(scope="module")
def harbour_terms(harbour_library) -> TermList:
    return library_terms(harbour_library, "sternenhafen")


@pytest.fixture(scope="module")
def client(harbour_library) -> FlaskClient:
    """A client of one index, in which each list is made once."""
    return create_app(Indexes(Harbour(harbour_library))).test_client()


def made(*terms):
    return TermList("spiel", (EDITION,), terms)


def term(name, concept="anchor", **wording):
    source = TermSource("spiel-1", "de", "spiel-1/anker", name, Kind.TERM, 7)
    return Term(concept, {"de": TermWording(name, **wording)}, (), (source,))


def read_xlsx(written):
    sheet = openpyxl.load_workbook(io.BytesIO(written)).active
    return [[cell.value or "" for cell in row] for row in sheet.iter_rows()]


def official(of, language):
    wording = of.wordings.get(language, TermWording(None))
    names = [term_name(wording.name)] if wording.name else []
    left_out = (*wording.inflections, *wording.proposed, wording.name)
    further = [n for n in (*wording.variants, *wording.abbreviations) if n not in left_out]
    return list(dict.fromkeys([*names, *further]))


def in_files(of):
    return [t for t in of.terms if not t.structural and t.kind is not TermKind.CANDIDATE]


def test_the_table_is_the_same_from_csv_and_xlsx(terms):
    options = ExportOptions()
    table: list[list[str | int]] = [
        list(term_columns(terms, options)),
        *term_rows(terms, options),
    ]
    assert len(table) == len(terms.terms) + 1
    as_text = [[str(cell) for cell in row] for row in table]
    assert read_csv(FORMATS["csv"].write(terms, options)) == as_text
    assert read_xlsx(FORMATS["xlsx"].write(terms, ExportOptions())) == table


def test_an_index_and_the_rulebooks_give_the_same_list(sample, terms):
    assert rulebook_terms(sample.rulebooks, terms.game) == terms


def test_a_row_of_the_table_holds_names_entry_and_heading(sample_library, lists):
    heading, *found = read_csv(FORMATS["csv"].write(lists["pegelwacht"], ExportOptions()))
    row = next(
        row
        for r in found
        if (row := dict(zip(heading, r, strict=True)))["de"] == "Die Ehernen Regeln"
    )
    assert (row["de"], row["it"], row["en"]) == (
        "Die Ehernen Regeln",
        "Le Regole del Capitano",
        "iron rules",
    )
    names = [row[f"de {column}"] for column in ("inflections", "proposed")]
    assert set(NAME_SEPARATOR.join(names).split(NAME_SEPARATOR)) >= {
        "Eherne Regeln",
        "Eherne Regel",
    }
    assert row["de status"] == "attested"
    assert row["line pegelwacht-it-1.1"].isdigit()
    assert row["heading pegelwacht-it-1.1"] == "LE REGOLE DEL CAPITANO"
    assert row["entry pegelwacht-it-1.1"] in sample_library.entry


def test_a_spreadsheet_sees_that_the_csv_is_unicode(terms):
    assert FORMATS["csv"].write(terms, ExportOptions()).startswith(b"\xef\xbb\xbfconcept,")


def test_another_library_reads_every_concept_from_tbx(terms):
    store = tbxfile.parsestring(
        FORMATS["tbx"].write(terms, ExportOptions()), sourcelanguage="de", targetlanguage="en"
    )
    concepts = [each for each in terms.terms if each.concept]
    assert 0.8 * len(concepts) < len(store.units) == len(in_files(terms))
    for unit, meant in zip(store.units, in_files(terms), strict=True):
        assert meant.concept is None or unit.getid() == meant.sense
        if "de" in meant.wordings and "en" in meant.wordings:
            assert [found.text for found in unit.get_source_terms()] == official(meant, "de")
            assert [found.text for found in unit.get_target_terms()] == official(meant, "en")


@pytest.mark.parametrize(("name", "form"), [("tbx", OF_2008), ("tbx3", OF_2019)])
def test_tbx_keeps_to_tbx_basic(terms, name, form):
    document = etree.fromstring(FORMATS[name].write(terms, ExportOptions()))
    assert faults(TBX_BASIC.format_map(form), document) == []
    assert len(document.findall(f".//{{*}}{form['concept']}")) == len(in_files(terms))


def test_both_forms_of_tbx_say_the_same(terms):
    def said(name):
        body = etree.fromstring(FORMATS[name].write(terms, ExportOptions())).find(".//{*}body")
        return [
            (e.get("id"), e.get(LANG), e.get("type"), (e.text or "").strip()) for e in body.iter()
        ]

    assert said("tbx") == said("tbx3")


def test_tbx_tells_the_name_from_abbreviations_and_other_spellings(lists):
    document = etree.fromstring(FORMATS["tbx3"].write(lists["pegelwacht"], ExportOptions()))
    found = {}
    for section in document.iterfind(
        ".//{*}conceptEntry[@id='drift-value']/{*}langSec[@xml:lang='de']/{*}termSec",
        {"xml": LANG[1:-5]},
    ):
        found[section.findtext("{*}term")] = [note.text for note in section.iterfind("{*}termNote")]
    assert found == {
        "DRI": ["abbreviation", "preferredTerm-admn-sts"],
        "DRI-Wert": ["variant", "admittedTerm-admn-sts"],
    }


def test_what_players_say_is_in_the_tables_where_asked_for_and_not_in_tbx():
    written = made(
        term("Anker", slang=("Klunker",)),
        Term("chain", {"it": TermWording(None, slang=("ferraglia",))}, (), ()),
    )
    assert b"Klunker" not in FORMATS["csv"].write(written, ExportOptions())
    heading, *rows = read_csv(FORMATS["csv"].write(written, ExportOptions(slang=True)))
    assert [row[heading.index("de players say")] for row in rows] == ["Klunker", ""]
    found = etree.fromstring(FORMATS["tbx"].write(written, ExportOptions()))
    assert [entry.get("id") for entry in found.iter("termEntry")] == ["anchor"]
    assert found.findtext(".//term") == "Anker"
    assert b"Klunker" not in FORMATS["tbx"].write(written, ExportOptions())


def test_each_concept_of_a_tbx_file_has_an_id_of_its_own():
    written = FORMATS["tbx"].write(
        made(term("Anker", "3d"), term("Bug", None), term("Heck", None)), ExportOptions()
    )
    ids = [entry.get("id") for entry in etree.fromstring(written).iter("termEntry")]
    assert ids == ["c.3d", "entry.spiel-1_anker", "entry.spiel-1_anker.2"]


def survives(terms):
    assert {each.id for each in load_concepts(terms.game)} <= {each.concept for each in terms.terms}
    read = tbxfile.parsestring(FORMATS["tbx"].write(terms, ExportOptions()))
    assert len(read.units) == len(in_files(terms))
    assert (
        len(read_csv(FORMATS["csv"].write(terms, ExportOptions())))
        == len(read_xlsx(FORMATS["xlsx"].write(terms, ExportOptions())))
        == len(terms.terms) + 1
    )


def test_real_games_survive_every_format(real_library):
    for game in real_library.games:
        survives(library_terms(real_library, game))


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_the_interface_serves_every_format(client, harbour_terms, name):
    response = client.get("/v1/terms", query_string={"game": "sternenhafen", "format": name})
    own = client.get(
        f"/v1/terms{'' if name == 'json' else f'/{name}'}", query_string={"game": "sternenhafen"}
    )
    assert (own.status_code, own.content_type) == (response.status_code, response.content_type)
    if name == "tmx":  # nobody has tied its German terms to the Italian ones
        assert (response.status_code, response.get_json()["field"]) == (404, "game")
        return
    assert response.status_code == 200
    assert response.content_type == FORMATS[name].mimetype
    attached = response.headers.get("Content-Disposition", "")
    assert attached == (
        ""
        if name == "json"
        else f"attachment; filename=sternenhafen-terms.{FORMATS[name].extension}"
    )
    if name != "xlsx":  # which notes when it was written
        assert response.data == FORMATS[name].write(harbour_terms, ExportOptions())


@pytest.mark.parametrize(
    ("query", "status", "field"),
    [
        ("", 400, "game"),
        ("game=", 422, "game"),
        ("game=chess", 422, "game"),
        ("game=sternenhafen&format=pdf", 422, "format"),
        ("game=sternenhafen&format=TBX", 422, "format"),
        ("game=sternenhafen&Format=csv", 400, "Format"),
    ],
)
def test_what_cannot_be_listed_is_a_problem(client, query, status, field):
    response = client.get(f"/v1/terms?{query}")
    assert (response.status_code, response.content_type) == (status, "application/problem+json")
    assert json.loads(response.data)["field"] == field


def test_the_command_line_prints_where_no_file_is_named():
    done = regula("terms", "--game", "pegelwacht", "--format", "json")
    assert done.returncode == 0, done.stderr
    found = [term for term in json.loads(done.stdout)["terms"] if term["concept"]]
    assert len(found) == len(load_concepts("pegelwacht"))


@pytest.mark.parametrize(
    "wrong", [("--game", "chess"), ("--game", "pegelwacht", "--format", "pdf"), ()]
)
def test_the_command_line_says_what_it_does_not_know(wrong):
    done = regula("terms", *wrong)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
