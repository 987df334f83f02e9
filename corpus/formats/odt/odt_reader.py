"""Reads the paragraphs, lists and tables of an ODT one after the other and makes blocks of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from corpus.blocks import BlockKind
from corpus.formats.odt.odt_counters import ListCounter
from corpus.formats.odt.odt_styles import OdtStyles, OdtTextStyle
from corpus.formats.odt.odt_xml import OFFICE, STYLE, TABLE, TEXT, XLINK, XML, number
from corpus.formats.shared.spanned_cells import SpannedCells, TableHeader
from corpus.formats.shared.text_assembler import CELL, BlockDraft, TextAssembler

_INDEXES = frozenset(
    f"{TEXT}{name}"
    for name in (
        *("table-of-content", "illustration-index", "table-index", "object-index", "user-index"),
        *("alphabetical-index", "bibliography"),
    )
)
_SKIPPED = frozenset(
    {
        f"{TEXT}tracked-changes",
        f"{OFFICE}annotation",
        f"{OFFICE}forms",
        f"{TEXT}index-title-template",
        f"{TEXT}ruby-text",
    }
)
_OUTLINE_LINK = "|outline"


class _OpenList(NamedTuple):
    """A list that is being read, and how deep it is nested, from 1."""

    counter: ListCounter
    depth: int


class OdtReader:
    """Appends the blocks of a document with ``styles`` to ``assembler``."""

    def __init__(self, styles: OdtStyles, assembler: TextAssembler):
        self._styles = styles
        self._assembler = assembler
        self._outline = ListCounter(styles.outline)
        self._counters: dict[str, ListCounter] = {}  # the last of each style, and each by its id
        self._furniture = False
        self._mark: str | None = None  # of the item that has begun
        self._after: list[Any] = []  # text boxes and notes of the paragraph
        self._outline_targets: dict[
            str, set[str]
        ] = {}  # targets of links to headings, by the plain text of these

    def read(self, body: Any, common: Any) -> None:
        """Read ``body``, then the headers and footers in the part ``common``."""
        for link in body.iter(f"{TEXT}a"):
            if (target := link.get(f"{XLINK}href", "")).endswith(_OUTLINE_LINK):
                self._outline_targets.setdefault(_plain(target), set()).add(
                    target.removeprefix("#")
                )
        self._blocks(body, None, False)
        if common is not None:
            self._furniture = True
            for page in common.iter(f"{STYLE}master-page"):
                for each in page:
                    if isinstance(each.tag, str) and each.tag.startswith(
                        (f"{STYLE}header", f"{STYLE}footer")
                    ):
                        self._blocks(each, None, False)

    def _blocks(self, container: Any, within: _OpenList | None, contents: bool) -> None:
        for each in container:
            tag = each.tag
            if not isinstance(tag, str) or tag in _SKIPPED or each.get(f"{TEXT}display") == "none":
                continue
            if tag in (f"{TEXT}p", f"{TEXT}h"):
                self._paragraph(each, within, contents)
            elif tag == f"{TEXT}list":
                self._list(each, within, contents)
            elif tag == f"{TABLE}table":
                self._table(each, contents)
            elif tag in _INDEXES:
                for part in each.iterchildren(f"{TEXT}index-body"):
                    self._blocks(part, None, True)
            elif tag == f"{TEXT}index-title":
                self._blocks(each, None, False)
            else:  # sections, frames, changes
                self._blocks(each, within, contents)

    def _paragraph(self, element: Any, within: _OpenList | None, contents: bool) -> None:
        style = self._styles.text("paragraph", element.get(f"{TEXT}style-name"), OdtTextStyle())
        draft = BlockDraft(indent=style.indent)
        heading = element.tag == f"{TEXT}h"
        if within is not None and self._mark is not None:
            draft.kind, draft.level, draft.mark = BlockKind.ITEM, within.depth, self._mark
            draft.indent = style.indent or (
                level.indent if (level := within.counter.levels.get(within.depth)) else 0.0
            )
        after, self._after = self._after, []
        self._inline(element, draft, style)
        if contents:
            draft.kind, draft.level = BlockKind.CONTENTS, draft.level or 1
        elif heading:
            self._heading(element, draft, within)
        if draft:
            self._mark = None
        self._assembler.append(draft, furniture=self._furniture)
        boxes, self._after = self._after, after
        for box in boxes:
            self._blocks(box, None, False)

    def _heading(self, element: Any, draft: BlockDraft, within: _OpenList | None) -> None:
        draft.kind, draft.level = (
            BlockKind.HEADING,
            max(number(element.get(f"{TEXT}outline-level"), 1), 1),
        )
        if within is None and draft and element.get(f"{TEXT}is-list-header") != "true":
            restarts = element.get(f"{TEXT}restart-numbering") == "true"
            draft.mark = self._outline.next(
                draft.level, number(element.get(f"{TEXT}start-value"), 1) if restarts else None
            )
        draft.anchors += sorted(
            self._outline_targets.get(_plain(f"{draft.mark}{draft.text()}"), ())
        )

    def _list(self, element: Any, outer: _OpenList | None, contents: bool) -> None:
        name = element.get(f"{TEXT}style-name", "")
        depth = outer.depth + 1 if outer else 1
        if outer and (not name or name == outer.counter.name):
            opened = _OpenList(outer.counter, depth)
        else:
            continued = element.get(f"{TEXT}continue-list") or (
                name if element.get(f"{TEXT}continue-numbering") == "true" else ""
            )
            counter = self._counters.get(continued) or ListCounter(self._styles.levels(name), name)
            self._counters[name] = counter
            opened = _OpenList(counter, depth)
        if id := element.get(f"{XML}id"):
            self._counters[id] = opened.counter
        for item in element:
            if item.tag == f"{TEXT}list-item":
                start = item.get(f"{TEXT}start-value")
                if not _only_lists(item):
                    self._mark = opened.counter.next(
                        depth, None if start is None else number(start, 1)
                    )
                self._blocks(item, opened, contents)
                self._mark = None
            elif item.tag == f"{TEXT}list-header":
                self._blocks(item, None, contents)

    def _inline(self, element: Any, draft: BlockDraft, style: OdtTextStyle) -> None:
        self._add(element.text, draft, style)
        for each in element:
            if isinstance(each.tag, str) and each.tag not in _SKIPPED:
                self._inline_element(each, draft, style)
            self._add(each.tail, draft, style)

    def _add(self, text: str | None, draft: BlockDraft, style: OdtTextStyle) -> None:
        if text and not style.hidden:
            draft.add(text, bold=style.bold, italic=style.italic, size=style.size)

    def _inline_element(self, element: Any, draft: BlockDraft, style: OdtTextStyle) -> None:
        name = element.tag.rpartition("}")[2]
        start = draft.length
        if element.tag in (f"{TEXT}s", f"{TEXT}tab"):
            self._add(" ", draft, style)
        elif element.tag == f"{TEXT}line-break":
            draft.line_break()
        elif element.tag == f"{TEXT}note":
            self._note(element, draft)
        elif name in ("bookmark", "bookmark-start", "reference-mark", "reference-mark-start"):
            draft.anchors.append(element.get(f"{TEXT}name", ""))
        elif name in ("frame", "custom-shape", "text-box", "g", "rect"):
            self._after += [
                box
                for box in [element]
                if next(element.iterdescendants(f"{TEXT}p", f"{TEXT}h"), None) is not None
            ]
        elif element.tag in (
            f"{TEXT}a",
            f"{TEXT}bookmark-ref",
            f"{TEXT}reference-ref",
            f"{TEXT}sequence-ref",
        ):
            self._inline(element, draft, style)
            reference = element.get(f"{TEXT}ref-name")
            draft.link(start, f"#{reference}" if reference else element.get(f"{XLINK}href", ""))
        else:
            inner = style
            if element.tag == f"{TEXT}span":
                inner = self._styles.text("text", element.get(f"{TEXT}style-name"), style)
            self._inline(element, draft, inner)

    def _note(self, element: Any, draft: BlockDraft) -> None:
        """Put the number of a note into the text, and its text behind the paragraph."""
        citation = element.findtext(f"{TEXT}note-citation") or ""
        draft.add(f"[{citation}]", aside=True)
        body = element.find(f"{TEXT}note-body")
        if body is not None and len(body):
            first = body[0]
            first.text = f"[{citation}] {first.text or ''}"
            self._after.append(body)

    def _table(self, element: Any, contents: bool) -> None:
        rows = list(element.iter(f"{TABLE}table-row"))
        arranges = next(element.iterdescendants(f"{TABLE}table", f"{TEXT}h"), None) is not None
        cells = [
            [
                cell
                for cell in row
                if cell.tag in (f"{TABLE}table-cell", f"{TABLE}covered-table-cell")
            ]
            for row in rows
        ]
        if arranges or max(map(len, cells), default=0) < 2:
            for cell in element.iter(f"{TABLE}table-cell"):
                if next(cell.iterancestors(f"{TABLE}table")) is element:
                    self._blocks(cell, None, contents)
            return
        header = TableHeader()
        spanned = SpannedCells()
        for each, row in zip(rows, cells, strict=True):
            draft = BlockDraft(BlockKind.ROW, header=header.span)
            after, self._after = self._after, []
            self._row(row, draft, spanned)
            span = self._assembler.append(draft, furniture=self._furniture)
            header.end_row(span, each.getparent().tag == f"{TABLE}table-header-rows")
            boxes, self._after = self._after, after
            for box in boxes:
                self._blocks(box, None, False)

    def _row(self, row: list[Any], draft: BlockDraft, spanned: SpannedCells) -> None:
        for at, cell in enumerate(row):
            if at:
                draft.add(CELL, aside=True)
            if cell.tag == f"{TABLE}covered-table-cell":
                draft.add(spanned.take(at) or "", aside=True)
                continue
            began = draft.length
            for each in _paragraphs(cell):
                if draft.length > began and "".join(each.itertext()).strip():
                    draft.line_break()
                self._inline(
                    each,
                    draft,
                    self._styles.text("paragraph", each.get(f"{TEXT}style-name"), OdtTextStyle()),
                )
            columns, rows = (
                number(cell.get(f"{TABLE}number-{name}-spanned"), 1) for name in ("columns", "rows")
            )
            spanned.add(at, columns, rows, draft.since(began))
        draft.drop_trailing(CELL)


def _paragraphs(container: Any) -> Iterator[Any]:
    """The paragraphs in ``container``, without those that stand within others, in notes and text
    boxes.
    """
    for each in container:
        if each.tag == f"{TEXT}p":
            yield each
        elif isinstance(each.tag, str) and each.tag not in _SKIPPED:
            yield from _paragraphs(each)


def _only_lists(item: Any) -> bool:
    """Whether ``item`` only holds a deeper list, so that nothing is counted."""
    return all(child.tag == f"{TEXT}list" for child in item)


def _plain(title: str) -> str:
    return re.sub(r"[\W_]+", "", title.removesuffix(_OUTLINE_LINK)).casefold()
