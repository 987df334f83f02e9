"""Boosts: amounts added to the scores of passages that a question names, or by the document,
version or language they are from.

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
STEP = 2.0  # the step asked for by number, in a list about a thing that the question mentions
DEFINITION = 0.35  # the beginning of the entry of the word whose meaning is asked
# The heading and a heading above it have words of the question: "Kosten" below "Verteidigung"
HEADINGS = 0.35
AMOUNT = 0.25  # a passage that states a number if the question asks for one: "how many"
CARD = 0.35  # rulings and errata of a named card; less or negative if the card is only an example
# The same rule in the language of the question; `preference` adds to it within a game
LANGUAGE = 0.15
# The preferred language within the game of the best passage. Of 101 questions that prefer the other
# language of a game, 97 get a passage in it first with 0.45, 92 with 0.15.
PREFERRED = 0.45
DOCUMENT = TOTAL  # a question for a penalty wants the policy before any rule of the game
OTHER_DOCUMENT = -0.4  # other questions want the rule unless a policy is far better
OTHER_FORMAT = -0.2  # rules of a special format that is not asked for
SUPERSEDED = -0.5  # an older version, whose rule counts only if the newest says nothing

# From "the card is only an example" to "about the card": similarity of the question, without the
# card's name, to passages on the card minus that to other passages; and the ratio of their BM25.
_NEARER = (-0.35, -0.15)
_WORDS = (0.4, 0.8)
_SIDES = (-1.0, 1.0)

_DOCUMENT_WORDS: Mapping[DocumentKind, str] = {
    DocumentKind.POLICY: "questions.policy",
    DocumentKind.FORMATS: "questions.formats",
}


def named_boosts(asked: QuestionSignals) -> NDArray[np.float64]:
    """Return the boosts for things that the question names and for its language, shape
    (len(scope.numbers),).
    """
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
    """Return how much a question is about its cards: 1, or as low as -1 if they are only examples.

    ``named`` is a mask of the passages of the scope on these cards. They are compared only with
    others of the same editions: another edition may have the same ruling under another name.
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
    """Return the boosts for passages in the language ``prefer``, within the game of the best
    passage, shape (len(scores),); 0 if the game has no passages in the language.

    They replace the boosts for the language of the question. If ``prefer`` has no passage on a term
    that the question names, passages on it in other languages get the boost.
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
    """Return the boosts for documents other than rules (policies, formats), shape
    (len(scope.numbers),): positive if the question asks for them, otherwise negative.
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
    """Return the kinds of documents that a question asks for and that ``scope`` lacks for its game.

    ``best`` is the passage that settles the question, or None. A kind whose subject ``best`` or the
    ``headings`` around it mention is not lacking.
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
    """Return whether ``text`` has a word, in ``language`` or English, for the subject of documents
    of ``kind``: "penalty" for a policy.
    """
    return document_pattern(kind, language).search(plain(text)) is not None


@cache
def document_pattern(kind: DocumentKind, language: str) -> re.Pattern[str]:
    """Return the pattern that `speaks_of` searches for in folded text."""
    words = "|".join(
        any_of(_DOCUMENT_WORDS[kind], language=each) for each in dict.fromkeys((language, FALLBACK))
    )
    return re.compile(rf"\b(?:{words})\b")


def _editions_of(
    kind: DocumentKind, parsed: ParsedQuestion, scope: SearchScope, lookup: PassageLookup
) -> set[int]:
    """Return the numbers of the editions of ``kind`` in ``scope``, for the games whose terms the
    question names, or all games if it names none.
    """
    named = {game for game, mentions in parsed.mentions.items() if mentions}
    games = named.intersection(scope.games) or set(scope.games)
    return {
        number
        for run in scope.runs
        for number in range(*run)
        if lookup.editions[number].kind is kind and lookup.editions[number].game in games
    }
