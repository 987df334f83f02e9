import json
from typing import Any

import pytest
from click.testing import CliRunner

from corpus.layouts import LAYOUTS
from corpus.model import Fault
from glossary.check import (
    Certainty,
    Finding,
    FindingKind,
    Why,
    because,
    check_rulebook,
)
from glossary.references import find
from service.cli import cli
from service.editions.findings import finding_out, findings_text
from tests.conftest import SAMPLE
from tests.sample_truth import truths

CLEAN = (
    ("section", "ÜBERBLICK", "Dieses Heft erklärt, wie Imker um den Honig im Dorf wetteifern."),
    (
        "term",
        "BIENE",
        "Eine Biene fliegt aus, sobald ihr Imker sie weckt.",
        "Siehe auch: Honig, Imker",
    ),
    (
        "term",
        "HONIG",
        "- Honig liegt im Vorrat.\n- Honig verdirbt nie (auch nicht im Winter).",
        "Siehe auch: Biene",
    ),
    (
        "term",
        "IMKER",
        "Ein Imker sammelt:\n- 1. Er weckt eine Biene.\n- 2. Er füllt ein Glas.\n- 3. Er ruht.",
        "Siehe auch: Biene, Honig",
    ),
    (
        "term",
        "WABE",
        'In eine "leere" Wabe passt ein Glas; die Wabe, die die Biene baut, ist leer.',
        "Siehe auch: Honig",
    ),
    ("redirect", "GLAS", "Siehe: Honig"),
)

PLANTED = {  # what is planted in the sample → what the check calls it
    "caption": {FindingKind.STRAY},
    "caption-as-heading": {FindingKind.STRAY},
    "contents-order": {FindingKind.CONTENTS_DIFFER},
    "dead-reference": {FindingKind.MISSING},
    "doubled-text": {FindingKind.PRINTED_TWICE},
    "empty-item": {FindingKind.LIST_SIGNS},
    "empty-section": {FindingKind.LOST},
    "escape-cut": {FindingKind.ESCAPE},
    "figure-label": {FindingKind.STRAY},
    "footnote": {FindingKind.MISPLACED},
    "full-stop-for-comma": {FindingKind.LIST_SIGNS},
    "garbled-heading": {FindingKind.MISPRINT},
    "garbled-icon": {FindingKind.MISPRINT},
    "icon": {FindingKind.LOST, FindingKind.ESCAPE, FindingKind.SYMBOL},
    "icons-lost": {FindingKind.LOST},
    "latex": {FindingKind.ESCAPE},
    "letter-twice": {FindingKind.NUMBER_TWICE},
    "link": {FindingKind.ESCAPE},
    "literal-escape": {FindingKind.ESCAPE},
    "lost": {FindingKind.LOST},
    "lost-number": {FindingKind.NUMBER_LOST, FindingKind.MARKUP},
    "lost-quote": {FindingKind.UNPAIRED},
    "misplaced": {FindingKind.INDEX_ORDER},
    "misprint": {FindingKind.MISPRINT},
    "misprinted-heading": {FindingKind.MISPRINT},
    "misspelled-reference": {FindingKind.TITLE_DIFFERS},
    "missing-comma": {FindingKind.LIST_SIGNS},
    "mixed-case-heading": {FindingKind.HEADING},
    "ocr-letter": {FindingKind.SYMBOL},
    "outside": {FindingKind.OUTSIDE},
    "product-differs": {FindingKind.MISPRINT},
    "quoted-icon-heading": {FindingKind.SYMBOL},
    "same-head": {FindingKind.DUPLICATE_HEADING},
    "scrambled-note": {FindingKind.UNPAIRED},
    "self-listing": {FindingKind.REFERS_TO_ITSELF},
    "stray-hyphen": {FindingKind.MISPRINT},
    "text-lost": {FindingKind.LOST},
    "title-differs": {FindingKind.TITLE_DIFFERS},
    "torn-by-caption": {FindingKind.TORN},
    "torn-false-bullet": {FindingKind.TORN},
    "trailing-comma": {FindingKind.LIST_SIGNS},
    "twice": {FindingKind.LISTED_TWICE},
    "unpaired-bold": {FindingKind.MARKUP},
    "untranslated": {FindingKind.MISPRINT},
    "wrong-number": {FindingKind.WRONG_NUMBER},
}
HARMLESS = ("no problem", "still prints")
# Lines between the place that the truth names (the head of a list, say) and the fault itself
BELOW = 6


def checked(rulebook):
    return check_rulebook(rulebook, [rulebook], find(rulebook, [rulebook]))


