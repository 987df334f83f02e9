"""Review a new version of a rulebook: what became of entries and passages, which data still apply,
and what a person has to check.
"""

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
from glossary.comparison.rewording import ChangedPhrasings, changed_phrasings
from glossary.comparison.version_changes import (
    ChangeKind,
    VersionChanges,
    compare_versions,
    references_by_entry,
)
from glossary.concepts import ConceptTies
from glossary.model import Reference, ReferenceProblem, RulebookView
from glossary.query_variants import (
    PassageVariants,
    attach_query_variants,
    load_with_sister_editions,
)

DOUBTFUL = 0.6  # likeness under which a reworded passage may as well be another one

T = TypeVar("T")


_LISTED_OTHERWISE = {  # findings that have a reason of their own
    FindingKind.MISSING,
    FindingKind.CORRECTION_UNFIT,
    FindingKind.CONCEPT_UNFIT,
    FindingKind.NO_PHRASINGS,
    FindingKind.RULING_OUTDATED,
}


class ReviewReason(StrEnum):
    """The reasons for a review by a person, in the order in which they are listed."""

    CORRECTION_UNFIT = "correction-unfit"  # its line is not found again
    CONCEPT_LOST = "concept-lost"  # the entry still exists, but has lost its concept
    CONCEPT_FOLLOWED = "concept-followed"  # found by text: confirm its heading in glossary/concepts
    PHRASINGS_ORPHANED = "phrasings-orphaned"  # their passage is gone, or too much of it changed
    # Their passage has other numbers, negations, conditions
    PHRASINGS_CHANGED = "phrasings-changed"
    RULING_OUTDATED = "ruling-outdated"  # it rests on a rule that changed or is gone
    SUBSTANCE = "substance"  # a rule that most likely says something else than before
    TERM_RENAMED = "term-renamed"  # words that are replaced throughout
    ENTRY_RENAMED = "entry-renamed"
    ENTRY_DIVIDED = "entry-divided"  # split or merged
    DOUBTFUL = "doubtful"  # reworded so much that it may be another passage
    NO_CONCEPT = "no-concept"  # a new entry without a concept
    REFERENCE_SHIFTED = "reference-shifted"  # its number now is that of another rule
    REFERENCE_LOST = "reference-lost"  # leads nowhere, unlike in the old version
    FINDING = "finding"  # a new finding of `regula check`


@dataclass(frozen=True)
class ReviewItem:
    """One thing to review: its ``subject``, and its line in the old and new document, or None."""

    reason: ReviewReason
    left: int | None
    right: int | None
    subject: str


@dataclass(frozen=True)
class OrphanedPhrasings:
    """Query variants whose passage is gone, and the new passages they probably belong to."""

    phrasings: PassageVariants
    passage: Passage
    candidates: tuple[Passage, ...]
    likeness: float


@dataclass(frozen=True)
class ShiftedReference:
    """A reference that is printed as before but now leads to another entry.

    ``meant`` is its old target, ``followed`` what became of that (None if it is gone), ``means``
    its new target.
    """

    before: Reference
    now: Reference
    meant: Entry
    followed: Entry | None
    means: Entry


@dataclass(frozen=True)
class CarriedCorrections:
    """The corrections of a new version: as written for the old one, and as they apply now; None if
    the line is not found again.
    """

    pairs: tuple[tuple[Correction, Correction | None], ...]

    @property
    def carried(self) -> tuple[Correction, ...]:
        """The corrections that apply, at their lines in the new version."""
        return tuple(now for _, now in self.pairs if now)

    @property
    def moved(self) -> tuple[tuple[Correction, Correction], ...]:
        """The corrections that apply at another line than written."""
        return tuple((was, now) for was, now in self.pairs if now and now.line != was.line)

    @property
    def unfit(self) -> tuple[Correction, ...]:
        """The corrections that do not apply, as written."""
        return tuple(was for was, now in self.pairs if now is None)


