import io
import re
import shutil
import subprocess
import zipfile
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from lxml import etree
from translate.storage.xliff2 import Xliff2File

from glossary.comparison import EditionComparison
from glossary.comparison.reviews import ReviewState, facing_rows
from service.editions.comparison import compare_in_library
from service.editions.exported_files import COMPARISON_FORMATS as FORMATS
from service.editions.exports.formats import ExportOptions, NothingToExport
from service.editions.review_import import (
    LARGEST,
    ComparedEditions,
    read_review_file,
)
from service.editions.review_units import UnreadableReviews
from service.ops.comparison_reviews import load_reviews, take_in_reviews
from service.ops.workspace import NotKept
from tests.service.grammars import XLIFF, faults
from tests.service.test_exports import ITALIAN, NEW, OLD, made

X = {"x": "urn:oasis:names:tc:xliff:document:2.0", "mda": "urn:oasis:names:tc:xliff:metadata:2.0"}
GAME = "spiel"


@pytest.fixture(scope="module")
def languages(sample_library) -> EditionComparison:
    return compare_in_library(sample_library, NEW, ITALIAN)


@pytest.fixture(scope="module")
def xliff(languages, sample_library) -> bytes:
    return FORMATS["xliff"].write(languages, sample_library, ExportOptions())


@pytest.fixture
def home(tmp_path) -> Path:
    return tmp_path / "home"


class Desk:
    """A comparison of one row, its files, and what has been said of it in a workspace."""

    def __init__(
        self,
        home,
        left="Ein Anker kostet zwei Öl.",
        right="Un'ancora costa due olio.",
    ):
        self.home = home
        self.comparison, self.library = made(left, right)
        self.rows = facing_rows(self.comparison)

    def file(self, name):
        options = ExportOptions(reviews=load_reviews(self.home, GAME))
        return FORMATS[name].write(self.comparison, self.library, options)

    def take(self, raw, reviewer=""):
        compared = ComparedEditions(self.comparison.left, self.comparison.right, self.rows)
        return take_in_reviews(self.home, GAME, read_review_file(raw), compared, reviewer)

    def said(self):
        found = load_reviews(self.home, GAME).reviews.get(self.rows[0].key)
        return (found.state.value, found.reviewer, found.note) if found else None


def filled(raw, line=1, /, **cells):
    """A table as a reviewer fills it in: the ``cells`` of one ``line`` by their columns."""
    book = openpyxl.load_workbook(io.BytesIO(raw))
    sheet = book["Review"]
    at = {str(cell.value).partition(":")[0]: cell.column for cell in sheet[1]}
    for column, text in cells.items():
        sheet.cell(line + 1, at[column]).value = text
    return saved(book)


def saved(book):
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def xliff_with(raw, **changes):
    """An XLIFF as a tool writes it: the state, target or note of its first unit changed."""
    root = etree.fromstring(raw)
    unit = root.find(".//x:unit", X)
    segment = unit.find("x:segment", X)
    if "state" in changes:
        segment.set("state", changes["state"])
    if "source" in changes:
        segment.find("x:source", X).text = changes["source"]
    if "target" in changes:
        target = segment.find("x:target", X)
        (
            etree.SubElement(segment, f"{{{X['x']}}}target") if target is None else target
        ).text = changes["target"]
    if "note" in changes:  # within the segment, as one library does, or before it: both are read
        etree.SubElement(
            etree.SubElement(segment, f"{{{X['x']}}}notes"), f"{{{X['x']}}}note"
        ).text = changes["note"]
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True)


# What is written


def test_an_xliff_keeps_to_the_standard(xliff):
    document = etree.fromstring(xliff)
    assert faults(XLIFF, document) == []
    ids = [unit.get("id") for unit in document.iterfind(".//x:unit", X)]
    assert len(set(ids)) == len(ids) > 200


