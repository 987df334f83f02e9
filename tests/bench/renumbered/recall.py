"""How well questions find their passage before and after a revision."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from corpus.languages import LANGUAGES
from index.building.build import build
from index.building.snapshots import Snapshots
from index.model import Query
from index.search import Index
from service.answers.evaluation import rank_of_text
from tests.bench.renumbered.revision import RevisedText

Row = Mapping[str, Any]

DEPTH = 5


def built(folder: Path, snapshots: Snapshots) -> Index:
    """An index of the rulebooks in ``folder``, built after those in ``snapshots`` as an owner's next index is."""
    build(folder, snapshots)
    return Index.load(snapshots.path(str(snapshots.current())))


def recall(index: Index, rows: Sequence[Row]) -> float:
    """The share of ``rows`` whose answer is among the first `DEPTH` passages of their document."""
    found = 0
    for row in rows:
        language = row["language"] if row["language"] in LANGUAGES else None
        hits = index.search(Query(row["question"], document=row["document"], language=language, k=DEPTH)).hits
        found += rank_of_text([hit.passage.text for hit in hits], row["answers"]) is not None
    return found / max(len(rows), 1)


def revised_rows(rows: Sequence[Row], copies: Mapping[str, RevisedText]) -> tuple[list[Row], list[Row]]:
    """Those of ``rows`` that have an answer in the documents of ``copies``, and the same with the quotes as the copies print them."""
    before: list[Row] = []
    after: list[Row] = []
    for row in rows:
        copy = copies.get(row["document"])
        answers = [{"quote": quote} for answer in row["answers"] for quote in _quotes(answer, copy)] if copy else []
        if answers:
            before.append(row)
            after.append({**row, "answers": answers})
    return before, after


def _quotes(answer: Mapping[str, Any], copy: RevisedText) -> Iterator[str]:
    """What became of the quote of ``answer``; nothing where it is not found or was taken out."""
    document = copy.old.document
    pattern = re.compile(r"\s+".join(map(re.escape, answer["quote"].split())))
    found = pattern.search(document.text, document.line(answer["lines"][0]).start) or pattern.search(document.text)
    if found:
        (places,) = np.nonzero((copy.origins >= found.start()) & (copy.origins < found.end()))
        if len(places):
            yield copy.text[places[0] : places[-1] + 1]
