"""Hints of a comparison one by one, and what readers of both languages said of them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import yaml

from glossary.comparison import AlignedPassages, EditionComparison

FOLDER = Path(__file__).parent / "hints"


class ReadHint(NamedTuple):
    """One value that one side has; ``key`` names it by kind, side, value and the first lines of the passages, ``words`` are its words."""

    key: str
    words: str


def listed_hints(comparison: EditionComparison, kind: str, doubtful: bool = False) -> list[tuple[ReadHint, AlignedPassages]]:
    """The hints of a ``kind`` with their rows, in the order of the comparison, each key once."""
    found: dict[str, tuple[ReadHint, AlignedPassages]] = {}
    for row in (row for pair in comparison.pairs for row in pair.rows):
        place = "|".join("+".join(str(p.lines.first) for p in side) for side in (row.left, row.right))
        for difference in row.doubtful if doubtful else row.differences:
            if difference.kind == kind:
                for side, evidence in zip(("left", "right"), difference.evidence, strict=True):
                    for each in evidence:
                        hint = ReadHint(f"{kind} {side} {each.value} {place}", each.words)
                        found.setdefault(hint.key, (hint, row))
    return list(found.values())


def judgements(left: str, right: str) -> dict[str, bool]:
    """Whether a hint is right, by key: the two texts differ in it, something is missing, added or rendered by another term."""
    found: dict[str, list[str]] = yaml.safe_load((FOLDER / f"{left}--{right}.yaml").read_text(encoding="utf-8"))
    return {key: verdict == "right" for verdict, keys in found.items() for key in keys}
