from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from corpus import letter_runs
from corpus.editions import identify
from corpus.model import Kind, Role
from corpus.read import read
from glossary.concepts import load_concepts, tie_entries
from glossary.query_variants import (
    PassageVariants,
    attach_query_variants,
    fingerprint,
    load_with_sister_editions,
)
from glossary.query_variants.wording import content, wording
from tests.conftest import rulebook_of, seeds
from tests.revised import MORE, Changes, revised

SEEDS = seeds(3)
# Of an old or of a new passage that both have in common: the new one should have the phrasings of
# the old one
MOSTLY = 0.5
PARTLY = 0.15  # the same: it may have them


@dataclass(frozen=True)
class Kept:
    """How many texts of phrasings should have a passage in edition ``new``, how many of these have
    none, and ties, of these wrong ones.
    """

    new: str
    texts: int
    lost: int
    ties: int
    wrong: int

    @property
    def lost_share(self):
        return self.lost / max(self.texts, 1)

    @property
    def wrong_share(self):
        return self.wrong / max(self.ties, 1)


def kept(copy, phrasings=None):
    """Return how much of ``phrasings`` (default: all that are written for it) still fits ``copy``,
    read like a new file.
    """
    document = copy.document
    new = read(document, identify(document))
    known = {each.fingerprint: each for each in phrasings or load_with_sister_editions(new.edition)}
    ours, theirs = ([p for p in book.passages if p.role is Role.TEXT] for book in (copy.old, new))
    same: dict[str, set[str]] = defaultdict(
        set
    )  # fingerprints by the letters of a passage: what is printed twice is one
    for passage in ours:
        same[letters(passage)].add(fingerprint(passage.text))
    due, allowed = set(), set()
    for (old, at), share in shares(copy, ours, theirs).items():
        mark = fingerprint(ours[old].text)
        if mark in known and share >= PARTLY:
            allowed |= {(each, theirs[at].id) for each in same[letters(ours[old])]}
            due |= {mark} if share >= MOSTLY else set()
    found = {
        (tie.variants.fingerprint, id)
        for id, ties in attach_query_variants(known.values(), new.passages).alignments.items()
        for tie in ties
    }
    right = {mark for mark, _ in found & allowed}
    texts = {mark: len(list(known[mark].all(new.edition.language))) for mark in known}
    lost = sum(texts[mark] for mark in due - right)
    wrong = sum(bool(texts[mark]) for mark, _ in found - allowed)
    return Kept(new.edition.id, sum(texts[mark] for mark in due), lost, len(found), wrong)


def letters(passage):
    return "".join(c for c in letter_runs.letters(passage.text) if not c.isdecimal())


def shares(copy, ours, theirs):
    """How much of an old and a new passage, by their positions, is common to both, of the one where
    that is more.
    """
    owner = np.full(len(copy.old.document.text), -1, dtype=np.int32)
    sizes = np.zeros(len(ours))
    solid = np.array([c.isalnum() for c in copy.old.document.text])
    for n, passage in enumerate(ours):
        for start, end in passage.spans:
            owner[start:end] = n
            sizes[n] += solid[start:end].sum()
    printed = np.array([c.isalnum() for c in copy.text])
    found = {}
    for at, passage in enumerate(theirs):
        origins = np.concatenate(
            [copy.origins[start:end][printed[start:end]] for start, end in passage.spans]
        )
        owners: NDArray[np.int32] = owner[origins[origins >= 0]]
        for n, common in zip(*np.unique(owners[owners >= 0], return_counts=True), strict=True):
            found[int(n), at] = float(common / max(min(len(origins), sizes[n]), 1))
    return found


def made_up(book):
    """Phrasings for every passage of a rulebook that nobody has written any for."""
    texts = {fingerprint(p.text): p for p in book.passages if p.role is Role.TEXT}
    return [
        PassageVariants(
            mark, p.id.partition("/")[2], (f"Frage zu {p.id}",), (), "", (), wording=wording(p.text)
        )
        for mark, p in texts.items()
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_new_version_of_the_glossary_keeps_its_phrasings(sample, seed):
    found = kept(revised(rulebook_of(sample, "pegelwacht-de-1.1"), Changes(), seed))
    assert found.new == "pegelwacht-de-1.2"  # an edition of its own, that nothing was written for
    assert found.texts > 1300
    assert found.lost_share <= 0.02
    assert found.wrong == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_numbered_rules_keep_theirs(sample, seed):
    book = rulebook_of(sample, "pegelduell-de-2.0")
    found = kept(revised(book, Changes(), seed), made_up(book))
    assert found.texts > 200
    assert found.lost_share <= 0.02
    assert found.wrong_share <= 0.005


@pytest.mark.parametrize("seed", SEEDS)
def test_most_stay_where_passages_also_move_and_come_and_go(sample, seed):
    found = kept(revised(rulebook_of(sample, "pegelwacht-de-1.1"), MORE, seed))
    assert found.lost_share <= 0.03
    assert found.wrong_share <= 0.01


def test_every_rule_has_another_number_and_leads_to_its_concept(sample):
    book = rulebook_of(sample, "pegelduell-de-2.0")
    document = revised(book, Changes(version=False), 0).document
    new = read(document, identify(document))
    numbers = [{e.number for e in each.entries if e.number} for each in (book, new)]
    assert len(numbers[0]) == len(numbers[1]) > 200
    sections = [
        {e.heading for e in each.entries if e.number and e.kind is Kind.SECTION}
        for each in (book, new)
    ]
    assert len(sections[0]) > 30
    assert sections[0].isdisjoint(sections[1])
    concepts = load_concepts("pegelduell")
    before, now = (set(tie_entries(concepts, [each]).by_entry.values()) for each in (book, new))
    assert len(before & now) >= 0.95 * len(before)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("4.2.1. Siehe 4.4 und 7.1.2.", "5.3.2. Siehe 5.5 und 8.2.3.", True),
        ("- **3.** Ziehe 2 Karten.", "4. Ziehe 2 Karten.", True),
        ("4. Ziehe 2 Karten.", "4. Ziehe 3 Karten.", False),
    ],
)
def test_numbers_of_rules_do_not_count_and_others_do(one, other, same):
    assert (content(one) == content(other)) is same
