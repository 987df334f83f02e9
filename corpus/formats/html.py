"""Reads one HTML page; links are never followed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from lxml import etree

from corpus.blocks import BlockKind, ExtractedText, Span
from corpus.formats import ExtractedFormat
from corpus.formats.assembly import (
    BULLET,
    CELL,
    MOST_COLUMNS,
    MOST_ROWS,
    BlockDraft,
    Table,
    TextAssembler,
    TextStyle,
    numeral,
)
from corpus.formats.html_page import HEADINGS, HtmlPage, HtmlStyles, is_html
from corpus.formats.lines import list_mark

_INDENT = 30.0  # points by which browsers indent lists, quotations and definitions
_LONGEST_ALT = 40  # characters; a longer text describes a picture instead of naming a symbol

_BLOCKS_TAGS = """
    address article aside blockquote body caption center dd details dialog dir div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main
    menu nav ol p plaintext pre search section summary table tbody td tfoot th thead tr ul xmp
"""
_BLOCKS = frozenset(_BLOCKS_TAGS.split())
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
# Elements whose content belongs to the text.
_SECTIONS = frozenset({"main", "article", "section", "blockquote", "figure", "td"})
_PREFORMATTED = frozenset({"pre", "listing", "plaintext", "xmp"})
_FILE_NAME = re.compile(r"\.\w{3,4}$")
_LIST_STYLE = re.compile(r"list-style(?:-type)?\s*:\s*([\w\s-]*)", re.IGNORECASE)
_LIST_FORMS = {"none": "", "lower-roman": "i", "upper-roman": "I"}
_LIST_FORMS |= dict.fromkeys(("lower-alpha", "lower-latin"), "a")
_LIST_FORMS |= dict.fromkeys(("upper-alpha", "upper-latin"), "A")


def _extract(raw: bytes) -> ExtractedText:
    page = HtmlPage(raw)
    assembler = TextAssembler()
    HtmlReader(page, assembler).read()
    return assembler.finished(
        page.title,
        "a page without text; save the page as your browser shows it, or print it into a PDF",
    )


@dataclass
class _List:
    """A list that is being read: the number of its ``next`` item, the increment ``step``, the
    ``form`` of its numbers (`numeral`; "" for none), and its nesting depth, from 1.
    """

    ordered: bool = False
    next: int = 1
    step: int = 1
    form: str = "•"
    depth: int = 1

    @classmethod
    def of(cls, element: Any, depth: int) -> _List:
        ordered = element.tag == "ol"
        backwards = ordered and element.get("reversed") is not None
        start = _whole_number(element.get("start"))
        if start is None:
            start = sum(child.tag == "li" for child in element) if backwards else 1
        form = _list_form(element)
        return cls(ordered, start, -1 if backwards else 1, "1" if form is None else form, depth)

    def mark(self, element: Any) -> str:
        if not self.ordered:
            return BULLET if self.form else ""
        value = _whole_number(element.get("value"))
        number = self.next if value is None else value
        self.next = number + self.step
        form = _list_form(element)
        form = self.form if form is None else form
        return f"{numeral(number, form)}." if form else ""


def _list_form(element: Any) -> str | None:
    """Return the form of numbers that ``element`` sets, "" for no numbers, None if unset."""
    if match := _LIST_STYLE.search(element.get("style") or ""):
        for word in match[1].lower().split():
            plain = word in ("none", "decimal", "disc", "circle", "square")
            if plain or word.startswith(("lower-", "upper-")):
                return _LIST_FORMS.get(word, "1")
    form = element.get("type") or ""
    return form if form in ("1", "a", "A", "i", "I") else None


def _whole_number(text: str | None) -> int | None:
    """Return the number at the beginning of an attribute, or None if there is none."""
    match = re.match(r"\s*([+-]?\d{1,9})", text or "")
    return int(match[1]) if match else None


class _Context(NamedTuple):
    style: TextStyle
    keep: bool = False  # white space is kept
    indent: float = 0.0
    heading: int = 0
    term: bool = False  # of a list of definitions
    furniture: bool = False
    section: bool = False  # within an element of `_SECTIONS`
    list: _List | None = None


class _Item(NamedTuple):
    mark: str
    depth: int


@dataclass
class _OpenLink:
    """A link whose end has not been read; ``start`` is the offset of its text in the draft, None
    before it has any.
    """

    target: str
    start: int | None = None


@dataclass
class _DataTable:
    """A table that is being read: the ``column`` of the next cell, and the beginning of the cell in
    the draft, as part number (``parts``) and offset (``start``).
    """

    table: Table
    column: int = 0
    parts: int = 0
    start: int = 0

    def begin_cell(self, draft: BlockDraft) -> None:
        self.parts, self.start = len(draft.parts), draft.length


class HtmlReader:
    """Appends the blocks of ``page`` to ``assembler``.

    ``anchor`` converts an id in the page to an anchor of the document, and ``target`` converts the
    target of a link. ``sheets`` is the text of external style sheets.
    """

    def __init__(
        self,
        page: HtmlPage,
        assembler: TextAssembler,
        anchor: Callable[[str], str] = str,
        target: Callable[[str], str] = str,
        sheets: str = "",
    ):
        self._page = page
        self._assembler = assembler
        self._anchor = anchor
        self._target = target
        self._styles = HtmlStyles(page.root, sheets)
        self._contexts = [_Context(self._styles.body)]
        self._draft: BlockDraft | None = None
        self._furniture = False  # of the draft
        self._item: _Item | None = None  # its mark is not yet in any draft
        self._taken: _Item | None = None  # its mark is in the draft
        self._links: list[_OpenLink] = []
        self._linked: list[Span] = []  # spans of all links in the draft
        self._title: str | None = None  # the first heading
        self._below_title = False  # there is text below the title
        self._tables: list[_DataTable | None] = []  # None for layout tables
        self._in_row = False
        self._cells = 0  # separators to write before the next text of the row
        self._broken = False  # the next text of the row begins a new line

    def read(self) -> None:
        """Read the whole page."""
        walker = etree.iterwalk(self._page.root, events=("start", "end", "comment", "pi"))
        for event, element in walker:
            if event == "start":
                if self._start(element):
                    self._text(element.text)
                else:
                    walker.skip_subtree()
            else:
                if event == "end":
                    self._end(element)
                self._text(element.tail)
        self._flush()

    def _start(self, element: Any) -> bool:
        """Enter ``element``, and return False if it contains no text to read."""
        tag, context = element.tag, self._contexts[-1]
        style = self._styles.of(element, context.style)
        if style.hidden or self._page.is_hidden(element, context.heading > 0):
            self._note_anchors(element)
            self._contexts.append(context)
            return False
        context = context._replace(style=style)
        if tag in _BLOCKS:
            self._break()
            context = self._start_block(element, context)
        self._note_anchors(element)
        self._contexts.append(context)
        if tag == "br":
            self._line_break()
        elif tag == "a" and element.get("href"):
            self._links.append(_OpenLink(self._target(self._page.target(element.get("href")))))
        elif tag == "img":  # the name of a symbol within text
            alt = " ".join((element.get("alt") or "").split())
            if 0 < len(alt) <= _LONGEST_ALT and not _FILE_NAME.search(alt):
                draft = self._draft or self._begin(context)
                self._settle(draft)
                draft.add(alt, aside=True)
        elif tag == "q":
            self._text("“")
        return True

    def _start_block(self, element: Any, context: _Context) -> _Context:
        tag = element.tag
        table = self._tables[-1] if self._tables else None
        changes: dict[str, Any] = {}
        if tag in HEADINGS:
            changes["heading"] = int(tag[1])
        elif tag in _LISTS:
            changes["list"] = _List.of(element, context.list.depth + 1 if context.list else 1)
            changes["indent"] = context.indent + _INDENT
        elif tag in ("blockquote", "dd"):
            changes["indent"] = context.indent + _INDENT
        elif tag in _PREFORMATTED:
            changes["keep"] = True
        elif tag == "dt":
            changes["term"] = True
        else:
            if tag == "li":
                list = context.list or _List()
                self._item = _Item(list.mark(element), list.depth)
            elif tag == "table":
                self._tables.append(
                    None
                    if self._page.arranges(element)
                    else _DataTable(self._assembler.begin_table())
                )
            elif tag == "tr" and table:
                self._begin_row(table, context)
            elif tag in ("td", "th") and self._in_row and table:
                self._begin_cell(table)
            cell = tag in ("td", "th", "tr")
            if not cell and self._page.is_furniture(element, context.section):
                changes["furniture"] = True
        if tag in _SECTIONS:
            changes["section"] = True
        return context._replace(**changes)

    def _end(self, element: Any) -> None:
        tag = element.tag
        context = self._contexts.pop()
        if context is self._contexts[-1]:  # hidden
            if tag in _BLOCKS:
                self._break()
            return
        if tag == "q":
            self._text("”")
        if tag == "a" and element.get("href") and self._links:
            self._close(self._links.pop())
        if tag not in _BLOCKS:
            return
        self._break()
        table = self._tables[-1] if self._tables else None
        if tag == "li":
            self._item = None
        elif tag in ("td", "th") and self._in_row and table:
            self._end_cell(element, table)
        elif tag == "tr" and table:
            self._end_row(element, table)
        elif tag == "table" and self._tables:
            self._tables.pop()

    def _text(self, text: str | None) -> None:
        context = self._contexts[-1]
        if not text or (self._draft is None and not text.strip()):
            return
        if not text.strip() and self._in_row and (self._cells > 0 or self._broken):
            return
        draft = self._begin(context) if self._draft is None else self._draft
        if text.strip():
            self._settle(draft)
            for link in self._links:
                if link.start is None:
                    link.start = draft.length
        draft.add(text, context.style, keep=context.keep)

    def _begin(self, context: _Context) -> BlockDraft:
        kind, level, mark = BlockKind.PARAGRAPH, 0, ""
        if self._item is not None:
            kind, level, mark = BlockKind.ITEM, self._item.depth, self._item.mark
        if context.heading:
            kind, level, mark = BlockKind.HEADING, context.heading, "" if mark == BULLET else mark
        elif context.keep and kind is BlockKind.PARAGRAPH:
            kind = BlockKind.CODE
        self._draft = BlockDraft(kind, level, mark, context.indent, bold=context.term)
        self._furniture = context.furniture
        self._taken, self._item = self._item, None
        return self._draft

    def _settle(self, draft: BlockDraft) -> None:
        """Write the pending cell separators and the pending list mark of a table row."""
        if not self._in_row:
            return
        if self._cells > 0:
            for _ in range(self._cells):
                draft.add(CELL, aside=True)
            self._cells = 0
        elif self._broken:
            draft.line_break()
        self._broken = False
        if self._item is not None:
            draft.add(f"{self._item.mark} ")
            self._item = None

    def _break(self) -> None:
        """End the draft, or in a table row only the line."""
        if self._in_row:
            self._broken = self._draft is not None and self._draft.length > 0
        else:
            self._flush()

    def _flush(self) -> Span | None:
        """End the draft, and return the span of its block, or None if it is empty or furniture."""
        draft = self._draft
        if draft is None:
            return None
        for link in self._links:
            self._close(link)
            link.start = None
        self._draft = None
        linked, self._linked = self._linked, []
        if not draft and self._taken is not None:
            self._item = self._taken
        self._taken = None
        bulleted = draft.kind is BlockKind.ITEM and draft.mark in (BULLET, "")
        if bulleted and (mark := list_mark(draft.text())):  # written in the text
            draft.mark, draft.has_mark = mark.text, True
        furniture, text = self._furniture, draft.text().strip()
        if draft.kind is BlockKind.HEADING and not furniture:
            furniture = text == self._title and not self._below_title
            self._title = text if self._title is None else self._title
            for name in draft.anchors if furniture else ():  # the title is repeated
                self._assembler.anchor(name)
        elif draft.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM) and not (furniture or draft.bold):
            above = self._title is None
            furniture = self._page.is_control(draft.text(), linked, above)
        self._below_title = self._below_title or (
            self._title not in (None, text) and bool(text) and not furniture
        )
        return self._assembler.append(draft, furniture=furniture)

    def _close(self, link: _OpenLink) -> None:
        if self._draft is not None and link.start is not None:
            self._draft.link(link.start, link.target)
            self._linked.append(Span(link.start, self._draft.length))

    def _line_break(self) -> None:
        draft, keep = self._draft, self._contexts[-1].keep
        if draft is None:
            return
        if self._in_row:
            self._broken = True
        elif not draft.line_break() and not keep and draft.kind is not BlockKind.HEADING:
            self._flush()
        elif keep:
            draft.add("\n", keep=True)

    def _note_anchors(self, element: Any) -> None:
        names = (element.get("id"), element.get("name") if element.tag == "a" else None)
        for name in filter(None, names):
            if self._draft is not None:
                self._draft.anchors.append(self._anchor(name))
            else:
                self._assembler.anchor(self._anchor(name))

    def _begin_row(self, table: _DataTable, context: _Context) -> None:
        self._flush()
        self._in_row, self._cells, self._broken = True, -1, False
        self._draft = BlockDraft(BlockKind.ROW, indent=context.indent, table=table.table.number)
        self._furniture, self._item = context.furniture, None
        table.column = 0

    def _begin_cell(self, table: _DataTable) -> None:
        """Begin a cell, after repeating the cells above that span this row."""
        self._repeat_cells(table)
        self._cells += 1
        self._broken = False
        if self._draft is not None:
            table.begin_cell(self._draft)

    def _end_cell(self, element: Any, table: _DataTable) -> None:
        columns = min(max(_whole_number(element.get("colspan")) or 1, 1), MOST_COLUMNS)
        rows = _whole_number(element.get("rowspan"))
        reaches = rows is not None and rows != 1
        text = self._draft.text(table.parts) if self._draft is not None and reaches else ""
        table.table.add_cell(table.column, columns, MOST_ROWS if rows == 0 else rows or 1, text)
        table.column += columns
        self._cells += columns - 1
        if self._draft is not None:
            self._draft.end_cell(table.parts, table.start, columns)

    def _repeat_cells(self, table: _DataTable) -> None:
        """Write the cells from above that span this row before its next cell."""
        while (text := table.table.repeated(table.column)) is not None:
            self._cells += 1
            table.column += 1
            if self._draft is not None:
                table.begin_cell(self._draft)
                if text:
                    self._settle(self._draft)
                    self._draft.add(text, aside=True)
                self._draft.end_cell(table.parts, table.start)

    def _end_row(self, element: Any, table: _DataTable) -> None:
        self._repeat_cells(table)
        self._in_row = False
        if self._draft is not None:
            only_headers = not any(cell.tag == "td" for cell in element)
            self._draft.header = element.getparent().tag == "thead" or only_headers or None
        self._flush()


HTML = ExtractedFormat("html", is_html, _extract)
