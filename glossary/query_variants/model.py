"""Phrasings of a passage as they are loaded and tied."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple, TypeVar

from corpus.model import Passage

T = TypeVar("T")


class Wording(NamedTuple):
    """What a passage says whatever the numbers of rules in it (`glossary.query_variants.wording`).

    ``content`` is a fingerprint of its words without these numbers, ``sketch`` has the smallest
    hashes of runs of its letters.
    """

    content: str
    sketch: tuple[int, ...]


class QueryVariant(NamedTuple):
    """One phrasing and its language."""

    text: str
    language: str


@dataclass(frozen=True, slots=True)
class PassageVariants:
    """The phrasings of one passage.

    ``players`` are short questions and ``situations`` longer stories, in the rulebook's language;
    ``gist`` says in one English sentence what the passage settles, ``situations_en`` are stories in
    English, ``others`` are questions and stories in any language. ``at`` says where the passage
    stood; by its ``wording`` it is found where a new version renumbers or rewords it and where
    another extraction divides the text otherwise, in files without that by the ``sketch`` of its
    letters (`corpus.letter_runs`). ``drafted`` names the model that proposed all of it, and when;
    ``review`` has those of them that somebody should look at, each with the reason, and
    ``reviewed`` says that somebody has confirmed the others.
    """

    fingerprint: str
    at: str
    players: tuple[str, ...]
    situations: tuple[str, ...]
    gist: str
    situations_en: tuple[str, ...]
    sketch: tuple[int, ...] = ()
    others: tuple[QueryVariant, ...] = ()
    drafted: str = ""
    review: tuple[tuple[str, str], ...] = ()
    reviewed: bool = False
    wording: Wording | None = None

    def all(self, language: str) -> Iterator[QueryVariant]:
        """Every phrasing with its language; ``language`` is that of the rulebook."""
        yield from (QueryVariant(text, language) for text in (*self.players, *self.situations))
        yield from (QueryVariant(text, "en") for text in (self.gist, *self.situations_en) if text)
        yield from self.others

    def added(self, other: PassageVariants) -> PassageVariants:
        """What this and the ``other`` say for the same passage, each text once."""

        def both(texts: tuple[T, ...], more: tuple[T, ...]) -> tuple[T, ...]:
            return tuple(dict.fromkeys((*texts, *more)))

        return replace(
            self,
            players=both(self.players, other.players),
            situations=both(self.situations, other.situations),
            gist=self.gist or other.gist,
            situations_en=both(self.situations_en, other.situations_en),
            others=both(self.others, other.others),
            drafted=self.drafted or other.drafted,
            review=both(self.review, other.review),
            reviewed=self.reviewed and other.reviewed,
            sketch=self.sketch or other.sketch,
            wording=self.wording or other.wording,
        )


class AlignmentEvidence(StrEnum):
    """By what phrasings are tied to a passage."""

    WORDS = "words"  # the same words
    CONTENT = "content"  # the same but for the numbers of rules
    SKETCH = "sketch"  # a share of the letters
    PLACE = "place"  # between the same neighbours, of about the same length


class PassageAlignment(NamedTuple):
    """``phrasings`` tied to a passage, by what, and which share of their old passage the new one
    has, as far as their sketch tells.
    """

    phrasings: PassageVariants
    evidence: AlignmentEvidence
    share: float


@dataclass(frozen=True)
class AttachedVariants:
    """Phrasings found for passages (by passage id), passages that have none, and phrasings whose
    passage is gone.

    ``ties`` say by passage id what the phrasings found are made up of, and by what each was tied.
    """

    by_passage: Mapping[str, PassageVariants]
    missing: tuple[Passage, ...]
    orphaned: tuple[PassageVariants, ...]
    alignments: Mapping[str, tuple[PassageAlignment, ...]] = field(default_factory=dict)


def fingerprint(text: str) -> str:
    """Twelve hexadecimal digits that stay the same as long as the words of a passage do, however it
    is broken into lines.
    """
    return hashlib.sha256(" ".join(re.findall(r"\w+", text.casefold())).encode()).hexdigest()[:12]
