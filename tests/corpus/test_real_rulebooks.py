"""What is read of the real rulebooks, without their sentences: numbers and hashes of entries and
passages. `python -m tests.bench.unchanged` shows what a change has changed.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from statistics import median

import pytest

from corpus.draft import LONGEST
from corpus.model import Role, Rulebook

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


def test_passages_are_short_enough_to_read_out(book):
    lengths = [len(passage.text) for passage in book.passages]
    assert median(lengths) <= 300
    assert max(lengths) <= LONGEST


def test_superseded_wording_is_never_served(book):
    text = [passage.text for passage in book.passages if passage.role is Role.TEXT]
    assert not any("Bisheriger Text:" in each or "versione precedente" in each for each in text)


def test_rules_are_numbered_without_gaps(real):
    book = next(b for b in real.rulebooks if b.edition.layout == "numbered")
    numbers = [tuple(map(int, e.number.split("."))) for e in book.entries if e.number]
    assert numbers == sorted(numbers)
    known = set(numbers)
    assert [n for n in numbers if n[-1] > 1 and (*n[:-1], n[-1] - 1) not in known] == []
    assert [n for n in numbers if len(n) > 1 and n[:-1] not in known] == []


def test_the_printed_index_names_its_pages(real):
    book = next(b for b in real.rulebooks if b.index_items)
    pages = {item.name: item.pages for item in book.index_items}
    assert len(pages) == len(book.index_items) == 259
    assert (pages["Kosten"], pages["Ins Spiel bringen"]) == ((20,), (18, 27))
