"""Resolve links in a document to anchors, headings, pages, and other files of the game."""

from __future__ import annotations

import bisect
import posixpath
import re
from collections.abc import Sequence
from urllib.parse import unquote

from corpus.blocks import Box, Link
from corpus.model import Entry, Rulebook, Span
from corpus.titles import key, slug

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_PAGE = re.compile(r"page:(\d+)(?:@(-?\d+),(-?\d+))?")
_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]*:)?//|(?:mailto|tel|sms|data|javascript|file|urn|about):|www\.",
    re.IGNORECASE,
)
# Points by which a heading may be above or below the target of a link.
_ABOVE, _BELOW = 12.0, 45.0
_OTHER_COLUMN = 150.0  # points


def leads_out(link: Link) -> bool:
    """Return whether ``link`` surely leads out of the document, to a web address, mail or file."""
    return bool(_ADDRESS.match(link.target)) or (
        "#" not in link.target and not _SCHEME.match(link.target)
    )


def may_lead_out(link: Link) -> bool:
    """Return whether ``link`` has an unknown scheme, such as "rule:2b", so that only its text and
    number show its target.
    """
    return bool(_SCHEME.match(link.target)) and not _PAGE.fullmatch(link.target)


def is_anchor(link: Link) -> bool:
    """Return whether ``link`` leads to an anchor instead of a page."""
    return not _SCHEME.match(link.target)


class LinkTargets:
    """The entries of one rulebook by link target: anchors, slugs of headings, and pages."""

    def __init__(self, rulebook: Rulebook):
        self._entries = {entry.id: entry for entry in rulebook.entries}
        placed = sorted(
            (_beginning(entry), number) for number, entry in enumerate(rulebook.entries)
        )
        self._starts = [start for start, _ in placed]
        self._document = rulebook.document
        self._ids = [rulebook.entries[number].id for _, number in placed]
        self._anchors: dict[str, str] = {}
        self._pages: dict[int, list[tuple[str, Box]]] = {}
        for block in rulebook.document.blocks:
            for anchor in block.anchors:
                if (around := self._entry_from(block.span.start, block.span.end)) is not None:
                    self._anchors.setdefault(anchor.removeprefix("#"), around)
        pages = rulebook.document.pages
        for entry in rulebook.entries:
            # Anchors on Markdown sites: lower case, hyphens for blanks, no punctuation.
            words = re.sub(r"[^\w\s-]", "", entry.heading.strip().lower())
            for name in (slug(entry.heading, 0), re.sub(r"\s", "-", words)):
                self._anchors.setdefault(name, entry.id)
            begin = _beginning(entry)
            for place in pages.boxes([Span(begin, begin + 1)])[:1] if pages else ():
                self._pages.setdefault(place.page, []).append((entry.id, place.boxes[0]))

    def _entry_from(self, start: int, end: int) -> str | None:
        """Return the entry that begins in a block, or else the innermost entry around the block."""
        first = bisect.bisect_left(self._starts, start)
        if first < bisect.bisect_left(self._starts, end):
            return self._ids[first]
        around = self._ids[first - 1] if first else None
        while (
            around is not None
            and (parent := self._entries[around].parent)
            and self._entries[around].spans[0].end <= start
        ):
            around = parent
        return around

    def exact(self, target: str) -> str | None:
        """Return the entry with the anchor ``target``, or the entry that begins at this place on a
        page, or None.
        """
        if page := _PAGE.fullmatch(target):
            return self._at_place(int(page[1]), float(page[2]), float(page[3])) if page[2] else None
        target = unquote(target)
        for name in (target.removeprefix("#"), target.partition("#")[2]):
            if found := self._anchors.get(name) or self._anchors.get(name.lower()):
                return found
        return None

    def near(self, target: str, text: str) -> str | None:
        """Return the entry on the page ``target`` that ``text`` names, or the first that begins
        there, or the one around the place.
        """
        page = _PAGE.fullmatch(target)
        if page is None:
            return None
        here = self._pages.get(int(page[1]), [])
        for id, _ in here:
            heading = key(self._entries[id].heading)
            if heading and heading in key(text):
                return id
        if not page[2]:
            return here[0][0] if here else None
        above = [id for id, box in here if box.top <= float(page[3])]
        if above:
            return above[-1]
        if here and self._begins_page(here[0][0], int(page[1])):
            return here[0][0]
        for number in range(int(page[1]) - 1, 0, -1):
            if before := self._pages.get(number):
                return before[-1][0]
        return None

    def _begins_page(self, id: str, page: int) -> bool:
        """Return whether the entry ``id`` is at the top of its ``page``."""
        text = self._document.text[: _beginning(self._entries[id])].rstrip()
        pages = self._document.pages
        before = pages.boxes([Span(len(text) - 1, len(text))]) if text and pages else []
        return not before or before[-1].page != page

    def _at_place(self, page: int, left: float, top: float) -> str | None:
        """Return the entry whose heading is at or right below a place on ``page`` (in points),
        preferably in the same column.
        """
        found = []
        for number, (id, box) in enumerate(self._pages.get(page, [])):
            if -_ABOVE <= box.top - top <= _BELOW:
                other_column = left and abs(box.left - left) > _OTHER_COLUMN
                distance = abs(box.top - top) + (_OTHER_COLUMN if other_column else 0)
                found.append((distance, number, id))
        return min(found)[2] if found else None


class LinkedFiles:
    """The files of the game of ``rulebook``, among ``others``, by the names that links use."""

    def __init__(self, rulebook: Rulebook, others: Sequence[Rulebook]):
        self._own = set(_names(rulebook.document.file))
        self._files: dict[str, Rulebook] = {}
        self._targets: dict[str, LinkTargets] = {}
        folder = rulebook.document.folder
        beside = [other for other in others if folder and other.document.folder == folder]
        for number in (0, 1):  # full names come first
            for other in beside:
                self._files.setdefault(_names(other.document.file)[number], other)

    def entry(self, link: Link) -> str | None:
        """Return the entry in another file to which ``link`` leads, by its anchor, or else the
        first entry; None if no file has this name.
        """
        name = linked_name(link)
        if not name or name in self._own:
            return None
        # The link to a folder of a site shows its index.
        names = [*_names(name), *(["index"] if "/#" in f"{link.target}#" else [])]
        file = next((self._files[each] for each in names if each in self._files), None)
        if file is None or not file.entries:
            return None
        anchor = link.target.partition("#")[2]
        if not anchor:
            return file.entries[0].id
        if file.edition.id not in self._targets:
            self._targets[file.edition.id] = LinkTargets(file)
        return self._targets[file.edition.id].exact(f"#{anchor}") or file.entries[0].id


def linked_name(link: Link) -> str:
    """Return the name of the file to which ``link`` leads, in lower case; "" for a place in the
    same file, a page, or a web address.
    """
    path = unquote(link.target.partition("#")[0].partition("?")[0])
    if ":" in path or path.startswith("//"):
        return ""
    return posixpath.basename(path.rstrip("/")).casefold()


def _names(file: str) -> tuple[str, str]:
    """Return the name of ``file`` in lower case, with and without extension."""
    name = posixpath.basename(file).casefold()
    return name, posixpath.splitext(name)[0]


def _beginning(entry: Entry) -> int:
    """Return the offset of ``entry``: of its heading, or of the number in its passage."""
    return (entry.heading_spans or entry.spans)[0].start
