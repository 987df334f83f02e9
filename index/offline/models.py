"""What was learned: the weights of the ranking, of the confidence and of the highlights, and what answerable questions sound like."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from index.offline.container import pack_fragment
from index.ranking import highlights
from index.ranking.answerability import AnswerabilityModel
from index.ranking.edition_confidence import EditionConfidence
from index.ranking.fusion import WEIGHTS, weights

# The confidence from which on the browser calls an answer settled: it has no verdict about the first passage yet, only the probability
# that rulebooks settle the question at all.
_SETTLED = 0.938


def models_fragment(answerability: AnswerabilityModel, confidence: EditionConfidence, editions: Sequence[tuple[int, str]]) -> bytes:
    """The fragment of all models; ``editions`` are those of the pack, by number in the index and id."""
    learned = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    wording = answerability.wording.weights
    step = float(np.abs(wording[:-1]).max(initial=0.0)) / 127 or 1.0
    header: dict[str, Any] = {
        "signals": weights(),
        "confidence": learned["confidence"],
        "settled": _SETTLED,
        "nearness": [[round(float(each), 6) for each in answerability.nearness_of(number)] for number, _ in editions],
        "drafted": {id: list(model) for _, id in editions if (model := confidence.model(id)) is not None},
        "scope_constant": answerability.constant,
        "wording_step": step,
        "wording_constant": float(wording[-1]),
        "highlights": dict(zip(highlights.FEATURES, highlights.weights().tolist(), strict=True)),
    }
    arrays = {"scope": answerability.weights.astype(np.float32), "wording": np.rint(wording[:-1] / step).astype(np.int8)}
    return pack_fragment(header, arrays)