def unit_with(languages, library, segments_of):
    """The unit of the first row of two aligned segments, where it has the ``segments_of`` them."""
    place, row = next(
        (n, row)
        for n, pair in enumerate(languages.pairs)
        for row in pair.rows
        if len(row.segments) == 2 and all(s.aligned for s in row.segments)
    )
    segments = segments_of(*row.segments)
    pairs = list(languages.pairs)
    rows = (replace(each, segments=segments) if each is row else each for each in pairs[place].rows)
    pairs[place] = replace(pairs[place], rows=tuple(rows))
    raw = FORMATS["xliff"].write(replace(languages, pairs=tuple(pairs)), library, ExportOptions())
    [unit] = [
        unit
        for unit in etree.fromstring(raw).iterfind(".//x:unit", X)
        if unit.find("x:segment/x:source", X).text.startswith(segments[0].texts[0])
    ]
    return segments, unit


@pytest.mark.parametrize(
    ("score", "opening", "targets"),
    [(0.2, "", 1), (0.9, "", 2), (0.2, "(", 2)],  # an aside is a segment of its own
)
def test_a_sentence_beside_a_pair_that_is_hardly_a_translation_is_in_its_segment(
    languages, sample_library, score, opening, targets
):
    def without_target(first, second):
        [sentence, *_] = first.left
        left = (replace(sentence, text=opening + sentence.text),)
        return replace(first, left=left, right=(), score=0.0), replace(second, score=score)

    (_, second), unit = unit_with(languages, sample_library, without_target)
    assert len(unit.findall("x:segment", X)) == targets
    assert [target.text for target in unit.iterfind("x:segment/x:target", X)] == [second.texts[1]]


def test_a_sentence_of_the_right_edition_alone_is_a_note_beside_such_a_pair(
    languages, sample_library
):
    (pair, other), unit = unit_with(
        languages,
        sample_library,
        lambda first, second: (replace(first, score=0.2), replace(second, left=(), score=0.0)),
    )
    assert [each.text for each in unit.iterfind("x:segment/x:target", X)] == [pair.texts[1]]
    assert other.texts[1] in [note.text for note in unit.iterfind("x:notes/x:note", X)]


def test_another_library_reads_every_segment_with_its_state(xliff, languages):
    store = Xliff2File()
    store.parse(xliff)
    assert (store.getsourcelanguage(), store.gettargetlanguage()) == ("de", "it")
    translated = [unit for unit in store.units if unit.istranslated()]
    open_ones = [unit for unit in store.units if not unit.target]
    assert translated
    assert open_ones
    assert len(translated) + len(open_ones) == len(store.units)
    assert {unit.xmlelement.get("state") for unit in open_ones} == {"initial"}
    words = " ".join(unit.source for unit in store.units).split()
    for row in facing_rows(languages):
        assert set(re.findall(r"\w{4,}", row.texts[0])) <= set(
            re.findall(r"\w{4,}", " ".join(words))
        )


def test_units_say_where_they_are_from_and_what_may_be_wrong(xliff):
    document = etree.fromstring(xliff)
    for unit in document.iterfind(".//x:unit", X):
        assert unit.findtext(".//mda:meta[@type='left-citation']", namespaces=X).startswith(
            "Pegelwacht Regelbuch 1.1 (de)"
        )
    notes = {
        note.get("category"): note.text for note in document.iterfind(".//x:unit/x:notes/x:note", X)
    }
    assert {"regula:terms", "regula:numbers", "regula:passages"} <= set(notes)
    assert NEW in notes["regula:passages"]
    others = document.findtext(".//x:file/x:notes/x:note[3]", namespaces=X)
    assert others is not None
    assert ITALIAN in others


def test_segments_say_how_far_their_row_agrees(xliff, languages):
    expected = {
        row.id: passages.agreement or row.status
        for row, passages in zip(
            facing_rows(languages),
            chain.from_iterable(p.rows for p in languages.pairs),
            strict=True,
        )
    }
    assert set(expected.values()) > {"same", "freely-rendered", "differs", "only-left"}
    for unit in etree.fromstring(xliff).iterfind(".//x:unit", X):
        for segment in unit.iterfind("x:segment", X):
            assert segment.get("subState") == f"regula:{expected[unit.get('id')[1:]]}"


