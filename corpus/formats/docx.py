"""Reads DOCX files from their XML. Macros, embedded objects and comments are ignored; tracked
changes are read as accepted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from corpus.blocks import BlockKind, ExtractedText
from corpus.formats import ZIP_MAGIC, ExtractedFormat, UnreadableFile
from corpus.formats.assembly import (
    CELL,
    MOST_COLUMNS,
    MOST_ROWS,
    BlockDraft,
    Table,
    TextAssembler,
    TextStyle,
    numeral,
)
from corpus.formats.docx_styles import (
    W,
    WordNumbering,
    WordStyle,
    WordStyles,
    child,
    switched,
    value,
)
from corpus.formats.packages import ZipPackage, parse_xml, part_name, whole_number

_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_MAIN = "word/document.xml"
_STRICT = re.compile(
    rb"http://purl\.oclc\.org/ooxml/(wordprocessingml/main|officeDocument/relationships)"
)
_TRANSITIONAL = {
    b"wordprocessingml/main": W[1:-1].encode(),
    b"officeDocument/relationships": _R[1:-1].encode(),
}
_WRAPPERS = frozenset({"ins", "moveTo", "smartTag", "customXml", "sdt", "sdtContent"})
_INLINE_WRAPPERS = _WRAPPERS | {"dir", "bdo", "oMathPara", "oMath", "ruby", "rubyBase"}
_SIGNS = {"tab": " ", "ptab": " ", "noBreakHyphen": "\u2011", "softHyphen": "\u00ad"}
_CONTENTS_FIELD = re.compile(r"\s*TOC\b")
_LINK_FIELD = re.compile(
    r"\s*HYPERLINK\b(?P<local>[^\"]*\\l)?\s*\"?(?P<target>[^\"\s]+)\"?"
    r"(?:\s*\\l\s*\"(?P<anchor>[^\"]+)\")?"
)
_REFERENCE_FIELD = re.compile(r"\s*(?:REF|PAGEREF|NOTEREF)\s+\"?(?P<target>[^\"\s\\]+)")
_OWN_BOOKMARK = "_GoBack"  # the author's last position, set by Word


def _fits(raw: bytes) -> bool:
    return raw.startswith(ZIP_MAGIC) and bool(re.search(rb"word/document\d{0,3}\.xml", raw))


def _extract(raw: bytes) -> ExtractedText:
    package = ZipPackage(raw)
    reader = _Reader(package)
    reader.read()
    title = None
    if "docProps/core.xml" in package:
        title = package.xml("docProps/core.xml").findtext(_TITLE)
    return reader.assembler.finished(
        str(title or ""),
        "a document without text; if its pages are images, save it as PDF and run OCR on it",
    )


def _main_part(package: ZipPackage) -> str:
    if "_rels/.rels" in package:
        for relation in package.xml("_rels/.rels"):
            name = part_name("x", relation.get("Target", ""))
            if relation.get("Type", "").endswith("/officeDocument") and name in package:
                return name
    if _MAIN not in package:
        raise UnreadableFile("damaged: it has no text of a document; open it and save it again")
    return _MAIN


@dataclass
class _Field:
    """A field that is being read; its text is the result, which begins at ``start`` of
    ``draft``.
    """

    instruction: str = ""
    has_result: bool = False
    start: int = 0
    draft: BlockDraft | None = None

    @property
    def target(self) -> str:
        if match := _LINK_FIELD.match(self.instruction):
            target, anchor = match["target"], match["anchor"]
            return f"#{target}" if match["local"] else f"{target}#{anchor}" if anchor else target
        match = _REFERENCE_FIELD.match(self.instruction)
        return f"#{match['target']}" if match else ""


class _Reader:
    def __init__(self, package: ZipPackage):
        self.assembler = TextAssembler()
        self._package = package
        self._main = _main_part(package)
        # The relations of the main part by id: the last word of the type, and a part or an address.
        self._relations: dict[str, tuple[str, str]] = {}
        folder, _, file = self._main.rpartition("/")
        rels = f"{folder}/_rels/{file}.rels".lstrip("/")
        for relation in package.xml(rels) if rels in package else ():
            target = relation.get("Target", "")
            if relation.get("TargetMode") != "External":
                target = part_name(self._main, target)
            kind = relation.get("Type", "").rpartition("/")[2]
            self._relations[relation.get("Id", "")] = kind, target
        self._styles = WordStyles(next(iter(self._related("styles")), None))
        self._numbering = WordNumbering(next(iter(self._related("numbering")), None))
        self._note_texts = {
            (kind, each.get(f"{W}id", "")): each
            for kind in ("footnote", "endnote")
            for root in self._related(f"{kind}s")
            for each in root.iterfind(f"{W}{kind}")
            if each.get(f"{W}type") is None
        }
        self._noted: Counter[str] = Counter()
        self._fields: list[_Field] = []  # they may go over several paragraphs
        self._in_contents = False  # fields say that the paragraph belongs to a table of contents
        self._furniture = False
        # Text to read after the paragraph or row: text boxes, and notes with their marks.
        self._boxes: list[Any] = []
        self._notes: list[tuple[tuple[str, str], str]] = []

    def _xml(self, name: str) -> Any:
        """Return the root of the part ``name``; XML names of the strict schema become those of the
        transitional one.
        """
        raw = self._package.read(name)
        return parse_xml(_STRICT.sub(lambda match: _TRANSITIONAL[match[1]], raw))

    def _related(self, kind: str) -> list[Any]:
        return [
            self._xml(target)
            for each, target in self._relations.values()
            if each == kind and target in self._package
        ]

    def read(self) -> None:
        body = child(self._xml(self._main), "body")
        if body is not None:
            self._read_blocks(body)
        self._furniture = True
        for kind in ("header", "footer"):
            for root in self._related(kind):
                self._read_blocks(root)

    def _read_blocks(self, container: Any, contents: bool = False) -> None:
        for each, listed in _unwrapped(container, contents):
            if each.tag == f"{W}p":
                self._read_paragraph(each, listed)
            elif each.tag == f"{W}tbl":
                self._read_table(each, listed)

    def _read_paragraph(self, element: Any, contents: bool = False, mark: str = "") -> None:
        properties = child(element, "pPr")
        style = self._styles.of_paragraph(properties)
        draft = BlockDraft(indent=style.indent, mark=mark)
        self._read_text(element, draft, style)
        if contents or style.contents or self._in_contents:
            draft.kind = BlockKind.CONTENTS
            draft.level = int(style.name[-1]) if style.name[-1:].isdecimal() else 1
        elif style.heading:
            draft.kind, draft.level = BlockKind.HEADING, style.heading
        deleted = child(properties, "rPr/del") is not None
        if (not deleted or draft) and (found := self._next_number(style)):
            draft.mark, indent = found
            if indent is not None and style.indent == 0.0:
                draft.indent = indent
            if draft.kind is BlockKind.PARAGRAPH:
                draft.kind, draft.level = BlockKind.ITEM, style.list_level + 1
        self.assembler.append(draft, furniture=self._furniture)
        self._read_behind()

    def _next_number(self, style: WordStyle) -> tuple[str, float | None] | None:
        return self._numbering.next(style.list_id, style.list_level)

    def _read_behind(self) -> None:
        boxes, notes, self._boxes, self._notes = self._boxes, self._notes, [], []
        for box in boxes:
            self._read_blocks(box)
        for key, mark in notes:
            element = self._note_texts.pop(key, None)  # a note is printed once
            for each, _ in _unwrapped(element) if element is not None else ():
                if each.tag == f"{W}p":
                    self._read_paragraph(each, mark=mark)
                    mark = ""

    def _read_table(self, element: Any, contents: bool) -> None:
        rows = [
            row
            for row, _ in _unwrapped(element)
            if row.tag == f"{W}tr" and child(row, "trPr/del") is None
        ]
        cells = [[cell for cell, _ in _unwrapped(row) if cell.tag == f"{W}tc"] for row in rows]
        if max(map(len, cells), default=0) < 2 or self._arranges(element):
            for cell in (cell for row in cells for cell in row):
                self._read_blocks(cell, contents)
            return
        table = self.assembler.begin_table()
        for row, cells_of_row in zip(rows, cells, strict=True):
            draft = BlockDraft(BlockKind.ROW, table=table.number)
            self._read_row(cells_of_row, draft, table)
            draft.header = switched(child(row, "trPr"), "tblHeader") or None
            self.assembler.append(draft, furniture=self._furniture)
            self._read_behind()

    def _arranges(self, table: Any) -> bool:
        """Return whether ``table`` is only page layout, because it contains tables or headings."""
        if next(table.iterdescendants(f"{W}tbl"), None) is not None:
            return True
        paragraphs = table.iterdescendants(f"{W}p")
        return any(self._styles.of_paragraph(child(each, "pPr")).heading for each in paragraphs)

    def _read_row(self, row: list[Any], draft: BlockDraft, table: Table) -> None:
        column = 0
        for at, cell in enumerate(row):
            if at:
                draft.add(CELL, aside=True)
            began, start = len(draft.parts), draft.length
            columns = min(whole_number(value(cell, "tcPr/gridSpan"), 1), MOST_COLUMNS)
            merged = child(cell, "tcPr/vMerge") is not None
            if merged and value(cell, "tcPr/vMerge") != "restart":
                draft.add(table.repeated(column) or "", aside=True)
            else:
                self._read_cell(cell, draft)
                table.add_cell(column, 1, MOST_ROWS if merged else 1, draft.text(began))
            draft.end_cell(began, start, columns)
            column += columns
            for _ in range(columns - 1):
                draft.add(CELL, aside=True)
        draft.drop_trailing_cells()

    def _read_cell(self, cell: Any, draft: BlockDraft) -> None:
        began = draft.length
        for each, _ in _unwrapped(cell):
            if each.tag != f"{W}p":
                continue
            texts = [text.text or "" for text in each.iterdescendants(f"{W}t")]
            if draft.length > began and any(text.strip() for text in texts):
                draft.line_break()
            style = self._styles.of_paragraph(child(each, "pPr"))
            number = self._next_number(style)
            if texts and number and number[0]:
                draft.add(f"{number[0]} ")
            self._read_text(each, draft, style)

    def _read_text(self, paragraph: Any, draft: BlockDraft, style: WordStyle) -> None:
        self._in_contents = self._is_in_contents_field()
        self._read_inline(paragraph, draft, style)

    def _is_in_contents_field(self) -> bool:
        return any(_CONTENTS_FIELD.match(field.instruction) for field in self._fields)

    def _read_inline(self, container: Any, draft: BlockDraft, style: WordStyle) -> None:
        for each in container:
            if not isinstance(each.tag, str):
                continue
            name = each.tag.rpartition("}")[2]
            start = draft.length
            if name == "r":
                properties = child(each, "rPr")
                inner = self._styles.of_run(properties, style)
                if not inner.hidden:
                    self._read_run(each, draft, inner)
            elif name == "hyperlink":
                self._read_inline(each, draft, style)
                anchor = each.get(f"{W}anchor")
                kind, target = self._relations.get(each.get(f"{_R}id", ""), ("", ""))
                address = target if kind == "hyperlink" else ""
                draft.link(start, f"{address}#{anchor}" if anchor else address)
            elif name == "fldSimple":
                self._read_inline(each, draft, style)
                draft.link(start, _Field(each.get(f"{W}instr", "")).target)
            elif name == "bookmarkStart":
                if (bookmark := each.get(f"{W}name", _OWN_BOOKMARK)) != _OWN_BOOKMARK:
                    draft.anchors.append(bookmark)
            elif name in _INLINE_WRAPPERS:
                self._read_inline(each, draft, style)
            elif name == "AlternateContent" and len(each):
                self._read_inline(each[0], draft, style)

    def _read_run(self, run: Any, draft: BlockDraft, style: WordStyle) -> None:
        for each in run:
            if not isinstance(each.tag, str):
                continue
            name = each.tag.rpartition("}")[2]
            if name == "fldChar":
                self._read_field_sign(each.get(f"{W}fldCharType"), draft)
            elif name == "instrText":
                if self._fields:
                    self._fields[-1].instruction += (each.text or "")[:1000]
            elif name in ("drawing", "pict", "object"):
                self._boxes += _text_boxes(each)
            elif name == "AlternateContent":
                if len(each):
                    self._read_run(each[0], draft, style)
            elif name in ("footnoteReference", "endnoteReference"):
                kind = name.removesuffix("Reference")
                self._noted[kind] += 1
                mark = f"[{numeral(self._noted[kind], '1' if kind == 'footnote' else 'i')}]"
                draft.add(mark, aside=True)
                self._notes.append(((kind, each.get(f"{W}id", "")), mark))
            elif all(field.has_result for field in self._fields):
                text = _sign(name, each)
                if text == "\n":
                    draft.line_break()
                elif text:
                    look = TextStyle(bool(style.bold), bool(style.italic), size=style.size)
                    marks = {"raised": bool(style.raised), "underlined": bool(style.underlined)}
                    draft.add(text, look._replace(**marks))

    def _read_field_sign(self, sign: str | None, draft: BlockDraft) -> None:
        if sign == "begin":
            self._fields.append(_Field())
        elif sign == "separate" and self._fields:
            field = self._fields[-1]
            field.has_result, field.start, field.draft = True, draft.length, draft
            self._in_contents = self._in_contents or self._is_in_contents_field()
        elif sign == "end" and self._fields:
            field = self._fields.pop()
            if field.draft is draft:
                draft.link(field.start, field.target)


def _sign(name: str, element: Any) -> str:
    """Return the text for an element of a run: a newline for a line break."""
    if name == "t":
        text: str = element.text or ""
        return text if text != "\n" else " "
    if name in ("br", "cr"):
        return " " if element.get(f"{W}type") in ("page", "column") else "\n"
    if name == "sym" and re.fullmatch("[0-9A-Fa-f]{4}", element.get(f"{W}char", "")):
        sign = chr(int(element.get(f"{W}char"), 16))
        return "" if "\ud800" <= sign <= "\udfff" else sign
    return _SIGNS.get(name, "")


def _unwrapped(container: Any, contents: bool = False) -> Iterator[tuple[Any, bool]]:
    """Yield the elements in ``container`` without wrapping elements and deletions, each with
    whether it is in a table of contents.
    """
    for each in container:
        if not isinstance(each.tag, str):
            continue
        name = each.tag.rpartition("}")[2]
        if name == "sdt":
            gallery = value(each, "sdtPr/docPartObj/docPartGallery")
            yield from _unwrapped(each, contents or gallery == "Table of Contents")
        elif name in _WRAPPERS:
            yield from _unwrapped(each, contents)
        elif name == "AlternateContent":
            if len(each):
                yield from _unwrapped(each[0], contents)
        else:
            yield each, contents


def _text_boxes(drawing: Any) -> list[Any]:
    """Return the content elements of the outermost text boxes in ``drawing``, each once."""
    found = []
    for box in drawing.iterdescendants(f"{W}txbxContent"):
        for up in box.iterancestors():
            if up is drawing:
                found.append(box)
                break
            if up.tag == f"{W}txbxContent" or up.tag.endswith("}Fallback"):
                break
    return found


DOCX = ExtractedFormat("docx", _fits, _extract)
