"""References between entries, as printed and as meant, and the view of a rulebook that most of the
package uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from corpus.model import Edition, Entry, Passage, Span


class ReferenceKind(StrEnum):
    """How a reference is printed."""

    SEE_ALSO = "see-also"
    SEE = "see"
    INLINE = "inline"
    CONTENTS = "contents"
    RANGE = "range"


class ReferenceProblem(StrEnum):
    """What is wrong with a printed reference."""

    MISSING = "missing"  # nothing in the rulebook has that name or number
    WRONG_NUMBER = "wrong-number"
    TITLE_DIFFERS = "title-differs"
    AMBIGUOUS = "ambiguous"
    OUTSIDE = "outside"  # leads out of this document


@dataclass(frozen=True, slots=True)
class Reference:
    """A place where ``entry`` refers to another entry.

    ``raw`` is the reference as printed, without punctuation around it; ``span`` is its place.
    ``target`` is the entry to lead a reader to, or None. If the print is wrong, ``problem`` names
    the fault, and ``target`` and ``meant`` are what is meant.
    """

    entry: str
    line: int
    raw: str
    span: Span
    kind: ReferenceKind
    target: str | None
    problem: ReferenceProblem | None = None
    meant: str | None = None


class RulebookView(Protocol):
    """The parts of a rulebook that comparisons and alignments need; implemented by
    `corpus.model.Rulebook` and by a rulebook read from an index.
    """

    @property
    def edition(self) -> Edition:
        """The edition."""

    @property
    def entries(self) -> Sequence[Entry]:
        """The entries, in document order."""

    @property
    def passages(self) -> Sequence[Passage]:
        """The passages, in document order."""
