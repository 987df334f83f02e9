"""What two corresponding passages differ in: its kind, what only one side has, how sure that is, and the words it was read from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import NamedTuple

from corpus.model import Passage
from corpus.spans import Span


class DifferenceKind(StrEnum):
    """In what two corresponding passages differ."""

    WORDS = "words"
    NUMBERS = "numbers"
    SYMBOLS = "symbols"
    NAMES = "names"
    TERMS = "terms"
    FALSE_FRIENDS = "false-friends"  # a term stands for another one, whose name looks like its own in the other language
    CONDITIONS = "conditions"  # "only", "once", "unless" and the like


class HintEvidence(NamedTuple):
    """The ``words`` that a number, a term or a condition (``value``) was read from, and their place in the display of a passage."""

    value: str
    words: str
    passage: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PassageDifference:
    """What only one side has; for terms and false friends, concept ids; for conditions, what they say, in English ("only", "unless").

    ``doubtful`` says that a reader may well find that the texts say the same. ``evidence`` are the words of either side that
    numbers, terms and conditions were read from.
    """

    kind: DifferenceKind
    left: tuple[str, ...]
    right: tuple[str, ...]
    doubtful: bool = False
    evidence: tuple[tuple[HintEvidence, ...], tuple[HintEvidence, ...]] = ((), ())


def evidence_in(passage: Passage, value: str, span: Span) -> HintEvidence:
    """What stands at ``span`` of the display of ``passage``, as evidence for ``value``."""
    return HintEvidence(value, passage.display[span.start : span.end], passage.id, span.start, span.end)


class JoinedPassages:
    """The displays of passages as one ``text``, one behind the other, each on lines of its own."""

    def __init__(self, passages: Sequence[Passage]):
        self.passages = tuple(passages)
        self.text = "\n".join(p.display for p in passages)
        self._starts = [0, *accumulate(len(p.display) + 1 for p in passages)]

    def evidence(self, value: str, span: Span) -> HintEvidence:
        """What stands at ``span`` of the text, within one passage, as evidence for ``value``."""
        place = max(n for n in range(len(self.passages)) if self._starts[n] <= span.start)
        offset = self._starts[place]
        return evidence_in(self.passages[place], value, Span(span.start - offset, span.end - offset))
