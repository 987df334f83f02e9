import csv
import io
import pty
import re
import shutil
import subprocess
import sys
from collections import Counter
from urllib.parse import unquote

import openpyxl
import pytest
from lxml import etree
from openpyxl.cell.rich_text import CellRichText, TextBlock
from python_calamine import CalamineWorkbook
from translate.storage.tbx import tbxfile
from translate.storage.tmx import tmxfile

from corpus.model import Edition, Entry, Kind, Lines, Passage, Role
from glossary.comparison import (
    Agreement,
    AlignedPassages,
    ComparisonStatus,
    DifferenceKind,
    EditionComparison,
    EntryPair,
    PassageDifference,
)
from glossary.comparison.reviews import facing_rows
from glossary.comparison.segments import learn_sentences, with_segments
from glossary.concepts import load_concepts
from index.library.library import Library, SourceDocument
from service.cli import main
from service.editions.comparison import compare_in_library
from service.editions.exported_files import COMPARISON_FORMATS as FORMATS
from service.editions.exports.formats import ExportOptions
from service.editions.review_import import read_review_file
from service.editions.terms import edition_pair_terms
from tests.conftest import SAMPLE
from tests.service.command_line import regula
from tests.service.grammars import OF_2008, OF_2019, TBX_BASIC, TMX, XLIFF, faults
from tests.service.test_pages import Page

OLD, NEW, ITALIAN = "pegelwacht-de-1.0", "pegelwacht-de-1.1", "pegelwacht-it-1.1"
LANG = "{http://www.w3.org/XML/1998/namespace}lang"
SHEETS = ["Summary", "Entries", "Passages"]


@pytest.fixture(scope="module")
def library(sample_library) -> Library:
    return sample_library


@pytest.fixture(scope="module")
def versions(library) -> EditionComparison:
    return compare_in_library(library, OLD, NEW)


@pytest.fixture(scope="module")
def languages(library) -> EditionComparison:
    return compare_in_library(library, NEW, ITALIAN)


@pytest.fixture(scope="module", params=["versions", "languages"])
def comparison(request) -> EditionComparison:
    return request.getfixturevalue(request.param)


def made(left, right, spoken="it", heading="ANKER"):
    """One entry with one passage in German, and one in the language ``spoken``, whose words
    differ.
    """
    editions = (
        Edition("spiel-1", "spiel", "de", "1", "Spiel", "capitals"),
        Edition("spiel-2", "spiel", spoken, "2", "Gioco", "capitals"),
    )
    entries, passages = [], []
    for edition, text in zip(editions, (left, right), strict=True):
        name = f"{edition.id}/anker"
        entries.append(
            Entry(
                name,
                edition.id,
                Kind.TERM,
                heading,
                heading.title(),
                None,
                None,
                None,
                None,
                (),
                (),
                Lines(1, 3),
            )
        )
        passages.append(Passage(f"{name}#0", name, 0, Role.TEXT, 0, (), Lines(3, 3), text, text))
    words = (PassageDifference(DifferenceKind.WORDS, (left,), (right,)),)
    pair = EntryPair(
        None,
        (entries[0],),
        (entries[1],),
        (AlignedPassages((passages[0],), (passages[1],), False, words),),
        ((), ()),
        False,
    )
    sources = {edition.id: SourceDocument(f"{edition.id}.txt", "0" * 64) for edition in editions}
    library = Library(editions, sources, tuple(entries), tuple(passages), (), {})
    pairs = [pair]
    if spoken != "de":
        spoken_in = ("de", spoken)
        sentences, aligner = learn_sentences(pairs, spoken_in)
        pairs = with_segments(pairs, sentences, aligner, spoken_in, ())
    return EditionComparison(*editions, tuple(pairs)), library


def all_rows(comparison):
    return [row for pair in comparison.pairs for row in pair.rows]


def read_csv(written):
    return list(csv.reader(io.StringIO(written.decode("utf-8-sig"), newline="")))


# TMX


def test_a_translation_memory_keeps_to_tmx(languages, library):
    written = FORMATS["tmx"].write(languages, library, ExportOptions())
    assert written.startswith(
        b"<?xml version='1.0' encoding='UTF-8'?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n"
    )
    assert faults(TMX, etree.fromstring(written)) == []