def test_a_text_that_the_right_edition_has_in_another_entry_is_translated(home):
    desk = Desk(home)
    [pair] = desk.comparison.pairs
    [row] = pair.rows
    alone = replace(row, right=(), agreement=None)
    desk.comparison = replace(desk.comparison, pairs=(replace(pair, rows=(alone,)),))
    desk.rows = facing_rows(desk.comparison)
    segment = etree.fromstring(desk.file("xliff")).find(".//x:segment", X)
    assert segment.findtext("x:target", namespaces=X) == "Un'ancora costa due olio."
    assert (segment.get("state"), segment.get("subState")) == ("translated", "regula:only-left")
    assert desk.take(desk.file("xliff")).unchanged == 1


def test_two_versions_of_one_language_make_no_xliff_but_can_be_reviewed(sample_library):
    versions = compare_in_library(sample_library, OLD, NEW)
    with pytest.raises(NothingToExport, match="one language"):
        FORMATS["xliff"].write(versions, sample_library, ExportOptions())
    file = read_review_file(FORMATS["review-xlsx"].write(versions, sample_library, ExportOptions()))
    assert [line.texts for line in file.lines] == [row.texts for row in facing_rows(versions)]


def test_the_workbook_locks_all_but_what_is_to_be_filled_in(languages, sample_library):
    sheet: Any = openpyxl.load_workbook(
        io.BytesIO(FORMATS["review-xlsx"].write(languages, sample_library, ExportOptions()))
    )["Review"]
    assert sheet.protection.sheet
    open_ones = {
        str(sheet.cell(1, cell.column).value)
        for row in sheet.iter_rows(min_row=2)
        for cell in row
        if not cell.protection.locked
    }
    assert open_ones == {"state", "note", "reviewer"}
    (choice,) = sheet.data_validations.dataValidation
    assert choice.formula1 == '"initial,translated,reviewed,final"'
    assert sheet.freeze_panes == "C2"
    assert sheet.auto_filter.ref == sheet.dimensions


# Calc may be missing where other programs of LibreOffice are installed
OFFICE = Path(shutil.which("soffice") or "/").resolve().parent


@pytest.mark.acceptance
@pytest.mark.skipif(not (OFFICE / "libsclo.so").exists(), reason="Calc is not installed")
def test_what_libreoffice_has_opened_and_saved_is_read_back(home, tmp_path):
    desk = Desk(home, "=1+1 Öl\nund noch mehr", "Olio «molto»")
    (tmp_path / "both.xlsx").write_bytes(
        filled(desk.file("review-xlsx"), state="reviewed", note="gut", reviewer="Anna")
    )
    command = [
        "soffice",
        f"-env:UserInstallation=file://{tmp_path}/profile",
        "--headless",
        "--convert-to",
        "xlsx",
    ]
    command += ["--outdir", str(tmp_path / "out"), str(tmp_path / "both.xlsx")]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    taken = desk.take((tmp_path / "out" / "both.xlsx").read_bytes())
    assert not taken.faults
    assert desk.said() == ("reviewed", "Anna", "gut")


# What comes back


@pytest.mark.parametrize("name", ["xliff", "review-xlsx"])
def test_a_file_that_comes_back_as_it_was_says_nothing_new(name, home):
    desk = Desk(home)
    taken = desk.take(desk.file(name))
    assert (taken.reviews, taken.unchanged, taken.faults) == ((), 1, ())
    assert not (home / "reviews" / f"{GAME}.jsonl").exists()


def test_a_table_that_is_filled_in_is_taken_and_comes_out_again(home):
    desk = Desk(home)
    desk.take(
        filled(desk.file("review-xlsx"), state="Reviewed", note="two\nlines", reviewer=" Anna ")
    )
    assert desk.said() == ("reviewed", "Anna", "two\nlines")
    (line,) = read_review_file(desk.file("review-xlsx")).lines
    assert tuple(line.fields) == ("reviewed", "Anna", "two\nlines")
    assert etree.fromstring(desk.file("xliff")).find(".//x:segment", X).get("state") == "reviewed"
    desk.take(filled(desk.file("review-xlsx"), state="translated"))
    assert desk.said() == ("translated", "Anna", "two\nlines")


