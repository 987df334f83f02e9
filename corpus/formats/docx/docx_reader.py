"""Reads the paragraphs and tables of a DOCX one after the other and makes blocks of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from corpus.blocks import BlockKind
from corpus.formats.docx.word_numbering import WordNumbering
from corpus.formats.docx.word_runs import NoteReference, RunReader
from corpus.formats.docx.word_styles import WordStyle, WordStyles, overlaid
from corpus.formats.docx.word_xml import DocxParts, W, child, number, switched, value
from corpus.formats.shared.spanned_cells import MOST_COLUMNS, MOST_ROWS, SpannedCells, TableHeader
from corpus.formats.shared.text_assembler import CELL, BlockDraft, TextAssembler

_WRAPPERS = frozenset({"ins", "moveTo", "smartTag", "customXml", "sdt", "sdtContent"})


class DocxReader:
    """Appends the blocks of the document with ``parts`` to ``assembler``."""

    def __init__(self, parts: DocxParts, assembler: TextAssembler):
        relations = parts.relations()
        self._parts = parts
        self._relations = relations
        self._assembler = assembler
        self._styles = WordStyles(next(iter(parts.related(relations, "styles")), None))
        self._numbering = WordNumbering(next(iter(parts.related(relations, "numbering")), None))
        self._notes = {kind: self._note_elements(kind) for kind in ("footnote", "endnote")}
        self._runs = RunReader(
            self._styles,
            {id: target for id, (kind, target) in relations.items() if kind == "hyperlink"},
        )
        self._furniture = False

    def _note_elements(self, kind: str) -> dict[str, Any]:
        roots = self._parts.related(self._relations, f"{kind}s")
        return {
            each.get(f"{W}id", ""): each
            for root in roots
            for each in root.iterfind(f"{W}{kind}")
            if each.get(f"{W}type") is None
        }

    def read(self) -> None:
        """Read the text, then headers and footers."""
        body = child(self._parts.xml(self._parts.main), "body")
        if body is not None:
            self._blocks(body)
        self._furniture = True
        for kind in ("header", "footer"):
            for root in self._parts.related(self._relations, kind):
                self._blocks(root)

    def _blocks(self, container: Any, contents: bool = False) -> None:
        """Read the paragraphs and tables in ``container``; ``contents`` says that they are a table
        of contents.
        """
        for each, listed in _unwrapped(container, contents):
            if each.tag == f"{W}p":
                self._paragraph(each, listed)
            elif each.tag == f"{W}tbl":
                self._table(each, listed)

    def _paragraph(self, element: Any, contents: bool = False, mark: str = "") -> None:
        properties = child(element, "pPr")
        style = self._style(properties)
        draft = BlockDraft(indent=style.indent, mark=mark)
        boxes, notes = self._runs.read(element, draft, style)
        if contents or style.contents or self._runs.contents:
            draft.kind, draft.level = (
                BlockKind.CONTENTS,
                int(style.name[-1]) if style.name[-1:].isdecimal() else 1,
            )
        elif style.heading:
            draft.kind, draft.level = BlockKind.HEADING, style.heading
        if not _is_deleted(properties) or draft:
            self._number(draft, style)
        self._assembler.append(draft, furniture=self._furniture)
        self._after(boxes, notes)

    def _style(self, properties: Any) -> WordStyle:
        return overlaid(
            self._styles.style(value(properties, "pStyle") or self._styles.default),
            properties,
            None,
        )

    def _number(self, draft: BlockDraft, style: WordStyle) -> None:
        """Give ``draft`` the number that its list prints before it."""
        if (
            style.list_id is None
            or (found := self._numbering.next(style.list_id, style.list_level)) is None
        ):
            return
        draft.mark, indent = found
        if indent is not None and style.indent == 0.0:
            draft.indent = indent
        if draft.kind is BlockKind.PARAGRAPH:
            draft.kind, draft.level = BlockKind.ITEM, style.list_level + 1

    def _after(self, boxes: list[Any], notes: list[NoteReference]) -> None:
        """Read text boxes and notes that belong to the last paragraph or table."""
        for box in boxes:
            self._blocks(box)
        for note in notes:
            element = self._notes[note.kind].pop(note.id, None)  # a note is printed once
            if element is not None:
                mark = f"[{note.mark}]"
                for each, _ in _unwrapped(element, False):
                    if each.tag == f"{W}p":
                        self._paragraph(each, mark=mark)
                        mark = ""

    def _table(self, element: Any, contents: bool) -> None:
        rows = [
            row
            for row, _ in _unwrapped(element, False)
            if row.tag == f"{W}tr" and child(row, "trPr/del") is None
        ]
        cells = [
            [cell for cell, _ in _unwrapped(row, False) if cell.tag == f"{W}tc"] for row in rows
        ]
        if max(map(len, cells), default=0) < 2 or self._arranges(element):
            for cell in (cell for row in cells for cell in row):
                self._blocks(cell, contents)
            return
        header = TableHeader()
        spanned = SpannedCells()
        for element_of_row, row in zip(rows, cells, strict=True):
            draft = BlockDraft(BlockKind.ROW, header=header.span)
            boxes, notes = self._row(row, draft, spanned)
            span = self._assembler.append(draft, furniture=self._furniture)
            header.end_row(span, bool(switched(child(element_of_row, "trPr"), "tblHeader")))
            self._after(boxes, notes)

    def _arranges(self, table: Any) -> bool:
        """Whether ``table`` only arranges the page: it has other tables or headings in it."""
        if next(table.iterdescendants(f"{W}tbl"), None) is not None:
            return True
        return any(
            self._style(child(each, "pPr")).heading for each in table.iterdescendants(f"{W}p")
        )

    def _row(
        self, row: list[Any], draft: BlockDraft, spanned: SpannedCells
    ) -> tuple[list[Any], list[NoteReference]]:
        boxes, notes = list[Any](), list[NoteReference]()
        column = 0
        for at, cell in enumerate(row):
            if at:
                draft.add(CELL, aside=True)
            began, columns = (
                draft.length,
                min(number(value(cell, "tcPr/gridSpan"), 1), MOST_COLUMNS),
            )
            merged = child(cell, "tcPr/vMerge") is not None
            if merged and value(cell, "tcPr/vMerge") != "restart":
                draft.add(spanned.take(column) or "", aside=True)
            else:
                self._cell(cell, draft, boxes, notes)
                spanned.add(column, 1, MOST_ROWS if merged else 1, draft.since(began))
            column += columns
            for _ in range(columns - 1):
                draft.add(CELL, aside=True)
        draft.drop_trailing(CELL)
        return boxes, notes

    def _cell(
        self, cell: Any, draft: BlockDraft, boxes: list[Any], notes: list[NoteReference]
    ) -> None:
        """Read a cell into the row ``draft``, and add what belongs to it to ``boxes`` and
        ``notes``.
        """
        began = draft.length
        for each, _ in _unwrapped(cell, False):
            if each.tag != f"{W}p":
                continue
            if draft.length > began and any(
                (text.text or "").strip() for text in each.iterdescendants(f"{W}t")
            ):
                draft.line_break()
            style = self._style(child(each, "pPr"))
            mark = BlockDraft()
            self._number(mark, style)
            if mark.mark and next(each.iterdescendants(f"{W}t"), None) is not None:
                draft.add(f"{mark.mark} ")
            more_boxes, more_notes = self._runs.read(each, draft, style)
            boxes += more_boxes
            notes += more_notes


def _is_deleted(properties: Any) -> bool:
    return child(properties, "rPr/del") is not None


def _unwrapped(container: Any, contents: bool) -> Iterator[tuple[Any, bool]]:
    """What ``container`` has, without what only wraps it, and whether it is part of a table of
    contents. Deletions are left out.
    """
    for each in container:
        if not isinstance(each.tag, str):
            continue
        name = each.tag.rpartition("}")[2]
        if name == "sdt":
            gallery = value(each, "sdtPr/docPartObj/docPartGallery") or ""
            yield from _unwrapped(each, contents or gallery == "Table of Contents")
        elif name in _WRAPPERS:
            yield from _unwrapped(each, contents)
        elif name == "AlternateContent":
            if len(each):
                yield from _unwrapped(each[0], contents)
        else:
            yield each, contents
