"""Citation markers: short names of passages, for prompts and for what language models write with them."""

from __future__ import annotations

import hashlib
from collections import Counter

from corpus.model import Passage
from index.library.library import Library
from service.core.snapshot import Snapshot

_DIGITS = 8  # hexadecimal; of ten thousand passages two are alike in one of a hundred libraries
_WHOLE = 64


class MarkerTable:
    """The marker of every passage of a library, such as ``r:3fa9c1d2``.

    It is the beginning of the SHA-256 of the passage's edition, entry and text, so it stays the same in every answer and
    every index as long as the passage does. Where two passages would share one, both get a longer one.
    """

    def __init__(self, library: Library):
        hashes: dict[str, str] = {}
        seen: Counter[tuple[str, str]] = Counter()
        for passage in library.passages:
            again = seen[passage.entry, passage.text]  # the same words twice in one entry are told apart by their order
            seen[passage.entry, passage.text] += 1
            hashes[passage.id] = _hash(passage, again)
        names: dict[str, str] = {}
        left, digits = list(hashes), _DIGITS
        while left:
            alike = Counter(hashes[id][:digits] for id in left)
            names |= {id: hashes[id][:digits] for id in left if alike[hashes[id][:digits]] == 1 or digits >= _WHOLE}
            left = [id for id in left if id not in names]
            digits += 4
        self._names = {id: f"r:{name}" for id, name in names.items()}
        self._passages = {self._names[passage.id]: passage for passage in library.passages}

    def marker_of(self, passage: Passage) -> str:
        """The marker of ``passage``, without brackets."""
        return self._names[passage.id]

    def passage_of(self, marker: str) -> Passage | None:
        """The passage that ``marker`` names, None where there is none."""
        return self._passages.get(marker)


def markers(snapshot: Snapshot) -> MarkerTable:
    """The markers of a ``snapshot``, worked out once."""
    return snapshot.cache.get(("markers",), lambda: MarkerTable(snapshot.library))


def _hash(passage: Passage, again: int) -> str:
    told = "\0".join([passage.entry, passage.text, *([str(again)] if again else [])])  # the entry's id begins with the edition's
    return hashlib.sha256(told.encode("utf-8")).hexdigest()
