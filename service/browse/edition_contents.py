"""The contents of an edition or a section, filtered by format, with entries to unfold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from corpus.model import Entry, Kind, Passage
from index.library.library import Library
from index.library.special_formats import SpecialFormat
from service.browse.entry_view import EntryView, entry_view
from service.browse.lookup import by_letter
from service.core.i18n import N_, TranslatableText
from service.core.parameters import ListPage
from service.core.problems import Problem
from service.core.snapshot import Snapshot

GENERAL = "general"  # the filter value for rules that apply in every format

# The names of a format and of the formats around it, innermost first; empty for a general rule.
_Chain = tuple[str, ...]
_GENERAL = frozenset([GENERAL])
_LONGEST_EXCERPT = 90  # characters
# Entries of a tree on a page; the levels of a larger tree that do not fit are loaded later.
_MOST_NODES = 400
_TERMS = (Kind.TERM, Kind.REDIRECT)
_MOST_AT_ONCE = 2_500  # characters up to which an entry unfolds whole
# Characters on a page, about 6,000 tokens; assistants accept results of up to 25,000.
PAGE_LENGTH = 15_000
_FOR_ENTRY, _FOR_PASSAGE = 120, 120  # characters of overhead for each


@dataclass(frozen=True)
class EditionFormats:
    """The formats of play (variants, modes) that rules of an edition are limited to.

    Attributes:
        names: The number of entries with rules of each format, in printed order.
        general: The number of entries with rules for every format.
        only: By entry id, the format that all rules in the entry are limited to.
        own: By entry id, the formats of its own passages; may contain `GENERAL`.
        inside: By entry id, the formats of all rules in it; may contain `GENERAL`.
        whole: By entry id, the formats that the entry as a whole belongs to.
    """

    names: Mapping[str, int]
    general: int
    only: Mapping[str, str]
    own: Mapping[str, frozenset[str]]
    inside: Mapping[str, frozenset[str]]
    whole: Mapping[str, frozenset[str]]

    def leads_to(self, entry: Entry, wanted: str) -> bool:
        """Return whether ``entry``, or any entry inside it, has rules of the format ``wanted``."""
        return wanted in self.inside.get(entry.id, _GENERAL)

    def has(self, entry: Entry, wanted: str) -> bool:
        """Return whether ``entry`` itself has rules of the format ``wanted``, or belongs to it as a
        whole; "" means any format.
        """
        return (
            not wanted
            or wanted in self.own.get(entry.id, _GENERAL)
            or wanted in self.whole.get(entry.id, ())
        )

    def outermost(self, entries: Iterable[Entry], wanted: str) -> list[Entry]:
        """Return the ``entries`` with rules of the format ``wanted``, without those whose parent
        belongs to that format as a whole.
        """
        return [
            e
            for e in entries
            if self.has(e, wanted) and wanted not in self.whole.get(e.parent or "", ())
        ]


_NONE = EditionFormats({}, 0, {}, {}, {}, {})


def edition_formats(snapshot: Snapshot, edition: str) -> EditionFormats:
    """Return the formats of an ``edition``, computed once."""
    library = snapshot.library
    if edition not in library.formats.editions:
        return _NONE
    return snapshot.cache.get(
        ("formats", edition), lambda: build_formats(library, edition), most=len(library.editions)
    )


def build_formats(library: Library, edition: str) -> EditionFormats:
    """Return the formats of an ``edition`` of ``library``."""
    chains: dict[str, set[_Chain]] = {}
    own: dict[str, frozenset[str]] = {}
    names: dict[str, None] = {}
    for entry in library.entries_of(edition):
        found = {_chain(library, passage) for passage in library.passages_of.get(entry.id, ())}
        names.update(dict.fromkeys(name for chain in found for name in reversed(chain)))
        if found:
            own[entry.id] = _names(found)
        for around in library.path(entry):
            chains.setdefault(around.id, set()).update(found)
    counts = Counter(name for found in own.values() for name in found)
    return EditionFormats(
        names={name: counts[name] for name in names},
        general=counts[GENERAL],
        only={id: common for id, found in chains.items() if (common := _common(found))},
        own=own,
        inside={id: _names(found) for id, found in chains.items() if found},
        whole={
            id: frozenset.intersection(*map(frozenset, found))
            for id, found in chains.items()
            if found
        },
    )


def _names(chains: set[_Chain]) -> frozenset[str]:
    return frozenset(name for chain in chains for name in chain or (GENERAL,))


def _chain(library: Library, passage: Passage) -> _Chain:
    found: SpecialFormat | None = library.format_of(passage)
    names: dict[str, None] = {}
    while found is not None:
        names[found.name] = None
        found = library.formats.formats[found.around] if found.around >= 0 else None
    return tuple(names)


def _common(chains: set[_Chain]) -> str:
    """Return the innermost format that all of ``chains`` have in common, "" if there is none."""
    if not chains:
        return ""
    first, *others = chains
    return next((name for name in first if all(name in other for other in others)), "")


@dataclass(frozen=True)
class ContentsNode:
    """An entry with its nested entries; ``excerpt`` has the first words of a numbered rule."""

    entry: Entry
    excerpt: str
    children: tuple[ContentsNode, ...]


@dataclass(frozen=True)
class EditionContents:
    """The contents of an edition: terms by letter, numbered rules with the sections around them,
    other sections. ``ruling_count`` counts rulings and errata.
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
    """Return the contents of an ``edition``, built once; ``general`` leaves out rules limited to
    special formats.
    """
    library = snapshot.library
    formats = edition_formats(snapshot, edition)
    return snapshot.cache.get(
        ("edition contents", edition, general),
        lambda: build_contents(
            library, edition, lambda entry: not general or formats.leads_to(entry, GENERAL)
        ),
        most=2 * len(library.editions),
    )


