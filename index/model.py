"""What is asked of an index, and what it answers; see `index.search` for the way from one to the
other.
"""

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

    ``language`` is the language of the question, None to have it detected; ``k`` is the number of
    passages of rulebooks wanted. ``layers`` are those to quote from, None for all that are loaded.
    ``prefer`` is the language that passages come first in where a game has editions in several,
    None for that of the question; a name alone, which is in no language, is read in ``reader``, the
    language of who asks, where that is known. ``as_of`` is a day as ISO 8601 writes it: only
    editions that were in effect on it are searched (`index.scopes`), and only rulings of that day
    or before are found; None searches all. ``context`` are the questions before it, the oldest
    first: it is read with those that it cannot be understood without. ``step`` is the id of a step
    of the game's time (`index.timing`): passages that belong to it are found first, others of its
    edition apart from them. ``offset`` is the number of passages of rulebooks that the caller has
    already; ``per_game`` and ``per_language`` are the most passages of one game and in one
    language, None for any number. ``replaced`` is the id of the edition that was asked for where
    ``edition`` has replaced it, else "".
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
        """How many passages of rulebooks have to be found for those that are wanted."""
        return self.offset + self.k


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found. ``highlights`` are the spans of its ``text`` that answer; ``score`` compares
    only hits of one result.

    ``duplicates`` are the other passages in the scope of the query with the same words.
    """

    passage: Passage
    score: float
    highlights: tuple[tuple[int, int], ...]
    duplicates: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingHit(Hit):
    """A ruling found; ``passage`` is its answer. ``behind`` is the number of hits of rulebooks that
    stand before it.

    ``score`` is the probability that it answers the question. ``settles`` says that it is an
    official one on the very question that nothing has replaced; ``older`` that it is older than the
    rulebook of the first hit, which settles the question now; ``other_card`` that it is on a single
    card which the question does not name.
    """

    behind: int
    ruling: Ruling
    settles: bool
    older: bool
    other_card: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTextHit(Hit):
    """A text of a card found, printed or of its errata. ``behind`` is the number of hits of
    rulebooks that stand before it.

    ``score`` is the certainty that the question names the card, or how well its words fit the
    question.
    """

    behind: int
    quoted: CardPassage


LayerHit = RulingHit | CardTextHit


@dataclass(frozen=True, slots=True)
class PartResult:
    """What was found for one of several questions in a text: the question as it was asked, its span
    there, and its own ``hits``.

    ``beside`` are those beside the rulebooks, as in `SearchResult`.
    """

    question: str
    span: Span
    confidence: float
    answered: bool
    hits: tuple[Hit, ...]
    beside: tuple[LayerHit, ...] = ()

    @property
    def ranked(self) -> tuple[Hit, ...]:
        """The hits of all layers, the best first."""
        return _ranked(self.hits, self.beside)

    @property
    def ruled(self) -> bool:
        """Whether an official ruling on the very question was found."""
        return _ruled(self.beside)

    @property
    def settled(self) -> Settlement:
        """The same in three steps; an official ruling on the very question settles it."""
        return Settlement.SETTLED if self.ruled else settlement(self.confidence, self.answered)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What was found for a query, the best hit first.

    ``language`` is the language of the question. ``confidence``, from 0.0 to 1.0, estimates the
    probability that the first hit settles the question; ``answered`` says whether one of the first
    three likely does. ``fallback`` is the game's own rule for what the rulebook does not settle,
    None where it has none or the question is not about its rules. ``parsed`` is the question as it
    was read. ``parts`` are the questions in it, where it has several that ask for different things,
    in their order; ``hits`` then have the best of each among the first. ``generally`` says that the
    general encoder read the question too, which knows many languages. ``layers`` are those searched
    beside the rulebooks; ``beside`` are the hits there, in their order among each other.
    ``in_effect`` is False where no edition was in effect on the day asked for; then there are no
    hits. ``lacking`` are the kinds of documents that it asks for, at least in one of its parts, of
    which the game has none here, where the rules do not settle it: a policy, formats. ``follow_up``
    has the questions of the query's context that it was read with, None where it was read alone.
    ``elsewhere`` is what was found in the rest of the edition where a step was asked for:
    everything else is then about what belongs to the step. ``more`` says that further passages of
    rulebooks were found than the query wanted. ``missing_rule`` is the number of a rule that is
    asked for and that there is none of; the hits are the rules with the nearest numbers.
    ``other_game`` is the name of a game that the question is about and that no rulebook is loaded
    for. ``textless`` is the name of a card that is looked up and has no rules text, which leaves
    nothing to quote.
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
        """The question as it can be understood alone: behind those that it was read with."""
        return self.follow_up.text if self.follow_up else self.query.question

    @property
    def ruled(self) -> bool:
        """Whether an official ruling on the very question was found."""
        return _ruled(self.beside)

    @property
    def ranked(self) -> tuple[Hit, ...]:
        """The hits of all layers, the best first."""
        return _ranked(self.hits, self.beside)

    @property
    def settled(self) -> Settlement:
        """The same in three steps; an official ruling on the very question settles it."""
        return Settlement.SETTLED if self.ruled else settlement(self.confidence, self.answered)


def _ranked(hits: tuple[Hit, ...], beside: tuple[LayerHit, ...]) -> tuple[Hit, ...]:
    """``hits`` of rulebooks with those ``beside`` them at their places."""
    ranked: list[Hit] = []
    for place in range(len(hits) + 1):
        ranked += [
            hit for hit in beside if hit.behind == place or (place == len(hits) < hit.behind)
        ]
        ranked += hits[place : place + 1]
    return tuple(ranked)


def _ruled(beside: tuple[LayerHit, ...]) -> bool:
    """Whether one of ``beside`` is an official ruling on the very question."""
    return any(isinstance(hit, RulingHit) and hit.settles for hit in beside)
