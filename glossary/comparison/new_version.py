"""A new version of a rulebook: what changed, which data of the last version apply to it, and what a person has to review."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TypeVar

from corpus.model import Correction, Entry, Kind, Passage
from corpus.rulings import load_rulings
from corpus.workspace import workspace
from glossary.check import Finding, FindingKind
from glossary.check.outdated_rulings import OutdatedRuling, RuleVersions
from glossary.comparison.changed_phrasings import ChangedPhrasings, changed_phrasings
from glossary.comparison.changes import ChangeKind, VersionChanges, compare_versions, references_by_entry
from glossary.concepts import ConceptTies
from glossary.model import Reference, ReferenceProblem, RulebookView
from glossary.phrasings import PassagePhrasings, attach_phrasings, load_with_sister_editions

DOUBTFUL = 0.6  # likeness under which two passages may as well be an old one that is gone and a new one

T = TypeVar("T")

_LISTED_OTHERWISE = (
    FindingKind.MISSING,
    FindingKind.CORRECTION_UNFIT,
    FindingKind.CONCEPT_UNFIT,
    FindingKind.NO_PHRASINGS,
    FindingKind.RULING_OUTDATED,
)  # findings listed under another name


class ReviewReason(StrEnum):
    """Why a person has to look at something, in the order in which it is listed."""

    CORRECTION_UNFIT = "correction-unfit"  # its line is not found again
    CONCEPT_LOST = "concept-lost"  # the entry is there and no longer tied to its concept
    CONCEPT_FOLLOWED = "concept-followed"  # tied by its text alone: confirm its heading in glossary/concepts
    PHRASINGS_ORPHANED = "phrasings-orphaned"  # their passage is gone, or too much of it changed
    PHRASINGS_CHANGED = "phrasings-changed"  # their passage has other numbers, a negation or a condition more or less
    RULING_OUTDATED = "ruling-outdated"  # a ruling outside the rulebook rests on a rule that changed or is gone
    ENTRY_RENAMED = "entry-renamed"
    ENTRY_DIVIDED = "entry-divided"  # split or merged
    DOUBTFUL = "doubtful"  # reworded so much that it may be another passage
    NO_CONCEPT = "no-concept"  # a new entry that is tied to nothing
    REFERENCE_LOST = "reference-lost"  # leads nowhere, and did not print so before
    FINDING = "finding"  # of `regula check`, and not of the old version


@dataclass(frozen=True)
class ReviewItem:
    """One thing to review: its ``subject``, and its line in the old and in the new document, None where it is not there."""

    reason: ReviewReason
    left: int | None
    right: int | None
    subject: str


@dataclass(frozen=True)
class OrphanedPhrasings:
    """Phrasings whose passage is no longer there, and the passages of the new version that they probably belong to."""

    phrasings: PassagePhrasings
    passage: Passage
    candidates: tuple[Passage, ...]
    likeness: float


@dataclass(frozen=True)
class CarriedCorrections:
    """The corrections of a new version: as written for the old one and as they apply, None where a line is not found again."""

    pairs: tuple[tuple[Correction, Correction | None], ...]

    @property
    def carried(self) -> tuple[Correction, ...]:
        """Those that apply, at their lines in the new version."""
        return tuple(now for _, now in self.pairs if now)

    @property
    def moved(self) -> tuple[tuple[Correction, Correction], ...]:
        """Those that apply at another line than written for."""
        return tuple((was, now) for was, now in self.pairs if now and now.line != was.line)

    @property
    def unfit(self) -> tuple[Correction, ...]:
        """Those that do not apply, as written."""
        return tuple(was for was, now in self.pairs if now is None)


@dataclass(frozen=True)
class NewVersion:
    """Two versions and what of the old one holds for the new.

    ``concepts`` are the ids of those carried over; ``lost`` those that are not although their entry is there, with the old
    entry and the new; ``followed`` the entries tied by their text alone, ``untied`` the new ones tied to nothing.
    ``phrased`` are phrasings by the id of the passage of the new version, ``rephrased`` those of them whose passage changed in substance.
    ``outdated`` are rulings outside the rulebook whose rule changed or is gone. ``corrected`` and ``findings`` are None where nobody
    looked at them.
    """

    changes: VersionChanges
    concepts: frozenset[str]
    lost: tuple[tuple[str, Entry, Entry], ...]
    inferred: tuple[tuple[str, Entry], ...]
    untied: tuple[Entry, ...]
    phrased: Mapping[str, PassagePhrasings]
    orphaned: tuple[OrphanedPhrasings, ...]
    rephrased: tuple[ChangedPhrasings, ...]
    outdated: tuple[OutdatedRuling, ...]
    unresolved: tuple[Reference, ...]
    corrected: CarriedCorrections | None
    findings: tuple[Finding, ...] | None

    @cached_property
    def review_items(self) -> tuple[ReviewItem, ...]:
        """What a person has to review, the most pressing first."""
        return tuple(_review_items(self))


def review_version(
    left: RulebookView,
    right: RulebookView,
    ties: ConceptTies,
    cards: Mapping[str, str],
    references: Sequence[Reference],
    corrected: CarriedCorrections | None = None,
    findings: tuple[Sequence[Finding], Sequence[Finding]] | None = None,
) -> NewVersion:
    """``right`` as a new version of ``left``, an edition in the same language; their entries have different ids.

    ``ties`` are the concepts of both, ``cards`` those of their rulings and errata by entry id, ``references`` those of
    both, ``findings`` what a check of each found.
    """
    found = compare_versions(left, right, {**cards, **ties.by_entry}, references_by_entry(references))
    before, now = ({ties.by_entry[e.id] for e in rulebook.entries if e.id in ties.by_entry} for rulebook in (left, right))
    phrased, orphaned = _phrasings(left, right, found)
    new = [e for change in found.entries if ChangeKind.NEW in change.kinds for e in change.right]
    nowhere = [_unresolved(rulebook, references) for rulebook in (left, right)]
    return NewVersion(
        changes=found,
        concepts=frozenset(before & now),
        lost=tuple(
            (ties.by_entry[e.id], e, found.counterpart[e.id])
            for e in left.entries
            if e.id in found.counterpart and ties.by_entry.get(e.id, "") in before - now
        ),
        inferred=tuple((ties.by_entry[e.id], e) for e in right.entries if e.id in ties.inferred),
        untied=tuple(e for e in new if e.kind in (Kind.TERM, Kind.REDIRECT) and e.id not in ties.by_entry) if before else (),
        phrased=phrased,
        orphaned=tuple(orphaned),
        rephrased=tuple(each for each in changed_phrasings([right], [left]) if each.changes),
        outdated=tuple(_outdated(left, right, found)),
        unresolved=tuple(_new(nowhere[0], nowhere[1], lambda r: r.raw)),
        corrected=corrected,
        findings=None if findings is None else tuple(_new(findings[0], findings[1], lambda f: (f.kind, f.printed, f.meant))),
    )


def _outdated(left: RulebookView, right: RulebookView, found: VersionChanges) -> Iterator[OutdatedRuling]:
    """The rulings of the game that rest on rules of ``left`` which ``right`` has otherwise, or no more."""
    rulings = [ruling for ruling in load_rulings(right.edition.game, workspace()).rulings if ruling.bases]
    if rulings:
        versions, before = RuleVersions([left, right], found.counterpart), RuleVersions([left])
        for each in versions.outdated(rulings):
            then, now = (known.current_rule(each.ruling, each.basis) for known in (before, versions))
            if each.edition == right.edition.id and (then and then[1]) != (now and now[1]):
                yield each


def _unresolved(rulebook: RulebookView, references: Iterable[Reference]) -> list[Reference]:
    own = {entry.id for entry in rulebook.entries}
    return [r for r in references if r.entry in own and r.problem is ReferenceProblem.MISSING]


def _new(before: Iterable[T], now: Iterable[T], name: Callable[[T], Hashable]) -> Iterator[T]:
    """Those of ``now`` that ``before`` has not, by their ``name``, each as often."""
    known = Counter(map(name, before))
    for thing in now:
        if known[name(thing)] > 0:
            known[name(thing)] -= 1
        else:
            yield thing


def _phrasings(
    left: RulebookView, right: RulebookView, found: VersionChanges
) -> tuple[Mapping[str, PassagePhrasings], list[OrphanedPhrasings]]:
    """The phrasings of the new version's passages by passage id, and those that only the old version has a passage for."""
    phrasings = load_with_sister_editions(right.edition)
    there = attach_phrasings(phrasings, right.passages).by_passage
    carried = {p.fingerprint for p in there.values()}
    became = {p.id: m for m in found.passages for p in m.left}
    orphaned: dict[str, OrphanedPhrasings] = {}
    passages = {p.id: p for p in left.passages}
    for id, own in attach_phrasings(phrasings, left.passages).by_passage.items():
        if own.fingerprint not in carried:
            m = became.get(id)
            orphaned.setdefault(own.fingerprint, OrphanedPhrasings(own, passages[id], m.right if m else (), m.likeness if m else 0.0))
    return there, list(orphaned.values())


