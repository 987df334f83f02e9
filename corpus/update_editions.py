"""Writes what a described edition is known again by into its YAML: the anchors of its corrections and the sketch of its text.

``python -m corpus.update_editions FOLDER`` does so for every edition whose document is in FOLDER; nothing else in the files changes.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

from corpus.anchors import anchors, relocate
from corpus.document import Document, documents
from corpus.editions import FOLDER, identify
from corpus.similarity import sketch

_WIDTH = 140

_Edit = tuple[int, int, str]  # start, end, what stands there instead


class OutdatedCorrections(ValueError):
    """A document that is not the one the corrections of its edition were written for."""


def updated(text: str, document: Document, file: str) -> str:
    """The YAML ``text`` of an edition, read from ``file``, with anchors and sketch of ``document``; comments and order stay.

    Raises `OutdatedCorrections` where the corrections speak of other lines than this document's.
    """
    edition = identify(document, FOLDER)
    assert edition is not None
    if relocate(document, edition.corrections) != edition.corrections:
        raise OutdatedCorrections(f"{file}: {document.file} is another version of it: correct the lines first (regula changes --draft)")
    edits = list(_edits(text, anchors(document, edition.corrections), sketch(document.text)))
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _edits(text: str, marks: Sequence[str], kept: Sequence[str]) -> Iterator[_Edit]:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    fields = {key.value: (key, value) for key, value in root.value}
    written = "sketch: >-\n" + textwrap.fill(" ".join(kept), _WIDTH, initial_indent="  ", subsequent_indent="  ") + "\n"
    if "sketch" in fields:
        key, value = fields["sketch"]
        yield key.start_mark.index, value.end_mark.index, written
    else:
        start = fields["corrections"][0].start_mark.index if "corrections" in fields else len(text)
        yield start, start, written
    if "corrections" in fields:
        for node, mark in zip(fields["corrections"][1].value, marks, strict=True):
            yield from _anchor_edit(node, mark)


def _anchor_edit(node: yaml.MappingNode, mark: str) -> Iterator[_Edit]:
    kept = next((value for key, value in node.value if key.value == "anchor"), None)
    if kept is not None:
        yield kept.start_mark.index, kept.end_mark.index, f'"{mark}"'
    elif mark and node.flow_style:
        yield node.end_mark.index - 1, node.end_mark.index - 1, f', anchor: "{mark}"'
    elif mark:
        last = node.value[-1][1].end_mark.index
        yield last, last, f'\n{" " * node.start_mark.column}anchor: "{mark}"'


def main(folders: Sequence[str]) -> int:
    """Mark the editions whose documents are in ``folders``; the exit status is 1 where one could not be."""
    status = 0
    for document in (d for folder in folders for d in documents(Path(folder)) if isinstance(d, Document)):
        edition = identify(document)
        path = FOLDER / f"{edition.id}.yaml" if edition else None
        if path is None or not path.exists():
            print(f"{document.file}: no file in corpus/editions describes it", file=sys.stderr)
            continue
        before = path.read_text(encoding="utf-8")
        try:
            after = updated(before, document, path.name)
        except OutdatedCorrections as fault:
            print(fault, file=sys.stderr)
            status = 1
            continue
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(f"{path.name}: anchors and sketch written")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