@dataclass(frozen=True)
class NewVersion:
    """Two versions of a rulebook, and which data of the old one hold for the new one.

    Attributes:
        concepts: The ids of concepts carried over.
        lost: Concepts not carried over although their entry exists, with old and new entry.
        inferred: Concepts of entries that were assigned by their text alone, with the entry.
        untied: New entries without a concept.
        phrased: Query variants by the passage id in the new version.
        rephrased: Query variants whose passage changed in substance.
        outdated: Rulings outside the rulebook whose rule changed or is gone.
        corrected: The corrections; None if not checked.
        findings: The new findings of a check; None if not checked.
    """

    changes: VersionChanges
    concepts: frozenset[str]
    lost: tuple[tuple[str, Entry, Entry], ...]
    inferred: tuple[tuple[str, Entry], ...]
    untied: tuple[Entry, ...]
    phrased: Mapping[str, PassageVariants]
    orphaned: tuple[OrphanedPhrasings, ...]
    rephrased: tuple[ChangedPhrasings, ...]
    outdated: tuple[OutdatedRuling, ...]
    unresolved: tuple[Reference, ...]
    shifted: tuple[ShiftedReference, ...]
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
    """Return the review of ``right`` as a new version of ``left``, in the same language; their
    entries have different ids.

    ``ties`` are the concepts of both, ``cards`` the concept ids of their rulings and errata by
    entry id, ``references`` the references of both, ``findings`` the results of a check of each.
    """
    found = compare_versions(
        left, right, {**cards, **ties.by_entry}, references_by_entry(references)
    )
    before, now = (
        {ties.by_entry[e.id] for e in rulebook.entries if e.id in ties.by_entry}
        for rulebook in (left, right)
    )
    new = [e for change in found.entries if ChangeKind.NEW in change.kinds for e in change.right]
    terms = [e for e in new if e.kind in (Kind.TERM, Kind.REDIRECT) and e.id not in ties.by_entry]
    phrasings = load_with_sister_editions(right.edition)
    phrased = attach_query_variants(phrasings, right.passages).by_passage
    nowhere = [
        [r for r in references if r.entry in entries and r.problem is ReferenceProblem.MISSING]
        for entries in ({e.id for e in rulebook.entries} for rulebook in (left, right))
    ]
    return NewVersion(
        changes=found,
        concepts=frozenset(before & now),
        lost=tuple(
            (ties.by_entry[e.id], e, found.counterpart[e.id])
            for e in left.entries
            if e.id in found.counterpart and ties.by_entry.get(e.id, "") in before - now
        ),
        inferred=tuple((ties.by_entry[e.id], e) for e in right.entries if e.id in ties.inferred),
        untied=tuple(terms) if before else (),
        phrased=phrased,
        orphaned=tuple(_orphaned(left, phrasings, phrased, found)),
        rephrased=tuple(each for each in changed_phrasings([right], [left]) if each.changes),
        outdated=tuple(_outdated(left, right, found)),
        shifted=tuple(_shifted(left, right, found, references_by_entry(references))),
        unresolved=tuple(_new(nowhere[0], nowhere[1], lambda r: r.raw)),
        corrected=corrected,
        findings=tuple(_new(*findings, lambda f: (f.kind, f.printed, f.meant)))
        if findings
        else None,
    )


def _orphaned(
    left: RulebookView,
    phrasings: Iterable[PassageVariants],
    phrased: Mapping[str, PassageVariants],
    found: VersionChanges,
) -> Iterator[OrphanedPhrasings]:
    """Yield the query variants that only the old version has a passage for."""
    carried = {variants.fingerprint for variants in phrased.values()}
    became = {p.id: match for match in found.passages for p in match.left}
    for id, own in attach_query_variants(phrasings, left.passages).by_passage.items():
        if id in became and own.fingerprint not in carried:
            carried.add(own.fingerprint)
            match = became[id]
            passage = next(p for p in match.left if p.id == id)
            yield OrphanedPhrasings(own, passage, match.right, match.likeness)


def _outdated(
    left: RulebookView, right: RulebookView, found: VersionChanges
) -> Iterator[OutdatedRuling]:
    """Yield the rulings that rest on rules of ``left`` which ``right`` changed or dropped."""
    rulings = [r for r in load_rulings(right.edition.game, workspace()).rulings if r.bases]
    versions, before = RuleVersions([left, right], found.counterpart), RuleVersions([left])
    for each in versions.outdated(rulings):
        then, now = (known.current_rule(each.ruling, each.basis) for known in (before, versions))
        if each.edition == right.edition.id and (then and then[1]) != (now and now[1]):
            yield each


def _shifted(
    left: RulebookView,
    right: RulebookView,
    found: VersionChanges,
    references: Mapping[str, Sequence[Reference]],
) -> Iterator[ShiftedReference]:
    """Yield the references whose printed number now belongs to a different rule than before."""
    old, new = ({entry.id: entry for entry in book.entries} for book in (left, right))
    for change in found.entries:
        before = {
            reference.raw: reference
            for entry in change.left
            for reference in references.get(entry.id, ())
            if reference.target in old
        }
        for entry in change.right:
            for now in references.get(entry.id, ()):
                then = before.get(now.raw)
                if then and then.target and now.target in new:
                    meant, means = old[then.target], new[now.target]
                    followed = found.counterpart.get(meant.id)
                    if followed != means and meant.number and meant.number == means.number:
                        yield ShiftedReference(then, now, meant, followed, means)


def _new(before: Iterable[T], now: Iterable[T], name: Callable[[T], Hashable]) -> Iterator[T]:
    """Yield the items of ``now`` that are not in ``before``, compared by ``name`` and counted."""
    known = Counter(map(name, before))
    for thing in now:
        if known[name(thing)] > 0:
            known[name(thing)] -= 1
        else:
            yield thing


