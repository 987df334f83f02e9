"""Find passages by edition, entry, rule, concept and card, and entries by their printed names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpus.draft import LONGEST
from corpus.model import Edition, Entry, Kind
from glossary.aliases import strip_qualifier
from glossary.normalization import SpellingCorrector, fold, fold_umlauts, stem, tokenize
from index.analysis import plain
from index.files.arrays import load_mapped
from index.files.records import NameIndex
from index.library.library import Library
from index.library.rule_numbers import RuleNumbers

_ARRAYS = {"bounds": "bounds", "entries": "entries", "beginnings": "is_first", "lengths": "lengths"}
_INDEXES = ("of_entry", "of_concept", "of_card")
_RULES = "of_rule"

_NUMBER = re.compile(r"^[\d§][\d.]*\w?\.?\s+")
_DIGITS = re.compile(r"\d+")
_DIVIDED = re.compile(r"(?<!\s)(?:\s*+[,/;]\s*+|\s++[–—-]\s++)")
_BRACKETS = re.compile(r"(?<!\s)\s*+[(\[][^()\[\]]*+[)\]]")
_PARAMETER = re.compile(r"(?<!\s)\s++[+-]?\[?X\]?\+?$")  # "Effektprobe X+", "Herausforderer +X"
_NAMES, _STEMS = "entry-names", "entry-stems"  # files
_LONGEST_NAME = 6  # words of a part of a heading that is a name by itself


@dataclass(frozen=True)
class PassageLookup:
    """Look-ups among the searchable passages of ``editions``; passages are numbered from 0.

    Attributes:
        bounds: The passages of edition i are those from ``bounds[i]`` up to ``bounds[i + 1]``.
        entries: The number of the entry of each passage.
        is_first: Whether a passage is the first of its entry.
        lengths: Lengths of passages on a logarithmic scale, 1 for the longest possible passage.
        of_entry: Passages by the id of their entry.
        of_rule: Passages by the printed number of their rule, and of the entries around it.
        of_concept: Passages by the concept that their entry or one around it is about.
        of_card: Rulings and errata by the printed number of their card.
    """

    editions: tuple[Edition, ...]
    bounds: NDArray[np.int64]
    entries: NDArray[np.int64]
    is_first: NDArray[np.bool_]
    lengths: NDArray[np.float32]
    of_entry: NameIndex
    of_rule: RuleNumbers
    of_concept: NameIndex
    of_card: NameIndex

    @classmethod
    def build(cls, library: Library) -> PassageLookup:
        """Make the look-ups of the searchable passages of ``library``."""
        is_first: list[bool] = []
        sizes: list[int] = []
        of_entry: dict[str, list[int]] = {}
        for number, passage in enumerate(library.searchable):
            of_entry.setdefault(passage.entry, []).append(number)
            is_first.append(passage.ordinal == 0)
            sizes.append(len(passage.text))
        of_concept: defaultdict[str, list[int]] = defaultdict(list)
        of_card: defaultdict[str, list[int]] = defaultdict(list)
        for id, numbers in of_entry.items():
            entry = library.entry[id]
            if entry.card:  # "1B-3B" is found by either number
                for printed in re.findall(r"\w+", fold(entry.number or "")):
                    of_card[printed] += numbers
            for around in library.path(entry):
                if around.id in library.concepts:
                    of_concept[library.concepts[around.id]] += numbers
        return cls(
            editions=library.editions,
            bounds=library.relations.bounds,
            entries=library.relations.owners[library.relations.searchable].astype(np.int64),
            is_first=np.array(is_first, dtype=np.bool_),
            lengths=length_scores(np.array(sizes, dtype=np.int64)),
            of_entry=NameIndex.from_groups(of_entry),
            of_rule=RuleNumbers.build(library, of_entry),
            of_concept=NameIndex.from_groups(of_concept),
            of_card=NameIndex.from_groups(of_card),
        )

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        for file, name in _ARRAYS.items():
            np.save(folder / f"{file}.npy", getattr(self, name))
        for name in _INDEXES:
            getattr(self, name).save(folder / name)
        self.of_rule.save(folder / _RULES)

    @classmethod
    def load(cls, folder: Path, editions: tuple[Edition, ...]) -> PassageLookup:
        """Map the look-ups of ``editions`` in ``folder`` into memory.

        Raises `OSError`, `ValueError` or `RuntimeError` if they are damaged.
        """
        fields: dict[str, Any] = {name: NameIndex.load(folder / name) for name in _INDEXES}
        fields |= {name: load_mapped(folder / f"{file}.npy") for file, name in _ARRAYS.items()}
        fields[_RULES] = RuleNumbers.load(folder / _RULES, fields["bounds"])
        return cls(editions, **fields)

    def __len__(self) -> int:
        return len(self.entries)

    def edition_number(self, number: int) -> int:
        """Return the number of the edition of passage ``number``."""
        return int(np.searchsorted(self.bounds, number, side="right")) - 1

    def edition(self, number: int) -> Edition:
        """Return the edition of passage ``number``."""
        return self.editions[self.edition_number(number)]

    @cached_property
    def in_language(self) -> dict[str, NDArray[np.bool_]]:
        """For each language, which passages are printed in it."""
        languages = np.array([edition.language for edition in self.editions])
        return {
            str(spoken): np.repeat(languages == spoken, np.diff(self.bounds))
            for spoken in np.unique(languages)
        }


def length_scores(characters: NDArray[np.integer]) -> NDArray[np.float32]:
    """Return the lengths of texts, given in ``characters``, on a logarithmic scale: 1 for the
    longest possible passage.
    """
    return np.asarray(np.log1p(characters.astype(np.float32)) / np.log1p(LONGEST), dtype=np.float32)


def positions(
    numbers: NDArray[np.int64], wanted: NDArray[np.integer] | Sequence[int]
) -> NDArray[np.integer]:
    """Return the positions of the ``wanted`` numbers, if found, in the ascending ``numbers``."""
    sought = wanted if isinstance(wanted, np.ndarray) else np.array(wanted, dtype=np.int64)
    if len(numbers) and numbers.item(-1) - numbers.item(0) == len(numbers) - 1:  # without a gap
        first, last = numbers.item(0), numbers.item(-1)
        return np.asarray(sought[(sought >= first) & (sought <= last)] - first)
    places = np.searchsorted(numbers, sought)
    present = places < len(numbers)
    present[present] = numbers[places[present]] == sought[present]
    return np.asarray(places[present])


class EntryNames:
    """The numbers of entries by game and name, and by the stems of the words of a name."""

    def __init__(self, names: NameIndex, stems: NameIndex):
        self._names, self._stems = names, stems
        self._corrector = lru_cache(maxsize=None)(partial(_corrector, names))

    @classmethod
    def build(cls, library: Library) -> EntryNames:
        """Gather the names of the entries of ``library``."""
        names: defaultdict[str, set[int]] = defaultdict(set)
        stems: defaultdict[str, set[int]] = defaultdict(set)
        for number, entry in enumerate(library.entries):
            edition = library.edition[entry.edition]
            for name in dict.fromkeys(forms(entry)):
                if sought := comparable(name):
                    stemmed = _stemmed(name, edition.language)
                    names[f"{edition.game}\t{sought}"].add(number)
                    stems[f"{edition.game}\t{edition.language}\t{stemmed}"].add(number)
        return cls(NameIndex.from_groups(names), NameIndex.from_groups(stems))

    def called(self, game: str, name: str) -> list[int]:
        """Return the numbers of the entries of ``game`` that are called ``name``."""
        return list(map(int, self._names.numbers(f"{game}\t{comparable(name)}")))

    def inflected(self, game: str, name: str, languages: Sequence[str]) -> list[int]:
        """Return the numbers of the entries of ``game``, in one of ``languages``, whose name has
        the same stems as ``name``.
        """
        keys = (f"{game}\t{language}\t{_stemmed(name, language)}" for language in languages)
        return [number for key in keys for number in self._stems.numbers(key).tolist()]

    def misspelt(self, game: str, name: str) -> list[int]:
        """Return the numbers of the entries of ``game`` whose name ``name`` misspells; "Phase 2" is
        no misspelt "Phase 1".
        """
        written = comparable(name)
        meant = self._corrector(game).nearest(written)
        numbered = meant is not None and _DIGITS.findall(meant)
        if meant is None or (numbered and numbered != _DIGITS.findall(written)):
            return []
        return self.called(game, meant)

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        self._names.save(folder / _NAMES)
        self._stems.save(folder / _STEMS)

    @classmethod
    def load(cls, folder: Path) -> EntryNames:
        """Map what `save` wrote to ``folder``.

        Raises `OSError`, `ValueError` or `RuntimeError` if it is damaged.
        """
        return cls(NameIndex.load(folder / _NAMES), NameIndex.load(folder / _STEMS))


def _corrector(names: NameIndex, game: str) -> SpellingCorrector:
    beginning = f"{game}\t"
    return SpellingCorrector(name.removeprefix(beginning) for name in names.names(beginning))


def comparable(name: str) -> str:
    """Return ``name`` in the form used for comparison, as plain words in lower case without
    umlauts: "Zäh" and "Zaeh" become "zah".
    """
    return fold_umlauts(plain(name))


def called_just(entry: Entry, name: str) -> bool:
    """Return whether ``name`` is the whole name of ``entry``, except for a number and brackets."""
    bare = _BRACKETS.sub("", _NUMBER.sub("", entry.title)).strip()
    return comparable(bare) == comparable(name)


def _stemmed(name: str, language: str) -> str:
    return " ".join(stem(word.text, language) for word in tokenize(name))


def forms(entry: Entry) -> Iterator[str]:
    """Yield the names of ``entry``: its title, and each of several names in it, without numbers,
    qualifiers and remarks in brackets.
    """
    if entry.kind in (Kind.RULING, Kind.ERRATUM):
        if entry.card:
            yield entry.card
        return
    for heading in (entry.title, entry.heading):
        whole = _NUMBER.sub("", heading)
        bare = _BRACKETS.sub("", whole).strip()
        yield from (whole, bare)
        for part in _DIVIDED.split(bare):
            if part and len(part.split()) <= _LONGEST_NAME:
                yield from (part, strip_qualifier(part), _PARAMETER.sub("", part))
