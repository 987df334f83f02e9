"""Phrasings of a passage as they are loaded and tied."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from corpus.model import Passage


class Phrasing(NamedTuple):
    """One phrasing and its language."""

    text: str
    language: str


@dataclass(frozen=True, slots=True)
class PassagePhrasings:
    """The phrasings of one passage.

    ``players`` are short questions and ``situations`` longer stories, in the rulebook's language; ``gist`` says in one
    English sentence what the passage settles, ``situations_en`` are stories in English. ``at`` says where the passage stood, and by the
    ``sketch`` of its letters (`corpus.letter_runs`) it is found where another extraction divides the text otherwise.
    """

    fingerprint: str
    at: str
    players: tuple[str, ...]
    situations: tuple[str, ...]
    gist: str
    situations_en: tuple[str, ...]
    sketch: tuple[int, ...] = ()

    def all(self, language: str) -> Iterator[Phrasing]:
        """Every phrasing with its language; ``language`` is that of the rulebook."""
        yield from (Phrasing(text, language) for text in (*self.players, *self.situations))
        yield from (Phrasing(text, "en") for text in (self.gist, *self.situations_en) if text)

    def added(self, other: PassagePhrasings) -> PassagePhrasings:
        """What this and the ``other`` say for the same passage, each text once."""

        def both(texts: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(dict.fromkeys((*texts, *more)))

        return replace(
            self,
            players=both(self.players, other.players),
            situations=both(self.situations, other.situations),
            gist=self.gist or other.gist,
            situations_en=both(self.situations_en, other.situations_en),
        )


@dataclass(frozen=True)
class AttachedPhrasings:
    """Phrasings found for passages (by passage id), passages that have none, and phrasings whose passage is gone."""

    by_passage: Mapping[str, PassagePhrasings]
    missing: tuple[Passage, ...]
    orphaned: tuple[PassagePhrasings, ...]


def fingerprint(text: str) -> str:
    """Twelve hexadecimal digits that stay the same as long as the words of a passage do, however it is broken into lines."""
    return hashlib.sha256(" ".join(re.findall(r"\w+", text.casefold())).encode()).hexdigest()[:12]
