"""Every system asked every question once: what it finds, and how long it takes."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import faiss
import numpy as np
import torch

from tests.bench.questions import Question
from tests.bench.scoring import Quality, Ranks, quality, ranks
from tests.bench.systems import System, Text

SHOWN = 10
DEEP = 60  # passages looked through for ten distinct entries


@dataclass(frozen=True)
class Measured:
    """What a system was worth on questions that have an answer, and the milliseconds it took for each question asked."""

    name: str
    ranks: Mapping[Question, Ranks]
    milliseconds: tuple[float, ...]

    def quality(self, questions: Iterable[Question]) -> Quality:
        """Over those of ``questions`` that have an answer."""
        return quality([self.ranks[q] for q in questions if q in self.ranks])

    def percentile(self, percent: float) -> float:
        """The milliseconds within which that many of a hundred questions were answered; 0.0 for no questions."""
        return float(np.percentile(self.milliseconds or (0.0,), percent, method="higher"))


def measure(
    system: System,
    questions: Sequence[Question],
    right: Mapping[Question, frozenset[int]],
    texts: Sequence[Text],
    warming: Sequence[Question] = (),
) -> Measured:
    """Let ``system`` index ``texts`` and ask it all ``questions``, each once and on one thread, for ten passages.

    ``right`` has the numbers of the texts that settle a question, for those that have an answer; only these count for
    quality. Places are looked up further down, untimed. ``warming`` are other questions, asked before, so that nobody's
    first question pays for what is loaded late.
    """
    system.build(texts)
    found, milliseconds = {}, []
    with one_thread():
        for question in warming:
            system.search(question.text, question.document, SHOWN)
        for question in questions:
            start = time.perf_counter()
            shown = system.search(question.text, question.document, SHOWN)
            milliseconds.append(1000 * (time.perf_counter() - start))
            if question in right:
                deep = system.search(question.text, question.document, DEEP)
                passage, place = ranks(shown, right[question], texts).passage, ranks(deep, right[question], texts).place
                found[question] = Ranks(passage, place)
    return Measured(system.name, found, tuple(milliseconds))


@contextmanager
def one_thread() -> Iterator[None]:
    """What is measured within has one thread."""
    before = torch.get_num_threads(), faiss.omp_get_max_threads()
    torch.set_num_threads(1)
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before[0])
        faiss.omp_set_num_threads(before[1])
