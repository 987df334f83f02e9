"""What ranking is given: a question made ready to be looked for, and the passages that are looked at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from index.questions.question_parser import ParsedQuestion

EditionRun = tuple[int, int]  # the first of some editions that stand one after the other, and the one behind the last


@dataclass(frozen=True)
class PreparedQuestion:
    """A question made ready to be looked for: as read, its terms by the language they are read in, its vectors.

    ``vectors`` has one row for the whole question and, where it asks several things, one for each, shape (m, dimensions).
    ``spelt`` are the words of its asking sentences, folded, and ``spelt_vectors`` those of each of them.
    """

    parsed: ParsedQuestion
    terms: dict[str, tuple[str, ...]]
    asking_terms: dict[str, tuple[str, ...]]
    vectors: NDArray[np.float32]
    asking_words: tuple[str, ...]
    asking_word_vectors: NDArray[np.float32]

    @property
    def language(self) -> str:
        """The language of the question."""
        return self.parsed.language

    @property
    def vector(self) -> NDArray[np.float32]:
        """The vector of the whole question, shape (dimensions,)."""
        return np.asarray(self.vectors[0])

    def terms_in(self, printed: str) -> list[str]:
        """Terms to look for in a rulebook ``printed`` in a language: players mix languages, and phrasings are in two."""
        return list(dict.fromkeys((*self.terms[printed], *self.terms[self.language])))

    def asking_terms_in(self, printed: str) -> list[str]:
        """The `words` of the asking sentences alone."""
        return list(dict.fromkeys((*self.asking_terms[printed], *self.asking_terms[self.language])))


@dataclass(frozen=True)
class SearchScope:
    """Where is looked: the numbers of the passages, ascending, the editions in order, the runs that these make, their languages and games.

    ``whole`` says whether ``numbers`` are all passages of these editions, or only those that come into question.
    """

    numbers: NDArray[np.int64]
    editions: tuple[str, ...]
    runs: tuple[EditionRun, ...]
    languages: tuple[str, ...]
    games: tuple[str, ...]
    whole: bool = True
