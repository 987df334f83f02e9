"""Writes sketches of passages into the files of phrasings, by which phrasings are tied to other extractions of a rulebook.

``python -m glossary.phrasings.update_sketches FOLDER`` updates the phrasings of every edition whose document is in FOLDER and changes
nothing else in its file: the one in the workspace where there is one, else the one in the package.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import yaml

from corpus import letter_runs
from corpus.document import Document, documents
from corpus.editions import identify
from corpus.model import Rulebook
from corpus.read import read
from corpus.workspace import PHRASINGS, data_folders
from glossary.phrasings import FOLDER
from glossary.phrasings.attachment import SKETCH
from glossary.phrasings.model import fingerprint


def updated(text: str, rulebook: Rulebook) -> str:
    """``text``, the content of a file of phrasings, with the sketches of the passages of ``rulebook`` that it has phrasings for."""
    sketches = {fingerprint(p.text): letter_runs.written(letter_runs.sketch(p.text, SKETCH)) for p in rulebook.passages}
    for start, end, replacement in sorted(_edits(text, sketches), reverse=True):
        text = text[:start] + replacement + text[end:]
    return text


def _edits(text: str, sketches: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Start, end and replacement of each edit that writes one of ``sketches``, by fingerprint, into ``text``."""
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    for key, fields in root.value if isinstance(root, yaml.MappingNode) else ():
        sketch = sketches.get(key.value)
        if not sketch:
            continue
        by_name = {name.value: value for name, value in fields.value}
        if "sketch" in by_name:
            yield by_name["sketch"].start_mark.index, by_name["sketch"].end_mark.index, f'"{sketch}"'
        else:
            end = by_name["at"].end_mark.index
            separator = ", " if fields.flow_style else "\n" + " " * fields.start_mark.column
            yield end, end, f'{separator}sketch: "{sketch}"'


def main(folders: Sequence[str]) -> None:
    """Update the files of the editions whose documents are in ``folders``."""
    for document in (d for folder in folders for d in documents(Path(folder)) if isinstance(d, Document)):
        rulebook = read(document, identify(document))
        files = (folder / f"{rulebook.edition.id}.yaml" for folder in data_folders(PHRASINGS, FOLDER))
        path = next((file for file in files if file.exists()), None)
        if path is None:
            continue
        before = path.read_text(encoding="utf-8")
        after = updated(before, rulebook)
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(f"{path.name}: sketches written")


if __name__ == "__main__":
    main(sys.argv[1:])
