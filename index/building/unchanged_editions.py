"""Which editions are just as they were in the previous index, so that what was worked out of them
can be taken over.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeVar

from corpus.edition_files import described_editions
from corpus.languages import LANGUAGES, get_language
from corpus.model import Rulebook
from corpus.workspace import EDITIONS, data_files_of, workspace
from glossary.model import Reference
from index.building.fingerprints import build_program_hash
from index.building.reuse import PreviousIndex
from index.building.snapshots import file_digest
from index.files.program import program_hash
from index.library.indexed_texts import Run
from index.library.library import Library, load_library

T = TypeVar("T")

MARKS = "marks.json"


class EditionMarks(NamedTuple):
    """What is worked out of an edition depends on, in one hash each, besides the program and its
    data files.

    ``own`` stands for the document and the edition that it was read as, ``company`` for these, the
    other rulebooks of the game or in the same folder, and what else the game has in the workspace.
    """

    own: str
    company: str


def edition_marks(rulebooks: Sequence[Rulebook]) -> dict[str, EditionMarks]:
    """The marks of ``rulebooks`` by edition id."""
    data = hashlib.sha256(program_hash(("corpus", "glossary"), (".yaml", ".json", ".csv")).encode())
    data.update(
        f"{build_program_hash()} {''.join(get_language(code).model_dump_json() for code in LANGUAGES)}".encode()
    )
    own = {
        r.edition.id: _hash(
            data.hexdigest(),
            r.document.sha256,
            r.document.text_sha256,
            r.document.file,
            repr(r.edition),
        )
        for r in rulebooks
    }
    if (home := workspace()) is not None:
        for path in data_files_of(home):
            if (name := path.relative_to(home)).parts[
                0
            ] != EDITIONS:  # adding a rulebook adds one: those of other games mean nothing
                data.update(f"{name} {file_digest(path)}\n".encode("utf-8", "surrogateescape"))
    described = defaultdict(list)
    for each in described_editions():
        described[each.edition.game].append(repr(each))
    company: dict[str, list[str]] = defaultdict(list)
    for rulebook in rulebooks:
        for group in _groups(rulebook):
            company[group].append(own[rulebook.edition.id])
    return {
        r.edition.id: EditionMarks(
            own[r.edition.id],
            _hash(
                data.hexdigest(),
                own[r.edition.id],
                *described[r.edition.game],
                *(mark for group in _groups(r) for mark in company[group]),
            ),
        )
        for r in rulebooks
    }


def companions(some: Sequence[Rulebook], rulebooks: Sequence[Rulebook]) -> list[Rulebook]:
    """Those of ``rulebooks`` that are of the game of one of ``some`` or in its folder, themselves
    included, in their order.
    """
    groups = {group for rulebook in some for group in _groups(rulebook)}
    return [rulebook for rulebook in rulebooks if not groups.isdisjoint(_groups(rulebook))]


def _groups(rulebook: Rulebook) -> list[str]:
    """What makes other rulebooks its company: the game, and the folder that it lies in."""
    folder = rulebook.document.folder
    return [f"game {rulebook.edition.game}", *([f"folder {folder}"] if folder else [])]


def _marks(stored: bytes) -> dict[str, EditionMarks]:
    """The marks that were ``stored``, none where they are not what this program stores."""
    try:
        return {id: EditionMarks(*marks) for id, marks in json.loads(stored).items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def _hash(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


class UnchangedEditions:
    """The editions of ``rulebooks`` that the ``previous`` index has just the same; none where there
    is none.
    """

    def __init__(self, rulebooks: Sequence[Rulebook], previous: PreviousIndex | None):
        self.marks = edition_marks(rulebooks)
        self._previous = previous
        stored = self.read(MARKS)
        before = _marks(stored) if stored else {}
        self.alone = frozenset(
            id for id, marks in self.marks.items() if id in before and before[id].own == marks.own
        )
        self.in_company = frozenset(
            id for id, marks in self.marks.items() if before.get(id) == marks
        )

    @cached_property
    def _library(self) -> Library | None:
        """The library of the previous index, None where it is missing, damaged, or none that this
        program can read.
        """
        folder = self._previous.whole_folder("library", "library.json") if self._previous else None
        return _loaded(load_library, folder) if folder else None

    def references(self, edition: str) -> Sequence[Reference] | None:
        """The references printed in an ``edition``, None where they have to be found."""
        if edition not in self.in_company or self._library is None:
            return None
        return self._library.references_in(edition)

    def numbers(self, library: Library) -> dict[int, int]:
        """The numbers in ``library`` of editions that the previous index has just the same, each
        with its number there.
        """
        before = (
            {edition.id: number for number, edition in enumerate(self._library.editions)}
            if self._library
            else {}
        )
        here = {
            number: before[edition.id]
            for number, edition in enumerate(library.editions)
            if edition.id in self.alone & before.keys()
        }
        return {
            now: then
            for now, then in here.items()
            if self._length(library, now) == self._length(self._library, then)
        }

    def runs(self, library: Library) -> list[Run]:
        """The searchable passages of these editions."""
        return [
            Run(library.bounds[now], self._library.bounds[then], self._length(library, now))
            for now, then in self.numbers(library).items()
            if self._library is not None
        ]

    @staticmethod
    def _length(library: Library | None, edition: int) -> int:
        """The number of searchable passages of an ``edition``, by number."""
        return library.bounds[edition + 1] - library.bounds[edition] if library else 0

    def load(self, name: str, load: Callable[[Path], T]) -> T | None:
        """Load the part called ``name`` of the previous index, None where it is missing, damaged,
        or none that this program can read.
        """
        folder = self._previous.whole_folder(name) if self._previous else None
        return _loaded(load, folder / name) if folder else None

    def read(self, file: str) -> bytes | None:
        """Read a ``file`` of the previous index, None where it is missing or damaged."""
        return self._previous.read(file) if self._previous else None

    def save(self, folder: Path) -> None:
        """Write the marks to ``folder`` for the next build."""
        (folder / MARKS).write_text(json.dumps(self.marks), encoding="utf-8")


def _loaded(load: Callable[[Path], T], folder: Path) -> T | None:
    """What ``load`` makes of ``folder``, None where it cannot: what a library raises at content
    that it cannot read is anybody's guess.
    """
    try:
        return load(folder)
    except Exception:
        return None
