"""A new version of a rulebook: what became of entries and passages, which data apply to it, and
what a person has to review.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TypeVar

from rapidfuzz.distance import Indel

from corpus.model import Correction, Edition, Entry, Kind, Passage
from corpus.rulings import load_rulings
from corpus.titles import key
from corpus.workspace import workspace
from glossary.check import Finding, FindingKind
from glossary.check.outdated_rulings import OutdatedRuling, RuleVersions
from glossary.comparison.edition_comparison import (
    AlignedPassages,
    EditionComparison,
    compare_editions,
)
from glossary.comparison.passage_similarity import ruling_passages
from glossary.comparison.rewording import ChangedPhrasings, changed_phrasings
from glossary.concepts import ConceptTies
from glossary.longest_increasing import out_of_order
from glossary.matching.likeness import greedy_assignment
from glossary.model import Reference, ReferenceProblem, RulebookView
from glossary.query_variants import (
    PassageVariants,
    attach_query_variants,
    fingerprint,
    load_with_sister_editions,
)

MIN_REWORDED = 0.4  # share of words that two passages of corresponding entries have in common, at least, to be one reworded
MIN_ELSEWHERE = 0.6  # the same where they stand under different entries

_FEW = 6  # words; a shorter passage is not looked for under other entries


@dataclass(frozen=True)
class PassageMatch:
    """A passage of the old version and what it is in the new one; several on a side where the other
    has them in one.

    ``likeness`` is the share of words in common, 1.0 where only lines, signs or capitals differ;
    0.0 where a side is empty.
    """

    left: tuple[Passage, ...]
    right: tuple[Passage, ...]
    likeness: float

    @property
    def same_words(self) -> bool:
        """Whether both sides have the same words."""
        return self.likeness == 1.0


def word_similarity(one: str, other: str) -> float:
    """Return twice the number of words in their longest common subsequence, divided by the number
    of words of both texts.
    """
    return float(Indel.normalized_similarity(_words(one), _words(other)))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


class _PassageMatcher:
    """The passages that are still to be matched, and those that are; ``group`` says by entry id
    which entries correspond.
    """

    def __init__(self, left: Sequence[Passage], right: Sequence[Passage], group: Mapping[str, int]):
        self._left, self._right = {p.id: p for p in left}, {p.id: p for p in right}
        self._order = {p.id: i for i, p in enumerate(right)}
        self._group = group
        self._found: list[PassageMatch] = []

    def match(self, rows: Sequence[AlignedPassages]) -> Iterator[PassageMatch]:
        """Yield every passage of either side in one match, in the order of the new ones, those that
        are gone behind.

        ``rows`` say which passages within corresponding entries may be the same.
        """
        self._match_same_words(within=True)
        self._match_same_words(within=False)
        for row in rows:
            here, there = (
                [p for p in side if p.id in unmatched]
                for side, unmatched in ((row.left, self._left), (row.right, self._right))
            )
            if here and there:
                self._add(here, there, word_similarity(_joined(here), _joined(there)), MIN_REWORDED)
        self._match_similar()
        self._found.sort(key=lambda m: self._order[m.right[0].id])
        yield from self._found
        yield from (PassageMatch((), (p,), 0.0) for p in self._right.values())
        yield from (PassageMatch((p,), (), 0.0) for p in self._left.values())

    def _add(
        self, here: Sequence[Passage], there: Sequence[Passage], alike: float, least: float
    ) -> None:
        if alike >= least:
            self._found.append(PassageMatch(tuple(here), tuple(there), alike))
            for passage in here:
                del self._left[passage.id]
            for passage in there:
                del self._right[passage.id]

    def _match_same_words(self, within: bool) -> None:
        """Match passages of the same words in order, at first only ``within`` entries that
        correspond.
        """
        waiting: dict[tuple[int, str], deque[Passage]] = defaultdict(deque)
        for passage in self._left.values():
            waiting[self._group[passage.entry] if within else 0, fingerprint(passage.text)].append(
                passage
            )
        for passage in list(self._right.values()):
            if same := waiting.get(
                (self._group[passage.entry] if within else 0, fingerprint(passage.text))
            ):
                self._add([same.popleft()], [passage], 1.0, 1.0)

    def _match_similar(self) -> None:
        """Match what is left with what it is most like under any entry, the most alike first."""
        from sklearn.feature_extraction.text import (
            TfidfVectorizer,
        )  # slow to load, and answering does without

        here, there = (
            [p for p in side.values() if len(_words(p.text)) >= _FEW]
            for side in (self._left, self._right)
        )
        if not here or not there:
            return
        vectors = TfidfVectorizer(analyzer=_words, sublinear_tf=True).fit_transform(
            [p.text for p in (*here, *there)]
        )
        near = (vectors[: len(here)] @ vectors[len(here) :].T).tocoo()
        pairs = [
            (here[i], there[j])
            for i, j, value in zip(near.row, near.col, near.data, strict=True)
            if value >= MIN_ELSEWHERE / 2
        ]
        alike = {(a.id, b.id): word_similarity(a.text, b.text) for a, b in pairs}
        found = [(a, b) for a, b in pairs if alike[a.id, b.id] >= MIN_ELSEWHERE]
        found.sort(key=lambda pair: (-alike[pair[0].id, pair[1].id], pair[0].spans, pair[1].spans))
        for one, other in greedy_assignment((a.id, b.id) for a, b in found):
            self._add([self._left[one]], [self._right[other]], alike[one, other], MIN_ELSEWHERE)


def _joined(passages: Sequence[Passage]) -> str:
    return " ".join(p.text for p in passages)


MIN_SHARE = (
    0.5  # of an entry's characters that another has to give or take for it to be a part of that one
)

_NUMBER = re.compile(r"^\W*[\d.]+[a-z]?\W+")


class ChangeKind(StrEnum):
    """What became of an entry; several may hold of one."""

    NEW = "new"
    GONE = "gone"
    SPLIT = "split"
    MERGED = "merged"
    RENAMED = "renamed"
    RENUMBERED = "renumbered"
    MOVED = "moved"
    REWORDED = "reworded"  # passages reworded, new or gone
    REARRANGED = "rearranged"  # passages in another order, or now under another entry
    REFERENCES = "references"  # refers to other entries than before
    SAME = "same"


@dataclass(frozen=True)
class EntryChange:
    """What became of one entry: several on the side where it is split or merged, none where it is
    new or gone.

    ``passages`` are all passages of these entries that can settle something, those that say the
    same in one `PassageMatch`. ``references`` are the titles of entries that only the old and only
    the new one refers to.
    """

    left: tuple[Entry, ...]
    right: tuple[Entry, ...]
    kinds: tuple[ChangeKind, ...]
    passages: tuple[PassageMatch, ...]
    references: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


@dataclass(frozen=True)
class VersionChanges:
    """Two versions of a rulebook, the older on the left: what became of each entry, in the order of
    the new one.
    """

    left: Edition
    right: Edition
    entries: tuple[EntryChange, ...]

    @cached_property
    def counts(self) -> Mapping[ChangeKind, int]:
        """How many changes there are of each kind; one of several kinds counts for each of them."""
        found = Counter(kind for change in self.entries for kind in change.kinds)
        return {kind: found[kind] for kind in ChangeKind}

    @cached_property
    def counterpart(self) -> Mapping[str, Entry]:
        """The first entry on the right that each entry on the left became, by its id."""
        return {
            entry.id: change.right[0]
            for change in self.entries
            for entry in change.left
            if change.right
        }

    @cached_property
    def passages(self) -> tuple[PassageMatch, ...]:
        """Every passage of either side, each once."""
        return tuple(dict.fromkeys(m for change in self.entries for m in change.passages))


def compare_versions(
    left: RulebookView,
    right: RulebookView,
    tied: Mapping[str, str],
    references: Mapping[str, Sequence[Reference]],
) -> VersionChanges:
    """Return what became of ``left`` in ``right``, a newer version in the same language; their
    entries have different ids.

    ``tied`` are concept ids by entry id, ``references`` those of each entry by id. Entries
    correspond as `glossary.comparison.compare_editions` says; splits and merges are found by where
    their passages are now.
    """
    # In one language words alone tell what is alike, and no one asks which terms differ.
    return _ChangeFinder(
        left, right, compare_editions(left, right, tied, references, concepts=()), references
    ).find()


class _ChangeFinder:
    """The work of `compare_versions`, on top of a comparison."""

    def __init__(
        self,
        left: RulebookView,
        right: RulebookView,
        comparison: EditionComparison,
        references: Mapping[str, Sequence[Reference]],
    ):
        self._left, self._right, self._comparison, self._references = (
            left,
            right,
            comparison,
            references,
        )
        self._entry = {entry.id: entry for rulebook in (left, right) for entry in rulebook.entries}
        self._texts = {**ruling_passages(left), **ruling_passages(right)}
        groups = {
            e.id: i for i, pair in enumerate(comparison.pairs) for e in (*pair.left, *pair.right)
        }
        matcher = _PassageMatcher(self._of(left), self._of(right), groups)
        self._matched = tuple(
            matcher.match([row for pair in comparison.pairs for row in pair.rows])
        )
        self._given: dict[str, Counter[str]] = defaultdict(
            Counter
        )  # characters, by left entry and right entry
        self._taken: dict[str, Counter[str]] = defaultdict(
            Counter
        )  # the same by right entry and left entry
        self._touching: dict[str, list[int]] = defaultdict(list)  # places in `_matched` by entry
        for i, m in enumerate(self._matched):
            for id in {p.entry for p in (*m.left, *m.right)}:
                self._touching[id].append(i)
            for one in m.left:
                for other in m.right:
                    self._given[one.entry][other.entry] += len(one.text)
                    self._taken[other.entry][one.entry] += len(other.text)
        self._pairs: dict[str, str] = {}  # right entry by left entry
        for pair in comparison.pairs:
            self._pairs.update(self._one_to_one(pair.left, pair.right))
        self._back = {right: left for left, right in self._pairs.items()}

    def _of(self, rulebook: RulebookView) -> list[Passage]:
        return [p for entry in rulebook.entries for p in self._texts.get(entry.id, ())]

    def _one_to_one(
        self, left: Sequence[Entry], right: Sequence[Entry]
    ) -> Iterator[tuple[str, str]]:
        """Yield entries of one group that correspond: those that share most text, then those headed
        alike, then in order.
        """
        ranked = sorted(
            ((self._given[a.id][b.id], key(a.heading) == key(b.heading), -abs(i - j), a.id, b.id)
             for i, a in enumerate(left) for j, b in enumerate(right)), key=lambda r: r[:3], reverse=True)  # fmt: skip
        yield from greedy_assignment((one, other) for _, _, _, one, other in ranked)

    def find(self) -> VersionChanges:
        """Return the entries of either side, each in one change."""
        parts, merged = self._parts()
        moved = self._moved()
        done: list[EntryChange] = []
        for entry in self._right.entries:
            left, own = self._back.get(entry.id), [entry.id, *parts.pop(entry.id, ())]
            if left is None and entry.id not in self._part:
                done.append(
                    EntryChange((), (entry,), (ChangeKind.NEW,), tuple(self._passages([], own)))
                )
            elif left is not None:
                done.append(self._change([left, *merged.pop(entry.id, ())], own, moved))
        joined = {one for change in done for one in (e.id for e in change.left)}
        for entry in self._left.entries:
            if entry.id not in joined:
                done.append(
                    EntryChange(
                        (entry,), (), (ChangeKind.GONE,), tuple(self._passages([entry.id], []))
                    )
                )
        return VersionChanges(self._comparison.left, self._comparison.right, tuple(done))

    def _parts(self) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        """Return by right entry: the further entries that its old one was split into, and the
        further old ones merged into it.

        A new entry that has most of its text from one that is gone is paired with it.
        """
        self._part: set[str] = set()
        parts: dict[str, list[str]] = defaultdict(list)
        merged: dict[str, list[str]] = defaultdict(list)
        new = [e.id for e in self._right.entries if e.id not in self._back]
        sources = {id: self._source(id, self._taken[id]) for id in new}
        for id in sorted(new, key=lambda id: -self._taken[id].total()):
            source = sources[id]
            if source is not None and source not in self._pairs:
                self._pairs[source], self._back[id] = id, source
            elif source is not None:
                parts[self._pairs[source]].append(id)
                self._part.add(id)
        for entry in self._left.entries:
            if (
                entry.id not in self._pairs
                and (target := self._source(entry.id, self._given[entry.id])) in self._back
            ):
                merged[str(target)].append(entry.id)
        return parts, merged

    def _source(self, id: str, shares: Counter[str]) -> str | None:
        """Return the entry of the other side that most of the text of entry ``id`` is from, None
        where there is none.
        """
        whole = sum(len(p.text) for p in self._texts.get(id, ()))
        other, most = next(iter(shares.most_common(1)), ("", 0))
        return other if whole and most >= MIN_SHARE * whole else None

    def _change(self, left: list[str], right: list[str], moved: set[str]) -> EntryChange:
        here, there = (tuple(self._entry[id] for id in side) for side in (left, right))
        old, new = here[0], there[0]
        passages = tuple(self._passages(left, right))
        references = self._leads(left, right)
        numbered = {old.kind, new.kind} <= {Kind.RULE, Kind.SECTION}
        became = {
            ChangeKind.SPLIT: len(right) > 1,
            ChangeKind.MERGED: len(left) > 1,
            ChangeKind.RENAMED: key(_NUMBER.sub("", old.heading))
            != key(_NUMBER.sub("", new.heading)),
            ChangeKind.RENUMBERED: numbered and old.number != new.number,
            ChangeKind.MOVED: new.id in moved,
            ChangeKind.REWORDED: any(
                not m.same_words or not m.left or not m.right for m in passages
            ),
            ChangeKind.REARRANGED: self._rearranged(left, right, passages),
            ChangeKind.REFERENCES: any(references),
        }
        return EntryChange(
            here,
            there,
            tuple(k for k, holds in became.items() if holds) or (ChangeKind.SAME,),
            passages,
            references,
        )

    def _passages(self, left: Sequence[str], right: Sequence[str]) -> Iterator[PassageMatch]:
        """Yield what happened to the passages of these entries, in the order of the new ones."""
        for i in sorted({i for id in (*left, *right) for i in self._touching.get(id, ())}):
            yield self._matched[i]

    def _rearranged(
        self, left: Sequence[str], right: Sequence[str], passages: Sequence[PassageMatch]
    ) -> bool:
        both = [m for m in passages if m.left and m.right]
        if any(p.entry not in left for m in both for p in m.left) or any(
            p.entry not in right for m in both for p in m.right
        ):
            return True
        return len(left) == len(right) == 1 and bool(
            out_of_order([m.left[0].ordinal for m in both])
        )

    def _leads(
        self, left: Sequence[str], right: Sequence[str]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the titles of the entries that only the old and only the new entries refer to."""
        sides = []
        for ids in (left, right):
            targets = {
                r.target
                for id in ids
                for r in self._references.get(id, ())
                if r.target and r.target not in ids
            }
            sides.append(
                {
                    self._pairs.get(t, t): self._entry[t].title
                    for t in sorted(targets)
                    if t in self._entry
                }
            )
        old, new = sides
        return tuple(t for id, t in old.items() if id not in new), tuple(
            t for id, t in new.items() if id not in old
        )

    def _moved(self) -> set[str]:
        """Return the right entries that stand under another entry than before or in another order
        than their neighbours.
        """
        found = set()
        order = {e.id: i for i, e in enumerate(self._left.entries)}
        siblings: dict[str | None, list[str]] = defaultdict(list)
        for entry in self._right.entries:
            if (old := self._back.get(entry.id)) is not None:
                before = self._entry[old].parent
                parent_stays = before is None or before in self._pairs
                if (
                    parent_stays
                    and (entry.parent is None or entry.parent in self._back)
                    and (before and self._pairs[before]) != entry.parent
                ):
                    found.add(entry.id)
                else:
                    siblings[entry.parent].append(entry.id)
        for ids in siblings.values():
            found |= {ids[i] for i in out_of_order([order[self._back[id]] for id in ids])}
        return found


