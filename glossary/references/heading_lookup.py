"""Looks up entries by the names that references use: first exact names, then shortened, inflected
and misspelled ones.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    """How a name matches a heading, best first."""

    EXACT = "exact"
    PART = "part"  # one of several names in the heading: "Würfel" for WÜRFEL, WÜRFELWURF
    SHORT = "short"  # without qualifier, icon, article or parameter
    INFLECTED = "inflected"  # other number, case, tense or hyphens
    BEGINNING = "beginning"  # the first words of one heading only: "Doppelt" for DOPPELT-SYMBOL
    NEAREST = (
        "nearest"  # the same name with another qualifier, or one of several names in the reference
    )
    SPELLING = "spelling"  # one or two letters differ
    NAMED = "named"  # in the list of names of the edition


SURE = frozenset({MatchKind.EXACT, MatchKind.PART, MatchKind.SHORT, MatchKind.INFLECTED})


class HeadingMatch(NamedTuple):
    """The id of the entry that a name means, and of ``others`` that match it equally well."""

    entry: str
    how: MatchKind
    others: tuple[str, ...] = ()


_RANK = {Kind.TERM: 0, Kind.RULE: 0, Kind.REDIRECT: 1, Kind.SECTION: 2, Kind.SUBSECTION: 4}
_BLANKS = r"(?:(?<!\s)\s+)?"  # all that stand before something, from the first on
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
    """The stems of the words of ``text``, joined by spaces."""
    participle = get_language(
        language
    ).forms.participle  # an ending that Snowball keeps: entfernt, entfernen
    words = map(get_stemmer(language), key(text).split())
    return " ".join(word.removesuffix(participle) if len(word) > 5 else word for word in words)


def _without_spaces(text: str) -> str:
    return key(text).replace(" ", "")


def plain(name: str) -> str:
    """``name`` without page numbers and icons in brackets."""
    return _ICON.sub("", _PAGE.sub("", name)).strip()


def bare(name: str) -> str:
    """``name`` without anything in brackets."""
    return _BRACKET.sub("", name).strip()


def without_parameter(name: str) -> str:
    """``name`` without the "X" that stands for a number."""
    return _PARAMETER.sub("", name)


def _parts(name: str) -> list[str]:
    """The names in a heading, divided at commas and slashes outside brackets: "A, B (C)" has A and
    B (C). Empty for a single name.
    """
    outside = _BRACKET.sub(lambda m: re.sub(r"[,/]", "\0", m.group()), name)
    parts = [part.strip().replace("\0", ",") for part in re.split(r"[,/]", outside)]
    return parts if len(parts) > 1 else []


class _FormTable:
    """One kind of forms of headings, with the numbers of the entries that have them.

    ``forms`` makes the forms of a heading, ``normalize`` the key of a form.
    """

    def __init__(
        self, how: MatchKind, forms: Callable[[str], Iterable[str]], norm: Callable[[str], str]
    ):
        self.how = how
        self.forms = forms
        self.normalize = norm
        self.entries: dict[str, list[int]] = defaultdict(list)

    def add(self, number: int, names: Iterable[str]) -> None:
        for form in {self.normalize(form) for name in names for form in self.forms(name)}:
            if form:
                self.entries[form].append(number)

    def get(self, names: Iterable[str]) -> list[int]:
        found: dict[int, None] = {}
        for name in names:
            found.update(dict.fromkeys(self.entries.get(self.normalize(name), ())))
        return list(found)


class HeadingLookup:
    """The headings of one rulebook, looked up by the names that references use; ``names`` replaces
    the names of the edition.
    """

    def __init__(self, rulebook: RulebookView, names: dict[str, str] | None = None):
        self._language = rulebook.edition.language
        self._entries: list[Entry] = [
            e for e in rulebook.entries if e.kind in _RANK and len(e.heading) <= LONGEST_HEADING
        ]
        self._redirects = {e.id for e in self._entries if e.kind is Kind.REDIRECT}
        self._tables = self._form_tables()
        for number, entry in enumerate(self._entries):
            printed = list(dict.fromkeys((entry.heading, entry.title, plain(entry.heading))))
            for table in self._tables:
                table.add(number, printed)
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

    def _form_tables(self) -> list[_FormTable]:
        """The tables of forms in which names are looked up, best match first."""

        def stem(text: str) -> str:
            return stems(text, self._language)

        def words(text: str) -> str:
            return " ".join(word for word in stem(text).split() if word not in _SMALL)

        def stripped(name: str) -> Iterator[str]:
            yield _ARTICLE.sub("", bare(name))
            yield without_parameter(bare(name))

        def inside(name: str) -> Iterator[str]:
            yield from (m.group(1) for m in _BRACKET.finditer(name))
            yield from _AND.split(bare(name))

        def whole(name: str) -> list[str]:
            return [name, *_parts(name)]

        def short(name: str) -> list[str]:
            return [bare(name), *_parts(bare(name))]

        self._exact = _FormTable(MatchKind.EXACT, lambda name: [name], key)
        self._parted = _FormTable(MatchKind.PART, _parts, key)
        self._bare = _FormTable(MatchKind.SHORT, short, key)
        return [
            self._exact,
            self._parted,
            _FormTable(MatchKind.INFLECTED, whole, _without_spaces),
            _FormTable(MatchKind.INFLECTED, whole, stem),
            self._bare,
            _FormTable(MatchKind.SHORT, stripped, key),
            _FormTable(MatchKind.INFLECTED, short, stem),
            _FormTable(MatchKind.INFLECTED, short, _without_spaces),
            _FormTable(MatchKind.INFLECTED, stripped, words),
            _FormTable(MatchKind.SHORT, inside, key),
        ]

    def find(self, name: str) -> HeadingMatch | None:
        """The entry that ``name`` means; None if no heading is similar to it."""
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
        return (
            regular
            or self._after_colon(name)
            or self._requalified(name)
            or self._misspelt(name)
            or self._partial(name)
        )

    def sure(self, name: str) -> HeadingMatch | None:
        """As `find`, but only matches in `SURE`: no other qualifier, no beginning of a heading, no
        wrong letters.
        """
        match = self.find(name)
        return match if match is not None and match.how in SURE else None

    def strict(self, name: str) -> HeadingMatch | None:
        """As `find`, but ``name`` must be a heading or one of the names in a heading as printed."""
        return self._strict(name) if len(name) <= LONGEST else None

    def candidates(self, name: str) -> list[str]:
        """All entries that ``name`` matches surely, in document order, for printed indexes, where
        one name can mean several entries.
        """
        found = (
            {n for table in self._tables for n in table.get([name, plain(name)])}
            if len(name) <= LONGEST
            else set()
        )
        return [self._entries[n].id for n in sorted(found)]

    def _strict(self, name: str) -> HeadingMatch | None:
        found = self._best(self._exact.get([name, plain(name)]), MatchKind.EXACT)
        if found is None or self._is_redirect(found):
            # Prefer the entry with the text to a redirect, even if the redirect has exactly this
            # name.
            part = self._best(self._parted.get([name, plain(name)]), MatchKind.PART)
            if part is not None and (found is None or not self._is_redirect(part)):
                return part
        return found

    def _sure(self, name: str) -> HeadingMatch | None:
        if (found := self._strict(name)) is not None:
            return found
        for table in self._tables:
            if (found := self._best(table.get([name, plain(name)]), table.how)) is not None:
                return found
        return None

    def _best(self, numbers: Sequence[int], how: MatchKind) -> HeadingMatch | None:
        if not numbers:
            return None
        least = min(_RANK[self._entries[n].kind] for n in numbers)
        best = sorted(n for n in numbers if _RANK[self._entries[n].kind] == least)
        first, *others = (self._entries[n].id for n in best)
        return HeadingMatch(first, how, tuple(others))

    def _is_redirect(self, match: HeadingMatch) -> bool:
        return match.entry in self._redirects

    def _after_colon(self, name: str) -> HeadingMatch | None:
        """The entry with the name behind a colon: "Überblick: Ablauf" means ABLAUF, a part of the
        overview.
        """
        _, colon, rest = name.partition(":")
        return self._sure(rest.strip()) if colon and rest.strip() else None

    def _requalified(self, name: str) -> HeadingMatch | None:
        """The entry with the same name and another qualifier; of several, the one whose heading
        shares most words with ``name``.
        """
        clean = plain(name)
        same = self._bare.get([bare(clean)]) if bare(clean) != clean else []
        if not same:
            return None
        name_stems = set(stems(clean, self._language).split())
        shared = {
            n: len(name_stems & set(stems(self._entries[n].heading, self._language).split()))
            for n in same
        }
        most = max(shared.values())
        return self._best(
            [n for n in same if shared[n] == most],
            MatchKind.NEAREST if len(same) > 1 else MatchKind.SHORT,
        )

    def _partial(self, name: str) -> HeadingMatch | None:
        """The entry of one of several names in ``name``, else the only entry whose heading begins
        with ``name``.
        """
        clean = plain(name)
        for part in _parts(clean):
            if (found := self._strict(part)) is not None and not self._is_redirect(found):
                return HeadingMatch(found.entry, MatchKind.NEAREST, found.others)
        starts = self._best(self._starts.get(key(clean), []), MatchKind.BEGINNING)
        return starts if starts is not None and not starts.others else None

    def _misspelt(self, name: str) -> HeadingMatch | None:
        """The entry with a heading that differs in one letter (names from 6 letters) or two (from
        12 letters).
        """
        name_key = key(plain(name))
        allowed = 0 if len(name_key) < 6 else 1 if len(name_key) < 12 else 2
        if not allowed:
            return None
        near = process.extract(
            name_key, self._spellings, scorer=OSA.distance, score_cutoff=allowed, limit=8
        )
        if not near:
            return None
        least = min(distance for _, distance, _ in near)
        return self._best(
            sorted({n for form, d, _ in near if d == least for n in self._fuzzy[form]}),
            MatchKind.SPELLING,
        )