def build_contents(
    library: Library, edition: str, listed: Callable[[Entry], bool]
) -> EditionContents:
    """Return the contents of an ``edition``, with the entries for which ``listed`` is true."""
    entries = [e for e in library.entries_of(edition) if listed(e)]
    top = [e for e in entries if not e.parent]
    rules = {e.id for rule in entries if rule.kind is Kind.RULE for e in library.path(rule)}
    letters = by_letter([e for e in entries if e.kind in _TERMS], lambda e: e.title)
    return EditionContents(
        letters=tuple((letter, tuple(terms)) for letter, terms in letters),
        rules=_tree(library, top, lambda e: e.id in rules and listed(e)),
        sections=_tree(
            library, top, lambda e: e.kind is Kind.SECTION and e.id not in rules and listed(e)
        ),
        rule_count=sum(e.kind is Kind.RULE for e in entries),
        ruling_count=sum(e.kind in (Kind.RULING, Kind.ERRATUM) for e in entries),
    )


def _tree(
    library: Library, top: Sequence[Entry], wanted: Callable[[Entry], bool]
) -> tuple[ContentsNode, ...]:
    """Return the tree of ``wanted`` entries from ``top`` down, with as many levels as fit on the
    page.
    """
    levels: list[list[Entry]] = [[entry for entry in top if wanted(entry)]]
    count = len(levels[0])
    while levels[-1]:
        below = [
            child
            for entry in levels[-1]
            for child in library.children_of.get(entry.id, ())
            if wanted(child)
        ]
        count += len(below)
        if count > _MOST_NODES:
            break
        levels.append(below)
    return _nodes(library, levels[0], wanted, len(levels) - 1)


def _nodes(
    library: Library, entries: Sequence[Entry], wanted: Callable[[Entry], bool], depth: int
) -> tuple[ContentsNode, ...]:
    return tuple(
        ContentsNode(
            entry,
            rule_excerpt(library, entry),
            _nodes(library, library.children_of.get(entry.id, ()), wanted, depth - 1)
            if depth > 0
            else (),
        )
        for entry in entries
        if wanted(entry)
    )


def rule_excerpt(library: Library, entry: Entry) -> str:
    """Return the first words of a rule, cut between words; "" for other entries."""
    passages = library.passages_of.get(entry.id, ())
    if entry.kind is not Kind.RULE or not passages:
        return ""
    text = " ".join(passages[0].display.split()).removeprefix(entry.title).lstrip(". ")
    if len(text) <= _LONGEST_EXCERPT:
        return text
    return text[:_LONGEST_EXCERPT].rpartition(" ")[0].rstrip(",;:") + " …"


@dataclass(frozen=True)
class UnfoldedEntry:
    """An entry opened in the contents: ``view`` includes its nested entries, or, if these are long,
    they are only ``listed``.
    """

    view: EntryView
    listed: tuple[ContentsNode, ...]


def unfolded_entry(library: Library, entry: Entry, sought: str) -> UnfoldedEntry:
    """Return ``entry`` as opened in the contents, with ``sought`` words marked."""
    children = library.children_of.get(entry.id, ())
    whole = text_length(library, entry, _MOST_AT_ONCE) <= _MOST_AT_ONCE
    nodes = (ContentsNode(child, rule_excerpt(library, child), ()) for child in children)
    view = entry_view(library, entry, sought, whole=whole)
    return UnfoldedEntry(view, () if whole else tuple(nodes))


def text_length(library: Library, entry: Entry, most: int) -> int:
    """Return the number of characters in ``entry`` and its nested entries; stop above ``most``."""
    length = 0
    waiting = [entry]
    while waiting and length <= most:
        each = waiting.pop()
        length += sum(len(passage.display) for passage in library.passages_of.get(each.id, ()))
        waiting += library.children_of.get(each.id, ())
    return length


class SectionEntry(NamedTuple):
    """An entry in a section; ``level`` is 1 directly in the section, 2 in one of its entries, and
    so on.
    """

    entry: Entry
    level: int


def section_entries(library: Library, section: Entry, level: int = 1) -> Iterator[SectionEntry]:
    """Yield the entries in ``section`` and all entries inside them, in printed order."""
    for child in library.children_of.get(section.id, ()):
        yield SectionEntry(child, level)
        yield from section_entries(library, child, level + 1)


def section_page(
    library: Library, section: Entry, number: int, length: int
) -> ListPage[SectionEntry] | None:
    """Return page ``number`` of the contents of ``section``, None if the section is empty.

    A page has ``length`` characters or one longer entry. Raises `Problem` 422 for a page after the
    last.
    """
    pages: list[list[SectionEntry]] = [[]]
    left = length
    for each in section_entries(library, section):
        words = sum(
            len(passage.display) + len(passage.lead_in) + _FOR_PASSAGE
            for passage in library.passages_of.get(each.entry.id, ())
        )
        needed = words + len(each.entry.id) + len(each.entry.title) + _FOR_ENTRY
        if pages[-1] and needed > left:
            pages.append([])
            left = length
        pages[-1].append(each)
        left -= needed
    if number > len(pages):
        raise Problem.out_of_range(
            TranslatableText(N_("The last page is %(pages)s."), {"pages": len(pages)}), "page"
        )
    if not pages[0]:
        return None
    return ListPage(
        items=pages[number - 1], number=number, pages=len(pages), total=sum(map(len, pages))
    )