def references_by_entry(references: Iterable[Reference]) -> dict[str, list[Reference]]:
    """Return references by the id of the entry that they are printed in."""
    found: dict[str, list[Reference]] = defaultdict(list)
    for reference in references:
        found[reference.entry].append(reference)
    return found


DOUBTFUL = (
    0.6  # likeness under which two passages may as well be an old one that is gone and a new one
)

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
    CONCEPT_FOLLOWED = (
        "concept-followed"  # tied by its text alone: confirm its heading in glossary/concepts
    )
    PHRASINGS_ORPHANED = "phrasings-orphaned"  # their passage is gone, or too much of it changed
    PHRASINGS_CHANGED = "phrasings-changed"  # their passage has other numbers, a negation or a condition more or less
    RULING_OUTDATED = (
        "ruling-outdated"  # a ruling outside the rulebook rests on a rule that changed or is gone
    )
    ENTRY_RENAMED = "entry-renamed"
    ENTRY_DIVIDED = "entry-divided"  # split or merged
    DOUBTFUL = "doubtful"  # reworded so much that it may be another passage
    NO_CONCEPT = "no-concept"  # a new entry that is tied to nothing
    REFERENCE_LOST = "reference-lost"  # leads nowhere, and did not print so before
    FINDING = "finding"  # of `regula check`, and not of the old version


