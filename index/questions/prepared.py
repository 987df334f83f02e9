"""What ranking works with: a question prepared for a search, and the passages to search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from index.questions.question_parser import ParsedQuestion

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
    its vector by the general encoder, None where no passage that is searched has one.
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

    @property
    def language(self) -> str:
        """The language of the question."""
        return self.parsed.language

    @property
    def vector(self) -> NDArray[np.float32]:
        """The vector of the whole question, shape (dimensions,)."""
        return np.asarray(self.vectors[0])

    def terms_in(self, language: str) -> list[str]:
        """The terms to search for in a rulebook in ``language``, also as terms of the question's
        own language.

        Players mix languages, and phrasings are in two.
        """
        return list(dict.fromkeys((*self.terms[language], *self.terms[self.language])))

    def asking_terms_in(self, language: str) -> list[str]:
        """The same for the asking sentences alone."""
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
