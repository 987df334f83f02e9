"""A question prepared for a search: its index terms and vectors, and the passages to search."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from index.analysis import Analyzer, folded
from index.encoding.encoder import Encoder
from index.questions.asking_sentences import own_words
from index.questions.question_parser import ParsedQuestion

_RULE_WORDS = 8  # of a question that asks for a rule by its number and hardly anything else

EditionRun = tuple[
    int, int
]  # some editions with consecutive numbers: the number of the first, and that behind the last


@dataclass(frozen=True)
class PreparedQuestion:
    """A parsed question with what it is searched by.

    ``terms`` are its index terms by the language whose rules they are made by, ``asking_terms``
    those of its asking sentences alone. ``vectors``, shape (m, dimensions), has a row for the whole
    question, in which card text counts less, and, where it asks several things, one for each of
    them; ``without_cards`` one for it and one for what it asks, both without the names of cards,
    where it has any. ``asking_words`` are the folded words of its asking sentences,
    ``asking_word_vectors`` the vector of each. ``story_words`` are the other folded words,
    ``card_words`` those that only card text in it has, and ``card_terms`` the terms. ``general`` is
    its vector by the general encoder, None where no passage that is searched has one, and
    ``general_words`` has a row for each of its words, where the encoder gives them.
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
        """Whether the question asks for a rule by its number and hardly anything else."""
        parsed = self.parsed
        few = bool(parsed.rules) and len(self.asking_words) <= _RULE_WORDS
        return parsed.only_rules or few

    @property
    def vector(self) -> NDArray[np.float32]:
        """The vector of the whole question, shape (dimensions,)."""
        return np.asarray(self.vectors[0])

    def terms_in(self, language: str) -> list[str]:
        """Return the terms to search for in a rulebook in ``language``: those made by its rules,
        then those made by the rules of the question's own language.

        Both, since players mix languages, and the query variants of a passage may be in another
        language than its text.
        """
        return list(dict.fromkeys((*self.terms[language], *self.terms[self.language])))

    def asking_terms_in(self, language: str) -> list[str]:
        """Return the same for the asking sentences alone."""
        return list(
            dict.fromkeys((*self.asking_terms[language], *self.asking_terms[self.language]))
        )


@dataclass(frozen=True)
class SearchScope:
    """The passages to search.

    ``numbers`` are their numbers, ascending; ``whole`` says whether these are all passages of the
    ``editions`` (ids, in order), or only candidates. ``runs`` are the editions by number,
    consecutive ones together.
    """

    numbers: NDArray[np.int64]
    editions: tuple[str, ...]
    runs: tuple[EditionRun, ...]
    languages: tuple[str, ...]
    games: tuple[str, ...]
    whole: bool = True


# What a vector of the text without card text counts beside that of all of it; by folds over the
# practice questions
_OWN = 0.5
# Of a question without the names of cards that asks for something: "was gilt für …?" does not
_LEAST_TERMS = 2


def prepare_question(
    parsed: ParsedQuestion,
    reading: str,
    languages: Iterable[str],
    analyzer: Analyzer,
    encoder: Encoder,
) -> PreparedQuestion:
    """Return the ``parsed`` question with its index terms by the rules of each of ``languages``,
    and its vectors.

    ``reading`` is the text that is compared with passages: that of the question, sometimes with
    official names before it (`QuestionParser.reading_by_terms`).
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
    """Return the unit vector between two."""
    between = (1 - _OWN) * whole + _OWN * own
    return np.asarray(between / max(float(np.linalg.norm(between)), 1e-12), dtype=np.float32)


def _without_cards(parsed: ParsedQuestion, analyzer: Analyzer) -> tuple[str, ...]:
    """Return the text and its asking sentences without the names of cards; nothing where it names
    none or is about nothing else.
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
