"""The query and the result of a search; `index.search` describes the steps between them."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.model import DocumentKind, Passage, Span
from corpus.rulings.model import Ruling
from index.layers.passages import CardPassage, Layer
from index.questions.follow_up import FollowUp
from index.questions.question_parser import ParsedQuestion
from index.ranking.confidence import Settlement, settlement


@dataclass(frozen=True, slots=True)
class Query:
    """A question in plain words, and filters: one edition, one game, one document (by file name),
    or none.

    Attributes:
        language: The language of the question, None to have it detected.
        k: The number of passages of rulebooks wanted.
        layers: The layers to quote from, None for all that are loaded.
        prefer: The language whose passages come first if a game has editions in several languages;
            None for the language of the question.
        reader: The language of the person who asks, if known; assumed for a question that is only a
            name.
        as_of: A day in ISO 8601: only editions in effect on that day are searched (`index.scopes`),
            and only rulings up to that day; None searches all.
        context: The earlier questions of the conversation, the oldest first. A follow-up question
            is read with those it needs.
        step: The id of a step of the game's turn or round (`index.timing`). Passages that belong to
            the step are found first, others of its edition separately.
        offset: The number of passages of rulebooks that the caller already has.
        per_game, per_language: The most passages of one game and in one language; None for no
            limit.
        replaced: The id of the edition that was asked for, if ``edition`` has replaced it, else "".
    """

    question: str
    edition: str | None = None
    game: str | None = None
    document: str | None = None
    language: str | None = None
    k: int = 10
    layers: tuple[Layer, ...] | None = None
    as_of: str | None = None
    prefer: str | None = None
    reader: str | None = None
    context: tuple[str, ...] = ()
    step: str | None = None
    offset: int = 0
    per_game: int | None = None
    per_language: int | None = None
    replaced: str = ""

    @property
    def depth(self) -> int:
        """The number of passages of rulebooks to find in order to return those wanted."""
        return self.offset + self.k


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found. ``highlights`` are the spans of its text that answer the question;
    ``score`` is comparable only within one result.

    ``duplicates`` are the other passages searched that have the same words.
    """

    passage: Passage
    score: float
    highlights: tuple[tuple[int, int], ...]
    duplicates: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingHit(Hit):
    """A ruling that was found; ``passage`` is its answer.

    Attributes:
        score: The probability that it answers the question.
        behind: The number of rulebook passages to show before it.
        settles: Whether it is an official ruling on the same question that nothing has replaced.
        older: Whether it is older than the rulebook of the first hit, which settles the question
            now.
        other_card: Whether it is on a single card that the question does not name.
    """

    behind: int
    ruling: Ruling
    settles: bool
    older: bool
    other_card: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTextHit(Hit):
    """A text of a card that was found, printed or from its errata. ``behind`` is the number of
    rulebook passages to show before it.

    ``score`` is the certainty that the question names the card, or how well its words match the
    question.
    """

    behind: int
    quoted: CardPassage


LayerHit = RulingHit | CardTextHit


class LayeredResult:
    """Base class of results: ``hits`` in rulebooks, and ``beside`` them hits in other layers."""

    __slots__ = ()

    hits: tuple[Hit, ...]
    beside: tuple[LayerHit, ...]
    confidence: float
    answered: bool

    @property
    def ranked(self) -> tuple[Hit, ...]:
        """The hits of all layers, the best first."""
        ranked: list[Hit] = []
        for place in range(len(self.hits) + 1):
            last = place == len(self.hits)
            ranked += [
                hit for hit in self.beside if hit.behind == place or (last and place < hit.behind)
            ]
            ranked += self.hits[place : place + 1]
        return tuple(ranked)

    @property
    def ruled(self) -> bool:
        """Whether an official ruling on the same question was found."""
        return any(isinstance(hit, RulingHit) and hit.settles for hit in self.beside)

    @property
    def settled(self) -> Settlement:
        """How far the question is settled; an official ruling on it settles it."""
        return Settlement.SETTLED if self.ruled else settlement(self.confidence, self.answered)


@dataclass(frozen=True, slots=True)
class PartResult(LayeredResult):
    """The result for one of several questions in a text; ``span`` is the place of ``question`` in
    the text, other attributes are as in `SearchResult`.
    """

    question: str
    span: Span
    confidence: float
    answered: bool
    hits: tuple[Hit, ...]
    beside: tuple[LayerHit, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult(LayeredResult):
    """The result of a query, the best hit first.

    Attributes:
        hits: The passages of rulebooks. If there are ``parts``, the best of each are among the
            first.
        language: The language of the question.
        confidence: The estimated probability, 0.0 to 1.0, that the first hit settles the question.
        answered: Whether one of the first three hits likely settles the question.
        fallback: The game's own rule for questions that the rulebook does not settle; None if it
            has none or the question is not about rules.
        parsed: The parsed question.
        parts: The results for its parts, in order, if it asks for several different things.
        generally: Whether the general encoder, which knows many languages, was used too.
        layers: The layers searched beside the rulebooks.
        beside: The hits of these layers, in order.
        in_effect: False if no edition was in effect on the day asked for; then there are no hits.
        lacking: The kinds of documents (a policy, formats) that the question or a part of it asks
            for and that the library lacks for the game, if the rules do not settle it.
        follow_up: The question with the earlier ones that it was read with; None if it stands
            alone.
        elsewhere: The result for the rest of the edition if the query has a step; the other
            attributes are then about the passages of the step.
        more: Whether more passages of rulebooks were found than the query wanted.
        missing_rule: The number of a rule that is asked for and does not exist; the hits are the
            rules with the nearest numbers.
        other_game: The name of the game that the question is about, if none of the rulebooks
            searched is for it.
        textless: The name of a card that is looked up but has no rules text to quote.
    """

    query: Query
    language: str
    hits: tuple[Hit, ...]
    confidence: float
    answered: bool
    fallback: Passage | None
    parsed: ParsedQuestion | None = None
    parts: tuple[PartResult, ...] = ()
    generally: bool = False
    layers: tuple[Layer, ...] = ()
    beside: tuple[LayerHit, ...] = ()
    in_effect: bool = True
    lacking: tuple[DocumentKind, ...] = ()
    elsewhere: PartResult | None = None
    follow_up: FollowUp | None = None
    more: bool = False
    missing_rule: str = ""
    other_game: str = ""
    textless: str = ""

    @property
    def whole_question(self) -> str:
        """The question, preceded by the earlier questions that it was read with."""
        return self.follow_up.text if self.follow_up else self.query.question
