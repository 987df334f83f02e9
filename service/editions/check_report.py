"""What is wrong in the rulebooks themselves, as a report to read on the terminal and as JSON for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from corpus.model import Rulebook
from glossary.check import TITLES, Certainty, Finding, Sort, check
from glossary.references import find


def findings(rulebooks: Sequence[Rulebook], edition: str | None = None) -> Iterator[tuple[Rulebook, tuple[Finding, ...]]]:
    """Each of ``rulebooks``, or the one of ``edition``, with its findings."""
    for rulebook in rulebooks:
        if edition in (None, rulebook.edition.id):
            yield rulebook, check(rulebook, rulebooks, find(rulebook, rulebooks))


def finding_json(finding: Finding) -> dict[str, Any]:
    """``finding`` as JSON has it."""
    return {
        "edition": finding.edition,
        "line": finding.line,
        "sort": finding.sort.value,
        "printed": finding.printed,
        "meant": finding.meant,
        "certainty": finding.certainty.value,
        "why": finding.why,
    }


def as_text(rulebook: Rulebook, found: Sequence[Finding]) -> str:
    """The findings of one rulebook, grouped by sort; each with its line, what is printed, what is meant, how sure, and why."""
    edition = rulebook.edition
    counts = Counter(finding.certainty for finding in found)
    told = ", ".join(f"{counts[c]} {c.value}" for c in Certainty if counts[c]) or "nothing found"
    lines = [f"{edition.title} {edition.version} ({edition.id}, from {rulebook.document.file}): {told}"]
    for sort, group in groupby(found, key=lambda finding: finding.sort):
        lines += ["", *_group(sort, list(group))]
    return "\n".join(lines)


def _group(sort: Sort, found: Sequence[Finding]) -> Iterator[str]:
    yield f"  {TITLES[sort]} ({len(found)})"
    for finding in found:
        place = f"{finding.line:6}" if finding.line is not None else "      "
        meant = f" → {finding.meant}" if finding.meant is not None else ""
        yield f"  {place}  {finding.certainty.value:8}  {finding.printed}{meant}  ({finding.why})"