def test_every_unit_says_where_both_sides_stand(languages, library):
    document = etree.fromstring(FORMATS["tmx"].write(languages, library, ExportOptions()))
    for variant in document.iter("tuv"):
        entry = library.entry[variant.findtext("prop[@type='x-entry']")]
        assert variant.findtext("prop[@type='x-heading']") == entry.heading
        assert variant.findtext("prop[@type='x-edition']") == entry.edition
        assert library.edition[entry.edition].language == variant.get(LANG)
        first = int(variant.findtext("prop[@type='x-lines']").partition("-")[0])
        assert entry.lines.first <= first <= entry.lines.last
        assert f" {first}" in variant.findtext("prop[@type='x-citation']")
    concepts = {unit.findtext("prop[@type='x-concept']") for unit in document.iter("tu")}
    assert library.concepts[f"{NEW}/pegel"] in concepts


def test_signs_that_no_format_can_hold_are_left_out():
    left, right = "Anker\x00 & <Kette>\x0b eins", "Àncora\ufffe & <Catena> due"
    comparison, library = made(left, right)
    written = FORMATS["tmx"].write(comparison, library, ExportOptions(doubtful=True))
    unit = tmxfile.parsestring(written, sourcelanguage="de", targetlanguage="it").units[0]
    assert (unit.source, unit.target) == ("Anker & <Kette> eins", "Àncora & <Catena> due")
    assert (
        read_csv(FORMATS["csv"].write(comparison, library, ExportOptions()))[1][4]
        == "Anker & <Kette> eins"
    )
    assert (
        "Anker & <Kette> eins"
        in Page(FORMATS["html"].write(comparison, library, ExportOptions()).decode()).text
    )
    assert (
        passages_sheet(FORMATS["xlsx"].write(comparison, library, ExportOptions()))[1][4]
        == "Anker & <Kette> eins"
    )


# TBX


@pytest.mark.parametrize(("name", "form"), [("tbx", OF_2008), ("tbx3", OF_2019)])
def test_the_terms_of_two_editions_keep_to_tbx_basic(comparison, library, name, form):
    document = etree.fromstring(FORMATS[name].write(comparison, library, ExportOptions()))
    assert faults(TBX_BASIC.format_map(form), document) == []


def test_tbx_has_the_terms_of_the_two_editions_and_no_others(languages, library):
    written = FORMATS["tbx"].write(languages, library, ExportOptions())
    document = etree.fromstring(written)
    both = {languages.left.id, languages.right.id}
    sources = [source.text.partition("/")[0] for source in document.iterfind(".//tig/admin")]
    assert set(sources) == both
    assert {section.get(LANG) for section in document.iter("langSet")} == {"de", "it"}
    known = {concept.id for concept in load_concepts("pegelwacht")}
    tied = {
        concept.partition("/")[2]
        for entry, concept in library.concepts.items()
        if library.entry[entry].edition in both
    }
    found = [entry.get("id") for entry in document.iter("termEntry")]
    listed = edition_pair_terms(library, languages.left, languages.right).terms
    structural = {term.concept for term in listed if term.structural}
    assert structural > {
        "glossary",
        "about-this-booklet",
    }  # they head parts of the book and name nothing
    assert known & set(found) == known & tied - structural
    assert 0 < len(known & tied) < len(known)
    assert len(tbxfile.parsestring(written).units) == len(found)


# Spreadsheets


def passages_sheet(written):
    return (
        CalamineWorkbook.from_filelike(io.BytesIO(written))
        .get_sheet_by_name("Passages")
        .to_python()
    )


def test_another_library_reads_the_same_from_the_workbook_as_from_csv(comparison, library):
    table = read_csv(FORMATS["csv"].write(comparison, library, ExportOptions()))
    assert len(table) == len(all_rows(comparison)) + 1
    assert [
        [str(cell) for cell in row]
        for row in passages_sheet(FORMATS["xlsx"].write(comparison, library, ExportOptions()))
    ] == table


def test_the_workbook_begins_with_how_much_differs(comparison, library):
    book = CalamineWorkbook.from_filelike(
        io.BytesIO(FORMATS["xlsx"].write(comparison, library, ExportOptions()))
    )
    assert book.sheet_names == SHEETS
    heading, entries, passages, left, right = book.get_sheet_by_name("Summary").to_python()
    assert heading == ["", *ComparisonStatus, "all"]
    assert entries[1:] == [*comparison.counts.values(), len(comparison.pairs)]
    counts = Counter(row.status for row in all_rows(comparison))
    assert passages[1:] == [
        *(counts[status] for status in ComparisonStatus),
        len(all_rows(comparison)),
    ]
    assert (left[1], right[1]) == (comparison.left.id, comparison.right.id)


