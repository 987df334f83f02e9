"""An index that answers questions.

The way of a question, and the names of what it becomes:

1. A `Query` (index.model) is a question in plain words with filters; `Index.scope` turns the filters into a `SearchScope`
   (index.questions.prepared), the passages that may be found.
2. `QuestionParser.parse` (index.questions.question_parser) reads the question: a `ParsedQuestion` has its language, its asking
   sentences, and the terms, cards and rules it names. `Index.prepare` adds index terms and vectors: a `PreparedQuestion`.
3. `SignalScorer.candidates` (index.ranking.signals) narrows a large scope to the passages worth
scoring, which its store finds.
4. `SignalScorer.score` computes the signals of each of them, by the store (index.store) and by what is known of each passage
   (index.library.passage_lookup, index.ranking.passage_features), and adds them up (index.ranking.fusion): the scores.
   `SignalScorer.bonuses` are added for what the question names.
5. `Index.search` groups passages with the same words, has the `Highlighter` mark what answers, and estimates how certain it is
   that one of them settles the question: a `SearchResult` (index.model) with its `Hit` objects, the best first. Where a text has
   several questions (index.questions.question_parts), each goes the same way by itself (index.several_questions).

In between, passages are numbers: the position of each in `Library.searchable`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.errors import NotFound
from corpus.languages import detect
from corpus.model import Passage, Span
from glossary.word_tables import WordTables
from index.analysis import Analyzer
from index.cards.card_store import FOLDER as CARDS
from index.cards.card_store import CardStore
from index.cards.printed_cards import PrintedCards
from index.encoding.encoder import Encoder, EncoderNotFound, HubEncoder, SubwordEncoder
from index.layered_answers import LayeredAnswers, LayerQuestion
from index.layers.layer_search import LayerSearch, blanked
from index.layers.rules_texts import RULES_TEXTS, RulesTexts
from index.layers.ruling_store import RULINGS, RulingStore
from index.layers.ruling_texts import RULING_TEXTS, RulingTexts
from index.library.library import Library, load_library
from index.library.passage_lookup import PassageLookup
from index.model import Hit, PartResult, Query, SearchResult
from index.passage_groups import DUPLICATES_WITHIN, PassageGroups
from index.questions.follow_up import FollowUp
from index.questions.preparation import prepare_question
from index.questions.prepared import PreparedQuestion, SearchScope
from index.questions.question_parser import ParsedQuestion, QuestionParser
from index.questions.question_parts import QuestionPart
from index.questions.term_reading import reading_by_terms
from index.ranking.answerability import AnswerabilityModel
from index.ranking.asked_clause import asked_clause
from index.ranking.confidence import (
    GENERAL_OUTSIDE,
    UNKNOWN_TERMS,
    estimate_confidence,
    is_about_rules,
    lead,
    term_words,
)
from index.ranking.document_matter import document_shift, lacking_kinds
from index.ranking.edition_confidence import DRAFTS, EditionConfidence
from index.ranking.fusion import top
from index.ranking.general_similarity import GENERAL, GeneralSimilarity
from index.ranking.highlights import Highlighter
from index.ranking.looked_up import looked_up_passages, nearest_rules
from index.ranking.passage_features import PassageFeatures
from index.ranking.preferred_language import preference_shift
from index.ranking.signals import Signals, SignalScorer, asks_only_for_rule
from index.ranking.verdict import (
    LOOKED_UP,
    NOTHING_FOUND,
    PHRASED,
    UNPHRASED,
    Likelihoods,
    estimate_verdict,
    is_answered,
    verdict_features,
)
from index.scopes import searched_editions, superseded_editions
from index.several_questions import RankedPassages, part_queries, parts_among_first
from index.store.factory import open_store
from index.store.protocol import Store
from index.timing.library_timing import timing_of

_SUPERSEDED_PENALTY = 0.5  # of scores up to `fusion.TOTAL`: what an older version alone says is found behind what the newest says
_STEP = 0.01  # between the scores of passages that are shown in a certain order
_FEW_OTHERS = 2  # words beside the name of a card in a question
_STEP_WORDS = 8  # of a question that asks for nothing but a step
_log = logging.getLogger(__name__)
_SCOPES = 16  # combinations of filters whose passages are cached


class _Scored(NamedTuple):
    """The passages that are searched with their signals and scores, shape (len(scope.numbers),)
    each.

    ``unshifted`` are the scores before documents, versions and languages that come first or last
    are taken into account.
    """

    prepared: PreparedQuestion
    scope: SearchScope
    signals: Signals
    unshifted: NDArray[np.float64]
    scores: NDArray[np.float64]


class Index:
    """Everything needed to answer questions, loaded from one snapshot folder; it never changes
    afterwards.
    """

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
        self.layers = LayeredAnswers(layer_search, library, encoder)
        self.scorer = SignalScorer(lookup, store, parser, features, analyzer, general)
        self._general = general
        self.waits = store.waits
        self.answerability = answerability
        self.edition_confidence = edition_confidence
        self.features = features
        superseded = superseded_editions(library.editions)
        self._superseded = np.array(
            [edition.id in superseded for edition in lookup.editions], dtype=bool
        )
        self._groups = PassageGroups(lookup, features, library.editions)
        # A cached function that does not refer to this object, so that an index that is replaced is
        # freed at once.
        self._scope = lru_cache(_SCOPES)(partial(_filtered_scope, library, self.scorer))

    @classmethod
    def load(cls, folder: Path, token: str = "") -> Index:
        """The index in a snapshot folder; ``token`` authenticates where its store is on another
        machine.

        Raises `OSError`, `ValueError`, `KeyError` or `RuntimeError` where it is damaged,
        `StoreUnreachable` where the store does not answer.
        """
        tables = WordTables.load(folder / "forms", folder / "stems")
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        library = load_library(folder)
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
            parser=QuestionParser.load(folder / "questions", library, tables),
            features=PassageFeatures.load(folder / "features"),
            analyzer=Analyzer(tables),
            general=_load_general(folder / GENERAL),
            cards=CardStore.load(folder / CARDS, tables),
            rulings=RulingStore.load(folder / RULINGS),
            ruling_texts=RulingTexts.load(folder / RULING_TEXTS)
            if (folder / RULING_TEXTS).exists()
            else None,
            rules_texts=RulesTexts.load(folder / RULES_TEXTS)
            if (folder / RULES_TEXTS).exists()
            else None,
        )
        # What the first question would wait for: the tables of the language detector, the
        # tokenizers of the likely languages.
        detect("wort")
        for language in index.parser.likely:
            tables[language].tokenizer.prepare()
        return index

    def searching(self, store: Store, encoder: Encoder) -> Index:
        """The rulebooks of the index with another ``store`` of their passages, made by ``encoder``;
        its confidence is that of neither.
        """
        return Index(
            id=self.id,
            built=self.built,
            library=self.library,
            lookup=self.lookup,
            store=store,
            encoder=encoder,
            highlighter=self.highlighter,
            answerability=self.answerability,
            edition_confidence=self.edition_confidence,
            parser=self.parser,
            features=self.features,
            analyzer=self.analyzer,
        )

    def search(self, query: Query) -> SearchResult:
        """The ``query.depth`` passages that most likely settle the question, the best first, and
        what is found in other layers.

        Raises `NotFound` for an edition, game or document that is not in the index.
        """
        if (
            query.reader
            and not (query.language or query.context)
            and self.parser.is_name(query.question)
        ):
            query = replace(query, language=query.reader)
        if query.step is not None:
            query = self._at_step(query, query.step)
        if query.as_of is not None and not searched_editions(self.library, query):
            parsed = self.parser.parse(query.question, query.language)
            return SearchResult(
                query, parsed.language, (), 0.0, False, None, parsed, in_effect=False
            )
        follow_up = self.parser.follow_up(query.question, query.context, query.language)
        read, alone = query, None
        if follow_up:
            read, alone = (
                replace(query, question=follow_up.text),
                replace(query, question=follow_up.alone),
            )
        found = self._find(read, alone)
        prepared = found.prepared
        asked = [
            part
            for part in prepared.parsed.parts
            if not follow_up or part.span.start >= follow_up.start
        ]
        parts = self._find_parts(read, prepared) if len(asked) == len(prepared.parsed.parts) else []
        groups = parts_among_first(found, [part for part in parts if part.answered])
        lacking = (
            (() if not all(part.lacking for part in parts) else parts[0].lacking)
            if parts
            else found.lacking
        )
        found = replace(found, lacking=lacking)
        result = SearchResult(
            query=query,
            language=prepared.language,
            hits=self._hits(prepared, found.scope, found.scores, groups[: query.depth]),
            confidence=found.confidence,
            answered=found.answered,
            fallback=self._fallback(query, found.scope, groups)
            if found.about_rules and not lacking
            else None,
            parsed=prepared.parsed,
            parts=tuple(
                self._part_result(part, each, follow_up)
                for part, each in zip(asked, parts, strict=True)
            )
            if parts
            else (),
            generally=prepared.general is not None,
            lacking=tuple(
                dict.fromkeys((*lacking, *(kind for part in parts for kind in part.lacking)))
            ),
            follow_up=follow_up,
            elsewhere=self._elsewhere(
                query.question, self._find(replace(read, offset=0), alone, elsewhere=True)
            )
            if query.step is not None
            else None,
            more=len(groups) > query.depth,
            missing_rule=found.missing_rule,
        )
        return self.layers.add(result, self._asked(found), tuple(map(self._asked, parts)))

    def _at_step(self, query: Query, step: str) -> Query:
        """``query`` within the edition of its ``step``. Raises `NotFound` where there is no such
        step in the edition that it asks for.
        """
        timing_of(self.library).step(step)
        edition = step.partition("/")[0]
        if edition not in {
            each.id
            for each in self.library.filter_editions(query.edition, query.game, query.document)
        }:
            raise NotFound(
                f"the step {step!r} is not in the edition, game or document that was asked for"
            )
        return replace(query, edition=edition)

    def _elsewhere(self, question: str, found: RankedPassages) -> PartResult:
        """What was ``found`` for a ``question`` among the passages that do not belong to the step
        that it is asked from.
        """
        return self._part_result(
            QuestionPart(question, Span(0, len(question)), question, question), found, None
        )

    def _asked(self, found: RankedPassages) -> LayerQuestion:
        return LayerQuestion(found.prepared, found.scope.games, self.kind_logit(found.prepared))

    def kind_logit(self, prepared: PreparedQuestion) -> float:
        """The log-odds that a question is of a kind that rulebooks settle at all, by its vector and
        by its words.
        """
        return self.answerability.logit(prepared.vector) + self.answerability.wording.logit(
            prepared.parsed.folded
        )

    def _fallback(
        self, query: Query, scope: SearchScope, groups: list[list[int]]
    ) -> Passage | None:
        """The rule for what nothing settles, of the edition asked for or found; as of a day, only
        of an edition that held then.
        """
        edition = query.edition or (
            self.lookup.edition(groups[0][0]).id if groups else scope.editions[0]
        )
        found = self.library.fallback(edition)
        return (
            None
            if found
            and query.as_of is not None
            and found.entry.partition("/")[0] not in scope.editions
            else found
        )

    def _find_parts(self, query: Query, prepared: PreparedQuestion) -> list[RankedPassages]:
        """What is found for each of several questions in one text; nothing where one passage is the
        best for all of them.

        The best passage counts for nothing where a question is for a document that is not here.
        """
        found = [self._find(each, alone) for each, alone in part_queries(query, prepared)]
        return (
            found
            if len({(part.groups[0][0], part.lacking) for part in found if part.groups}) > 1
            else []
        )

    def _part_result(
        self, part: QuestionPart, found: RankedPassages, follow_up: FollowUp | None
    ) -> PartResult:
        return PartResult(
            question=part.asked,
            span=follow_up.in_question(part.span) if follow_up else part.span,
            confidence=found.confidence,
            answered=found.answered,
            hits=self._hits(
                found.prepared, found.scope, found.scores, found.groups[: found.wanted]
            ),
        )

    def _find(
        self, query: Query, alone: Query | None = None, elsewhere: bool = False
    ) -> RankedPassages:
        """The groups of passages with the same words that are found for one question, and how
        certain it is that one settles it.

        ``alone`` is the question without what it leans on; both count alike for the order. Where
        the query has a step, only what belongs to it is found, or only the rest (``elsewhere``):
        scored alike, so that the one can be compared with the other.
        """
        scored = self._scored(query, alone, elsewhere)
        prepared, scope = scored.prepared, scored.scope
        looked_up = self._looked_up(query, prepared, scope)
        missing = (
            self.scorer.missing_rules(prepared.parsed, scope)
            if asks_only_for_rule(prepared) and not looked_up
            else []
        )
        has_other = len(missing) < len(prepared.parsed.rules)
        if missing and not has_other:
            first = nearest_rules(missing, scope, self.lookup)
        else:
            first = looked_up or asked_clause(
                prepared.parsed, scope, scored.scores, self.library, self.parser
            )
        scores, groups = self._ordered(query, scored, first)
        evidence = self.evidence(prepared, scope, scored.signals, scored.unshifted)
        features = (
            self._verdict_features(prepared, scope, scored.signals, scores, groups, evidence)
            if groups
            else {}
        )
        if not groups or missing:
            verdict = NOTHING_FOUND
        elif (
            self._prefers_newest(query)
            and self._superseded[self.lookup.edition_number(groups[0][0])]
        ):
            verdict = NOTHING_FOUND  # what an older version says, and the newest does not, no longer holds
        elif looked_up or asks_only_for_rule(prepared):
            verdict = LOOKED_UP
        elif self._is_of_card_alone(prepared.parsed, groups[0][0]) or self._is_other_step(
            prepared.parsed, groups[0][0]
        ):
            verdict = NOTHING_FOUND
        else:
            prepared_edition = self.features.prepared[self.lookup.edition_number(groups[0][0])]
            verdict = estimate_verdict(features, PHRASED if prepared_edition else UNPHRASED)
            if asked := self.parser.asked_beside_story(prepared.parsed, scope.games):
                found = self._find(
                    replace(query, question=asked, language=prepared.language), elsewhere=elsewhere
                )
                if found.groups and found.groups[0] == groups[0]:
                    verdict = Likelihoods(*map(max, verdict, found.verdict))
        best = self.library.searchable[groups[0][0]] if is_answered(verdict) else None
        return RankedPassages(
            prepared=prepared,
            scope=scope,
            scores=scores,
            groups=groups,
            wanted=query.depth,
            verdict=verdict,
            features=features,
            about_rules=is_about_rules(evidence),
            leans=alone is not None,
            lacking=lacking_kinds(prepared.parsed, scope, self.lookup, best),
            missing_rule=missing[0] if missing and (first or has_other) else "",
        )

    def _scored(self, query: Query, alone: Query | None, elsewhere: bool) -> _Scored:
        """What is searched for ``query`` with its scores; the arguments are those of `_find`."""
        prepared, scope, signals, scores = self._score(query)
        if alone:
            scores = (scores + self.scorer.score(self.prepare(alone, scope), scope)[1]) / 2
        unshifted = scores + self.scorer.bonuses(prepared, scope)
        scores = unshifted.copy()
        if (shift := document_shift(prepared.parsed, scope, self.lookup)) is not None:
            scores += shift
        if self._prefers_newest(query):
            scores -= (
                _SUPERSEDED_PENALTY
                * self._superseded[
                    np.searchsorted(self.lookup.bounds, scope.numbers, side="right") - 1
                ]
            )
        if (
            shift := preference_shift(
                query.prefer or prepared.language, prepared.parsed, scope, self.lookup, scores
            )
        ) is not None:
            scores += shift
        if query.step is not None:
            wanted = (
                np.isin(scope.numbers, timing_of(self.library).numbers(query.step)) != elsewhere
            )
            scope = replace(scope, numbers=scope.numbers[wanted], whole=False)
            signals = {name: values[wanted] for name, values in signals.items()}
            scores, unshifted = scores[wanted], unshifted[wanted]
        return _Scored(prepared, scope, signals, unshifted, scores)

    def _ordered(
        self, query: Query, scored: _Scored, first: Sequence[int]
    ) -> tuple[NDArray[np.float64], list[list[int]]]:
        """The scores, and the groups of passages in their order: the passages ``first``, then the
        others that have anything of it.
        """
        scope, scores = scored.scope, scored.scores
        if first:
            scores = scores.copy()
            scores[np.searchsorted(scope.numbers, first)] = (
                scores.max() + np.arange(len(first), 0, -1) * _STEP
            )
        strange = scored.prepared.parsed.strange
        if strange and not self._has_word(strange, scope):
            scores = np.zeros_like(scores)
        shared = query.per_game is not None or query.per_language is not None
        order = top(scores, len(scores) if shared else query.depth + DUPLICATES_WITHIN)
        ranked = scope.numbers[order[scores[order] > 0]]
        return scores, self._groups.first(
            ranked, query.depth + 1, query.per_game, query.per_language
        )

    def _verdict_features(
        self,
        prepared: PreparedQuestion,
        scope: SearchScope,
        signals: Mapping[str, NDArray[np.float32]],
        scores: NDArray[np.float64],
        groups: Sequence[Sequence[int]],
        evidence: Mapping[str, float],
    ) -> dict[str, float]:
        """What the verdict on ``groups``, the best first, is made of (`index.ranking.verdict`)."""
        passage, edition = self.library.searchable[groups[0][0]], self.lookup.edition(groups[0][0])
        return verdict_features(
            answerable=self.edition_confidence.combined(
                estimate_confidence(evidence), edition.id, evidence
            ),
            signals=signals,
            scores=scores,
            places=np.searchsorted(scope.numbers, [group[0] for group in groups[:3]]).tolist(),
            length=len(passage.text),
            explains_term=passage.entry in self.library.concepts,
            words=len(prepared.parsed.folded),
        )

    def _prefers_newest(self, query: Query) -> bool:
        """Whether the newest versions come first: ``query`` names neither an edition, a document, a
        day nor a step of an edition.
        """
        return bool(self._superseded.any()) and not (
            query.edition or query.document or query.as_of or query.step
        )

    def _is_of_card_alone(self, parsed: ParsedQuestion, number: int) -> bool:
        """Whether passage ``number`` is a ruling on a card that a short question names, and has
        none of its one or two other words.

        "What does Anchor cost?" is not answered by what rulebooks rule on Anchor, however few other
        passages are on it.
        """
        passage, edition = self.library.searchable[number], self.lookup.edition(number)
        if (
            not self.library.entry[passage.entry].card
            or parsed.asks_for_rulings
            or not any(parsed.cards.values())
        ):
            return False
        names = ((card.start, card.end) for cards in parsed.cards.values() for card in cards)
        others = set(self.analyzer.terms(blanked(parsed.text, names), parsed.language))
        if not 0 < len(others) <= _FEW_OTHERS or not others.isdisjoint(
            self.analyzer.terms(passage.text, parsed.language)
        ):
            return False
        asked = {mention.concept for mention in parsed.mentions.get(edition.game, ())}
        return asked.isdisjoint(
            each.concept
            for each in self.parser.recognisers[edition.game].mentions(
                passage.text, edition.language
            )
        )

    def _is_other_step(self, parsed: ParsedQuestion, number: int) -> bool:
        """Whether passage ``number`` is another step than one that a question asks for, or has
        nothing of it where that is all it asks.
        """
        step = int(self.features.steps[number])
        if not parsed.steps or step in parsed.steps:
            return False
        if step > 0:
            return True
        asked = parsed.steps & {int(word) for word in parsed.folded if word.isdecimal()}
        words = self.library.searchable[number].text.split()
        return (
            bool(asked)
            and len(parsed.folded) <= _STEP_WORDS
            and not any(word.strip("().,:") == str(each) for word in words for each in asked)
        )

    def _has_word(self, words: Sequence[str], scope: SearchScope) -> bool:
        """Whether a passage of ``scope`` or a phrasing of one has any of ``words``, letters and
        digits left aside.
        """
        sought = " ".join(word for word in words if len(word) > 1 and not word.isdigit())
        terms = (
            [self.analyzer.terms(sought, language) for language in scope.languages]
            if sought
            else []
        )
        return (
            any(scores.any() for scores in self.scorer.store.words(terms, scope))
            if terms
            else False
        )

    def _looked_up(self, query: Query, prepared: PreparedQuestion, scope: SearchScope) -> list[int]:
        """The passages of ``scope`` that a question looks up by name, in the order in which they
        are to be shown; mostly none.
        """
        look_up = prepared.parsed.look_up
        if look_up is None:
            return []
        return looked_up_passages(
            look_up, query.prefer or prepared.language, scope, self.library, self.lookup
        )

    def signals(self, query: Query) -> tuple[PreparedQuestion, NDArray[np.int64], Signals]:
        """The prepared question, the numbers of the passages scored, and their signals, shape
        (len(numbers),) each.

        Raises `NotFound` for an edition, game or document that is not in the index.
        """
        prepared, scope, signals, _ = self._score(query)
        return prepared, scope.numbers, signals

    def _score(
        self, query: Query
    ) -> tuple[PreparedQuestion, SearchScope, Signals, NDArray[np.float64]]:
        """The prepared question, the passages that are candidates, their signals and their
        scores.
        """
        scope = self.scope(query)
        prepared = self.prepare(query, scope)
        scope = self.scorer.candidates(prepared, scope)
        if query.step is not None and not scope.whole:
            scope = replace(
                scope,
                numbers=np.union1d(scope.numbers, timing_of(self.library).numbers(query.step)),
            )
        return prepared, scope, *self.scorer.score(prepared, scope)

    def ranked(self, query: Query) -> RankedPassages:
        """The passages of rulebooks that are found for ``query``. Raises `NotFound` as `search`
        does.
        """
        return self._find(query)

    def asked_evidence(self, query: Query) -> dict[str, float]:
        """The `evidence` for ``query``. Raises `NotFound` for an edition, game or document that is
        not in the index.
        """
        prepared, scope, signals, scores = self._score(query)
        return self.evidence(
            prepared, scope, signals, scores + self.scorer.bonuses(prepared, scope)
        )

    def evidence(
        self,
        prepared: PreparedQuestion,
        scope: SearchScope,
        signals: Mapping[str, NDArray[np.float32]],
        scores: NDArray[np.float64],
    ) -> dict[str, float]:
        """What `index.ranking.confidence` and `index.ranking.edition_confidence` see of a question.

        ``signals`` and ``scores`` are those of the passages scored, bonuses included.
        """
        vectors = signals["vectors"]
        game = (
            self.lookup.edition(int(scope.numbers[int(vectors.argmax())])).game
            if len(vectors)
            else ""
        )
        compared = [
            number
            for run in scope.runs
            for number in range(*run)
            if game in ("", self.lookup.editions[number].game)
        ]
        cosine = float(vectors.max(initial=0.0))
        general = self._general if prepared.general is not None else None
        outside = (
            {GENERAL_OUTSIDE: general.nearest_outside(prepared.general)}
            if general and prepared.general is not None
            else {}
        )
        return {
            **outside,
            "vectors": cosine,
            "nearness": self.answerability.nearness(cosine, compared),
            "phrasings": float(signals["phrasings"].max(initial=0.0)),
            "scope": self.answerability.logit(prepared.vector),
            "wording": self.answerability.wording.logit(prepared.parsed.folded),
            "terms": term_words(prepared.parsed, len(prepared.asking_words))
            if self.parser.knows_terms(scope.games)
            else UNKNOWN_TERMS,
            "lead": lead(scores),
        }

    def _hits(
        self,
        prepared: PreparedQuestion,
        scope: SearchScope,
        scores: NDArray[np.float64],
        groups: list[list[int]],
    ) -> tuple[Hit, ...]:
        """A hit for each of ``groups`` of passages with the same words, the score that of its first
        passage.
        """
        shown = [self._groups.quoted(group) for group in groups]
        highlights = self.highlighter.highlights(shown, prepared)
        passages = self.library.searchable
        group_scores = scores[
            np.searchsorted(scope.numbers, [group[0] for group in groups])
        ].tolist()
        return tuple(
            [
                Hit(
                    passage=passages[number],
                    score=score,
                    highlights=spans,
                    duplicates=tuple([passages[n] for n in group if n != number]),
                )
                for group, number, score, spans in zip(
                    groups, shown, group_scores, highlights, strict=True
                )
            ]
        )

    def prepare(self, query: Query, scope: SearchScope) -> PreparedQuestion:
        """The question of ``query``, parsed, with its index terms and vectors for a search in
        ``scope``.
        """
        parsed = self.parser.parse(query.question, query.language, scope.games)
        text = reading_by_terms(parsed, self.parser, scope.languages)
        prepared = prepare_question(parsed, text, scope.languages, self.analyzer, self.encoder)
        if self._general and self._general.covers(scope.numbers):
            return replace(prepared, general=self._general.question(query.question))
        return prepared

    def scope(self, query: Query) -> SearchScope:
        """The searchable passages that the filters of ``query`` let through.

        Raises `NotFound` for an edition, game or document that is not in the index.
        """
        return self._scope(query.edition, query.game, query.document, query.as_of)


def _load_general(folder: Path) -> GeneralSimilarity | None:
    """The similarity by the general encoder, None where the index has none, or its encoder is not
    on this machine: it is an extra.
    """
    try:
        return GeneralSimilarity.load(folder) if folder.exists() else None
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
    """The searchable passages that these filters let through. Raises `NotFound`."""
    query = Query("", edition=edition, game=game, document=document, as_of=as_of)
    editions = searched_editions(library, query)
    if not editions:
        raise NotFound(f"no edition that was asked for was in effect on {as_of}")
    return scorer.scope(frozenset(e.id for e in editions))
