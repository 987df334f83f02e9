"""What changed in a new version of a rulebook, as a report to read on the terminal and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from corpus.model import Correction, Entry, Passage
from glossary.comparison.changes import Became, Changes, EntryChange
from glossary.comparison.new_version import Care, Eye, Orphaned, Renewal
from glossary.comparison.passage_changes import Matched
from service.editions.check_report import finding_json

_CARE = {
    Care.CORRECTION_UNFIT: "Corrections whose line is not found again",
    Care.CONCEPT_LOST: "Entries that have lost their concept",
    Care.CONCEPT_FOLLOWED: "Concepts tied by text alone: confirm the heading in glossary/concepts",
    Care.PHRASINGS_ORPHANED: "Phrasings that lost their passage, and where they probably belong",
    Care.ENTRY_RENAMED: "Entries renamed",
    Care.ENTRY_DIVIDED: "Entries split or merged",
    Care.DOUBTFUL: "Passages reworded so much that they may be others",
    Care.NO_CONCEPT: "New entries without concept",
    Care.REFERENCE_LOST: "References that lead nowhere",
    Care.FINDING: "New findings of regula check",
}
_SHOWN = 20  # things of one kind that the report on the terminal lists


def summary(found: Changes) -> str:
    """The changes of entries counted in one line: "8 new, 1 gone, 12 changed"."""
    changed = sum(not {Became.NEW, Became.GONE, Became.SAME} & set(change.became) for change in found.entries)
    parts = [(found.counts[Became.NEW], "new"), (found.counts[Became.GONE], "gone"), (changed, "changed")]
    return ", ".join(f"{count} {what}" for count, what in parts if count) or "nothing changed"


def changes_json(renewal: Renewal) -> dict[str, Any]:
    """The report for programs. ``corrections`` and ``findings`` are null where nobody looked at them."""
    found = renewal.changes
    return {
        "left": found.left.id,
        "right": found.right.id,
        "summary": {
            "entries": {became.value: count for became, count in found.counts.items()},
            "passages": passage_counts(found.passages),
        },
        "entries": [_change_json(change) for change in found.entries if change.became != (Became.SAME,)],
        "concepts": {
            "carried": len(renewal.concepts),
            "lost": [{"concept": c, "left": _entry_json(old), "right": _entry_json(new)} for c, old, new in renewal.lost],
            "followed": [{"concept": c, "right": _entry_json(new)} for c, new in renewal.followed],
        },
        "phrasings": {
            "passages": len(renewal.phrased),
            "texts": _texts(renewal),
            "orphaned": [_orphaned_json(o) for o in renewal.orphaned],
        },
        "corrections": renewal.corrected
        and {
            "carried": len(renewal.corrected.carried),
            "moved": [{**_correction_json(was), "to": now.line} for was, now in renewal.corrected.moved],
            "unfit": [_correction_json(c) for c in renewal.corrected.unfit],
        },
        "unresolved": [{"line": r.line, "raw": r.raw} for r in renewal.unresolved],
        "findings": None if renewal.findings is None else [finding_json(f) for f in renewal.findings],
        "attention": [{"care": e.care.value, "left": e.left, "right": e.right, "what": e.what} for e in renewal.eyes],
    }


def passage_counts(passages: Iterable[Matched]) -> dict[str, int]:
    """How many passages are the same, reworded, new and gone."""
    counts = dict.fromkeys(("same", "reworded", "new", "gone"), 0)
    for m in passages:
        counts["same" if m.same else "reworded" if m.left and m.right else "new" if m.right else "gone"] += 1
    return counts


def _texts(renewal: Renewal) -> int:
    language = renewal.changes.right.language
    return sum(1 for p in renewal.phrased.values() for _ in p.all(language))


def _change_json(change: EntryChange) -> dict[str, Any]:
    return {
        "became": [became.value for became in change.became],
        "left": [_entry_json(e) for e in change.left],
        "right": [_entry_json(e) for e in change.right],
        "references": {"left": list(change.references[0]), "right": list(change.references[1])},
        "passages": [
            {"left": [_passage_json(p) for p in m.left], "right": [_passage_json(p) for p in m.right], "likeness": round(m.likeness, 3)}
            for m in change.passages
            if not m.same or _crosses(m, change)
        ],
    }


def _crosses(m: Matched, change: EntryChange) -> bool:
    """Whether a passage stands under another entry than before."""
    return m.left[0].entry != change.left[0].id or m.right[0].entry != change.right[0].id if change.left and change.right else True


def _entry_json(entry: Entry) -> dict[str, Any]:
    return {"entry": entry.id, "heading": entry.heading, "title": entry.title, "lines": list(entry.lines)}


def _passage_json(passage: Passage) -> dict[str, Any]:
    return {"passage": passage.id, "lines": list(passage.lines)}


def _orphaned_json(orphaned: Orphaned) -> dict[str, Any]:
    return {
        "fingerprint": orphaned.phrasings.fingerprint,
        "at": orphaned.phrasings.at,
        "left": _passage_json(orphaned.passage),
        "right": [_passage_json(p) for p in orphaned.home],
        "likeness": round(orphaned.likeness, 3),
    }


def _correction_json(correction: Correction) -> dict[str, Any]:
    return {"line": correction.line, "fault": correction.fault.value, "printed": correction.printed}


def as_text(renewal: Renewal) -> str:
    """The report for a terminal: what changed, what is carried over, what needs a human eye."""
    found = renewal.changes
    counts = "  ".join(f"{became.value} {count}" for became, count in found.counts.items() if count)
    passages = "  ".join(f"{name} {count}" for name, count in passage_counts(found.passages).items() if count)
    lines = [f"{found.left.id} → {found.right.id}", f"  entries    {counts}", f"  passages   {passages}"]
    lost = f", {len(renewal.lost)} lost" if renewal.lost else ""
    lines.append(f"  concepts   {len(renewal.concepts)} carried over ({len(renewal.followed)} by text alone){lost}")
    homeless = f", {len(renewal.orphaned)} lost their passage" if renewal.orphaned else ""
    lines.append(f"  phrasings  {_texts(renewal)} of {len(renewal.phrased)} passages carried over{homeless}")
    if c := renewal.corrected:
        lines.append(f"  corrections {len(c.carried)} apply ({len(c.moved)} at another line), {len(c.unfit)} do not")
    lines += ["", "Entries (lines of the old and of the new document)"]
    lines += [line for change in found.entries if change.became != (Became.SAME,) for line in _change(change)] or ["  nothing changed"]
    lines += ["", f"For a human eye: {len(renewal.eyes) or 'nothing'}"]
    for care, eyes in groupby(renewal.eyes, key=lambda e: e.care):
        lines += _cares(care, list(eyes))
    return "\n".join(lines)


def _change(change: EntryChange) -> Iterator[str]:
    told = ", ".join(became.value for became in change.became)
    yield f"  {_first(change.left):>5} → {_first(change.right):<5} {told}: {_headings(change)}"
    for m in change.passages:
        if change.left and change.right and (not m.same or _crosses(m, change)):
            alike = f"likeness {m.likeness:.2f}" if m.left and m.right else "new" if m.right else "gone"
            yield f"        {_line(m.left):>5} → {_line(m.right):<5} {'moved' if m.same else alike}"
    for what, names in zip(("no longer refers to", "now refers to"), change.references, strict=True):
        if names:
            yield f"        {what} {', '.join(names)}"


def _headings(change: EntryChange) -> str:
    sides = [" + ".join(e.title for e in side) for side in (change.left, change.right) if side]
    return " → ".join(dict.fromkeys(sides))


def _first(entries: tuple[Entry, ...]) -> str:
    return str(entries[0].lines.first) if entries else "–"


def _line(passages: tuple[Passage, ...]) -> str:
    return str(passages[0].lines.first) if passages else "–"


def _cares(care: Care, eyes: list[Eye]) -> Iterator[str]:
    yield f"  {_CARE[care]} ({len(eyes)})"
    for eye in eyes[:_SHOWN]:
        yield f"    {eye.left or '–':>5} → {eye.right or '–':<5} {eye.what}"
    if len(eyes) > _SHOWN:
        yield f"    … and {len(eyes) - _SHOWN} more (--json has all)"