def test_changed_words_are_struck_out_on_the_left_and_bold_on_the_right(versions, library):
    sheet = openpyxl.load_workbook(
        io.BytesIO(FORMATS["xlsx"].write(versions, library, ExportOptions())), rich_text=True
    )["Passages"]
    changed = [
        (row, line)
        for row, line in zip(all_rows(versions), sheet.iter_rows(min_row=2), strict=True)
        if row.differences
    ]
    assert changed
    for row, line in changed:
        for cell, words, struck in (
            (line[4], row.differences[0].left, True),
            (line[7], row.differences[0].right, False),
        ):
            assert isinstance(cell.value, CellRichText) or not words
            marked = [run for run in cell.value if isinstance(run, TextBlock)] if words else []
            assert tuple(" ".join(run.text.split()) for run in marked) == words
            assert all(
                bool(run.font.strike) is struck and bool(run.font.b) is not struck for run in marked
            )


@pytest.mark.parametrize("text", ["=1+1", "+7 Öl", "-3 Öl", "@cmd"])
@pytest.mark.parametrize("spoken", ["de", "it"])
def test_no_text_of_a_rulebook_becomes_a_formula(text, spoken):
    comparison, library = made(text, f"{text} mehr", spoken, heading=text)
    row = read_csv(FORMATS["csv"].write(comparison, library, ExportOptions()))[1]
    assert (row[2], row[4], row[7]) == (f"'{text}", f"'{text}", f"'{text} mehr")
    book = openpyxl.load_workbook(
        io.BytesIO(FORMATS["xlsx"].write(comparison, library, ExportOptions()))
    )
    texts = [
        cell
        for name in ("Entries", "Passages")
        for line in book[name].iter_rows(min_row=2)
        for cell in line
    ]
    assert {cell.data_type for cell in texts} <= {"s", "n"}
    assert book["Passages"]["E2"].value == text


