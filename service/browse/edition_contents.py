"""An edition laid out for leafing through: its glossary from A to Z, its numbered rules as a tree, its other sections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from corpus.model import Entry, Kind
from index.library.library import Library
from service.browse.collation import by_letter
from service.core.snapshot import Snapshot

_LONGEST = 90  # characters of a rule that tell in a list what it is about
_TERMS = (Kind.TERM, Kind.REDIRECT)


@dataclass(frozen=True)
class ContentsNode:
    """An entry with what stands inside it, in the order of print; ``says`` are the first words of an entry without a title of its own."""

    entry: Entry
    excerpt: str
    children: tuple[ContentsNode, ...]


@dataclass(frozen=True)
class EditionContents:
    """One edition: terms by letter, numbered rules with the sections around them, all other sections; how many rules, and rulings."""

    letters: tuple[tuple[str, tuple[Entry, ...]], ...]
    rules: tuple[ContentsNode, ...]
    sections: tuple[ContentsNode, ...]
    numbered: int
    rulings: int

    @property
    def terms(self) -> int:
        """How many terms there are."""
        return sum(len(entries) for _, entries in self.letters)


def leaves(snapshot: Snapshot, edition: str) -> EditionContents:
    """Return an ``edition`` of a ``snapshot``, laid out once."""
    library = snapshot.library
    return snapshot.cache.get(("edition contents", edition), lambda: lay_out(library, edition), most=len(library.editions))


def lay_out(library: Library, edition: str) -> EditionContents:
    """An ``edition`` of a library, laid out."""
    entries = library.entries_of(edition)
    top = [e for e in entries if not e.parent]
    ruled = _ruled(library, edition)
    letters = by_letter([e for e in entries if e.kind in _TERMS], lambda e: e.title)
    return EditionContents(
        tuple((letter, tuple(found)) for letter, found in letters),
        _branches(library, top, lambda e: e.id in ruled),
        _branches(library, top, lambda e: e.kind is Kind.SECTION and e.id not in ruled),
        sum(e.kind is Kind.RULE for e in entries),
        sum(e.kind in (Kind.RULING, Kind.ERRATUM) for e in entries),
    )


def _ruled(library: Library, edition: str) -> set[str]:
    """The ids of the numbered rules and of the sections around them."""
    return {e.id for rule in library.entries_of(edition) if rule.kind is Kind.RULE for e in library.path(rule)}


def _branches(library: Library, entries: list[Entry], wanted: Callable[[Entry], bool]) -> tuple[ContentsNode, ...]:
    found = []
    for entry in entries:
        if wanted(entry):
            inside = list(library.children_of.get(entry.id, ()))
            found.append(ContentsNode(entry, _says(library, entry), _branches(library, inside, wanted)))
    return tuple(found)


def _says(library: Library, entry: Entry) -> str:
    """The first words of a rule, whose title is its number; cut off at a word."""
    passages = library.passages_of.get(entry.id, ())
    if entry.kind is not Kind.RULE or not passages:
        return ""
    text = " ".join(passages[0].display.split()).removeprefix(entry.title).lstrip(". ")
    return text if len(text) <= _LONGEST else text[:_LONGEST].rpartition(" ")[0].rstrip(",;:") + " …"
