"""Write the wording of passages into the files of query variants, so that the variants can be
aligned with new versions and other extractions of a rulebook.

``python -m glossary.query_variants.update_wordings FOLDER`` updates the files of the editions whose
documents are in FOLDER: those in the workspace, else those in the package.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import yaml

from corpus.editions import identify
from corpus.model import Rulebook
from corpus.read import read
from corpus.update_editions import documents_in, folders_given, rewrite_file
from corpus.workspace import PHRASINGS
from glossary.query_variants import FOLDER
from glossary.query_variants.wording import fingerprint, wording, written


def updated(text: str, rulebook: Rulebook) -> str:
    """Return ``text``, the content of a file of query variants, with the wording of the passages of
    ``rulebook`` in place of older wordings or sketches.
    """
    wordings = {fingerprint(p.text): written(wording(p.text)) for p in rulebook.passages}
    edits = []
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    for key, fields in root.value if isinstance(root, yaml.MappingNode) else ():
        if not (own := wordings.get(key.value)):
            continue
        by_name = {name.value: (name, value) for name, value in fields.value}
        if there := by_name.get("wording") or by_name.get("sketch"):
            edits.append((there[0].start_mark.index, there[1].end_mark.index, f'wording: "{own}"'))
        else:
            end = by_name["at"][1].end_mark.index
            separator = ", " if fields.flow_style else "\n" + " " * fields.start_mark.column
            edits.append((end, end, f'{separator}wording: "{own}"'))
    for start, end, replacement in sorted(edits, reverse=True):
        text = text[:start] + replacement + text[end:]
    return text


def main(folders: Sequence[str]) -> None:
    """Update the files of the editions whose documents are in ``folders``."""
    for document in documents_in(folders):
        rulebook = read(document, identify(document))
        change = partial(updated, rulebook=rulebook)
        rewrite_file(PHRASINGS, FOLDER, rulebook.edition.id, change, "wordings")


if __name__ == "__main__":
    main(folders_given(__doc__))
