"""Finds the entries of one rulebook by number, by label ("Appendix II") and by name, however a
reference prints them.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from corpus.languages import any_of
from corpus.model import Role, Rulebook
from corpus.titles import key
from glossary.references.dotted_numbers import dotted_numbers
from glossary.references.heading_lookup import SURE, HeadingLookup, HeadingMatch, MatchKind

_PLACE = any_of("sections.appendix", "labels.numbering", "references.section", "references.rule")
_LABELLED = re.compile(
    rf"(?P<label>(?P<place>{_PLACE})\s+(?P<number>[IVXLC]{{1,7}}|[A-Z]|\d{{1,3}}))\b\s*[.:)–—-]*\s*",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?P<number>(?:[A-Z]{1,3}\.?)?\d+(?:\.\d+)*(?:\.?[a-z])?|[IVXLC]{1,7}|[A-Z])[.:)]?\s+(?=\S)"
)
_QUOTED = re.compile(r"[„“\"«»”'‘]\s?([^„“”\"«»\n]{2,100}?)\s?[“”\"»«'’](?!\w)")
_WORD = re.compile(r"^(?:§+\s*|[^\W\d]+\.?\s+)(?=\d)")
_BRACKETED = re.compile(r"\s?\(([a-z\d]{1,3})\)")


class EntryFinder:
    """The entries of one rulebook by what references call them."""

    def __init__(self, rulebook: Rulebook):
        self._entries = {entry.id: entry for entry in rulebook.entries}
        self._empty = _empty(rulebook)
        self._said: Counter[str] = Counter()  # characters of the text of an entry
        for passage in rulebook.passages:
            self._said[passage.entry] += len(passage.text)
        self._numbers: dict[str, str] = {}
        self._printed: set[str] = set()  # numbers that are printed so
        self._labels: dict[str, str] = {}
        self._headings: dict[str, list[str]] = {}
        dotted = dotted_numbers(rulebook.entries)
        named = []
        for entry in rulebook.entries:
            for printed in filter(None, (entry.number, dotted.get(entry.id))):
                for place, number in enumerate(_forms(printed)):
                    self._add_number(number, entry.id, as_printed=not place)
            if label := _LABELLED.match(entry.heading):
                self._labels.setdefault(key(label["label"]), entry.id)
                if label["number"].isupper():
                    self._labels.setdefault(key(label["number"]), entry.id)
            self._headings.setdefault(key(entry.heading), []).append(entry.id)
            named.append(
                replace(
                    entry,
                    heading=_unnumbered(entry.heading, entry.number),
                    title=_unnumbered(entry.title, entry.number),
                )
            )
        self._lookup = HeadingLookup(replace(rulebook, entries=tuple(named)))
        self._families = {number.rpartition(".")[0] for number in self._numbers if "." in number}

    def _add_number(self, number: str, id: str, as_printed: bool) -> None:
        """Add a form of the number of an entry; of two with the same one the one counts that has it
        ``as_printed`` or says more.
        """
        other = self._numbers.get(number)
        if other is None or (as_printed, self._said.get(id, 0)) > (
            number in self._printed,
            2 * self._said.get(other, 0),
        ):
            self._numbers[number] = id
            if as_printed:
                self._printed.add(number)

    def number(self, printed: str) -> str | None:
        """The entry with the number ``printed``; None if there is none. "704.5 (a)" is 704.5a, else
        what is known of 704.5.
        """
        bare = _BRACKETED.sub("", printed)
        marks = _BRACKETED.findall(printed)
        for count in range(len(marks), -1, -1):
            for joined in {bare + "".join(marks[:count]), ".".join([bare, *marks[:count]])}:
                if found := next(
                    (self._numbers[form] for form in _forms(joined) if form in self._numbers), None
                ):
                    return found
        return None

    def label(self, printed: str) -> str | None:
        """The entry whose heading begins with the label ``printed``, such as "Appendix II" or "II";
        None if there is none.
        """
        return self._labels.get(key(printed))

    def is_in_sequence(self, printed: str) -> bool:
        """Whether the document has other numbers within the same one, so that ``printed`` could be
        one of its own.
        """
        around = _forms(printed)[1].rpartition(".")[0]
        return around in self._families or ("." in around and around in self._numbers)

    def find(self, name: str, source: str, near: bool = False) -> HeadingMatch | None:
        """The entry that ``name``, printed in the entry ``source``, surely means; also a similar
        one where ``near``; None if there is none.

        An entry does not refer to itself by its name: of several with the name, another one is
        meant. One that has a text is meant rather than one that has none.
        """
        name = name.strip()
        if (match := self._with_number(name)) is None:
            match = self._lookup.find(name)
        if match is None or not (match.how in SURE or match.how is MatchKind.NAMED or near):
            return None
        ids = [match.entry, *match.others]
        if ids == [source]:
            ids = self._lookup.candidates(name) or ids
        others = [id for id in ids if id != source] or ids
        telling = [id for id in others if id not in self._empty] or others
        return HeadingMatch(telling[0], match.how, tuple(telling[1:]))

    def has(self, id: str) -> bool:
        """Whether the rulebook has the entry ``id``."""
        return id in self._entries

    def title(self, id: str) -> str:
        """The heading of the entry ``id`` without its number or label."""
        return _unnumbered(self._entries[id].heading, self._entries[id].number)

    def strict(self, name: str) -> str | None:
        """The only entry whose heading is ``name``; None if there is none or several."""
        match = self._lookup.strict(name)
        return match.entry if match is not None and not match.others else None

    def in_text(self, text: str, source: str) -> HeadingMatch | None:
        """The entry that the ``text`` of a link names: all of it, what is quoted in it, or a
        label.
        """
        text = " ".join(text.replace("*", "").replace("`", "").split())
        for name in (text.strip(" .,;:\"“”„«»'"), *_QUOTED.findall(text)):
            if (match := self.find(name, source, near=True)) is not None:
                return match
        label = _LABELLED.search(text)
        found = self.label(label["label"]) if label else None
        return HeadingMatch(found, MatchKind.SHORT) if found else None

    def _with_number(self, name: str) -> HeadingMatch | None:
        """The entry that ``name`` means by its number or label and its title together, or by its
        number alone if that has several parts.
        """
        if numbered := [id for id in self._headings.get(key(name), ()) if self._entries[id].number]:
            return HeadingMatch(numbered[0], MatchKind.EXACT, tuple(numbered[1:]))
        label = _LABELLED.match(name)
        if label is not None and (found := self.label(label["label"])):
            return HeadingMatch(found, MatchKind.SHORT)
        printed = _NUMBERED.match(name)
        if printed is None:
            return None
        forms = set(_forms(printed["number"]))
        titled = [
            id
            for id in self._lookup.candidates(name[printed.end() :])
            if (number := self._entries[id].number) and forms.intersection(_forms(number))
        ]
        if titled:
            return HeadingMatch(titled[0], MatchKind.EXACT, tuple(titled[1:]))
        by_number = self.number(printed["number"]) if "." in printed["number"] else None
        if by_number:
            return HeadingMatch(by_number, MatchKind.SHORT)
        match = self._lookup.find(name[printed.end() :])
        return match if match is not None and match.how in SURE else None


def _empty(rulebook: Rulebook) -> set[str]:
    """The entries that have no text of their own and none inside them."""
    told = {passage.entry for passage in rulebook.passages if passage.role is not Role.LISTING}
    parents = {entry.id: entry.parent for entry in rulebook.entries}
    for id in list(told):
        around = parents[id]
        while around is not None and around not in told:
            told.add(around)
            around = parents[around]
    return {entry.id for entry in rulebook.entries} - told


def _unnumbered(heading: str, number: str | None) -> str:
    """``heading`` without the ``number`` or label that it begins with, by which nobody calls it:
    "Boats" for "1. Boats".
    """
    if number and heading.startswith(number.rstrip(".")):
        return heading[len(number.rstrip(".")) :].lstrip(" .:)–—-") or heading
    label = _LABELLED.match(heading)
    return (
        heading[label.end() :] or heading
        if label and key(label["label"]) != key(heading)
        else heading
    )


def _forms(number: str) -> tuple[str, str]:
    """The forms in which ``number`` is looked up: "Art. 5" is 5, "704.5.j" is 704.5j; the A of
    "A.4.1" belongs to it.
    """
    bare = _WORD.sub("", number.lower()).rstrip(".")
    return number.lower().rstrip("."), re.sub(r"\.(?=[a-z]+$)", "", bare)
