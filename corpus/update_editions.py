"""Writes anchors of corrections and sketches of texts into edition files.

``python -m corpus.update_editions FOLDER`` updates the file of every edition whose document is in
FOLDER, in the workspace or, if it has none, in the package. Nothing else in the file changes.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import yaml

from corpus.anchors import anchors, relocate
from corpus.document import Document, documents
from corpus.edition_files import FOLDER
from corpus.editions import identify
from corpus.file_changes import ChangeScope
from corpus.model import Edition
from corpus.similarity import compared_text, sketch
from corpus.workspace import EDITIONS, data_folders

_LINE_LENGTH = 140

_Edit = tuple[int, int, str]  # start, end, replacement


class OutdatedCorrections(ValueError):
    """The corrections of an edition were written for another version of its document."""


def updated(text: str, document: Document, file: str, edition: Edition | None = None) -> str:
    """Return ``text``, the content of the edition file ``file``, with anchors and sketch for
    ``document``.

    If ``edition`` is None, it is identified. Comments and the order of fields stay. Raises
    `OutdatedCorrections` if corrections belong to other lines.
    """
    corrections = (edition or identify(document)).corrections
    if document.extracted is None:
        belong = relocate(document, corrections) == corrections
    else:  # a correction may name any line of its paragraph
        belong = all(correction.fits(document) for correction in corrections)
    if not belong:
        raise OutdatedCorrections(
            f"{file}: {document.file} is another version of it: correct the lines first "
            "(regula changes --draft)"
        )
    edits = _edits(text, anchors(document, corrections), sketch(compared_text(document)))
    for start, end, replacement in sorted(edits, reverse=True):
        text = text[:start] + replacement + text[end:]
    return text


def _edits(text: str, anchors: Sequence[str], sketch: Sequence[str]) -> Iterator[_Edit]:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    fields = {key.value: (key, value) for key, value in root.value}
    lines = textwrap.wrap(
        " ".join(sketch), _LINE_LENGTH, initial_indent="  ", subsequent_indent="  "
    )
    written = "\n".join(["sketch: >-", *lines, ""])
    if "sketch" in fields:
        key, value = fields["sketch"]
        yield key.start_mark.index, value.end_mark.index, written
    else:
        start = fields["corrections"][0].start_mark.index if "corrections" in fields else len(text)
        yield start, start, written
    nodes = fields["corrections"][1].value if "corrections" in fields else []
    for node, anchor in zip(nodes, anchors, strict=True):
        existing = next((value for key, value in node.value if key.value == "anchor"), None)
        if existing is not None:
            yield existing.start_mark.index, existing.end_mark.index, f'"{anchor}"'
        elif anchor and node.flow_style:
            end = node.end_mark.index - 1
            yield end, end, f', anchor: "{anchor}"'
        elif anchor:
            end = node.value[-1][1].end_mark.index
            yield end, end, f'\n{" " * node.start_mark.column}anchor: "{anchor}"'


def documents_in(folders: Iterable[str]) -> Iterator[Document]:
    """Yield the readable documents in ``folders``."""
    for folder in folders:
        yield from (each for each in documents(Path(folder)) if isinstance(each, Document))


def rewrite_file(
    kind: str, package: Path, edition: str, change: Callable[[str], str], written: str
) -> bool:
    """Apply ``change`` to the text of the data file of ``edition`` (an id), and return whether it
    exists: in the folder ``kind`` of the workspace, or in the folder ``package``.

    If the text changes, a message says that ``written`` was written.
    """
    files = [folder / f"{edition}.yaml" for folder in data_folders(kind, package)]
    path = next((file for file in files if file.exists()), None)
    if path is None:
        return False
    with ChangeScope.around(path).changing() as changes:
        before = path.read_text(encoding="utf-8")
        after = change(before)
        if after != before:
            changes.write(path, after.encode())
            print(f"{path.name}: {written} written")
    return True


def folders_given(description: str | None) -> Sequence[str]:
    """Return the folders given on the command line; exits with an error if one does not exist."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="a folder of rulebooks")
    folders: list[str] = parser.parse_args().folders
    for each in folders:
        if not Path(each).is_dir():
            parser.error(f"{each}: no such folder")
    return folders


def main(folders: Sequence[str]) -> int:
    """Update the edition files for the documents in ``folders``. Returns the exit status: 1 if a
    file could not be updated.
    """
    status = 0
    for document in documents_in(folders):
        edition = identify(document)
        change = partial(updated, document=document, file=f"{edition.id}.yaml", edition=edition)
        try:
            if not rewrite_file(EDITIONS, FOLDER, edition.id, change, "anchors and sketch"):
                missing = "no file in corpus/editions or the workspace describes it"
                print(f"{document.file}: {missing}", file=sys.stderr)
        except OutdatedCorrections as error:
            print(error, file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(folders_given(__doc__)))
