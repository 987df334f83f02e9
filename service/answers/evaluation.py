"""How well questions are answered: recall, reciprocal rank, exactness, and whether confidence can be trusted."""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from corpus.model import Span
from index.library.library import Library
from service.core.problems import Problem

DEPTHS = (1, 3, 5, 10)


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def rank(passages: Sequence[Mapping[str, Any]], row: Mapping[str, Any]) -> int | None:
    """The place, from 1, of the first of ten passages that holds the quote of one of the row's answers; None without one."""
    wanted = row.get("document")
    texts = [p["text"] if wanted in (None, p["citation"]["source"]["file"]) else "" for p in passages[:10]]
    return rank_of(texts, row["answers"])


def rank_of(texts: Sequence[str], answers: Sequence[Mapping[str, Any]]) -> int | None:
    """The place, from 1, of the first of ``texts`` that holds the quote of one of ``answers``; None without one."""
    quotes = [_squeezed(a["quote"]) for a in answers]
    return next((place for place, text in enumerate(texts, 1) if any(q in _squeezed(text) for q in quotes)), None)


def marked(passage: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    """Whether the highlights touch the quote of an answer without marking more than half of a long passage."""
    text, spans = passage["text"], passage["highlights"]
    if len(text) > 300 and sum(b - a for a, b in spans) > len(text) / 2:
        return False
    for answer in row["answers"]:
        start = text.find(answer["quote"])
        if start >= 0 and any(a < start + len(answer["quote"]) and b > start for a, b in spans):
            return True
    return False


def area_under_curve(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """The share of pairs in which the positive scores higher, ties counted half (Hanley and McNeil 1982); None without pairs."""
    if not positive or not negative:
        return None
    return sum((p > n) + 0.5 * (p == n) for p in positive for n in negative) / (len(positive) * len(negative))


def expected(fields: Mapping[str, object]) -> list[dict[str, str]]:
    """The answers that a row of a question file names, none where its document settles nothing. Raises `Problem` 422 without a list."""
    answers = fields.get("answers")
    if not isinstance(answers, list) or not all(isinstance(each, dict) and isinstance(each.get("quote"), str) for each in answers):
        raise Problem.out_of_range(
            "The answers have to be a list of objects with a quote each; an empty one where nothing answers.", "answers"
        )
    return answers


def figures(library: Library, rows: Sequence[Mapping[str, Any]], responses: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Recall at 1, 3, 5, 10 and mean reciprocal rank for all, by kind and by document, and the figures on the whole set.

    A passage counts where its text is what stands at its citation in the ``library``, so ``exact`` is 1.0 or a defect.
    """
    texts = {p.id: p for p in library.passages}
    evidence = {(library.sources[library.entry[p.entry].edition].file, p.spans): p.text for p in texts.values()}
    groups: dict[str, list[int | None]] = defaultdict(list)
    exact = 0
    lengths: list[int] = []
    hits: list[bool] = []
    said: list[bool] = []
    yes: list[float] = []
    no: list[float] = []
    for row, given in zip(rows, responses, strict=True):
        response = given["response"]
        for passage in response["passages"][:10]:
            source = passage["citation"]["source"]
            exact += evidence.get((source["file"], tuple(Span(a, b) for a, b in source["spans"]))) == passage["text"]
            lengths.append(len(passage["text"]))
        (yes if row["answers"] else no).append(float(response["confidence"]))
        said.append(response["answered"] == bool(row["answers"]))
        if row["answers"]:
            place = rank(response["passages"], row)
            for group in ("all", f"kind {row.get('kind')}", f"document {str(row.get('document'))[:3]}"):
                groups[group].append(place)
            if place:
                hits.append(marked(response["passages"][place - 1], row))
    return {
        "groups": {name: _recalls(ranks) for name, ranks in sorted(groups.items())},
        "passages": len(lengths),
        "exact": exact / max(len(lengths), 1),
        "median_length": statistics.median(lengths) if lengths else 0,
        "highlighted": sum(hits) / max(len(hits), 1),
        "auc": area_under_curve(yes, no),
        "answered_right": sum(said) / max(len(said), 1),
    }


def _recalls(ranks: Sequence[int | None]) -> dict[str, float]:
    recalls = {f"R@{k}": sum(r is not None and r <= k for r in ranks) / len(ranks) for k in DEPTHS}
    return {"n": len(ranks), **recalls, "MRR": sum(1 / r for r in ranks if r) / len(ranks)}


def table(result: Mapping[str, Any]) -> str:
    """The figures for people."""
    names = ["n", *(f"R@{k}" for k in DEPTHS), "MRR"]
    lines = [f"{'':24}" + "".join(f"{n:>8}" for n in names)]
    for group, row in result["groups"].items():
        lines.append(f"{group:24}{row['n']:8}" + "".join(f"{row[n]:8.3f}" for n in names[1:]))
    exact = f"exact citations {result['exact']:.4f} of {result['passages']} passages"
    lines.append(f"{exact}, median length {result['median_length']} characters")
    lines.append(f"highlight touches the answer in {result['highlighted']:.3f} of the hits")
    lines.append(f"answerable or not: area under the curve {result['auc']}, right {result['answered_right']:.3f}")
    return "\n".join(lines)
