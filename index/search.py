"""An index that answers questions.

The steps from a question to its answer, and the class that holds the outcome of each:

1. A `Query` (index.model) is a question in plain words with filters; `Index.scope` turns the
   filters into a `SearchScope` (index.questions.prepared), the passages that may be found.
2. `QuestionParser.parse` (index.questions.question_parser) reads the question: a `ParsedQuestion`
   has its language, its question sentences, and the terms, cards and rules it names.
   `Index.prepare` adds index terms and vectors: a `PreparedQuestion`.
3. `SignalScorer.candidates` (index.ranking.signals) narrows a large scope to the passages worth
   scoring, which its store finds.
4. `SignalScorer.score` computes the signals of each candidate, from the store (index.store) and
   from tables (index.library.passage_lookup, index.ranking.passage_features), and adds them up
   (index.ranking.fusion). `index.ranking.boosts` raise passages that the question names.
5. `Index.search` groups passages with the same words (index.ranking.ranked). The `Highlighter`
   marks the words that answer, and the `Judge` (index.ranking.judge) estimates the probability that
   the question is settled: a `SearchResult` (index.model) with `Hit` objects, the best first.
   If a text asks several questions (index.questions.question_parts), each takes these steps.

Inside, a passage is a number: its position in `Library.searchable`.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpus.errors import NotFound
from corpus.languages import detect
from corpus.model import Passage, Span
from glossary.references.cited_rules import CitedRule
from glossary.word_tables import WordTables
from index.analysis import Analyzer
from index.cards.card_store import FOLDER as CARDS
from index.cards.card_store import CardStore
from index.cards.printed_cards import PrintedCards
from index.encoding.encoder import Encoder, EncoderNotFound, HubEncoder, SubwordEncoder
from index.layered_answers import LayeredAnswers, LayerQuestion
from index.layers.layer_search import LayerSearch
from index.layers.ruling_store import RULINGS, RulingStore
from index.layers.texts import RULES_TEXTS, RULING_TEXTS, RulesTexts, RulingTexts
from index.library.library import Library, load_library
from index.library.passage_lookup import PassageLookup
from index.model import Hit, PartResult, Query, SearchResult
from index.questions.asking_sentences import asks_for_kinds
from index.questions.follow_up import FollowUp
from index.questions.prepared import PreparedQuestion, SearchScope, prepare_question
from index.questions.question_parser import ParsedQuestion, QuestionParser
from index.questions.question_parts import QuestionPart
from index.ranking import boosts
from index.ranking.answerability import AnswerabilityModel
from index.ranking.confidence import (
    DRAFTS,
    EditionConfidence,
    Settlement,
    is_about_rules,
    settlement,
)
from index.ranking.first_shown import (
    EXPLAINING,
    QUOTED,
    asked_clause,
    explaining_passages,
    kinds_first,
    looked_up_passages,
    rule_passages,
)
from index.ranking.fusion import top
from index.ranking.general_similarity import GENERAL, REREAD, GeneralSimilarity
from index.ranking.highlights import Highlighter
from index.ranking.judge import Judge
from index.ranking.passage_features import PassageFeatures
from index.ranking.ranked import (
    DUPLICATES_WITHIN,
    PassageGroups,
    RankedPassages,
    ScoredPassages,
    parts_among_first,
)
from index.ranking.signals import QuestionSignals, Signals, SignalScorer, edition_numbers
from index.ranking.verdict import LOOKED_UP, NOTHING_FOUND, SEVERAL, Likelihoods, is_answered
from index.scopes import searched_editions, superseded_editions
from index.store.protocol import Store
from index.store.store import open_store
from index.timing.sequences import timing_of

_STEP = 0.01  # between the scores of passages that are shown in a certain order
_PART_PASSAGES = 3  # passages for each of several questions
_OTHER_GAMES = 2  # further games searched if the question does not say which game it is about
_OTHER_GAME = 0.5  # by how much their best passage may score less than the first one
_NEAREST = 3  # rules shown for a number that no rule has
_AGREEING = 3  # passages among which the answer without names of cards has to be
_SCOPES = 16  # combinations of filters whose passages are cached
_log = logging.getLogger(__name__)


class Index:
    """Everything needed to answer questions, loaded from one snapshot folder; immutable."""

    def __init__(
        self,
        *,
        id: str,
        built: datetime,
        library: Library,
        lookup: PassageLookup,
        store: Store,
        encoder: Encoder,
        highlighter: Highlighter,
        answerability: AnswerabilityModel,
        edition_confidence: EditionConfidence,
        parser: QuestionParser,
        features: PassageFeatures,
        analyzer: Analyzer,
        general: GeneralSimilarity | None = None,
        cards: CardStore | None = None,
        rulings: RulingStore | None = None,
        ruling_texts: RulingTexts | None = None,
        rules_texts: RulesTexts | None = None,
    ):
        self.id = id
        self.built = built
        self.library = library
        self.lookup = lookup
        self.encoder = encoder
        self.highlighter = highlighter
        self.parser = parser
        self.analyzer = analyzer
        self.cards = cards or CardStore.empty()
        self.rulings = rulings or RulingStore()
        printed = PrintedCards(self.cards, library, analyzer.tables)
        layer_search = LayerSearch(
            self.rulings, self.cards, ruling_texts, rules_texts, analyzer, encoder, parser, printed
        )
        superseded = superseded_editions(library.editions)
        self.layers = LayeredAnswers(layer_search, library, encoder, superseded)
        self.scorer = SignalScorer(lookup, store, parser, features, analyzer, general)
        self._general = general
        self.judge = Judge(
            library,
            lookup,
            features,
            parser,
            analyzer,
            answerability,
            edition_confidence,
            general,
        )
        self.waits = store.waits
        self.features = features
        self._superseded = np.array(
            [edition.id in superseded for edition in lookup.editions], dtype=bool
        )
        self._groups = PassageGroups(lookup, features, library.editions)
        # A cached function that does not refer to this object, so that an index that is replaced is
        # freed at once.
        self._scope = lru_cache(_SCOPES)(partial(_filtered_scope, library, self.scorer))

    @classmethod
    def load(cls, folder: Path, token: str = "") -> Index:
        """Return the index in a snapshot folder; ``token`` authenticates with a store on another
        machine.

        Raises `OSError`, `ValueError`, `KeyError` or `RuntimeError` if it is damaged, and
        `StoreUnreachable` if the store does not answer.
        """
        tables = WordTables.load(folder / "forms", folder / "stems")
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        library = load_library(folder)
        cards = CardStore.load(folder / CARDS, tables)
        index = cls(
            id=manifest["id"],
            built=datetime.fromisoformat(manifest["built"]),
            library=library,
            lookup=PassageLookup.load(folder / "lookup", library.editions),
            store=open_store(folder, manifest.get("store"), token),
            encoder=HubEncoder(manifest["encoder"])
            if manifest["encoder"]
            else SubwordEncoder.load(folder / "encoder"),
            highlighter=Highlighter.load(folder / "sentences"),
            answerability=AnswerabilityModel.load(folder / "scope"),
            edition_confidence=EditionConfidence.load(folder / DRAFTS)
            if (folder / DRAFTS).exists()
            else EditionConfidence({}),
            parser=QuestionParser.load(folder / "questions", library, tables, cards.called),
            features=PassageFeatures.load(folder / "features"),
            analyzer=Analyzer(tables),
            general=_load_general(folder / GENERAL),
            cards=cards,
            rulings=RulingStore.load(folder / RULINGS),
            ruling_texts=RulingTexts.load(folder / RULING_TEXTS)
            if (folder / RULING_TEXTS).exists()
            else None,
            rules_texts=RulesTexts.load(folder / RULES_TEXTS)
            if (folder / RULES_TEXTS).exists()
            else None,
        )
        # Load now what the first question would wait for: the tables of the language detector and
        # the tokenizers of the likely languages.
        detect("wort")
        for language in index.parser.likely:
            tables[language].tokenizer.prepare()
        return index

    def searching(self, store: Store, encoder: Encoder) -> Index:
        """Return an index of the same rulebooks that searches another ``store``, built with
        ``encoder``; its confidence is not calibrated for them.
        """
        return Index(
            id=self.id,
            built=self.built,
            library=self.library,
            lookup=self.lookup,
            store=store,
            encoder=encoder,
            highlighter=self.highlighter,
            answerability=self.judge.answerability,
            edition_confidence=self.judge.edition_confidence,
            parser=self.parser,
            features=self.features,
            analyzer=self.analyzer,
        )

    def search(self, query: Query) -> SearchResult:
        """Return the ``query.depth`` passages that most likely settle the question, and the hits of
        other layers.

        Raises `NotFound` for an edition, game, document or step that is not in the index.
        """
        named = query.language or query.context
        if query.reader and not named and self.parser.is_name(query.question):
            query = replace(query, language=query.reader)
        if query.step is not None:
            query = self._at_step(query, query.step)
        everywhere = not (query.edition or query.game or query.document)
        if everywhere:
            named_games = map(self.parser.game_of, (query.question, *reversed(query.context)))
            query = replace(query, game=next(filter(None, named_games), None))
        if query.as_of is not None and not searched_editions(self.library, query):
            parsed = self.parser.parse(query.question, query.language)
            return SearchResult(
                query, parsed.language, (), 0.0, False, None, parsed, in_effect=False
            )
        follow_up = self.parser.follow_up(query.question, query.context, query.language)
        read, alone = query, None
        if follow_up:
            read = replace(query, question=follow_up.text)
            alone = replace(query, question=follow_up.alone)
        found = self._find(read, alone)
        game, language = self._told_by_cards(query, found.prepared.parsed, everywhere)
        if (game, language) != (query.game, query.language):
            query = replace(query, game=game, language=language)
            read = replace(read, game=game, language=language)
            found = self._find(read, alone and replace(alone, game=game, language=language))
        prepared = found.prepared
        found = self._without_cards(found, read)
        start = follow_up.start if follow_up else 0
        asked = [part for part in prepared.parsed.parts if part.span.start >= start]
        parts: list[RankedPassages] = []
        if len(asked) == len(prepared.parsed.parts):
            parts = self._find_parts(read, prepared)
        compares = bool(parts) and prepared.parsed.compares
        in_question = bool(query.game) or bool(parts) or alone is not None
        others = self._in_other_games(query, found) if everywhere and not in_question else []
        groups = parts_among_first(
            found, [*(part for part in parts if part.answered), *others], compares
        )
        if compares or others:
            found = replace(found, verdict=SEVERAL)
        if parts:
            lacks = all(part.lacking for part in parts)
            found = replace(found, lacking=parts[0].lacking if lacks else ())
        elsewhere = None
        if query.step is not None:
            whole = query.question
            elsewhere = self._part_result(
                QuestionPart(whole, Span(0, len(whole)), whole, whole),
                self._find(replace(read, offset=0), alone, elsewhere=True),
                None,
            )
        lacking = (*found.lacking, *(kind for part in parts for kind in part.lacking))
        settles_nothing = (
            found.about_rules
            and not found.lacking
            and not self.parser.asks_for_no_rule(prepared.parsed)
        )
        result = SearchResult(
            query=query,
            language=prepared.language,
            hits=self._hits(prepared, found.scope, found.scores, groups[: query.depth]),
            confidence=found.confidence,
            answered=found.answered,
            fallback=self._fallback(query, found.scope, groups) if settles_nothing else None,
            parsed=prepared.parsed,
            parts=tuple(
                self._part_result(part, each, follow_up)
                for part, each in zip(asked, parts, strict=bool(parts))
            ),
            generally=prepared.general is not None,
            lacking=tuple(dict.fromkeys(lacking)),
            follow_up=follow_up,
            elsewhere=elsewhere,
            more=len(groups) > query.depth,
            missing_rule=found.missing_rule,
            other_game=found.other_game,
        )
        return self.layers.add(result, self._asked(found), tuple(map(self._asked, parts)))

    def _without_cards(self, found: RankedPassages, query: Query) -> RankedPassages:
        """Return what is found for ``query`` without the names of cards if that answers with an
        entry that is among the first of ``found``: likely, since the card may say otherwise. Also
        return it if only ``found`` is answered: by words of a name.
        """
        entries = [self.library.searchable[group[0]].entry for group in found.groups]
        plain = self.layers.search.without_cards(
            found.prepared, found.scope.games, entries if found.answered else ()
        )
        if plain == found.prepared.parsed.text:
            return found
        language = found.prepared.language
        alone = self._find(replace(query, question=plain, language=language))
        first = self.library.searchable[alone.groups[0][0]].entry if alone.groups else ""
        if alone.answered and first in entries[:_AGREEING]:
            verdict = Likelihoods(*map(min, alone.verdict, SEVERAL))
            if first == entries[0]:
                verdict = Likelihoods(*map(max, verdict, found.verdict))
            return replace(alone, prepared=found.prepared, verdict=verdict)
        only_by_name = found.answered and not alone.answered
        return replace(alone, prepared=found.prepared) if only_by_name else found

    def _told_by_cards(
        self, query: Query, parsed: ParsedQuestion, everywhere: bool
    ) -> tuple[str | None, str | None]:
        """Return the game and the language of ``query``, completed by the cards that it names: the
        game if it searches ``everywhere``, the language if it is nothing but a card's name.
        """
        game, language = query.game, query.language
        if everywhere and not game:
            game = self.layers.search.game_of(parsed)
        if not (language or query.context or parsed.look_up):
            language = self.layers.search.language_of_name(parsed)
        return game, language

    def _at_step(self, query: Query, step: str) -> Query:
        """Return ``query`` limited to the edition of its ``step``. Raises `NotFound` if its filters
        exclude that edition.
        """
        timing_of(self.library).step(step)
        edition = step.partition("/")[0]
        asked = self.library.filter_editions(query.edition, query.game, query.document)
        if edition not in {each.id for each in asked}:
            raise NotFound(
                f"the step {step!r} is not in the edition, game or document that was asked for"
            )
        return replace(query, edition=edition)

    def _asked(self, found: RankedPassages) -> LayerQuestion:
        return LayerQuestion(
            found.prepared, found.scope.games, self.judge.kind_logit(found.prepared)
        )

    def _fallback(
        self, query: Query, scope: SearchScope, groups: list[list[int]]
    ) -> Passage | None:
        """Return the game's rule for cases that the rulebook does not settle, from the edition
        asked for or found; None if there is none or it was not in effect on the query's day.
        """
        best = self.lookup.edition(groups[0][0]).id if groups else scope.editions[0]
        found = self.library.fallback(query.edition or best)
        if found and query.as_of and found.entry.partition("/")[0] not in scope.editions:
            return None
        return found

    def _find_parts(self, query: Query, prepared: PreparedQuestion) -> list[RankedPassages]:
        """Return the passages for each of several questions in one text. Empty if the same passage
        is the best for all, or if they compare two things that no game has both of.
        """
        found = []
        if prepared.parsed.compares:
            game = self._game_of_both(prepared, query.game)
            if game is None:
                return []
            query = query if query.edition else replace(query, game=game)
        for part in prepared.parsed.parts:
            searched = replace(
                query,
                question=part.searched,
                language=prepared.language,
                k=_PART_PASSAGES,
                offset=0,
            )
            leans = part.alone != part.searched
            alone = replace(searched, question=part.alone) if leans else None
            found.append(self._find(searched, alone))
        best = {(part.groups[0][0], part.lacking) for part in found if part.groups}
        return found if len(best) > 1 or prepared.parsed.compares else []

    def _in_other_games(self, query: Query, found: RankedPassages) -> list[RankedPassages]:
        """Return the passages of other games that settle the question too, for a ``query`` that
        names no game; ``found`` are the passages of all games.
        """
        if not found.answered:
            return []
        first = self.lookup.edition(found.groups[0][0]).game
        if found.prepared.parsed.cards[first]:  # a card determines the game
            return []
        scores = np.zeros(len(self.lookup.editions))
        np.maximum.at(scores, edition_numbers(self.lookup, found.scope.numbers), found.scores)
        best: dict[str, float] = {}
        for edition, score in zip(self.lookup.editions, scores.tolist(), strict=True):
            best[edition.game] = max(best.get(edition.game, 0.0), score)
        near = sorted(
            (game for game in best if game != first and best[game] >= best[first] - _OTHER_GAME),
            key=lambda game: -best[game],
        )
        asked = [self._find(replace(query, game=game)) for game in near[:_OTHER_GAMES]]
        settled = Settlement.SETTLED
        return [each for each in asked if settlement(each.confidence, each.answered) is settled]

    def _other_game(self, parsed: ParsedQuestion, games: Sequence[str], number: int) -> str:
        """Return the game other than ``games`` that a question is about ("Bei Magic: …") if the
        rulebook of passage ``number`` does not mention it; otherwise "".
        """
        if (game := self.parser.other_game(parsed, games)) is None:
            return ""
        name = re.compile(rf"\b{re.escape(game)}\b", re.I)
        edition = self.lookup.edition_number(number)
        passages = range(*self.lookup.bounds[edition : edition + 2])
        speaks = any(name.search(self.library.searchable[n].display) for n in passages)
        return "" if speaks else game

    def _game_of_both(self, prepared: PreparedQuestion, game: str | None) -> str | None:
        """Return the most likely game, out of all or only ``game``, that has both things compared,
        or None.
        """
        games = [game] if game else None
        parsed = [
            self.parser.parse(part.alone, prepared.language, games)
            for part in prepared.parsed.parts
        ]
        first, second = ([s.game for s in p.look_up.senses] if p.look_up else [] for p in parsed)
        return next((game for game in first if game in second), None)

    def _part_result(
        self, part: QuestionPart, found: RankedPassages, follow_up: FollowUp | None
    ) -> PartResult:
        groups = found.groups[: found.wanted]
        return PartResult(
            question=part.asked,
            span=follow_up.in_question(part.span) if follow_up else part.span,
            confidence=found.confidence,
            answered=found.answered,
            hits=self._hits(found.prepared, found.scope, found.scores, groups),
        )

    def _find(
        self, query: Query, alone: Query | None = None, elsewhere: bool = False
    ) -> RankedPassages:
        """Find passages for one question, group those with the same words, and return the groups
        with the verdict on them.

        ``alone`` is the question without the context it depends on; the order is by the mean of the
        scores for both. If the query has a step, only passages of the step are found, or with
        ``elsewhere`` only the others.
        """
        scored = self._scored(query, alone, elsewhere)
        prepared, scope = scored.prepared, scored.scope
        parsed = prepared.parsed
        signals = QuestionSignals(self.scorer, prepared, scope)
        looked_up: list[int] = []
        if parsed.look_up is not None:
            looked_up = looked_up_passages(
                parsed.look_up, query.prefer or prepared.language, scope, self.library, self.lookup
            )
            if looked_up and asks_for_kinds(parsed.text, prepared.language):
                looked_up = kinds_first(looked_up, self.library, self.analyzer)
        listed: list[int] = []
        if parsed.listed is not None:
            listed = looked_up_passages(
                parsed.listed, query.prefer or prepared.language, scope, self.library, self.lookup
            )
        if not parsed.only_rules and (
            parsed.look_up is None
            or set(prepared.terms[prepared.language]).difference(
                self.analyzer.terms(parsed.look_up.name, prepared.language)
            )
        ):
            looked_up = signals.below_headings() or looked_up
        looked_up = listed or looked_up
        looked_up = list(dict.fromkeys((*self._explaining(scored), *looked_up)))
        rules: dict[CitedRule, NDArray[np.int64]] = {}
        missing: list[CitedRule] = []
        if prepared.asks_for_rule and not looked_up:
            rules = {rule: numbers for rule, numbers in signals.rules.items() if len(numbers)}
            missing = [
                rule
                for rule in parsed.rules
                if rule.is_sure and rule not in rules and (rule.label or parsed.only_rules)
            ]
        by_number = LOOKED_UP if rules else None
        if missing and not rules:
            first = self.lookup.of_rule.nearest(missing[0], scope.numbers, _NEAREST)
        elif rules and parsed.only_rules:
            first, shared = rule_passages(rules, scope, scored.scores, self.library, self.lookup)
            by_number = SEVERAL if shared else LOOKED_UP
        else:
            first = looked_up or asked_clause(
                parsed, scope, scored.scores, self.library, self.parser
            )
        scored = self._with_first(scored, first)
        groups = self._groups_of(query, scored)
        evidence = self.judge.evidence(scored)
        known = 1.0
        if groups and prepared.general is not None:
            known = self.scorer.known_share(prepared, groups[0][0])
        features = self.judge.features(scored, groups, evidence, known)
        other_game = self._other_game(parsed, scope.games, groups[0][0]) if groups else ""
        verdict = NOTHING_FOUND
        silent = other_game or missing or not groups
        if not silent and not self._is_superseded(query, groups[0][0]):
            verdict = by_number or self.judge.verdict(prepared, groups[0][0], looked_up, features)
            learned = verdict not in (LOOKED_UP, SEVERAL, NOTHING_FOUND)
            if learned and (asked := self.parser.asked_beside_story(parsed, scope.games)):
                plain = replace(query, question=asked, language=prepared.language)
                without_story = self._find(plain, elsewhere=elsewhere)
                if without_story.groups and without_story.groups[0] == groups[0]:
                    verdict = Likelihoods(*map(max, verdict, without_story.verdict))
        best = self.library.searchable[groups[0][0]] if is_answered(verdict) else None
        path = self.library.path(self.library.entry[best.entry]) if best else ()
        return RankedPassages(
            prepared=prepared,
            scope=scope,
            scores=scored.scores,
            groups=groups,
            wanted=query.depth,
            verdict=verdict,
            features=features,
            about_rules=is_about_rules(evidence) and not other_game,
            leans=alone is not None,
            lacking=boosts.lacking_documents(
                parsed, scope, self.lookup, best, " ".join(each.title for each in path)
            ),
            missing_rule=missing[0].printed if missing and (first or rules) else "",
            other_game=other_game,
        )

    def _explaining(self, scored: ScoredPassages) -> list[int]:
        """Return the passages that begin with the name whose meaning is asked; in editions with
        query variants, only those that begin with it in quotation marks.
        """
        scope = scored.scope
        places = top(scored.signals["words"].astype(np.float64), EXPLAINING)
        numbers = [
            number
            for number in scope.numbers[places].tolist()
            if not self.features.prepared[self.lookup.edition_number(number)]
            or QUOTED.match(self.library.searchable[number].display)
        ]
        return explaining_passages(
            scored.prepared, numbers, self.library, self.lookup, self.analyzer
        )

    def _scored(self, query: Query, alone: Query | None, elsewhere: bool) -> ScoredPassages:
        """Return the passages to search for ``query`` with scores; arguments as in `_find`."""
        asked = self._asked_in_scope(query)
        prepared, scope = asked.prepared, asked.scope
        signals, scores = asked.scored
        if alone:
            other = QuestionSignals(self.scorer, self.prepare(alone, scope), scope)
            scores = (scores + other.scored[1]) / 2
        unshifted = scores + boosts.named_boosts(asked)
        parsed = prepared.parsed
        scores = unshifted + boosts.document_boosts(parsed, scope, self.lookup)
        if self._prefers_newest(query):
            of_older = self._superseded[edition_numbers(self.lookup, scope.numbers)]
            scores += boosts.SUPERSEDED * of_older
        prefer = query.prefer or prepared.language
        scores = scores + boosts.preference(prefer, parsed, scope, self.lookup, scores)
        if self._general is not None and prepared.general_words is not None:
            best = top(scores, REREAD)
            new = ~self.features.prepared[edition_numbers(self.lookup, scope.numbers[best])]
            scores[best[new]] += self._general.added_by_words(
                prepared.general_words, scope.numbers[best[new]]
            )
        if query.step is not None:
            of_step = np.isin(scope.numbers, timing_of(self.library).numbers(query.step))
            wanted = of_step != elsewhere
            scope = replace(scope, numbers=scope.numbers[wanted], whole=False)
            signals = {name: values[wanted] for name, values in signals.items()}
            scores, unshifted = scores[wanted], unshifted[wanted]
        return ScoredPassages(prepared, scope, signals, unshifted, scores)

    def _with_first(self, scored: ScoredPassages, first: Sequence[int]) -> ScoredPassages:
        """Return ``scored`` with the passages ``first`` before all others. All scores are 0 if the
        question has only unknown words that no passage has, and there is no general encoder.
        """
        scores = scored.scores.copy()
        if first:
            scores[np.searchsorted(scored.scope.numbers, first)] = (
                scores.max() + np.arange(len(first), 0, -1) * _STEP
            )
        strange = [
            word for word in scored.prepared.parsed.strange if len(word) > 1 and not word.isdigit()
        ]
        if scored.prepared.parsed.strange and scored.prepared.general is None:
            sought = " ".join(strange)
            languages = scored.scope.languages if sought else ()
            terms = [self.analyzer.terms(sought, language) for language in languages]
            found = self.scorer.store.words(terms, scored.scope) if terms else []
            if not any(each.any() for each in found):
                scores[:] = 0.0
        return scored._replace(scores=scores)

    def _groups_of(self, query: Query, scored: ScoredPassages) -> list[list[int]]:
        scores = scored.scores
        shared = query.per_game is not None or query.per_language is not None
        order = top(scores, len(scores) if shared else query.depth + DUPLICATES_WITHIN)
        ranked = scored.scope.numbers[order[scores[order] > 0]]
        return self._groups.first(ranked, query.depth + 1, query.per_game, query.per_language)

    def _prefers_newest(self, query: Query) -> bool:
        """Return whether ``query`` leaves the version open: it has no edition, document, day or
        step. False if no edition has a newer version.
        """
        return bool(self._superseded.any()) and not (
            query.edition or query.document or query.as_of or query.step
        )

    def _is_superseded(self, query: Query, number: int) -> bool:
        """Return whether passage ``number`` is from an outdated version, which settles nothing, and
        ``query`` leaves the version open.
        """
        return self._prefers_newest(query) and bool(
            self._superseded[self.lookup.edition_number(number)]
        )

    def signals(self, query: Query) -> tuple[PreparedQuestion, NDArray[np.int64], Signals]:
        """Return the prepared question, the numbers of the passages scored, and their signals.
        Raises `NotFound`.
        """
        asked = self._asked_in_scope(query)
        return asked.prepared, asked.scope.numbers, asked.scored[0]

    def _asked_in_scope(self, query: Query) -> QuestionSignals:
        scope = self.scope(query)
        prepared = self.prepare(query, scope)
        scope = self.scorer.candidates(prepared, scope)
        if query.step is not None and not scope.whole:
            of_step = timing_of(self.library).numbers(query.step)
            scope = replace(scope, numbers=np.union1d(scope.numbers, of_step))
        return QuestionSignals(self.scorer, prepared, scope)

    def ranked(self, query: Query) -> RankedPassages:
        """Return the passages of rulebooks that are found for ``query``. Raises `NotFound` as
        `search` does.
        """
        return self._find(query)

    def asked_evidence(self, query: Query) -> dict[str, float]:
        """Return the `Judge.evidence` for ``query``. Raises `NotFound` as `search` does."""
        asked = self._asked_in_scope(query)
        signals, scores = asked.scored
        scores = scores + boosts.named_boosts(asked)
        return self.judge.evidence(
            ScoredPassages(asked.prepared, asked.scope, signals, scores, scores)
        )

    def _hits(
        self,
        prepared: PreparedQuestion,
        scope: SearchScope,
        scores: NDArray[np.float64],
        groups: list[list[int]],
    ) -> tuple[Hit, ...]:
        """Return a hit for each of ``groups``, with the score of its first passage."""
        shown = [self._groups.quoted(group) for group in groups]
        highlights = self.highlighter.highlights(shown, prepared)
        firsts = np.searchsorted(scope.numbers, [group[0] for group in groups])
        passages = self.library.searchable
        return tuple(
            [
                Hit(
                    passage=passages[number],
                    score=score,
                    highlights=spans,
                    duplicates=tuple([passages[each] for each in group if each != number]),
                )
                for group, number, score, spans in zip(
                    groups, shown, scores[firsts].tolist(), highlights, strict=True
                )
            ]
        )

    def prepare(self, query: Query, scope: SearchScope) -> PreparedQuestion:
        """Parse the question of ``query`` and make its index terms and vectors for a search in
        ``scope``.
        """
        parsed = self.parser.parse(query.question, query.language, scope.games)
        text = self.parser.reading_by_terms(parsed, scope.languages)
        prepared = prepare_question(parsed, text, scope.languages, self.analyzer, self.encoder)
        if self._general and self._general.covers(scope.numbers):
            vector, words = self._general.question(parsed.text)
            return replace(prepared, general=vector, general_words=words)
        return prepared

    def scope(self, query: Query) -> SearchScope:
        """Return the searchable passages that match the filters of ``query``. Raises `NotFound` as
        `search` does.
        """
        return self._scope(query.edition, query.game, query.document, query.as_of)


def _load_general(folder: Path) -> GeneralSimilarity | None:
    """Load the similarity by the general encoder and its model; None if the index has none or the
    encoder is not on this machine.
    """
    try:
        general = GeneralSimilarity.load(folder) if folder.exists() else None
        if general:
            general.question("wort")
        return general
    except EncoderNotFound as fault:
        _log.warning("answering without the general encoder: %s", fault)
        return None


def _filtered_scope(
    library: Library,
    scorer: SignalScorer,
    edition: str | None,
    game: str | None,
    document: str | None,
    as_of: str | None,
) -> SearchScope:
    """Return the searchable passages that match all filters. Raises `NotFound`."""
    query = Query("", edition=edition, game=game, document=document, as_of=as_of)
    editions = searched_editions(library, query)
    if not editions:
        raise NotFound(f"no edition that was asked for was in effect on {as_of}")
    return scorer.scope(frozenset(e.id for e in editions))
