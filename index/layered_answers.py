"""Adds rulings and texts of cards to what was found in rulebooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from corpus.model import Kind
from corpus.rulings.model import Ruling
from corpus.rulings.wording import wording
from index.encoding.encoder import Encoder
from index.layers.layer_search import LayerSearch
from index.layers.model import Layer
from index.layers.passages import ruling_passage
from index.layers.placement import (
    PlacedCardText,
    PlacedRuling,
    place_cards,
    place_others,
    place_rulings,
)
from index.layers.ruling_probability import RulingMatch
from index.library.library import Library
from index.model import CardTextHit, LayerHit, PartResult, Query, RulingHit, SearchResult
from index.questions.look_up import LookUp
from index.questions.prepared import PreparedQuestion
from index.ranking.confidence import ANSWERED
from index.ranking.highlights import Highlighter
from index.ranking.verdict import LOOKED_UP
from index.scopes import superseded_editions

_SAME_QUESTION = 0.75  # cosine from which on what a rulebook prints as asked is what is asked
# Cosine from which on a passage of the rulebook and a ruling are about the same
_SAME_MATTER = 0.55


Found = TypeVar("Found", SearchResult, PartResult)


class LayerQuestion(NamedTuple):
    """A question about ``games``; ``kind`` is the logit that it is one which rules settle at
    all.
    """

    prepared: PreparedQuestion
    games: Sequence[str]
    kind: float


class LayeredAnswers:
    """Adds what ``search`` finds beside the rulebooks of ``library``, quoted by the rules of
    ``encoder`` where it marks what answers.
    """

    def __init__(self, search: LayerSearch, library: Library, encoder: Encoder):
        self.search = search
        self._library, self._encoder = library, encoder
        self._newest = superseded_editions(library.editions)

    def add(
        self, result: SearchResult, asked: LayerQuestion, parts: Sequence[LayerQuestion]
    ) -> SearchResult:
        """Return ``result`` with the layers that its query asks for; as it is where none of them is
        loaded or asked for.

        It answers what is ``asked``, and each of its parts one of ``parts``.
        """
        wanted = result.query.layers if result.query.layers is not None else tuple(Layer)
        layers = tuple(layer for layer in self.search.loaded if layer in wanted)
        printed = Layer.RULEBOOK in wanted
        if printed and not layers:
            return result
        added = [
            self._add(part, of_part, result.query, layers, printed)
            for part, of_part in zip(result.parts, parts, strict=True)
        ]
        result = replace(
            self._add(result, asked, result.query, layers, printed),
            layers=layers,
            parts=tuple(added),
        )
        return result if printed else replace(result, fallback=None)

    def _add(
        self,
        found: Found,
        asked: LayerQuestion,
        query: Query,
        layers: Sequence[Layer],
        printed: bool,
    ) -> Found:
        """Return what was ``found`` for what was ``asked``, with ``layers``; without what is
        ``printed`` where that is not wanted.
        """
        game = self._game_of_first(found)
        if not printed:
            found = replace(found, hits=(), confidence=0.0, answered=False)
        matches = self.search.search(asked.prepared, asked.games, layers, asked.kind)

        def find(id: str) -> Ruling | None:
            return self._find(id, query.as_of)

        here = [
            match
            for match in matches.rulings
            if match.sure or match.game == game or (match.close and game is None)
        ]
        close, others = (
            self._likely([match for match in here if match.close is wanted], query)
            for wanted in (True, False)
        )
        rulings = place_rulings(
            close,
            find,
            lambda ruling: self._is_reworded(ruling, query) or self._is_older(ruling, found),
            found.answered,
            matches.only_cards,
            lambda ruling: self._is_printed(ruling, found, asked),
            query.prefer,
        )
        only_cards = matches.only_cards and not self._is_term(asked.prepared.parsed.look_up)
        rulings += place_others(others, find, rulings, len(found.hits))
        cards = place_cards(
            matches.cards, query.prefer or asked.prepared.language, only_cards, query.as_of
        )
        settling = max((each.probability for each in rulings if each.settles), default=0.0)
        if only_cards and any(match.named for match in matches.cards) and cards:
            settling = max(settling, LOOKED_UP.first)
        return replace(
            found,
            confidence=max(found.confidence, settling),
            answered=found.answered or settling >= ANSWERED,
            beside=self._hits(rulings, cards, asked.prepared, query),
        )

    def _is_term(self, look_up: LookUp | None) -> bool:
        """Whether a question looks up more than rulings and errata on a card."""
        if look_up is None:
            return False
        first = look_up.senses[0]
        return not first.entries or self._library.entries[first.entries[0]].kind not in (
            Kind.RULING,
            Kind.ERRATUM,
        )

    def _likely(self, matches: Sequence[RulingMatch], query: Query) -> list[tuple[Ruling, float]]:
        """Return the rulings of ``matches`` as they held on the day of ``query``, each with the
        probability that it answers.
        """
        likely = [
            (self.search.rulings.of_game(match.game)[match.number], match.probability)
            for match in matches
        ]
        if query.as_of is None:
            return likely
        return [
            (self._held(ruling, query.as_of), probability)
            for ruling, probability in likely
            if ruling.date <= query.as_of
        ]

    def _game_of_first(self, found: SearchResult | PartResult) -> str | None:
        """Return the game of the first passage of a rulebook that was ``found``, None where there
        is none.
        """
        return (
            self._library.edition[self._library.entry[found.hits[0].passage.entry].edition].game
            if found.hits
            else None
        )

    def _hits(
        self,
        rulings: Sequence[PlacedRuling],
        cards: Sequence[PlacedCardText],
        prepared: PreparedQuestion,
        query: Query,
    ) -> tuple[LayerHit, ...]:
        passages = [
            *(ruling_passage(each.ruling) for each in rulings),
            *(each.quoted.passage for each in cards),
        ]
        if not passages:
            return ()
        languages = [
            *(each.ruling.answer.language for each in rulings),
            *(each.quoted.text.quoted.language for each in cards),
        ]
        texts = [
            (passage.text, language) for passage, language in zip(passages, languages, strict=True)
        ]
        marked = Highlighter.build(texts, self._encoder).highlights(range(len(passages)), prepared)
        found: list[LayerHit] = []
        for each, passage, spans in zip(rulings, passages, marked, strict=False):
            found.append(
                RulingHit(
                    passage=passage,
                    score=each.probability,
                    highlights=spans,
                    behind=each.behind,
                    ruling=each.ruling,
                    settles=each.settles,
                    older=each.older or self._is_reworded(each.ruling, query),
                    other_card=each.other_card,
                )
            )
        behind = len(rulings)
        for text, passage, spans in zip(cards, passages[behind:], marked[behind:], strict=True):
            found.append(
                CardTextHit(
                    passage=passage,
                    score=text.certainty,
                    highlights=spans,
                    behind=text.behind,
                    quoted=text.quoted,
                )
            )
        return tuple(found)

    def _find(self, id: str, day: str | None) -> Ruling | None:
        """Return the ruling called ``id``, as it held on ``day`` if one is given."""
        found = self.search.rulings.get(id)
        return self._held(found, day) if found and day is not None else found

    def _held(self, ruling: Ruling, day: str) -> Ruling:
        """``ruling`` as it held on ``day``: not yet superseded by a later one."""
        newer = self.search.rulings.get(ruling.superseded_by)
        return ruling._replace(superseded_by="") if newer and newer.date > day else ruling

    def _is_printed(
        self, ruling: Ruling, result: SearchResult | PartResult, question: LayerQuestion
    ) -> bool:
        """Whether the first hit of ``result`` is a ruling in a rulebook on the ``question``, nearer
        to it than ``ruling``.
        """
        if not result.hits or self._library.entry[result.hits[0].passage.entry].kind not in (
            Kind.RULING,
            Kind.ERRATUM,
        ):
            return False
        asked = ruling.asked.text if ruling.asked else ruling.answered.text
        printed_in = self._library.edition[result.hits[0].passage.entry.partition("/")[0]].language
        texts = [
            question.prepared.parsed.text,
            _question_line(result.hits[0].passage.display),
            asked,
        ]
        put, printed, ruled = self._encoder.questions(texts)
        if printed_in == question.prepared.language != ruling.answer.language:
            return float(put @ printed) > _SAME_MATTER
        return float(put @ printed) > max(_SAME_QUESTION, float(put @ ruled))

    def _is_older(self, ruling: Ruling, result: SearchResult | PartResult) -> bool:
        """Whether ``ruling`` is older than the rulebook of the first hit of ``result``, which
        settles the point now.
        """
        if not ruling.date or not result.hits:
            return False
        passage = result.hits[0].passage
        entry = self._library.entry[passage.entry]
        edition = self._library.edition[entry.edition]
        if edition.effective <= ruling.date or edition.game != ruling.game:
            return False
        if any(basis.rule in (entry.id, entry.number) for basis in ruling.bases):
            return True
        if not result.answered:
            return False
        ruled, printed = self._encoder.passages([ruling.answered.text, passage.display])
        return float(ruled @ printed) >= _SAME_MATTER

    def _is_reworded(self, ruling: Ruling, query: Query) -> bool:
        """Whether a later version, which ``query`` searches, has a rule that ``ruling`` rests on in
        other words.
        """
        texts = self._library.passages_of
        for basis in ruling.bases:
            edition, _, anchor = basis.entry.partition("/")
            newest = self._newest.get(edition)
            if (
                newest is None
                or edition == query.edition
                or not ruling.date < newest.effective <= (query.as_of or newest.effective)
            ):
                continue
            if wording(texts.get(f"{newest.id}/{anchor}", ())) != (
                basis.wording or wording(texts.get(basis.entry, ()))
            ):
                return True
        return False


def _question_line(text: str) -> str:
    """Return what ``text``, a printed ruling, asks: up to its first question mark, the whole where
    it has none.
    """
    return text[: text.find("?") + 1] or text
