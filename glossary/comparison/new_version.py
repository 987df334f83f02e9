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
from glossary.comparison.edition_comparison import EditionComparison, compare_editions
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

MIN_REWORDED = 0.4  # share of words in common of passages of corresponding entries, reworded
MIN_ELSEWHERE = 0.6  # the same where they stand under different entries
MIN_SHARE = 0.5  # of an entry's characters that another gives or takes, to be a part of that one
DOUBTFUL = 0.6  # likeness under which a reworded passage may as well be another one
_FEW = 6  # words; a shorter passage is not looked for under other entries
_NUMBER = re.compile(r"^\W*[\d.]+[a-z]?\W+")

T = TypeVar("T")


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


def _match_passages(
    left: Iterable[Passage], right: Iterable[Passage], comparison: EditionComparison
) -> list[PassageMatch]:
    """Return every passage of either side in one match, in the order of the new ones, those that
    are gone behind.

    The rows of ``comparison`` say which passages within corresponding entries may be the same.
    """
    old, new = {p.id: p for p in left}, {p.id: p for p in right}  # that are still to be matched
    order = {id: place for place, id in enumerate(new)}
    found: list[PassageMatch] = []

    def match(here: Sequence[Passage], there: Sequence[Passage], likeness: float) -> None:
        found.append(PassageMatch(tuple(here), tuple(there), likeness))
        for passage in here:
            del old[passage.id]
        for passage in there:
            del new[passage.id]

    group = {
        entry.id: place
        for place, pair in enumerate(comparison.pairs)
        for entry in (*pair.left, *pair.right)
    }
    said = _without_own_numbers((*old.values(), *new.values()), comparison)
    for within in (True, False):  # the same words in order, at first in corresponding entries
        waiting: dict[tuple[int, str], deque[Passage]] = defaultdict(deque)
        for passage in old.values():
            place = group[passage.entry] if within else 0
            waiting[place, fingerprint(said[passage.id])].append(passage)
        for passage in list(new.values()):
            place = group[passage.entry] if within else 0
            if same := waiting.get((place, fingerprint(said[passage.id]))):
                match([same.popleft()], [passage], 1.0)
    elsewhere = list(_alike_elsewhere(list(old.values()), list(new.values()), said))
    most = {p.id: likeness for *sides, likeness in elsewhere for p in sides}
    for pair in comparison.pairs:
        bare = all(map(_is_bare_number, (*pair.left, *pair.right)))
        for row in pair.rows:
            here = [p for p in row.left if p.id in old]
            there = [p for p in row.right if p.id in new]
            if here and there:
                texts = [" ".join(said[p.id] for p in side) for side in (here, there)]
                likeness = word_similarity(*texts)
                # That a rule has the number of another says little: rules before it may be new.
                better = bare and max(most.get(p.id, 0.0) for p in (*here, *there)) > likeness
                if likeness >= MIN_REWORDED and not better:
                    match(here, there, likeness)
    for one, other, likeness in elsewhere:
        if one.id in old and other.id in new:
            match([one], [other], likeness)
    found.sort(key=lambda m: order[m.right[0].id])
    found += [PassageMatch((), (passage,), 0.0) for passage in new.values()]
    return found + [PassageMatch((passage,), (), 0.0) for passage in old.values()]


def _is_bare_number(entry: Entry) -> bool:
    return entry.kind is Kind.RULE and not entry.heading_spans


def _without_own_numbers(
    passages: Iterable[Passage], comparison: EditionComparison
) -> dict[str, str]:
    """Return the texts of ``passages`` by id, without the number of the rule that they begin."""
    entries = (e for pair in comparison.pairs for e in (*pair.left, *pair.right))
    numbers = {entry.id: entry.number for entry in entries if _is_bare_number(entry)}
    return {
        p.id: p.text.lstrip(" *_§").removeprefix(numbers.get(p.entry) or "").lstrip(".) \t\n")
        if p.ordinal == 0
        else p.text
        for p in passages
    }


