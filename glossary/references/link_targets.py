"""Resolves links of a document: to anchors, headings and pages."""

from __future__ import annotations

import bisect
import re
from urllib.parse import unquote

from corpus.blocks import Box, Link, PageBoxes
from corpus.model import Entry, Rulebook, Span
from corpus.titles import key, slug

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_PAGE = re.compile(r"page:(\d+)(?:@(-?\d+),(-?\d+))?")
_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]*:)?//|(?:mailto|tel|sms|data|javascript|file|urn|about):|www\.",
    re.IGNORECASE,
)
_ABOVE, _BELOW = (
    12.0,
    45.0,
)  # points that a heading may stand above or below the place that a link leads to
_OTHER_COLUMN = 150.0  # points


class LinkTargets:
    """The entries of one rulebook by the anchors, the slugs of headings and the pages that its
    links lead to.
    """

    def __init__(self, rulebook: Rulebook):
        self._rulebook = rulebook
        self._entries = {entry.id: entry for entry in rulebook.entries}
        placed = sorted(
            (_beginning(entry), number) for number, entry in enumerate(rulebook.entries)
        )
        self._starts = [start for start, _ in placed]
        self._ids = [rulebook.entries[number].id for _, number in placed]
        self._headings = {entry.id: entry.heading for entry in rulebook.entries}
        self._anchors: dict[str, str] = {}
        self._pages: dict[int, list[tuple[str, Box]]] = {}
        for block in rulebook.document.blocks:
            for anchor in block.anchors:
                if (around := self._entry_from(block.span.start, block.span.end)) is not None:
                    self._anchors.setdefault(anchor.removeprefix("#"), around)
        for entry in rulebook.entries:
            for name in (slug(entry.heading, 0), _printed_slug(entry.heading)):
                self._anchors.setdefault(name, entry.id)
            if (place := _place(rulebook, entry)) is not None:
                self._pages.setdefault(place.page, []).append((entry.id, place.boxes[0]))

    def _entry_from(self, start: int, end: int) -> str | None:
        """The entry that begins in a block, else the innermost one that the block is in."""
        first, after = (
            bisect.bisect_left(self._starts, start),
            bisect.bisect_left(self._starts, end),
        )
        if first < after:
            return self._ids[first]
        around = self._ids[first - 1] if first else None
        while (
            around is not None
            and (parent := self._entries[around].parent)
            and self._entries[around].spans[0].end <= start
        ):
            around = parent
        return around

    def leads_out(self, link: Link) -> bool:
        """Whether ``link`` leads out of the document for sure: to an address, a mail, a file."""
        return bool(_ADDRESS.match(link.target)) or (
            "#" not in link.target and not _SCHEME.match(link.target)
        )

    def may_lead_out(self, link: Link) -> bool:
        """Whether ``link`` has a scheme of the author's own, such as "rule:2b", of which only its
        text and number tell where it leads.
        """
        return bool(_SCHEME.match(link.target)) and not _PAGE.fullmatch(link.target)

    def is_anchor(self, link: Link) -> bool:
        """Whether ``link`` leads to an anchor, and not to a page."""
        return not _SCHEME.match(link.target)

    def exact(self, link: Link) -> str | None:
        """The entry that ``link`` leads to by its anchor, or that begins at its place on a page;
        None where there is none.
        """
        if page := _PAGE.fullmatch(link.target):
            return self._at_place(int(page[1]), float(page[2]), float(page[3])) if page[2] else None
        target = unquote(link.target)
        for name in (target.removeprefix("#"), target.partition("#")[2]):
            if found := self._anchors.get(name) or self._anchors.get(name.lower()):
                return found
        return None

    def near(self, link: Link, text: str) -> str | None:
        """Of the entries that begin on the page of ``link`` the one that ``text`` names, else the
        first, or the one around its place.
        """
        page = _PAGE.fullmatch(link.target)
        if page is None:
            return None
        here = self._pages.get(int(page[1]), [])
        for id, _ in here:
            if key(self._headings[id]) and key(self._headings[id]) in key(text):
                return id
        if not page[2]:
            return here[0][0] if here else None
        above = [id for id, box in here if box.top <= float(page[3])]
        before = [
            id
            for number in range(int(page[1]) - 1, 0, -1)
            for id, _ in self._pages.get(number, [])[-1:]
        ]
        return next(iter([*above[-1:], *before]), None)

    def _at_place(self, page: int, left: float, top: float) -> str | None:
        """The entry whose heading stands right at or below a place on ``page``, given in points, in
        the same column if there are two.
        """
        found = [
            (
                abs(box.top - top)
                + (_OTHER_COLUMN if left and abs(box.left - left) > _OTHER_COLUMN else 0),
                number,
                id,
            )
            for number, (id, box) in enumerate(self._pages.get(page, []))
            if -_ABOVE <= box.top - top <= _BELOW
        ]
        return min(found)[2] if found else None


def _place(rulebook: Rulebook, entry: Entry) -> PageBoxes | None:
    """Where ``entry`` begins on the pages of its document; None where that has none."""
    if (pages := rulebook.document.pages) is None:
        return None
    begin = _beginning(entry)
    return next(iter(pages.boxes([Span(begin, begin + 1)])), None)


def _printed_slug(heading: str) -> str:
    """The anchor that Markdown sites give a heading: small letters, hyphens for blanks, no other
    signs.
    """
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.strip().lower()))


def _beginning(entry: Entry) -> int:
    """Where ``entry`` begins: at its heading, else at the number that its passage begins with."""
    return (entry.heading_spans or entry.spans)[0].start
