"""The texts of documents in an index: extracted once when it is built, and read later without the
original file.

A folder has ``documents/<sha256>``, the file as its owner has it; ``texts/<text_sha256>``, the
canonical text in UTF-8 unless it is the file; and, for an extracted text,
``extracted/<sha256>.jsonl`` with the blocks of the file. If the file has pages, ``.lines.npy`` and
``.edges.npy`` have the lines on them. None of it is ever unpickled.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from corpus.blocks import (
    Block,
    BlockKind,
    Bookmark,
    ExtractedText,
    Link,
    NoteKind,
    PageMap,
    PageNumber,
    PageNumbers,
    ReadingNote,
    Span,
    TextLine,
)
from corpus.document import Document

PARTS_OF_POINT = 100  # coordinates are kept as whole hundredths of a point


def hundredths(points: Iterable[float]) -> list[int]:
    """Return coordinates in ``points`` as whole hundredths."""
    return [round(value * PARTS_OF_POINT) for value in points]


def text_file(sha256: str, text_sha256: str) -> str:
    """Return the name of the file with the canonical text of a document."""
    return f"documents/{sha256}" if text_sha256 == sha256 else f"texts/{text_sha256}"


def save_documents(documents: Iterable[Document], folder: Path) -> None:
    """Write ``documents``, their texts and what was extracted from them into ``folder``."""
    for name in ("documents", "texts", "extracted"):
        (folder / name).mkdir(parents=True)
    for document in documents:
        text = document.text.encode("utf-8", "surrogatepass")
        raw = text if document.raw is None else document.raw
        (folder / "documents" / document.sha256).write_bytes(raw)
        if document.text_sha256 != document.sha256:
            (folder / "texts" / document.text_sha256).write_bytes(text)
        if document.extracted is not None:
            _save_extracted(document.extracted, folder / "extracted" / document.sha256)


def load_document(
    file: str, sha256: str, text_sha256: str, names: Collection[str], read: Callable[[str], bytes]
) -> Document:
    """Load the document called ``file`` from a folder with the files ``names``; ``read`` returns
    the content of a file.

    Raises what ``read`` raises, and `ValueError` if the content is damaged.
    """
    raw, extracted = read(f"documents/{sha256}"), f"extracted/{sha256}"
    if f"{extracted}.jsonl" not in names:
        return Document.from_bytes(file, raw)
    text = read(text_file(sha256, text_sha256)).decode("utf-8", "surrogatepass")
    head, *blocks = (json.loads(line) for line in read(f"{extracted}.jsonl").split(b"\n") if line)
    content = ExtractedText(
        text=text,
        blocks=tuple(map(_block, blocks)),
        body=head["body"],
        bookmarks=tuple(Bookmark(*item) for item in head["bookmarks"]),
        pages=_pages(head, extracted, read) if head["sizes"] is not None else None,
        title=head["title"],
        notes=tuple(
            ReadingNote(NoteKind(kind), tuple(pages), *rest) for kind, pages, *rest in head["notes"]
        ),
    )
    return Document(file, sha256, text, content, raw)


def _pages(head: dict[str, Any], path: str, read: Callable[[str], bytes]) -> PageMap:
    rows, edges = (
        np.load(BytesIO(read(f"{path}.{name}.npy")), allow_pickle=False)
        for name in ("lines", "edges")
    )
    ends = np.cumsum(rows[:, 5]).tolist()
    points = (edges / PARTS_OF_POINT).tolist()
    lines = (
        TextLine(
            Span(start, end),
            page,
            top / PARTS_OF_POINT,
            bottom / PARTS_OF_POINT,
            tuple(points[last - count : last]),
        )
        for (start, end, page, top, bottom, count), last in zip(rows.tolist(), ends, strict=True)
    )
    sizes = [(width, height) for width, height in head["sizes"]]
    return PageMap(sizes, lines, page_numbers(head["numbers"]), head["numbers_from"])


def page_numbers(record: Iterable[Iterable[Iterable[Any]]]) -> PageNumbers:
    """Return the page numbers in a ``record``."""
    return tuple(tuple(PageNumber(*number) for number in sheet) for sheet in record)


def _save_extracted(extracted: ExtractedText, path: Path) -> None:
    """Write all of ``extracted`` except its text to files whose names begin with ``path``."""
    pages = extracted.pages
    head = {
        "body": extracted.body,
        "title": extracted.title,
        "notes": extracted.notes,
        "bookmarks": extracted.bookmarks,
        "sizes": pages.sizes if pages else None,
        "numbers": pages.numbers if pages else (),
        "numbers_from": pages.numbers_from if pages else "",
    }
    with path.with_suffix(".jsonl").open("w", encoding="utf-8", newline="\n") as file:
        for record in (head, *map(_block_record, extracted.blocks)):
            file.write(json.dumps(record, separators=(",", ":")) + "\n")
    if pages is not None:
        rows = [
            (*line.span, line.page, *hundredths((line.top, line.bottom)), len(line.edges))
            for line in pages.lines
        ]
        edges = [value for line in pages.lines for value in hundredths(line.edges)]
        np.save(path.with_suffix(".lines.npy"), np.array(rows, dtype=np.int32).reshape(-1, 6))
        np.save(path.with_suffix(".edges.npy"), np.array(edges, dtype=np.int32))


def _block_record(b: Block) -> list[Any]:
    looks = [b.size, b.bold, b.italic, b.indent]
    row = [b.table, b.cells, b.header] if b.table else []
    return [b.span, b.kind, b.level, b.mark, b.page, *looks, b.anchors, b.links, *row]


def _block(record: list[Any]) -> Block:
    span, kind, level, mark, page, size, bold, italic, indent, anchors, links, *row = record
    table, cells, header = row or (0, (), None)
    return Block(
        span=Span(*span),
        kind=BlockKind(kind),
        level=level,
        mark=mark,
        page=page,
        size=size,
        bold=bold,
        italic=italic,
        indent=indent,
        anchors=tuple(anchors),
        links=tuple(Link(Span(*where), target) for where, target in links),
        table=table,
        cells=tuple(tuple(Span(*each) for each in cell) for cell in cells),
        header=header,
    )
