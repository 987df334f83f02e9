"""A cache of the vectors of texts from one build to the next, so that only new texts are
encoded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from index.building.snapshots import file_digest
from index.encoding.encoder import Encoder

Encode = Callable[[list[str]], NDArray[np.float32]]

_CHUNK = 20_000  # texts that are encoded between two reports of progress
_CHECKED = 16  # texts encoded again, to tell a model from another one with its name
_TOLERANCE = (
    1e-3  # between two encodings of a text, which other texts in the same batch change a little
)
NAME = "encoded"  # of the file, before the hashes
GENERAL_CACHE = "generally-encoded"  # of that of the general encoder


def text_hash(text: str) -> int:
    """A hash of ``text``, 8 bytes."""
    return int.from_bytes(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big"
    )


class CachingEncoder:
    """An encoder that looks up what the previous build encoded, and encodes the rest by
    ``encoder``.

    Vectors are written to the file ``writing`` as they are asked for; `publish` makes them the
    cache of the next build: one file in ``folder``, named by ``identity``, which is different for
    every encoder, and by the hash of its content, which is verified. ``report`` is called with the
    numbers of texts that are encoded and to be encoded, after each ``chunk`` of them. ``name`` is
    that of the file, before the hashes.
    """

    def __init__(
        self,
        encoder: Encoder,
        folder: Path,
        identity: str,
        writing: Path,
        fresh: bool = False,
        report: Callable[[int, int], None] = lambda done, of: None,
        name: str = NAME,
        chunk: int | None = None,
    ):
        self._encoder, self._folder, self._identity, self._writing, self._report = (
            encoder,
            folder,
            identity,
            writing,
            report,
        )
        self._name, self._chunk = name, chunk or _CHUNK
        self._row = np.dtype([("text", "<u8"), ("vector", "<f4", (encoder.dimensions,))])
        self._rows = np.empty(0, dtype=self._row) if fresh else self._known()
        numbers = np.ascontiguousarray(self._rows["text"])
        self._order = np.argsort(numbers)
        self._numbers = numbers[self._order]
        self.asked = self.new = 0
        writing.touch()

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._encoder.dimensions

    def passages(self, texts: list[str]) -> NDArray[np.float32]:
        """Unit vectors of passages, shape (len(texts), dimensions)."""
        return self._vectors("passage", texts, self._encoder.passages)

    def questions(self, texts: list[str]) -> NDArray[np.float32]:
        """Unit vectors of questions, shape (len(texts), dimensions)."""
        return self._vectors("question", texts, self._encoder.questions)

    def publish(self) -> None:
        """Leave what was asked for to the next build; the rest of the cache is dropped."""
        cache = self._folder / f"{self._name}-{self._identity}-{file_digest(self._writing)}"
        for other in self._folder.glob(f"{self._name}-*"):
            other.unlink()  # first, so that there is never more than one, whenever a build is killed
        self._writing.replace(cache)

    def _known(self) -> NDArray[np.void]:
        """The rows that the previous build left, mapped into memory; none where the file is
        damaged.
        """
        for path in self._folder.glob(f"{self._name}-{self._identity}-*"):
            size = path.stat().st_size
            if size and not size % self._row.itemsize and path.name.endswith(file_digest(path)):
                return np.memmap(path, self._row, "r")
        return np.empty(0, dtype=self._row)

    def _vectors(self, kind: str, texts: list[str], encode: Encode) -> NDArray[np.float32]:
        place = {text: n for n, text in enumerate(dict.fromkeys(texts))}
        every = list(place)
        numbers = np.fromiter(
            (text_hash(f"{kind} {text}") for text in every), dtype=np.uint64, count=len(every)
        )
        found = np.empty((len(every), self.dimensions), dtype=np.float32)
        there, rows = self._look_up(numbers, every, encode)
        found[there] = self._rows["vector"][rows]
        missing = np.flatnonzero(~there)
        for start in range(0, len(missing), self._chunk):
            some = missing[start : start + self._chunk]
            found[some] = encode([every[n] for n in some])
            if len(missing) > self._chunk:
                self._report(start + len(some), len(missing))
        self.asked += len(every)
        self.new += len(missing)
        with self._writing.open("ab") as file:
            for start in range(0, len(every), _CHUNK):
                written = np.empty(len(numbers[start : start + _CHUNK]), dtype=self._row)
                written["text"], written["vector"] = (
                    numbers[start : start + _CHUNK],
                    found[start : start + _CHUNK],
                )
                file.write(written.tobytes())  # `tofile` does not say why it could not
        return found if len(every) == len(texts) else found[[place[text] for text in texts]]

    def _look_up(
        self, numbers: NDArray[np.uint64], texts: list[str], encode: Encode
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Which of ``texts`` are in the cache, shape (len(texts),), and the rows of these; the
        cache is dropped where some are wrong.
        """
        if not len(self._rows):
            return np.zeros(len(texts), dtype=np.bool_), np.empty(0, dtype=np.int64)
        at = np.minimum(np.searchsorted(self._numbers, numbers), len(self._numbers) - 1)
        there = self._numbers[at] == numbers
        rows = self._order[at[there]]
        tried = np.flatnonzero(there)[:_CHECKED]
        if len(tried) and not np.allclose(
            encode([texts[n] for n in tried]),
            self._rows["vector"][rows[: len(tried)]],
            atol=_TOLERANCE,
        ):
            self._rows = self._rows[:0]
            return self._look_up(numbers, texts, encode)
        return there, rows
