"""The check of a rulebook: what is planted in the sample is found, clean rulebooks are left alone, the real ones have what they have."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

from corpus import Document, Edition, Rulebook, RulebookFolder, read
from corpus.layouts import LAYOUTS
from corpus.model import Fault
from glossary.check import TITLES, Certainty, Finding, Sort, check
from glossary.references import find
from service.cli import cli
from service.editions.check_report import as_text, finding_json
from tests.conftest import SAMPLE
from tests.sample_truth import truths

Make = Callable[..., Rulebook]

CLEAN = (
    ("section", "ÜBERBLICK", "Dieses Heft erklärt, wie Imker um den Honig im Dorf wetteifern."),
    ("term", "BIENE", "Eine Biene fliegt aus, sobald ihr Imker sie weckt.", "Siehe auch: Honig, Imker"),
    ("term", "HONIG", "- Honig liegt im Vorrat.\n- Honig verdirbt nie (auch nicht im Winter).", "Siehe auch: Biene"),
    ("term", "IMKER", "Ein Imker sammelt:\n- 1. Er weckt eine Biene.\n- 2. Er füllt ein Glas.\n- 3. Er ruht.", "Siehe auch: Biene, Honig"),
    ("term", "WABE", 'In eine "leere" Wabe passt ein Glas; die Wabe, die die Biene baut, ist leer.', "Siehe auch: Honig"),
    ("redirect", "GLAS", "Siehe: Honig"),
)
RULES = """REGELN DER WIESE

Inhaltsverzeichnis

1. BIENEN
 - 1.1. Allgemeines
2. HONIG
 - 2.1. Ernte


1. BIENEN

1.1. Allgemeines

1.1.1. Eine Biene fliegt bei Sonne aus.

1.1.2. Zwei Bienen teilen sich eine Blume (siehe 2.1.1).

2. HONIG

2.1. Ernte

2.1.1. Wer erntet, füllt ein Glas.

