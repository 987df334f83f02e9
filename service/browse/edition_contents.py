"""The contents of an edition for browsing: its glossary from A to Z, its numbered rules as a tree, its other sections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from corpus.model import Entry, Kind
from index.library.library import Library
from service.browse.collation import by_letter
from service.browse.entry_formats import GENERAL, edition_formats
from service.core.snapshot import Snapshot

_LONGEST_EXCERPT = 90  # characters
_MOST_NODES = 400  # of a tree on the page; of a larger one the levels that have room, the rest is loaded when it is opened
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


def edition_contents(snapshot: Snapshot, edition: str, general: bool = False) -> EditionContents:
    """Return the contents of an ``edition`` of ``snapshot``, built once; ``general``: without what holds in special formats alone."""
    library = snapshot.library
    formats = edition_formats(snapshot, edition)
    return snapshot.cache.get(
        ("edition contents", edition, general),
        lambda: build_contents(library, edition, lambda entry: not general or formats.leads_to(entry, GENERAL)),
        most=2 * len(library.editions),
    )


def build_contents(library: Library, edition: str, listed: Callable[[Entry], bool] = lambda _: True) -> EditionContents:
    """Return the contents of an ``edition`` of ``library``, those entries that are to be ``listed``."""
    entries = [e for e in library.entries_of(edition) if listed(e)]
    top = [e for e in entries if not e.parent]
    rules = {e.id for rule in entries if rule.kind is Kind.RULE for e in library.path(rule)}
    letters = by_letter([e for e in entries if e.kind in _TERMS], lambda e: e.title)
    return EditionContents(
        letters=tuple((letter, tuple(terms)) for letter, terms in letters),
        rules=_tree(library, top, lambda e: e.id in rules and listed(e)),
        sections=_tree(library, top, lambda e: e.kind is Kind.SECTION and e.id not in rules and listed(e)),
        rule_count=sum(e.kind is Kind.RULE for e in entries),
        ruling_count=sum(e.kind in (Kind.RULING, Kind.ERRATUM) for e in entries),
    )


def _tree(library: Library, top: Sequence[Entry], wanted: Callable[[Entry], bool]) -> tuple[ContentsNode, ...]:
    """Return those of ``top`` that are ``wanted`` with the wanted entries inside them, down to the level that the page has room for."""
    levels: list[list[Entry]] = [[entry for entry in top if wanted(entry)]]
    count = len(levels[0])
    while levels[-1]:
        below = [child for entry in levels[-1] for child in library.children_of.get(entry.id, ()) if wanted(child)]
        count += len(below)
        if count > _MOST_NODES:
            break
        levels.append(below)
    return _nodes(library, levels[0], wanted, len(levels) - 1)


def _nodes(library: Library, entries: Sequence[Entry], wanted: Callable[[Entry], bool], depth: int) -> tuple[ContentsNode, ...]:
    """Return those of ``entries`` that are ``wanted``, with the wanted entries inside them ``depth`` levels down."""
    return tuple(
        ContentsNode(
            entry,
            rule_excerpt(library, entry),
            _nodes(library, library.children_of.get(entry.id, ()), wanted, depth - 1) if depth > 0 else (),
        )
        for entry in entries
        if wanted(entry)
    )


def rule_excerpt(library: Library, entry: Entry) -> str:
    """Return the first words of a rule, cut off at a word; nothing for other entries."""
    passages = library.passages_of.get(entry.id, ())
    if entry.kind is not Kind.RULE or not passages:
        return ""
    text = " ".join(passages[0].display.split()).removeprefix(entry.title).lstrip(". ")
    return text if len(text) <= _LONGEST_EXCERPT else text[:_LONGEST_EXCERPT].rpartition(" ")[0].rstrip(",;:") + " …"