@dataclass(frozen=True)
class ReviewItem:
    """One thing to review: its ``subject``, and its line in the old and in the new document, None
    where it is not there.
    """

    reason: ReviewReason
    left: int | None
    right: int | None
    subject: str


@dataclass(frozen=True)
class OrphanedPhrasings:
    """Phrasings whose passage is no longer there, and the passages of the new version that they
    probably belong to.
    """

    phrasings: PassageVariants
    passage: Passage
    candidates: tuple[Passage, ...]
    likeness: float


@dataclass(frozen=True)
class CarriedCorrections:
    """The corrections of a new version: as written for the old one and as they apply, None where a
    line is not found again.
    """

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

    ``concepts`` are the ids of those carried over; ``lost`` those that are not although their entry
    is there, with the old entry and the new; ``followed`` the entries tied by their text alone,
    ``untied`` the new ones tied to nothing. ``phrased`` are phrasings by the id of the passage of
    the new version, ``rephrased`` those of them whose passage changed in substance. ``outdated``
    are rulings outside the rulebook whose rule changed or is gone. ``corrected`` and ``findings``
    are None where nobody looked at them.
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
    """Return ``right`` as a new version of ``left``, an edition in the same language; their entries
    have different ids.

    ``ties`` are the concepts of both, ``cards`` those of their rulings and errata by entry id,
    ``references`` those of both, ``findings`` what a check of each found.
    """
    found = compare_versions(
        left, right, {**cards, **ties.by_entry}, references_by_entry(references)
    )
    before, now = (
        {ties.by_entry[e.id] for e in rulebook.entries if e.id in ties.by_entry}
        for rulebook in (left, right)
    )
    phrased, orphaned = _phrasings(left, right, found)
    new = [e for change in found.entries if ChangeKind.NEW in change.kinds for e in change.right]
    own = [{entry.id for entry in rulebook.entries} for rulebook in (left, right)]
    nowhere = [
        [r for r in references if r.entry in entries and r.problem is ReferenceProblem.MISSING]
        for entries in own
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
        untied=tuple(
            e for e in new if e.kind in (Kind.TERM, Kind.REDIRECT) and e.id not in ties.by_entry
        )
        if before
        else (),
        phrased=phrased,
        orphaned=tuple(orphaned),
        rephrased=tuple(each for each in changed_phrasings([right], [left]) if each.changes),
        outdated=tuple(_outdated(left, right, found)),
        unresolved=tuple(_new(nowhere[0], nowhere[1], lambda r: r.raw)),
        corrected=corrected,
        findings=None
        if findings is None
        else tuple(_new(findings[0], findings[1], lambda f: (f.kind, f.printed, f.meant))),
    )


