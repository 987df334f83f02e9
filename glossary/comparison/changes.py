"""What became of a rulebook in its next version: entries new, gone, renamed, moved, split, merged, reworded, and their passages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from corpus.model import Edition, Entry, Kind, Passage
from corpus.titles import key
from glossary.comparison.edition_comparison import EditionComparison, compare_editions
from glossary.comparison.passage_changes import PassageMatch, match_passages
from glossary.comparison.passage_similarity import ruling_passages
from glossary.longest_increasing import out_of_order
from glossary.matching.assignment import greedy_assignment
from glossary.model import Reference, RulebookView

MIN_SHARE = 0.5  # of an entry's characters that another has to give or take for it to be a part of that one

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
    """What became of one entry: several on the side where it is split or merged, none where it is new or gone.

    ``passages`` are all passages of these entries that can settle something, those that say the same in one `PassageMatch`.
    ``references`` are the titles of entries that only the old and only the new one refers to.
    """

    left: tuple[Entry, ...]
    right: tuple[Entry, ...]
    kinds: tuple[ChangeKind, ...]
    passages: tuple[PassageMatch, ...]
    references: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


@dataclass(frozen=True)
class VersionChanges:
    """Two versions of a rulebook, the older on the left: what became of each entry, in the order of the new one."""

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
        return {entry.id: change.right[0] for change in self.entries for entry in change.left if change.right}

    @cached_property
    def passages(self) -> tuple[PassageMatch, ...]:
        """Every passage of either side, each once."""
        return tuple(dict.fromkeys(m for change in self.entries for m in change.passages))


def compare_versions(
    left: RulebookView, right: RulebookView, tied: Mapping[str, str], references: Mapping[str, Sequence[Reference]]
) -> VersionChanges:
    """What became of ``left`` in ``right``, a newer version in the same language; their entries have different ids.

    ``tied`` are concept ids by entry id, ``references`` those of each entry by id. Entries correspond as
    `glossary.comparison.compare_editions` says; splits and merges are found by where their passages are now.
    """
    # In one language words alone tell what is alike, and no one asks which terms differ.
    return _ChangeFinder(left, right, compare_editions(left, right, tied, references, concepts=()), references).find()


class _ChangeFinder:
    """The work of `compare_versions`, on top of a comparison."""

    def __init__(
        self, left: RulebookView, right: RulebookView, comparison: EditionComparison, references: Mapping[str, Sequence[Reference]]
    ):
        self._left, self._right, self._comparison, self._references = left, right, comparison, references
        self._entry = {entry.id: entry for rulebook in (left, right) for entry in rulebook.entries}
        self._texts = {**ruling_passages(left), **ruling_passages(right)}
        groups = {e.id: i for i, pair in enumerate(comparison.pairs) for e in (*pair.left, *pair.right)}
        self._matched = match_passages(self._of(left), self._of(right), groups, [row for pair in comparison.pairs for row in pair.rows])
        self._given: dict[str, Counter[str]] = defaultdict(Counter)  # characters, by left entry and right entry
        self._taken: dict[str, Counter[str]] = defaultdict(Counter)  # the same by right entry and left entry
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

    def _one_to_one(self, left: Sequence[Entry], right: Sequence[Entry]) -> Iterator[tuple[str, str]]:
        """Entries of one group that correspond: those that share most text, then those headed alike, then in order."""
        ranked = sorted(
            ((self._given[a.id][b.id], key(a.heading) == key(b.heading), -abs(i - j), a.id, b.id)
             for i, a in enumerate(left) for j, b in enumerate(right)), key=lambda r: r[:3], reverse=True)  # fmt: skip
        yield from greedy_assignment((one, other) for _, _, _, one, other in ranked)

    def find(self) -> VersionChanges:
        """The entries of either side, each in one change."""
        parts, merged = self._parts()
        moved = self._moved()
        done: list[EntryChange] = []
        for entry in self._right.entries:
            left, own = self._back.get(entry.id), [entry.id, *parts.pop(entry.id, ())]
            if left is None and not self._is_part(entry.id):
                done.append(EntryChange((), (entry,), (ChangeKind.NEW,), tuple(self._passages([], own))))
            elif left is not None:
                done.append(self._change([left, *merged.pop(entry.id, ())], own, moved))
        joined = {one for change in done for one in (e.id for e in change.left)}
        for entry in self._left.entries:
            if entry.id not in joined:
                done.append(EntryChange((entry,), (), (ChangeKind.GONE,), tuple(self._passages([entry.id], []))))
        return VersionChanges(self._comparison.left, self._comparison.right, tuple(done))

    def _parts(self) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        """By right entry: the further entries that its old one was split into, and the further old ones merged into it.

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
            if entry.id not in self._pairs and (target := self._source(entry.id, self._given[entry.id])) in self._back:
                merged[str(target)].append(entry.id)
        return parts, merged

    def _is_part(self, id: str) -> bool:
        return id in self._part

    def _source(self, id: str, shares: Counter[str]) -> str | None:
        """The entry of the other side that most of the text of entry ``id`` is from, None where there is none."""
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
            ChangeKind.RENAMED: key(_NUMBER.sub("", old.heading)) != key(_NUMBER.sub("", new.heading)),
            ChangeKind.RENUMBERED: numbered and old.number != new.number,
            ChangeKind.MOVED: new.id in moved,
            ChangeKind.REWORDED: any(not m.same_words or not m.left or not m.right for m in passages),
            ChangeKind.REARRANGED: self._rearranged(left, right, passages),
            ChangeKind.REFERENCES: any(references),
        }
        return EntryChange(here, there, tuple(k for k, holds in became.items() if holds) or (ChangeKind.SAME,), passages, references)

    def _passages(self, left: Sequence[str], right: Sequence[str]) -> Iterator[PassageMatch]:
        """What happened to the passages of these entries, in the order of the new ones."""
        for i in sorted({i for id in (*left, *right) for i in self._touching.get(id, ())}):
            yield self._matched[i]

    def _rearranged(self, left: Sequence[str], right: Sequence[str], passages: Sequence[PassageMatch]) -> bool:
        both = [m for m in passages if m.left and m.right]
        if any(p.entry not in left for m in both for p in m.left) or any(p.entry not in right for m in both for p in m.right):
            return True
        return len(left) == len(right) == 1 and bool(out_of_order([m.left[0].ordinal for m in both]))

    def _leads(self, left: Sequence[str], right: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The titles of the entries that only the old and only the new entries refer to."""
        sides = []
        for ids in (left, right):
            targets = {r.target for id in ids for r in self._references.get(id, ()) if r.target and r.target not in ids}
            sides.append({self._pairs.get(t, t): self._entry[t].title for t in sorted(targets) if t in self._entry})
        old, new = sides
        return tuple(t for id, t in old.items() if id not in new), tuple(t for id, t in new.items() if id not in old)

    def _moved(self) -> set[str]:
        """The right entries that stand under another entry than before or in another order than their neighbours."""
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
    """References by the id of the entry that they are printed in."""
    found: dict[str, list[Reference]] = defaultdict(list)
    for reference in references:
        found[reference.entry].append(reference)
    return found