@pytest.fixture(scope="module")
def of_sample(sample) -> dict[str, tuple[Finding, ...]]:
    return {
        b.edition.id: check_rulebook(b, sample.rulebooks, find(b, sample.rulebooks))
        for b in sample.rulebooks
    }


@pytest.fixture(scope="module")
def of_real(real) -> dict[str, tuple[Finding, ...]]:
    return {
        b.edition.id: check_rulebook(b, real.rulebooks, find(b, real.rulebooks))
        for b in real.rulebooks
    }


def test_what_is_planted_in_the_sample_is_found(sample, of_sample):
    missed = []
    for book in sample.rulebooks:
        for fault in truths()[book.document.file.removesuffix(".txt")]["faults"]:
            wanted, note = PLANTED.get(fault["sort"]), fault.get("note", "")
            if wanted is None or any(said in note for said in HARMLESS):
                continue
            near = range(fault["line"], fault["line"] + BELOW + 1)
            if not any(f.kind in wanted and f.line in near for f in of_sample[book.edition.id]):
                missed.append((book.edition.id, fault))
    assert missed == []


def test_a_rulebook_without_faults_has_no_findings(book):
    assert checked(book(*CLEAN)) == ()


def test_what_one_entry_refers_to_in_another_edition_is_no_fault(sample):
    alone = next(b for b in sample.rulebooks if LAYOUTS[b.edition.layout].excerpt)
    among = check_rulebook(alone, sample.rulebooks, find(alone, sample.rulebooks))
    assert [f.printed for f in among if f.kind is FindingKind.OUTSIDE] == [
        "Wrackfeld",
        "„Sobald geborgen“-Fähigkeiten",
    ]
    assert [
        f
        for f in check_rulebook(alone, [alone], find(alone, [alone]))
        if f.kind is FindingKind.OUTSIDE
    ] == []


def test_every_finding_is_short_and_stands_in_its_rulebook(sample, of_sample):
    for book in sample.rulebooks:
        for finding in of_sample[book.edition.id]:
            assert finding.edition == book.edition.id
            assert finding.line is None or 1 <= finding.line <= len(book.document.lines)
            assert len(finding.printed) <= 70
            told = finding_out(finding)
            assert "\n" not in finding.printed + (finding.meant or "") + told.why + told.origin_why
            assert told.why


def test_the_report_is_grouped_and_its_json_is_a_list_of_flat_objects(monkeypatch):
    monkeypatch.setenv("REGULA_RULEBOOKS", str(SAMPLE))
    shown = CliRunner().invoke(cli, ["check", "--edition", "pegelduell-de-2.0"])
    assert shown.exit_code == 0
    assert shown.output.startswith("Pegelduell")
    assert "References with a wrong number (11)" in shown.output
    assert " 127  certain   1.6.1.5 → 1.6.1.4  (" in shown.output
    done = CliRunner().invoke(cli, ["check", "--json"])
    bodies: list[dict[str, Any]] = json.loads(done.stdout)
    assert {tuple(body) for body in bodies} == {
        (
            *("edition", "line", "sort", "printed", "meant", "certainty"),
            *("why", "origin", "origin_why", "id"),
        )
    }
    assert len({body["edition"] for body in bodies}) == 6
    assert {body["sort"] for body in bodies} <= {s.value for s in FindingKind}
    assert CliRunner().invoke(cli, ["check", "--edition", "nix"]).exit_code == 2


def test_a_rulebook_without_findings_says_so(book):
    assert findings_text(book(*CLEAN), ()).endswith("nothing found")
    finding = Finding(
        "spiel-1",
        None,
        FindingKind.NO_PHRASINGS,
        "2 passages",
        None,
        Certainty.CERTAIN,
        because(Why.SEE_PHRASINGS),
    )
    assert finding_out(finding).line is None
    assert "certain   2 passages  (see 'regula phrasings missing')" in findings_text(
        book(*CLEAN), [finding]
    )


def lines(findings, sort):
    return [f.line for f in findings if f.kind is sort]


