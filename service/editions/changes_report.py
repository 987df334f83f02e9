"""What changed in a new version of a rulebook: `ChangesOut` for programs, a report for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from corpus.model import Correction, Entry, Passage
from glossary.comparison.new_version import (
    ChangeKind,
    EntryChange,
    NewVersion,
    OrphanedPhrasings,
    PassageMatch,
    ReviewItem,
    ReviewReason,
    VersionChanges,
)
from service.editions.check_report import finding_out
from service.editions.comparison import compared_entry_out
from service.schemas.comparisons import (
    AttentionOut,
    ChangedConceptsOut,
    ChangedCorrectionsOut,
    ChangedPassageOut,
    ChangedPhrasingsOut,
    ChangeOut,
    ChangesOut,
    ChangeSummaryOut,
    CorrectionOut,
    FollowedConceptOut,
    LostConceptOut,
    MatchedOut,
    OrphanedPhrasingsOut,
    SidesOut,
    UnresolvedOut,
)

_REASON_TITLES = {
    ReviewReason.CORRECTION_UNFIT: "Corrections whose line is not found again",
    ReviewReason.CONCEPT_LOST: "Entries that have lost their concept",
    ReviewReason.CONCEPT_FOLLOWED: "Concepts tied by text alone: confirm the heading in glossary/concepts",
    ReviewReason.PHRASINGS_ORPHANED: "Phrasings that lost their passage, and where they probably belong",
    ReviewReason.PHRASINGS_CHANGED: "Phrasings whose passage changed in substance: see 'regula phrasings changed'",
    ReviewReason.RULING_OUTDATED: "Rulings outside the rulebook whose rule has changed or is gone",
    ReviewReason.ENTRY_RENAMED: "Entries renamed",
    ReviewReason.ENTRY_DIVIDED: "Entries split or merged",
    ReviewReason.DOUBTFUL: "Passages reworded so much that they may be others",
    ReviewReason.NO_CONCEPT: "New entries without concept",
    ReviewReason.REFERENCE_LOST: "References that lead nowhere",
    ReviewReason.FINDING: "New findings of regula check",
}
_SHOWN = 20  # items of one reason that the report for a terminal lists


def changes_summary(changes: VersionChanges) -> str:
    """Return the number of changed entries in one line: "8 new, 1 gone, 12 changed"."""
    changed = sum(not {ChangeKind.NEW, ChangeKind.GONE, ChangeKind.SAME} & set(change.kinds) for change in changes.entries)
    parts = [(changes.counts[ChangeKind.NEW], "new"), (changes.counts[ChangeKind.GONE], "gone"), (changed, "changed")]
    return ", ".join(f"{count} {what}" for count, what in parts if count) or "nothing changed"


def passage_counts(passages: Iterable[PassageMatch]) -> dict[str, int]:
    """Return how many passages are the same, reworded, new and gone."""
    counts = dict.fromkeys(("same", "reworded", "new", "gone"), 0)
    for match in passages:
        counts["same" if match.same_words else "reworded" if match.left and match.right else "new" if match.right else "gone"] += 1
    return counts


def changes_out(version: NewVersion) -> ChangesOut:
    """Return what changed in a new version. ``corrections`` and ``findings`` are None where they were not looked at."""
    changes = version.changes
    return ChangesOut(
        left=changes.left.id,
        right=changes.right.id,
        summary=ChangeSummaryOut(
            entries={kind.value: count for kind, count in changes.counts.items()}, passages=passage_counts(changes.passages)
        ),
        entries=[_change_out(change) for change in changes.entries if change.kinds != (ChangeKind.SAME,)],
        concepts=_changed_concepts_out(version),
        phrasings=ChangedPhrasingsOut(
            passages=len(version.phrased),
            texts=_phrasing_count(version),
            orphaned=[_orphaned_phrasings_out(each) for each in version.orphaned],
        ),
        corrections=_changed_corrections_out(version),
        unresolved=[UnresolvedOut(line=reference.line, raw=reference.raw) for reference in version.unresolved],
        findings=None if version.findings is None else [finding_out(finding) for finding in version.findings],
        attention=[AttentionOut(care=each.reason, left=each.left, right=each.right, what=each.subject) for each in version.review_items],
    )


def _phrasing_count(version: NewVersion) -> int:
    language = version.changes.right.language
    return sum(1 for phrasings in version.phrased.values() for _ in phrasings.all(language))


def _change_out(change: EntryChange) -> ChangeOut:
    return ChangeOut(
        became=list(change.kinds),
        left=[compared_entry_out(entry) for entry in change.left],
        right=[compared_entry_out(entry) for entry in change.right],
        references=SidesOut(left=list(change.references[0]), right=list(change.references[1])),
        passages=[_matched_out(match) for match in change.passages if not match.same_words or _changes_entry(match, change)],
    )


def _matched_out(match: PassageMatch) -> MatchedOut:
    return MatchedOut(
        left=[_changed_passage_out(passage) for passage in match.left],
        right=[_changed_passage_out(passage) for passage in match.right],
        likeness=round(match.likeness, 3),
    )


def _changes_entry(match: PassageMatch, change: EntryChange) -> bool:
    """Whether a passage stands under another entry than before."""
    if not (change.left and change.right):
        return True
    return match.left[0].entry != change.left[0].id or match.right[0].entry != change.right[0].id


def _changed_passage_out(passage: Passage) -> ChangedPassageOut:
    return ChangedPassageOut(passage=passage.id, lines=list(passage.lines))


def _changed_concepts_out(version: NewVersion) -> ChangedConceptsOut:
    return ChangedConceptsOut(
        carried=len(version.concepts),
        lost=[
            LostConceptOut(concept=concept, left=compared_entry_out(old), right=compared_entry_out(new))
            for concept, old, new in version.lost
        ],
        followed=[FollowedConceptOut(concept=concept, right=compared_entry_out(new)) for concept, new in version.inferred],
    )


def _orphaned_phrasings_out(orphaned: OrphanedPhrasings) -> OrphanedPhrasingsOut:
    return OrphanedPhrasingsOut(
        fingerprint=orphaned.phrasings.fingerprint,
        at=orphaned.phrasings.at,
        left=_changed_passage_out(orphaned.passage),
        right=[_changed_passage_out(passage) for passage in orphaned.candidates],
        likeness=round(orphaned.likeness, 3),
    )


def _changed_corrections_out(version: NewVersion) -> ChangedCorrectionsOut | None:
    corrected = version.corrected
    if corrected is None:
        return None
    return ChangedCorrectionsOut(
        carried=len(corrected.carried),
        moved=[_correction_out(old, to=new.line) for old, new in corrected.moved],
        unfit=[_correction_out(correction) for correction in corrected.unfit],
    )


def _correction_out(correction: Correction, to: int | None = None) -> CorrectionOut:
    return CorrectionOut(line=correction.line, fault=correction.fault, printed=correction.printed, to=to)


def changes_text(version: NewVersion) -> str:
    """Return the report for a terminal: what changed, what is carried over, what a person has to look at."""
    changes = version.changes
    lines = [*_overview(version), "", "Entries (lines of the old and of the new document)"]
    changed = [change for change in changes.entries if change.kinds != (ChangeKind.SAME,)]
    lines += [line for change in changed for line in _change_lines(change)] or ["  nothing changed"]
    lines += ["", f"For a human eye: {len(version.review_items) or 'nothing'}"]
    for reason, items in groupby(version.review_items, key=lambda item: item.reason):
        lines += _review_lines(reason, list(items))
    return "\n".join(lines)


def _overview(version: NewVersion) -> Iterator[str]:
    """Yield how many entries and passages became what, and how much of what is known of the old version holds for the new."""
    changes = version.changes
    yield f"{changes.left.id} → {changes.right.id}"
    yield f"  entries    {'  '.join(f'{kind.value} {count}' for kind, count in changes.counts.items() if count)}"
    yield f"  passages   {'  '.join(f'{name} {count}' for name, count in passage_counts(changes.passages).items() if count)}"
    lost = f", {len(version.lost)} lost" if version.lost else ""
    yield f"  concepts   {len(version.concepts)} carried over ({len(version.inferred)} by text alone){lost}"
    orphaned = f", {len(version.orphaned)} lost their passage" if version.orphaned else ""
    yield f"  phrasings  {_phrasing_count(version)} of {len(version.phrased)} passages carried over{orphaned}"
    if corrected := version.corrected:
        moved = f"{len(corrected.moved)} at another line"
        yield f"  corrections {len(corrected.carried)} apply ({moved}), {len(corrected.unfit)} do not"


def _change_lines(change: EntryChange) -> Iterator[str]:
    kinds = ", ".join(kind.value for kind in change.kinds)
    yield f"  {_first_line(change.left):>5} → {_first_line(change.right):<5} {kinds}: {_titles(change)}"
    for match in change.passages:
        if change.left and change.right and (not match.same_words or _changes_entry(match, change)):
            likeness = f"likeness {match.likeness:.2f}" if match.left and match.right else "new" if match.right else "gone"
            yield f"        {_first_line(match.left):>5} → {_first_line(match.right):<5} {'moved' if match.same_words else likeness}"
    for what, names in zip(("no longer refers to", "now refers to"), change.references, strict=True):
        if names:
            yield f"        {what} {', '.join(names)}"


def _titles(change: EntryChange) -> str:
    """Return the titles of both sides, or of one where they are the same: "Attack → Attack + Defense"."""
    sides = [" + ".join(entry.title for entry in side) for side in (change.left, change.right) if side]
    return " → ".join(dict.fromkeys(sides))


def _first_line(things: tuple[Entry, ...] | tuple[Passage, ...]) -> str:
    return str(things[0].lines.first) if things else "–"


def _review_lines(reason: ReviewReason, items: list[ReviewItem]) -> Iterator[str]:
    yield f"  {_REASON_TITLES[reason]} ({len(items)})"
    for item in items[:_SHOWN]:
        yield f"    {item.left or '–':>5} → {item.right or '–':<5} {item.subject}"
    if len(items) > _SHOWN:
        yield f"    … and {len(items) - _SHOWN} more (--json has all)"
