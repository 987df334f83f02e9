"""The findings of the check: `FindingOut` for programs, a report for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from corpus.model import Rulebook
from glossary.check import FINDING_TITLES, Certainty, Finding, FindingKind, Origin, TieChecker, check_rulebook
from glossary.references import find as find_references
from service.editions.finding_reasons import origin_reason, reason_text
from service.schemas.comparisons import FindingOut


def check_editions(
    rulebooks: Sequence[Rulebook], edition: str | None = None, origin: Origin | None = None
) -> Iterator[tuple[Rulebook, tuple[Finding, ...]]]:
    """Yield each of ``rulebooks``, or the one of ``edition``, with its findings, all of them or those of one ``origin``."""
    ties = TieChecker(rulebooks)
    for rulebook in rulebooks:
        if edition in (None, rulebook.edition.id):
            found = check_rulebook(rulebook, rulebooks, find_references(rulebook, rulebooks), ties)
            yield rulebook, tuple(finding for finding in found if origin in (None, finding.origin))


def finding_out(finding: Finding) -> FindingOut:
    """Return something that is wrong in print."""
    return FindingOut(
        edition=finding.edition,
        line=finding.line,
        sort=finding.kind,
        printed=finding.printed,
        meant=finding.meant,
        certainty=finding.certainty,
        why=reason_text(finding.why),
        origin=finding.origin,
        origin_why=origin_reason(finding.origin_why),
    )


def findings_text(rulebook: Rulebook, found: Sequence[Finding]) -> str:
    """Return the findings of one rulebook by kind: line, certainty, what is printed, what is meant, why, and the origin."""
    edition = rulebook.edition
    counts = Counter(finding.certainty for finding in found)
    summary = ", ".join(f"{counts[c]} {c.value}" for c in Certainty if counts[c]) or "nothing found"
    lines = [f"{edition.full_title} ({edition.id}, from {rulebook.document.file}): {summary}"]
    for kind, group in groupby(found, key=lambda finding: finding.kind):
        lines += ["", *_kind_lines(kind, list(group))]
    return "\n".join(lines)


def _kind_lines(kind: FindingKind, found: Sequence[Finding]) -> Iterator[str]:
    yield f"  {FINDING_TITLES[kind]} ({len(found)})"
    for finding in found:
        place = f"{finding.line:6}" if finding.line is not None else "      "
        meant = f" → {finding.meant}" if finding.meant is not None else ""
        yield f"  {place}  {finding.certainty.value:8}  {finding.printed}{meant}  ({reason_text(finding.why)}) [{finding.origin.value}]"