def _outdated(
    left: RulebookView, right: RulebookView, found: VersionChanges
) -> Iterator[OutdatedRuling]:
    """Yield the rulings of the game that rest on rules of ``left`` which ``right`` has otherwise,
    or no more.
    """
    rulings = [
        ruling for ruling in load_rulings(right.edition.game, workspace()).rulings if ruling.bases
    ]
    if rulings:
        versions, before = RuleVersions([left, right], found.counterpart), RuleVersions([left])
        for each in versions.outdated(rulings):
            then, now = (
                known.current_rule(each.ruling, each.basis) for known in (before, versions)
            )
            if each.edition == right.edition.id and (then and then[1]) != (now and now[1]):
                yield each


def _new(before: Iterable[T], now: Iterable[T], name: Callable[[T], Hashable]) -> Iterator[T]:
    """Yield those of ``now`` that ``before`` has not, by their ``name``, each as often."""
    known = Counter(map(name, before))
    for thing in now:
        if known[name(thing)] > 0:
            known[name(thing)] -= 1
        else:
            yield thing


def _phrasings(
    left: RulebookView, right: RulebookView, found: VersionChanges
) -> tuple[Mapping[str, PassageVariants], list[OrphanedPhrasings]]:
    """Return the phrasings of the new version's passages by passage id, and those that only the old
    version has a passage for.
    """
    phrasings = load_with_sister_editions(right.edition)
    there = attach_query_variants(phrasings, right.passages).by_passage
    carried = {p.fingerprint for p in there.values()}
    became = {p.id: m for m in found.passages for p in m.left}
    orphaned: dict[str, OrphanedPhrasings] = {}
    passages = {p.id: p for p in left.passages}
    for id, own in attach_query_variants(phrasings, left.passages).by_passage.items():
        if own.fingerprint not in carried:
            m = became.get(id)
            orphaned.setdefault(
                own.fingerprint,
                OrphanedPhrasings(
                    own, passages[id], m.right if m else (), m.likeness if m else 0.0
                ),
            )
    return there, list(orphaned.values())


