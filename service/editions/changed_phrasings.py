"""Phrasings whose passage was reworded: the old text and the new side by side, what changed in substance first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from corpus.model import Edition, Passage, Role, Rulebook
from glossary.comparison.rewording import TextRun, diff_words
from glossary.comparison.substance import SubstanceChange, substance_changes
from glossary.phrasings import attach_phrasings, fingerprint, load_with_sister_editions
from glossary.phrasings.model import PassageTie, TieEvidence
from glossary.phrasings.wording import content

_REWORDED = (TieEvidence.SKETCH, TieEvidence.PLACE)
_SHOWN = 3  # phrasings on a terminal


@dataclass(frozen=True)
class ChangedPhrasings:
    """Phrasings tied to a ``passage`` that is not worded as the one they were written for.

    ``old`` is the text of that for readers, None where no document here has it: then only a fingerprint and a sketch are known of it, and
    nobody can say what changed in substance.
    """

    edition: Edition
    passage: Passage
    tie: PassageTie
    old: str | None

    @property
    def changes(self) -> tuple[SubstanceChange, ...]:
        """What changed in substance, as far as the old text is known."""
        return () if self.old is None else substance_changes(self.old, self.passage.display, self.edition.language)


def changed_phrasings(rulebooks: Iterable[Rulebook], others: Sequence[Rulebook]) -> list[ChangedPhrasings]:
    """The phrasings of ``rulebooks`` to look at: those whose passage changed in substance, then those tied by their place alone or
    without the old text, then those only reworded; each in document order.

    Old texts are looked for in ``others``, which may hold the rulebooks themselves. A passage divided or joined with its words unchanged
    is nothing to look at.
    """
    found = [each for rulebook in rulebooks for each in _changed(rulebook, others)]
    return sorted(found, key=lambda each: 0 if each.changes else 1 if each.old is None or each.tie.evidence is TieEvidence.PLACE else 2)


def _changed(rulebook: Rulebook, others: Sequence[Rulebook]) -> Iterator[ChangedPhrasings]:
    edition = rulebook.edition
    here = [other for other in others if (other.edition.game, other.edition.language) == (edition.game, edition.language)]
    old = {fingerprint(p.text): p.display for other in here for p in other.passages if p.role is Role.TEXT}
    by_id = {passage.id: passage for passage in rulebook.passages}
    tied = attach_phrasings(load_with_sister_editions(edition), rulebook.passages).ties
    places = Counter(tie.phrasings.fingerprint for ties in tied.values() for tie in ties)
    for id, ties in tied.items():
        for tie in ties:
            mark = tie.phrasings.fingerprint
            if tie.evidence in _REWORDED and not _same_words(old.get(mark), by_id[id].display, len(ties) > 1, places[mark] > 1):
                yield ChangedPhrasings(edition, by_id[id], tie, old.get(mark))


def _same_words(old: str | None, new: str, joined: bool, divided: bool) -> bool:
    """Whether the ``new`` passage has the words of the ``old`` one: where it is ``joined`` others too, where that is ``divided`` only some."""
    if old is None:
        return False
    before, now = (" ".join(text.split()) for text in (old, new))
    return content(old) == content(new) or (joined and before in now) or (divided and now in before)


def changed_json(each: ChangedPhrasings) -> dict[str, Any]:
    """Return it with both texts and all phrasings."""
    phrasings = each.tie.phrasings
    return {
        "fingerprint": phrasings.fingerprint,
        "at": phrasings.at,
        "edition": each.edition.id,
        "passage": each.passage.id,
        "lines": list(each.passage.lines),
        "evidence": each.tie.evidence.value,
        "share": each.tie.share,
        "changes": [kind.value for kind in each.changes],
        "old": each.old,
        "new": each.passage.display,
        "new_fingerprint": fingerprint(each.passage.text),
        "phrasings": [{"text": text, "language": language} for text, language in phrasings.all(each.edition.language)],
    }


def changed_text(each: ChangedPhrasings) -> str:
    """Return it for a terminal: where, what changed, the old text above the new one with changed words in brackets, some phrasings."""
    phrasings = each.tie.phrasings
    if each.old is None:
        what = "the old text is not here"
        texts = [("new", each.passage.display)]
    else:
        what = ", ".join(kind.value for kind in each.changes) or "reworded"
        texts = list(zip(("old", "new"), map(_bracketed, diff_words(each.old, each.passage.display)), strict=True))
    if each.tie.evidence is TieEvidence.PLACE:
        what += "; tied by its place alone"
    lines = [f'"{phrasings.fingerprint}"  {each.passage.lines.first:>6}  {each.passage.id} (was {phrasings.at}): {what}']
    lines += [f"    {name}  {' '.join(text.split())}" for name, text in texts]
    said = [text for text, _ in phrasings.all(each.edition.language)]
    lines += [f"         ? {text}" for text in said[:_SHOWN]]
    return "\n".join(lines + ([f"         … and {len(said) - _SHOWN} more"] if len(said) > _SHOWN else []))


def _bracketed(runs: Sequence[TextRun]) -> str:
    return "".join(f"[{run.text}]" if run.changed else run.text for run in runs)
