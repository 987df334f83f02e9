"""Renumbers every rule of the rulebooks in a folder, rewords a tenth of their sentences, and says what is kept.

    python -m tests.bench.renumbered FOLDER [--questions FILE ...] [--seed N] [--reworded SHARE] [--words SHARE] [--more]

For every rulebook that phrasings are written for: how many texts have a passage still, how many have lost it, and how many are tied to
another one. With question files, which are read from their paths alone, it builds an index of the rulebooks and one of their revision, and
prints the share of the questions whose answer is among the first five passages of each. ``--more`` also moves, divides, joins, deletes and
adds passages.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from corpus import read_folder
from corpus.errors import RegulaError
from glossary.phrasings import load_phrasings
from index.building.snapshots import Snapshots
from tests.bench.renumbered.keeping import Kept, count
from tests.bench.renumbered.recall import DEPTH, Row, built, recall, revised_rows
from tests.bench.renumbered.revision import MORE, Changes, RevisedText, revised
from tests.bench.report import Table


def main() -> int:
    """Run the command. Returns 2 where there is nothing to revise, else 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.renumbered")
    parser.add_argument("folder", type=Path, help="rulebooks as text")
    parser.add_argument("--questions", type=Path, nargs="*", default=[], help="files of questions to ask before and after")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reworded", type=float, default=0.1, help="share of the sentences (default: 0.1)")
    parser.add_argument("--words", type=float, default=0.3, help="share of the words of such a sentence (default: 0.3)")
    parser.add_argument("--more", action="store_true", help="also move, divide, join, delete and add passages")
    arguments = parser.parse_args()
    changes = replace(MORE if arguments.more else Changes(), reworded=arguments.reworded, words=arguments.words)
    try:
        rows = [json.loads(line) for file in arguments.questions for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        books = [book for book in read_folder(arguments.folder).rulebooks if load_phrasings(book.edition.id)]
    except (OSError, ValueError, RegulaError) as fault:
        print(fault, file=sys.stderr)
        return 2
    if not books:
        print(f"{arguments.folder}: no rulebook that phrasings are written for", file=sys.stderr)
        return 2
    copies = {book.document.file: revised(book, changes, arguments.seed) for book in books}
    print(_table([count(copy) for copy in copies.values()]).plain(), flush=True)
    if rows:
        _compare_recall(arguments.folder, copies, rows)
    return 0


def _table(found: Sequence[Kept]) -> Table:
    every = Kept("all", "", *(sum(getattr(each, name) for each in found) for name in ("texts", "lost", "ties", "wrong")))
    rows = tuple(
        (
            each.old,
            each.new,
            f"{each.texts}",
            f"{each.lost}",
            f"{each.lost_share:.2%}",
            f"{each.ties}",
            f"{each.wrong}",
            f"{each.wrong_share:.2%}",
        )
        for each in (*found, every)
    )
    return Table("Phrasings after the revision", ("edition", "read as", "texts", "lost", "", "ties", "wrong", ""), rows)


def _compare_recall(folder: Path, copies: Mapping[str, RevisedText], rows: Sequence[Row]) -> None:
    before, after = revised_rows(rows, copies)
    with TemporaryDirectory() as place:
        new, snapshots = Path(place) / "rulebooks", Snapshots(Path(place) / "index")
        shutil.copytree(folder, new)
        for file, copy in copies.items():
            (new / file).write_bytes(copy.text.encode())
        recalls = recall(built(folder, snapshots), before), recall(built(new, snapshots), after)
    print(f"R@{DEPTH} over {len(before)} questions: {recalls[0]:.3f} before, {recalls[1]:.3f} after, {recalls[1] - recalls[0]:+.3f}")


if __name__ == "__main__":
    sys.exit(main())
