"""An entry unfolded where it is listed: its own words, and the entries inside it, with their words where they are short."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.model import Entry
from index.library.library import Library
from service.browse.edition_contents import ContentsNode, rule_excerpt
from service.browse.entry_view import EntryView, entry_view

_MOST_AT_ONCE = 2500  # characters of an entry with all inside it that are shown as soon as it is opened


@dataclass(frozen=True)
class UnfoldedEntry:
    """An entry with its own words in ``view``: with all inside it, or with those inside it ``listed`` to be opened in their turn."""

    view: EntryView
    listed: tuple[ContentsNode, ...]


def unfolded_entry(library: Library, entry: Entry, sought: str = "") -> UnfoldedEntry:
    """Return ``entry`` as it unfolds; what is ``sought`` is marked."""
    children = library.children_of.get(entry.id, ())
    whole = text_length(library, entry, _MOST_AT_ONCE) <= _MOST_AT_ONCE
    view = entry_view(library, entry, sought, whole=whole)
    return UnfoldedEntry(view, () if whole else tuple(ContentsNode(child, rule_excerpt(library, child), ()) for child in children))


def text_length(library: Library, entry: Entry, most: int) -> int:
    """Return how many characters ``entry`` has with all inside it; not counted any further where it has more than ``most``."""
    length = 0
    waiting = [entry]
    while waiting and length <= most:
        each = waiting.pop()
        length += sum(len(passage.display) for passage in library.passages_of.get(each.id, ()))
        waiting += library.children_of.get(each.id, ())
    return length
