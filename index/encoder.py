"""Text to vectors: the built-in subword encoder, a sentence-transformers module, and hub models as a setting."""

from __future__ import annotations

import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules.input_module import InputModule
from torch import nn

from index.analysis import fold, word_grams
from index.analysis import words as words_of

BUCKETS = 1 << 16
DIMENSIONS = 256


class Encoder(Protocol):
    """What the vector part of an index needs of an encoder."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    def passages(self, texts: list[str]) -> NDArray[np.float32]:
        """Unit vectors of passages, shape (len(texts), dimensions)."""

    def questions(self, texts: list[str]) -> NDArray[np.float32]:
        """Unit vectors of questions, shape (len(texts), dimensions)."""


@lru_cache(maxsize=200_000)
def _buckets(word: str) -> tuple[int, ...]:
    """Buckets of a folded word and its 3- to 5-grams (Bojanowski et al. 2017, with CRC-32 as the hash)."""
    pieces = (f"={word}=", *word_grams(word)) if len(word) > 1 else (f"={word}=",)
    return tuple(zlib.crc32(piece.encode()) % BUCKETS for piece in pieces)


def buckets(text: str) -> list[int]:
    """Bucket numbers of every subword of ``text``, in order; ``[0]`` for a text without words."""
    return [b for word in words_of(fold(text)) for b in _buckets(word)] or [0]


class SubwordEmbedding(InputModule):
    """Words and character 3- to 5-grams hashed into `BUCKETS` vectors, added up and normalised.

    ``frequencies``, shape (BUCKETS,), are the weights of the buckets at the start (inverse document frequency), so
    that an untrained module is a random projection of weighted n-grams, and training only has to improve on it.
    """

    modalities = ["text"]  # noqa: RUF012 - the base class wants a plain list

    def __init__(self, weights: torch.Tensor | None = None, frequencies: NDArray[np.float32] | None = None, seed: int = 7):
        super().__init__()  # type: ignore[no-untyped-call]
        if weights is None:
            generator = torch.Generator().manual_seed(seed)
            weights = torch.randn(BUCKETS, DIMENSIONS, generator=generator) / DIMENSIONS**0.5
            if frequencies is not None:
                weights *= torch.from_numpy(frequencies)[:, None]
        self.embedding = nn.EmbeddingBag.from_pretrained(weights.float(), freeze=False, mode="sum", sparse=True)

    def preprocess(self, inputs: Any, prompt: str | None = None, **_: Any) -> dict[str, torch.Tensor]:
        """Bucket numbers of ``inputs`` one after the other, and where each text begins."""
        numbers = [buckets(text) for text in inputs]
        offsets = np.cumsum([0] + [len(n) for n in numbers[:-1]])
        return {"input_ids": torch.tensor([b for n in numbers for b in n]), "offsets": torch.from_numpy(offsets)}

    def forward(self, features: dict[str, torch.Tensor], **_: Any) -> dict[str, torch.Tensor]:
        """Unit vectors, shape (number of texts, DIMENSIONS), under ``sentence_embedding``."""
        bags = self.embedding(features["input_ids"], features["offsets"])
        features["sentence_embedding"] = nn.functional.normalize(bags, dim=1)
        return features

    @property
    def max_seq_length(self) -> int:
        """No limit worth naming."""
        return 1_000_000

    def get_embedding_dimension(self) -> int:
        """Length of a vector."""
        return DIMENSIONS

    def save(self, output_path: str, *_: Any, **__: Any) -> None:
        """Write the weights, in half precision, to ``output_path``/model.safetensors."""
        save_file({"weights": self.embedding.weight.detach().half().contiguous()}, str(Path(output_path) / "model.safetensors"))

    @classmethod
    def load(cls, model_name_or_path: str, *_: Any, **__: Any) -> SubwordEmbedding:
        """The module saved in a folder."""
        return cls(load_file(str(Path(model_name_or_path) / "model.safetensors"))["weights"])


class BuiltIn:
    """The encoder that the project trains on the rulebooks themselves."""

    def __init__(self, module: SubwordEmbedding):
        self.module = module
        self.model = SentenceTransformer(modules=[module], device="cpu")
        self._rows: NDArray[np.float32] = module.embedding.weight.detach().numpy()

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return DIMENSIONS

    def passages(self, texts: list[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), DIMENSIONS), by the sentence-transformers model."""
        return np.asarray(self.model.encode(texts, batch_size=256, show_progress_bar=False), dtype=np.float32)

    def questions(self, texts: list[str]) -> NDArray[np.float32]:
        """The same vectors, added up directly: for one short text the model's own way costs ten times as much."""
        sums = np.stack([self._rows[buckets(text)].sum(axis=0) for text in texts])
        return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12), dtype=np.float32)

    def save(self, folder: Path) -> None:
        """Keep the weights in ``folder``."""
        folder.mkdir(parents=True)
        self.module.save(str(folder))

    @classmethod
    def load(cls, folder: Path) -> BuiltIn:
        """The encoder kept in ``folder``. Raises `OSError` or `safetensors.SafetensorError` where it is damaged."""
        return cls(SubwordEmbedding.load(str(folder)))


class Hub:
    """A sentence-transformers model by name or folder, e.g. ``intfloat/multilingual-e5-small``.

    E5 models are told apart questions from passages by the prefixes they were trained with (Wang et al. 2024).
    Raises `OSError` where the model is neither in the folder nor to be had from the hub.
    """

    def __init__(self, name: str):
        self.name = name
        self.model = SentenceTransformer(name, device="cpu")
        self._prefixes = ("query: ", "passage: ") if "e5" in Path(name).name.lower() else ("", "")

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.model.get_embedding_dimension() or 0)

    def questions(self, texts: list[str]) -> NDArray[np.float32]:
        """Unit vectors of questions, shape (len(texts), dimensions)."""
        return self._encode(texts, self._prefixes[0])

    def passages(self, texts: list[str]) -> NDArray[np.float32]:
        """Unit vectors of passages, shape (len(texts), dimensions)."""
        return self._encode(texts, self._prefixes[1])

    def _encode(self, texts: list[str], prefix: str) -> NDArray[np.float32]:
        vectors = self.model.encode([prefix + t for t in texts], batch_size=32, show_progress_bar=False, normalize_embeddings=True)
        return np.asarray(vectors, dtype=np.float32)
