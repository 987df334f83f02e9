"""Parses dates as rulebooks print them, in digits or with the name of a month, by language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from functools import cache

from corpus.languages import FALLBACK

_YEARS = range(1900, 2200)  # other years are typos
_SHORTEST = 3  # letters of an abbreviated month
_GAP = r"(?:\s|&nbsp;)+"
_OF = rf"(?:{_GAP}(?:de|del|di|of))?"  # "2 de enero de 2026"
_ORDINAL = r"(?:\s?\.|º|°|ª|er|re|st|nd|rd|th|ste|de|e)?"
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DIGITS = re.compile(
    r"(?<![\w./-])(?:(\d{4})([./-])(\d{1,2})\2(\d{1,2})|(\d{1,2})\s?\.\s?(\d{1,2})\s?\.\s?(\d{4})"
    r"|(\d{1,2})([/-])(\d{1,2})\9(\d{4}))(?![\w/-]|\.\d)"
)
_MONTH = re.compile(r"(\d{1,2})[./](\d{4})(?![\w/-]|\.\d)|(\d{4})-(\d{2})(?![\w-])")
_WORD = re.compile(r"(?<!\w)\w")


def iso_day(text: str) -> str:
    """Return ``text`` if it is an ISO 8601 day, "2025-06-01". Raises `ValueError` otherwise."""
    if not _ISO.fullmatch(text):
        raise ValueError("this is no day as ISO 8601 writes it: 2025-06-01")
    return date.fromisoformat(text).isoformat()


def today() -> str:
    """Return the current day in UTC, in ISO 8601."""
    return datetime.now(UTC).date().isoformat()


def date_at_start(text: str, language: str) -> str:
    """Return the date at the beginning of ``text``, written in ``language`` or English, in ISO
    8601, or "" if there is none.

    A month without a day means its first day. An ambiguous date, like 3/4/2025 in English, does not
    count.
    """
    return next(filter(None, _dates(text, language)), "")


def dates_in(text: str, language: str) -> Iterator[str]:
    """Yield all dates in ``text``, as in `date_at_start`; overlapping dates count once."""
    end = 0
    for word in _WORD.finditer(text):
        if word.start() >= end and (found := date_at_start(text[word.start() :], language)):
            year = text.find(found[:4], word.start())
            end = year + 4
            yield found


def _dates(text: str, language: str) -> Iterator[str]:
    if match := _DIGITS.match(text):
        year, _, month, day, dotted_day, dotted_month, dotted_year, first, _, second, last = (
            match.groups()
        )
        if year:
            yield _iso(year, month, day)
        elif dotted_day:
            yield _iso(dotted_year, dotted_month, dotted_day)
        elif language != FALLBACK or int(first) > 12 or first == second:
            yield _iso(last, second, first)
        elif int(second) > 12:
            yield _iso(last, first, second)
    elif match := _MONTH.match(text):
        month, year, first_year, month_behind = match.groups()
        yield _iso(year or first_year, month or month_behind, 1)
    for spoken in dict.fromkeys((language, FALLBACK)):
        months = _months(spoken)
        for pattern in _month_patterns(spoken):
            if match := pattern.match(text):
                found = match.groupdict()
                yield _iso(found["year"], months[_plain(found["month"])], found.get("day", 1))


def _iso(year: str, month: str | int, day: str | int) -> str:
    # "" if the day does not exist or the year is implausible.
    try:
        found = date(int(year), int(month), int(day))
    except ValueError:
        return ""
    return found.isoformat() if found.year in _YEARS else ""


def _plain(month: str) -> str:
    return month.casefold().rstrip(".")


@cache
def _months(language: str) -> dict[str, int]:
    # The number of each month by its full name, usual abbreviation and unambiguous beginnings;
    # empty for a language that Babel does not know.
    from babel.core import Locale, UnknownLocaleError  # slow to import

    try:
        locale = Locale.parse(language)
    except (UnknownLocaleError, ValueError):
        return {}
    found: dict[str, int] = {}
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for number, name in locale.months[context][width].items():
                found.setdefault(_plain(name), number)
    for number, name in locale.months["format"]["wide"].items():
        for short in (_plain(name)[:end] for end in range(_SHORTEST, len(name))):
            if all(meant == number for other, meant in found.items() if other.startswith(short)):
                found[short] = number
    return found


@cache
def _month_patterns(language: str) -> tuple[re.Pattern[str], ...]:
    # "30. April 2026", "April 30, 2026", "April 2026"
    names = sorted(_months(language), key=len, reverse=True)
    if not names:
        return ()
    month, year = rf"(?P<month>(?:{'|'.join(map(re.escape, names))})\b\.?)", r"(?P<year>\d{4})\b"
    day = rf"(?P<day>\d{{1,2}}){_ORDINAL}"
    between = rf"(?:{_GAP}|-|(?<=\.))"  # "6.März 2009"
    orders = (
        rf"{day}{_OF}{between}{month},?{_OF}{between}{year}",
        rf"{month}{_GAP}{day},?{_GAP}{year}",
        rf"{month},?{_OF}{_GAP}{year}",
    )
    return tuple(re.compile(order, re.IGNORECASE) for order in orders)
