"""Resolves links of a document: to anchors, headings and pages."""

from __future__ import annotations

import bisect
import re
from urllib.parse import unquote

from corpus.blocks import Link
from corpus.model import Rulebook
from corpus.titles import key, slug

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_PAGE = re.compile(r"page:(\d+)")


class LinkTargets:
    """The entries of one rulebook by the anchors, the slugs of headings and the pages that its links lead to."""

    def __init__(self, rulebook: Rulebook):
        self._rulebook = rulebook
        self._starts: list[int] = []
        self._ids: list[str] = []
        for start, id in sorted((span.start, entry.id) for entry in rulebook.entries for span in entry.heading_spans[:1]):
            self._starts.append(start)
            self._ids.append(id)
        self._headings = {entry.id: entry.heading for entry in rulebook.entries}
        self._anchors: dict[str, str] = {}
        self._pages: dict[int, list[str]] = {}
        for block in rulebook.document.blocks:
            for anchor in block.anchors:
                if (around := self._entry_from(block.span.start, block.span.end)) is not None:
                    self._anchors.setdefault(anchor.removeprefix("#"), around)
        for entry in rulebook.entries:
            for name in (slug(entry.heading, 0), _printed_slug(entry.heading)):
                self._anchors.setdefault(name, entry.id)
            if rulebook.document.pages is not None and entry.heading_spans:
                self._pages.setdefault(rulebook.document.pages.page_at(entry.heading_spans[0].start), []).append(entry.id)

    def _entry_from(self, start: int, end: int) -> str | None:
        """The entry whose heading stands in a block, else the entry that the block is in."""
        at = bisect.bisect_left(self._starts, end) - 1
        first = bisect.bisect_left(self._starts, start)
        if first <= at:
            return self._ids[first]
        return self._ids[at] if at >= 0 else None

    def leads_out(self, link: Link) -> bool:
        """Whether ``link`` leads out of the document: to an address, a mail, a file."""
        return not _PAGE.fullmatch(link.target) and (bool(_SCHEME.match(link.target)) or "#" not in link.target)

    def find(self, link: Link, text: str) -> str | None:
        """The entry that ``link`` with its ``text`` leads to; None where there is none."""
        if page := _PAGE.fullmatch(link.target):
            return self._on_page(int(page[1]), text)
        target = unquote(link.target)
        for name in (target.removeprefix("#"), target.partition("#")[2]):
            if found := self._anchors.get(name) or self._anchors.get(name.lower()):
                return found
        return None

    def _on_page(self, page: int, text: str) -> str | None:
        """Of the entries that begin on ``page`` the one that ``text`` names, else the first; None where none begins there."""
        here = self._pages.get(page, [])
        named = (id for id in here if key(self._headings[id]) and key(self._headings[id]) in key(text))
        return next(named, here[0] if here else None)


def _printed_slug(heading: str) -> str:
    """The anchor that Markdown sites give a heading: small letters, hyphens for blanks, no other signs."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.strip().lower()))
