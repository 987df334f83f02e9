"""Phrasings whose passage was reworded, those first whose rule may have changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from corpus.model import Edition, Passage, Role
from glossary.comparison.substance import SubstanceChange, substance_changes
from glossary.model import RulebookView
from glossary.phrasings import attach_phrasings, fingerprint, load_with_sister_editions
from glossary.phrasings.model import PassageTie, TieEvidence
from glossary.phrasings.wording import content

_REWORDED = (TieEvidence.SKETCH, TieEvidence.PLACE)


@dataclass(frozen=True)
class ChangedPhrasings:
    """Phrasings tied to a ``passage`` that is not worded as the one they were written for.

    ``old`` is that, None where no document here has it: then only a fingerprint and a sketch are known of it, and nobody can say what
    changed in substance.
    """

    edition: Edition
    passage: Passage
    tie: PassageTie
    old: Passage | None

    @property
    def changes(self) -> tuple[SubstanceChange, ...]:
        """What changed in substance, as far as the old text is known."""
        return () if self.old is None else substance_changes(self.old.display, self.passage.display, self.edition.language)


def changed_phrasings(rulebooks: Iterable[RulebookView], others: Sequence[RulebookView]) -> list[ChangedPhrasings]:
    """The phrasings of ``rulebooks`` to look at: those whose passage changed in substance, then those tied by their place alone or
    without the old text, then those only reworded; each in document order.

    Old texts are looked for in ``others``, which may hold the rulebooks themselves. A passage divided or joined with its words unchanged
    is nothing to look at.
    """
    found = [each for rulebook in rulebooks for each in _changed(rulebook, others)]
    return sorted(found, key=lambda each: 0 if each.changes else 1 if each.old is None or each.tie.evidence is TieEvidence.PLACE else 2)


def _changed(rulebook: RulebookView, others: Sequence[RulebookView]) -> Iterator[ChangedPhrasings]:
    edition = rulebook.edition
    here = [other for other in others if (other.edition.game, other.edition.language) == (edition.game, edition.language)]
    old = {fingerprint(p.text): p for other in here for p in other.passages if p.role is Role.TEXT}
    by_id = {passage.id: passage for passage in rulebook.passages}
    tied = attach_phrasings(load_with_sister_editions(edition), rulebook.passages).ties
    places = Counter(tie.phrasings.fingerprint for ties in tied.values() for tie in ties)
    for id, ties in tied.items():
        for tie in ties:
            mark = tie.phrasings.fingerprint
            if tie.evidence in _REWORDED and not _same_words(old.get(mark), by_id[id].display, len(ties) > 1, places[mark] > 1):
                yield ChangedPhrasings(edition, by_id[id], tie, old.get(mark))


def _same_words(old: Passage | None, new: str, joined: bool, divided: bool) -> bool:
    """Whether the ``new`` passage has the words of the ``old`` one, others too where it is ``joined``, some where that is ``divided``."""
    if old is None:
        return False
    before, now = (" ".join(text.split()) for text in (old.display, new))
    return content(old.text) == content(new) or (joined and before in now) or (divided and now in before)