def _alike_elsewhere(
    left: Sequence[Passage], right: Sequence[Passage], said: Mapping[str, str]
) -> Iterator[tuple[Passage, Passage, float]]:
    """Yield passages that are most alike under any entry, the most alike first; ``said`` are their
    texts by id.
    """
    # Slow to load, and answering does without.
    from sklearn.feature_extraction.text import TfidfVectorizer

    here, there = ([p for p in side if len(_words(said[p.id])) >= _FEW] for side in (left, right))
    if not here or not there:
        return
    vectors = TfidfVectorizer(analyzer=_words, sublinear_tf=True).fit_transform(
        [said[p.id] for p in (*here, *there)]
    )
    near = (vectors[: len(here)] @ vectors[len(here) :].T).tocoo()
    alike = {
        (i, j): word_similarity(said[here[i].id], said[there[j].id])
        for i, j, value in zip(near.row, near.col, near.data, strict=True)
        if value >= MIN_ELSEWHERE / 2
    }
    ranked = sorted(alike, key=lambda ij: (-alike[ij], here[ij[0]].spans, there[ij[1]].spans))
    for i, j in greedy_assignment(pair for pair in ranked if alike[pair] >= MIN_ELSEWHERE):
        yield here[i], there[j], alike[i, j]


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
    comparison = compare_editions(left, right, tied, references, concepts=())
    return _ChangeFinder(left, right, comparison, references).find()


