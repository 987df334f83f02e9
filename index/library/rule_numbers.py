"""Find passages by the number of their rule, in whatever form a question writes it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpus.model import Entry
from glossary.references.cited_rules import CitedRule
from glossary.references.entry_finder import headed_number
from glossary.references.numbers import dotted_numbers
from glossary.references.printed_numbers import (
    APPENDIX,
    NumberKey,
    item_parts,
    number_key,
    ordinal,
)
from index.files.records import NameIndex
from index.library.library import Library

_Numbers = NDArray[np.int64]
_FEWEST_PARTS = 2  # numbered parts of a rule, for a cited part to count as missing

# Names in the index: of a rule, with and without the word before its number; of a rule's own text;
# of an edition that has such a word, or a rule with numbered parts; of an item of a list.
_RULE, _BARE, _OWN, _WORD, _PARTED = "{0}\t{1}", "*\t{1}", "=\t{1}", "{0}\t", ">\t{1}\t{2}"
_ITEM = "-{0}\t{1}"


class RuleNumbers:
    """Passages by the numbers of their rules, and of the rules that these are parts of.

    The passages of edition i are those from ``bounds[i]`` up to ``bounds[i + 1]``.
    """

    def __init__(self, names: NameIndex, bounds: NDArray[np.int64]):
        self._names, self._bounds = names, bounds

    @classmethod
    def build(cls, library: Library, of_entry: Mapping[str, Sequence[int]]) -> RuleNumbers:
        """Gather the rules of ``library``; ``of_entry`` are the passages of each entry."""
        bounds = library.relations.bounds
        found: defaultdict[str, set[int]] = defaultdict(set)
        for edition, rulebook in enumerate(library.rulebooks):
            parted: defaultdict[tuple[tuple[str, ...], str], set[str]] = defaultdict(set)
            for entry, key in _numbered(rulebook.entries):
                text = [n for e in library.with_inside(entry) for n in of_entry.get(e.id, ())]
                if not text:
                    continue
                for name in (_RULE, _BARE) if key.label != APPENDIX else (_RULE,):
                    found[_name(name, key)].update(text)
                for around in library.path(entry)[:-1]:  # "3.2" in "Article 3"
                    word = number_key(around.number or "")
                    if word.parts == key.parts[:1] and word.label and not key.label:
                        found[_name(_RULE, key._replace(label=word.label))].update(text)
                if entry.number:
                    found[_name(_OWN, key)].update(of_entry.get(entry.id, ())[:1])
                if len(key.parts) == 1 and key.parts[0].isdigit():
                    found[_name(_WORD, key)].add(text[0])
                if key.parts:
                    parted[key.parts[:-1], _style(key.parts[-1])].add(key.parts[-1])
            for entry in rulebook.entries:
                for number in of_entry.get(entry.id, ()):
                    for key in _items(library, entry, library.searchable[number].item):
                        found[_name(_ITEM, key)].add(number)
            for (parts, style), last in parted.items():
                if len(last) >= _FEWEST_PARTS:
                    found[_PARTED.format("", ".".join(parts), style)].add(int(bounds[edition]))
        return cls(NameIndex.from_groups(found), bounds)

    def save(self, path: Path) -> None:
        """Write everything to ``path``."""
        self._names.save(path)

    @classmethod
    def load(cls, path: Path, bounds: NDArray[np.int64]) -> RuleNumbers:
        """Map what `save` wrote to ``path``.

        Raises `OSError`, `ValueError` or `RuntimeError` if it is damaged.
        """
        return cls(NameIndex.load(path), bounds)

    def passages(self, cited: CitedRule, chapters: bool = True) -> _Numbers:
        """Return the numbers of the passages of the rule ``cited`` and of all its parts, ascending.
        For "§ 5 Abs. 2" these are the passages of § 5 if its paragraphs have no numbers. Without
        ``chapters``, "rule 1" does not find a rule with numbered parts, as it may be no citation:
        "the rule 1 action per character".
        """
        found: list[_Numbers] = []
        settled = np.zeros(len(self._bounds) - 1, dtype=np.bool_)  # editions
        for count in range(len(cited.marks), -1, -1):
            parts = (*cited.rule, *cited.marks[:count])
            numbers = self._rule(cited, parts)
            numbers = numbers[~settled[self._editions(numbers)]]
            settled[self._editions(numbers)] = True
            if lacking := cited.marks[count : count + 1]:
                name = _PARTED.format("", ".".join(parts), _style(lacking[0]))
                numbers = self._outside(numbers, self._names.numbers(name))
            elif not chapters and len(parts) == 1 and cited.is_general and cited.label != "§":
                name = _PARTED.format("", parts[0], "1")
                numbers = self._outside(numbers, self._names.numbers(name))
            found.append(numbers)
        return np.unique(np.concatenate(found))

    def _rule(self, cited: CitedRule, parts: tuple[str, ...]) -> _Numbers:
        """Return the passages of the rule with the number ``parts`` after the word in ``cited``; in
        editions that do not use the word, of the rule with just that number.
        """
        key = NumberKey(cited.label, parts)
        own = self._names.numbers(_name(_RULE, key)).astype(np.int64)
        if cited.label == APPENDIX:
            return own
        others = [_RULE.format(label, ".".join(parts)) for label in ("", "§")]
        others += [_name(_BARE, key)] if cited.is_general else []
        for name in others:
            numbers = self._outside(self._names.numbers(name).astype(np.int64), own)
            if cited.label and len(cited.rule) == 1:  # "Capitolo 1" is never Art. 1
                numbers = self._outside(numbers, self._names.numbers(_name(_WORD, key)))
            own = np.concatenate((own, numbers))
        if cited.may_be_item or len(parts) > len(cited.rule):
            for label in {cited.label, ""} if cited.may_be_item else {cited.label}:
                items = self._names.numbers(_name(_ITEM, NumberKey(label, parts)))
                own = np.concatenate((own, self._outside(items.astype(np.int64), own)))
        return own

    def _editions(self, numbers: NDArray[np.integer]) -> NDArray[np.intp]:
        return np.searchsorted(self._bounds, numbers, side="right") - 1

    def _outside(self, numbers: _Numbers, others: NDArray[np.integer]) -> _Numbers:
        """Return the ``numbers`` in editions that have none of ``others``."""
        return numbers[~np.isin(self._editions(numbers), self._editions(others))]

    def nearest(self, cited: CitedRule, scope: _Numbers, count: int) -> list[int]:
        """Return the first passages, within ``scope`` (ascending), of up to ``count`` rules with
        the numbers nearest to ``cited``.
        """
        sought = (*cited.rule, *cited.marks)
        found: dict[int, tuple[int, int, list[tuple[int, str]]]] = {}
        beginning = _OWN.format("", "")
        for name in self._names.names(beginning):
            parts = tuple(name.removeprefix(beginning).split("."))
            common = next(
                (
                    n
                    for n, (one, other) in enumerate(zip(parts, sought, strict=False))
                    if one != other
                ),
                min(len(parts), len(sought)),
            )
            apart = _apart(parts[common:], sought[common:])
            rank = -common, apart, [_sorted(part) for part in parts]
            for number in self._names.numbers(name).tolist():
                found[number] = min(found.get(number, rank), rank)
        inside = np.intersect1d(scope, np.array(list(found), dtype=np.int64))
        return sorted(inside.tolist(), key=found.__getitem__)[:count]


def _numbered(entries: Sequence[Entry]) -> Iterator[tuple[Entry, NumberKey]]:
    """Yield the entries that have a rule number, each with every number it is called by."""
    dotted = dotted_numbers(entries)
    known: set[tuple[str, ...]] = set()
    for entry in entries:
        if entry.number and not entry.card:  # rulings have the number of the card
            for printed in filter(None, (entry.number, dotted.get(entry.id))):
                if (key := number_key(printed)).parts:
                    known.add(key.parts)
                    yield entry, key
    for entry in entries:
        headed = None if entry.card else headed_number(entry)
        if headed and (headed.label or headed.parts not in known):
            yield entry, headed


def _items(library: Library, entry: Entry, item: str) -> Iterator[NumberKey]:
    """Yield the numbers of a list ``item`` in ``entry``, after the number of the rule around it:
    "3. a)" in rule 2 is 2.3 and 2.3.a.
    """
    around = next((e.number for e in reversed(library.path(entry)) if e.number), "")
    label, parts = number_key(around)
    for part in item_parts(item):
        parts = (*parts, part)
        yield NumberKey(label, parts)


def _name(name: str, key: NumberKey) -> str:
    return name.format(key.label, ".".join(key.parts))


def _style(part: str) -> str:
    return "1" if part.isdigit() else "a"


def _sorted(part: str) -> tuple[int, str]:
    return (int(part), "") if part.isdigit() else (0, part)


def _apart(parts: Sequence[str], sought: Sequence[str]) -> int:
    """Return how far the first of ``parts`` is from the first of ``sought``; 0 if there is none."""
    if not parts or not sought or parts[0].isdigit() != sought[0].isdigit():
        return 0
    return abs(ordinal(parts[0]) - ordinal(sought[0]))
