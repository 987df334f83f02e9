"""Formats of a game that limit some of its rules: variants, modes, ways to play other than the
usual one.

A heading names a format by its words (``formats`` in the files of languages), by being in a section
on variants or modes, or because the edition's file says so. Everything under such a heading belongs
to its format. In a section on modes, labels at the beginning of paragraphs name formats too.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpus.languages import FALLBACK, any_of
from corpus.languages.schema import FormatWords
from corpus.model import Edition, Entry, Passage, Role
from glossary.string_trie import UNKNOWN
from index.files.arrays import load_mapped
from index.files.records import IdTable

KINDS = tuple(FormatWords.model_fields)[4:]  # that have names in the files of languages
_NEED_SETTING = frozenset({"solo", "expert"})  # alone they may name a card or a keyword
_MOST = 0.5  # share of an edition; a format that covers more of it is not special
_LABEL_WORDS = 4
_NUMBER = re.compile(
    rf"^\W*(?:{any_of('sections.appendix', 'labels.numbering')}\s+\w{{1,4}}[.:)]?"
    r"|\w{1,2}(?:\.\w{1,2})*[.):]|\d[\w.]*)\s+",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^\W*(?P<name>\w[^–—:\n]{2,40}?)(?:\s+[–—-]\s|:\s)")


@dataclass(frozen=True)
class SpecialFormat:
    """A format by its ``name`` as printed, without its number; ``entry`` is the id of the entry
    that names it.

    ``kinds`` are the `KINDS` that it belongs to; ``around`` is the position of the format that it
    is part of, -1 for none.
    """

    name: str
    entry: str
    kinds: tuple[str, ...] = ()
    around: int = UNKNOWN


@dataclass(frozen=True)
class SpecialFormats:
    """The special ``formats`` of a library; ``of_passage`` has for each passage, by number, the
    position of its format among them, -1 for none.
    """

    formats: tuple[SpecialFormat, ...]
    of_passage: NDArray[np.int32]

    @classmethod
    def build(
        cls,
        editions: Sequence[Edition],
        entries: Iterable[Entry],
        passages: Iterable[Passage],
        ids: IdTable,
    ) -> SpecialFormats:
        """Find the formats of ``editions``, from their ``entries`` and ``passages`` in document
        order; ``ids`` are those of the entries.
        """
        finder = _FormatFinder({edition.id: edition for edition in editions})
        of_entry = [finder.of_entry(entry) for entry in entries]
        formats, places, edition_of = finder.formats, [], []
        for passage in passages:
            number = ids.number(passage.entry)
            around = of_entry[number] if number != UNKNOWN else UNKNOWN
            places.append(finder.of_passage(passage, around))
            edition_of.append(passage.entry.partition("/")[0])
        # Without formats that most of an edition is about.
        sizes, counts = Counter(edition_of), Counter[int]()
        for place, count in Counter(place for place in places if place != UNKNOWN).items():
            while place != UNKNOWN:
                counts[place] += count
                place = formats[place].around
        main = {
            place
            for place, count in counts.items()
            if count > _MOST * sizes[formats[place].entry.partition("/")[0]]
        }
        of_passage = [UNKNOWN if place in main else place for place in places]
        return cls(
            tuple(replace(f, around=UNKNOWN) if f.around in main else f for f in formats),
            np.array(of_passage, dtype=np.int32),
        )

    @cached_property
    def editions(self) -> frozenset[str]:
        """The ids of the editions that have special formats."""
        return frozenset(each.entry.partition("/")[0] for each in self.formats)

    def of(self, number: int) -> SpecialFormat | None:
        """Return the format of passage ``number``, or None for a general rule."""
        place = int(self.of_passage[number]) if number < len(self.of_passage) else UNKNOWN
        return None if place == UNKNOWN else self.formats[place]

    def kinds(self, place: int) -> frozenset[str]:
        """Return the kinds of the format at ``place`` and of those it is a part of."""
        found: set[str] = set()
        while place != UNKNOWN:
            found.update(self.formats[place].kinds)
            place = self.formats[place].around
        return frozenset(found)

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        data = json.dumps([asdict(each) for each in self.formats], ensure_ascii=False)
        (folder / "formats.json").write_text(data, encoding="utf-8")
        np.save(folder / "format.npy", self.of_passage)

    @classmethod
    def load(cls, folder: Path) -> SpecialFormats:
        """Map what `save` wrote to ``folder``. Raises `OSError`, `ValueError` or `TypeError`."""
        data = json.loads((folder / "formats.json").read_text(encoding="utf-8"))
        formats = tuple(SpecialFormat(**{**each, "kinds": tuple(each["kinds"])}) for each in data)
        return cls(formats, load_mapped(folder / "format.npy"))


class _FormatFinder:
    """Finds the ``formats`` of entries and passages, which have to be given in document order."""

    def __init__(self, editions: Mapping[str, Edition]):
        self._editions = editions
        self.formats: list[SpecialFormat] = []
        self._of_entry: dict[str, int] = {}
        self._sections: dict[str, _FormatPatterns] = {}  # entries on modes or variants
        self._labelled = ("", UNKNOWN)  # an entry on modes, and the format its last label names

    def of_entry(self, entry: Entry) -> int:
        """Return the position of the format of ``entry``."""
        edition = self._editions[entry.edition]
        patterns = _patterns(edition.language)
        around = self._of_entry.get(entry.parent or "", UNKNOWN)
        # Without a number; "" for a rule that has nothing but a number.
        title = entry.title.removeprefix(entry.number or "").strip(" .:-–—")
        name = _NUMBER.sub("", title).strip(" .:-–—")
        place = around
        if entry.heading in edition.formats:
            told = edition.formats[entry.heading]
            place = UNKNOWN if told is None else self._add(told, entry.id, patterns, around)
        elif entry.card is None and name:
            within = entry.parent in self._sections
            variants = patterns.variants.fullmatch(name)
            if patterns.modes.fullmatch(name):
                self._sections[entry.id] = patterns
            elif variants or patterns.kinds(name) or (within and not patterns.is_usual(name)):
                place = self._add(name, entry.id, patterns, around)
                if variants:
                    self._sections[entry.id] = patterns
        if place != UNKNOWN:
            self._of_entry[entry.id] = place
        return place

    def of_passage(self, passage: Passage, place: int) -> int:
        """Return the position of the format of ``passage``; that of its entry is ``place``."""
        patterns = self._sections.get(passage.entry)
        if patterns is None:
            return place
        if self._labelled[0] != passage.entry:
            self._labelled = (passage.entry, place)
        label = _LABEL.match(passage.display)
        name = label["name"] if label and passage.role is Role.TEXT else ""
        if name and len(name.split()) <= _LABEL_WORDS and patterns.setting.search(name):
            if not patterns.is_usual(name):
                place = self._add(name, passage.entry, patterns, place)
            self._labelled = (passage.entry, place)
        return self._labelled[1]

    def _add(self, name: str, entry: str, patterns: _FormatPatterns, around: int) -> int:
        self.formats.append(SpecialFormat(name, entry, patterns.kinds(name), around))
        return len(self.formats) - 1


class _FormatPatterns:
    """Patterns of names of formats in a ``language``."""

    def __init__(self, language: str):
        def words(*names: str) -> str:
            languages = dict.fromkeys((language, FALLBACK))
            return f"(?:{'|'.join(any_of(*names, language=each) for each in languages)})"

        setting = words("formats.settings")
        self.modes = re.compile(words("formats.modes"), re.IGNORECASE)
        self.variants = re.compile(words("formats.variants"), re.IGNORECASE)
        self.usual = re.compile(words("formats.usual"), re.IGNORECASE)
        self.setting = re.compile(rf"(?:{setting}\b|\b{setting})", re.IGNORECASE)
        self._settings = re.compile(
            rf"^(?:{setting}[ -](?:\w{{1,3}} )?)+|[ -]?{setting}$", re.IGNORECASE
        )
        self._kinds = {
            kind: re.compile(
                rf"(?P<before>(?:{setting}[ -](?:\w{{1,3}} )?){{0,3}})"
                rf"{words(f'formats.{kind}.headings')}"
                rf"(?P<behind>(?:[ -]?{setting}){{0,3}})",
                re.IGNORECASE,
            )
            for kind in KINDS
        }

    def kinds(self, name: str) -> tuple[str, ...]:
        """Return the kinds of format that ``name`` names."""
        found = ((kind, pattern.fullmatch(name)) for kind, pattern in self._kinds.items())
        return tuple(
            kind
            for kind, match in found
            if match and (kind not in _NEED_SETTING or match["before"] or match["behind"])
        )

    def is_usual(self, name: str) -> bool:
        """Return whether ``name`` names the usual way to play: "Standard mode"."""
        return self.usual.match(self.telling(name)) is not None

    def telling(self, name: str) -> str:
        """Return the part of ``name`` that most names of formats lack: "Solo" of "Solo mode"; all
        of it if nothing would be left.
        """
        short = self._settings.sub("", name)
        return short if any(sign.isalnum() for sign in short) else name


@cache
def _patterns(language: str) -> _FormatPatterns:
    return _FormatPatterns(language)


def telling_words(name: str, language: str) -> str:
    """Return the part of the ``name`` of a format in ``language`` that few other names have."""
    return _patterns(language).telling(name)
