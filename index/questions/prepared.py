"""Prepare a parsed question for a search: index terms, vectors and the passages to search."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from index.analysis import Analyzer, folded
from index.encoding.encoder import Encoder
from index.questions.asking_sentences import own_words
from index.questions.question_parser import ParsedQuestion

_RULE_WORDS = 8  # most words of a question that asks for a rule by number and hardly anything else

EditionRun = tuple[
    int, int
]  # editions with consecutive numbers: the first number, and the last number plus 1


@dataclass(frozen=True)
class PreparedQuestion:
    """A parsed question with the index terms and vectors that it is searched by.

    Attributes:
        terms: The index terms by the rules of each language.
        asking_terms: The same of the question sentences alone.
        vectors: Shape (m, dimensions): a row for the whole question, in which card text counts
            less, then a row for each question sentence if there are several.
        asking_words: The folded words of the question sentences.
        asking_word_vectors: The vector of each of these words.
        without_cards: Rows for the whole question and for the question sentences, both without
            names of cards; no rows if it names no card.
        story_words: The folded words outside question sentences and card text.
        card_words, card_terms: Words and terms that only the quoted card text has.
        general: The vector by the general encoder; None if no passage searched has one.
        general_words: A row for each word, if the general encoder has word vectors.
    """

    parsed: ParsedQuestion
    terms: dict[str, tuple[str, ...]]
    asking_terms: dict[str, tuple[str, ...]]
    vectors: NDArray[np.float32]
    asking_words: tuple[str, ...]
    asking_word_vectors: NDArray[np.float32]
    without_cards: NDArray[np.float32]
    story_words: tuple[str, ...]
    card_words: tuple[str, ...]
    card_terms: frozenset[str]
    general: NDArray[np.float32] | None = None
    general_words: NDArray[np.float32] | None = None

    @property
    def language(self) -> str:
        """The language of the question."""
        return self.parsed.language

    @property
    def asks_for_rule(self) -> bool:
        """Whether the question asks for a rule by number and hardly anything else."""
        parsed = self.parsed
        few = bool(parsed.rules) and len(self.asking_words) <= _RULE_WORDS
        return parsed.only_rules or few

    @property
    def vector(self) -> NDArray[np.float32]:
        """The vector of the whole question, shape (dimensions,)."""
        return np.asarray(self.vectors[0])

    def terms_in(self, language: str) -> list[str]:
        """Return the terms to search for in a rulebook in ``language``: terms by the rules of that
        language, then by those of the question's language.

        Players mix languages, and the query variants of a passage may be in another language than
        its text.
        """
        return list(dict.fromkeys((*self.terms[language], *self.terms[self.language])))

    def asking_terms_in(self, language: str) -> list[str]:
        """Return the same as `terms_in` for the question sentences alone."""
        return list(
            dict.fromkeys((*self.asking_terms[language], *self.asking_terms[self.language]))
        )


@dataclass(frozen=True)
class SearchScope:
    """The passages to search, by ascending ``numbers``.

    ``whole``: these are all passages of the ``editions`` (ids, in order), not only candidates.
    ``runs`` are the same editions as ranges of numbers.
    """

    numbers: NDArray[np.int64]
    editions: tuple[str, ...]
    runs: tuple[EditionRun, ...]
    languages: tuple[str, ...]
    games: tuple[str, ...]
    whole: bool = True


# Weight of the vector of the user's own words beside that of the whole question, which includes
# card text; cross-validated on the practice questions
_OWN = 0.5
# Terms besides names of cards from which a question asks for something: not "was gilt für …?"
_LEAST_TERMS = 2


def prepare_question(
    parsed: ParsedQuestion,
    reading: str,
    languages: Iterable[str],
    analyzer: Analyzer,
    encoder: Encoder,
) -> PreparedQuestion:
    """Return the ``parsed`` question with its vectors and its index terms by the rules of each of
    ``languages``.

    ``reading`` is the text to encode (`QuestionParser.reading_by_terms`): the question, sometimes
    preceded by official names.
    """
    languages = {*languages, parsed.language}
    asking = " ".join(parsed.asking_sentences)
    several = (
        parsed.asking_sentences
        if len(parsed.asking_sentences) > 1 and reading == parsed.text
        else ()
    )
    words = tuple(dict.fromkeys(folded(asking)))
    own, card_text = own_words(parsed.text, parsed.quotations)
    without_cards = _without_cards(parsed, analyzer)
    first = (reading, *several)
    vectors = encoder.questions([*first, *words, *without_cards, *([own] if card_text else [])])
    whole = vectors[: len(first)]
    if card_text:
        whole[0] = _between(whole[0], vectors[-1])
    terms = _terms(parsed.text, languages, analyzer)
    story = tuple(word for word in dict.fromkeys(folded(own)) if word not in words)
    behind = len(first) + len(words)
    return PreparedQuestion(
        parsed=parsed if reading == parsed.text else replace(parsed, folded=folded(reading)),
        terms=terms,
        asking_terms=terms if asking == parsed.text else _terms(asking, languages, analyzer),
        vectors=whole,
        asking_words=words,
        asking_word_vectors=vectors[len(first) : behind],
        without_cards=vectors[behind : behind + len(without_cards)],
        story_words=story,
        card_words=tuple(
            word
            for word in dict.fromkeys(folded(card_text))
            if word not in words and word not in story
        ),
        card_terms=_all_terms(card_text, languages, analyzer) - _all_terms(own, languages, analyzer)
        if card_text
        else frozenset(),
    )


def _terms(text: str, languages: Iterable[str], analyzer: Analyzer) -> dict[str, tuple[str, ...]]:
    return {language: tuple(analyzer.terms(text, language)) for language in languages}


def _all_terms(text: str, languages: Iterable[str], analyzer: Analyzer) -> frozenset[str]:
    return frozenset(term for language in languages for term in analyzer.terms(text, language))


def _between(whole: NDArray[np.float32], own: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the unit vector between the vectors ``whole`` and ``own``."""
    between = (1 - _OWN) * whole + _OWN * own
    return np.asarray(between / max(float(np.linalg.norm(between)), 1e-12), dtype=np.float32)


def _without_cards(parsed: ParsedQuestion, analyzer: Analyzer) -> tuple[str, ...]:
    """Return the text and its question sentences, both without names of cards; () if it names no
    card or is about a card alone.
    """
    spans = sorted(
        {(card.start, card.end) for cards in parsed.cards.values() for card in cards}, reverse=True
    )
    if not spans or parsed.only_card:
        return ()
    text, asking = parsed.text, " ".join(parsed.asking_sentences)
    for start, end in spans:
        asking = asking.replace(parsed.text[start:end], " ")
        text = text[:start] + " " + text[end:]
    return (text, asking) if len(analyzer.terms(asking, parsed.language)) >= _LEAST_TERMS else ()
