"""Recognises, decodes and parses an HTML page, and analyses its elements before they are read:
styles, hidden elements, furniture.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from itertools import islice
from typing import Any

import lxml.html
from lxml import etree

from corpus.blocks import Span
from corpus.formats import UnreadableFile, encodings
from corpus.formats.assembly import TextStyle
from corpus.languages import any_of

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META = re.compile(rb"<meta[^>]{0,500}?charset\s*+=\s*+[\"']?\s*+([\w.:-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{2,40})[\"']")
# On the web these names mean Windows-1252.
_WINDOWS = {"iso8859-1": "cp1252", "ascii": "cp1252"}
_HEAD = 4096  # bytes in which the encoding is declared

_DOCUMENT = re.compile(
    r"\s*+(?:(?><\?xml[^>]{0,200}\?>|<!--.{0,2000}?-->)\s*+)*+(?:<!doctype\s+html\b|<html[\s>])",
    re.IGNORECASE | re.DOTALL,
)
_COMMENTS = re.compile(r"\A\s*+(?:<!--.{0,2000}?-->\s*+)*+", re.DOTALL)
_BLOCK = re.compile(
    r"<(/?)(?:head|body|main|article|section|header|footer|nav|div|p|h[1-6]|ul|ol|li|dl|dt|dd"
    r"|table|thead|tbody|tr|td|th|blockquote|pre|center)(?:\s[^<>]{0,1000})?/?>"
    r"|<(?:br|hr|meta|link)\b[^<>]{0,1000}>",
    re.IGNORECASE,
)
_OF_MARKDOWN = re.compile(
    r"^(?:#{1,6} \S|\s{0,3}(?:[-*+]|\d{1,3}[.)]) \S|```|\|.*\|\s*$)|\*\*\S|\]\(", re.MULTILINE
)
_FRAGMENT = 20_000  # characters by which a page without <html> is recognised
_TAG_EVERY = 600  # characters: a paragraph, at most

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_NEVER_TEXT_TAGS = """
    head script style noscript template svg iframe object embed canvas audio video map datalist
    select option textarea button input frameset rp rt area param source track
