"""How much of what is known of an edition is attached to a printed form of it."""

from __future__ import annotations

from typing import NamedTuple

from corpus.model import Rulebook
from glossary.concepts import load_concepts, tie_entries
from glossary.phrasings import attach_phrasings, load_phrasings


class AttachedShares(NamedTuple):
    """Shares from 0.0 to 1.0 of the phrasings, the headings of concepts and the corrections of an edition that have found their place."""

    phrasings: float
    concepts: float
    facts: float


def attached(text: Rulebook, found: Rulebook) -> AttachedShares:
    """What is attached to ``found`` of all that the edition of the ``text`` has; nothing where it was taken for another edition."""
    edition = text.edition
    known = load_phrasings(edition.id)
    concepts = load_concepts(edition.game)
    headings = sum(len(concept.entries.get(edition.id, ())) for concept in concepts)
    if found.edition.id != edition.id:
        return AttachedShares(0.0, 0.0, 0.0)
    orphaned = len(attach_phrasings(known, found.passages).orphaned)
    return AttachedShares(
        1 - orphaned / max(len(known), 1),
        1 - len(tie_entries(concepts, [found]).unmatched) / max(headings, 1),
        1 - len(found.unfit) / max(len(edition.corrections), 1),
    )
