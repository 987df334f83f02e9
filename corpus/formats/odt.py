"""Reads ODT files from their XML (ODF 1.3, part 3). Macros, embedded objects, comments and deleted
text are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from corpus.blocks import BlockKind, ExtractedText
from corpus.formats import ZIP_MAGIC, ExtractedFormat, UnreadableFile
from corpus.formats.assembly import (
    CELL,
    BlockDraft,
    Table,
    TextAssembler,
    TextStyle,
    numeral,
    printed_bullet,
)
from corpus.formats.packages import ZipPackage, whole_number

_TYPE = b"mimetypeapplication/vnd.oasis.opendocument.text"
_BASE = "urn:oasis:names:tc:opendocument:xmlns"
_OFFICE = f"{{{_BASE}:office:1.0}}"
_TEXT = f"{{{_BASE}:text:1.0}}"
_TABLE = f"{{{_BASE}:table:1.0}}"
_STYLE = f"{{{_BASE}:style:1.0}}"
_FO = f"{{{_BASE}:xsl-fo-compatible:1.0}}"
_XLINK = "{http://www.w3.org/1999/xlink}"
_XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_POINTS = {"pt": 1.0, "in": 72.0, "cm": 72 / 2.54, "mm": 72 / 25.4, "px": 0.75, "pc": 12.0}
_LEVELS = 10
_INDEXES = {f"{_TEXT}{name}-index" for name in ("illustration", "table", "object", "user")}
_INDEXES |= {f"{_TEXT}table-of-content", f"{_TEXT}alphabetical-index", f"{_TEXT}bibliography"}
_SKIPPED = {f"{_OFFICE}annotation", f"{_OFFICE}forms"}
_SKIPPED |= {f"{_TEXT}{name}" for name in ("tracked-changes", "index-title-template", "ruby-text")}
_LINKS = {f"{_TEXT}{name}" for name in ("a", "bookmark-ref", "reference-ref", "sequence-ref")}
_MARKS = ("bookmark", "bookmark-start", "reference-mark", "reference-mark-start")
_BOXES = ("frame", "custom-shape", "text-box", "g", "rect")
_OUTLINE_LINK = "|outline"


def _fits(raw: bytes) -> bool:
    # The first part of the archive is the type, uncompressed (ODF 1.3, part 2, 3.3).
    return raw.startswith(ZIP_MAGIC) and _TYPE in raw[:200]


def _extract(raw: bytes) -> ExtractedText:
    package = ZipPackage(raw)
    manifest = "META-INF/manifest.xml"
    if manifest in package and b"encryption-data" in package.read(manifest):
        raise UnreadableFile("encrypted; save it without a password")
    content = package.xml("content.xml")
    common = package.xml("styles.xml") if "styles.xml" in package else None
    body = content.find(f"{_OFFICE}body/{_OFFICE}text")
    if body is None:
        raise UnreadableFile("damaged: it has no text of a document; open it and save it again")
    reader = _Reader(_Styles(common, content))
    reader.read(body, common)
    title = package.xml("meta.xml").findtext(f".//{_TITLE}") if "meta.xml" in package else ""
    return reader.assembler.finished(
        title or "",
        "a document without text; if its pages are images, save it as PDF and run OCR on it",
    )


def _points(length: str | None) -> float:
    match = re.fullmatch(r"(-?(?:\d{1,6}(?:\.\d{1,6})?|\.\d{1,6}))([a-z]{2})", length or "")
    return float(match[1]) * _POINTS.get(match[2], 0.0) if match else 0.0


class _Level(NamedTuple):
    bullet: str = ""
    form: str = ""
    prefix: str = ""
    suffix: str = ""
    shown: int = 1  # levels that a number shows
    start: int = 1
    indent: float = 0.0


class _Styles:
    """The styles of a document: those of its ``common`` part (or None), and the automatic styles in
    its ``content``.
    """

    def __init__(self, common: Any, content: Any):
        self._styles: dict[tuple[str, str], Any] = {}
        self.lists: dict[str, dict[int, _Level]] = {}
        self.outline: dict[int, _Level] = {}
        for root in (each for each in (common, content) if each is not None):
            for group in root.iterchildren(f"{_OFFICE}styles", f"{_OFFICE}automatic-styles"):
                for style in group.iterchildren(f"{_STYLE}style"):
                    family = style.get(f"{_STYLE}family", "")
                    self._styles[family, style.get(f"{_STYLE}name", "")] = style
                for style in group.iterchildren(f"{_TEXT}list-style"):
                    self.lists[style.get(f"{_STYLE}name", "")] = _levels(style)
                for style in group.iterchildren(f"{_TEXT}outline-style"):
                    self.outline = _levels(style)

    def paragraph(self, element: Any) -> TextStyle:
        return self._of("paragraph", element, TextStyle())

    def span(self, element: Any, outer: TextStyle) -> TextStyle:
        return self._of("text", element, outer)

    def _of(self, family: str, element: Any, outer: TextStyle) -> TextStyle:
        chain: list[tuple[str, str]] = []
        at = (family, element.get(f"{_TEXT}style-name") or "")
        while at in self._styles and at not in chain and len(chain) < 50:
            chain.append(at)
            at = (family, self._styles[at].get(f"{_STYLE}parent-style-name", ""))
        for each in reversed(chain):
            outer = _overlaid(self._styles[each], outer)
        return outer


def _overlaid(style: Any, outer: TextStyle) -> TextStyle:
    changes: dict[str, Any] = {}
    text = style.find(f"{_STYLE}text-properties")
    if text is not None:
        if weight := text.get(f"{_FO}font-weight"):
            changes["bold"] = weight == "bold" or weight[0] in "6789"
        if slant := text.get(f"{_FO}font-style"):
            changes["italic"] = slant in ("italic", "oblique")
        if size := _points(text.get(f"{_FO}font-size")):
            changes["size"] = size
        if place := text.get(f"{_STYLE}text-position"):
            changes["raised"] = place.startswith("super") or place[0] in "123456789"
        if line := text.get(f"{_STYLE}text-underline-style"):
            changes["underlined"] = line != "none"
        if display := text.get(f"{_TEXT}display"):
            changes["hidden"] = display == "none"
    paragraph = style.find(f"{_STYLE}paragraph-properties")
    if paragraph is not None and (left := paragraph.get(f"{_FO}margin-left")):
        changes["indent"] = _points(left)
    return outer._replace(**changes)


def _levels(style: Any) -> dict[int, _Level]:
    levels = [each for each in style if isinstance(each.tag, str)]
    return {whole_number(each.get(f"{_TEXT}level")): _level(each) for each in levels}


def _level(element: Any) -> _Level:
    properties = element.find(f"{_STYLE}list-level-properties")
    indent = 0.0
    if properties is not None:
        alignment = properties.find(f"{_STYLE}list-level-label-alignment")
        margin = None if alignment is None else alignment.get(f"{_FO}margin-left")
        indent = _points(properties.get(f"{_TEXT}space-before")) or _points(margin)
    numbered = (f"{_TEXT}outline-level-style", f"{_TEXT}list-level-style-number")
    form = element.get(f"{_STYLE}num-format", "")
    if element.get(f"{_STYLE}num-letter-sync") == "true" and form in ("a", "A"):
        form *= 2
    return _Level(
        "" if element.tag in numbered else printed_bullet(element.get(f"{_TEXT}bullet-char", "")),
        form,
        prefix=element.get(f"{_STYLE}num-prefix", "")[:20],
        suffix=element.get(f"{_STYLE}num-suffix", "")[:20],
        shown=max(whole_number(element.get(f"{_TEXT}display-levels"), 1), 1),
        start=whole_number(element.get(f"{_TEXT}start-value"), 1),
        indent=indent,
    )


class _ListCounter:
    """The current counts of a list with the style ``name`` and its ``levels``."""

    def __init__(self, levels: dict[int, _Level], name: str = ""):
        self.name = name
        self.levels = levels
        self._counts: list[int | None] = [None] * (_LEVELS + 1)

    def next(self, depth: int, start: int | None = None) -> str:
        """Count the next item at level ``depth`` (from 1), with the number ``start`` if given, and
        return its bullet or number.
        """
        depth = min(max(depth, 1), _LEVELS)
        level = self.levels.get(depth, _Level())
        count = self._counts[depth]
        if start is None:
            start = level.start if count is None else count + 1
        self._counts[depth] = start
        self._counts[depth + 1 :] = [None] * (_LEVELS - depth)
        if level.bullet or not level.form:
            return level.bullet
        numbers = []
        for at in range(max(depth - level.shown + 1, 1), depth + 1):
            other = self.levels.get(at, _Level())
            count = self._counts[at]
            if other.form:
                numbers.append(numeral(other.start if count is None else count, other.form))
        return f"{level.prefix}{'.'.join(numbers)}{level.suffix}".strip()


class _OpenList(NamedTuple):
    counter: _ListCounter
    depth: int


class _Reader:
    def __init__(self, styles: _Styles):
        self.assembler = TextAssembler()
        self._styles = styles
        self._outline = _ListCounter(styles.outline)
        self._counters: dict[str, _ListCounter] = {}  # the latest by style name, all by id
        self._furniture = False
        self._mark: str | None = None  # of the list item being read
        self._after: list[Any] = []  # text boxes and notes of the paragraph
        # Targets of links to headings, by the plain text of the heading.
        self._outline_targets: dict[str, set[str]] = {}

    def read(self, body: Any, common: Any) -> None:
        for link in body.iter(f"{_TEXT}a"):
            if (target := link.get(f"{_XLINK}href", "")).endswith(_OUTLINE_LINK):
                targets = self._outline_targets.setdefault(_plain(target), set())
                targets.add(target.removeprefix("#"))
        self._read_blocks(body, None, False)
        self._furniture = True
        for page in common.iter(f"{_STYLE}master-page") if common is not None else ():
            for each in page:
                if str(each.tag).startswith((f"{_STYLE}header", f"{_STYLE}footer")):
                    self._read_blocks(each, None, False)

    def _read_blocks(self, container: Any, within: _OpenList | None, contents: bool) -> None:
        for each in container:
            tag = each.tag
            if not isinstance(tag, str) or tag in _SKIPPED or each.get(f"{_TEXT}display") == "none":
                continue
            if tag in (f"{_TEXT}p", f"{_TEXT}h"):
                self._read_paragraph(each, within, contents)
            elif tag == f"{_TEXT}list":
                self._read_list(each, within, contents)
            elif tag == f"{_TABLE}table":
                self._read_table(each, contents)
            elif tag in _INDEXES:
                for part in each.iterchildren(f"{_TEXT}index-body"):
                    self._read_blocks(part, None, True)
            elif tag == f"{_TEXT}index-title":
                self._read_blocks(each, None, False)
            else:  # sections, frames, changes
                self._read_blocks(each, within, contents)

    def _read_paragraph(self, element: Any, within: _OpenList | None, contents: bool) -> None:
        style = self._styles.paragraph(element)
        draft = BlockDraft(indent=style.indent)
        if within is not None and self._mark is not None:
            draft.kind, draft.level, draft.mark = BlockKind.ITEM, within.depth, self._mark
            level = within.counter.levels.get(within.depth, _Level())
            draft.indent = style.indent or level.indent
        after, self._after = self._after, []
        self._read_inline(element, draft, style)
        if contents:
            draft.kind, draft.level = BlockKind.CONTENTS, draft.level or 1
        elif element.tag == f"{_TEXT}h":
            draft.kind = BlockKind.HEADING
            draft.level = max(whole_number(element.get(f"{_TEXT}outline-level"), 1), 1)
            if within is None and draft and element.get(f"{_TEXT}is-list-header") != "true":
                restarts = element.get(f"{_TEXT}restart-numbering") == "true"
                start = whole_number(element.get(f"{_TEXT}start-value"), 1)
                draft.mark = self._outline.next(draft.level, start if restarts else None)
            targets = self._outline_targets.get(_plain(f"{draft.mark}{draft.text()}"), ())
            draft.anchors += sorted(targets)
        if draft:
            self._mark = None
        self.assembler.append(draft, furniture=self._furniture)
        self._read_after(after)

    def _read_after(self, outer: list[Any]) -> None:
        """Read the text boxes and notes of the last paragraph or row; those of the surrounding
        element, ``outer``, are left for later.
        """
        boxes, self._after = self._after, outer
        for box in boxes:
            self._read_blocks(box, None, False)

    def _read_list(self, element: Any, outer: _OpenList | None, contents: bool) -> None:
        name = element.get(f"{_TEXT}style-name", "")
        if outer and (not name or name == outer.counter.name):
            opened = _OpenList(outer.counter, outer.depth + 1)
        else:
            goes_on = element.get(f"{_TEXT}continue-numbering") == "true"
            continued = element.get(f"{_TEXT}continue-list") or (name if goes_on else "")
            counter = self._counters.get(continued)
            counter = counter or _ListCounter(self._styles.lists.get(name, {}), name)
            self._counters[name] = counter
            opened = _OpenList(counter, outer.depth + 1 if outer else 1)
        if id := element.get(_XML_ID):
            self._counters[id] = opened.counter
        for item in element:
            if item.tag == f"{_TEXT}list-item":
                start = item.get(f"{_TEXT}start-value")
                # An item that contains only a deeper list is not counted.
                if not all(child.tag == f"{_TEXT}list" for child in item):
                    number = None if start is None else whole_number(start, 1)
                    self._mark = opened.counter.next(opened.depth, number)
                self._read_blocks(item, opened, contents)
                self._mark = None
            elif item.tag == f"{_TEXT}list-header":
                self._read_blocks(item, None, contents)

    def _read_inline(self, element: Any, draft: BlockDraft, style: TextStyle) -> None:
        _add(element.text, draft, style)
        for each in element:
            if isinstance(each.tag, str) and each.tag not in _SKIPPED:
                self._read_inline_element(each, draft, style)
            _add(each.tail, draft, style)

    def _read_inline_element(self, element: Any, draft: BlockDraft, style: TextStyle) -> None:
        name = element.tag.rpartition("}")[2]
        if element.tag in (f"{_TEXT}s", f"{_TEXT}tab"):
            _add(" ", draft, style)
        elif element.tag == f"{_TEXT}line-break":
            draft.line_break()
        elif element.tag == f"{_TEXT}note":  # its number here, its text after the paragraph
            citation = f"[{element.findtext(f'{_TEXT}note-citation') or ''}]"
            draft.add(citation, aside=True)
            body = element.find(f"{_TEXT}note-body")
            if body is not None and len(body):
                body[0].text = f"{citation} {body[0].text or ''}"
                self._after.append(body)
        elif name in _MARKS:
            draft.anchors.append(element.get(f"{_TEXT}name", ""))
        elif name in _BOXES:
            if next(element.iterdescendants(f"{_TEXT}p", f"{_TEXT}h"), None) is not None:
                self._after.append(element)
        elif element.tag in _LINKS:
            start = draft.length
            self._read_inline(element, draft, style)
            reference = element.get(f"{_TEXT}ref-name")
            draft.link(start, f"#{reference}" if reference else element.get(f"{_XLINK}href", ""))
        elif element.tag == f"{_TEXT}span":
            self._read_inline(element, draft, self._styles.span(element, style))
        else:
            self._read_inline(element, draft, style)

    def _read_table(self, element: Any, contents: bool) -> None:
        cell_tags = (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell")
        rows = list(element.iter(f"{_TABLE}table-row"))
        cells = [[cell for cell in row if cell.tag in cell_tags] for row in rows]
        arranges = next(element.iterdescendants(f"{_TABLE}table", f"{_TEXT}h"), None) is not None
        if arranges or max(map(len, cells), default=0) < 2:
            for cell in element.iter(f"{_TABLE}table-cell"):
                if next(cell.iterancestors(f"{_TABLE}table")) is element:
                    self._read_blocks(cell, None, contents)
            return
        table = self.assembler.begin_table()
        for row, cells_of_row in zip(rows, cells, strict=True):
            draft = BlockDraft(BlockKind.ROW, table=table.number)
            after, self._after = self._after, []
            self._read_row(cells_of_row, draft, table)
            draft.header = row.getparent().tag == f"{_TABLE}table-header-rows" or None
            self.assembler.append(draft, furniture=self._furniture)
            self._read_after(after)

    def _read_row(self, row: list[Any], draft: BlockDraft, table: Table) -> None:
        for at, cell in enumerate(row):
            if at:
                draft.add(CELL, aside=True)
            began, start = len(draft.parts), draft.length
            if cell.tag == f"{_TABLE}covered-table-cell":
                above = table.repeated(at)
                draft.add(above or "", aside=True)
                if above is None and draft.cells:  # the cell before spans this column
                    draft.cells.append(draft.cells[-1])
                else:
                    draft.end_cell(began, start)
                continue
            for each in _paragraphs(cell):
                if len(draft.parts) > began and "".join(each.itertext()).strip():
                    draft.line_break()
                self._read_inline(each, draft, self._styles.paragraph(each))
            columns, rows = (
                whole_number(cell.get(f"{_TABLE}number-{name}-spanned"), 1)
                for name in ("columns", "rows")
            )
            table.add_cell(at, columns, rows, draft.text(began))
            draft.end_cell(began, start)
        draft.drop_trailing_cells()


def _add(text: str | None, draft: BlockDraft, style: TextStyle) -> None:
    if text and not style.hidden:
        draft.add(text, style)


def _paragraphs(container: Any) -> Iterator[Any]:
    """Yield the paragraphs in ``container``, except those in paragraphs, notes and text boxes."""
    for each in container:
        if each.tag == f"{_TEXT}p":
            yield each
        elif isinstance(each.tag, str) and each.tag not in _SKIPPED:
            yield from _paragraphs(each)


def _plain(title: str) -> str:
    return re.sub(r"[\W_]+", "", title.removesuffix(_OUTLINE_LINK)).casefold()


ODT = ExtractedFormat("odt", _fits, _extract)
