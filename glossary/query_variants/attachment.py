"""Phrasings tied to the passages of a rulebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from corpus.model import Passage, Role
from glossary.query_variants.model import (
    AlignmentEvidence,
    AttachedVariants,
    PassageAlignment,
    PassageVariants,
    fingerprint,
)
from glossary.query_variants.relocation import VariantRelocator


def attach_query_variants(
    phrasings: Iterable[PassageVariants], passages: Iterable[Passage]
) -> AttachedVariants:
    """Tie ``phrasings`` to ``passages`` by fingerprint; a sentence printed twice shares its
    phrasings.

    Those left over are tied to what their passages may have become among the passages left over
    (`VariantRelocator`). Both are in document order.
    """
    known = {p.fingerprint: p for p in phrasings}
    texts = [passage for passage in passages if passage.role is Role.TEXT]
    tied: dict[int, list[PassageAlignment]] = {}
    for at, passage in enumerate(texts):
        if own := known.get(fingerprint(passage.text)):
            tied[at] = [PassageAlignment(own, AlignmentEvidence.WORDS, 1.0)]
    VariantRelocator(tuple(known.values()), texts, tied).relocate()
    return _attached(tuple(known.values()), texts, tied)


def _attached(
    phrasings: Sequence[PassageVariants],
    passages: Sequence[Passage],
    tied: Mapping[int, Sequence[PassageAlignment]],
) -> AttachedVariants:
    found: dict[str, PassageVariants] = {}
    for at in sorted(tied):
        for tie in tied[at]:
            id = passages[at].id
            found[id] = found[id].added(tie.phrasings) if id in found else tie.phrasings
    used = {tie.phrasings.fingerprint for ties in tied.values() for tie in ties}
    return AttachedVariants(
        found,
        tuple(passage for at, passage in enumerate(passages) if at not in tied),
        tuple(each for each in phrasings if each.fingerprint not in used),
        {passages[at].id: tuple(ties) for at, ties in tied.items()},
    )
