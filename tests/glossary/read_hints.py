"""List the likely QA warnings of a comparison, and the judgements of readers of both languages."""

from __future__ import annotations

from pathlib import Path

import yaml

from glossary.comparison import EditionComparison

FOLDER = Path(__file__).parent / "hints"


def hint_keys(comparison: EditionComparison, kind: str) -> list[str]:
    """Return the keys of the likely warnings of a ``kind``, in the order of the comparison, each
    once.

    A key identifies a value that only one side has, by kind, side, value and the first lines of the
    passages.
    """
    found: dict[str, None] = {}
    for row in (row for pair in comparison.pairs for row in pair.rows):
        place = "|".join(
            "+".join(str(p.lines.first) for p in side) for side in (row.left, row.right)
        )
        for difference in row.differences:
            if difference.kind == kind:
                for side, evidence in zip(("left", "right"), difference.evidence, strict=True):
                    found.update(
                        dict.fromkeys(f"{kind} {side} {each.value} {place}" for each in evidence)
                    )
    return list(found)


def judgements(left: str, right: str) -> dict[str, bool]:
    """Return by key whether a warning is right: the two texts differ there, because something is
    missing, added or translated by another term.
    """
    found: dict[str, list[str]] = yaml.safe_load(
        (FOLDER / f"{left}--{right}.yaml").read_text(encoding="utf-8")
    )
    return {key: verdict == "right" for verdict, keys in found.items() for key in keys}