def _review_items(renewal: NewVersion) -> Iterator[ReviewItem]:
    for c in renewal.corrected.unfit if renewal.corrected else ():
        yield ReviewItem(
            ReviewReason.CORRECTION_UNFIT, c.line, None, f"{c.fault.value}: {c.printed}"
        )
    for concept, old, new in renewal.lost:
        yield ReviewItem(
            ReviewReason.CONCEPT_LOST,
            old.lines.first,
            new.lines.first,
            f"{concept}: {old.heading} → {new.heading}",
        )
    for concept, new in renewal.inferred:
        yield ReviewItem(
            ReviewReason.CONCEPT_FOLLOWED, None, new.lines.first, f"{concept}: {new.heading}"
        )
    for o in renewal.orphaned:
        home = (
            f"{o.candidates[0].id.partition('/')[2]}, likeness {o.likeness:.2f}"
            if o.candidates
            else "nowhere"
        )
        first = o.candidates[0].lines.first if o.candidates else None
        yield ReviewItem(
            ReviewReason.PHRASINGS_ORPHANED,
            o.passage.lines.first,
            first,
            f'"{o.phrasings.fingerprint}" {o.phrasings.at} → {home}',
        )
    for each in renewal.rephrased:
        what = f'"{each.tie.variants.fingerprint}" {each.passage.id.partition("/")[2]}: {", ".join(each.changes)}'
        yield ReviewItem(
            ReviewReason.PHRASINGS_CHANGED,
            each.old.lines.first if each.old else None,
            each.passage.lines.first,
            what,
        )
    for outdated in renewal.outdated:
        then, now = (
            entry.lines.first if entry else None for entry in (outdated.before, outdated.entry)
        )
        yield ReviewItem(
            ReviewReason.RULING_OUTDATED,
            then,
            now,
            f"{outdated.ruling.id} ({outdated.change}: {outdated.basis.rule})",
        )
    yield from _entries(renewal.changes)
    for m in renewal.changes.passages:
        if m.left and m.right and m.likeness < DOUBTFUL:
            what = f"{m.left[0].entry.partition('/')[2]}, likeness {m.likeness:.2f}"
            yield ReviewItem(
                ReviewReason.DOUBTFUL, m.left[0].lines.first, m.right[0].lines.first, what
            )
    for entry in renewal.untied:
        yield ReviewItem(ReviewReason.NO_CONCEPT, None, entry.lines.first, entry.heading)
    for r in renewal.unresolved:
        yield ReviewItem(ReviewReason.REFERENCE_LOST, None, r.line, r.raw)
    for f in renewal.findings or ():
        if f.kind not in _LISTED_OTHERWISE:
            yield ReviewItem(
                ReviewReason.FINDING,
                None,
                f.line,
                f"{f.kind.value}: {f.printed}" + (f" → {f.meant}" if f.meant else ""),
            )


def _entries(found: VersionChanges) -> Iterator[ReviewItem]:
    for change in found.entries:
        if ChangeKind.RENAMED in change.kinds:
            names = f"{change.left[0].heading} → {change.right[0].heading}"
            yield ReviewItem(
                ReviewReason.ENTRY_RENAMED,
                change.left[0].lines.first,
                change.right[0].lines.first,
                names,
            )
    for change in found.entries:
        if ChangeKind.SPLIT in change.kinds or ChangeKind.MERGED in change.kinds:
            names = " → ".join(
                " + ".join(e.heading for e in side) for side in (change.left, change.right)
            )
            yield ReviewItem(
                ReviewReason.ENTRY_DIVIDED,
                change.left[0].lines.first,
                change.right[0].lines.first,
                names,
            )
