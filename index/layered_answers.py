"""Add rulings and texts of cards to the passages found in rulebooks, and decide where each is
placed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from corpus.cards.model import Card
from corpus.model import Edition, Kind
from corpus.rulings.model import Authority, Ruling, wording
from index.encoding.encoder import Encoder
from index.layers.layer_search import SURELY_NAMED, LayerSearch, MatchedCard, words_of
from index.layers.passages import CardPassage, Layer, ruling_passage, texts_in
from index.layers.ruling_matching import LEAST, RulingMatch
from index.library.library import Library
from index.model import (
    CardTextHit,
    Hit,
    LayeredResult,
    LayerHit,
    PartResult,
    Query,
    RulingHit,
    SearchResult,
)
from index.questions.look_up import LookUp
from index.questions.prepared import PreparedQuestion
from index.ranking.confidence import ANSWERED
from index.ranking.highlights import Highlighter
from index.ranking.verdict import LOOKED_UP, SEVERAL

_SAME_QUESTION = 0.75  # cosine from which a rulebook's printed question is the one asked
_SAME_MATTER = 0.55  # cosine from which a passage and a ruling have the same subject
# Probability from which an official ruling precedes the rulebook, and another ruling precedes a
# rulebook that does not answer.
_FIRST = 0.4
_SETTLING = 0.75  # probability from which a ruling counts as one on the same question
_PREFERRED = 0.1  # how much less probable a ruling in the preferred language may be
_MOST_RULINGS = 3
# Cards whose texts are shown, also where nothing else is asked for, and texts in all
_MOST_CARDS, _MOST_OF_A_NAME, _MOST_TEXTS = 2, 4, 4
_BEHIND_RULINGS = 1  # passages of the rulebook before rulings that do not come first
_BEHIND_UNLIKELY = 3  # the same before rulings that are less probable than `_FIRST`
_BEHIND_NAMED, _BEHIND_FITTING = 1, 2  # before texts of cards that are named, or only fit
_PRINTED_RULINGS = (Kind.RULING, Kind.ERRATUM)

Found = TypeVar("Found", SearchResult, PartResult)


class LayerQuestion(NamedTuple):
    """A question about ``games``; ``kind`` is the logit (log-odds) that any rule settles a question
    of this kind.
    """

    prepared: PreparedQuestion
    games: Sequence[str]
    kind: float


class LayeredAnswers:
    """Adds the rulings and cards that ``search`` finds to the passages of ``library``.

    ``superseded`` maps the ids of older editions to their newest versions.
    """

    def __init__(
        self,
        search: LayerSearch,
        library: Library,
        encoder: Encoder,
        superseded: Mapping[str, Edition],
    ):
        self.search = search
        self._library, self._encoder, self._superseded = library, encoder, superseded

    def add(
        self, result: SearchResult, asked: LayerQuestion, parts: Sequence[LayerQuestion]
    ) -> SearchResult:
        """Return ``result`` with the hits of the loaded layers that its query asks for.

        ``asked`` is the question of ``result``, ``parts`` are those of ``result.parts``.
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
        whole = self._add(result, asked, result.query, layers, printed)
        return replace(
            whole, layers=layers, parts=tuple(added), fallback=whole.fallback if printed else None
        )

    def _add(
        self,
        found: Found,
        asked: LayerQuestion,
        query: Query,
        layers: Sequence[Layer],
        printed: bool,
    ) -> Found:
        """Return ``found``, the result for the question ``asked``, with hits of ``layers``; without
        passages of rulebooks unless ``printed``.
        """
        library = self._library
        game = None
        if found.hits:
            game = library.edition[library.entry[found.hits[0].passage.entry].edition].game
        if not printed:
            found = replace(found, hits=(), confidence=0.0, answered=False)
        matches = self.search.search(asked.prepared, asked.games, layers, asked.kind)

        def find(id: str) -> Ruling | None:
            known = self.search.rulings.get(id)
            return self._held(known, query.as_of) if known and query.as_of is not None else known

        here = [
            match
            for match in matches.rulings
            if match.sure or match.game == game or (match.close and game is None)
        ]
        close, others = (
            self._likely([match for match in here if match.close is wanted], query)
            for wanted in (True, False)
        )
        rulings: list[RulingHit] = place_rulings(
            close,
            find,
            lambda ruling: self._is_reworded(ruling, query) or self._is_older(ruling, found),
            found.answered,
            matches.only_cards,
            lambda ruling: self._is_printed(ruling, found, asked),
            query.prefer,
        )
        only_cards = matches.only_cards and not self._is_term(asked.prepared.parsed.look_up)
        if found.confidence < LOOKED_UP.first:  # if a term is looked up, its entry is enough
            rulings += place_others(others, find, rulings, len(found.hits))
        language = query.prefer or asked.prepared.language
        # A term of the game that answers may be the name of a card in another game.
        sure = found.answered and (
            found.confidence >= ANSWERED or any(match.card.game == game for match in matches.cards)
        )
        matched = [
            match._replace(tells=match.tells and not found.answered)
            for match in matches.cards
            if only_cards or match.card.game == game or not sure
        ]
        nothing_else = not rulings and (
            not found.answered or all(match.card.game != game for match in matched)
        )
        parsed = asked.prepared.parsed
        on_card = found.answered and parsed.asks_for_rulings and parsed.only_card
        errata_first = parsed.asks_for_errata and not on_card
        cards: list[CardTextHit] = place_cards(
            matched, language, only_cards, nothing_else, query.as_of, errata_first
        )
        settling = max((each.score for each in rulings if each.settles), default=0.0)
        if any(match.tells for match in matched):
            settling = max(settling, SEVERAL.first)
        named = [match.card for match in matches.cards if match.named] if only_cards else []
        if named and found.confidence < LOOKED_UP.first:
            found = replace(found, hits=self._telling_of(named, found.hits))
            ruled = any(self._is_on_card(hit) for hit in found.hits)
            # A passage that only mentions the card settles nothing.
            textless = not (cards or rulings or ruled)
            if textless or not found.hits:
                found = replace(found, confidence=0.0, answered=False)
            if isinstance(found, SearchResult) and textless:
                found = replace(found, textless=named[0].name(language))
        if on_card:
            of_card = self._telling_of([m.card for m in matches.cards if m.named], found.hits)
            found = replace(found, hits=of_card or found.hits)
        if errata_first and any(card.quoted.erratum and not card.behind for card in cards):
            settling = max(settling, LOOKED_UP.first)
        if named and cards:
            of_several = len({card.quoted.card.game for card in cards}) > 1
            settling = max(settling, (SEVERAL if of_several else LOOKED_UP).first)
        return replace(
            found,
            confidence=max(found.confidence, settling),
            answered=found.answered or settling >= ANSWERED,
            beside=self._highlighted(
                # Behind equally many passages, a ruling on another card follows the named cards.
                sorted(
                    [
                        *(
                            replace(each, older=each.older or self._is_reworded(each.ruling, query))
                            for each in rulings
                        ),
                        *cards,
                    ],
                    key=lambda hit: isinstance(hit, RulingHit) and hit.other_card,
                ),
                asked.prepared,
            ),
        )

    def _telling_of(self, cards: Sequence[Card], hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """Return the ``hits`` whose title or passage mentions one of ``cards``."""
        faces = (face for card in cards for face in card.faces)
        names = {words_of(name) for face in faces for name in face.names.values()}
        titles = (self._library.entry[hit.passage.entry].title for hit in hits)
        return tuple(
            hit
            for hit, title in zip(hits, titles, strict=True)
            if any(name in words_of(f"{title} {hit.passage.display}") for name in names)
        )

    def _is_on_card(self, hit: Hit) -> bool:
        """Return whether ``hit`` is a ruling or an erratum printed in a rulebook."""
        return self._library.entry[hit.passage.entry].kind in _PRINTED_RULINGS

    def _is_term(self, look_up: LookUp | None) -> bool:
        """Return whether ``look_up`` names a term, not only a card with printed rulings or
        errata.
        """
        if look_up is None:
            return False
        entries = look_up.senses[0].entries
        return not entries or self._library.entries[entries[0]].kind not in _PRINTED_RULINGS

    def _likely(self, matches: Sequence[RulingMatch], query: Query) -> list[tuple[Ruling, float]]:
        """Return the rulings of ``matches`` that were made by the day of ``query``, each with the
        probability that it answers.
        """
        likely = [
            (self.search.rulings.of_game(match.game)[match.number], match.probability)
            for match in matches
        ]
        day = query.as_of
        if day is None:
            return likely
        return [(self._held(each, day), sure) for each, sure in likely if each.date <= day]

    def _held(self, ruling: Ruling, day: str) -> Ruling:
        """Return ``ruling`` as of ``day``: a ruling made later does not supersede it yet."""
        newer = self.search.rulings.get(ruling.superseded_by)
        return ruling._replace(superseded_by="") if newer and newer.date > day else ruling

    def _highlighted(
        self, hits: Sequence[RulingHit | CardTextHit], prepared: PreparedQuestion
    ) -> tuple[LayerHit, ...]:
        """Return ``hits`` with the spans that answer the question highlighted."""
        if not hits:
            return ()
        texts = [
            (
                hit.passage.text,
                hit.ruling.answer.language
                if isinstance(hit, RulingHit)
                else hit.quoted.text.quoted.language,
            )
            for hit in hits
        ]
        marked = Highlighter.build(texts, self._encoder).highlights(range(len(hits)), prepared)
        return tuple(
            replace(hit, highlights=spans) for hit, spans in zip(hits, marked, strict=True)
        )

    def _is_printed(self, ruling: Ruling, result: LayeredResult, question: LayerQuestion) -> bool:
        """Return whether the first hit is a ruling or erratum printed in a rulebook that matches
        ``question`` better than ``ruling`` does.
        """
        if not result.hits:
            return False
        passage = result.hits[0].passage
        entry = self._library.entry[passage.entry]
        if entry.kind not in _PRINTED_RULINGS:
            return False
        printed_in = self._library.edition[entry.edition].language
        display = passage.display
        asked_in_print = display[: display.find("?") + 1] or display
        asked = ruling.asked.text if ruling.asked else ruling.answer.text
        put, printed, ruled = self._encoder.questions(
            [question.prepared.parsed.text, asked_in_print, asked]
        )
        if printed_in == question.prepared.language != ruling.answer.language:
            return float(put @ printed) > _SAME_MATTER
        return float(put @ printed) > max(_SAME_QUESTION, float(put @ ruled))

    def _is_older(self, ruling: Ruling, result: LayeredResult) -> bool:
        """Return whether ``ruling`` is older than the rulebook of the first hit, and the hit is on
        the same point, so that the rulebook now decides.
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
        """Return whether ``query`` searches a newer version of the rulebook, in which a rule that
        ``ruling`` is based on has other words.
        """
        texts = self._library.passages_of
        for basis in ruling.bases:
            edition, _, anchor = basis.entry.partition("/")
            newest = self._superseded.get(edition)
            if (
                newest is not None
                and edition != query.edition
                and ruling.date < newest.effective <= (query.as_of or newest.effective)
                and wording(texts.get(f"{newest.id}/{anchor}", ()))
                != (basis.wording or wording(texts.get(basis.entry, ())))
            ):
                return True
        return False


def place_rulings(
    likely: Iterable[tuple[Ruling, float]],
    find: Callable[[str], Ruling | None],
    is_older: Callable[[Ruling], bool],
    answered: bool,
    only_cards: bool,
    is_printed: Callable[[Ruling], bool] = lambda ruling: False,
    prefer: str | None = None,
) -> list[RulingHit]:
    """Order the ``likely`` rulings, each with the probability that it answers.

    - Official rulings come first. If the rulebook has ``answered``, other rulings follow its first
      passage; so does an official ruling that ``is_older`` than the present rulebook.
    - Rulings less probable than `_FIRST` follow three passages.
    - House rulings never precede official ones.
    - A superseded ruling directly follows its successor; ``find`` looks that up by id.
    - No ruling comes first if the question names ``only_cards``, or if the rulebook answers and
      prints a ruling that matches better (``is_printed``).
    - Of about equally probable rulings, those in the language ``prefer`` come first.
    """
    holding, replaced = _by_holding(likely, find)

    def least(ruling: Ruling) -> float:
        """Return the probability from which ``ruling`` is shown: higher if a ruling of lower
        authority is a good match, so that an unrelated ruling does not precede it.
        """
        rank = _rank(ruling.authority)
        lower = (probability for other, probability in holding if _rank(other.authority) > rank)
        below = max(lower, default=0.0)
        return next((bar for bar in (_SETTLING, _FIRST) if below >= bar), LEAST)

    def hit(ruling: Ruling, probability: float) -> RulingHit:
        if ruling.superseded_by or only_cards:
            return _hit(ruling, probability, _BEHIND_RULINGS)
        if probability < _FIRST:
            return _hit(ruling, probability, _BEHIND_UNLIKELY)
        sure = ruling.authority.official and not (answered and is_printed(ruling))
        older = sure and is_older(ruling)
        first = not older and (sure or not answered)
        settles = sure and not older and probability >= _SETTLING
        return _hit(ruling, probability, 0 if first else _BEHIND_RULINGS, settles, older)

    shown = [(ruling, sure) for ruling, sure in holding if sure >= least(ruling)]
    placed = [hit(ruling, probability) for ruling, probability in shown[:_MOST_RULINGS]]
    last = max((each.behind for each in placed if each.ruling.authority.official), default=0)
    placed = [
        each if each.ruling.authority.official else replace(each, behind=max(each.behind, last))
        for each in placed
    ]

    def order(each: RulingHit) -> tuple[int, int, float]:
        preferred = _PREFERRED * (each.ruling.answer.language == prefer)
        return each.behind, _rank(each.ruling.authority), -each.score - preferred

    found: list[RulingHit] = []
    for each in sorted(placed, key=order):
        old = replaced.get(each.ruling.id, ())
        found += [each, *(_hit(ruling, each.score, each.behind) for ruling in old)]
    return found


def place_others(
    likely: Iterable[tuple[Ruling, float]],
    find: Callable[[str], Ruling | None],
    placed: Sequence[RulingHit],
    passages: int,
) -> list[RulingHit]:
    """Order the ``likely`` rulings on cards that the question does not name, after all ``passages``
    of the rulebook. They settle nothing.

    Rulings already ``placed`` and superseded rulings are left out.
    """
    shown = {each.ruling.id for each in placed}
    others = [each for each in _by_holding(likely, find)[0] if each[0].id not in shown]
    return [
        replace(_hit(ruling, probability, passages), other_card=True)
        for ruling, probability in others[:_MOST_RULINGS]
    ]


def _hit(
    ruling: Ruling, probability: float, behind: int, settles: bool = False, older: bool = False
) -> RulingHit:
    return RulingHit(
        passage=ruling_passage(ruling),
        score=probability,
        highlights=(),
        behind=behind,
        ruling=ruling,
        settles=settles,
        older=older,
    )


def _rank(authority: Authority) -> int:
    """Return the rank of an ``authority``, lower before higher; 0 for all official ones."""
    return 0 if authority.official else tuple(Authority).index(authority)


def _by_holding(
    likely: Iterable[tuple[Ruling, float]], find: Callable[[str], Ruling | None]
) -> tuple[list[tuple[Ruling, float]], dict[str, list[Ruling]]]:
    """Return the valid rulings, the most probable first, and for the id of each the rulings that it
    has superseded, the latest first.

    A valid ruling is at least as probable as the rulings it replaces.
    """
    holding: dict[str, tuple[Ruling, float]] = {}
    replaced: dict[str, list[tuple[int, Ruling]]] = {}
    for ruling, probability in sorted(likely, key=lambda each: -each[1]):
        last, steps = ruling, 0
        while (
            last.superseded_by
            and (newer := find(last.superseded_by))
            and (newer.authority.official or not last.authority.official)
        ):
            last, steps = newer, steps + 1
        if steps and probability >= LEAST:
            replaced.setdefault(last.id, []).append((steps, ruling))
        if probability > holding.get(last.id, (last, 0.0))[1]:
            holding[last.id] = (last, probability)
    ordered = {
        id: [ruling for _, ruling in sorted(some, key=lambda each: each[0])]
        for id, some in replaced.items()
    }
    return sorted(holding.values(), key=lambda each: -each[1]), ordered


def place_cards(
    matches: Sequence[MatchedCard],
    language: str,
    only_cards: bool,
    nothing_else: bool,
    as_of: str | None = None,
    errata_first: bool = False,
) -> list[CardTextHit]:
    """Order the texts of the cards of ``matches`` in ``language``: for each card its errata, then
    the printed texts, that of the face or ability which the question names first, without errata
    later than the day ``as_of``.

    Cards precede the rulebook if the question names ``only_cards``, if their text tells the answer,
    or if they are surely named and ``nothing_else`` answers; with ``errata_first``, so do errata of
    surely named cards. Cards of several games alternate. Texts repeated by a reprint are left out.
    """
    found: list[CardTextHit] = []
    printed: set[tuple[str, str, str]] = set()
    turns: Counter[str] = Counter()
    ordered: list[tuple[float, int, MatchedCard, list[CardPassage]]] = []
    for match in matches:
        texts = []
        for text in texts_in(match.card, language, as_of):
            words = " ".join(text.text.display.split())
            reprint = (match.card.game, match.card.name(language), words)
            if reprint not in printed:
                printed.add(reprint)
                texts.append(text)
        if texts:
            asked_first = iter(sorted((t for t in texts if t.erratum is None), key=match.place))
            texts = [text if text.erratum else next(asked_first) for text in texts]
            turns[match.card.game] += 1
            ordered.append((-match.certainty, turns[match.card.game], match, texts))
    ordered.sort(key=lambda each: each[:2])
    for *_, match, texts in ordered[: _MOST_OF_A_NAME if only_cards else _MOST_CARDS]:
        behind = _BEHIND_NAMED if match.named else _BEHIND_FITTING
        surely_named = match.certainty >= SURELY_NAMED
        if match.tells or (match.named and (only_cards or (nothing_else and surely_named))):
            behind = 0
        found += [
            CardTextHit(
                passage=text.passage,
                score=match.certainty,
                highlights=(),
                behind=0 if errata_first and surely_named and text.erratum else behind,
                quoted=text,
            )
            for text in texts
        ]
    if errata_first:
        found.sort(key=lambda hit: hit.quoted.erratum is None)
    return found[:_MOST_TEXTS]
