"""Headings of two levels: which passages stand below the heading, and the one around it, that a
question names.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpus.model import Entry
from index.analysis import Analyzer
from index.files.arrays import load_mapped
from index.files.records import NameIndex
from index.library.library import Library

_AROUND = 2  # headings around an entry that count, beside the title of the document
_FEWEST = 2  # terms of a question that may be nothing but headings


class Headings:
    """The passages of a library by the headings that they stand below.

    ``around`` are those with a term in a heading around their entry that its own does not have,
    ``paths`` those whose own heading and one around it have all terms of the name, by language.
    ``sizes``, shape (n,), is the number of different terms of the heading of each passage.
    """

    def __init__(self, around: NameIndex, paths: NameIndex, sizes: NDArray[np.uint8]):
        self._around, self._paths, self._sizes = around, paths, sizes

    @classmethod
    def build(cls, library: Library, analyzer: Analyzer) -> Headings:
        """Gather the headings of the searchable passages of ``library``."""
        known: dict[str, frozenset[str]] = {}

        def terms(entry: Entry) -> frozenset[str]:
            if entry.id not in known:
                language = library.edition[entry.edition].language
                known[entry.id] = frozenset(analyzer.terms(entry.title, language))
            return known[entry.id]

        around: dict[str, array[int]] = {}
        paths: dict[str, array[int]] = {}
        sizes = array("B")
        for number, passage in enumerate(library.searchable):
            entry = library.entry[passage.entry]
            edition = library.edition[entry.edition]
            own = terms(entry)
            sizes.append(min(len(own), 255))
            above = [e for e in library.path(entry)[:-1] if e.title != edition.title][-_AROUND:]
            others = [terms(each) - own for each in above]
            for term in frozenset().union(*others):
                around.setdefault(f"{edition.language} {term}", array("i")).append(number)
            for each in {own | other for other in others if own and other}:
                paths.setdefault(_name(edition.language, each), array("i")).append(number)
        return cls(
            NameIndex.from_groups(around),
            NameIndex.from_groups(paths),
            np.array(sizes, dtype=np.uint8),
        )

    def below(self, language: str, terms: Iterable[str]) -> NDArray[np.int32]:
        """Return the passages in ``language`` whose headings of two levels have ``terms`` and no
        others.
        """
        different = frozenset(terms)
        return self._paths.numbers(_name(language, different if len(different) >= _FEWEST else ()))

    def around(self, term: str, language: str) -> NDArray[np.int32]:
        """Return the passages in ``language`` with ``term`` in a heading around their entry alone,
        ascending.
        """
        return self._around.numbers(f"{language} {term}")

    def sizes(self, numbers: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return how many different terms the headings of the passages ``numbers`` have."""
        return self._sizes[numbers]

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        self._around.save(folder / "around")
        self._paths.save(folder / "paths")
        np.save(folder / "sizes.npy", self._sizes)

    @classmethod
    def load(cls, folder: Path) -> Headings:
        """Return what `save` wrote to ``folder``. Raises `OSError`, `ValueError` or `RuntimeError`
        where it is damaged.
        """
        around, paths = (NameIndex.load(folder / name) for name in ("around", "paths"))
        return cls(around, paths, load_mapped(folder / "sizes.npy"))


def _name(language: str, terms: Iterable[str]) -> str:
    return f"{language} {' '.join(sorted(terms))}"
