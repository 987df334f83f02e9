"""The built-in encoder while it is trained: a module of torch and of sentence-transformers, which
answering does without.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from sentence_transformers.base.modules.input_module import InputModule
from torch import nn

from index.encoding.encoder import BUCKETS, DIMENSIONS, WEIGHTS, SubwordEncoder, buckets


class SubwordEmbedding(InputModule):
    """Words and character 3- to 5-grams hashed into `BUCKETS` vectors, added up and normalised.

    ``frequencies``, shape (BUCKETS,), are the weights of the buckets at the start (inverse document
    frequency), so that an untrained module is a random projection of weighted n-grams, and training
    only has to improve on it.
    """

    modalities = ["text"]  # noqa: RUF012 - the base class wants a plain list

    def __init__(
        self,
        weights: torch.Tensor | None = None,
        frequencies: NDArray[np.float32] | None = None,
        seed: int = 7,
    ):
        super().__init__()  # type: ignore[no-untyped-call]
        if weights is None:
            generator = torch.Generator().manual_seed(seed)
            weights = torch.randn(BUCKETS, DIMENSIONS, generator=generator) / DIMENSIONS**0.5
            if frequencies is not None:
                weights *= torch.from_numpy(frequencies)[:, None]
        self.embedding = nn.EmbeddingBag.from_pretrained(
            weights.float(), freeze=False, mode="sum", sparse=True
        )

    def preprocess(
        self, inputs: Any, prompt: str | None = None, **_: Any
    ) -> dict[str, torch.Tensor]:
        """Bucket numbers of ``inputs`` one after the other, and where each text begins."""
        numbers = [buckets(text) for text in inputs]
        offsets = np.cumsum([0] + [len(n) for n in numbers[:-1]])
        return {
            "input_ids": torch.tensor([b for n in numbers for b in n]),
            "offsets": torch.from_numpy(offsets),
        }

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
        save_file(
            {WEIGHTS: self.embedding.weight.detach().half().contiguous()},
            str(Path(output_path) / "model.safetensors"),
        )

    @classmethod
    def load(cls, model_name_or_path: str, *_: Any, **__: Any) -> SubwordEmbedding:
        """The module saved in a folder."""
        return cls(load_file(str(Path(model_name_or_path) / "model.safetensors"))[WEIGHTS])

    def built_in(self) -> SubwordEncoder:
        """The encoder with these weights, in half precision as it is kept."""
        return SubwordEncoder(self.embedding.weight.detach().half().numpy())
