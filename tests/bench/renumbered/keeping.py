"""Which phrasings a revised rulebook keeps: those tied to what became of their passage, those tied to nothing, those tied to another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corpus.editions import identify
from corpus.letter_runs import letters
from corpus.model import Passage, Role, Rulebook
from corpus.read import read
from glossary.phrasings import attach_phrasings, fingerprint, load_with_sister_editions
from tests.bench.renumbered.revision import Changes, RevisedText, revised

MOSTLY = 0.5  # of an old or of a new passage that both have in common: the new one should have the phrasings of the old one
PARTLY = 0.15  # the same: it may have them

_Shares = Mapping[tuple[int, int], float]  # of an old and a new passage in common, the larger of both shares, by their positions


@dataclass(frozen=True)
class Kept:
    """How many texts of phrasings should have a passage after a revision, how many of these have none, and ties, of these wrong ones."""

    old: str
    new: str
    texts: int
    lost: int
    ties: int
    wrong: int

    @property
    def lost_share(self) -> float:
        """Of the texts."""
        return self.lost / max(self.texts, 1)

    @property
    def wrong_share(self) -> float:
        """Of the ties."""
        return self.wrong / max(self.ties, 1)


def keep(book: Rulebook, changes: Changes, seed: int) -> Kept:
    """What is kept of the phrasings of ``book`` with ``changes``."""
    return count(revised(book, changes, seed))


def count(copy: RevisedText) -> Kept:
    """What is kept in ``copy``, read as any new file is."""
    document = copy.document
    new = read(document, identify(document))
    known = {each.fingerprint: each for each in load_with_sister_editions(new.edition)}
    ours, theirs = ([p for p in book.passages if p.role is Role.TEXT] for book in (copy.old, new))
    shares = _shares(copy, ours, theirs)
    same: dict[str, set[str]] = defaultdict(set)  # fingerprints by the letters of a passage: what is printed twice is one
    for passage in ours:
        same[_letters(passage)].add(fingerprint(passage.text))
    due, allowed = set(), set()
    for (old, at), share in shares.items():
        mark = fingerprint(ours[old].text)
        if mark in known and share >= PARTLY:
            allowed |= {(each, theirs[at].id) for each in same[_letters(ours[old])]}
            due |= {mark} if share >= MOSTLY else set()
    found = {(tie.phrasings.fingerprint, id) for id, ties in attach_phrasings(known.values(), new.passages).ties.items() for tie in ties}
    right = {mark for mark, _ in found & allowed}
    texts = {mark: sum(1 for _ in known[mark].all(new.edition.language)) for mark in due}
    lost = sum(count for mark, count in texts.items() if mark not in right)
    wrong = sum(1 for mark, _ in found - allowed if any(True for _ in known[mark].all(new.edition.language)))
    return Kept(copy.old.edition.id, new.edition.id, sum(texts.values()), lost, len(found), wrong)


def _letters(passage: Passage) -> str:
    return "".join(c for c in letters(passage.text) if not c.isdecimal())


def _shares(copy: RevisedText, ours: Sequence[Passage], theirs: Sequence[Passage]) -> _Shares:
    """How much of their letters old and new passages have in common, by where these are from."""
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
        origins = np.concatenate([copy.origins[start:end][printed[start:end]] for start, end in passage.spans])
        owners: NDArray[np.int32] = owner[origins[origins >= 0]]
        for n, common in zip(*np.unique(owners[owners >= 0], return_counts=True), strict=True):
            found[int(n), at] = float(common / max(min(len(origins), sizes[n]), 1))
    return found
