"""A whole benchmark: index and questions found, systems asked, tables printed and kept."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from index.search import Index
from service.ops.indexes import IndexManager, NoIndex
from service.ops.settings import ROOT, SettingError, load, locations
from tests.bench.ablation import variants, whole, without_phrasings
from tests.bench.as_new import NOTE, as_new_table
from tests.bench.budget import budget, start
from tests.bench.held_out import HeldOut, held_out_weights
from tests.bench.measure import Measured, measure
from tests.bench.questions import SETS, Questions, for_warming, gather
from tests.bench.report import Report, report
from tests.bench.scoring import right
from tests.bench.systems import INSTEAD, Regula, System, missing, texts_of

_NOT_HELD_OUT: HeldOut = {}
QUESTIONS = ROOT.parent / "shared" / "questions"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--questions", type=Path, metavar="DIR", help="folder with dev.jsonl, forum.jsonl and strangers.jsonl")
    parser.add_argument("--rulebooks", metavar="DIR", help="folder of the rulebooks (REGULA_RULEBOOKS)")
    parser.add_argument("--index", metavar="DIR", help="folder of the index (REGULA_INDEX)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="keep the tables as a page")
    parser.add_argument("--quick", action="store_true", help="no index without phrasings and none with a game as new, which take minutes")
    given = parser.parse_args(arguments)
    if given.write and not given.write.parent.is_dir():
        parser.error(f"{given.write.parent}: no such folder")
    if given.questions and not given.questions.is_dir():
        parser.error(f"{given.questions}: no such folder")
    try:
        settings = locations(load({"rulebooks": given.rulebooks, "index": given.index}))
        snapshot = IndexManager(settings, say).ready()
        index = snapshot.index
        assert isinstance(index, Index)
    except (SettingError, NoIndex) as fault:
        parser.error(str(fault))
    folder = given.questions or QUESTIONS
    questions = gather(folder, index.library)
    say("learning weights by folds")
    held_out = held_out_weights(index, [folder / name for name in SETS if (folder / name).is_file()])
    made = run(index, questions, say, None if given.quick else partial(without_phrasings, settings, index, say), held_out)
    say("measuring where the time goes")
    costs = (
        budget(index, questions.all, for_warming(index.library)),
        start(settings.index / index.id, questions.all),
    )
    made = replace(made, tables=(*made.tables, *costs))
    if not given.quick and folder.is_dir():
        made = replace(made, notes=(*made.notes, NOTE), tables=(*made.tables, as_new_table(settings, snapshot, folder, say)))
    print(made.plain())
    if given.write:
        given.write.write_text(made.markdown(_command(given), datetime.now(UTC)), encoding="utf-8")
    return 0


def run(
    index: Index,
    questions: Questions,
    say: Callable[[str], None],
    unphrased: Callable[[], Index | None] | None = None,
    held_out: HeldOut = _NOT_HELD_OUT,
) -> Report:
    """Ask all systems and all variants of Regula the same questions on the same passages.

    ``unphrased`` makes an index of the same rulebooks without phrasings, None to do without; ``held_out`` are weights for the questions
    that were learned without them.
    """
    texts = texts_of(index.library)
    settled = right(questions.all, texts)
    warming = for_warming(index.library)

    def measured(system: System) -> Measured:
        say(f"asking {system.name}")
        return measure(system, questions.all, settled, texts, warming)

    systems: list[System] = [Regula(index), *([whole(index, held_out)] if held_out else []), *(system() for system in INSTEAD)]
    absent = [system for system in systems if missing(system)]
    compared = [measured(system) for system in systems if not missing(system)]
    bare = unphrased() if unphrased else None  # built when times are taken: a build leaves a process that no longer is as one that serves
    parts = variants(index, held_out) + (variants(bare, held_out, phrased=False) if bare else [])
    ablated = [measured(variant) for variant in parts]
    return report(compared, ablated, absent, settled, questions.all, len(texts), questions.notes)


def say(line: str) -> None:
    """One line of progress, on standard error."""
    print(line, file=sys.stderr, flush=True)


def _command(given: argparse.Namespace) -> str:
    """The command as anyone could give it, without the paths of this machine."""
    named = [f"--{name} DIR" for name in ("questions", "rulebooks", "index") if getattr(given, name)]
    page = given.write.resolve()
    kept = page.relative_to(ROOT) if page.is_relative_to(ROOT) else page.name
    return " ".join(["python -m tests.bench", *named, *(["--quick"] if given.quick else []), f"--write {kept}"])