def test_an_xliff_brings_states_and_notes_and_a_proposal_only_as_a_note(home):
    desk = Desk(home)
    with pytest.raises(UnreadableReviews, match="name a reviewer"):
        desk.take(xliff_with(desk.file("xliff"), state="final"))
    assert desk.said() is None
    taken = desk.take(
        xliff_with(desk.file("xliff"), state="final", note="ok", target="Un'ancora costa 2 olio."),
        "Ben",
    )
    assert desk.said() == ("final", "Ben", "ok\nProposed: Un'ancora costa 2 olio.")
    assert [why for _, why in taken.faults] == [
        "proposes another translation, which is taken as a note; what is printed stays"
    ]
    assert "costa due" in desk.file("xliff").decode()


def test_what_only_the_left_side_has_can_be_reviewed_and_translated(home):
    desk = Desk(home, right="")
    raw = desk.file("xliff")
    segment = etree.fromstring(raw).find(".//x:segment", X)
    assert (segment.get("state"), segment.find("x:target", X)) == ("initial", None)
    desk.take(filled(desk.file("review-xlsx"), state="reviewed", reviewer="Anna"))
    assert (
        desk.take(desk.file("xliff")).unchanged == 1
    )  # a segment without a target is initial whatever was said
    assert desk.said() == ("reviewed", "Anna", "")
    desk.take(
        xliff_with(desk.file("xliff"), state="translated", target="Un'ancora costa due olio."),
        "Ben",
    )
    assert desk.said() == ("translated", "Ben", "Proposed: Un'ancora costa due olio.")


def test_a_tool_that_alters_states_alone_is_no_review(home):
    desk = Desk(home)
    assert desk.take(xliff_with(desk.file("xliff"), state="initial")).unchanged == 1
    assert desk.said() is None


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_line_with_another_quotation_is_told_and_not_taken(side, home):
    desk = Desk(home)
    changed = filled(
        desk.file("review-xlsx"),
        state="reviewed",
        reviewer="Anna",
        **{side: "Ein Anker kostet drei Öl."},
    )
    (fault,) = desk.take(changed).faults
    assert fault.place == "line 2"
    assert "another quotation than the rulebook" in fault.why
    assert desk.said() is None
    (fault,) = desk.take(
        xliff_with(desk.file("xliff"), state="final", source="Etwas anderes."), "Ben"
    ).faults
    assert "not taken" in fault.why


def test_what_somebody_else_has_said_meanwhile_is_not_written_over(home):
    desk = Desk(home)
    before = desk.file("review-xlsx")
    desk.take(filled(before, state="final", reviewer="Anna", note="mine"))
    (fault,) = desk.take(filled(before, state="reviewed", reviewer="Ben")).faults
    assert "final by Anna" in fault.why
    assert desk.said() == ("final", "Anna", "mine")
    assert not desk.take(before).faults  # who has said nothing takes nothing back


def test_a_file_of_an_older_version_is_taken_where_the_words_are_the_same(home):
    old, new = Desk(home), Desk(home, "Ein Anker kostet drei Öl.")
    taken = new.take(filled(old.file("review-xlsx"), state="reviewed", reviewer="Anna", note="gut"))
    assert not taken.faults
    assert old.said() == ("reviewed", "Anna", "gut")
    assert read_review_file(new.file("review-xlsx")).lines[0].fields.state is ReviewState.TRANSLATED
    assert "reviewed before the wording changed, by Anna" in new.file("xliff").decode()
    assert "reworded" in new.file("csv").decode()


def test_marked_rows_stand_in_every_table_and_can_be_chosen(home):
    desk = Desk(home)
    desk.take(filled(desk.file("review-xlsx"), state="reviewed", reviewer="Anna", note="gut"))
    for review, count in (("reviewed", 1), ("open", 0), ("", 1)):
        options = ExportOptions(reviews=load_reviews(home, GAME), review=review)
        table = (
            FORMATS["csv"]
            .write(desk.comparison, desk.library, options)
            .decode("utf-8-sig")
            .splitlines()
        )
        assert len(table) == 1 + count
        body = FORMATS["json"].write(desk.comparison, desk.library, options).decode()
        assert body.count('"reviewer": "Anna"') == count
        assert '"reviewed": 1' in body
    assert table[0].endswith("review,reviewer,reviewed on,review note,agreement")
    assert ",reviewed,Anna," in table[1]


# What somebody has put into a file


