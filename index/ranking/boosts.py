"""Boosts: amounts added to the scores of passages regardless of their texts, for what a question
names or for where they come from.

All are on the scale of `index.ranking.fusion.TOTAL`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray

from corpus.languages import FALLBACK, any_of
from corpus.model import DocumentKind, Passage
from index.analysis import plain
from index.library.passage_lookup import PassageLookup, positions
from index.questions.prepared import SearchScope
from index.questions.question_parser import Asks, ParsedQuestion
from index.ranking.fusion import TOTAL
from index.ranking.signals import CERTAIN, QuestionSignals, edition_numbers

NUMBER = 3.0  # a rule or card asked for by number: more than all signals together
STEP = 2.0  # the step that is asked for, of a list about what the question mentions
DEFINITION = 0.35  # the beginning of the entry of the word whose meaning is asked
# The heading and one around it have words of the question: "Kosten" below "Verteidigung"
HEADINGS = 0.35
AMOUNT = 0.25  # it states a number where one is asked for: "how many"
CARD = 0.35  # rulings and errata of a named card; less or negative if it is only an example
# The same rule in the language of the question; `preference` adds to it within a game
LANGUAGE = 0.15
# The preferred language within the game of the best passage. Of 101 questions to rulebooks in two
# languages that ask for passages in the other one, 0.45 gives 97 one first, 0.15 gives 92.
PREFERRED = 0.45
DOCUMENT = TOTAL  # a question for a penalty wants the policy before any rule of the game
OTHER_DOCUMENT = -0.4  # other questions want the rule unless a policy is far better
OTHER_FORMAT = -0.2  # rules of a special format that is not asked for
SUPERSEDED = -0.5  # an older version, whose rule counts only if the newest says nothing

# Similarity of the question without the card's name to what is said of the card, minus that to the
# nearest other passage; and the share of the best passage's words: from "another matter" to "the
# same".
_NEARER = (-0.35, -0.15)
_WORDS = (0.4, 0.8)
_SIDES = (-1.0, 1.0)

_DOCUMENT_WORDS: Mapping[DocumentKind, str] = {
    DocumentKind.POLICY: "questions.policy",
    DocumentKind.FORMATS: "questions.formats",
}


def named_boosts(asked: QuestionSignals) -> NDArray[np.float64]:
    """Return the boosts for the things that a question names and for its language."""
    prepared, parsed, numbers = asked.prepared, asked.parsed, asked.scope.numbers
    lookup, features = asked.lookup, asked.features
    boosts = np.zeros(len(numbers))
    if parsed.language in lookup.in_language:
        boosts += LANGUAGE * lookup.in_language[parsed.language][numbers]
    boosts += HEADINGS * asked.headed()
    boosts += AMOUNT * asked.amounts()
    if len(features.formats.passages):
        boosts[positions(numbers, features.formats.unasked(prepared))] += OTHER_FORMAT
    if any(parsed.cards.values()):
        of_cards = asked.of_cards()
        boost = NUMBER if parsed.only_card else CARD * _about_cards(asked, of_cards > 0)
        boosts += boost * of_cards
    if parsed.rules:
        of_rules = asked.of_rules()
        boosts += NUMBER * of_rules
        if prepared.asks_for_rule:
            boosts += DEFINITION * of_rules * lookup.is_first[numbers]
    if parsed.card_numbers:
        boosts += NUMBER * asked.of_card_numbers()
    if parsed.steps:
        about = np.maximum(asked.about, asked.titled())
        boosts += STEP * about * np.isin(features.steps[numbers], list(parsed.steps))
    elif parsed.asks is Asks.DEFINITION:
        boosts += DEFINITION * (asked.about >= CERTAIN) * lookup.is_first[numbers]
    return boosts


def _about_cards(asked: QuestionSignals, named: NDArray[np.bool_]) -> float:
    """Return from -1 to 1 how much a question is about what the passages ``named`` say of its
    cards.

    ``named`` is a mask of the passages of the scope. They are compared only with other passages of
    their editions, since another edition may have the same ruling under another name of the card.
    """
    prepared, scope, scorer = asked.prepared, asked.scope, asked.scorer
    edition_of = np.searchsorted(scorer.lookup.bounds, scope.numbers, side="right")
    others = np.isin(edition_of, edition_of[named]) & ~named
    if not len(prepared.without_cards) or not named.any() or not others.any():
        return _SIDES[1]
    near = scorer.store.vectors(prepared.without_cards, scope)
    nearer = (near[:, named].max(axis=1) - near[:, others].max(axis=1)).max()
    about = float(np.interp(nearer, _NEARER, _SIDES))
    if about == _SIDES[1]:
        return about
    parsed = prepared.parsed
    names = {
        parsed.text[card.start : card.end] for cards in parsed.cards.values() for card in cards
    }
    terms = []
    for language in scope.languages:
        of_names = {
            term
            for name in names
            for spoken in (language, prepared.language)
            for term in scorer.name_terms(name, spoken)
        }
        terms.append([each for each in prepared.asking_terms_in(language) if each not in of_names])
    for words in scorer.store.words(terms, scope):
        share = float(words[named].max()) / max(float(words[others].max()), 1e-9)
        about = max(about, float(np.interp(share, _WORDS, _SIDES)))
    return about


def preference(
    prefer: str,
    parsed: ParsedQuestion,
    scope: SearchScope,
    lookup: PassageLookup,
    scores: NDArray[np.float64],
) -> NDArray[np.float64] | float:
    """Return the boosts for passages in the language ``prefer`` and of the game of the best
    passage, shape (len(scores),).

    They replace the boosts for the language of the question. Passages on a term that the question
    names count as passages in ``prefer`` if that language has none on the term. 0 if the game has
    nothing in the language: a rule of another game is no translation.
    """
    if prefer not in lookup.in_language or not len(scores):
        return 0.0
    game = lookup.edition(int(scope.numbers[int(scores.argmax())])).game
    of_game = np.array([edition.game == game for edition in lookup.editions])
    here = of_game[edition_numbers(lookup, scope.numbers)]
    preferred = here * lookup.in_language[prefer][scope.numbers]
    if not preferred.any():
        return 0.0
    asked = (
        here * lookup.in_language[parsed.language][scope.numbers]
        if parsed.language in lookup.in_language
        else 0.0
    )
    for mention in parsed.mentions.get(game, ()):
        named = positions(scope.numbers, lookup.of_concept.numbers(f"{game}/{mention.concept}"))
        if mention.certainty >= CERTAIN and not preferred[named].any():
            preferred[named] = 1.0
    return np.asarray(PREFERRED * preferred - LANGUAGE * asked, dtype=np.float64)


def document_boosts(
    parsed: ParsedQuestion, scope: SearchScope, lookup: PassageLookup
) -> NDArray[np.float64] | float:
    """Return the boosts for documents that are no rules, shape (len(scope.numbers),): positive if
    the question asks for them, else negative.
    """
    numbers = {number for run in scope.runs for number in range(*run)}
    kinds = {number: lookup.editions[number].kind for number in numbers}
    if len(set(kinds.values())) < 2:
        return 0.0
    asked = _asked_documents(parsed)
    unasked = [
        number
        for number, kind in kinds.items()
        if kind is not DocumentKind.RULES and kind not in asked
    ]
    wanted = [number for kind in asked for number in _editions_of(kind, parsed, scope, lookup)]
    edition_of = edition_numbers(lookup, scope.numbers)
    boosts = np.where(np.isin(edition_of, unasked), OTHER_DOCUMENT, 0.0)
    return np.where(np.isin(edition_of, wanted), DOCUMENT, boosts)


def lacking_documents(
    parsed: ParsedQuestion,
    scope: SearchScope,
    lookup: PassageLookup,
    best: Passage | None,
    headings: str = "",
) -> tuple[DocumentKind, ...]:
    """Return the kinds of documents that a question asks for and that ``scope`` does not have for
    its game.

    ``best`` is the passage of the rules that settles the question, None if there is none. A kind
    that it, or the ``headings`` around it, mentions is not lacking.
    """
    languages = {edition.id: edition.language for edition in lookup.editions}
    return tuple(
        kind
        for kind in _asked_documents(parsed)
        if not _editions_of(kind, parsed, scope, lookup)
        and (
            best is None
            or not speaks_of(
                kind, f"{headings} {best.text}", languages[best.entry.partition("/")[0]]
            )
        )
    )


def _asked_documents(parsed: ParsedQuestion) -> tuple[DocumentKind, ...]:
    asking = " ".join(parsed.asking_sentences)
    return tuple(kind for kind in _DOCUMENT_WORDS if speaks_of(kind, asking, parsed.language))


def speaks_of(kind: DocumentKind, text: str, language: str) -> bool:
    """Return whether ``text``, in ``language``, has a word, perhaps an English one, for the subject
    of documents of ``kind``.
    """
    return document_pattern(kind, language).search(plain(text)) is not None


@cache
def document_pattern(kind: DocumentKind, language: str) -> re.Pattern[str]:
    """Return a pattern of such a word in folded text."""
    words = "|".join(
        any_of(_DOCUMENT_WORDS[kind], language=each) for each in dict.fromkeys((language, FALLBACK))
    )
    return re.compile(rf"\b(?:{words})\b")


def _editions_of(
    kind: DocumentKind, parsed: ParsedQuestion, scope: SearchScope, lookup: PassageLookup
) -> set[int]:
    """Return the numbers of the editions of ``kind`` in ``scope`` for the games whose terms the
    question names, else for all.
    """
    named = {game for game, mentions in parsed.mentions.items() if mentions}
    games = named.intersection(scope.games) or set(scope.games)
    return {
        number
        for run in scope.runs
        for number in range(*run)
        if lookup.editions[number].kind is kind and lookup.editions[number].game in games
    }
