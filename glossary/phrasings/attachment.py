"""Phrasings tied to the passages of a rulebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from corpus.model import Passage, Role
from glossary.phrasings.model import (
    AttachedPhrasings,
    PassagePhrasings,
    PassageTie,
    TieEvidence,
    fingerprint,
)
from glossary.phrasings.relocation import PhrasingRelocator


def attach_phrasings(
    phrasings: Iterable[PassagePhrasings], passages: Iterable[Passage]
) -> AttachedPhrasings:
    """Tie ``phrasings`` to ``passages`` by fingerprint; a sentence printed twice shares its
    phrasings.

    Those left over are tied to what their passages may have become among the passages left over
    (`PhrasingRelocator`). Both are in document order.
    """
    known = {p.fingerprint: p for p in phrasings}
    texts = [passage for passage in passages if passage.role is Role.TEXT]
    tied: dict[int, list[PassageTie]] = {}
    for at, passage in enumerate(texts):
        if own := known.get(fingerprint(passage.text)):
            tied[at] = [PassageTie(own, TieEvidence.WORDS, 1.0)]
    PhrasingRelocator(tuple(known.values()), texts, tied).relocate()
    return _attached(tuple(known.values()), texts, tied)


def _attached(
    phrasings: Sequence[PassagePhrasings],
    passages: Sequence[Passage],
    tied: Mapping[int, Sequence[PassageTie]],
) -> AttachedPhrasings:
    found: dict[str, PassagePhrasings] = {}
    for at in sorted(tied):
        for tie in tied[at]:
            id = passages[at].id
            found[id] = found[id].added(tie.phrasings) if id in found else tie.phrasings
    used = {tie.phrasings.fingerprint for ties in tied.values() for tie in ties}
    return AttachedPhrasings(
        found,
        tuple(passage for at, passage in enumerate(passages) if at not in tied),
        tuple(each for each in phrasings if each.fingerprint not in used),
        {passages[at].id: tuple(ties) for at, ties in tied.items()},
    )
