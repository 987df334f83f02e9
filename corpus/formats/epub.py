"""EPUB 2 and 3: its chapters in the order of its spine, through the reader of HTML, and its table
of contents as bookmarks.
"""

from __future__ import annotations

import posixpath
from functools import partial
from typing import Any
from urllib.parse import unquote

from corpus.blocks import Bookmark, ExtractedText
from corpus.formats.format import ExtractedFormat, UnreadableFile
from corpus.formats.html import html_encoding
from corpus.formats.html.html_reader import HtmlReader
from corpus.formats.html.html_tree import HtmlPage
from corpus.formats.shared.contents_lists import mark_contents
from corpus.formats.shared.text_assembler import TextAssembler, with_blocks
from corpus.formats.shared.zip_package import MAGIC, ZipPackage

_TYPE = b"mimetypeapplication/epub+zip"
_OPF = "{http://www.idpf.org/2007/opf}"
_NCX = "{http://www.daisy.org/z3986/2005/ncx/}"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_CONTAINER = "META-INF/container.xml"
_PAGES = frozenset(
    {"application/xhtml+xml", "text/html", "application/xml", "text/x-oeb1-document"}
)
MOST_PAGES = 5000
MOST_SHEETS = 10  # of one page


def fits(raw: bytes) -> bool:
    """Whether ``raw`` is a ZIP archive that calls itself an EPUB."""
    return raw.startswith(MAGIC) and (_TYPE in raw[:200] or _CONTAINER.encode() in raw)


class _Book:
    """The package of an EPUB: what belongs to it, and where."""

    def __init__(self, package: ZipPackage):
        self._package = package
        if "META-INF/rights.xml" in package or self._is_encrypted():
            raise UnreadableFile(
                "protected against reading (DRM); ask for a copy without protection"
            )
        root = package.xml(_CONTAINER).find(".//{*}rootfile")
        name = "" if root is None else root.get("full-path", "")
        self.folder = posixpath.dirname(name)
        self._opf = package.xml(name)
        self.title = self._opf.findtext(f".//{_TITLE}") or ""
        self.items = {item.get("id", ""): item for item in self._opf.iter(f"{_OPF}item")}

    def _is_encrypted(self) -> bool:
        """Whether chapters are encrypted; fonts may be."""
        if "META-INF/encryption.xml" not in self._package:
            return False
        names = [
            each.get("URI", "").lower()
            for each in self._package.xml("META-INF/encryption.xml").iter("{*}CipherReference")
        ]
        return any(
            name.endswith((".xhtml", ".html", ".htm", ".xml", ".opf", ".ncx")) for name in names
        )

    def pages(self) -> list[str]:
        """The names of the chapters in the order of reading, each once, with those last that are no
        part of it.
        """
        spine = [
            (self.items.get(each.get("idref", "")), each.get("linear") == "no")
            for each in self._opf.iter(f"{_OPF}itemref")
        ]
        found = [
            (aside, self.name(item))
            for item, aside in spine
            if item is not None and item.get("media-type") in _PAGES
        ]
        return list(dict.fromkeys(name for _, name in sorted(found, key=lambda each: each[0])))[
            :MOST_PAGES
        ]

    def name(self, item: Any) -> str:
        """The name in the archive of an ``item`` of the manifest."""
        return resolved(f"{self.folder}/x", item.get("href", ""))

    def navigation(self) -> tuple[str, str]:
        """The names of the navigation page (EPUB 3) and of the table of contents (EPUB 2); "" for
        what is not there.
        """
        pages = [
            self.name(item)
            for item in self.items.values()
            if "nav" in item.get("properties", "").split()
        ]
        lists = [
            self.name(item)
            for item in self.items.values()
            if item.get("media-type") == "application/x-dtbncx+xml"
        ]
        return next(iter(pages), ""), next(iter(lists), "")

    def short(self, name: str) -> str:
        """``name`` as seen from the folder of the package."""
        return name.removeprefix(f"{self.folder}/") if self.folder else name


def resolved(base: str, target: str) -> str:
    """The name of the file that ``target`` means in the file ``base``."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(target))).lstrip("/")


def extract(raw: bytes) -> ExtractedText:
    """The text of the book ``raw``. Raises `UnreadableFile`."""
    package = ZipPackage(raw)
    book = _Book(package)
    assembler = TextAssembler()
    notes = []
    navigation, contents = book.navigation()
    for name in book.pages():
        if name not in package:
            notes.append(f"the chapter {book.short(name)} is missing")
            continue
        page = HtmlPage(html_encoding.decode(package.read(name)), whole=True)
        short = book.short(name)
        assembler.anchor(short)
        sheets = _style_sheets(package, page, name)
        HtmlReader(
            page, assembler, partial("{}#{}".format, short), partial(target_in, short), sheets
        ).read()
    bookmarks = _from_page(package, book, navigation) or _from_list(package, book, contents)
    found = assembler.finished(tuple(bookmarks), book.title, tuple(notes))
    if not found.text.strip():
        raise UnreadableFile(
            "a book without text; if its pages are images, save it as PDF and run OCR on it"
        )
    return with_blocks(found, mark_contents(found.blocks, found.text))


def _style_sheets(package: ZipPackage, page: HtmlPage, name: str) -> str:
    """The text of the style sheets that ``page``, the part ``name``, links to."""
    links = [link.get("href") or "" for link in page.root.iterfind(".//link[@rel='stylesheet']")][
        :MOST_SHEETS
    ]
    names = [resolved(name, href) for href in links]
    return "\n".join(
        package.read(each).decode("utf-8", "replace") for each in names if each in package
    )


def target_in(page: str, href: str) -> str:
    """What a link to ``href`` in the file ``page`` leads to: "file.html#anchor", or an address."""
    address, mark, anchor = href.partition("#")
    if ":" in address.split("/")[0] or address.startswith("//"):
        return href
    return f"{resolved(page, address) if address else page}{mark}{anchor}"


def _from_page(package: ZipPackage, book: _Book, name: str) -> list[Bookmark]:
    """The bookmarks in the navigation page ``name``."""
    if name not in package:
        return []
    root = HtmlPage(html_encoding.decode(package.read(name)), whole=True).root
    lists = [
        nav
        for nav in root.iter("nav")
        if "toc" in (nav.get("epub:type") or nav.get("type") or nav.get("role") or "")
    ]
    found = []
    for nav in lists[:1] or list(root.iter("nav"))[:1]:
        for link in nav.iter("a"):
            depth = sum(up.tag in ("ol", "ul") for up in link.iterancestors())
            target = target_in(book.short(name), link.get("href") or "")
            found.append(
                Bookmark(" ".join("".join(link.itertext()).split()), max(depth, 1), target=target)
            )
    return [bookmark for bookmark in found if bookmark.title]


def _from_list(package: ZipPackage, book: _Book, name: str) -> list[Bookmark]:
    """The bookmarks in the table of contents ``name``."""
    if name not in package:
        return []
    found = []
    for point in package.xml(name).iter(f"{_NCX}navPoint"):
        title = " ".join((point.findtext(f"{_NCX}navLabel/{_NCX}text") or "").split())
        content = point.find(f"{_NCX}content")
        depth = 1 + sum(up.tag == f"{_NCX}navPoint" for up in point.iterancestors())
        target = "" if content is None else target_in(book.short(name), content.get("src", ""))
        found.append(Bookmark(title, depth, target=target))
    return [bookmark for bookmark in found if bookmark.title]


EPUB = ExtractedFormat("epub", fits, extract)
