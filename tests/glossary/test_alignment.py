from pathlib import Path

import pytest
from pydantic import TypeAdapter

from corpus import data_files
from corpus.model import Rulebook
from glossary.comparison import compare_editions
from glossary.comparison.passage_similarity import (
    align_passages,
    gather_phrasings,
)
from glossary.concepts import load_concepts, tie_entries
from glossary.matching.printed_ties import tie_cards
from glossary.query_variants import fingerprint, load_with_sister_editions

ALIGNED = Path(__file__).parent / "alignment"


@pytest.fixture(scope="module")
def pegelwacht(sample) -> dict[str, Rulebook]:
    return {r.edition.id: r for r in sample.rulebooks if r.edition.game == "pegelwacht"}


@pytest.fixture(scope="module")
def tied(pegelwacht) -> dict[str, str]:
    rulebooks = list(pegelwacht.values())
    return {**tie_cards(rulebooks), **tie_entries(load_concepts("pegelwacht"), rulebooks).by_entry}


def between(pegelwacht, tied, left, right):
    return align_passages([pegelwacht[left], pegelwacht[right]], tied, load_concepts("pegelwacht"))


def test_unchanged_passages_of_two_versions_are_counterparts(pegelwacht, tied):
    pairs = between(pegelwacht, tied, "pegelwacht-de-1.0", "pegelwacht-de-1.1")
    text = {p.id: fingerprint(p.text) for r in pegelwacht.values() for p in r.passages}
    right = {text[pair.right]: pair for pair in pairs}
    unchanged = [p for p in pairs if text[p.left] in right]
    assert len(unchanged) > 50
    assert sum(text[p.left] == text[p.right] for p in unchanged) / len(unchanged) >= 0.97


def test_each_passage_has_at_most_one_counterpart_in_an_edition(pegelwacht, tied):
    pairs = between(pegelwacht, tied, "pegelwacht-de-1.1", "pegelwacht-it-1.1")
    assert len(pairs) > 100
    entries = {(p.left.partition("#")[0], p.right.partition("#")[0]) for p in pairs}
    for one, other in entries:
        inside = [
            p for p in pairs if p.left.startswith(f"{one}#") and p.right.startswith(f"{other}#")
        ]
        assert len({p.left for p in inside}) == len({p.right for p in inside}) == len(inside)


def test_counterparts_stand_in_tied_entries_or_are_about_the_same_card(pegelwacht, tied):
    entry = {e.id: e for r in pegelwacht.values() for e in r.entries}
    for pair in between(pegelwacht, tied, "pegelwacht-de-1.1", "pegelwacht-it-1.1"):
        left, right = entry[pair.left.partition("#")[0]], entry[pair.right.partition("#")[0]]
        if left.card:
            assert (left.kind, left.number) == (right.kind, right.number)
        else:
            assert tied[left.id] == tied[right.id]


def test_what_players_ask_of_a_rule_is_asked_of_its_print_in_the_other_language(pegelwacht, tied):
    shared = gather_phrasings(list(pegelwacht.values()), tied)
    alone = gather_phrasings([pegelwacht["pegelwacht-it-1.1"]], tied)
    italian = {
        id: set(found) - set(alone.get(id, ()))
        for id, found in shared.items()
        if id.startswith("pegelwacht-it-1.1/")
    }
    assert len([id for id, gained in italian.items() if gained]) > 100
    assert {p.language for gained in italian.values() for p in gained} == {"de", "en"}


def test_a_version_without_a_file_keeps_the_phrasings_of_what_did_not_change(pegelwacht):
    older = pegelwacht["pegelwacht-de-1.0"]
    known = {p.fingerprint for p in load_with_sister_editions(older.edition)}
    there = [p for p in older.passages if fingerprint(p.text) in known]
    assert len(there) > 50


def test_passages_of_the_german_and_the_italian_print_are_aligned_as_a_reader_would(real):
    """Held against 70 entries aligned by reading, by the first lines of their passages."""
    rulebooks = [r for r in real.rulebooks if r.edition.game == "marvel-champions"]
    known = load_concepts("marvel-champions")
    tied = {**tie_cards(rulebooks), **tie_entries(known, rulebooks).by_entry}
    edition = {r.edition.id: r for r in rulebooks}
    left, right = edition["marvel-champions-de-1.5"], edition["marvel-champions-it-1.7"]
    compared = compare_editions(left, right, tied, {}, known)
    schema = TypeAdapter(dict[str, list[tuple[int, int]]])
    truth = {
        c: set(pairs)
        for name in ("one", "two")
        for c, pairs in data_files.load(ALIGNED / f"{name}.yaml", schema).items()
    }
    assert len(truth) >= 60
    found = {
        pair.concept: {
            (a.lines.first, b.lines.first) for row in pair.rows for a in row.left for b in row.right
        }
        for pair in compared.pairs
        if pair.concept in truth
    }
    both = sum(len(found.get(c, set()) & pairs) for c, pairs in truth.items())
    assert 2 * both / (sum(map(len, found.values())) + sum(map(len, truth.values()))) >= 0.93
