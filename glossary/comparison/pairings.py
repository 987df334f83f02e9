"""Passages that people have paired by hand, overriding the alignment. They are identified by their
text, as reviews are, so that a pairing holds in every version with the same words.
"""

from __future__ import annotations

import hashlib
import logging
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, StringConstraints, model_validator

from corpus.data_files import DataFileError, parsed_file, parsed_lines, written_lines
from corpus.model import Edition
from corpus.workspace import PAIRINGS
from glossary.comparison.fixed_rows import FixedRow, FixedRows
from glossary.comparison.passage_similarity import ruling_passages
from glossary.comparison.reviews import KEY_DIGITS, LONGEST_NAME, content
from glossary.model import RulebookView

_LOG = logging.getLogger(__name__)


class PairedPassage(BaseModel):
    """The identity of a passage: the id of its entry without the edition, and a fingerprint of its
    text, with a number if the entry repeats the text.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    entry: str
    content: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12}(-[1-9]\d{0,3})?$")]


class PairedSide(BaseModel):
    """The passages of one side; empty if those of the other side are to be rows of their own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    edition: str
    language: str
    passages: tuple[PairedPassage, ...] = ()


class Pairing(BaseModel):
    """A decision by a person: the passages of both sides belong together, or are rows of their
    own.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    left: PairedSide
    right: PairedSide
    by: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_NAME)
    ]
    date: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\d$")]

    @model_validator(mode="after")
    def _has_passages(self) -> Pairing:
        if not (self.left.passages or self.right.passages):
            raise ValueError("names no passage")
        return self

    @property
    def key(self) -> str:
        """The key of the pairing, in hexadecimal digits."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:KEY_DIGITS]

    def sides(self, left: Edition, right: Edition) -> tuple[PairedSide, PairedSide] | None:
        """Return the sides in the order of ``left`` and ``right``; None if the pairing does not
        apply to these editions.

        A pairing between two languages applies to any editions in them; one between two versions of
        one language only to these two.
        """
        versions = left.language == right.language
        for sides in ((self.left, self.right), (self.right, self.left)):
            named = [side.edition if versions else side.language for side in sides]
            if named == [e.id if versions else e.language for e in (left, right)] and (
                {side.language for side in sides} == {left.language, right.language}
            ):
                return sides
        return None


@dataclass(frozen=True, eq=False)
class PairingBook:
    """The pairings of a game, the latest last. `str` gives their hash, which tells apart
    comparisons and rendered files with different pairings.
    """

    pairings: tuple[Pairing, ...] = ()

    @cached_property
    def digest(self) -> str:
        """The hash of all pairings; "" if there are none."""
        text = written_lines(self.pairings)
        return hashlib.sha256(text.encode()).hexdigest()[:16] if text else ""

    def __str__(self) -> str:
        return self.digest

    def between(self, left: Edition, right: Edition) -> PairingBook:
        """Return the pairings that are about ``left`` and ``right``."""
        return PairingBook(tuple(each for each in self.pairings if each.sides(left, right)))


NO_PAIRINGS = PairingBook()


def parse_pairings(text: str) -> PairingBook:
    """Parse pairings in JSON Lines. Raises `DataFileError` at the first invalid line."""
    return PairingBook(tuple(parsed_lines(text, Pairing, "pairing")))


def load_pairings(home: Path | None, game: str) -> PairingBook:
    """Load the pairings of ``game`` from the workspace ``home``; empty if there is no workspace or
    no file. Raises `DataFileError` if the file is faulty.
    """
    if home is None:
        return NO_PAIRINGS
    return parsed_file(pairings_path(home, game), parse_pairings) or NO_PAIRINGS


def pairings_path(home: Path, game: str) -> Path:
    """Return the path of the pairings of ``game`` in the workspace ``home``."""
    return home.expanduser() / PAIRINGS / f"{game}.jsonl"


_last_good: dict[tuple[Path | None, str], PairingBook] = {}


def usable_pairings(home: Path | None, game: str) -> PairingBook:
    """Load pairings like `load_pairings`; if the file is faulty, log that and return the pairings
    last read from it.
    """
    key = (home, game)
    try:
        _last_good[key] = load_pairings(home, game)
    except DataFileError as fault:
        _LOG.warning("%s; what it said before holds until it is mended", fault)
    return _last_good.get(key, NO_PAIRINGS)


def name_passages(book: RulebookView) -> dict[str, PairedPassage]:
    """Return the identity of each compared passage of ``book``, by passage id."""
    found = {}
    for entry, passages in ruling_passages(book).items():
        seen: Counter[str] = Counter()
        for passage in passages:
            said = content(passage.display)
            if said:
                seen[said] += 1
                again = f"-{seen[said]}" if seen[said] > 1 else ""
                found[passage.id] = PairedPassage(
                    entry=entry.partition("/")[2], content=f"{said}{again}"
                )
    return found


class AppliedPairing(NamedTuple):
    """A pairing and the row that it makes; ``row`` is None if one of its texts is gone, or a later
    pairing contradicts it.
    """

    pairing: Pairing
    row: FixedRow | None


class PairingsOfEditions:
    """The pairings of a book, applied to two rulebooks."""

    def __init__(self, left: RulebookView, right: RulebookView, book: PairingBook):
        self._editions = left.edition, right.edition
        # Only if needed: names are computed from the text of every passage.
        books = (left, right) if book.pairings else ()
        self._finders = [_Finder(name_passages(each)) for each in books]
        taken: set[str] = set()
        applied = []
        for pairing in reversed(book.pairings):
            row = self._row(pairing)
            if row is not None:
                ids = {*row.left, *row.right}
                row = None if ids & taken else row
                taken |= ids if row else set()
            applied.append(AppliedPairing(pairing, row))
        self.applied: Sequence[AppliedPairing] = applied[::-1]

    @property
    def rows(self) -> FixedRows:
        """The rows that pairings make."""
        return FixedRows([each.row for each in self.applied if each.row])

    @cached_property
    def by_passage(self) -> Mapping[str, AppliedPairing]:
        """The pairings that apply, by the ids of the passages that they are about."""
        return {id: each for each in self.applied if each.row for side in each.row for id in side}

    def _row(self, pairing: Pairing) -> FixedRow | None:
        sides = pairing.sides(*self._editions)
        if sides is None:
            return None
        left, right = (
            tuple(finder.find(each) for each in side.passages)
            for finder, side in zip(self._finders, sides, strict=True)
        )
        if not all((*left, *right)):
            return None
        return FixedRow(*(tuple(filter(None, side)) for side in (left, right)))


class _Finder:
    """Finds passages by identity; in another entry only if the edition has the text once."""

    def __init__(self, names: Mapping[str, PairedPassage]):
        self._ids = {name: id for id, name in names.items()}
        self._anywhere: dict[str, list[str]] = defaultdict(list)
        for id, name in names.items():
            self._anywhere[name.content].append(id)

    def find(self, name: PairedPassage) -> str | None:
        same = self._anywhere.get(name.content, [])
        return self._ids.get(name) or (same[0] if len(same) == 1 else None)
