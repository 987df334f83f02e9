"""Citation markers: short names of passages, for prompts and for what language models write with
them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from functools import cached_property

from corpus.model import Passage
from index.library.library import Library
from service.answers.sources import Sources
from service.core.snapshot import Snapshot

_DIGITS = 8  # hexadecimal; of ten thousand passages two are alike in one of a hundred libraries
_DIGITS_BESIDE = 12  # of passages beside the rulebooks, of which there may be many more
_ALL_DIGITS = 64


class MarkerTable:
    """The marker of every passage of a library, such as ``r:3fa9c1d2``.

    A marker is the beginning of the SHA-256 of the passage's edition, entry and text, so it stays
    the same in every answer and every index as long as the passage does. Where two passages would
    share one, both get a longer one. Those of passages ``beside`` the rulebooks are always longer,
    and looked up only where one is asked for.
    """

    def __init__(self, library: Library, beside: Sources | None = None):
        self._beside = beside
        hashes: dict[str, str] = {}
        seen: Counter[tuple[str, str]] = Counter()
        for passage in library.passages:
            hashes[passage.id] = _hash(passage, repetition=seen[passage.entry, passage.text])
            seen[passage.entry, passage.text] += 1
        names: dict[str, str] = {}
        unnamed, digits = list(hashes), _DIGITS
        while unnamed:
            counts = Counter(hashes[id][:digits] for id in unnamed)
            names |= {
                id: hashes[id][:digits]
                for id in unnamed
                if counts[hashes[id][:digits]] == 1 or digits >= _ALL_DIGITS
            }
            unnamed = [id for id in unnamed if id not in names]
            digits += 4
        self._names = {id: f"r:{name}" for id, name in names.items()}
        self._passages = {self._names[passage.id]: passage for passage in library.passages}

    def marker_of(self, passage: Passage) -> str:
        """Return the marker of ``passage``, without brackets."""
        return self._names.get(passage.id) or _marker_beside(passage)

    def passage_of(self, marker: str) -> Passage | None:
        """Return the passage that ``marker`` names, None where there is none."""
        return self._passages.get(marker) or (
            self._named_beside.get(marker) if len(marker) == len("r:") + _DIGITS_BESIDE else None
        )

    @cached_property
    def _named_beside(self) -> dict[str, Passage]:
        return {
            _marker_beside(passage): passage
            for passage in (self._beside.beside() if self._beside else ())
        }


def marker_table(snapshot: Snapshot) -> MarkerTable:
    """Return the markers of ``snapshot``, worked out once."""
    return snapshot.cache.get(
        ("markers",), lambda: MarkerTable(snapshot.library, Sources(snapshot))
    )


def _marker_beside(passage: Passage) -> str:
    return f"r:{_hash(passage, passage.ordinal)[:_DIGITS_BESIDE]}"


def _hash(passage: Passage, repetition: int) -> str:
    """Return the SHA-256 of a passage; ``repetition`` counts earlier passages of its entry with the
    same text.
    """
    content = "\0".join(
        [passage.entry, passage.text, *([str(repetition)] if repetition else [])]
    )  # the entry's id has the edition's
    return hashlib.sha256(content.encode("utf-8")).hexdigest()
