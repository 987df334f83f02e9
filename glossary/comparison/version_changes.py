"""Compare two versions of a rulebook: what became of each entry and passage."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from corpus.model import Edition, Entry, Kind
from corpus.titles import key
from glossary.comparison import EditionComparison, compare_editions
from glossary.comparison.passage_matches import PassageMatch, is_bare_number, match_passages
from glossary.comparison.passage_similarity import ruling_passages
from glossary.comparison.renamings import Renaming, Renamings
from glossary.comparison.rewording import SubstanceChange, stems, substance_changes
from glossary.comparison.segments import is_step
from glossary.longest_increasing import out_of_order
from glossary.matching.likeness import greedy_assignment
from glossary.model import Reference, RulebookView

SHORT_TITLE = 3  # words of the title of a section that names a term
MIN_SHARE = 0.5  # of an entry's characters that another entry has, to be a part of that one
_NUMBER = re.compile(r"^\W*[\d.]+[a-z]?\W+")


class ChangeKind(StrEnum):
    """The kinds of change an entry can undergo between two versions (several may apply)."""

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
    """What became of one entry; one side has several entries after a split or merge, none if the
    entry is new or gone.

    ``passages`` are the normative passages of these entries; passages that say the same are in one
    `PassageMatch`. ``references`` are the titles of entries that only the old and only the new
    entry refers to. ``only_renamed`` says that the new version replaces all changed words
    throughout.
    """

    left: tuple[Entry, ...]
    right: tuple[Entry, ...]
    kinds: tuple[ChangeKind, ...]
    passages: tuple[PassageMatch, ...]
    references: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    only_renamed: bool = False

    @property
    def substance(self) -> tuple[SubstanceChange, ...]:
        """The changes that may make it a different rule; empty for a new or removed entry."""
        found = {each for match in self.passages for each in match.substance}
        return tuple(each for each in SubstanceChange if each in found)


@dataclass(frozen=True)
class VersionChanges:
    """The changes between two versions of a rulebook, the older on the left, in the order of the
    new one; ``renamed`` are the words replaced throughout.
    """

    left: Edition
    right: Edition
    entries: tuple[EntryChange, ...]
    renamed: tuple[Renaming, ...] = ()

    @cached_property
    def counts(self) -> Mapping[ChangeKind, int]:
        """The number of changes of each kind; a change of several kinds counts for each of them."""
        found = Counter(kind for change in self.entries for kind in change.kinds)
        return {kind: found[kind] for kind in ChangeKind}

    @cached_property
    def counterpart(self) -> Mapping[str, Entry]:
        """The first right entry that each left entry became, by the id of the left one."""
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
    # In one language words alone show similarity, and differing terms are not needed.
    comparison = compare_editions(left, right, tied, references, concepts=())
    return _ChangeFinder(left, right, comparison, references).find()


class _ChangeFinder:
    """Finds the changes between the sides of a ``comparison``, except what an excerpt lacks."""

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
        self._matched = match_passages(old, new, comparison)
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
        """Return whether two rules have the same number and nothing else in common."""
        texts = self._texts.get(one.id) and self._texts.get(other.id)
        bare = is_bare_number(one) and is_bare_number(other)
        return bool(bare and texts and not self._given[one.id][other.id])

    def _pair_renumbered(self) -> None:
        """Pair sections and rules without a counterpart whose headings differ in the number
        only.
        """
        names: list[dict[tuple[str, str], list[str]]] = []
        for side, paired in ((self._left, self._became), (self._right, self._was)):
            names.append(defaultdict(list))
            for entry in side:
                if entry.id not in paired and entry.heading_spans and not is_bare_number(entry):
                    names[-1][entry.kind, key(_NUMBER.sub("", entry.heading))].append(entry.id)
        for name, (id, *more) in names[0].items():
            others = names[1].get(name, [])
            if name[1] and not more and len(others) == 1:
                self._became[id], self._was[others[0]] = others[0], id

    def find(self) -> VersionChanges:
        """Return the entries of either side, each in one change."""
        # A new entry with most of its text from an old one is what this became, or else a part of
        # it; an old entry that gave most of its text to another was merged.
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
        renamed = self._judge()
        self._headed = {renaming.entries for renaming in renamed}
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
        return VersionChanges(self._comparison.left, self._comparison.right, tuple(done), renamed)

    def _judge(self) -> tuple[Renaming, ...]:
        """Set what changed in each match, and whether that changes the rule. Return the
        renamings.
        """
        language = self._comparison.right.language
        terms = {
            stem
            for entry in (*self._left, *self._right)
            if entry.kind in (Kind.TERM, Kind.REDIRECT, Kind.SUBSECTION)
            or (entry.kind is Kind.SECTION and len(entry.title.split()) <= SHORT_TITLE)
            for stem in stems([entry.title], language)
            if stem.isalpha()
        }
        headed = [(self._entry[left], self._entry[right]) for left, right in self._became.items()]
        found = Renamings(
            self._matched, [each for each in headed if each[0].title != each[1].title], language
        )
        steps = set(self._moved_steps())
        judged = []
        for place, match in enumerate(self._matched):
            runs, renamed = found.runs(place)
            substance: tuple[SubstanceChange, ...] = ()
            if runs:
                substance = substance_changes(*match.texts, language, terms, renamed)
            elif not (match.left and match.right):
                one = (match.left or match.right)[0].entry
                if one in self._became or one in self._was:
                    substance = (SubstanceChange.REMOVED if match.left else SubstanceChange.ADDED,)
            if place in steps:
                substance = tuple(dict.fromkeys((*substance, SubstanceChange.ORDER)))
            judged.append(
                replace(
                    match,
                    rewordings=tuple(runs),
                    renamed=bool(runs) and renamed.issuperset(runs) and not substance,
                    substance=substance,
                )
            )
        places = {id(match): place for place, match in enumerate(self._matched)}
        self._matched = judged
        return tuple(
            each._replace(places=tuple(judged[places[id(match)]] for match in each.places))
            for each in found.all
        )

    def _moved_steps(self) -> Iterator[int]:
        """Yield the indices of steps that come in a different order than before."""
        for left, right in self._became.items():
            both = [
                place
                for place in sorted(self._touching[left] & self._touching[right])
                if self._matched[place].left and self._matched[place].right
            ]
            ordinals = [self._matched[place].left[0].ordinal for place in both]
            for n in out_of_order(ordinals):
                if is_step(self._matched[both[n]].right[0]):
                    yield both[n]

    def _source(self, id: str, shares: Counter[str]) -> str | None:
        """Return the entry of the other side that has most of the text of the entry ``id``, or
        None; ``shares`` are the common characters by entry.
        """
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
        bare = is_bare_number(old) and is_bare_number(new)
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
        only_renamed = {ChangeKind.REWORDED, ChangeKind.RENAMED}.issuperset(kinds) and all(
            match.renamed for match in passages if not match.same_words
        )
        if ChangeKind.RENAMED in kinds:
            only_renamed = only_renamed and (old, new) in self._headed
        return EntryChange(here, there, kinds, passages, references, only_renamed)

    def _passages(self, entries: Iterable[str]) -> tuple[PassageMatch, ...]:
        """Return the matches of the passages of these entries, in the order of the new ones."""
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
        """Return the right entries that moved: below a different entry, or out of order with their
        neighbours.
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
    """Group references by the id of the entry that prints them."""
    found: dict[str, list[Reference]] = defaultdict(list)
    for reference in references:
        found[reference.entry].append(reference)
    return found