2.1.2. Volle Gläser bleiben stehen (siehe Abschnitt 1.1, „Allgemeines“).
"""

PLANTED = {  # what is planted in the sample → what the check calls it
    "caption": {Sort.STRAY}, "caption-as-heading": {Sort.STRAY}, "contents-order": {Sort.CONTENTS_DIFFER},
    "dead-reference": {Sort.MISSING}, "doubled-text": {Sort.PRINTED_TWICE}, "empty-item": {Sort.LIST_SIGNS},
    "empty-section": {Sort.LOST}, "escape-cut": {Sort.ESCAPE}, "figure-label": {Sort.STRAY}, "footnote": {Sort.MISPLACED},
    "full-stop-for-comma": {Sort.LIST_SIGNS}, "garbled-heading": {Sort.MISPRINT}, "garbled-icon": {Sort.MISPRINT},
    "icon": {Sort.LOST, Sort.ESCAPE, Sort.SYMBOL}, "icons-lost": {Sort.LOST}, "latex": {Sort.ESCAPE}, "letter-twice": {Sort.NUMBER_TWICE},
    "link": {Sort.ESCAPE}, "literal-escape": {Sort.ESCAPE}, "lost": {Sort.LOST}, "lost-number": {Sort.NUMBER_LOST, Sort.MARKUP},
    "lost-quote": {Sort.UNPAIRED}, "misplaced": {Sort.INDEX_ORDER}, "misprint": {Sort.MISPRINT}, "misprinted-heading": {Sort.MISPRINT},
    "misspelled-reference": {Sort.TITLE_DIFFERS}, "missing-comma": {Sort.LIST_SIGNS}, "mixed-case-heading": {Sort.HEADING},
    "ocr-letter": {Sort.SYMBOL}, "outside": {Sort.OUTSIDE}, "product-differs": {Sort.MISPRINT}, "quoted-icon-heading": {Sort.SYMBOL},
    "same-head": {Sort.DUPLICATE_HEADING}, "scrambled-note": {Sort.UNPAIRED}, "self-listing": {Sort.REFERS_TO_ITSELF},
    "stray-hyphen": {Sort.MISPRINT}, "text-lost": {Sort.LOST}, "title-differs": {Sort.TITLE_DIFFERS}, "torn-by-caption": {Sort.TORN},
    "torn-false-bullet": {Sort.TORN}, "trailing-comma": {Sort.LIST_SIGNS}, "twice": {Sort.LISTED_TWICE}, "unpaired-bold": {Sort.MARKUP},
    "untranslated": {Sort.MISPRINT}, "wrong-number": {Sort.WRONG_NUMBER},
}  # fmt: skip
HARMLESS = ("no problem", "still prints")
BELOW = 6  # lines between the place that the truth names (the head of a list, say) and the fault itself


def checked(rulebook: Rulebook) -> tuple[Finding, ...]:
    return check(rulebook, [rulebook], find(rulebook, [rulebook]))


@pytest.fixture(scope="module")
def of_sample(sample: RulebookFolder) -> dict[str, tuple[Finding, ...]]:
    return {b.edition.id: check(b, sample.rulebooks, find(b, sample.rulebooks)) for b in sample.rulebooks}


@pytest.fixture(scope="module")
def of_real(real: RulebookFolder) -> dict[str, tuple[Finding, ...]]:
    return {b.edition.id: check(b, real.rulebooks, find(b, real.rulebooks)) for b in real.rulebooks}


def test_what_is_planted_in_the_sample_is_found(sample: RulebookFolder, of_sample: dict[str, tuple[Finding, ...]]) -> None:
    missed = []
    for book in sample.rulebooks:
        for fault in truths()[book.document.file.removesuffix(".txt")]["faults"]:
            wanted, note = PLANTED.get(fault["sort"]), fault.get("note", "")
            if wanted is None or any(said in note for said in HARMLESS):
                continue
            near = range(fault["line"], fault["line"] + BELOW + 1)
            if not any(f.sort in wanted and f.line in near for f in of_sample[book.edition.id]):
                missed.append((book.edition.id, fault))
    assert missed == []


def test_a_rulebook_without_faults_has_no_findings(book: Make) -> None:
    assert checked(book(*CLEAN)) == ()


def test_a_clean_document_has_no_findings() -> None:
    rulebook = read(Document.from_bytes("x.txt", RULES.encode()), Edition("spiel-1", "spiel", "de", "1", "Spiel", "numbered"))
    assert [e.number for e in rulebook.entries if e.number][-1] == "2.1.2"
    assert checked(rulebook) == ()


def test_a_list_number_that_print_lost_is_named(sample: RulebookFolder, of_sample: dict[str, tuple[Finding, ...]]) -> None:
    found = {(f.line, f.meant) for f in of_sample["pegelwacht-de-1.1"] if f.sort is Sort.NUMBER_LOST}
    assert {(35, "5."), (249, "4."), (293, "4."), (629, "3."), (699, "1.")} <= found


def test_what_one_entry_refers_to_in_another_edition_is_no_fault(sample: RulebookFolder) -> None:
    alone = next(b for b in sample.rulebooks if LAYOUTS[b.edition.layout].excerpt)
    among = check(alone, sample.rulebooks, find(alone, sample.rulebooks))
    assert [f.printed for f in among if f.sort is Sort.OUTSIDE] == ["Wrackfeld", "„Sobald geborgen“-Fähigkeiten"]
    assert [f for f in check(alone, [alone], find(alone, [alone])) if f.sort is Sort.OUTSIDE] == []


def test_every_finding_is_short_and_stands_in_its_rulebook(sample: RulebookFolder, of_sample: dict[str, tuple[Finding, ...]]) -> None:
    for book in sample.rulebooks:
        for finding in of_sample[book.edition.id]:
            assert finding.edition == book.edition.id
            assert finding.line is None or 1 <= finding.line <= len(book.document.lines)
            assert len(finding.printed) <= 70
            assert "\n" not in finding.printed + (finding.meant or "") + finding.why
            assert finding.why


def test_every_sort_has_a_title() -> None:
    assert set(TITLES) == set(Sort)


def test_the_report_is_grouped_and_its_json_is_a_list_of_flat_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGULA_RULEBOOKS", str(SAMPLE))
    shown = CliRunner().invoke(cli, ["check", "--edition", "pegelduell-de-2.0"])
    assert shown.exit_code == 0
    assert shown.output.startswith("Pegelduell")
    assert "References with a wrong number (11)" in shown.output
    assert " 127  certain   1.6.1.5 → 1.6.1.4  (" in shown.output
    done = CliRunner().invoke(cli, ["check", "--json"])
    bodies: list[dict[str, Any]] = json.loads(done.stdout)
    assert {tuple(body) for body in bodies} == {("edition", "line", "sort", "printed", "meant", "certainty", "why")}
    assert len({body["edition"] for body in bodies}) == 6
    assert {body["sort"] for body in bodies} <= {s.value for s in Sort}
    assert CliRunner().invoke(cli, ["check", "--edition", "nix"]).exit_code == 2


def test_a_rulebook_without_findings_says_so(book: Make) -> None:
    assert as_text(book(*CLEAN), ()).endswith("nothing found")
    finding = Finding("spiel-1", None, Sort.NO_PHRASINGS, "2 passages", None, Certainty.CERTAIN, "why")
    assert finding_json(finding)["line"] is None
    assert "certain   2 passages  (why)" in as_text(book(*CLEAN), [finding])


NASTY = ["(" * 3000, '"a ' * 3000, "wort,wort" * 1500, "a a " * 3000, " " * 9000 + "x", "**" * 2500, "\\u00" * 1500, "Wort" * 3000]


@pytest.mark.parametrize("nasty", NASTY, ids=range(len(NASTY)))
@pytest.mark.parametrize("layout", LAYOUTS)
def test_lines_that_stall_careless_patterns_do_not_stall_the_check(layout: str, nasty: str) -> None:
    document = Document.from_bytes("x.txt", f"Regeln\n\n{nasty}\n\nNoch ein Satz.\n{nasty} Ende".encode())
    rulebook = read(document, Edition("a", "g", "nix", "1", "T", layout))
    references = find(rulebook, [rulebook])
    began = time.process_time()
    check(rulebook, [rulebook], references)
    assert time.process_time() - began < 3.0


def lines(findings: tuple[Finding, ...], sort: Sort) -> list[int | None]:
    return [f.line for f in findings if f.sort is sort]


def test_wrong_numbers_and_titles_of_the_real_numbered_rules(of_real: dict[str, tuple[Finding, ...]]) -> None:
    found = of_real["lorcana-de-2.1.0"]
    numbers = [(f.line, f.printed.split(" ")[0], (f.meant or "").split(". ")[0]) for f in found if f.sort is Sort.WRONG_NUMBER]
    assert numbers == [
        (222, "1.8.1.5", "1.8.1.4"), (358, "1.9.1", "1.8.1"), (513, "5.1.6", "5.1.1.6"), (513, "5.1.7", "5.1.1.7"),
        (523, "5.1.1", "5.1.1.1"), (523, "5.1.12", "5.1.1.12"), (536, "10.10", "8.10"), (1581, "6.7", "7.7"),
        (1620, "5.1.11", "5.1.1.11"), (1620, "5.1.12", "5.1.1.12"),
    ]  # fmt: skip
    assert lines(found, Sort.TITLE_DIFFERS) == [105, 304, 598, 1439, 1495]
    assert lines(found, Sort.CONTENTS_DIFFER) == [40, 50]
    assert lines(found, Sort.DUPLICATE_HEADING) == [1323]
    assert lines(found, Sort.NUMBER_GAP) == lines(found, Sort.NUMBER_TWICE) == lines(found, Sort.MISSING) == []
    assert len(lines(found, Sort.LOST)) == 63


def test_index_lists_and_signs_of_the_real_capitals_glossary(of_real: dict[str, tuple[Finding, ...]]) -> None:
    found = of_real["marvel-champions-de-1.5"]
    assert [f.printed for f in found if f.sort is Sort.NOT_INDEXED] == ["UNENDLICHE LEBENSPUNKTE", "VERÄNDERUNGSEFFEKTE", '"ZUSÄTZLICH"']
    assert lines(found, Sort.INDEX_ORDER) == [3425, 3427]
    assert lines(found, Sort.INDEX_WITHOUT_ENTRY) == lines(found, Sort.MISSING) == lines(found, Sort.DUPLICATE_HEADING) == []
    assert lines(found, Sort.LIST_SIGNS) == [347, 419, 1027, 1439]
    assert lines(found, Sort.REFERS_TO_ITSELF) == [1896]
    assert lines(found, Sort.NUMBER_LOST) == [
        41, 334, 335, 700, 705, 865, 876, 884, 885, 1012, 1453, 1455, 1461, 1627, 1629, 1635, 2160, 2462, 2465, 2466, 2470, 2476, 2490,
        2496, 2519, 2520, 2524, 2560,
    ]  # fmt: skip
    assert {539, 890, 1089, 1972} <= set(lines(found, Sort.TORN))
    assert {713, 1268, 1603, 1998, 2404, 3275} <= set(lines(found, Sort.ESCAPE))
    assert {1996, 2001, 3339, 3365, 3383} <= set(lines(found, Sort.SYMBOL))
    assert lines(found, Sort.MISSPELLED) == [132, 2579, 2643, 2839, 2879, 2905, 3007, 3273]


def test_names_and_repetitions_of_the_real_markdown_glossary(of_real: dict[str, tuple[Finding, ...]]) -> None:
    found = of_real["marvel-champions-it-1.7"]
    assert len(lines(found, Sort.TITLE_DIFFERS)) == 31
    assert lines(found, Sort.AMBIGUOUS) == [1396]
    assert lines(found, Sort.LISTED_TWICE) == [1679]
    assert lines(found, Sort.LIST_SIGNS) == [492, 2279]
    assert {149, 210, 425, 698, 2293, 2512, 2565} <= set(lines(found, Sort.PRINTED_TWICE))
    assert {719, 1343, 3434} <= set(lines(found, Sort.MISSPELLED))
    assert lines(found, Sort.DUPLICATE_HEADING) == lines(found, Sort.MISSING) == []


def test_parts_and_contents_of_the_real_dashed_questions(of_real: dict[str, tuple[Finding, ...]]) -> None:
    found = of_real["behind-de-4.15c"]
    assert lines(found, Sort.NUMBER_TWICE) == [214]
    assert lines(found, Sort.OUTSIDE) == [88, 103, 177, 446, 1510]
    assert lines(found, Sort.CONTENTS_DIFFER) == [16, 17, 41]
    assert lines(found, Sort.LOST) == [186]
    assert {435, 819, 1120, 1123, 1258, 1275, 1428, 1437, 2231, 2233} == set(lines(found, Sort.MISSPELLED))
    assert {2011, 2019, 2021} <= set(lines(found, Sort.PRINTED_TWICE))


def test_lost_quotation_marks_of_the_real_single_entry(of_real: dict[str, tuple[Finding, ...]]) -> None:
    found = of_real["marvel-champions-de-online"]
    assert [f.printed for f in found if f.sort is Sort.OUTSIDE] == ["Gekennzeichnete Fähigkeit"]
    assert lines(found, Sort.UNPAIRED) == [*range(21, 27), 54, *range(64, 69)]
    assert lines(found, Sort.SYMBOL) == [62]


def test_every_misprint_that_an_edition_names_is_reported(real: RulebookFolder, of_real: dict[str, tuple[Finding, ...]]) -> None:
    for book in real.rulebooks:
        certain = {(f.line, f.sort) for f in of_real[book.edition.id] if f.certainty is Certainty.CERTAIN}
        for correction in book.edition.corrections:
            if correction.fault is Fault.CHARACTER:
                assert (correction.line, Sort.MISPRINT) in certain, correction
        assert Sort.CORRECTION_UNFIT not in {sort for _, sort in certain}
