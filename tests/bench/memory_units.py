"""Units of a translation memory to judge by reading: a random sample that a seed draws, each with its score and what names it.

`python -m tests.bench.memory_units --rulebooks FOLDER LEFT RIGHT --seed 1 --count 80` prints units of the default memory; `--judged FILE`
leaves out those that FILE has a verdict on already (`tests/glossary/segments/` has such files: hash, verdict and batch of each unit).
"""

from __future__ import annotations

import argparse
import hashlib
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from corpus import read_folder
from glossary.comparison.segments import align_segments
from glossary.concepts import load_concepts
from index.library.assembly import assemble_library
from service.editions.comparison import compare_in_library
from service.editions.exports.translation_memory import MemoryUnit, memory_units

_NAME = 12  # digits of a hash that tell units apart


def unit_hash(unit: MemoryUnit) -> str:
    """A name of the texts of ``unit``."""
    return hashlib.sha256("\0".join(unit.texts).encode()).hexdigest()[:_NAME]


def verdicts(file: Path) -> dict[str, tuple[str, str]]:
    """The batch and the verdict, "true" or "false", on each unit that was judged, by hash."""
    found = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        name, verdict, batch = line.split("\t")
        found[name] = (batch, verdict)
    return found


def sample(units: Sequence[MemoryUnit], seed: int, count: int) -> Iterator[str]:
    """A random sample of ``units`` as lines to read."""
    drawn = random.Random(seed).sample(sorted(units, key=unit_hash), min(count, len(units)))
    for unit in drawn:
        doubts = ", ".join(unit.doubts)
        yield f"{unit_hash(unit)}  {unit.score:.3f}  {doubts}\n  {unit.texts[0]}\n  {unit.texts[1]}"


def main() -> None:
    """Print a sample."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rulebooks", type=Path, default=Path("corpus/sample/rulebooks"))
    parser.add_argument("--doubtful", action="store_true", help="of those that may be no true translation alone")
    parser.add_argument("--judged", type=Path, help="leave out the units that this file has")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=80)
    parser.add_argument("left")
    parser.add_argument("right")
    chosen = parser.parse_args()
    library = assemble_library(read_folder(chosen.rulebooks).rulebooks)
    comparison = compare_in_library(library, chosen.left, chosen.right)
    segments = align_segments(comparison, load_concepts(comparison.left.game))
    known = verdicts(chosen.judged) if chosen.judged else {}
    units = [unit for unit in memory_units(segments, chosen.doubtful) if bool(unit.doubts) == chosen.doubtful]
    fresh = [unit for unit in units if unit_hash(unit) not in known]
    print(f"{len(units)} units of {sum(segment.aligned for segment in segments)} aligned segments, {len(fresh)} not judged")
    for line in sample(fresh, chosen.seed, chosen.count):
        print(line)


if __name__ == "__main__":
    main()
