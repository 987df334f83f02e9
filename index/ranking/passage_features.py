"""Features of passages, computed when the index is built: words, step numbers, titles, headings,
special formats.
"""

from __future__ import annotations

import json
import mmap
import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpus.languages import FALLBACK, any_of, get_language
from corpus.model import Entry
from glossary.query_variants import fingerprint
from glossary.string_trie import UNKNOWN
from index.analysis import Analyzer, plain
from index.files.arrays import load_mapped
from index.files.records import NameIndex
from index.library.library import Library
from index.library.special_formats import KINDS, telling_words
from index.questions.prepared import PreparedQuestion
from index.ranking.amounts import states_amount

Places = Sequence[int]  # positions in `SpecialFormats.formats`


class AskedFormats:
    """The special formats (`index.library.special_formats`) that passages are limited to.

    A question asks for a format by the terms of its name, by a word for its kind, or by asking for
    the format that it is part of.

    Attributes:
        passages: The passages of special formats, ascending, shape (m,).
        formats: The format of each of these passages, shape (m,).
        around: The format that each format is part of, -1 for none, shape (formats,).
        needed: How many terms of its name a question needs to have, for each format.
        terms: The formats by language and term of the name.
        kinds: The formats of each kind.
    """

    def __init__(
        self,
        passages: NDArray[np.int64],
        formats: NDArray[np.int32],
        around: NDArray[np.int32],
        needed: Places,
        terms: Mapping[str, Mapping[str, Places]],
        kinds: Mapping[str, Places],
    ):
        self.passages, self.formats = passages, formats
        self.around, self.needed, self.terms, self.kinds = around, needed, terms, kinds

    @classmethod
    def build(cls, library: Library, analyzer: Analyzer) -> AskedFormats:
        """Collect the special formats of the searchable passages of ``library``."""
        special = library.formats
        of_passage = special.of_passage[library.relations.searchable]
        terms: dict[str, dict[str, list[int]]] = {}
        kinds: dict[str, list[int]] = {}
        needed = []
        for place, each in enumerate(special.formats):
            language = library.edition[library.entry[each.entry].edition].language
            of_name = dict.fromkeys(analyzer.terms(telling_words(each.name, language), language))
            needed.append(max(len(of_name), 1))
            for term in of_name:
                terms.setdefault(language, {}).setdefault(term, []).append(place)
            for kind in sorted(special.kinds(place)):
                kinds.setdefault(kind, []).append(place)
        passages = np.flatnonzero(of_passage != UNKNOWN)
        around = np.array([each.around for each in special.formats], dtype=np.int32)
        return cls(passages, of_passage[passages], around, needed, terms, kinds)

    def unasked(self, prepared: PreparedQuestion) -> NDArray[np.int64]:
        """Return the passages of special formats that a question does not ask for, ascending."""
        asked: set[int] = set()
        for language, terms in prepared.terms.items():
            known = self.terms.get(language, {})
            counts: dict[int, int] = {}
            for term in known.keys() & set(terms):
                for place in known[term]:
                    counts[place] = counts.get(place, 0) + 1
            asked.update(place for place, count in counts.items() if count >= self.needed[place])
        for kind in asked_kinds(prepared.parsed.folded, prepared.language):
            asked.update(self.kinds.get(kind, ()))
        if not asked:
            return self.passages
        chosen = np.fromiter(asked, dtype=np.int32)
        return self.passages[
            ~(np.isin(self.formats, chosen) | np.isin(self.around[self.formats], chosen))
        ]

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        np.save(folder / "passages.npy", self.passages)
        np.save(folder / "formats.npy", self.formats)
        np.save(folder / "around.npy", self.around)
        names = {"needed": self.needed, "terms": self.terms, "kinds": self.kinds}
        (folder / "names.json").write_text(json.dumps(names, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> AskedFormats:
        """Load the formats that `save` wrote. Raises `OSError`, `ValueError` or `KeyError` if they
        are damaged.
        """
        names = json.loads((folder / "names.json").read_text(encoding="utf-8"))
        passages, formats, around = (
            load_mapped(folder / f"{name}.npy") for name in ("passages", "formats", "around")
        )
        return cls(passages, formats, around, names["needed"], names["terms"], names["kinds"])


def asked_kinds(question: Iterable[str], language: str) -> frozenset[str]:
    """Return the kinds of formats that a ``question``, given as folded words in ``language``, asks
    about.
    """
    text = f" {' '.join(question)} "
    return frozenset(
        kind for kind, those in phrases(language) if any(phrase in text for phrase in those)
    )


@cache
def phrases(language: str) -> Sequence[tuple[str, Sequence[str]]]:
    """Return the phrases in ``language``, each after a blank, that ask for each kind of format."""
    formats, fallback = get_language(language).formats, get_language(FALLBACK).formats
    return [
        (
            kind,
            [
                f" {each}"
                for each in getattr(formats, kind).questions or getattr(fallback, kind).questions
            ],
        )
        for kind in KINDS
    ]


_RULE_NUMBER = re.compile(r"^\W*\d+(?:\.\d+)+\.?\s+")
EXCEPTION = re.compile(rf"\b{any_of('sentences.exceptions')}\b", re.IGNORECASE)
_STEP = re.compile(r"\W*(\d{1,2})[.)]")


class PassageFeatures:
    """Features of the searchable passages of a library, by passage number.

    Args:
        first_with_same_words: The number of the first passage with the same words, except the rule
            number, shape (n,).
        steps: The number that an item of a numbered list begins with, or -1, shape (n,).
        exceptions: Whether the passage makes an exception, shape (n,).
        amounts: Whether the passage states a number, shape (n,).
        plain: The folded words of all passages, with a blank before and after each; passage i
            begins at byte ``begin[i]``.
        titled: The passages of entries by language and term of the title.
        prepared: Which editions have query variants for most passages, shape (editions,).
        formats: The formats that passages are limited to.
        headings: The headings around the passages.
    """

    def __init__(
        self,
        first_with_same_words: NDArray[np.int32],
        steps: NDArray[np.int32],
        exceptions: NDArray[np.bool_],
        amounts: NDArray[np.bool_],
        begin: NDArray[np.int64],
        plain: bytes | mmap.mmap,
        titled: NameIndex,
        formats: AskedFormats,
        prepared: NDArray[np.bool_],
        headings: Headings,
    ):
        self.first_with_same_words, self.steps = first_with_same_words, steps
        self.exceptions, self.amounts = exceptions, amounts
        self.formats = formats
        self._begin, self._plain, self._titled = begin, plain, titled
        self.prepared, self.headings = prepared, headings

    @classmethod
    def build(
        cls, library: Library, analyzer: Analyzer, prepared: NDArray[np.bool_]
    ) -> PassageFeatures:
        """Compute the features of the passages of ``library``; ``prepared`` tells which editions
        have query variants.
        """
        first: dict[str, int] = {}
        same, steps = array("i"), array("i")
        exceptions, amounts = array("b"), array("b")
        text, begin = bytearray(), array("q", [0])
        titled: dict[str, array[int]] = {}
        for number, passage in enumerate(library.searchable):
            # Numbers in a table row need the table's header to be understood.
            printed = passage.display if passage.row else _RULE_NUMBER.sub("", passage.text)
            same.append(first.setdefault(fingerprint(printed), number))
            step = None if passage.row else _STEP.match(passage.display)
            steps.append(int(step.group(1)) if step else -1)
            exceptions.append(EXCEPTION.search(passage.display) is not None)
            text += f" {plain(passage.display)} \n".encode("utf-8", "surrogatepass")
            begin.append(len(text))
            entry = library.entry[passage.entry]
            language = library.edition[entry.edition].language
            amounts.append(states_amount(passage.display, language))
            for term in dict.fromkeys(analyzer.terms(entry.title, language)):
                titled.setdefault(f"{language} {term}", array("i")).append(number)
        return cls(
            np.array(same, dtype=np.int32),
            np.array(steps, dtype=np.int32),
            np.array(exceptions, dtype=np.bool_),
            np.array(amounts, dtype=np.bool_),
            np.array(begin, dtype=np.int64),
            bytes(text) or b"\n",
            NameIndex.from_groups(titled),
            AskedFormats.build(library, analyzer),
            prepared,
            Headings.build(library, analyzer),
        )

    def containing(self, words: str, among: NDArray[np.int64]) -> list[int]:
        """Return the passages, out of ``among`` (ascending), that contain ``words`` in this order;
        punctuation does not count.
        """
        wanted = f" {plain(words)} ".encode("utf-8", "surrogatepass")
        found: list[int] = []
        last = np.flatnonzero(
            np.diff(among, append=-1) != 1
        )  # the end of each run of consecutive passages
        first = among[np.r_[0, last[:-1] + 1]] if len(last) else among
        for start, end in zip(
            self._begin[first].tolist(), self._begin[among[last] + 1].tolist(), strict=True
        ):
            place = self._plain.find(wanted, start, end)
            while place >= 0:
                found.append(int(np.searchsorted(self._begin, place, side="right")) - 1)
                place = self._plain.find(wanted, int(self._begin[found[-1] + 1]), end)
        return found

    def titled(self, term: str, language: str) -> NDArray[np.int32]:
        """Return the passages of entries in ``language`` with ``term`` in the title, ascending."""
        return self._titled.numbers(f"{language} {term}")

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        for name, values in (
            ("same", self.first_with_same_words),
            ("steps", self.steps),
            ("exceptions", self.exceptions),
            ("amounts", self.amounts),
            ("begin", self._begin),
            ("prepared", self.prepared),
        ):
            np.save(folder / f"{name}.npy", values)
        (folder / "plain.txt").write_bytes(self._plain[:])
        self._titled.save(folder / "titled")
        self.formats.save(folder / "formats")
        self.headings.save(folder / "headings")

    @classmethod
    def load(cls, folder: Path) -> PassageFeatures:
        """Map the files of `save` into memory. Raises `OSError`, `ValueError` or `RuntimeError` if
        they are damaged.
        """
        names = ("same", "steps", "exceptions", "amounts", "begin", "prepared")
        same, steps, exceptions, amounts, begin, prepared = (
            load_mapped(folder / f"{name}.npy") for name in names
        )
        with (folder / "plain.txt").open("rb") as file:
            text = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return cls(
            same,
            steps,
            exceptions,
            amounts,
            begin,
            text,
            NameIndex.load(folder / "titled"),
            AskedFormats.load(folder / "formats"),
            prepared,
            Headings.load(folder / "headings"),
        )


_AROUND = 2  # headings above an entry that count, without the title of the document
_FEWEST = 2  # least terms of a question that may consist of headings


class Headings:
    """The passages of a library by their own heading and the headings above it.

    ``around`` has the passages by each term that is in a heading above, but not in their own;
    ``paths`` has them by all terms of their own heading and one above it. Both by language, too.
    ``sizes``, shape (n,), is the number of different terms in the heading of each passage.
    """

    def __init__(self, around: NameIndex, paths: NameIndex, sizes: NDArray[np.uint8]):
        self._around, self._paths, self._sizes = around, paths, sizes

    @classmethod
    def build(cls, library: Library, analyzer: Analyzer) -> Headings:
        """Collect the headings of the searchable passages of ``library``."""
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
        """Return the passages in ``language`` whose own heading and one above it together have
        exactly ``terms``.
        """
        different = frozenset(terms)
        return self._paths.numbers(_name(language, different if len(different) >= _FEWEST else ()))

    def around(self, term: str, language: str) -> NDArray[np.int32]:
        """Return the passages in ``language`` with ``term`` in a heading above, but not in their
        own, ascending.
        """
        return self._around.numbers(f"{language} {term}")

    def sizes(self, numbers: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return the number of different terms in the own heading of each passage ``numbers``."""
        return self._sizes[numbers]

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        self._around.save(folder / "around")
        self._paths.save(folder / "paths")
        np.save(folder / "sizes.npy", self._sizes)

    @classmethod
    def load(cls, folder: Path) -> Headings:
        """Load the headings that `save` wrote. Raises `OSError`, `ValueError` or `RuntimeError` if
        they are damaged.
        """
        around, paths = (NameIndex.load(folder / name) for name in ("around", "paths"))
        return cls(around, paths, load_mapped(folder / "sizes.npy"))


def _name(language: str, terms: Iterable[str]) -> str:
    return f"{language} {' '.join(sorted(terms))}"
