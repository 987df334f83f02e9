"""Reads the elements of a page one after the other and makes blocks of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from lxml import etree

from corpus.blocks import BlockKind
from corpus.formats.html.html_lists import BULLET, HtmlList, OpenItem, whole_number
from corpus.formats.html.html_style import HtmlStyles, TextStyle
from corpus.formats.html.html_tree import HEADINGS, SECTIONS, HtmlPage
from corpus.formats.shared.spanned_cells import MOST_COLUMNS, MOST_ROWS, SpannedCells, TableHeader
from corpus.formats.shared.text_assembler import CELL, BlockDraft, TextAssembler
from corpus.formats.text.list_marks import list_mark
from corpus.spans import Span

INDENT = 30.0  # points by which browsers move lists, quotations and definitions to the right
LONGEST_ALT = 40  # characters; what is longer describes a picture instead of naming a symbol

_BLOCKS_TAGS = """
    address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2
    h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol p plaintext pre search section summary table tbody td tfoot
    th thead tr ul xmp
"""
_BLOCKS = frozenset(_BLOCKS_TAGS.split())
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_PREFORMATTED = frozenset({"pre", "listing", "plaintext", "xmp"})
_INDENTED = frozenset({"blockquote", "dd"})
_FILE_NAME = re.compile(r"\.\w{3,4}$")


class _Context(NamedTuple):
    """What holds for the text inside an element."""

    style: TextStyle = TextStyle()
    keep: bool = False  # white space as it is
    indent: float = 0.0
    heading: int = 0
    term: bool = False  # of a list of definitions
    furniture: bool = False
    section: bool = False  # within a part of the text
    list: HtmlList | None = None


class _OpenLink:
    """A link whose end has not been read. ``start`` is where its text begins in the draft, None
    before there is any.
    """

    def __init__(self, target: str):
        self.target = target
        self.start: int | None = None


class _DataTable:
    """A table that is being read: its header, cells that reach into rows below, and the column of
    the next cell of its row.
    """

    def __init__(self) -> None:
        self.header = TableHeader()
        self.spanned = SpannedCells()
        self.column = 0
        self.cell = 0  # where the text of the cell begins in the draft


class HtmlReader:
    """Appends the blocks of ``page`` to ``assembler``.

    ``anchor`` makes of an id in the page the anchor that it has in the document, ``target``
    likewise of what a link leads to. ``sheets`` is the text of the style sheets that it is shown
    with.
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
        self._item: OpenItem | None = None  # whose mark nothing has taken
        self._taken: OpenItem | None = None  # whose mark the draft has
        self._links: list[_OpenLink] = []
        self._tables: list[_DataTable | None] = []  # None for those that only arrange the page
        self._in_row = False
        self._cells = 0  # separators that stand before the next text of the row
        self._broken = False  # the next text of the row stands in a new line

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
        """Enter ``element``. False where nothing in it is text."""
        tag, context = element.tag, self._contexts[-1]
        style = self._styles.of(element, context.style)
        if style.hidden or self._page.is_hidden(element, context.heading > 0):
            self._note_anchors(element)
            self._contexts.append(context)
            return False
        context = context._replace(style=style)
        if tag in _BLOCKS:
            self._break()
            context = self._block_context(element, context)
            if tag in SECTIONS:
                context = context._replace(section=True)
        self._note_anchors(element)
        self._contexts.append(context)
        if tag == "br":
            self._line_break()
        elif tag == "a" and element.get("href"):
            self._links.append(_OpenLink(self._target(self._page.target(element.get("href")))))
        elif tag == "img":
            self._picture(element.get("alt") or "")
        elif tag == "q":
            self._text("“")
        return True

    def _block_context(self, element: Any, context: _Context) -> _Context:
        tag = element.tag
        if tag in HEADINGS:
            return context._replace(heading=int(tag[1]))
        if tag in _LISTS:
            depth = context.list.depth + 1 if context.list else 1
            return context._replace(
                list=HtmlList.of(element, depth), indent=context.indent + INDENT
            )
        if tag == "li":
            self._item = (context.list or HtmlList()).item(element)
        elif tag in _PREFORMATTED:
            return context._replace(keep=True)
        elif tag in _INDENTED:
            return context._replace(indent=context.indent + INDENT)
        elif tag == "dt":
            return context._replace(term=True)
        elif tag == "table":
            self._tables.append(None if self._page.arranges(element) else _DataTable())
        elif tag == "tr" and self._tables and self._tables[-1]:
            self._begin_row(self._tables[-1], context)
        elif tag in ("td", "th") and self._in_row and self._tables[-1]:
            self._begin_cell(self._tables[-1])
        if element.tag not in ("td", "th", "tr") and self._page.is_furniture(
            element, context.section
        ):
            return context._replace(furniture=True)
        return context

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
        if tag == "li":
            self._item = None
        elif tag in ("td", "th") and self._in_row and self._tables[-1]:
            self._end_cell(element, self._tables[-1])
        elif tag == "tr" and self._tables and self._tables[-1]:
            self._end_row(element, self._tables[-1])
        elif tag == "table" and self._tables:
            self._tables.pop()

    def _text(self, text: str | None) -> None:
        """Add ``text`` to the draft, and begin one where there is none."""
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
        style = context.style
        draft.add(text, bold=style.bold, italic=style.italic, size=style.size, keep=context.keep)

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
        """Write what stands between the cells of a row, and marks of lists in them."""
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
        """End the draft, or within a row the line."""
        if self._in_row:
            self._broken = self._draft is not None and self._draft.length > 0
        else:
            self._flush()

    def _flush(self) -> Span | None:
        """End the draft. Returns the span of the block that it has become, if it is one of the
        text.
        """
        draft = self._draft
        if draft is None:
            return None
        for link in self._links:
            self._close(link)
            link.start = None
        self._draft = None
        if draft:
            _prefer_own_mark(draft)
        elif self._taken is not None:
            self._item = self._taken
        self._taken = None
        return self._assembler.append(draft, furniture=self._furniture)

    def _close(self, link: _OpenLink) -> None:
        if self._draft is not None and link.start is not None and link.target:
            self._draft.link(link.start, link.target)

    def _line_break(self) -> None:
        if self._draft is None:
            return
        if self._in_row:
            self._broken = True
        elif (
            not self._draft.line_break()
            and not self._contexts[-1].keep
            and self._draft.kind is not BlockKind.HEADING
        ):
            self._flush()
        elif self._contexts[-1].keep:
            self._draft.add("\n", keep=True)

    def _picture(self, alt: str) -> None:
        """Add the name of a symbol where it stands within text."""
        alt = " ".join(alt.split())
        if 0 < len(alt) <= LONGEST_ALT and not _FILE_NAME.search(alt):
            draft = self._begin(self._contexts[-1]) if self._draft is None else self._draft
            self._settle(draft)
            draft.add(alt, aside=True)

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
        self._draft = BlockDraft(BlockKind.ROW, indent=context.indent, header=table.header.span)
        self._furniture, self._item = context.furniture, None
        table.column = 0

    def _begin_cell(self, table: _DataTable) -> None:
        """Begin a cell, behind those that reach down into the row from above."""
        self._repeat_cells(table)
        self._cells += 1
        self._broken = False
        table.cell = self._draft.length if self._draft else 0

    def _end_cell(self, element: Any, table: _DataTable) -> None:
        columns = min(max(whole_number(element.get("colspan")) or 1, 1), MOST_COLUMNS)
        rows = whole_number(element.get("rowspan"))
        text = (
            self._draft.since(table.cell) if self._draft and rows != 1 and rows is not None else ""
        )
        table.spanned.add(table.column, columns, MOST_ROWS if rows == 0 else rows or 1, text)
        table.column += columns
        self._cells += columns - 1

    def _repeat_cells(self, table: _DataTable) -> None:
        """Write the cells from above that stand before the next cell of the row."""
        while (text := table.spanned.take(table.column)) is not None:
            self._cells += 1
            table.column += 1
            if text and self._draft is not None:
                self._settle(self._draft)
                self._draft.add(text, aside=True)

    def _end_row(self, element: Any, table: _DataTable) -> None:
        self._repeat_cells(table)
        self._in_row = False
        span = self._flush()
        cells = [cell.tag for cell in element if cell.tag in ("td", "th")]
        table.header.end_row(span, element.getparent().tag == "thead" or "td" not in cells)


def _prefer_own_mark(draft: BlockDraft) -> None:
    """Take the number or bullet that an item of a bulleted list has in its text instead of the
    bullet.
    """
    if (
        draft.kind is BlockKind.ITEM
        and draft.mark in (BULLET, "")
        and (mark := list_mark(draft.text()))
    ):
        draft.own_mark(mark.text)
