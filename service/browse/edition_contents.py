"""The contents of an edition for browsing: its glossary from A to Z, its numbered rules as a tree, its other sections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from corpus.model import Entry, Kind
from index.library.library import Library
from service.browse.collation import by_letter
from service.core.snapshot import Snapshot

_LONGEST_EXCERPT = 90  # characters
_TERMS = (Kind.TERM, Kind.REDIRECT)


@dataclass(frozen=True)
class ContentsNode:
    """An entry with those inside it, in the order of print; ``excerpt`` are the first words of a rule, whose title is its number."""

    entry: Entry
    excerpt: str
    children: tuple[ContentsNode, ...]


@dataclass(frozen=True)
class EditionContents:
    """What is in an edition: terms by letter, numbered rules with the sections around them, all other sections.

    ``ruling_count`` counts rulings and errata.
    """

    letters: tuple[tuple[str, tuple[Entry, ...]], ...]
    rules: tuple[ContentsNode, ...]
    sections: tuple[ContentsNode, ...]
    rule_count: int
    ruling_count: int

    @property
    def term_count(self) -> int:
        """The number of terms."""
        return sum(len(entries) for _, entries in self.letters)


def edition_contents(snapshot: Snapshot, edition: str) -> EditionContents:
    """Return the contents of an ``edition`` of ``snapshot``, built once."""
    library = snapshot.library
    return snapshot.cache.get(("edition contents", edition), lambda: build_contents(library, edition), most=len(library.editions))


def build_contents(library: Library, edition: str) -> EditionContents:
    """Return the contents of an ``edition`` of ``library``."""
    entries = library.entries_of(edition)
    top = [e for e in entries if not e.parent]
    rules = _rule_tree(library, edition)
    letters = by_letter([e for e in entries if e.kind in _TERMS], lambda e: e.title)
    return EditionContents(
        letters=tuple((letter, tuple(terms)) for letter, terms in letters),
        rules=_nodes(library, top, lambda e: e.id in rules),
        sections=_nodes(library, top, lambda e: e.kind is Kind.SECTION and e.id not in rules),
        rule_count=sum(e.kind is Kind.RULE for e in entries),
        ruling_count=sum(e.kind in (Kind.RULING, Kind.ERRATUM) for e in entries),
    )


def _rule_tree(library: Library, edition: str) -> set[str]:
    """Return the ids of the numbered rules and of the sections around them."""
    return {e.id for rule in library.entries_of(edition) if rule.kind is Kind.RULE for e in library.path(rule)}


def _nodes(library: Library, entries: Sequence[Entry], wanted: Callable[[Entry], bool]) -> tuple[ContentsNode, ...]:
    """Return those of ``entries`` that are ``wanted``, with the wanted entries inside them."""
    return tuple(
        ContentsNode(entry, _rule_excerpt(library, entry), _nodes(library, library.children_of.get(entry.id, ()), wanted))
        for entry in entries
        if wanted(entry)
    )


def _rule_excerpt(library: Library, entry: Entry) -> str:
    """Return the first words of a rule, cut off at a word; nothing for other entries."""
    passages = library.passages_of.get(entry.id, ())
    if entry.kind is not Kind.RULE or not passages:
        return ""
    text = " ".join(passages[0].display.split()).removeprefix(entry.title).lstrip(". ")
    return text if len(text) <= _LONGEST_EXCERPT else text[:_LONGEST_EXCERPT].rpartition(" ")[0].rstrip(",;:") + " …"