def package(raw, **parts):
    """An office file with ``parts`` in the place of its own, or beside them."""
    names = {"macros": "xl/vbaProject.bin", "sheet": "xl/worksheets/sheet1.xml"}
    replaced = {names[name]: content for name, content in parts.items()}
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(raw)) as before,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for name in before.namelist():
            if name not in replaced:
                after.writestr(name, before.read(name))
        for name, content in replaced.items():
            after.writestr(name, content)
    return file.getvalue()


ENTITIES = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
XLIFF_ROOT = b'<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" srcLang="de">'


def hostile(kind, desk):
    workbook = desk.file("review-xlsx")
    book = openpyxl.load_workbook(io.BytesIO(workbook))
    book["Review"].append([cell.value for cell in book["Review"][2]])
    return {
        "nothing": b"",
        "text": b"id,state\n1,reviewed\n",
        "huge": b"<" + b" " * LARGEST,
        "other package": package(workbook).replace(b"xl/workbook.xml", b"xx/document.xml"),
        "bomb": package(workbook, sheet=b"<w>" + b" " * 6_000_000 + b"</w>"),
        "damaged": workbook[: len(workbook) // 2],
        "broken sheet": package(
            workbook, sheet=b"<worksheet><sheetData><row r='x'><c r='!!'/></row>"
        ),
        "entities": ENTITIES + XLIFF_ROOT + b"<file id='f'>&a;</file></xliff>",
        "sheet entities": package(workbook, sheet=ENTITIES + b"<w>&a;</w>"),
        "other encoding": package(
            workbook, sheet=(ENTITIES + b"<w>&a;</w>").decode().encode("utf-16")
        ),
        "macros": package(workbook, macros=b"x"),
        "old xliff": b'<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"/>',
        "other xml": b"<rss/>",
        "no column": filled(workbook, 0, state="Zustand"),
        "two columns": filled(workbook, 0, state="note"),
        "same id": saved(book),
        "no table": saved(openpyxl.Workbook()),
    }[kind]


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("nothing", "neither XLIFF nor"),
        ("text", "neither XLIFF nor"),
        ("huge", "more than a file of reviews"),
        ("other package", "neither XLIFF nor"),
        ("bomb", "unpacks to more"),
        ("damaged", "damaged"),
        ("broken sheet", "damaged"),
        ("entities", "entities"),
        ("sheet entities", "no office program"),
        ("other encoding", "no office program"),
        ("macros", "macros"),
        ("old xliff", "not XLIFF 2"),
        ("other xml", "not XLIFF 2"),
        ("no column", "no column 'state'"),
        ("two columns", "two columns 'note'"),
        ("same id", "several places"),
        ("no table", "no column"),
    ],
)
def test_a_file_that_is_none_or_does_harm_is_refused_whole(kind, says, home):
    desk = Desk(home)
    desk.take(filled(desk.file("review-xlsx"), state="final", reviewer="Anna"))
    with pytest.raises(UnreadableReviews, match=says):
        desk.take(hostile(kind, desk), "Ben")
    assert desk.said() == ("final", "Anna", "")


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ({"state": "fertig"}, "a state that is none: 'fertig'"),
        ({"id": "1"}, "no id that was written here"),
        ({"note": "x" * 2001}, "more than 2,000"),
        ({"id": "0123456789abcdef.0000"}, "not in this comparison"),
    ],
)
def test_a_line_that_does_not_fit_is_told_by_its_place(cells, says, home):
    desk = Desk(home)
    (fault,) = desk.take(
        filled(desk.file("review-xlsx"), **{"state": "reviewed", "reviewer": "Anna", **cells})
    ).faults
    assert says in fault.why
    assert fault.place == "line 2"


def test_a_faulty_file_of_reviews_stays_as_it_is(home):
    desk = Desk(home)
    raw = filled(desk.file("review-xlsx"), state="final", reviewer="Anna")
    (home / "reviews").mkdir(parents=True)
    (home / "reviews" / f"{GAME}.jsonl").write_text("{by hand\n", encoding="utf-8")
    with pytest.raises(NotKept, match="line 1"):
        desk.take(raw)
    assert (home / "reviews" / f"{GAME}.jsonl").read_text(encoding="utf-8") == "{by hand\n"
