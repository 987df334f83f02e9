"""Texts that the published index extracted from files: a build takes them over instead of
extracting them again, which takes minutes.
"""

from __future__ import annotations

import json
from functools import partial

from corpus.blocks import ExtractedText
from index.building.fingerprints import extraction_hash
from index.building.snapshots import Damaged, Snapshots
from index.library.document_texts import load_document


class KeptTexts:
    """What the published index extracted, if the program and its libraries would extract the same
    again.
    """

    def __init__(self, snapshots: Snapshots):
        self._snapshots = snapshots
        self._id = ""
        self._texts: dict[str, str] = {}
        try:
            id = snapshots.current()
            if id and snapshots.manifest(id).get("extraction") == extraction_hash():
                sources = json.loads(snapshots.read(id, "library.json"))["sources"].values()
                self._texts = {source["sha256"]: source["text_sha256"] for source in sources}
                self._id = id
        except (
            Damaged,
            OSError,
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
        ):  # one of another version may have another form
            return

    def get(self, sha256: str) -> ExtractedText | None:
        """What was extracted from the file with ``sha256``; None where it is not kept, or was
        altered.
        """
        if sha256 not in self._texts:
            return None
        read = partial(self._snapshots.read, self._id)
        try:
            return load_document(
                "", sha256, self._texts[sha256], self._snapshots.files(self._id), read
            ).extracted
        except Damaged:
            return None
