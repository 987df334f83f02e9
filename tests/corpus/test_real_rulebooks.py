"""What is read of the real rulebooks, without their sentences: numbers and hashes of entries and
passages. `python -m tests.bench.unchanged` shows what a change has changed.
"""

import hashlib
from collections import Counter

import pytest

from corpus.model import Rulebook

ENTRIES: dict[str, tuple[dict[str, int], str, str]] = {
    "marvel-champions-de-1.5": (
        {"section": 61, "term": 196, "redirect": 42, "ruling": 76, "erratum": 32},
        "bca9c6f25cab67db",
        "c0c08c4c44111eeb",
    ),
    "lorcana-de-2.1.0": (
        {"section": 83, "rule": 476, "term": 104},
        "4069dada6aa94f1b",
        "1e1521e0462fd760",
    ),
    "marvel-champions-it-1.7": (
        {"section": 12, "term": 208, "redirect": 34, "ruling": 103, "erratum": 73, "subsection": 8},
        "741b4448cfd49168",
        "bf1e4af403481d6a",
    ),
    "behind-de-4.15c": (
        {"section": 1, "term": 65, "subsection": 215, "erratum": 8},
        "13f5cba3623e06f5",
        "70e32d54d99faa53",
    ),
    "marvel-champions-de-online": (
        {"term": 1, "subsection": 3},
        "550b68a6d3b7c626",
        "f735e12ac00e2471",
    ),
}
"""Of each edition: its entries by kind, and hashes of entries and of passages."""


def digest(rows):
    return hashlib.sha256("\n".join(map(repr, rows)).encode()).hexdigest()[:16]


@pytest.fixture(params=ENTRIES)
def book(request, real) -> Rulebook:
    found = [each for each in real.rulebooks if each.edition.id == request.param]
    return found[0] if found else pytest.skip("this rulebook is not here")


def test_entries_stand_where_they_are_printed(book):
    rows = [
        (e.kind.value, e.heading, e.title, e.card, e.number, e.product, tuple(e.lines), e.parent)
        for e in book.entries
    ]
    counts = Counter(entry.kind.value for entry in book.entries)
    assert (dict(counts), digest(rows)) == ENTRIES[book.edition.id][:2]


def test_passages_are_whole_and_their_numbers_restored(book):
    rows = [(p.entry, p.role.value, p.depth, tuple(p.lines), p.display) for p in book.passages]
    assert digest(rows) == ENTRIES[book.edition.id][2]


def test_nothing_is_lost_and_every_correction_fits(book):
    assert book.strays == ()
    assert book.unfit == ()
