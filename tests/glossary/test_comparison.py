from pathlib import Path

import pytest
import yaml

from corpus.document import Document
from corpus.editions import identify
from corpus.model import Kind, Rulebook
from corpus.read import read
from glossary.comparison import (
    Agreement,
    ComparisonStatus,
    DifferenceKind,
    EditionComparison,
    compare_editions,
)
from glossary.comparison.version_changes import references_by_entry
from glossary.concepts import load_concepts, tie_entries
from glossary.matching.printed_ties import tie_cards, tie_topics
from glossary.references import find
from tests.conftest import SAMPLE

TRUTH = Path(__file__).parent / "alignment"


def compared(rulebooks):
    """The first two of ``rulebooks``, all of them of one game."""
    references = references_by_entry(
        reference for rulebook in rulebooks for reference in find(rulebook, rulebooks)
    )
    known = load_concepts(rulebooks[0].edition.game)
    tied = {**tie_cards(rulebooks), **tie_entries(known, rulebooks).by_entry}
    return compare_editions(
        rulebooks[0], rulebooks[1], tied, references, known, tie_topics(rulebooks)
    )


def pair(comparison, title):
    return next(p for p in comparison.pairs if title in {e.title for e in (*p.left, *p.right)})


@pytest.fixture(scope="module")
def books(sample) -> dict[str, Rulebook]:
    return {r.edition.id: r for r in sample.rulebooks}


@pytest.fixture(scope="module")
def versions(books) -> EditionComparison:
    return compared([books["pegelwacht-de-1.0"], books["pegelwacht-de-1.1"]])


@pytest.fixture(scope="module")
def languages(books) -> EditionComparison:
    return compared([books["pegelwacht-de-1.1"], books["pegelwacht-it-1.1"]])


def test_every_entry_and_every_passage_stands_in_one_place(versions, books):
    for side, edition in (("left", "pegelwacht-de-1.0"), ("right", "pegelwacht-de-1.1")):
        entries = [e.id for p in versions.pairs for e in getattr(p, side)]
        assert sorted(entries) == sorted(e.id for e in books[edition].entries)
        passages = [x.id for p in versions.pairs for row in p.rows for x in getattr(row, side)]
        assert sorted(passages) == sorted(p.id for p in books[edition].passages if p.role == "text")


def test_an_edition_beside_itself_is_all_the_same(books):
    same = compared([books["pegelwacht-de-1.1"], books["pegelwacht-de-1.1"]])
    assert {p.status for p in same.pairs} == {ComparisonStatus.SAME}


def test_a_renamed_entry_is_the_same_under_its_new_heading(versions):
    renamed = pair(versions, "Aus dem Spiel entfernt")
    assert [e.title for e in renamed.right] == ["Aus dem Spiel Genommen"]
    assert renamed.renamed


def test_words_that_changed_between_versions_are_named(versions):
    changed = [d for p in versions.pairs for row in p.rows for d in row.differences]
    assert changed
    assert {d.kind for d in changed} == {DifferenceKind.WORDS}
    handlimit = next(row for row in pair(versions, "Handlimit").rows if row.differences)
    assert any("fünf" in words for words in handlimit.differences[0].left)
    assert not any("fünf" in words for words in handlimit.differences[0].right)


def test_between_languages_words_are_not_compared_but_what_they_share_is(languages):
    sorts = {d.kind for p in languages.pairs for row in p.rows for d in row.differences}
    assert DifferenceKind.WORDS not in sorts
    assert DifferenceKind.NUMBERS in sorts


@pytest.fixture
def altered():
    """Pegelwacht 1.1 with a change, beside itself."""

    def made(*changes):
        text = (SAMPLE / "pegelwacht-de-1.1.txt").read_text(encoding="utf-8")
        books = []
        for name, changed in (("old.txt", ()), ("new.txt", changes)):
            for old, new in changed:
                assert old in text
                text = text.replace(old, new, 1)
            document = Document.from_bytes(name, text.encode())
            edition = identify(document)
            assert edition is not None
            books.append(read(document, edition))
        return compared(books)

    return made


def test_one_changed_number_is_the_only_change(altered):
    comparison = altered(("Mehr als fünf Marker", "Mehr als sechs Marker"))
    changed = [p for p in comparison.pairs if p.status is not ComparisonStatus.SAME]
    (row,) = [row for p in changed for row in p.rows if row.differences]
    assert (row.differences[0].left, row.differences[0].right) == (("fünf",), ("sechs",))
    assert len(changed) == 1


@pytest.fixture(scope="module")
def champions(real) -> dict[str, Rulebook]:
    return {r.edition.id: r for r in real.rulebooks if r.edition.game == "marvel-champions"}


@pytest.fixture(scope="module")
def champions_in_two_languages(champions) -> EditionComparison:
    return compared([champions["marvel-champions-de-1.5"], champions["marvel-champions-it-1.7"]])