class _ChangeFinder:
    """The work of `compare_versions`, on top of a comparison: what an excerpt does not have is not
    looked at.
    """

    def __init__(
        self,
        left: RulebookView,
        right: RulebookView,
        comparison: EditionComparison,
        references: Mapping[str, Sequence[Reference]],
    ):
        self._comparison, self._references = comparison, references
        self._entry = {e.id: e for pair in comparison.pairs for e in (*pair.left, *pair.right)}
        self._left, self._right = (
            [entry for entry in rulebook.entries if entry.id in self._entry]
            for rulebook in (left, right)
        )
        self._texts = {**ruling_passages(left), **ruling_passages(right)}
        old, new = (
            (p for entry in side for p in self._texts.get(entry.id, ()))
            for side in (self._left, self._right)
        )
        self._matched = _match_passages(old, new, comparison)
        # Characters that left entries give to right ones, and that these take from them.
        self._given: dict[str, Counter[str]] = defaultdict(Counter)
        self._taken: dict[str, Counter[str]] = defaultdict(Counter)
        self._touching: dict[str, set[int]] = defaultdict(set)  # places in `_matched` by entry
        for place, match in enumerate(self._matched):
            for passage in (*match.left, *match.right):
                self._touching[passage.entry].add(place)
            for one in match.left:
                for other in match.right:
                    self._given[one.entry][other.entry] += len(one.text)
                    self._taken[other.entry][one.entry] += len(other.text)
        self._became: dict[str, str] = {}  # right entry by left entry
        for pair in comparison.pairs:
            # Those that share most text, then those headed alike, then in order.
            ranked = sorted(
                (
                    (self._given[a.id][b.id], key(a.heading) == key(b.heading), -abs(i - j), a, b)
                    for i, a in enumerate(pair.left)
                    for j, b in enumerate(pair.right)
                    if not self._only_number_in_common(a, b)
                ),
                key=lambda each: each[:3],
                reverse=True,
            )
            self._became.update(greedy_assignment((a.id, b.id) for *_, a, b in ranked))
        self._was = {right: left for left, right in self._became.items()}
        self._pair_renumbered()

    def _only_number_in_common(self, one: Entry, other: Entry) -> bool:
        """Return whether two rules are called by the same number and say nothing in common."""
        texts = self._texts.get(one.id) and self._texts.get(other.id)
        bare = _is_bare_number(one) and _is_bare_number(other)
        return bool(bare and texts and not self._given[one.id][other.id])

    def _pair_renumbered(self) -> None:
        """Pair the sections and rules without a counterpart that have the same heading behind
        another number.
        """
        names: list[dict[tuple[str, str], list[str]]] = []
        for side, paired in ((self._left, self._became), (self._right, self._was)):
            names.append(defaultdict(list))
            for entry in side:
                if entry.id not in paired and entry.heading_spans:
                    names[-1][entry.kind, key(_NUMBER.sub("", entry.heading))].append(entry.id)
        for name, (id, *more) in names[0].items():
            others = names[1].get(name, [])
            if name[1] and not more and len(others) == 1:
                self._became[id], self._was[others[0]] = others[0], id

    def find(self) -> VersionChanges:
        """Return the entries of either side, each in one change."""
        # New entries that have most of their text from one that is gone are what it became, others
        # parts that it was split into; old ones that gave most of theirs were merged.
        parts: dict[str, list[str]] = defaultdict(list)
        merged: dict[str, list[str]] = defaultdict(list)
        new = [entry.id for entry in self._right if entry.id not in self._was]
        for id in sorted(new, key=lambda id: -self._taken[id].total()):
            source = self._source(id, self._taken[id])
            if source is not None and source not in self._became:
                self._became[source], self._was[id] = id, source
            elif source is not None:
                parts[self._became[source]].append(id)
        for entry in self._left:
            target = self._source(entry.id, self._given[entry.id])
            if entry.id not in self._became and target in self._was:
                merged[str(target)].append(entry.id)
        moved = self._moved()
        is_part = {id for ids in parts.values() for id in ids}
        done = []
        for entry in self._right:
            own = [entry.id, *parts[entry.id]]
            if (left := self._was.get(entry.id)) is not None:
                done.append(self._change([left, *merged[entry.id]], own, moved))
            elif entry.id not in is_part:
                passages = self._passages(own)
                done.append(EntryChange((), (entry,), (ChangeKind.NEW,), passages))
        joined = {entry.id for change in done for entry in change.left}
        for entry in self._left:
            if entry.id not in joined:
                passages = self._passages([entry.id])
                done.append(EntryChange((entry,), (), (ChangeKind.GONE,), passages))
        return VersionChanges(self._comparison.left, self._comparison.right, tuple(done))

    def _source(self, id: str, shares: Counter[str]) -> str | None:
        """Return the entry of the other side that most of the text of entry ``id`` is from."""
        whole = sum(len(p.text) for p in self._texts.get(id, ()))
        other, most = next(iter(shares.most_common(1)), ("", 0))
        return other if whole and most >= MIN_SHARE * whole else None

    def _change(self, left: list[str], right: list[str], moved: set[str]) -> EntryChange:
        here, there = (tuple(self._entry[id] for id in side) for side in (left, right))
        old, new = here[0], there[0]
        passages = self._passages([*left, *right])
        both = [match for match in passages if match.left and match.right]
        elsewhere = any(p.entry not in left for match in both for p in match.left) or any(
            p.entry not in right for match in both for p in match.right
        )
        disordered = len(left) == len(right) == 1 and out_of_order(
            [match.left[0].ordinal for match in both]
        )
        references = self._leads(left, right)
        headings = [key(_NUMBER.sub("", entry.heading)) for entry in (old, new)]
        bare = _is_bare_number(old) and _is_bare_number(new)
        numbered = {old.kind, new.kind} <= {Kind.RULE, Kind.SECTION}
        became = {
            ChangeKind.SPLIT: len(right) > 1,
            ChangeKind.MERGED: len(left) > 1,
            ChangeKind.RENAMED: headings[0] != headings[1] and not bare,
            ChangeKind.RENUMBERED: numbered and old.number != new.number,
            ChangeKind.MOVED: new.id in moved,
            ChangeKind.REWORDED: not all(match.same_words for match in passages),
            ChangeKind.REARRANGED: elsewhere or bool(disordered),
            ChangeKind.REFERENCES: any(references),
        }
        kinds = tuple(kind for kind, holds in became.items() if holds) or (ChangeKind.SAME,)
        return EntryChange(here, there, kinds, passages, references)

    def _passages(self, entries: Iterable[str]) -> tuple[PassageMatch, ...]:
        """Return what happened to the passages of these entries, in the order of the new ones."""
        places = sorted({place for id in entries for place in self._touching[id]})
        return tuple(self._matched[place] for place in places)

    def _leads(
        self, left: Sequence[str], right: Sequence[str]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the titles of the entries that only the old and only the new entries refer to."""
        old, new = (
            {
                self._became.get(target, target): self._entry[target].title
                for target in sorted(
                    {r.target for id in ids for r in self._references.get(id, ()) if r.target}
                )
                if target not in ids and target in self._entry
            }
            for ids in (left, right)
        )
        return (
            tuple(title for id, title in old.items() if id not in new),
            tuple(title for id, title in new.items() if id not in old),
        )

    def _moved(self) -> set[str]:
        """Return the right entries that stand under another entry than before or in another order
        than their neighbours.
        """
        found = set()
        order = {entry.id: place for place, entry in enumerate(self._left)}
        siblings: dict[str | None, list[str]] = defaultdict(list)
        for entry in self._right:
            if (old := self._was.get(entry.id)) is not None:
                before = self._entry[old].parent
                known = (before is None or before in self._became) and (
                    entry.parent is None or entry.parent in self._was
                )
                if known and (before and self._became[before]) != entry.parent:
                    found.add(entry.id)
                else:
                    siblings[entry.parent].append(entry.id)
        for ids in siblings.values():
            found |= {ids[place] for place in out_of_order([order[self._was[id]] for id in ids])}
        return found


def references_by_entry(references: Iterable[Reference]) -> dict[str, list[Reference]]:
    """Return references by the id of the entry that they are printed in."""
    found: dict[str, list[Reference]] = defaultdict(list)
    for reference in references:
        found[reference.entry].append(reference)
    return found


_LISTED_OTHERWISE = {  # findings that have a reason of their own
    FindingKind.MISSING,
    FindingKind.CORRECTION_UNFIT,
    FindingKind.CONCEPT_UNFIT,
    FindingKind.NO_PHRASINGS,
    FindingKind.RULING_OUTDATED,
}


class ReviewReason(StrEnum):
    """Why a person has to look at something, in the order in which it is listed."""

    CORRECTION_UNFIT = "correction-unfit"  # its line is not found again
    CONCEPT_LOST = "concept-lost"  # the entry is there and has no longer its concept
    CONCEPT_FOLLOWED = "concept-followed"  # found by text: confirm its heading in glossary/concepts
    PHRASINGS_ORPHANED = "phrasings-orphaned"  # their passage is gone, or too much of it changed
    # Their passage has other numbers, negations, conditions
    PHRASINGS_CHANGED = "phrasings-changed"
    RULING_OUTDATED = "ruling-outdated"  # it rests on a rule that changed or is gone
    ENTRY_RENAMED = "entry-renamed"
    ENTRY_DIVIDED = "entry-divided"  # split or merged
    DOUBTFUL = "doubtful"  # reworded so much that it may be another passage
    NO_CONCEPT = "no-concept"  # a new entry that has none
    REFERENCE_SHIFTED = "reference-shifted"  # its number now is that of another rule
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
class ShiftedReference:
    """A reference that prints the same as before and now means another entry: ``meant`` is what it
    led to, ``followed`` what that is now, None where it is gone, ``means`` where it leads.
    """

    before: Reference
    now: Reference
    meant: Entry
    followed: Entry | None
    means: Entry


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
    """Yield the rulings of the game that rest on rules of ``left`` which ``right`` has otherwise,
    or no more.
    """
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
    """Yield the references whose printed number now is that of another rule than before."""
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
    """Yield those of ``now`` that ``before`` has not, by their ``name``, each as often."""
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
    for change in changes.entries:
        if ChangeKind.RENAMED in change.kinds:
            old, new = change.left[0], change.right[0]
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