"""
_NEVER_TEXT = frozenset(_NEVER_TEXT_TAGS.split())
_FURNITURE = frozenset({"nav", "header", "footer", "aside"})
_FURNITURE_ROLES = frozenset({"navigation", "banner", "contentinfo", "complementary", "search"})
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_EDIT_LINKS = re.compile(r"(?:^|\s)(?:mw-editsection|headerlink|permalink)(?:\s|$)")
_EDIT = re.compile(rf"\[?\s*{any_of('labels.link_texts')}\s*\]?", re.IGNORECASE)
# Class names of furniture, and of elements that are furniture if they are mostly links.
_CONTROLS_NAMES = re.compile(
    r"(?:^|[\s_-])(?:visually-?hidden|sr-only|screen-?reader(?:-text)?|skip-?(?:links?|nav|to-\w+)"
    r"|breadcrumbs?|cookies?|consent|back-?to-?top|to-?top|pagination|pager|share|sharing|social"
    r"|printfooter|catlinks|edit-?(?:link|section|this-page)|newsletter|advert\w*)(?![^\s_-])",
    re.IGNORECASE,
)
_LINKS_NAMES = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navigation|menu|sidebar|toolbar|topbar|footer)(?![^\s_-])",
    re.IGNORECASE,
)
_MOST_LETTERS = 600  # in an element that only its name marks as furniture
_CONTROL = re.compile(
    rf"\W*+{any_of('labels.back_to_top', 'labels.page_controls')}\W{{0,8}}", re.IGNORECASE
)
_LINK_TEXT = re.compile(rf"\W*+{any_of('labels.link_texts')}\W{{0,8}}", re.IGNORECASE)
_STEP = re.compile("[»›>→]")  # between the parts of a path through a site
_LONGEST_CONTROL = 320  # characters
_PERMALINK = frozenset({"", "¶", "#", "§", "🔗", "⚓", "↩", "↑", "Â¶"})
_SAVED_FROM = re.compile(r"\s*saved from url=\(\d+\)(\S+)")
_CONTROLS = re.compile("[\0-\x08\x0b\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # not allowed in the tree
_LARGE = 1_000_000  # characters
MOST_TAGS = 1_200_000  # their tree takes 300 MB; the largest rulebook seen has 10,000

_CLASS = re.compile(r"\s*(?:p|span|div|li|td)?\.([\w-]+)\s*")
_WEIGHT = re.compile(r"font-weight\s*:\s*(bold|bolder|normal|lighter|\d{3})", re.IGNORECASE)
_SLANT = re.compile(r"font-style\s*:\s*(italic|oblique|normal)", re.IGNORECASE)
_SIZE = re.compile(
    r"font-size\s*:\s*(\d{1,3}(?:\.\d{1,4})?|\.\d{1,4})(pt|px|r?em|%)", re.IGNORECASE
)
_POINTS = {"pt": 1.0, "px": 0.75, "rem": 12.0}
_RELATIVE = {"em": 1.0, "%": 0.01}
_DEFAULT_SIZE = 12.0  # points of text in browsers
_LARGEST_SHEET = 500_000  # characters


def is_html(raw: bytes) -> bool:
    """Return whether ``raw`` is HTML: it begins like HTML, or consists of HTML elements. Markdown
    with some tags does not count.
    """
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = raw[: 2 * _FRAGMENT].decode("utf-16", "replace")
    else:
        text = raw[:_FRAGMENT].decode("latin-1").removeprefix("ï»¿")
    if _DOCUMENT.match(text):
        return True
    # A page without <html> begins with a block element, and all its text is in such elements.
    text = _COMMENTS.sub("", text, count=1)
    tags = list(_BLOCK.finditer(text)) if _BLOCK.match(text) else []
    if len(tags) < 2 or len(tags) * _TAG_EVERY < len(text):
        return False
    outside, depth, end = 0, 0, 0
    for tag in tags:
        between = text[end : tag.start()].strip()
        if depth <= 0 or "\n\n" in between:  # a paragraph outside of elements
            outside += len(between)
        depth = max(depth + (-1 if tag[1] else 1), 0)
        end = tag.end()
    return outside <= 0.02 * len(text) and len(_OF_MARKDOWN.findall(text)) * 5 <= len(tags)


def decode(raw: bytes) -> str:
    """Decode ``raw`` by its byte order mark or declared encoding, as UTF-8, or in the most
    plausible encoding. Raises `UnreadableFile`.
    """
    for mark, encoding in _BOMS:
        if raw.startswith(mark):
            return raw[len(mark) :].decode(encoding, "replace")
    for declared in (_META.search(raw[:_HEAD]), _XML.match(raw[:_HEAD]), "utf-8"):
        try:
            if isinstance(declared, re.Match):
                name = codecs.lookup(declared[1].decode("ascii")).name
                if not name.startswith("utf-16"):  # the declaration could not have been read
                    return raw.decode(_WINDOWS.get(name, name))
            elif declared:
                return raw.decode(declared)
        except (UnicodeDecodeError, LookupError):
            continue
    try:
        return encodings.decode(raw).text
    except encodings.UndecodableText as error:
        raise UnreadableFile(str(error)) from error


class HtmlPage:
    """The parsed page, with the tree ``root``. Raises `UnreadableFile` if it cannot be parsed to
    its end.

    ``whole`` means that all of the page is text, as in a book, so that nothing is furniture.
    """

    def __init__(self, raw: bytes, whole: bool = False):
        text = decode(raw)
        if (tags := text.count("<")) > MOST_TAGS:
            raise UnreadableFile(
                f"has {tags:,} tags, more than a rulebook can have ({MOST_TAGS:,}); divide it"
            )
        self._whole = whole
        self.root = _parsed(text)
        for heading in self.root.iter(*HEADINGS):
            for link in heading.iterfind("a"):
                _take_brackets(link)
        self.title = " ".join((self.root.findtext(".//title") or "").split())
        self._address = self._own_address()
        self._main = self.root.find(".//main") is not None
        first = next(self.root.iter("h1"), None)
        self._heading = _letters("".join(islice(first.itertext(), 20))) if first is not None else ""
        self._arranging: set[Any] = set()  # tables that only arrange the page
        # Of possible furniture: the number of headings; letters, and letters in links.
        self._headings: dict[Any, int] = {}
        self._letters: dict[Any, list[int]] = {}
        self._survey()

    def _own_address(self) -> str:
        """Return the web address from which the page was saved, or "" if it does not say."""
        for comment in self.root.xpath("/comment() | /html/comment() | /html/head/comment()"):
            if match := _SAVED_FROM.match(comment.text or ""):
                return match[1].partition("#")[0]
        for link in self.root.iterfind(".//link[@rel='canonical']"):
            return str(link.get("href") or "").partition("#")[0]
        return ""

    def _survey(self) -> None:
        tables: list[tuple[Any, int]] = []  # enclosing tables, and their columns
        boxes: list[Any] = []  # elements that may be furniture
        linked = 0
        for event, element in etree.iterwalk(self.root, events=("start", "end")):
            if not isinstance(element.tag, str):
                continue
            tag = element.tag
            if event == "start":
                if tag == "table":
                    self._arranging.update(table for table, _ in tables[-1:])
                    tables.append((element, 0))
                elif tag == "tr" and tables:
                    cells = sum(child.tag in ("td", "th") for child in element)
                    tables[-1] = tables[-1][0], max(tables[-1][1], cells)
                elif tag in HEADINGS:
                    if tables and element.getparent().tag not in ("th", "caption"):
                        self._arranging.add(tables[-1][0])
                    for box in boxes[-1:]:
                        self._headings[box] = self._headings.get(box, 0) + 1
                linked += tag == "a"
                if _may_be_furniture(element):
                    boxes.append(element)
                    self._letters[element] = [0, 0]
            else:
                linked -= tag == "a"
                if tag == "table":
                    columns = tables.pop()[1]
                    if columns <= 1 or element.get("role") in ("presentation", "none"):
                        self._arranging.add(element)
                if boxes and boxes[-1] is element:
                    letters, links = self._letters[boxes.pop()]
                    if boxes:
                        self._letters[boxes[-1]][0] += letters
                        self._letters[boxes[-1]][1] += links
            text = element.text if event == "start" else element.tail
            if boxes and text:
                letters = sum(map(str.isalpha, text))
                self._letters[boxes[-1]][0] += letters
                self._letters[boxes[-1]][1] += letters if linked else 0

    def target(self, href: str) -> str:
        """Return the target of a link to ``href``: "#anchor" within the page, the address, or ""
        for a script.
        """
        href = href.strip()
        if re.match(r"(?:javascript|data|vbscript):", href, re.IGNORECASE):
            return ""
        address, mark, anchor = href.partition("#")
        return f"#{anchor}" if mark and anchor and address in ("", self._address) else href

    def arranges(self, table: Any) -> bool:
        """Return whether ``table`` serves only as page layout: it has one column, or contains
        tables or headings.
        """
        return table in self._arranging

    def is_hidden(self, element: Any, in_heading: bool) -> bool:
        """Return whether ``element`` is never shown or contains no text."""
        return bool(
            element.tag in _NEVER_TEXT
            or element.get("hidden") is not None
            or _INVISIBLE.search(element.get("style") or "")
            or (element.tag == "dialog" and element.get("open") is None)
            or _EDIT_LINKS.search(element.get("class") or "")
            or (in_heading and element.tag == "a" and _is_permalink(element))
        )

    def is_control(self, text: str, linked: Sequence[Span], above: bool) -> bool:
        """Return whether the block ``text`` is a control of the page: a "skip" or "back to top"
        link, a button for printing, sharing or editing, a breadcrumb trail, or a cookie notice.

        ``linked`` are the spans of its links. If it is ``above`` the first heading, the repeated
        title and blocks of only links count, too.
        """
        plain = text.strip()
        if not plain or len(plain) > _LONGEST_CONTROL:
            return False
        if _CONTROL.fullmatch(plain) or (above and _letters(plain) == self._heading):
            return True
        rest = list(text)
        for start, end in linked:
            rest[start:end] = " " * (end - start)
        names = [text[start:end].strip() for start, end in linked]
        if above and names and plain.startswith(names[0]) and len(_STEP.split(plain)) > len(names):
            return True
        if not names or any(map(str.isalnum, rest)):
            return False
        known = (_CONTROL.fullmatch(name) or _LINK_TEXT.fullmatch(name) for name in names)
        return (above and len(names) > 1) or all(known)

    def is_furniture(self, element: Any, in_section: bool) -> bool:
        """Return whether ``element`` is part of a site's frame around the text; ``in_section``
        means that it is inside an element of the text.

        A header with the only title of the page is text, and so are a table of contents and the
        sidebar of an article.
        """
        if self._whole or not _may_be_furniture(element):
            return False
        if element.find(".//main") is not None:
            return False  # its end tag is missing
        if element.tag not in _FURNITURE and element.get("role") not in _FURNITURE_ROLES:
            return self._is_named_so(element, in_section)
        if element.tag == "nav" or element.get("role") == "navigation":
            links = [self.target(link.get("href") or "") for link in element.iter("a")]
            local = sum(link.startswith("#") for link in links)
            around = len(links) <= 2 or local * 10 < 9 * len(links)  # else a table of contents
            letters, linked = self._letters.get(element, [0, 0])
            return around and letters <= 2 * linked + _MOST_LETTERS
        if element.get("role") not in _FURNITURE_ROLES and in_section:
            return False
        if element.tag == "header":
            headings = self._headings.get(element, 0)
            return not headings or self.root.find(".//main//h1") is not None
        letters, linked = self._letters.get(element, [0, 0])
        return element.tag != "aside" or self._main or 2 * linked >= letters

    def _is_named_so(self, element: Any, in_section: bool) -> bool:
        letters, linked = self._letters.get(element, [0, 0])
        if letters > _MOST_LETTERS or next(element.iter("h1", "h2", "h3"), None) is not None:
            return False
        names = _names(element)
        return bool(_CONTROLS_NAMES.search(names)) or (not in_section and 2 * linked > letters)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text[:_LONGEST_CONTROL])).casefold()


def _names(element: Any) -> str:
    return f"{element.get('class') or ''} {element.get('id') or ''}"[:400]


def _parsed(text: str) -> Any:
    parser = lxml.html.HTMLParser(
        encoding="utf-8", huge_tree=True, no_network=True, remove_pis=True
    )
    text = _CONTROLS.sub("", text)
    raw = (text if text.strip() else "<p></p>").encode("utf-8")
    try:
        root = lxml.html.document_fromstring(raw, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        if len(text) > _LARGE:  # the parser reports lack of memory this way
            raise MemoryError from error
        raise UnreadableFile("a page without text; save it as your browser shows it") from error
    faults = [each.message for each in parser.error_log if each.level == etree.ErrorLevels.FATAL]
    if any("Excessive depth" in fault for fault in faults):
        raise UnreadableFile("its tags are nested more than 2,000 deep; save the page anew")
    if any("emory" in fault for fault in faults):
        raise MemoryError
    return root


def _may_be_furniture(element: Any) -> bool:
    if element.tag in _FURNITURE or element.get("role") in _FURNITURE_ROLES:
        return True
    if element.tag in ("html", "body", "main", "article") or element.tag in HEADINGS:
        return False
    names = _names(element)
    return bool(_CONTROLS_NAMES.search(names) or _LINKS_NAMES.search(names))


def _take_brackets(link: Any) -> None:
    """Move brackets around ``link`` into it: in "[edit]" they belong to the link."""
    above, before = link.getparent(), link.getprevious()
    text = (above.text if before is None else before.tail) or ""
    tail = link.tail or ""
    if text.rstrip().endswith("[") and tail.lstrip().startswith("]") and not len(link):
        if before is None:
            above.text = text.rstrip()[:-1]
        else:
            before.tail = text.rstrip()[:-1]
        link.text, link.tail = f"[{link.text or ''}]", tail.lstrip()[1:]


def _is_permalink(link: Any) -> bool:
    """Return whether ``link`` is only the permalink sign beside a heading, like "¶" or "[edit]"."""
    if link.get("href") is None or len(link) > 2 or link.find(".//img") is not None:
        return False
    text = "".join(link.itertext()).strip()
    return text in _PERMALINK or (text[:1] == "[" and bool(_EDIT.fullmatch(text)))


class HtmlStyles:
    """The styles of a page, from tags, attributes, and simple class rules in the style sheets of
    ``root`` and in ``sheets``, the text of external ones.
    """

    def __init__(self, root: Any, sheets: str):
        self._classes: dict[str, str] = {}
        for sheet in (sheets, *(each.text or "" for each in root.iter("style"))):
            *rules, _ = sheet[:_LARGEST_SHEET].split("}")
            for rule in rules:
                before, _, declarations = rule.rpartition("{")
                for selector in before.rpartition("{")[2].split(","):
                    if match := _CLASS.fullmatch(selector):
                        known = self._classes.get(match[1], "")
                        self._classes[match[1]] = f"{known};{declarations}"[-4000:]

    @property
    def body(self) -> TextStyle:
        """The style of text without any rule; its size is known only if class rules set sizes."""
        sized = any(map(_SIZE.search, self._classes.values()))
        return TextStyle(size=_DEFAULT_SIZE if sized else 0.0)

    def of(self, element: Any, outer: TextStyle) -> TextStyle:
        """Return the style of ``element`` inside text of the style ``outer``."""
        bold = outer.bold or element.tag in ("b", "strong")
        italic = outer.italic or element.tag in ("i", "em", "cite", "dfn", "var")
        raised = outer.raised or element.tag == "sup"
        outer = outer._replace(underlined=outer.underlined or element.tag == "u")
        declared = element.get("style") or ""
        if self._classes and (names := element.get("class")):
            classes = [self._classes.get(name, "") for name in names.split()[:20]]
            declared = ";".join([*classes, declared])
        if not declared:
            return outer._replace(bold=bold, italic=italic, raised=raised)
        for weight in _WEIGHT.findall(declared):
            bold = weight.lower() in ("bold", "bolder") or weight[0] in "6789"
        for slant in _SLANT.findall(declared):
            italic = slant.lower() != "normal"
        size = outer.size
        for number, unit in _SIZE.findall(declared.lower()):
            points = _POINTS.get(unit) or _RELATIVE[unit] * (outer.size or _DEFAULT_SIZE)
            size = float(number) * points
        hidden = bool(_INVISIBLE.search(declared))
        return outer._replace(bold=bold, italic=italic, hidden=hidden, size=size, raised=raised)
