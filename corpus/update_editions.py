"""Writes anchors of corrections and sketches of texts into the files that describe editions.

``python -m corpus.update_editions FOLDER`` updates every edition whose document is in FOLDER and
changes nothing else in its file: the one in the workspace where there is one, else the one in the
package.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

from corpus.anchors import anchors
from corpus.document import Document, documents
from corpus.edition_files import FOLDER
from corpus.editions import identify
from corpus.file_changes import ChangeScope
from corpus.model import Correction
from corpus.relocation import relocate
from corpus.similarity import compared_text, sketch
from corpus.workspace import EDITIONS, data_folders

_LINE_LENGTH = 140

_Edit = tuple[int, int, str]  # start, end, replacement


class OutdatedCorrections(ValueError):
    """The corrections of an edition were written for another version of its document."""


def updated(text: str, document: Document, file: str) -> str:
    """``text``, the content of the data file ``file``, with the anchors and the sketch for
    ``document``.

    Comments and the order of fields stay. Raises `OutdatedCorrections` where corrections belong to
    other lines.
    """
    edition = identify(document)
    assert edition is not None
    if not _belong(edition.corrections, document):
        raise OutdatedCorrections(
            f"{file}: {document.file} is another version of it: correct the lines first (regula changes --draft)"
        )
    edits = list(
        _edits(text, anchors(document, edition.corrections), sketch(compared_text(document)))
    )
    for start, end, replacement in sorted(edits, reverse=True):
        text = text[:start] + replacement + text[end:]
    return text


def _belong(corrections: tuple[Correction, ...], document: Document) -> bool:
    """Whether ``corrections`` have the lines of ``document``; in extracted text one may also name
    another line of its paragraph.
    """
    if document.extracted is not None:
        return all(correction.fits(document) for correction in corrections)
    return relocate(document, corrections) == corrections


def _edits(text: str, anchors: Sequence[str], sketch: Sequence[str]) -> Iterator[_Edit]:
    """The edits that write ``anchors``, one for each correction, and ``sketch`` into the data file
    ``text``.
    """
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    fields = {key.value: (key, value) for key, value in root.value}
    written = (
        "sketch: >-\n"
        + textwrap.fill(" ".join(sketch), _LINE_LENGTH, initial_indent="  ", subsequent_indent="  ")
        + "\n"
    )
    if "sketch" in fields:
        key, value = fields["sketch"]
        yield key.start_mark.index, value.end_mark.index, written
    else:
        start = fields["corrections"][0].start_mark.index if "corrections" in fields else len(text)
        yield start, start, written
    if "corrections" in fields:
        for node, anchor in zip(fields["corrections"][1].value, anchors, strict=True):
            yield from _anchor_edit(node, anchor)


def _anchor_edit(correction: yaml.MappingNode, anchor: str) -> Iterator[_Edit]:
    existing = next((value for key, value in correction.value if key.value == "anchor"), None)
    if existing is not None:
        yield existing.start_mark.index, existing.end_mark.index, f'"{anchor}"'
    elif anchor and correction.flow_style:
        yield correction.end_mark.index - 1, correction.end_mark.index - 1, f', anchor: "{anchor}"'
    elif anchor:
        end = correction.value[-1][1].end_mark.index
        yield end, end, f'\n{" " * correction.start_mark.column}anchor: "{anchor}"'


def main(folders: Sequence[str]) -> int:
    """Update the files of the editions whose documents are in ``folders``. Returns 1 if one could
    not be updated, else 0.
    """
    status = 0
    for document in (
        d for folder in folders for d in documents(Path(folder)) if isinstance(d, Document)
    ):
        edition = identify(document)
        files = (
            (folder / f"{edition.id}.yaml" for folder in data_folders(EDITIONS, FOLDER))
            if edition
            else ()
        )
        path = next((file for file in files if file.exists()), None)
        if path is None:
            print(
                f"{document.file}: no file in corpus/editions or the workspace describes it",
                file=sys.stderr,
            )
            continue
        try:
            with ChangeScope.around(path).changing() as changes:
                before = path.read_text(encoding="utf-8")
                after = updated(before, document, path.name)
                if after != before:
                    changes.write(path, after.encode())
                    print(f"{path.name}: anchors and sketch written")
        except OutdatedCorrections as error:
            print(error, file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
