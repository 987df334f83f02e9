"""Writes the wording of passages into the files of phrasings: by it they are tied to new versions
and other extractions of a rulebook.

``python -m glossary.query_variants.update_sketches FOLDER`` updates the phrasings of every edition whose
document is in FOLDER and changes nothing else in its file: the one in the workspace where there is
one, else the one in the package.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import yaml

from corpus.document import Document, documents
from corpus.editions import identify
from corpus.file_changes import ChangeScope
from corpus.model import Rulebook
from corpus.read import read
from corpus.workspace import PHRASINGS, data_folders
from glossary.query_variants import FOLDER, wording
from glossary.query_variants.model import fingerprint


def updated(text: str, rulebook: Rulebook) -> str:
    """``text``, the content of a file of phrasings, with the wording of the passages of
    ``rulebook`` that it has phrasings for.
    """
    wordings = {
        fingerprint(p.text): wording.written(wording.wording(p.text)) for p in rulebook.passages
    }
    for start, end, replacement in sorted(_edits(text, wordings), reverse=True):
        text = text[:start] + replacement + text[end:]
    return text


def _edits(text: str, wordings: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Start, end and replacement of each edit that writes one of ``wordings``, by fingerprint, into
    ``text``, in place of a sketch.
    """
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    for key, fields in root.value if isinstance(root, yaml.MappingNode) else ():
        own = wordings.get(key.value)
        if not own:
            continue
        by_name = {name.value: (name, value) for name, value in fields.value}
        there = by_name.get("wording") or by_name.get("sketch")
        if there:
            yield there[0].start_mark.index, there[1].end_mark.index, f'wording: "{own}"'
        else:
            end = by_name["at"][1].end_mark.index
            separator = ", " if fields.flow_style else "\n" + " " * fields.start_mark.column
            yield end, end, f'{separator}wording: "{own}"'


def main(folders: Sequence[str]) -> None:
    """Update the files of the editions whose documents are in ``folders``."""
    for document in (
        d for folder in folders for d in documents(Path(folder)) if isinstance(d, Document)
    ):
        rulebook = read(document, identify(document))
        files = (
            folder / f"{rulebook.edition.id}.yaml" for folder in data_folders(PHRASINGS, FOLDER)
        )
        path = next((file for file in files if file.exists()), None)
        if path is None:
            continue
        with ChangeScope.around(path).changing() as changes:
            before = path.read_text(encoding="utf-8")
            after = updated(before, rulebook)
            if after != before:
                changes.write(path, after.encode())
                print(f"{path.name}: wordings written")


if __name__ == "__main__":
    main(sys.argv[1:])
