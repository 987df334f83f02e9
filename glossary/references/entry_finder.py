"""Find the entries of one rulebook by number, label ("Appendix II") or name, in any form that
references use.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from corpus.formats.assembly import roman_value
from corpus.languages import any_of
from corpus.model import Entry, Role
from corpus.titles import key
from glossary.model import RulebookView
from glossary.references.heading_lookup import SURE, HeadingLookup, HeadingMatch, MatchKind
from glossary.references.numbers import dotted_numbers
from glossary.references.printed_numbers import (
    APPENDIX,
    NumberKey,
    Parts,
    label_key,
    names_any_rule,
    names_part,
    number_key,
    numbers_between,
    rule_and_marks,
)

_PLACE = any_of(
    "sections.appendix",
    "references.appendices",
    "labels.numbering",
    "references.section",
    "references.rule",
)
_LABELLED = re.compile(
    rf"(?P<label>(?P<place>{_PLACE})\s+(?P<number>[IVXLC]{{1,7}}|[A-Z]|\d{{1,3}}))\b\s*[.:)–—-]*\s*",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?P<number>(?:[A-Z]{1,3}\.?)?\d+(?:\.\d+)*(?:\.?[a-z])?|[IVXLC]{1,7}|[A-Z])[.:)]?\s+(?=\S)"
)
_CHAPTER = re.compile(rf"(?i:{any_of('labels.numbering', 'references.section')})\s([IVXLC]{{1,7}})")
_ROMAN = re.compile(r"[IVXLC]{1,7}")
_POINTED = re.compile(r"\.\d+\.[a-z]")
_SMALL_ROMAN = re.compile(r"[ivx]+")
_LETTER = re.compile(r"[A-Z]")
_APPENDICES = re.compile(
    rf"\W*(?:{any_of('sections.appendix', 'references.appendices')})\W*\Z", re.IGNORECASE
)
_QUOTED = re.compile(r"[„“\"«»”'‘]\s?([^„“”\"«»\n]{2,100}?)\s?[“”\"»«'’](?!\w)")
_BEGINS_WITH_NUMBER = re.compile(r"(\d{1,3})[.:)]?\s+[^\W\d]")
_FEWEST = 3  # least numbers with the same label, for another to be reported as missing
_FEWEST_PARTS = 2


class EntryFinder:
    """The entries of one rulebook, indexed by numbers, labels and names."""

    def __init__(self, rulebook: RulebookView):
        self.edition = rulebook.edition
        self.entries = {entry.id: entry for entry in rulebook.entries}
        self._empty = _empty(rulebook)
        said: Counter[str] = Counter()  # characters of text per entry
        for passage in rulebook.passages:
            said[passage.entry] += len(passage.text)
        self._numbers: dict[Parts, str] = {}
        self._labelled: dict[tuple[str, Parts], str] = {}
        self._labels: dict[str, str] = {}
        self._headings: dict[str, list[str]] = {}
        self._roman: dict[str, str] = {}  # chapters
        printed_so: set[Parts] = set()  # numbers printed without a label
        dotted = dotted_numbers(rulebook.entries)
        for entry in rulebook.entries:
            for printed in filter(None, (entry.number, dotted.get(entry.id))):
                label, parts = number_key(printed)
                if label:
                    self._labelled.setdefault((label, parts), entry.id)
                # If two entries share a number, one without a label wins, or else the longer one.
                other = self._numbers.get(parts)
                if other is None or (not label, said[entry.id]) > (
                    parts in printed_so,
                    2 * said[other],
                ):
                    self._numbers[parts] = entry.id
                    if not label:
                        printed_so.add(parts)
            if chapter := _CHAPTER.fullmatch(entry.number or ""):
                self._roman.setdefault(chapter[1], entry.id)
            around = self.entries.get(entry.parent or "")
            if (
                around
                and _LETTER.fullmatch(entry.number or "")
                and _APPENDICES.match(around.heading)
            ):
                self._labelled.setdefault(
                    (APPENDIX, number_key(entry.number or "").parts), entry.id
                )
            if headed := _LABELLED.match(entry.heading):
                self._labels.setdefault(key(headed["label"]), entry.id)
                if headed["number"].isupper():
                    self._labels.setdefault(key(headed["number"]), entry.id)
            if (headed_key := headed_number(entry)) and headed_key.label:
                self._labelled.setdefault(headed_key, entry.id)
            self._headings.setdefault(key(entry.heading), []).append(entry.id)
        for entry in rulebook.entries:
            if (headed_key := headed_number(entry)) and not headed_key.label:
                self._numbers.setdefault(headed_key.parts, entry.id)
        self._inside: dict[Parts, set[str]] = {}  # last parts of numbers by the parts before
        for parts in self._numbers:
            self._inside.setdefault(parts[:-1], set()).add(parts[-1])
        self._whole: dict[str, set[int]] = {}  # whole numbers by label
        for label, parts in (*self._labelled, *(("", each) for each in printed_so)):
            if parts and parts[0].isdigit() and (len(parts) == 1 or not label):
                self._whole.setdefault(label, set()).add(int(parts[0]))
        named = (
            replace(
                entry,
                heading=unnumbered(entry.heading, entry.number),
                title=unnumbered(entry.title, entry.number),
            )
            for entry in rulebook.entries
        )
        self._lookup = HeadingLookup(rulebook, entries=tuple(named))

    def number(self, printed: str, label: str = "") -> str | None:
        """Return the entry with the number ``printed`` after ``label``, or None.

        "704.5 (a)" is looked up as 704.5a, then as 704.5.
        """
        rule, marks = rule_and_marks(printed, label)
        if _ROMAN.fullmatch(printed) and (chapter := self._roman.get(printed)):
            own = self._labelled.get((label_key(label) if label else "", rule))
            return own or chapter  # "Abschnitt II" for "Teil II", and never § 2
        for count in range(len(marks), -1, -1):
            found = self._numbered(rule, marks[:count], label)
            if found is not None:
                return None if self._lacks(found, marks[count:]) else found
        return self._numbers.get(_in_figures(rule)) if _POINTED.search(printed) else None

    def _numbered(self, rule: Parts, marks: Parts, label: str) -> str | None:
        """Return the entry with the number ``rule`` after ``label``, or its part ``marks``."""
        known = label_key(label) if label else ""
        found = self._labelled.get((known, (*rule, *marks)))
        bare = self._numbers.get((*rule, *marks))
        if found is not None or bare is None or not label:
            return found or bare
        own = number_key(self.entries[bare].number or "").label
        if APPENDIX in (known, own):
            return None
        if known in self._whole:  # "Capitolo 1" is never Art. 1
            around = self._labelled.get((known, rule[:1]))
            return bare if len(rule) > 1 or (marks and self._is_within(bare, around)) else None
        # "paragraph 2" is never Art. 2
        any_rule = names_any_rule(label) and not names_part(label) and known != "parag"
        return bare if own in ("", "§") or any_rule else None

    def _is_within(self, inner: str, outer: str | None) -> bool:
        entry = self.entries.get(inner)
        while entry is not None and entry.id != outer:
            entry = self.entries.get(entry.parent or "")
        return entry is not None

    def _lacks(self, id: str, marks: Parts) -> bool:
        """Return whether the entry ``id`` has several parts numbered in the style of the first of
        ``marks`` (digits or letters), but not this part.
        """
        inside = self._inside.get(number_key(self.entries[id].number or "").parts, set())
        alike = {each for each in inside if marks and each.isdigit() == marks[0].isdigit()}
        return len(alike) >= _FEWEST_PARTS and marks[0] not in alike

    def part(self, printed: str, source: str) -> str | None:
        """Return the part with the number ``printed`` of the rule that contains the entry
        ``source``, or None.
        """
        label, parts = number_key(self.entries[source].number or "")
        for size in range(len(parts), 0 if label else max(len(parts) - 1, 0), -1):
            number = (*parts[:size], *number_key(printed).parts)
            found = self._labelled.get((label, number)) or self._numbers.get(number)
            if found is not None:
                return found
        return None

    def between(self, first: str, last: str, label: str, source: str = "") -> list[str]:
        """Return the entries with numbers between two printed ones: 3.2 and 3.3 for "3.1 to 3.4",
        or, if ``source`` is given, parts of its rule for "Abs. 1 bis 4".
        """
        numbers = numbers_between(first, last, label)
        found = (
            self.part("".join(f"({mark})" for mark in marks), source)
            if source
            else self._numbered(rule, marks, label)
            for rule, marks in numbers
        )
        return [id for id in found if id is not None]

    def label(self, printed: str) -> str | None:
        """Return the entry whose heading begins with the label ``printed``, such as "Appendix II"
        or "II", or None.
        """
        return self._labels.get(key(printed))

    def could_have(self, printed: str, label: str) -> bool:
        """Return whether ``printed`` could be a missing number of this document, because it has
        similar ones: within the same number, or after ``label``.

        A number far above the last one belongs to another book.
        """
        rule, marks = rule_and_marks(printed, label)
        known = label_key(label) if label else ""
        if known == APPENDIX or (marks and self._numbered(rule, (), label)):
            return True
        others = self._whole.get(known if known in self._whole else "", set())
        general = names_any_rule(label) and not names_part(label)
        if label and "." not in printed and known not in self._whole and not general:
            return False
        if rule in self._inside:  # the number contains rules
            return False
        around = rule[:-1]
        if around and (around in self._inside or (len(around) > 1 and around in self._numbers)):
            return True
        return (
            bool(label)
            and rule[:1] != ()
            and rule[0].isdigit()
            and len(others) >= _FEWEST
            and int(rule[0]) <= 2 * max(others) + _FEWEST
        )

    def find(self, name: str, source: str, near: bool = False) -> HeadingMatch | None:
        """Return the entry that ``name``, printed in the entry ``source``, surely means, or None;
        if ``near``, a similar name is enough.

        An entry does not refer to itself by name: if several have the name, another one is
        returned. Entries with text are preferred.
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
        return unnumbered(self.entries[id].heading, self.entries[id].number)

    def strict(self, name: str) -> str | None:
        """Return the only entry whose heading is ``name``, or None if there are none or several."""
        match = self._lookup.strict(name)
        return match.entry if match is not None and not match.others else None

    def in_text(self, text: str, source: str) -> HeadingMatch | None:
        """Return the entry named by the ``text`` of a link: by the whole text, a quotation in it,
        or a label.
        """
        text = " ".join(text.replace("*", "").replace("`", "").split())
        for name in (text.strip(" .,;:\"“”„«»'"), *_QUOTED.findall(text)):
            if (match := self.find(name, source, near=True)) is not None:
                return match
        label = _LABELLED.search(text)
        found = self.label(label["label"]) if label else None
        return HeadingMatch(found, MatchKind.SHORT) if found else None

    def _with_number(self, name: str) -> HeadingMatch | None:
        """Return the entry whose number or label and title together are ``name``; a number with
        several parts needs no title.
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
        parts = number_key(number).parts
        titled = [
            id
            for id in self._lookup.candidates(title)
            if parts == number_key(self.entries[id].number or "").parts
        ]
        if titled:
            return HeadingMatch(titled[0], MatchKind.EXACT, tuple(titled[1:]))
        if "." in number and (by_number := self.number(number)):
            return HeadingMatch(by_number, MatchKind.SHORT)
        return self._lookup.sure(title)


def headed_number(entry: Entry) -> NumberKey | None:
    """Return the key of the label or number at the beginning of the heading of ``entry``, or None.

    "Appendix II" has a label; "2 Rafts" has a number, unless it was recognised as the entry's
    number.
    """
    if headed := _LABELLED.match(entry.heading):
        found = number_key(headed["label"])
        return found if found.parts == number_key(entry.number or headed["label"]).parts else None
    bare = None if entry.number else _BEGINS_WITH_NUMBER.match(entry.heading)
    return NumberKey("", (bare[1],)) if bare else None


def _in_figures(rule: Parts) -> Parts:
    """Return the parts of a number with digits for letters: 2.1.1.2 for "2.1.i.b", as displayed if
    a page shows a Markdown list.
    """
    return tuple(part if part.isdigit() else str(_letter_value(part)) for part in rule)


def _letter_value(part: str) -> int:
    return roman_value(part) if _SMALL_ROMAN.fullmatch(part) else ord(part[0]) - ord("a") + 1


def _empty(rulebook: RulebookView) -> set[str]:
    """Return the entries that have no text, not even in their children."""
    told = {passage.entry for passage in rulebook.passages if passage.role is not Role.LISTING}
    parents = {entry.id: entry.parent for entry in rulebook.entries}
    for id in list(told):
        around = parents[id]
        while around is not None and around not in told:
            told.add(around)
            around = parents[around]
    return parents.keys() - told


def unnumbered(heading: str, number: str | None) -> str:
    """Return ``heading`` without ``number`` or label, as in references: "Boats" for "1. Boats"."""
    if number and heading.startswith(number.rstrip(".")):
        return heading[len(number.rstrip(".")) :].lstrip(" .:)–—-") or heading
    label = _LABELLED.match(heading)
    if label and key(label["label"]) != key(heading):
        return heading[label.end() :] or heading
    return heading
