"""Entries by what they are called in print: each form of their headings, whatever capitals, umlauts
and endings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path

from corpus.model import Entry, Kind
from glossary.aliases import strip_qualifier
from glossary.normalization import SpellingCorrector, fold_umlauts, stem, tokenize
from index.analysis import plain
from index.files.name_tables import NameIndex
from index.library.library import Library

_NUMBER = re.compile(r"^[\d§][\d.]*\w?\.?\s+")
_DIGITS = re.compile(r"\d+")
_DIVIDED = re.compile(r"(?<!\s)(?:\s*+[,/;]\s*+|\s++[–—-]\s++)")
_BRACKETS = re.compile(r"(?<!\s)\s*+[(\[][^()\[\]]*+[)\]]")
_NAMES, _STEMS = "entry-names", "entry-stems"  # files
_LONGEST = 6  # words of a part of a heading that is a name by itself


class EntryNames:
    """The numbers of entries by game and name, and by the stems of the words of a name."""

    def __init__(self, names: NameIndex, stems: NameIndex):
        self._names, self._stems = names, stems
        self._corrector = lru_cache(maxsize=None)(partial(_corrector, names))

    @classmethod
    def build(cls, library: Library) -> EntryNames:
        """The names of the entries of ``library``."""
        names: dict[str, set[int]] = {}
        stems: dict[str, set[int]] = {}
        for number, entry in enumerate(library.entries):
            edition = library.edition[entry.edition]
            for name in dict.fromkeys(forms(entry)):
                if sought := comparable(name):
                    names.setdefault(f"{edition.game}\t{sought}", set()).add(number)
                    stems.setdefault(
                        f"{edition.game}\t{edition.language}\t{_stemmed(name, edition.language)}",
                        set(),
                    ).add(number)
        return cls(
            *(
                NameIndex.from_groups({name: sorted(found) for name, found in groups.items()})
                for groups in (names, stems)
            )
        )

    def called(self, game: str, name: str) -> list[int]:
        """The numbers of the entries of ``game`` that are called ``name``."""
        return [int(number) for number in self._names.numbers(f"{game}\t{comparable(name)}")]

    def inflected(self, game: str, name: str, languages: Sequence[str]) -> list[int]:
        """The numbers of the entries of ``game`` in one of ``languages`` whose name has the same
        stems as ``name``.
        """
        found = (
            self._stems.numbers(f"{game}\t{language}\t{_stemmed(name, language)}")
            for language in languages
        )
        return [int(number) for numbers in found for number in numbers]

    def misspelt(self, game: str, name: str) -> list[int]:
        """The numbers of the entries of ``game`` that ``name`` is a misspelt name of; another
        number is another name.
        """
        written = comparable(name)
        meant = self._corrector(game).nearest(written)
        if meant is None or (
            _DIGITS.search(meant) and _DIGITS.findall(meant) != _DIGITS.findall(written)
        ):
            return []
        return self.called(game, meant)

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        self._names.save(folder / _NAMES)
        self._stems.save(folder / _STEMS)

    @staticmethod
    def saved(folder: Path) -> bool:
        """Whether ``folder`` has what `save` writes; indexes of version 1.0 have not."""
        return any(folder.glob(f"{_NAMES}*"))

    @classmethod
    def load(cls, folder: Path) -> EntryNames:
        """What `save` wrote to ``folder``. Raises `OSError`, `ValueError` or `RuntimeError` where
        it is damaged.
        """
        return cls(NameIndex.load(folder / _NAMES), NameIndex.load(folder / _STEMS))


def _corrector(names: NameIndex, game: str) -> SpellingCorrector:
    beginning = f"{game}\t"
    return SpellingCorrector(name.removeprefix(beginning) for name in names.names(beginning))


def comparable(name: str) -> str:
    """``name`` in the form that names are compared in: its words in small letters, an umlaut as the
    vowel, typed out or not.
    """
    return fold_umlauts(plain(name))


def called_just(entry: Entry, name: str) -> bool:
    """Whether ``name`` is all that ``entry`` is called, but for a number and what is in
    brackets.
    """
    return comparable(_BRACKETS.sub("", _NUMBER.sub("", entry.title)).strip()) == comparable(name)


def _stemmed(name: str, language: str) -> str:
    return " ".join(stem(word.text, language) for word in tokenize(name))


def forms(entry: Entry) -> Iterator[str]:
    """What ``entry`` is called: its title, and each of several names in it, without numbers,
    qualifiers and remarks in brackets.
    """
    if entry.kind in (Kind.RULING, Kind.ERRATUM):
        if entry.card:
            yield entry.card
        return
    for heading in (entry.title, entry.heading):
        whole = _NUMBER.sub("", heading)
        yield whole
        bare = _BRACKETS.sub("", whole).strip()
        yield bare
        for part in _DIVIDED.split(bare):
            if part and len(part.split()) <= _LONGEST:
                yield part
                yield strip_qualifier(part)
