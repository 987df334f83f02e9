"""Find the passages that a passage announces: the items of a list, or the rules that follow "There
are three types:".
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import takewhile

from corpus.languages import any_of
from corpus.model import Entry, Kind, Passage, Role
from corpus.sentences import sentences
from glossary.comparison.numbers import NumberRole, read_numbers
from index.library.library import Library
from index.timing.steps import children_of, mark_of, texts_of, without_rule_number

_MOST = 40  # most passages: more are a glossary, or a chapter
_MOST_WORDS = 12  # most words of a sentence that only states a number of things
_CLOSED = re.compile(r"[.!?…][^\w.!?…:]{0,8}\Z")
_BULLET = re.compile(r"\s*[•◦▪*–-]\s")
_LABEL = re.compile(r"\W*[^.:!?–]{1,40}(?::| –)\s")


def announced_by(library: Library, passage: Passage) -> list[Passage]:
    """Return the passages that ``passage`` announces, in order; none if it is complete by itself.

    A passage announces others if it ends in a colon, says that something follows, or states the
    number of things that follow. These are indented items, the next items, entries within its own
    entry, or the rules after it. An unfinished sentence announces the items or rules that complete
    it.
    """
    entry = library.entry.get(passage.entry)
    if entry is None or passage.role is not Role.TEXT:
        return []
    found = _announced(library, entry, passage)
    return found if len(found) <= _MOST else []


def _announced(library: Library, entry: Entry, passage: Passage) -> list[Passage]:
    texts = texts_of(library, entry)
    behind = [each for each in texts if each.ordinal > passage.ordinal]
    said = _Announcement(passage.display, library.edition[entry.edition].language)
    if items := list(takewhile(lambda each: each.depth > passage.depth, behind)):
        highest = min(each.depth for each in items)
        count = sum(each.depth == highest for each in items)
        goes_on = said.is_unfinished and bool(items[0].lead_in)
        return items if goes_on or said.of(count) or said.follows() else []
    children = _before_next(children_of(library, entry.id), passage, texts)
    if behind and not children:
        return _alike(behind, passage) if said.is_open else []
    if children:
        goes_on = said.is_unfinished and {entry.kind, children[0].kind} == {Kind.RULE}
        return list(_inside(library, children)) if goes_on or said.of(len(children)) else []
    rules, texts = rules_behind(library, entry)
    counted = bool(rules) and (said.is_open or said.counts(len(rules)))
    return texts if counted else []


def _before_next(
    children: Iterable[Entry], passage: Passage, texts: Sequence[Passage]
) -> list[Entry]:
    """Return the ``children`` of an entry that are printed between ``passage`` and the next of the
    entry's ``texts``: of two lists in a rule, the list that the passage leads in to.
    """
    behind = (each.lines.first for each in texts if each.ordinal > passage.ordinal)
    end = next(behind, sys.maxsize)
    return [each for each in children if passage.lines.first <= each.lines.first < end]


class _Announcement:
    """A ``text`` in ``language`` that may announce the texts after it, in its last sentence."""

    def __init__(self, text: str, language: str):
        text = without_rule_number(text).rstrip()
        found = sentences(text)
        self._last = text[slice(*found[-1])].rstrip() if found else ""
        self._text = text
        self._language = language
        self.is_open = text.endswith(":")
        self.is_unfinished = not _CLOSED.search(text)

    def of(self, count: int) -> bool:
        """Return whether the text announces ``count`` things."""
        if self.is_open:
            return True
        names_them = ":" in self._last
        told = _following(self._language).search(self._last) is not None
        return not names_them and (told or self.counts(count))

    def follows(self) -> bool:
        """Return whether any sentence of the text says that something follows."""
        return _following(self._language).search(self._text) is not None

    def counts(self, count: int) -> bool:
        """Return whether the last sentence states that there are ``count`` things, and does not
        name them.
        """
        said = self._last
        return (
            count > 1
            and ":" not in said
            and len(said.split()) <= _MOST_WORDS
            and any(
                use.role is NumberRole.STATED
                and use.value == str(count)
                and not _several(self._language).match(said, use.span.end)
                for use in read_numbers(said, self._language)
            )
        )


@cache
def _following(language: str) -> re.Pattern[str]:
    return re.compile(rf"\b{any_of('sequences.below', language=language)}", re.IGNORECASE)


@cache
def _several(language: str) -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{any_of('numbers.several', language=language)})", re.IGNORECASE)


def _alike(behind: Sequence[Passage], passage: Passage) -> list[Passage]:
    """Return the leading passages of ``behind`` that form one list: all that begin in the same way
    as the first, with their subitems; only the first if it begins like plain text.
    """
    form = _form(behind[0].display)
    return list(
        takewhile(
            lambda each: (
                each is behind[0]
                or each.depth > behind[0].depth
                or form == _form(each.display) != ""
            ),
            behind,
        )
    )


def _form(text: str) -> str:
    """Return how the list item ``text`` begins: "number", "bullet" or "label"; "" if it is none."""
    if mark_of(text) is not None:
        return "number"
    return "bullet" if _BULLET.match(text) else "label" if _LABEL.match(text) else ""


def rules_behind(library: Library, entry: Entry) -> tuple[Sequence[Entry], list[Passage]]:
    """Return the rules after ``entry`` in its parent, and their texts; none if ``entry`` is not the
    first rule there.
    """
    siblings = children_of(library, entry.parent) if entry.parent else ()
    is_first = bool(siblings) and siblings[0].id == entry.id
    rules = siblings[1:] if is_first and entry.kind is Kind.RULE else ()
    return rules, list(_inside(library, rules))


def _inside(library: Library, entries: Sequence[Entry]) -> Iterator[Passage]:
    """Yield the texts of ``entries`` and of all entries inside them."""
    for entry in entries:
        yield from texts_of(library, entry)
        yield from _inside(library, children_of(library, entry.id))
