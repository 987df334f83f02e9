"""Look up entries by the names that references use: exact names first, then shortened, inflected
and misspelled ones.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA

from corpus.languages import any_of, get_language, words_of
from corpus.model import Entry, Kind
from corpus.titles import key
from glossary.model import RulebookView
from glossary.normalization import get_stemmer

LONGEST = 120  # characters of a name; a longer text is a sentence
LONGEST_HEADING = 300


class MatchKind(StrEnum):
    """The ways in which a name can match a heading, best first."""

    EXACT = "exact"
    PART = "part"  # one of the names in the heading: "Würfel" for WÜRFEL, WÜRFELWURF
    SHORT = "short"  # without qualifier, icon, article or parameter
    INFLECTED = "inflected"  # other number, case, tense or hyphens
    BEGINNING = "beginning"  # the first words of one heading only: "Doppelt" for DOPPELT-SYMBOL
    NEAREST = "nearest"  # with another qualifier, or one of several names in the reference
    SPELLING = "spelling"  # one or two letters differ
    NAMED = "named"  # in the list of names of the edition


SURE = frozenset({MatchKind.EXACT, MatchKind.PART, MatchKind.SHORT, MatchKind.INFLECTED})


class HeadingMatch(NamedTuple):
    """The id of the entry that a name means, and of ``others`` that match it equally well."""

    entry: str
    how: MatchKind
    others: tuple[str, ...] = ()


_RANK = {Kind.TERM: 0, Kind.RULE: 0, Kind.REDIRECT: 1, Kind.SECTION: 2, Kind.SUBSECTION: 4}
_BLANKS = r"(?:(?<!\s)\s+)?"  # a whole run of white space
_BRACKET = re.compile(rf"{_BLANKS}\(([^()]*)\)")
_PAGE = re.compile(rf"{_BLANKS}\({any_of('references.page')}\s*\d+\)", re.IGNORECASE)
_ICON = re.compile(
    rf"{_BLANKS}\((?:[^\w()]*\w?|\\\w+|[\d/]{{1,4}})\)|{_BLANKS}[-–—][^\w()]{{0,10}}+\w?\s*(?=\))"
)
_AND = re.compile(rf"(?<!\s)\s+{any_of('sentences.conjunctions')}\s+", re.IGNORECASE)
_ARTICLE = re.compile(
    rf"^{any_of('sentences.articles')}\s+|^{any_of('sentences.article_elisions')}['’]",
    re.IGNORECASE,
)
_PARAMETER = re.compile(r"(?<!\s)\s+X$")
_SMALL = words_of("function_words.in_references")


@lru_cache(maxsize=20_000)
def stems(text: str, language: str) -> str:
    """Return the stems of the words of ``text``, joined by spaces."""
    # An ending that Snowball does not remove: entfernt, entfernen.
    participle = get_language(language).forms.participle
    words = map(get_stemmer(language), key(text).split())
    return " ".join(word.removesuffix(participle) if len(word) > 5 else word for word in words)


def plain(name: str) -> str:
    """Return ``name`` without page numbers and icons in brackets."""
    return _ICON.sub("", _PAGE.sub("", name)).strip()


def bare(name: str) -> str:
    """Return ``name`` without brackets and their content."""
    return _BRACKET.sub("", name).strip()


def without_parameter(name: str) -> str:
    """Return ``name`` without a final "X", which stands for a number."""
    return _PARAMETER.sub("", name)


def _parts(name: str) -> list[str]:
    """Return the names in a heading, split at commas and slashes outside brackets: "A" and "B (C)"
    for "A, B (C)"; [] for a single name.
    """
    outside = _BRACKET.sub(lambda m: re.sub(r"[,/]", "\0", m.group()), name)
    parts = [part.strip().replace("\0", ",") for part in re.split(r"[,/]", outside)]
    return parts if len(parts) > 1 else []


def _whole(name: str) -> list[str]:
    return [name, *_parts(name)]


def _short(name: str) -> list[str]:
    return [bare(name), *_parts(bare(name))]


def _stripped(name: str) -> list[str]:
    return [_ARTICLE.sub("", bare(name)), without_parameter(bare(name))]


def _inside(name: str) -> list[str]:
    return [*(match[1] for match in _BRACKET.finditer(name)), *_AND.split(bare(name))]


def _without_spaces(text: str) -> str:
    return key(text).replace(" ", "")


class _FormTable:
    """Indices of entries by one kind of ``forms`` of headings; ``normalize`` makes the keys."""

    def __init__(
        self,
        how: MatchKind,
        forms: Callable[[str], list[str]],
        normalize: Callable[[str], str],
        printed: Sequence[Iterable[str]],
    ):
        self.how = how
        self._normalize = normalize
        self.entries: dict[str, list[int]] = defaultdict(list)
        for number, names in enumerate(printed):
            for form in {normalize(form) for name in names for form in forms(name)}:
                if form:
                    self.entries[form].append(number)

    def get(self, name: str) -> list[int]:
        """Return the indices of entries with the form ``name``, with or without icons."""
        found: dict[int, None] = {}
        for each in (name, plain(name)):
            found.update(dict.fromkeys(self.entries.get(self._normalize(each), ())))
        return list(found)


class HeadingLookup:
    """The headings of one rulebook, looked up by the names that references use.

    ``names`` and ``entries`` replace those of the edition and the rulebook.
    """

    def __init__(
        self,
        rulebook: RulebookView,
        names: dict[str, str] | None = None,
        entries: Sequence[Entry] | None = None,
    ):
        self._language = language = rulebook.edition.language
        self._entries = [
            each
            for each in entries or rulebook.entries
            if each.kind in _RANK and len(each.heading) <= LONGEST_HEADING
        ]
        self._redirects = {e.id for e in self._entries if e.kind is Kind.REDIRECT}
        printed = [
            list(dict.fromkeys((entry.heading, entry.title, plain(entry.heading))))
            for entry in self._entries
        ]

        def stem(text: str) -> str:
            return stems(text, language)

        def large(text: str) -> str:
            return " ".join(word for word in stem(text).split() if word not in _SMALL)

        def table(
            how: MatchKind, forms: Callable[[str], list[str]], normalize: Callable[[str], str]
        ) -> _FormTable:
            return _FormTable(how, forms, normalize, printed)

        self._exact = table(MatchKind.EXACT, lambda name: [name], key)
        self._parted = table(MatchKind.PART, _parts, key)
        self._bare = table(MatchKind.SHORT, _short, key)
        self._tables = [  # best matches first
            self._exact,
            self._parted,
            table(MatchKind.INFLECTED, _whole, _without_spaces),
            table(MatchKind.INFLECTED, _whole, stem),
            self._bare,
            table(MatchKind.SHORT, _stripped, key),
            table(MatchKind.INFLECTED, _short, stem),
            table(MatchKind.INFLECTED, _short, _without_spaces),
            table(MatchKind.INFLECTED, _stripped, large),
            table(MatchKind.SHORT, _inside, key),
        ]
        self._fuzzy = {
            form: numbers
            for table in (self._bare, self._parted, self._exact)
            for form, numbers in table.entries.items()
            if len(form) > 4
        }
        self._spellings = list(self._fuzzy)
        self._starts: dict[str, list[int]] = defaultdict(list)
        for number, entry in enumerate(self._entries):
            words = key(bare(entry.title)).split()
            for end in range(1, len(words)):
                self._starts[" ".join(words[:end])].append(number)
        self._found: dict[str, HeadingMatch | None] = {}
        self._named: dict[str, str] = {}
        for name, heading in (rulebook.edition.names if names is None else names).items():
            if (match := self._strict(heading)) is not None:
                self._named[key(name)] = match.entry

    def find(self, name: str) -> HeadingMatch | None:
        """Return the entry that ``name`` means, or None if no heading is similar."""
        if len(name) > LONGEST:
            return None
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def _find(self, name: str) -> HeadingMatch | None:
        regular = self._sure(name)
        if (named := self._named.get(key(plain(name)))) is not None:
            if regular is not None and named in (regular.entry, *regular.others):
                rest = tuple(e for e in (regular.entry, *regular.others) if e != named)
                return HeadingMatch(named, regular.how, rest)
            return HeadingMatch(named, MatchKind.NAMED)
        if regular:
            return regular
        # "Überblick: Ablauf" means ABLAUF, a part of the overview.
        after_colon = name.partition(":")[2].strip()
        return (
            (self._sure(after_colon) if after_colon else None)
            or self._requalified(name)
            or self._misspelt(name)
            or self._partial(name)
        )

    def sure(self, name: str) -> HeadingMatch | None:
        """Return the match of `find` if it is in `SURE`: not for another qualifier, a partial
        heading or a typo.
        """
        match = self.find(name)
        return match if match is not None and match.how in SURE else None

    def strict(self, name: str) -> HeadingMatch | None:
        """Return the match of `find` if ``name`` is a heading, or one of the names in it, as
        printed.
        """
        return self._strict(name) if len(name) <= LONGEST else None

    def candidates(self, name: str) -> list[str]:
        """Return all entries that ``name`` surely matches, in document order, for printed indexes,
        in which one name can mean several entries.
        """
        if len(name) > LONGEST:
            return []
        found = {number for table in self._tables for number in table.get(name)}
        return [self._entries[number].id for number in sorted(found)]

    def _strict(self, name: str) -> HeadingMatch | None:
        found = self._best(self._exact.get(name), MatchKind.EXACT)
        if found is None or found.entry in self._redirects:
            # Prefer an entry with text to a redirect, even one with exactly this name.
            part = self._best(self._parted.get(name), MatchKind.PART)
            if part is not None and (found is None or part.entry not in self._redirects):
                return part
        return found

    def _sure(self, name: str) -> HeadingMatch | None:
        if (found := self._strict(name)) is not None:
            return found
        for table in self._tables:
            if (found := self._best(table.get(name), table.how)) is not None:
                return found
        return None

    def _best(self, numbers: Iterable[int], how: MatchKind) -> HeadingMatch | None:
        ranked = sorted((_RANK[self._entries[n].kind], n) for n in numbers)
        if not ranked:
            return None
        first, *others = (self._entries[n].id for rank, n in ranked if rank == ranked[0][0])
        return HeadingMatch(first, how, tuple(others))

    def _requalified(self, name: str) -> HeadingMatch | None:
        """Return the entry with the same name and another qualifier in brackets; of several, the
        one whose heading shares most words with ``name``.
        """
        clean = plain(name)
        same = self._bare.get(bare(clean)) if bare(clean) != clean else []
        if not same:
            return None
        own = set(stems(clean, self._language).split())
        shared = {
            n: len(own.intersection(stems(self._entries[n].heading, self._language).split()))
            for n in same
        }
        most = max(shared.values())
        return self._best(
            [n for n in same if shared[n] == most],
            MatchKind.NEAREST if len(same) > 1 else MatchKind.SHORT,
        )

    def _partial(self, name: str) -> HeadingMatch | None:
        """Return the entry of one of the names in ``name``, or the only entry whose heading begins
        with ``name``.
        """
        clean = plain(name)
        for part in _parts(clean):
            if (found := self._strict(part)) is not None and found.entry not in self._redirects:
                return HeadingMatch(found.entry, MatchKind.NEAREST, found.others)
        starts = self._best(self._starts.get(key(clean), []), MatchKind.BEGINNING)
        return starts if starts is not None and not starts.others else None

    def _misspelt(self, name: str) -> HeadingMatch | None:
        """Return the entry whose heading differs in one letter (for names of 6 letters or more) or
        two (12 or more).
        """
        written = key(plain(name))
        allowed = 0 if len(written) < 6 else 1 if len(written) < 12 else 2
        if not allowed:
            return None
        near = process.extract(
            written, self._spellings, scorer=OSA.distance, score_cutoff=allowed, limit=8
        )
        least = min((distance for _, distance, _ in near), default=0)
        return self._best(
            {n for form, distance, _ in near if distance == least for n in self._fuzzy[form]},
            MatchKind.SPELLING,
        )
