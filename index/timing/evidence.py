"""Tells sequences of the game's time from other numbered lists, by words of the language of the rulebook (``sequences`` in its file)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from corpus.languages import any_of, get_language
from corpus.sentences import sentences

_LABELLED = re.compile(r"[^.:!?]{1,40}:\s")
_FEWEST_UNANNOUNCED = 3  # steps of a sequence that only its heading tells


class TimingPatterns:
    """Words of the game's time in a ``language``."""

    def __init__(self, language: str):
        def words(name: str) -> re.Pattern[str]:
            return re.compile(rf"\b{any_of(f'sequences.{name}', language=language)}\b", re.IGNORECASE)

        self.time = words("time")
        self.ordered = words("ordered")
        self.begins = words("begins")
        self.ends = words("ends")
        self.again = words("again")
        self.repeated = words("repeated")
        self.numbered = re.compile(rf"\b{any_of('sequences.step', language=language)}\s+(?P<number>\d{{1,2}})\b", re.IGNORECASE)
        # Outermost first: a phase has steps.
        self.spans = [re.compile(rf"\b{each}\b", re.IGNORECASE) for each in get_language(language).sequences.spans]

    def span(self, heading: str) -> int | None:
        """Return the rank of the stretch of time that ``heading`` names, 0 for the outermost; None where it names none."""
        return next((rank for rank, words in enumerate(self.spans) if words.search(heading)), None)


timing_patterns = cache(TimingPatterns)


def leads_in_order(patterns: TimingPatterns, lead: str) -> bool:
    """Return whether the last sentence of ``lead`` says that what follows happens in order."""
    found = sentences(lead)
    return bool(found) and patterns.ordered.search(lead[slice(*found[-1])]) is not None


def is_timing_list(patterns: TimingPatterns, heading: str, leads: Sequence[str], steps: Sequence[str]) -> bool:
    """Return whether numbered ``steps`` under ``heading`` are a sequence of time.

    ``leads`` are the texts before them, the nearest first. Without one that announces an order, the heading has to name a stretch of time,
    and the list has to be one of sentences.
    """
    if any(leads_in_order(patterns, lead) for lead in leads):
        return True
    if len(steps) < _FEWEST_UNANNOUNCED or not any(leads):
        return False
    return not are_labelled(steps) and patterns.time.search(heading) is not None


def are_labelled(items: Sequence[str]) -> bool:
    """Return whether most of ``items`` begin with a name and a colon, as the parts of a card do ("Cost: what …") or cases."""
    return 2 * sum(_LABELLED.match(item) is not None for item in items) > len(items)


def again_at(patterns: TimingPatterns, steps: Sequence[tuple[str, str]]) -> int | None:
    """Return the place of the step that the last of ``steps`` (number, words) says to go on with; None where it does not.

    Going on has to be said with the number of the step, or as "repeat these steps".
    """
    last = steps[-1][1]
    if patterns.repeated.search(last):
        return 0
    if not patterns.again.search(last) or (found := patterns.numbered.search(last)) is None:
        return None
    return next((place for place, (number, _) in enumerate(steps[:-1]) if number == found["number"]), None)
