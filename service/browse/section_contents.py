"""The contents of a section: all entries in it, in the order of print, by pages that an assistant can read at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from corpus.model import Entry
from index.library.library import Library
from service.core.i18n import N_, TranslatableText
from service.core.paging import ListPage
from service.core.problems import Problem

PAGE_LENGTH = 15_000  # characters on a page, about 6,000 tokens; assistants take results of up to 25,000
_FOR_ENTRY, _FOR_PASSAGE = 120, 120  # characters that an entry and a passage take beside its words


class SectionEntry(NamedTuple):
    """An entry in a section; ``level`` is 1 directly in it, 2 in one of its entries, and so on."""

    entry: Entry
    level: int


def section_entries(library: Library, section: Entry, level: int = 1) -> Iterator[SectionEntry]:
    """Yield the entries in ``section`` and all that is in them, in the order of print."""
    for child in library.children_of.get(section.id, ()):
        yield SectionEntry(child, level)
        yield from section_entries(library, child, level + 1)


def section_page(library: Library, section: Entry, number: int, length: int = PAGE_LENGTH) -> ListPage[SectionEntry] | None:
    """Return page ``number`` of what is in ``section``, of ``length`` characters if no entry alone is longer; None where nothing is in it.

    Raises `Problem` 422 for a page behind the last.
    """
    pages: list[list[SectionEntry]] = [[]]
    left = length
    for each in section_entries(library, section):
        needed = _length(library, each.entry)
        if pages[-1] and needed > left:
            pages.append([])
            left = length
        pages[-1].append(each)
        left -= needed
    if number > len(pages):
        raise Problem.out_of_range(TranslatableText(N_("The last page is %(pages)s."), {"pages": len(pages)}), "page")
    if not pages[0]:
        return None
    return ListPage(items=pages[number - 1], number=number, pages=len(pages), total=sum(map(len, pages)))


def _length(library: Library, entry: Entry) -> int:
    words = sum(len(passage.display) + len(passage.lead_in) + _FOR_PASSAGE for passage in library.passages_of.get(entry.id, ()))
    return words + len(entry.id) + len(entry.title) + _FOR_ENTRY
