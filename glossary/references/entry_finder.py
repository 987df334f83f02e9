"""Find the entries of one rulebook by number, by label ("Appendix II") and by name, however a
reference prints them.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from corpus.languages import any_of
from corpus.model import Role, Rulebook
from corpus.titles import key
from glossary.references.heading_lookup import SURE, HeadingLookup, HeadingMatch, MatchKind
from glossary.references.numbers import dotted_numbers

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
        self.entries = {entry.id: entry for entry in rulebook.entries}
        self._empty = _empty(rulebook)
        said: Counter[str] = Counter()  # characters of the text of an entry
        for passage in rulebook.passages:
            said[passage.entry] += len(passage.text)
        self._numbers: dict[str, str] = {}
        self._labels: dict[str, str] = {}
        self._headings: dict[str, list[str]] = {}
        printed_so: set[str] = set()  # numbers
        dotted = dotted_numbers(rulebook.entries)
        for entry in rulebook.entries:
            for printed in filter(None, (entry.number, dotted.get(entry.id))):
                for place, number in enumerate(_forms(printed)):
                    # Of two entries with one number, that counts which prints it so or says more.
                    other = self._numbers.get(number)
                    if other is None or (not place, said[entry.id]) > (
                        number in printed_so,
                        2 * said[other],
                    ):
                        self._numbers[number] = entry.id
                        if not place:
                            printed_so.add(number)
            if label := _LABELLED.match(entry.heading):
                self._labels.setdefault(key(label["label"]), entry.id)
                if label["number"].isupper():
                    self._labels.setdefault(key(label["number"]), entry.id)
            self._headings.setdefault(key(entry.heading), []).append(entry.id)
        named = (
            replace(
                entry,
                heading=_unnumbered(entry.heading, entry.number),
                title=_unnumbered(entry.title, entry.number),
            )
            for entry in rulebook.entries
        )
        self._lookup = HeadingLookup(replace(rulebook, entries=tuple(named)))
        self._families = {number.rpartition(".")[0] for number in self._numbers if "." in number}

    def number(self, printed: str) -> str | None:
        """Return the entry with the number ``printed``; None if there is none. "704.5 (a)" is
        704.5a, else what is known of 704.5.
        """
        if found := self._numbers.get(_forms(printed)[1]):
            return found
        bare = _BRACKETED.sub("", printed)
        marks = _BRACKETED.findall(printed)
        for count in range(len(marks), -1, -1):
            for joined in {bare + "".join(marks[:count]), ".".join([bare, *marks[:count]])}:
                for form in _forms(joined):
                    if form in self._numbers:
                        return self._numbers[form]
        return None

    def label(self, printed: str) -> str | None:
        """Return the entry whose heading begins with the label ``printed``, such as "Appendix II"
        or "II"; None if there is none.
        """
        return self._labels.get(key(printed))

    def is_in_sequence(self, printed: str) -> bool:
        """Return whether the document has other numbers within the same one, so that ``printed``
        could be one of its own.
        """
        around = _forms(printed)[1].rpartition(".")[0]
        return around in self._families or ("." in around and around in self._numbers)

    def find(self, name: str, source: str, near: bool = False) -> HeadingMatch | None:
        """Return the entry that ``name``, printed in the entry ``source``, surely means; also a
        similar one where ``near``; None if there is none.

        An entry does not refer to itself by its name: of several with the name, another one is
        meant. One that has a text is meant rather than one that has none.
        """
        name = name.strip()
        match = self._with_number(name) or self._lookup.find(name)
        if match is None or not (match.how in SURE or match.how is MatchKind.NAMED or near):
            return None
        ids = [match.entry, *match.others]
        if ids == [source]:
            ids = self._lookup.candidates(name) or ids
        others = [id for id in ids if id != source] or ids
        first, *more = [id for id in others if id not in self._empty] or others
        return HeadingMatch(first, match.how, tuple(more))

    def title(self, id: str) -> str:
        """Return the heading of the entry ``id`` without its number or label."""
        return _unnumbered(self.entries[id].heading, self.entries[id].number)

    def strict(self, name: str) -> str | None:
        """Return the only entry whose heading is ``name``; None if there is none or several."""
        match = self._lookup.strict(name)
        return match.entry if match is not None and not match.others else None

    def in_text(self, text: str, source: str) -> HeadingMatch | None:
        """Return the entry that the ``text`` of a link names: all of it, what is quoted in it, or a
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
        """Return the entry that ``name`` means by its number or label and its title together, or by
        its number alone if that has several parts.
        """
        if numbered := [id for id in self._headings.get(key(name), ()) if self.entries[id].number]:
            return HeadingMatch(numbered[0], MatchKind.EXACT, tuple(numbered[1:]))
        label = _LABELLED.match(name)
        if label is not None and (found := self.label(label["label"])):
            return HeadingMatch(found, MatchKind.SHORT)
        printed = _NUMBERED.match(name)
        if printed is None:
            return None
        number, title = printed["number"], name[printed.end() :]
        forms = set(_forms(number))
        titled = [
            id
            for id in self._lookup.candidates(title)
            if forms.intersection(_forms(self.entries[id].number or ""))
        ]
        if titled:
            return HeadingMatch(titled[0], MatchKind.EXACT, tuple(titled[1:]))
        if "." in number and (by_number := self.number(number)):
            return HeadingMatch(by_number, MatchKind.SHORT)
        return self._lookup.sure(title)


def _empty(rulebook: Rulebook) -> set[str]:
    """Return the entries that have no text of their own and none inside them."""
    told = {passage.entry for passage in rulebook.passages if passage.role is not Role.LISTING}
    parents = {entry.id: entry.parent for entry in rulebook.entries}
    for id in list(told):
        around = parents[id]
        while around is not None and around not in told:
            told.add(around)
            around = parents[around]
    return parents.keys() - told


def _unnumbered(heading: str, number: str | None) -> str:
    """Return ``heading`` without the ``number`` or label that it begins with, by which nobody calls
    it: "Boats" for "1. Boats".
    """
    if number and heading.startswith(number.rstrip(".")):
        return heading[len(number.rstrip(".")) :].lstrip(" .:)–—-") or heading
    label = _LABELLED.match(heading)
    if label and key(label["label"]) != key(heading):
        return heading[label.end() :] or heading
    return heading


def _forms(number: str) -> tuple[str, str]:
    """Return the forms in which ``number`` is looked up: "Art. 5" is 5, "704.5.j" is 704.5j; the A
    of "A.4.1" belongs to it.
    """
    bare = _WORD.sub("", number.lower()).rstrip(".")
    return number.lower().rstrip("."), re.sub(r"\.(?=[a-z]+$)", "", bare)
