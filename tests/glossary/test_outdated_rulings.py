import pytest

from corpus.rulings import Authority, Basis, Ruling
from corpus.rulings.model import wording
from corpus.sourced_text import SourcedText, StringSource
from glossary.check import FindingKind, check_rulebook
from glossary.check.outdated_rulings import RuleVersions, report_outdated_rulings
from glossary.references import find
from index.building.version_lookup import compare_versions, with_edition_id
from tests.conftest import rulebook_of

OLD, NEW = "pegelwacht-de-1.0", "pegelwacht-de-1.1"


def ruling(*bases, superseded_by="", language="de"):
    answer = SourcedText("Ja.", language, StringSource("r.yaml", "0" * 64, "/0/answer"))
    return Ruling(
        "pegelwacht/r",
        "pegelwacht",
        Authority.HOUSE,
        "",
        (),
        None,
        answer,
        "",
        "",
        bases,
        superseded_by,
    )


def says(sample, entry):
    return wording(
        p for p in rulebook_of(sample, entry.partition("/")[0]).passages if p.entry == entry
    )


def judged(books, each):
    return [(found.change.value, found.edition) for found in RuleVersions(books).outdated([each])]


def test_sample_rulings_that_the_newer_version_outdates(sample):
    found = {
        r.edition.id: list(report_outdated_rulings(r, sample.rulebooks))
        for r in sample.rulebooks
        if r.edition.game == "pegelwacht"
    }
    assert {
        edition: [(f.printed, f.line) for f in findings]
        for edition, findings in found.items()
        if findings
    } == {
        NEW: [
            ("pegelwacht/flink-peilen", 263),
            ("pegelwacht/gezeitenwuerfel-neuwurf", None),
            ("pegelwacht/handlimit-fuenf", 323),
        ]
    }


def test_the_check_and_the_changes_list_them(sample):
    new, old = rulebook_of(sample, NEW), rulebook_of(sample, OLD)
    kinds = [f.kind for f in check_rulebook(new, sample.rulebooks, find(new, sample.rulebooks))]
    assert kinds.count(FindingKind.RULING_OUTDATED) == 3
    assert [f.ruling.id for f in compare_versions(old, new, sample.rulebooks).outdated] == [
        "pegelwacht/flink-peilen",
        "pegelwacht/gezeitenwuerfel-neuwurf",
        "pegelwacht/handlimit-fuenf",
    ]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (f"{OLD}/flink", [("changed", NEW)]),
        (f"{OLD}/gezeitenwuerfel", [("gone", NEW)]),
        (f"{OLD}/eisern", []),
        (f"{NEW}/flink", []),
        (f"{NEW}/there-is-none", [("gone", NEW)]),
        ("another-game-de-1.0/flink", []),
    ],
)
def test_rules_are_followed_into_the_newest_version(sample, entry, expected):
    assert (
        judged([rulebook_of(sample, OLD), rulebook_of(sample, NEW)], ruling(Basis(entry, "", "")))
        == expected
    )


def test_a_wording_tells_without_the_old_version(sample):
    kept, changed = (
        ruling(Basis(f"{OLD}/{slug}", "", says(sample, f"{OLD}/{slug}")))
        for slug in ("eisern", "flink")
    )
    assert judged([rulebook_of(sample, NEW)], kept) == []
    assert judged([rulebook_of(sample, NEW)], changed) == [("changed", NEW)]


def test_a_single_entry_of_unknown_version_makes_no_rule_be_gone(sample):
    books = [rulebook_of(sample, NEW), rulebook_of(sample, "pegelwacht-de-online")]
    assert judged(books, ruling(Basis(f"{NEW}/wrack", "", ""))) == []


def test_an_older_version_outdates_no_rule_of_a_newer_one(sample):
    assert judged([rulebook_of(sample, OLD)], ruling(Basis(f"{NEW}/schlepptau", "", ""))) == []


def test_a_rule_under_another_heading_is_found_by_its_text(sample):
    moved = ruling(Basis(f"{OLD}/called-otherwise-then", "", says(sample, f"{NEW}/eisern")))
    assert judged([rulebook_of(sample, NEW)], moved) == []


def test_a_renamed_rule_is_changed_where_the_comparison_knows_what_it_became(sample):
    old, new = rulebook_of(sample, OLD), rulebook_of(sample, NEW)
    counterpart = compare_versions(old, new, sample.rulebooks).changes.counterpart
    renamed = ruling(Basis(f"{OLD}/aus-dem-spiel-entfernt", "", ""))
    (found,) = RuleVersions([old, new], counterpart).outdated(
        [ruling(Basis(f"{OLD}/angriff", "", ""))]
    )
    assert found.entry is not None
    assert (found.change.value, found.entry.id) == ("changed", f"{NEW}/angriff-lotse")
    assert list(RuleVersions([old, new], counterpart).outdated([renamed])) == []


def test_another_document_of_an_edition_outdates_too(sample):
    old = with_edition_id(rulebook_of(sample, OLD), f"{NEW}@12345678")
    assert judged([rulebook_of(sample, NEW), old], ruling(Basis(f"{NEW}/flink", "", ""))) == [
        ("changed", NEW)
    ]


def test_a_rule_is_named_by_its_number(sample):
    duel = [rulebook_of(sample, "pegelduell-de-2.0")]
    assert judged(duel, ruling(Basis("", "4.2.3", ""))) == []
    assert judged(duel, ruling(Basis("", "99.9", ""))) == [("gone", "pegelduell-de-2.0")]
    assert judged(duel, ruling(Basis("", "4.2.3", "0" * 64))) == [("changed", "pegelduell-de-2.0")]
    assert judged(duel, ruling(Basis("", "99.9", ""), language="it")) == []
