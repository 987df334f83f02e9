"""Reads EPUB 2 and 3: the chapters in the order of the spine, with the HTML reader, and the table
of contents as bookmarks.
"""

from __future__ import annotations

import posixpath
from functools import partial
from typing import Any
from urllib.parse import unquote

from corpus.blocks import Bookmark, ExtractedText, NoteKind, ReadingNote
from corpus.formats import ZIP_MAGIC, ExtractedFormat, UnreadableFile
from corpus.formats.assembly import TextAssembler
from corpus.formats.html import HtmlReader
from corpus.formats.html_page import HtmlPage
from corpus.formats.packages import ZipPackage

_TYPE = b"mimetypeapplication/epub+zip"
_OPF = "{http://www.idpf.org/2007/opf}"
_NCX = "{http://www.daisy.org/z3986/2005/ncx/}"
_NCX_TYPE = "application/x-dtbncx+xml"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_CHAPTERS = frozenset(
    {"application/xhtml+xml", "text/html", "application/xml", "text/x-oeb1-document"}
)
_MOST_CHAPTERS = 5000
_MOST_SHEETS = 10  # of one chapter


def _fits(raw: bytes) -> bool:
    return raw.startswith(ZIP_MAGIC) and (_TYPE in raw[:200] or _CONTAINER.encode() in raw)


def _extract(raw: bytes) -> ExtractedText:
    book = _Book(ZipPackage(raw))
    package = book.package
    assembler = TextAssembler()
    notes = []
    for name in book.chapters():
        short = book.short(name)
        if name not in package:
            notes.append(ReadingNote(NoteKind.CHAPTER, name=short))
            continue
        page = HtmlPage(package.read(name), whole=True)
        assembler.anchor(short)
        links = page.root.findall(".//link[@rel='stylesheet']")[:_MOST_SHEETS]
        sheets = [_resolved(name, link.get("href") or "") for link in links]
        style = "\n".join(
            package.read(each).decode("utf-8", "replace") for each in sheets if each in package
        )
        anchor, target = partial("{}#{}".format, short), partial(_target_in, short)
        HtmlReader(page, assembler, anchor, target, style).read()
    return assembler.finished(
        book.title,
        "a book without text; if its pages are images, save it as PDF and run OCR on it",
        book.bookmarks(),
        tuple(notes),
    )


class _Book:
    def __init__(self, package: ZipPackage):
        self.package = package
        if "META-INF/rights.xml" in package or self._is_encrypted():
            raise UnreadableFile(
                "protected against reading (DRM); ask for a copy without protection"
            )
        root = package.xml(_CONTAINER).find(".//{*}rootfile")
        name = "" if root is None else root.get("full-path", "")
        self._folder = posixpath.dirname(name)
        self._opf = package.xml(name)
        self.title: str = self._opf.findtext(f".//{_TITLE}") or ""
        self._items = {item.get("id", ""): item for item in self._opf.iter(f"{_OPF}item")}

    def _is_encrypted(self) -> bool:
        if _ENCRYPTION not in self.package:
            return False
        parts = self.package.xml(_ENCRYPTION).iter("{*}CipherReference")
        kinds = (".xhtml", ".html", ".htm", ".xml", ".opf", ".ncx")
        return any(each.get("URI", "").lower().endswith(kinds) for each in parts)

    def chapters(self) -> list[str]:
        """Return the file names of the chapters in reading order, each once; those outside the
        reading order come last.
        """
        found: tuple[list[str], list[str]] = ([], [])
        for each in self._opf.iter(f"{_OPF}itemref"):
            item = self._items.get(each.get("idref", ""))
            if item is not None and item.get("media-type") in _CHAPTERS:
                found[each.get("linear") == "no"].append(self._name(item))
        return list(dict.fromkeys(found[0] + found[1]))[:_MOST_CHAPTERS]

    def _name(self, item: Any) -> str:
        return _resolved(f"{self._folder}/x", item.get("href", ""))

    def short(self, name: str) -> str:
        return name.removeprefix(f"{self._folder}/") if self._folder else name

    def bookmarks(self) -> tuple[Bookmark, ...]:
        """Return the entries of the navigation page (EPUB 3) or the table of contents (EPUB 2)."""
        found: list[Bookmark] = []
        for name in self._first(lambda item: "nav" in item.get("properties", "").split()):
            root = HtmlPage(self.package.read(name), whole=True).root
            navs = list(root.iter("nav"))
            types = ("epub:type", "type", "role")
            toc = [nav for nav in navs if "toc" in next(filter(None, map(nav.get, types)), "")]
            for link in (link for nav in (toc or navs)[:1] for link in nav.iter("a")):
                depth = sum(up.tag in ("ol", "ul") for up in link.iterancestors())
                title, href = "".join(link.itertext()), link.get("href") or ""
                found.append(self._bookmark(title, max(depth, 1), name, href))
        if any(each.title for each in found):
            return tuple(each for each in found if each.title)
        found = []
        for name in self._first(lambda item: item.get("media-type") == _NCX_TYPE):
            for point in self.package.xml(name).iter(f"{_NCX}navPoint"):
                title = point.findtext(f"{_NCX}navLabel/{_NCX}text") or ""
                content = point.find(f"{_NCX}content")
                depth = 1 + sum(up.tag == f"{_NCX}navPoint" for up in point.iterancestors())
                href = None if content is None else content.get("src", "")
                found.append(self._bookmark(title, depth, name, href))
        return tuple(each for each in found if each.title)

    def _first(self, wanted: Any) -> list[str]:
        names = [self._name(item) for item in self._items.values() if wanted(item)][:1]
        return [name for name in names if name in self.package]

    def _bookmark(self, title: str, depth: int, page: str, href: str | None) -> Bookmark:
        target = "" if href is None else _target_in(self.short(page), href)
        return Bookmark(" ".join(title.split()), depth, target=target)


def _resolved(base: str, target: str) -> str:
    """Return the name of the file to which ``target`` in the file ``base`` refers."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(target))).lstrip("/")


def _target_in(page: str, href: str) -> str:
    """Return the target of a link to ``href`` in the file ``page``: "file.html#anchor", or a
    URL.
    """
    address, mark, anchor = href.partition("#")
    if ":" in address.split("/")[0] or address.startswith("//"):
        return href
    return f"{_resolved(page, address) if address else page}{mark}{anchor}"


EPUB = ExtractedFormat("epub", _fits, _extract)
