"""Query variants of a passage, and how they are aligned with the passages of a rulebook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple, TypeVar

from corpus.model import Passage
from glossary.query_variants.wording import Wording

T = TypeVar("T")


class QueryVariant(NamedTuple):
    """One text that somebody may type, and its language."""

    text: str
    language: str


@dataclass(frozen=True, slots=True)
class PassageVariants:
    """The query variants of one passage, identified by the ``fingerprint`` of its words.

    Attributes:
        players: Short questions in the rulebook's language.
        situations: Longer stories in the rulebook's language.
        gist: What the passage settles, in one English sentence.
        situations_en: Stories in English.
        others: Texts in any language.
        at: Where the passage was.
        wording: Finds the passage if a new version renumbers or rewords it, or another extraction
            splits it differently.
        drafted: The model that proposed all of it, and when.
        review: The texts that somebody should check, each with the reason.
        reviewed: Whether the other texts are confirmed.
    """

    fingerprint: str
    at: str
    players: tuple[str, ...]
    situations: tuple[str, ...]
    gist: str
    situations_en: tuple[str, ...]
    others: tuple[QueryVariant, ...] = ()
    drafted: str = ""
    review: tuple[tuple[str, str], ...] = ()
    reviewed: bool = False
    wording: Wording | None = None

    def all(self, language: str) -> Iterator[QueryVariant]:
        """Yield every text with its language; ``language`` is that of the rulebook."""
        yield from (QueryVariant(text, language) for text in (*self.players, *self.situations))
        yield from (QueryVariant(text, "en") for text in (self.gist, *self.situations_en) if text)
        yield from self.others

    def added(self, other: PassageVariants) -> PassageVariants:
        """Return these variants with those of ``other`` for the same passage, each text once."""

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
            wording=self.wording or other.wording,
        )


class AlignmentEvidence(StrEnum):
    """Why query variants are aligned with a passage."""

    WORDS = "words"  # the same words
    CONTENT = "content"  # the same words, except for rule numbers
    SKETCH = "sketch"  # similar words, by MinHash sketch
    PLACE = "place"  # between the same neighbours, of about the same length


class PassageAlignment(NamedTuple):
    """``variants`` aligned with a passage: the evidence, and the share of their old passage that
    the new one contains, estimated from the sketch.
    """

    variants: PassageVariants
    evidence: AlignmentEvidence
    share: float


@dataclass(frozen=True)
class AttachedVariants:
    """Query variants by passage id, passages without variants, and variants whose passage is gone.

    ``alignments`` lists by passage id the alignments that the variants come from.
    """

    by_passage: Mapping[str, PassageVariants]
    missing: tuple[Passage, ...]
    orphaned: tuple[PassageVariants, ...]
    alignments: Mapping[str, tuple[PassageAlignment, ...]]
