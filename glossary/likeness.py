"""How alike passages of two editions are: by what translations share, or, in one language, by their words too."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfTransformer

from corpus.model import Passage, Role
from glossary import words
from glossary.model import Book
from glossary.recognition import Mention, Recogniser

PLACE = 0.3  # what the same place within the entry counts beside the same content
LEAST = 0.25  # likeness, with place, that counterparts need

_NAME = 0.5  # a capital letter begins a name, or in German any noun


class Likeness:
    """The passages of two editions made comparable.

    What is the same in every language is compared - terms recognised, numbers, names, symbols - and in editions of one
    language their words, all weighted by rarity among ``left`` and ``right``. ``mentions`` are the terms recognised in
    each passage, by its display; those ``known`` from an earlier comparison are not looked for again, and new ones added to them.
    """

    def __init__(
        self,
        left: Sequence[Passage],
        right: Sequence[Passage],
        languages: tuple[str, str],
        recogniser: Recogniser,
        known: dict[str, tuple[Mention, ...]] | None = None,
    ):
        same = languages[0] == languages[1]
        self.mentions = {} if known is None else known
        signs = []
        for side, language in ((left, languages[0]), (right, languages[1])):
            for passage in side:
                if passage.display not in self.mentions:
                    self.mentions[passage.display] = recogniser.mentions(passage.display, language)
                signs.append(_signs(passage.display, self.mentions[passage.display], language if same else None))
        # Two versions of one edition have passages of the same id, so each side has rows of its own.
        self._rows = {p.id: i for i, p in enumerate(left)}, {p.id: len(left) + i for i, p in enumerate(right)}
        self._vectors = TfidfTransformer().fit_transform(DictVectorizer(dtype=np.float32).fit_transform(signs)) if signs else None

    def content(self, here: Sequence[Passage], there: Sequence[Passage]) -> NDArray[np.float64]:
        """The cosine of each passage of ``here``, on the left, with each of ``there``, on the right, shape (len(here), len(there))."""
        if self._vectors is None or not here or not there:
            return np.zeros((len(here), len(there)))
        rows = self._vectors[[self._rows[0][p.id] for p in here]]
        columns = self._vectors[[self._rows[1][p.id] for p in there]]
        return np.asarray((rows @ columns.T).toarray(), dtype=np.float64)

    def content_and_place(self, here: Sequence[Passage], there: Sequence[Passage]) -> NDArray[np.float64]:
        """`content` and, where they are all the passages of two entries, how near each other in them they stand."""

        def places(count: int) -> NDArray[np.float64]:
            return np.arange(count) / max(count - 1, 1)

        near = 1 - np.abs(places(len(here))[:, None] - places(len(there))[None, :])
        return self.content(here, there) + PLACE * near

    def assigned(self, here: Sequence[Passage], there: Sequence[Passage]) -> list[tuple[int, int, float]]:
        """Which passages of two entries are counterparts, by their numbers in ``here`` and ``there``, and how alike they are.

        Each has at most one: the assignment of the greatest total of `content_and_place` (Kuhn 1955), pairs under `LEAST`
        left out.
        """
        if not here or not there:
            return []
        alike = self.content_and_place(here, there)
        rows, columns = linear_sum_assignment(-alike)
        return [(int(i), int(j), float(alike[i, j])) for i, j in zip(rows, columns, strict=True) if alike[i, j] >= LEAST]


def texts_of(book: Book) -> dict[str, list[Passage]]:
    """The passages of each entry that can settle something, by entry id: no reference lists, no superseded wording."""
    found: dict[str, list[Passage]] = defaultdict(list)
    for passage in book.passages:
        if passage.role is Role.TEXT:
            found[passage.entry].append(passage)
    return found


def _signs(text: str, mentions: Sequence[Mention], language: str | None) -> dict[str, float]:
    """What ``text`` has in common with its translation, and where a ``language`` is given with its other versions in that."""
    signs: Counter[str] = Counter()
    for mention in mentions:
        signs[f"term {mention.concept}"] += mention.certainty  # type: ignore[assignment]
    for number in re.findall(r"\d+", text):
        signs[f"number {number}"] += 1
    for word in words.words(text):
        if word.text[0].isupper():
            signs[f"name {words.plain(word.text)}"] += _NAME  # type: ignore[assignment]
        if language:
            signs[f"word {words.stem(word.text, language)}"] += 1
    return {sign: float(count) for sign, count in signs.items()}