def test_passages_are_aligned_as_a_reader_would(champions_in_two_languages):
    comparison = champions_in_two_languages
    truth = {
        concept: {tuple(p) for p in pairs}
        for file in ("one", "two")
        for concept, pairs in _kept(file).items()
    }
    assert len(truth) >= 60
    right = wrong = missed = 0
    for found in comparison.pairs:
        if found.concept in truth:
            made = {
                (a.lines.first, b.lines.first)
                for row in found.rows
                for a in row.left
                for b in row.right
            }
            right += len(made & truth[found.concept])
            wrong += len(made - truth[found.concept])
            missed += len(truth[found.concept] - made)
    assert 2 * right / (2 * right + wrong + missed) >= 0.9


def _kept(file):
    found: dict[str, list[list[int]]] = yaml.safe_load(
        (TRUTH / f"{file}.yaml").read_text(encoding="utf-8")
    )
    return found


def test_a_newer_single_entry_shows_exactly_what_was_added(champions):
    comparison = compared(
        [champions["marvel-champions-de-1.5"], champions["marvel-champions-de-online"]]
    )
    assert {status.value: n for status, n in comparison.counts.items() if n} == {"changed": 1}
    [pair] = comparison.pairs
    words = {
        (row.left[0].lines.first, row.right[0].lines.first): row.differences
        for row in pair.rows
        if row.status is ComparisonStatus.CHANGED
    }
    new = {place: d.right for place, [d] in words.items()}
    assert new[859, 60][0].startswith("verzögerte Effekte, andauernde Effekte")
    assert new[843, 30] == ("den",)
    assert new[847, 44] == new[852, 51] == (), "the headings of parts were words of the text"
    assert len(new) == 4
    assert [(row.status, row.left[0].lines.first) for row in pair.rows if not row.right] == [
        (ComparisonStatus.ONLY_LEFT, 314)
    ]
    assert all(row.left for row in pair.rows), (
        "nothing is said to be new that stood under another heading"
    )


def test_a_single_entry_faces_the_whole_entry_of_the_other_language(champions):
    [pair] = compared(
        [champions["marvel-champions-it-1.7"], champions["marvel-champions-de-online"]]
    ).pairs
    assert {e.heading for e in pair.left} == {"CAPACITÀ", "CAPACITÀ INNESCATA"}
    aligned = {
        (row.left[0].lines.first, row.right[0].lines.first)
        for row in pair.rows
        if row.left and row.right
    }
    assert {(420, 3), (436, 44), (441, 51), (450, 60)} <= aligned
    twice = next(row for row in pair.rows if row.right and row.right[0].lines.first == 51)
    assert [p.lines.first for p in twice.left] == [441, 490], "printed under both headings"
    assert not [row for row in pair.rows if not row.left]


def test_what_differs_between_the_prints_of_an_entry_is_found(champions_in_two_languages):
    comparison = champions_in_two_languages
    [pair] = [
        p
        for p in comparison.pairs
        if any(e.heading == "ANGRIFF (GEGNER-AKTIVIERUNG)" for e in p.left)
    ]
    assert pair.references == (("attacks-against-allies",), ("villainous",))
    by_line = {row.left[0].lines.first: row for row in pair.rows if row.left}
    for line in (147, 148, 164):
        assert by_line[line].status is ComparisonStatus.SAME, line
    assert [p.lines.first for p in by_line[155].left] == [155, 156, 159, 161], (
        "one Italian step is four German bullets"
    )
    assert by_line[166].agreement is Agreement.DIFFERS, "the Italian is on any enemy"
    assert by_line[167].agreement is Agreement.DIFFERS, "the Italian has one of its three bullets"
    assert 251 in [p.lines.first for p in by_line[167].right], "its last bullet is the third German"
    assert any(
        "Ultron" in clause
        for each in by_line[167].differences
        if each.kind is DifferenceKind.CLAUSES
        for clause in each.right
    )
    assert any(
        row.status is not ComparisonStatus.SAME and any(p.lines.first == 276 for p in row.right)
        for row in pair.rows
    )


def test_a_clause_says_what_its_terms_and_conditions_say(champions_in_two_languages):
    rows = (row for pair in champions_in_two_languages.pairs for row in pair.rows)
    costs = next(row for row in rows if any(p.lines.first == 1257 for p in row.left))
    assert {each.kind for each in costs.differences} == {DifferenceKind.CLAUSES}


def test_few_entries_stand_alone_and_not_all_differ(champions_in_two_languages):
    comparison = champions_in_two_languages
    entries = [
        e
        for p in comparison.pairs
        if not p.right
        for e in p.left
        if e.kind in (Kind.TERM, Kind.REDIRECT)
    ]
    assert 15 <= len(entries) <= 21
    assert comparison.counts[ComparisonStatus.SAME] > 90