@pytest.mark.acceptance
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_libreoffice_opens_the_workbook_and_sees_every_row(versions, library, tmp_path):
    (tmp_path / "book.xlsx").write_bytes(FORMATS["xlsx"].write(versions, library, ExportOptions()))
    every_sheet = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = [
        "soffice",
        profile,
        "--headless",
        "--convert-to",
        every_sheet,
        "--outdir",
        str(tmp_path),
        str(tmp_path / "book.xlsx"),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    read = {name: read_csv((tmp_path / f"book-{name}.csv").read_bytes()) for name in SHEETS}
    assert read["Passages"] == read_csv(FORMATS["csv"].write(versions, library, ExportOptions()))
    assert len(read["Entries"]) == len(versions.pairs) + 1
    assert len(read["Summary"]) == 5


# HTML


def page(comparison, library):
    return Page(FORMATS["html"].write(comparison, library, ExportOptions()).decode("utf-8"))


def test_the_page_is_whole_and_its_links_lead_somewhere(comparison, library):
    shown = page(comparison, library)
    names = [attributes["id"] for _, attributes in shown.elements if "id" in attributes]
    assert len(set(names)) == len(names) == len(comparison.pairs)
    links = [unquote(link) for link in shown.links()]
    assert sorted(links) == sorted(f"#{name}" for name in names)


def test_the_page_loads_nothing_and_runs_nothing(comparison, library):
    written = FORMATS["html"].write(comparison, library, ExportOptions()).decode()
    shown = Page(written)
    assert not {tag for tag, _ in shown.elements} & {
        "script",
        "link",
        "img",
        "iframe",
        "object",
        "form",
    }
    assert not [
        attributes
        for _, attributes in shown.elements
        if "src" in attributes or any(name.startswith("on") for name in attributes)
    ]
    assert not re.search(r"https?:|@import|url\(", written)


def test_every_passage_of_both_editions_is_on_the_page_unless_its_entry_is_alike(
    comparison, library
):
    tree = etree.fromstring(
        FORMATS["html"].write(comparison, library, ExportOptions()),
        etree.HTMLParser(encoding="utf-8"),
    )
    shown = [
        ("".join(wording.itertext()), wording.get("lang"))
        for wording in tree.findall(".//p[@class='wording']")
    ]
    spoken = (comparison.left.language, comparison.right.language)
    differing = [
        row
        for pair in comparison.pairs
        if (pair.status, pair.agreement) != (ComparisonStatus.SAME, Agreement.SAME)
        for row in pair.rows
    ]
    assert shown == [
        (text, language)
        for row in differing
        for text, language in zip(row.texts, spoken, strict=True)
        if text
    ]


def test_differences_between_languages_are_badges_that_say_what_they_are(languages, library):
    tree = etree.fromstring(
        FORMATS["html"].write(languages, library, ExportOptions()),
        etree.HTMLParser(encoding="utf-8"),
    )
    badges = Counter(badge.text for badge in tree.findall(".//*[@class='badges']//b"))
    sorts = Counter(d.kind for row in all_rows(languages) for d in row.differences)
    assert (badges["Number"], badges["Symbol"], badges["Term"]) == (
        sorts[DifferenceKind.NUMBERS],
        sorts[DifferenceKind.SYMBOLS],
        sorts[DifferenceKind.TERMS],
    )
    assert badges["Reference"] == sum(any(pair.references) for pair in languages.pairs)
    assert badges["Moved"] == sum(row.moved for row in all_rows(languages))
    alone = Counter(row.status for row in all_rows(languages))
    assert (badges["only in de 1.1"], badges["only in it 1.1"]) == (
        alone[ComparisonStatus.ONLY_LEFT],
        alone[ComparisonStatus.ONLY_RIGHT],
    )
    assert not list(tree.iter("del", "ins"))


def test_terms_are_named_in_the_language_of_their_side(languages, library):
    tree = etree.fromstring(
        FORMATS["html"].write(languages, library, ExportOptions()),
        etree.HTMLParser(encoding="utf-8"),
    )
    named = {
        (q.get("lang"), name)
        for q in tree.findall(".//ul[@class='badges']//q")
        for name in q.text.split(", ")
    }
    assert ("de", "Pegel") in named
    assert ("it", "Pegel") not in named


def test_text_of_a_rulebook_is_never_markup():
    comparison, library = made(
        "<script>alert(1)</script>", "Anker & Kette", "de", heading="</style><b>"
    )
    shown = page(comparison, library)
    assert "script" not in {tag for tag, _ in shown.elements}
    assert "<script>alert(1)</script>" in shown.text


# Real rulebooks


def test_real_editions_survive_every_format(real_library):
    library = real_library
    comparison = compare_in_library(library, "marvel-champions-de-1.5", "marvel-champions-it-1.7")
    written = {
        name: form.write(comparison, library, ExportOptions()) for name, form in FORMATS.items()
    }
    assert len(tmxfile.parsestring(written["tmx"]).units) > 900
    assert faults(TMX, etree.fromstring(written["tmx"])) == []
    for name, form in (("tbx", OF_2008), ("tbx3", OF_2019)):
        assert faults(TBX_BASIC.format_map(form), etree.fromstring(written[name])) == []
    table = read_csv(written["csv"])
    assert [[str(cell) for cell in row] for row in passages_sheet(written["xlsx"])] == table
    assert faults(XLIFF, etree.fromstring(written["xliff"])) == []
    rows = [row.id for row in facing_rows(comparison)]
    assert [line.id for line in read_review_file(written["review-xlsx"]).lines] == rows
    shown = Page(written["html"].decode())
    names = [attributes["id"] for _, attributes in shown.elements if "id" in attributes]
    assert len(set(names)) == len(names) == len(comparison.pairs)
    assert {unquote(link) for link in shown.links()} == {f"#{name}" for name in names}


# Command line


def test_the_command_line_writes_a_file_that_opens(tmp_path, languages):
    file = tmp_path / "both.xlsx"
    done = regula("compare", NEW, ITALIAN, "--format", "xlsx", "--output", str(file))
    assert done.returncode == 0, done.stderr
    assert len(passages_sheet(file.read_bytes())) == len(all_rows(languages)) + 1


@pytest.mark.parametrize("name", ["tmx", "pdf"])
def test_the_command_line_says_in_one_line_what_it_cannot_write(name):
    done = regula("compare", OLD, NEW, "--format", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1


def test_no_workbook_is_poured_over_a_terminal(capsys, monkeypatch):
    reader, terminal = pty.openpty()
    monkeypatch.setenv("REGULA_RULEBOOKS", str(SAMPLE))
    with open(reader, "rb"), open(terminal, "w") as shown, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", shown)
        with pytest.raises(SystemExit) as ended:
            main(["compare", OLD, NEW, "--format", "xlsx"])
    assert ended.value.code == 2
    assert "--output" in capsys.readouterr().err
