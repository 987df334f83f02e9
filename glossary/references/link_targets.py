"""Resolves links of a document: to anchors, headings and pages."""

from __future__ import annotations

import bisect
import re
from urllib.parse import unquote

from corpus.blocks import Link
from corpus.model import Entry, Rulebook
from corpus.titles import key, slug

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_PAGE = re.compile(r"page:(\d+)")
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//|(?:mailto|tel|sms|data|javascript|file|urn|about):|www\.", re.IGNORECASE)


class LinkTargets:
    """The entries of one rulebook by the anchors, the slugs of headings and the pages that its links lead to."""

    def __init__(self, rulebook: Rulebook):
        self._rulebook = rulebook
        self._entries = {entry.id: entry for entry in rulebook.entries}
        placed = sorted((_beginning(entry), number) for number, entry in enumerate(rulebook.entries))
        self._starts = [start for start, _ in placed]
        self._ids = [rulebook.entries[number].id for _, number in placed]
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
            if rulebook.document.pages is not None:
                self._pages.setdefault(rulebook.document.pages.page_at(_beginning(entry)), []).append(entry.id)

    def _entry_from(self, start: int, end: int) -> str | None:
        """The entry that begins in a block, else the innermost one that the block is in."""
        first, after = bisect.bisect_left(self._starts, start), bisect.bisect_left(self._starts, end)
        if first < after:
            return self._ids[first]
        around = self._ids[first - 1] if first else None
        while around is not None and (parent := self._entries[around].parent) and self._entries[around].spans[0].end <= start:
            around = parent
        return around

    def leads_out(self, link: Link) -> bool:
        """Whether ``link`` leads out of the document for sure: to an address, a mail, a file."""
        return bool(_ADDRESS.match(link.target)) or ("#" not in link.target and not _SCHEME.match(link.target))

    def may_lead_out(self, link: Link) -> bool:
        """Whether ``link`` has a scheme of the author's own, such as "rule:2b", of which only its text and number tell where it leads."""
        return bool(_SCHEME.match(link.target)) and not _PAGE.fullmatch(link.target)

    def is_precise(self, link: Link) -> bool:
        """Whether ``link`` leads to an anchor, not only to a page."""
        return not _SCHEME.match(link.target)

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


def _beginning(entry: Entry) -> int:
    """Where ``entry`` begins: at its heading, else at the number that its passage begins with."""
    return (entry.heading_spans or entry.spans)[0].start
