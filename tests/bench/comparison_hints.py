"""Hints of a comparison of two editions in two languages, to be read and judged; and how many planted differences it finds.

``python -m tests.bench.comparison_hints LEFT RIGHT --kind terms --seed 1 --sample 60`` prints a random sample of likely hints with both
texts (``--doubtful`` of doubtful ones), each with the key that the judgements in tests/glossary/hints have. ``--planted 60`` plants as
many differences of each kind in the right edition instead, and counts those found. Rulebooks: ``REGULA_RULEBOOKS`` or ../shared/rulebooks.
"""

from __future__ import annotations

import argparse
import random

from corpus import read_folder
from glossary.comparison import AlignedPassages, EditionComparison
from index.library.assembly import assemble_library
from service.editions.comparison import compare_in_library
from tests.conftest import SAMPLE, real_folder
from tests.glossary.planted import KINDS, plant
from tests.glossary.read_hints import ReadHint, listed_hints


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("left", nargs="?", default="marvel-champions-de-1.5")
    parser.add_argument("right", nargs="?", default="marvel-champions-it-1.7")
    parser.add_argument("--kind", default="terms")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("--doubtful", action="store_true")
    parser.add_argument("--planted", type=int, default=0)
    asked = parser.parse_args()
    library = assemble_library(read_folder(real_folder() or SAMPLE).rulebooks)
    comparison = compare_in_library(library, asked.left, asked.right)
    if asked.planted:
        found = plant(library, comparison, asked.planted, asked.seed)
        for kind in KINDS:
            print(f"{kind:11}{found.planted[kind]:4} planted{found.likely[kind]:4} likely hints{found.any[kind]:4} hints at all")
        return
    _print_sample(comparison, asked.kind, asked.doubtful, asked.sample, asked.seed)


def _print_sample(comparison: EditionComparison, kind: str, doubtful: bool, size: int, seed: int) -> None:
    hints = listed_hints(comparison, kind, doubtful)
    chosen = random.Random(seed).sample(hints, min(size, len(hints)))
    print(f"{len(chosen)} of {len(hints)} hints")
    for hint, row in chosen:
        _print_hint(hint, row)


def _print_hint(hint: ReadHint, row: AlignedPassages) -> None:
    print(f"\n{hint.key}: {hint.words}")
    for text in row.texts:
        print(f"    {' / '.join(text.splitlines())}")


if __name__ == "__main__":
    main()
