"""Evaluate answers: recall, reciprocal rank, exactness, and how reliable the confidence is."""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from corpus.model import Span
from index.library.library import Library
from index.ranking.confidence import Settlement
from service.core.parameters import names_document
from service.core.problems import Problem
from service.schemas.answer import AnswerOut
from service.schemas.passage import PassageOut

DEPTHS = (1, 3, 5, 10)
FIRST_TWO = 2  # passages that an assistant cites
_LONG = 300  # characters; at most half of a longer passage may be highlighted
_THROUGHOUT = 0.95  # share of a passage from which it counts as highlighted throughout


def _collapse_space(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def rulebook_passages(answer: AnswerOut) -> list[PassageOut]:
    """Return the passages of ``answer`` from rulebooks, in order; question files expect only
    these.
    """
    return [passage for passage in answer.passages if isinstance(passage, PassageOut)]


def rank_of_answer(passages: Sequence[PassageOut], row: Mapping[str, Any]) -> int | None:
    """Return the rank, from 1, of the first of ten passages with the quote of one of the row's
    answers, or None.
    """
    document = row.get("document")
    texts = [
        passage.text
        if document is None or names_document(document, passage.citation.source.file)
        else ""
        for passage in passages[:10]
    ]
    return rank_of_text(texts, row["answers"])


def rank_of_text(texts: Sequence[str], answers: Sequence[Mapping[str, Any]]) -> int | None:
    """Return the rank, from 1, of the first of ``texts`` with the quote of one of ``answers``, or
    None.
    """
    quotes = [_collapse_space(a["quote"]) for a in answers]
    return next(
        (
            place
            for place, text in enumerate(texts, 1)
            if any(q in _collapse_space(text) for q in quotes)
        ),
        None,
    )


def is_highlighted(passage: PassageOut, row: Mapping[str, Any]) -> bool:
    """Return whether the highlights touch the quote of an answer and cover at most half of a long
    passage.
    """
    return highlights_fit(passage.text, passage.highlights, row["answers"])


def highlights_fit(
    text: str, spans: Sequence[Sequence[int]], answers: Sequence[Mapping[str, Any]]
) -> bool:
    """Return the same as `is_highlighted` for the ``spans`` highlighted in a passage's ``text``."""
    return (len(text) <= _LONG or _marked(spans) <= len(text) / 2) and highlights_touch(
        text, spans, answers
    )


def highlights_touch(
    text: str, spans: Sequence[Sequence[int]], answers: Sequence[Mapping[str, Any]]
) -> bool:
    """Return whether the highlighted ``spans`` of a passage's ``text`` touch the quote of one of
    ``answers``, no matter how much they cover.
    """
    for answer in answers:
        first = text.find(answer["quote"])
        if first >= 0 and any(
            start < first + len(answer["quote"]) and end > first for start, end in spans
        ):
            return True
    return False


def _marked(spans: Sequence[Sequence[int]]) -> int:
    """Return the number of characters in ``spans``."""
    return sum(end - start for start, end in spans)


def area_under_curve(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """Return the share of pairs in which the positive scores higher, ties counted half (Hanley and
    McNeil 1982); None without pairs.
    """
    if not positive or not negative:
        return None
    return sum((p > n) + 0.5 * (p == n) for p in positive for n in negative) / (
        len(positive) * len(negative)
    )


def put_to(library: Library, game: str, fields: Mapping[str, object]) -> bool:
    """Return whether the question with these ``fields`` is limited to a document or an edition of
    ``game``, or to the game as a whole.
    """
    editions = [edition.id for edition in library.editions if edition.game == game]
    files = [library.sources[edition].file for edition in editions]
    return (
        fields.get("game") == game
        or fields.get("edition") in editions
        or fields.get("document") in files
    )


def expected_answers(fields: Mapping[str, object]) -> list[dict[str, str]]:
    """Return the expected answers in a row of a question file, none if its document settles
    nothing.

    Raises `Problem` 422 if the row has no list of answers with a quote each.
    """
    answers = fields.get("answers")
    if not isinstance(answers, list) or not all(
        isinstance(each, dict) and isinstance(each.get("quote"), str) for each in answers
    ):
        raise Problem.out_of_range(
            "The answers have to be a list of objects with a quote each; an empty one where "
            "nothing answers.",
            "answers",
        )
    return answers


def evaluate(
    library: Library, rows: Sequence[Mapping[str, Any]], answers: Iterable[AnswerOut]
) -> dict[str, Any]:
    """Return recall at 1, 2, 3, 5, 10 and mean reciprocal rank for all rows, by kind and by
    document, and further figures for all rows.

    ``answers`` answer the questions of ``rows``, in the same order. A passage is exact if its text
    equals the text at its citation in ``library``: ``exact`` below 1.0 means a defect.
    """
    evidence = {
        (library.sources[library.entry[p.entry].edition].file, p.spans): p.text
        for p in library.passages
    }
    ranks: dict[str, list[int | None]] = defaultdict(list)
    shown: list[PassageOut] = []
    highlighted: list[bool] = []
    first_right: dict[Settlement, list[bool]] = {each: [] for each in Settlement}
    among_three: dict[Settlement, list[bool]] = {each: [] for each in Settlement}
    touching: list[bool] = []  # whether highlights touch the quote, no matter how much they cover
    sparing: list[bool] = []  # whether part of a long first passage is not highlighted
    called_open: list[bool] = []  # for questions that their document leaves open
    right: list[float] = []  # confidences if the first passage answers the question
    wrong: list[float] = []
    for row, answer in zip(rows, answers, strict=True):
        passages = rulebook_passages(answer)
        shown += passages[:10]
        rank = rank_of_answer(passages, row) if row["answers"] else None
        (right if rank == 1 else wrong).append(answer.confidence)
        first_right[answer.settled].append(rank == 1)
        among_three[answer.settled].append(rank is not None and rank <= 3)
        if passages and len(text := passages[0].text) > _LONG:
            sparing.append(_marked(passages[0].highlights) < len(text) * _THROUGHOUT)
        if not row["answers"]:
            called_open.append(not answer.answered)
        else:
            for group in (
                "all",
                f"kind {row.get('kind')}",
                f"document {str(row.get('document'))[:3]}",
            ):
                ranks[group].append(rank)
            if rank:
                highlighted.append(is_highlighted(passages[rank - 1], row))
                touching.append(
                    highlights_touch(
                        passages[rank - 1].text, passages[rank - 1].highlights, row["answers"]
                    )
                )
    exact = sum(evidence.get(_position(passage)) == passage.text for passage in shown)
    return {
        "groups": {name: _recalls(group) for name, group in sorted(ranks.items())},
        "passages": len(shown),
        "exact": exact / max(len(shown), 1),
        "median_length": statistics.median(len(passage.text) for passage in shown) if shown else 0,
        "highlighted": sum(highlighted) / max(len(highlighted), 1),
        "touching": sum(touching) / max(len(touching), 1),
        "sparing": {"n": len(sparing), "share": sum(sparing) / max(len(sparing), 1)},
        "auc": area_under_curve(right, wrong),
        "settled": _called(first_right[Settlement.SETTLED], len(rows)),
        "likely": _called(among_three[Settlement.LIKELY], len(rows)),
        "open": {"n": len(called_open), "called_open": sum(called_open) / max(len(called_open), 1)},
    }


def _called(right: Sequence[bool], questions: int) -> dict[str, float]:
    """Return the number of questions with a certain verdict, their share of all ``questions``, and
    the share for which the verdict was ``right``.
    """
    return {
        "n": len(right),
        "share": len(right) / max(questions, 1),
        "right": sum(right) / max(len(right), 1),
    }


def _position(passage: PassageOut) -> tuple[str, tuple[Span, ...]]:
    """Return the file and the spans that the citation of ``passage`` names."""
    source = passage.citation.source
    return source.file, tuple(Span(start, end) for start, end in source.spans)


def _recalls(ranks: Sequence[int | None]) -> dict[str, float]:
    recalls = {
        f"R@{k}": sum(r is not None and r <= k for r in ranks) / len(ranks)
        for k in sorted({*DEPTHS, FIRST_TWO})
    }
    return {"n": len(ranks), **recalls, "MRR": sum(1 / r for r in ranks if r) / len(ranks)}


def as_table(result: Mapping[str, Any]) -> str:
    """Return the figures as the text table that score.py prints, followed by further figures."""
    names = ["n", *(f"R@{k}" for k in DEPTHS), "MRR"]
    lines = [f"{'':24}" + "".join(f"{n:>8}" for n in names)]
    for group, row in result["groups"].items():
        lines.append(f"{group:24}{row['n']:8}" + "".join(f"{row[n]:8.3f}" for n in names[1:]))
    exact = f"exact citations {result['exact']:.4f} of {result['passages']} passages"
    lines.append(f"{exact}, median length {result['median_length']} characters")
    lines.append(f"highlight touches the answer in {result['highlighted']:.3f} of the hits")
    lines.append(f"the same, however much they mark: {result['touching']:.3f}")
    for called, right in (
        ("settled", "first passage right"),
        ("likely", "one of the first three right"),
    ):
        lines.append(
            f"{called}: {result[called]['share']:.3f} of the questions, {right} for "
            f"{result[called]['right']:.3f}"
        )
    lines.append(f"confidence, first passage right or not: area under the curve {result['auc']}")
    if "all" in result["groups"]:
        lines.append(f"among the first two: {result['groups']['all'][f'R@{FIRST_TWO}']:.3f}")
    if result["sparing"]["n"]:
        share, n = result["sparing"]["share"], result["sparing"]["n"]
        lines.append(
            f"not highlighted throughout: {share:.3f} of {n} first passages longer than {_LONG} "
            "characters"
        )
    if result["open"]["n"]:
        lines.append(
            f"open questions called open: {result['open']['called_open']:.3f} of "
            f"{result['open']['n']}"
        )
    return "\n".join(lines)