def _review_items(renewal: NewVersion) -> Iterator[ReviewItem]:
    for c in renewal.corrected.unfit if renewal.corrected else ():
        yield ReviewItem(ReviewReason.CORRECTION_UNFIT, c.line, None, f"{c.fault.value}: {c.printed}")
    for concept, old, new in renewal.lost:
        yield ReviewItem(ReviewReason.CONCEPT_LOST, old.lines.first, new.lines.first, f"{concept}: {old.heading} → {new.heading}")
    for concept, new in renewal.inferred:
        yield ReviewItem(ReviewReason.CONCEPT_FOLLOWED, None, new.lines.first, f"{concept}: {new.heading}")
    for o in renewal.orphaned:
        home = f"{o.candidates[0].id.partition('/')[2]}, likeness {o.likeness:.2f}" if o.candidates else "nowhere"
        first = o.candidates[0].lines.first if o.candidates else None
        yield ReviewItem(
            ReviewReason.PHRASINGS_ORPHANED, o.passage.lines.first, first, f'"{o.phrasings.fingerprint}" {o.phrasings.at} → {home}'
        )
    for each in renewal.rephrased:
        what = f'"{each.tie.phrasings.fingerprint}" {each.passage.id.partition("/")[2]}: {", ".join(each.changes)}'
        yield ReviewItem(ReviewReason.PHRASINGS_CHANGED, each.old.lines.first if each.old else None, each.passage.lines.first, what)
    for outdated in renewal.outdated:
        then, now = (entry.lines.first if entry else None for entry in (outdated.before, outdated.entry))
        yield ReviewItem(ReviewReason.RULING_OUTDATED, then, now, f"{outdated.ruling.id} ({outdated.change}: {outdated.basis.rule})")
    yield from _entries(renewal.changes)
    for m in renewal.changes.passages:
        if m.left and m.right and m.likeness < DOUBTFUL:
            what = f"{m.left[0].entry.partition('/')[2]}, likeness {m.likeness:.2f}"
            yield ReviewItem(ReviewReason.DOUBTFUL, m.left[0].lines.first, m.right[0].lines.first, what)
    for entry in renewal.untied:
        yield ReviewItem(ReviewReason.NO_CONCEPT, None, entry.lines.first, entry.heading)
    for r in renewal.unresolved:
        yield ReviewItem(ReviewReason.REFERENCE_LOST, None, r.line, r.raw)
    for f in renewal.findings or ():
        if f.kind not in _LISTED_OTHERWISE:
            yield ReviewItem(ReviewReason.FINDING, None, f.line, f"{f.kind.value}: {f.printed}" + (f" → {f.meant}" if f.meant else ""))


def _entries(found: VersionChanges) -> Iterator[ReviewItem]:
    for change in found.entries:
        if ChangeKind.RENAMED in change.kinds:
            names = f"{change.left[0].heading} → {change.right[0].heading}"
            yield ReviewItem(ReviewReason.ENTRY_RENAMED, change.left[0].lines.first, change.right[0].lines.first, names)
    for change in found.entries:
        if ChangeKind.SPLIT in change.kinds or ChangeKind.MERGED in change.kinds:
            names = " → ".join(" + ".join(e.heading for e in side) for side in (change.left, change.right))
            yield ReviewItem(ReviewReason.ENTRY_DIVIDED, change.left[0].lines.first, change.right[0].lines.first, names)
