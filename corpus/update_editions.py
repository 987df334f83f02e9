"""Writes anchors of corrections and sketches of texts into the files that describe editions.

``python -m corpus.update_editions FOLDER`` updates every edition whose document is in FOLDER and
changes nothing else in its file: the one in the workspace where there is one, else the one in the
package.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterator, Sequence
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
    """Return ``text``, the content of the data file ``file`` that describes ``edition``, with the
    anchors and the sketch for ``document``. If ``edition`` is None, it is identified.

    Comments and the order of fields stay. Raises `OutdatedCorrections` if corrections belong to
    other lines.
    """
    corrections = (edition or identify(document)).corrections
    if document.extracted is None:
        belong = relocate(document, corrections) == corrections
    else:  # a correction may also name another line of its paragraph
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


def main(folders: Sequence[str]) -> int:
    """Update the files of the editions whose documents are in ``folders``. Returns 1 if one could
    not be updated, else 0.
    """
    status = 0
    for document in (each for folder in folders for each in documents(Path(folder))):
        if not isinstance(document, Document):
            continue
        edition = identify(document)
        files = [folder / f"{edition.id}.yaml" for folder in data_folders(EDITIONS, FOLDER)]
        path = next((file for file in files if file.exists()), None)
        if path is None:
            missing = "no file in corpus/editions or the workspace describes it"
            print(f"{document.file}: {missing}", file=sys.stderr)
            continue
        try:
            with ChangeScope.around(path).changing() as changes:
                before = path.read_text(encoding="utf-8")
                after = updated(before, document, path.name, edition)
                if after != before:
                    changes.write(path, after.encode())
                    print(f"{path.name}: anchors and sketch written")
        except OutdatedCorrections as error:
            print(error, file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="a folder of rulebooks")
    given = parser.parse_args()
    for each in given.folders:
        if not Path(each).is_dir():
            parser.error(f"{each}: no such folder")
    sys.exit(main(given.folders))
