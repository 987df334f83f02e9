"""A parsed page: its tree, and what has to be known of elements before they are read."""

from __future__ import annotations

import re
from typing import Any

import lxml.html
from lxml import etree

from corpus.formats.format import UnreadableFile

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_NEVER_TEXT_TAGS = """
    head script style noscript template svg iframe object embed canvas audio video map datalist select option textarea button input
    frameset rp rt area param source track
"""
_NEVER_TEXT = frozenset(_NEVER_TEXT_TAGS.split())
_FURNITURE = frozenset({"nav", "header", "footer", "aside"})
_FURNITURE_ROLES = frozenset({"navigation", "banner", "contentinfo", "complementary", "search"})
SECTIONS = frozenset(
    {"main", "article", "section", "blockquote", "figure", "td"}
)  # what is inside belongs to the text
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_EDIT_LINKS = re.compile(r"(?:^|\s)mw-editsection(?:\s|$)")  # "[edit]" in wikis
_PERMALINK = frozenset({"", "¶", "#", "§", "🔗", "⚓", "↩", "↑", "Â¶"})
_SAVED_FROM = re.compile(r"\s*saved from url=\(\d+\)(\S+)")
_CONTROLS = re.compile("[\0-\x08\x0b\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # what no tree can hold
_LARGE = 1_000_000  # characters
MOST_TAGS = 1_200_000  # of them the tree takes 300 MB; the largest rulebook seen has 10,000
_DEEPEST = "its tags are nested more than 2,000 deep; save the page anew"


class HtmlPage:
    """The tree of a page, ``root``. Raises `UnreadableFile` where it cannot be parsed to its end.

    ``whole`` says that the page is part of a document, which has no furniture around its text.
    """

    def __init__(self, text: str, whole: bool = False):
        if (tags := text.count("<")) > MOST_TAGS:
            raise UnreadableFile(
                f"has {tags:,} tags, more than a rulebook can have ({MOST_TAGS:,}); divide it"
            )
        self._whole = whole
        parser = lxml.html.HTMLParser(
            encoding="utf-8", huge_tree=True, no_network=True, remove_pis=True
        )
        try:
            text = _CONTROLS.sub("", text)
            self.root: Any = lxml.html.document_fromstring(
                (text if text.strip() else "<p></p>").encode("utf-8"), parser=parser
            )
        except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
            if len(text) > _LARGE:  # this is how the parser says that it has no memory
                raise MemoryError from error
            raise UnreadableFile("a page without text; save it as your browser shows it") from error
        faults = [
            entry.message for entry in parser.error_log if entry.level == etree.ErrorLevels.FATAL
        ]
        if any("Excessive depth" in fault for fault in faults):
            raise UnreadableFile(_DEEPEST)
        if any("emory" in fault for fault in faults):
            raise MemoryError
        self.title = " ".join((self.root.findtext(".//title") or "").split())
        self._address = self._own_address()
        self._main = self.root.find(".//main") is not None
        self._survey = _Survey(self.root)

    def _own_address(self) -> str:
        """Where the page was saved from, as it says itself; "" where it does not."""
        for comment in self.root.xpath("/comment() | /html/comment() | /html/head/comment()"):
            if match := _SAVED_FROM.match(comment.text or ""):
                return match[1].partition("#")[0]
        for link in self.root.iterfind(".//link[@rel='canonical']"):
            return (link.get("href") or "").partition("#")[0]
        return ""

    def target(self, href: str) -> str:
        """The target of a link to ``href``: "#anchor" within the page, else the address; "" for a
        script.
        """
        href = href.strip()
        if re.match(r"(?:javascript|data|vbscript):", href, re.IGNORECASE) or not href:
            return ""
        address, mark, anchor = href.partition("#")
        return f"#{anchor}" if mark and anchor and address in ("", self._address) else href

    def arranges(self, table: Any) -> bool:
        """Whether ``table`` is none for readers: it has one column, other tables, or headings in
        its cells.
        """
        return table in self._survey.arranging

    def is_hidden(self, element: Any, in_heading: bool = False) -> bool:
        """Whether ``element`` is never shown, or no text."""
        if (
            element.tag in _NEVER_TEXT
            or element.get("hidden") is not None
            or _INVISIBLE.search(element.get("style") or "")
        ):
            return True
        if element.tag == "dialog" and element.get("open") is None:
            return True
        if _EDIT_LINKS.search(element.get("class") or ""):
            return True
        return in_heading and element.tag == "a" and _is_permalink(element)

    def is_furniture(self, element: Any, in_section: bool) -> bool:
        """Whether ``element`` stands around the text, on every page of a site, instead of in it or
        in a part of it (``in_section``).

        A header with the only title of the page is text, and so are a table of contents and what an
        article has at its side.
        """
        if self._whole or not _may_be_furniture(element):
            return False
        if element.tag == "nav" or element.get("role") == "navigation":
            return not self._is_contents(element)
        named = element.get("role") in _FURNITURE_ROLES
        if not named and in_section:
            return False
        headings = self._survey.headings.get(element, 0)
        if element.tag == "header":
            return not headings or self.root.find(".//main//h1") is not None
        letters, linked = self._survey.letters.get(element, [0, 0])
        if element.tag == "aside":
            return self._main or 2 * linked >= letters
        return True

    def _is_contents(self, element: Any) -> bool:
        links = [self.target(link.get("href") or "") for link in element.iter("a")]
        return len(links) > 2 and sum(link.startswith("#") for link in links) * 10 >= 9 * len(links)


class _Survey:
    """What is counted in a page before it is read.

    ``arranging`` are the tables that only arrange it; ``headings`` says how many headings stand in
    what may be furniture, ``letters`` how many letters, and how many of these are links.
    """

    def __init__(self, root: Any):
        self.arranging: set[Any] = set()
        self.headings: dict[Any, int] = {}
        self.letters: dict[Any, list[int]] = {}
        self._tables: list[Any] = []
        self._columns: list[int] = []  # of these tables
        self._boxes: list[Any] = []  # elements that may be furniture
        self._linked = 0
        for event, element in etree.iterwalk(root, events=("start", "end")):
            if isinstance(element.tag, str):
                if event == "start":
                    self._start(element)
                    self._count(element.text)
                else:
                    self._end(element)
                    self._count(element.tail)

    def _start(self, element: Any) -> None:
        tag = element.tag
        if tag == "table":
            self.arranging.update(self._tables[-1:])
            self._tables.append(element)
            self._columns.append(0)
        elif tag == "tr" and self._tables:
            self._columns[-1] = max(
                self._columns[-1], sum(child.tag in ("td", "th") for child in element)
            )
        elif tag in HEADINGS:
            if self._tables and element.getparent().tag not in ("th", "caption"):
                self.arranging.add(self._tables[-1])
            for box in self._boxes[-1:]:
                self.headings[box] = self.headings.get(box, 0) + 1
        self._linked += tag == "a"
        if _may_be_furniture(element):
            self._boxes.append(element)
            self.letters[element] = [0, 0]

    def _end(self, element: Any) -> None:
        self._linked -= element.tag == "a"
        if element.tag == "table" and self._tables:
            self._tables.pop()
            if self._columns.pop() <= 1 or element.get("role") in ("presentation", "none"):
                self.arranging.add(element)
        if self._boxes and self._boxes[-1] is element:
            self._boxes.pop()

    def _count(self, text: str | None) -> None:
        if self._boxes and text:
            letters = sum(map(str.isalpha, text))
            self.letters[self._boxes[-1]][0] += letters
            self.letters[self._boxes[-1]][1] += letters if self._linked else 0


def _may_be_furniture(element: Any) -> bool:
    return element.tag in _FURNITURE or element.get("role") in _FURNITURE_ROLES


def _is_permalink(link: Any) -> bool:
    """Whether ``link`` is only the sign that a heading has for linking to it."""
    if link.get("href") is None or len(link) > 2 or link.find(".//img") is not None:
        return False
    return "".join(link.itertext()).strip() in _PERMALINK
