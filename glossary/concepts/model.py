"""What a concept is, and what is tied to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from corpus.titles import key


@dataclass(frozen=True)
class Concept:
    """One term of a game.

    ``names`` are its official names by language, the first of them as a heading prints it, the
    others inflected or alternative; ``slang`` is what players call it. ``ordinary`` says that its
    names are everyday words ("dann", "poi"): in a question they mean the term only where the
    question says so. ``entries`` are the headings of its entries by edition. ``proposed`` says of
    editions whose entry a program has found, and nobody confirmed, how sure it was, from 0 to 1.
    ``drafted`` names the model that proposed names, abbreviations or slang, and when. ``side`` is
    whom it belongs to where a game has two: ``"players"`` or ``"opponents"``; empty for all else.
    """

    id: str
    game: str
    names: Mapping[str, tuple[str, ...]]
    abbreviations: Mapping[str, tuple[str, ...]]
    slang: Mapping[str, tuple[str, ...]]
    symbols: tuple[str, ...]
    ordinary: bool
    entries: Mapping[str, tuple[str, ...]]
    proposed: Mapping[str, float] = field(default_factory=dict)
    drafted: str = ""
    side: str = ""

    def name(self, language: str) -> str | None:
        """The official name in ``language``, None where the game has none."""
        return next(iter(self.names.get(language, ())), None)


class UnmatchedHeading(NamedTuple):
    """A heading that the data file gives for a concept, and that no entry of the edition has."""

    concept: str
    edition: str
    heading: str


@dataclass(frozen=True)
class ConceptTies:
    """Concept ids by entry id, and the headings in the data file that no entry has.

    ``inferred`` are the entries tied by their text alone: nobody has confirmed their heading.
    """

    by_entry: Mapping[str, str]
    unmatched: tuple[UnmatchedHeading, ...]
    inferred: frozenset[str] = frozenset()


def heading_key(heading: str) -> str:
    """What headings are compared by: their words, or the heading itself where it has none."""
    return key(heading) or heading