def test_wrong_numbers_and_titles_of_the_real_numbered_rules(of_real):
    found = of_real["lorcana-de-2.1.0"]
    numbers = [
        (f.line, f.printed.split(" ")[0], (f.meant or "").split(". ")[0])
        for f in found
        if f.kind is FindingKind.WRONG_NUMBER
    ]
    assert numbers == [
        (222, "1.8.1.5", "1.8.1.4"), (358, "1.9.1", "1.8.1"), (513, "5.1.6", "5.1.1.6"),
        (513, "5.1.7", "5.1.1.7"),
        (523, "5.1.1", "5.1.1.1"), (523, "5.1.12", "5.1.1.12"),
        (536, "10.10", "8.10"), (1581, "6.7", "7.7"),
        (1620, "5.1.11", "5.1.1.11"), (1620, "5.1.12", "5.1.1.12"),
    ]  # fmt: skip
    assert lines(found, FindingKind.TITLE_DIFFERS) == [105, 304, 598, 1439, 1495]
    assert lines(found, FindingKind.CONTENTS_DIFFER) == [40, 50]
    assert lines(found, FindingKind.DUPLICATE_HEADING) == [1323]
    assert (
        lines(found, FindingKind.NUMBER_GAP)
        == lines(found, FindingKind.NUMBER_TWICE)
        == lines(found, FindingKind.MISSING)
        == []
    )
    assert len(lines(found, FindingKind.LOST)) == 63


def test_index_lists_and_signs_of_the_real_capitals_glossary(of_real):
    found = of_real["marvel-champions-de-1.5"]
    assert [f.printed for f in found if f.kind is FindingKind.NOT_INDEXED] == [
        "UNENDLICHE LEBENSPUNKTE",
        "VERÄNDERUNGSEFFEKTE",
        '"ZUSÄTZLICH"',
    ]
    assert lines(found, FindingKind.INDEX_ORDER) == [3425, 3427]
    assert (
        lines(found, FindingKind.INDEX_WITHOUT_ENTRY)
        == lines(found, FindingKind.MISSING)
        == lines(found, FindingKind.DUPLICATE_HEADING)
        == []
    )
    assert lines(found, FindingKind.LIST_SIGNS) == [347, 419, 1027, 1439]
    assert lines(found, FindingKind.REFERS_TO_ITSELF) == [1896]
    assert lines(found, FindingKind.NUMBER_LOST) == [
        41, 334, 335, 700, 705, 865, 876, 884, 885, 1012, 1453, 1455, 1461, 1627, 1629, 1635, 2160,
        2462, 2465, 2466, 2470, 2476, 2490,
        2496, 2519, 2520, 2524, 2560,
    ]  # fmt: skip
    assert {539, 890, 1089, 1972} <= set(lines(found, FindingKind.TORN))
    assert {713, 1268, 1603, 1998, 2404, 3275} <= set(lines(found, FindingKind.ESCAPE))
    assert {1996, 2001, 3339, 3365, 3383} <= set(lines(found, FindingKind.SYMBOL))
    assert lines(found, FindingKind.MISSPELLED) == [
        132, 168, 2579, 2603, 2643, 2789, 2823, 2839, 2849, 2873, 2879, 2881, 2905, 2923, 3007, 3273,
    ]  # fmt: skip


def test_names_and_repetitions_of_the_real_markdown_glossary(of_real):
    found = of_real["marvel-champions-it-1.7"]
    assert len(lines(found, FindingKind.TITLE_DIFFERS)) == 31
    assert lines(found, FindingKind.AMBIGUOUS) == [1396]
    assert lines(found, FindingKind.LISTED_TWICE) == [1679]
    assert lines(found, FindingKind.LIST_SIGNS) == [492, 2279]
    assert {149, 210, 425, 698, 2293, 2512, 2565} <= set(lines(found, FindingKind.PRINTED_TWICE))
    assert {719, 1343, 3434} <= set(lines(found, FindingKind.MISSPELLED))
    assert lines(found, FindingKind.DUPLICATE_HEADING) == lines(found, FindingKind.MISSING) == []


def test_parts_and_contents_of_the_real_dashed_questions(of_real):
    found = of_real["behind-de-4.15c"]
    assert lines(found, FindingKind.NUMBER_TWICE) == [214]
    assert lines(found, FindingKind.OUTSIDE) == [88, 103, 177, 446, 1510]
    assert lines(found, FindingKind.CONTENTS_DIFFER) == [16, 17, 41]
    assert lines(found, FindingKind.LOST) == [186]
    assert {435, 819, 1120, 1123, 1218, 1258, 1275, 1428, 1437, 2231, 2233} == set(
        lines(found, FindingKind.MISSPELLED)
    )
    assert {2011, 2019, 2021} <= set(lines(found, FindingKind.PRINTED_TWICE))


def test_every_misprint_that_an_edition_names_is_reported(real, of_real):
    for book in real.rulebooks:
        certain = {
            (f.line, f.kind) for f in of_real[book.edition.id] if f.certainty is Certainty.CERTAIN
        }
        for correction in book.edition.corrections:
            if correction.fault is Fault.CHARACTER:
                assert (correction.line, FindingKind.MISPRINT) in certain, correction
        assert FindingKind.CORRECTION_UNFIT not in {sort for _, sort in certain}
