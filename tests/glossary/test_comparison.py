"""Editions side by side: what only one has, what was renamed, moved or reworded, and what differs between languages."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
import yaml

from corpus import Shelf
from corpus.document import Document
from corpus.editions import identify
from corpus.model import Rulebook
from corpus.read import read
from glossary.comparison import Comparison, Pair, Sort, Status, compare
from glossary.concepts import concepts, tie
from glossary.references import find
from tests.conftest import SAMPLE

TRUTH = Path(__file__).parent / "alignment"


def compared(rulebooks: list[Rulebook]) -> Comparison:
    references = defaultdict(list)
    for rulebook in rulebooks:
        for reference in find(rulebook, rulebooks):
            references[reference.entry].append(reference)
    known = concepts(rulebooks[0].edition.game)
    return compare(rulebooks[0], rulebooks[1], tie(known, rulebooks).by_entry, references, known)


def pair(comparison: Comparison, title: str) -> Pair:
    return next(p for p in comparison.pairs if title in {e.title for e in (*p.left, *p.right)})


@pytest.fixture(scope="module")
def books(sample: Shelf) -> dict[str, Rulebook]:
    return {r.edition.id: r for r in sample.rulebooks}


@pytest.fixture(scope="module")
def versions(books) -> Comparison:
    return compared([books["pegelwacht-de-1.0"], books["pegelwacht-de-1.1"]])


@pytest.fixture(scope="module")
def languages(books) -> Comparison:
    return compared([books["pegelwacht-de-1.1"], books["pegelwacht-it-1.1"]])


def test_every_entry_and_every_passage_stands_in_one_place(versions, books):
    for side, edition in (("left", "pegelwacht-de-1.0"), ("right", "pegelwacht-de-1.1")):
        entries = [e.id for p in versions.pairs for e in getattr(p, side)]
        assert sorted(entries) == sorted(e.id for e in books[edition].entries)
        passages = [x.id for p in versions.pairs for row in p.rows for x in getattr(row, side)]
        assert sorted(passages) == sorted(p.id for p in books[edition].passages if p.role == "text")


def test_the_summary_counts_what_the_list_shows(versions):
    assert sum(versions.counts.values()) == len(versions.pairs)
    assert all(versions.counts[status] for status in Status)


def test_an_edition_beside_itself_is_all_the_same(books):
    same = compared([books["pegelwacht-de-1.1"], books["pegelwacht-de-1.1"]])
    assert {p.status for p in same.pairs} == {Status.SAME}


def test_entries_that_only_one_version_has(versions):
    assert pair(versions, "Gezeitenwürfel").status is Status.ONLY_LEFT
    assert pair(versions, "Erinnerungstext").status is Status.ONLY_RIGHT


def test_a_renamed_entry_is_the_same_under_its_new_heading(versions):
    renamed = pair(versions, "Aus dem Spiel entfernt")
    assert [e.title for e in renamed.right] == ["Aus dem Spiel Genommen"]
    assert renamed.renamed


def test_words_that_changed_between_versions_are_named(versions):
    changed = [d for p in versions.pairs for row in p.rows for d in row.differences]
    assert changed
    assert {d.sort for d in changed} == {Sort.WORDS}
    handlimit = next(row for row in pair(versions, "Handlimit").rows if row.differences)
    assert any("fünf" in words for words in handlimit.differences[0].left)
    assert not any("fünf" in words for words in handlimit.differences[0].right)


def test_a_bullet_that_was_added_has_no_counterpart(versions):
    rows = pair(versions, "Aktivierung").rows
    assert [row.status for row in rows].count(Status.ONLY_RIGHT) == 1


def test_between_languages_words_are_not_compared_but_what_they_share_is(languages):
    sorts = {d.sort for p in languages.pairs for row in p.rows for d in row.differences}
    assert Sort.WORDS not in sorts
    assert Sort.NUMBERS in sorts


@pytest.fixture
def altered():
    """Pegelwacht 1.1 with a change, beside itself."""

    def made(*changes: tuple[str, str]) -> Comparison:
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
    changed = [p for p in comparison.pairs if p.status is not Status.SAME]
    (row,) = [row for p in changed for row in p.rows if row.differences]
    assert (row.differences[0].left, row.differences[0].right) == (("fünf",), ("sechs",))
    assert len(changed) == 1


def test_passages_are_aligned_as_a_reader_would(real):
    books = {r.edition.id: r for r in real.rulebooks}
    comparison = compared([books["marvel-champions-de-1.5"], books["marvel-champions-it-1.7"]])
    truth = {concept: {tuple(p) for p in pairs} for file in ("one", "two") for concept, pairs in _kept(file).items()}
    assert len(truth) >= 60
    right = wrong = missed = 0
    for found in comparison.pairs:
        if found.concept in truth:
            made = {(a.lines.first, b.lines.first) for row in found.rows for a in row.left for b in row.right}
            right += len(made & truth[found.concept])
            wrong += len(made - truth[found.concept])
            missed += len(truth[found.concept] - made)
    assert 2 * right / (2 * right + wrong + missed) >= 0.9


def _kept(file: str) -> dict[str, list[list[int]]]:
    return yaml.safe_load((TRUTH / f"{file}.yaml").read_text(encoding="utf-8"))