def _review_items(version: NewVersion) -> Iterator[ReviewItem]:
    """Yield what a person has to review, by reason."""
    changes = version.changes
    for correction in version.corrected.unfit if version.corrected else ():
        what = f"{correction.fault.value}: {correction.printed}"
        yield ReviewItem(ReviewReason.CORRECTION_UNFIT, correction.line, None, what)
    for concept, old, new in version.lost:
        what = f"{concept}: {old.heading} → {new.heading}"
        yield ReviewItem(ReviewReason.CONCEPT_LOST, old.lines.first, new.lines.first, what)
    for concept, new in version.inferred:
        what = f"{concept}: {new.heading}"
        yield ReviewItem(ReviewReason.CONCEPT_FOLLOWED, None, new.lines.first, what)
    for orphan in version.orphaned:
        first = next(iter(orphan.candidates), None)
        home = f"{_slug(first.id)}, likeness {orphan.likeness:.2f}" if first else "nowhere"
        yield ReviewItem(
            ReviewReason.PHRASINGS_ORPHANED,
            orphan.passage.lines.first,
            _line(first),
            f'"{orphan.phrasings.fingerprint}" {orphan.phrasings.at} → {home}',
        )
    for each in version.rephrased:
        what = f'"{each.tie.variants.fingerprint}" {_slug(each.passage.id)}: '
        yield ReviewItem(
            ReviewReason.PHRASINGS_CHANGED,
            _line(each.old),
            each.passage.lines.first,
            what + ", ".join(each.changes),
        )
    for outdated in version.outdated:
        what = f"{outdated.ruling.id} ({outdated.change}: {outdated.basis.rule})"
        lines = _line(outdated.before), _line(outdated.entry)
        yield ReviewItem(ReviewReason.RULING_OUTDATED, *lines, what)
    for match in changes.passages:
        if match.substance:
            what = f"{_slug((match.right or match.left)[0].entry)}: {', '.join(match.substance)}"
            lines = _line(next(iter(match.left), None)), _line(next(iter(match.right), None))
            yield ReviewItem(ReviewReason.SUBSTANCE, *lines, what)
    for renaming in changes.renamed:
        what = f"{renaming.left} → {renaming.right}: {len(renaming.places)} passages"
        place = renaming.places[0]
        lines = _line(place.left[0]), _line(place.right[0])
        if renaming.entries:
            lines = _line(renaming.entries[0]), _line(renaming.entries[1])
        yield ReviewItem(ReviewReason.TERM_RENAMED, *lines, what)
    headed = {renaming.entries for renaming in changes.renamed}
    for change in changes.entries:
        if ChangeKind.RENAMED in change.kinds:
            old, new = change.left[0], change.right[0]
            if (old, new) in headed:
                continue
            what = f"{old.heading} → {new.heading}"
            yield ReviewItem(ReviewReason.ENTRY_RENAMED, old.lines.first, new.lines.first, what)
    for change in changes.entries:
        if {ChangeKind.SPLIT, ChangeKind.MERGED}.intersection(change.kinds):
            was, now = (" + ".join(e.heading for e in side) for side in (change.left, change.right))
            lines = _line(change.left[0]), _line(change.right[0])
            yield ReviewItem(ReviewReason.ENTRY_DIVIDED, *lines, f"{was} → {now}")
    for match in changes.passages:
        if match.left and match.right and match.likeness < DOUBTFUL:
            what = f"{_slug(match.left[0].entry)}, likeness {match.likeness:.2f}"
            lines = _line(match.left[0]), _line(match.right[0])
            yield ReviewItem(ReviewReason.DOUBTFUL, *lines, what)
    for entry in version.untied:
        yield ReviewItem(ReviewReason.NO_CONCEPT, None, entry.lines.first, entry.heading)
    for shifted in version.shifted:
        followed = shifted.followed
        home = f"{followed.number or followed.title} now" if followed else "gone"
        what = f"{shifted.now.raw}: what it meant is {home}"
        lines = shifted.before.line, shifted.now.line
        yield ReviewItem(ReviewReason.REFERENCE_SHIFTED, *lines, what)
    for reference in version.unresolved:
        yield ReviewItem(ReviewReason.REFERENCE_LOST, None, reference.line, reference.raw)
    for finding in version.findings or ():
        if finding.kind not in _LISTED_OTHERWISE:
            what = f"{finding.kind.value}: {finding.printed}"
            what += f" → {finding.meant}" if finding.meant else ""
            yield ReviewItem(ReviewReason.FINDING, None, finding.line, what)


def _line(place: Entry | Passage | None) -> int | None:
    return place.lines.first if place else None


def _slug(id: str) -> str:
    return id.partition("/")[2]
