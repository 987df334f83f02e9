"""Estimate how likely the passages found settle a question: by learned models, and by rules that
override them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from corpus.model import Kind
from glossary.normalization import tokenize
from index.analysis import Analyzer, plain
from index.library.library import Library
from index.library.passage_lookup import PassageLookup
from index.questions.asking_sentences import asks_for_order
from index.questions.look_up import asking_start
from index.questions.prepared import PreparedQuestion
from index.questions.question_parser import ParsedQuestion, QuestionParser
from index.ranking.amounts import asks_for_amount, lacks_measure
from index.ranking.answerability import AnswerabilityModel
from index.ranking.confidence import (
    GENERAL_OUTSIDE,
    UNKNOWN_TERMS,
    EditionConfidence,
    estimate_confidence,
    lead,
    term_words,
)
from index.ranking.general_similarity import GeneralSimilarity
from index.ranking.passage_features import PassageFeatures
from index.ranking.ranked import ScoredPassages
from index.ranking.verdict import (
    LOOKED_UP,
    NOTHING_FOUND,
    PHRASED,
    SEVERAL,
    UNPHRASED,
    Likelihoods,
    estimate_verdict,
    verdict_features,
)
from index.timing.steps import mark_of, texts_of

_FEW_OTHERS = 2  # most terms beside the name of a card in a question on that card
# Name and version of a card, up to four and eight words.
_FULL_NAME = re.compile(
    r"[A-ZÄÖÜÀ-Ý][\w'’.]*+(?: [\w'’.]++){0,3} [–—-] [A-ZÄÖÜÀ-Ý][\w'’.-]*+(?: [\w'’.-]++){0,7} ?\??"
)
_NUMBERED = re.compile(r"[\s•–-]*(?:\d|[a-z]\))")  # a step of a list, a numbered rule
_DASH = re.compile(" [–—-] ")
_OF_ANOTHER = 0.6  # greatest probability that a passage on something else settles the question
_COMPETING = 3  # passages
_STEP_WORDS = 8  # most words of a question for nothing but a step, or an erratum


class Judge:
    """Estimates how likely the search results of one index settle the question."""

    def __init__(
        self,
        library: Library,
        lookup: PassageLookup,
        features: PassageFeatures,
        parser: QuestionParser,
        analyzer: Analyzer,
        answerability: AnswerabilityModel,
        edition_confidence: EditionConfidence,
        general: GeneralSimilarity | None,
    ):
        self._library, self._lookup, self._features = library, lookup, features
        self._parser, self._analyzer = parser, analyzer
        self.answerability, self.edition_confidence = answerability, edition_confidence
        self._general = general

    def kind_logit(self, prepared: PreparedQuestion) -> float:
        """Return the log-odds that any rulebook settles such a question, by its vector and its
        words.
        """
        by_words: float = self.answerability.wording.logit(prepared.parsed.folded)
        return self.answerability.logit(prepared.vector) + by_words

    def evidence(self, scored: ScoredPassages) -> dict[str, float]:
        """Return the evidence for `index.ranking.confidence`, with the ``unshifted`` scores."""
        prepared, scope, signals = scored.prepared, scored.scope, scored.signals
        vectors = signals["vectors"]
        game = (
            self._lookup.edition(int(scope.numbers[int(vectors.argmax())])).game
            if len(vectors)
            else ""
        )
        compared = [
            number
            for run in scope.runs
            for number in range(*run)
            if game in ("", self._lookup.editions[number].game)
        ]
        cosine = float(vectors.max(initial=0.0))
        evidence = {
            "vectors": cosine,
            "nearness": self.answerability.nearness(cosine, compared),
            "phrasings": float(signals["phrasings"].max(initial=0.0)),
            "scope": self.answerability.logit(prepared.vector),
            "wording": self.answerability.wording.logit(prepared.parsed.folded),
            "terms": term_words(prepared.parsed, len(prepared.asking_words))
            if self._parser.knows_terms(scope.games)
            else UNKNOWN_TERMS,
            "lead": lead(scored.unshifted),
        }
        if self._general and prepared.general is not None:
            evidence[GENERAL_OUTSIDE] = self._general.nearest_outside(prepared.general)
        return evidence

    def features(
        self,
        scored: ScoredPassages,
        groups: Sequence[Sequence[int]],
        evidence: Mapping[str, float],
        known: float,
    ) -> dict[str, float]:
        """Return the features for the verdict on ``groups`` of passages, best first; {} without
        groups. ``known`` is the share of the question's words that the rulebook has.
        """
        if not groups:
            return {}
        passage = self._library.searchable[groups[0][0]]
        edition = self._lookup.edition(groups[0][0])
        firsts = self._competing([group[0] for group in groups])
        return verdict_features(
            answerable=self.edition_confidence.combined(
                estimate_confidence(evidence), edition.id, evidence
            ),
            signals=scored.signals,
            scores=scored.scores,
            places=np.searchsorted(scored.scope.numbers, firsts).tolist(),
            length=len(passage.display if passage.row else passage.text),
            explains_term=passage.entry in self._library.concepts,
            words=len(scored.prepared.parsed.folded),
            generally=scored.prepared.general is not None,
            known=known,
            amount=self._amount(scored.prepared, groups[0][0]),
        )

    def _competing(self, firsts: Sequence[int]) -> list[int]:
        """Return the first three passages of ``firsts``. Without query variants, of the rows of a
        table, which say nearly the same, only the best counts.
        """
        if self._features.prepared[self._lookup.edition_number(firsts[0])]:
            return list(firsts[:_COMPETING])
        found: dict[str | int, int] = {}
        for number in firsts:
            passage = self._library.searchable[number]
            found.setdefault(passage.entry if passage.row else number, number)
        return list(found.values())[:_COMPETING]

    def _amount(self, prepared: PreparedQuestion, number: int) -> float:
        """Return 1 if the question asks for a number and passage ``number`` may state it, -1 if the
        passage cannot, 0 if the question asks for no number.
        """
        if not asks_for_amount(prepared.asking_words, prepared.language):
            return 0.0
        if not self._features.amounts[number]:
            return -1.0
        language = self._lookup.edition(number).language
        if language != prepared.language:  # its words cannot be compared with the question's
            return 1.0
        text = self._library.searchable[number].display
        return -1.0 if lacks_measure(prepared.asking_words, text, language) else 1.0

    def verdict(
        self,
        prepared: PreparedQuestion,
        number: int,
        looked_up: Sequence[int],
        features: Mapping[str, float],
    ) -> Likelihoods:
        """Return the verdict on ``number``, the best passage: by rules or, if none applies, by the
        learned models. ``looked_up`` are the passages that the question looks up by name.
        """
        if self._lacks_erratum(prepared.parsed, number):
            return NOTHING_FOUND
        if (
            self._is_shared(looked_up)
            or self._is_on_card(prepared.parsed, looked_up)
            or self._lacks_steps(prepared, looked_up)
        ):
            return SEVERAL
        if looked_up or self._is_order_asked(prepared, number):
            return LOOKED_UP
        if (
            self._is_of_card_alone(prepared, number)
            or self._is_other_step(prepared.parsed, number)
            or self._is_unknown_card(prepared.parsed)
            or self._parser.asks_for_no_rule(prepared.parsed)
        ):
            return NOTHING_FOUND
        is_prepared = self._features.prepared[self._lookup.edition_number(number)]
        verdict = estimate_verdict(features, PHRASED if is_prepared else UNPHRASED)
        if self._is_unknown_name(prepared.parsed) or (
            not is_prepared and self._is_of_another(prepared, number)
        ):
            return verdict._replace(first=min(verdict.first, _OF_ANOTHER))
        return verdict

    def _lacks_steps(self, prepared: PreparedQuestion, looked_up: Sequence[int]) -> bool:
        """Return whether a question asks for the order of something ("Reihenfolge der Fähigkeiten")
        but none of the passages ``looked_up`` for it is numbered.
        """
        return (
            bool(looked_up)
            and asks_for_order(prepared.parsed.text, prepared.language)
            and not any(_NUMBERED.match(self._library.searchable[n].display) for n in looked_up)
        )

    def _is_order_asked(self, prepared: PreparedQuestion, number: int) -> bool:
        """Return whether a question asks for the steps of the heading of passage ``number``, and
        the passage is the lead-in of these steps.
        """
        if not asks_for_order(prepared.parsed.text, prepared.language):
            return False
        passage = self._library.searchable[number]
        entry = self._library.entry[passage.entry]
        language = self._lookup.edition(number).language
        named = set(self._analyzer.terms(entry.title, language))
        behind = [p for p in texts_of(self._library, entry) if p.ordinal > passage.ordinal]
        return (
            passage.display.rstrip().endswith(":")
            and bool(named)
            and named.issubset(prepared.terms.get(language, ()))
            and bool(behind)
            and mark_of(behind[0].display) == 1
        )

    def _is_unknown_card(self, parsed: ParsedQuestion) -> bool:
        """Return whether a question looks up the full name of an unknown card: "Elsa - Geist des
        Winters".
        """
        tokens = tokenize(parsed.text)
        first = len(asking_start(parsed.text, parsed.language))
        start = tokens[first].start if tokens else 0
        if not _FULL_NAME.fullmatch(parsed.text[start:].strip()):
            return False
        # Words of the version may be terms of some game: "Geist".
        dash = _DASH.search(parsed.text, start)
        terms = [m for mentions in parsed.mentions.values() for m in mentions]
        named = [m for m in terms if dash and m.start < dash.start()]
        return not any((*named, *parsed.cards.values(), parsed.card_numbers))

    def _is_unknown_name(self, parsed: ParsedQuestion) -> bool:
        """Return whether a question is only a name that no rulebook has: "Web-Shooter"."""
        named = (*parsed.mentions.values(), *parsed.cards.values(), parsed.card_numbers)
        return not any(named) and self._parser.is_name(parsed.text)

    def _is_of_another(self, prepared: PreparedQuestion, number: int) -> bool:
        """Return whether passage ``number`` is on another topic: the question names a heading that
        the passage does not mention, and not the passage's own heading.
        """
        edition = self._lookup.edition_number(number)
        language = self._lookup.editions[edition].language
        start, end = self._lookup.bounds[edition : edition + 2]
        path = self._library.path(self._library.entry[self._library.searchable[number].entry])
        own = set(self._analyzer.terms(path[-1].title, language))
        asked = set(prepared.asking_terms.get(language, ()))
        if not own or own & asked:
            return False
        titles = " ".join(entry.title for entry in path)
        text = f"{titles} {self._library.searchable[number].display}"
        for term in asked.difference(self._analyzer.terms(text, language)):
            titled = self._features.titled(term, language)
            inside = titled[(titled >= start) & (titled < end)].astype(np.int64)
            if (self._features.headings.sizes(inside) == 1).any():
                return True
        return False

    def _is_on_card(self, parsed: ParsedQuestion, looked_up: Sequence[int]) -> bool:
        """Return whether a question looks up a card without asking for rulings, but the passages
        ``looked_up`` are a rulebook's rulings or errata on it, not its text.
        """
        if parsed.asks_for_rulings or not looked_up:
            return False
        entry = self._library.entry[self._library.searchable[looked_up[0]].entry]
        return entry.kind in (Kind.RULING, Kind.ERRATUM) and entry.card is not None

    def _lacks_erratum(self, parsed: ParsedQuestion, number: int) -> bool:
        """Return whether a short question asks for the erratum of a card, but passage ``number`` is
        not an erratum.
        """
        entry = self._library.entry[self._library.searchable[number].entry]
        return (
            parsed.asks_for_errata
            and parsed.only_card
            and entry.kind is not Kind.ERRATUM
            and len(parsed.folded) <= _STEP_WORDS
        )

    def _is_shared(self, looked_up: Sequence[int]) -> bool:
        """Return whether several entries of one edition have the heading of the first passage
        ``looked_up``, so that it is unclear which one is meant.
        """
        owners = dict.fromkeys(self._library.searchable[number].entry for number in looked_up)
        entries = [self._library.entry[owner] for owner in owners]
        return any(
            each.edition == entries[0].edition and plain(each.title) == plain(entries[0].title)
            for each in entries[1:]
            if each.id not in self._library.concepts
        )

    def _is_of_card_alone(self, prepared: PreparedQuestion, number: int) -> bool:
        """Return whether passage ``number`` is a ruling on a card that a short question names, but
        has no other word of the question, or not the number that it asks for.

        A ruling on Anchor does not answer "What does Anchor cost?".
        """
        parsed = prepared.parsed
        passage, edition = self._library.searchable[number], self._lookup.edition(number)
        if (
            not self._library.entry[passage.entry].card
            or parsed.asks_for_rulings
            or not any(parsed.cards.values())
        ):
            return False
        text = parsed.text
        for card in (card for cards in parsed.cards.values() for card in cards):
            text = text[: card.start] + " " * (card.end - card.start) + text[card.end :]
        others = set(self._analyzer.terms(text, parsed.language))
        if not 0 < len(others) <= _FEW_OTHERS:
            return False
        if self._amount(prepared, number) < 0:
            return True
        if not others.isdisjoint(self._analyzer.terms(passage.text, parsed.language)):
            return False
        asked = {mention.concept for mention in parsed.mentions.get(edition.game, ())}
        recogniser = self._parser.recognisers[edition.game]
        mentions = recogniser.mentions(passage.text, edition.language)
        return asked.isdisjoint(mention.concept for mention in mentions)

    def _is_other_step(self, parsed: ParsedQuestion, number: int) -> bool:
        """Return whether passage ``number`` is another step than the question asks for, or does not
        mention the step although the question asks for nothing else.
        """
        step = int(self._features.steps[number])
        if not parsed.steps or step in parsed.steps:
            return False
        if step > 0:
            return True
        asked = parsed.steps & {int(word) for word in parsed.folded if word.isdecimal()}
        if not asked or len(parsed.folded) > _STEP_WORDS:
            return False
        words = {word.strip("().,:") for word in self._library.searchable[number].text.split()}
        return words.isdisjoint(map(str, asked))
