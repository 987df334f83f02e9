"""Bullets and numbers at the beginning of a line: "•", "1.2.3.", "704.5a", "a)", "(iv)", "§ 3"."""

from __future__ import annotations

import re
from typing import NamedTuple

_BULLET = r"[-–—*+•●○◦▪▫■□◆◇►▶➤➢➔→✓✔✦»›‣⁃·]"
_MARKUP = re.compile(r"(?:[*_]{1,3}|<[^<>\n]{1,100}>\s{0,3}|\\)")
_BULLETS = re.compile(rf"(?P<bullet>{_BULLET})(?=\s|\Z)|(?P<o>o)(?=\s{{2,}}|\t)")
_NUMBER = re.compile(
    r"""
    (?: §{1,2}\s?\d{1,4}[a-z]?\.?
      | (?:[A-Z]\.)?\d{1,9}(?:\.\d{1,6}){1,8}[a-z]{0,2}(?P<end>[.):])?
      | (?:[A-Z](?=\d{1,2}[a-z\d]{0,8}[.):]))?\d{1,9}(?:[a-z]\d{1,3}){0,4}[a-z]?[.):]
      | \((?:\d{1,4}[a-z]?|[a-zA-Z]|[ivxlc]{1,7})\)
      | [a-zA-Z][.)] | [IVXLC]{1,7}[.)] | [ivxlc]{1,7}\)
    )
    (?=[*_]{0,3}(?:\s|\Z)|[*_]{1,3}|</)
    """,
    re.VERBOSE,
)
_PARTS = re.compile(r"\d+|[a-z]+")
_ABBREVIATION = re.compile(r"[a-zA-Z]\.\s?\w\.")  # "z. B.", "J. R. Tolkien"


class ListMark(NamedTuple):
    """A bullet or number: ``text`` as printed, where what it marks begins (``end``), and whether it
    is a number.
    """

    text: str
    end: int
    numbered: bool


def follows(mark: str, previous: str) -> bool:
    """Whether the number ``mark`` can come right after ``previous``: 2. after 1., 1.1 and 1a after
    1., 2. after 1.3, (c) after (a).
    """
    new, old = (_PARTS.findall(each.casefold()) for each in (mark, previous))
    shared = next(
        (at for at, (a, b) in enumerate(zip(new, old, strict=False)) if a != b),
        min(len(new), len(old)),
    )
    if shared + 1 != len(new):
        return False
    last, before = new[shared], old[shared] if shared < len(old) else ""
    if last.isdigit():
        return int(last) == (int(before) + 1 if before.isdigit() else 1)
    if len(last) == len(before) == 1:
        return 0 < ord(last) - ord(before) <= 2
    return last in ("a", "i") or bool(before and not before.isdigit())


def list_mark(line: str) -> ListMark | None:
    """The mark that ``line`` begins with, None where it begins with none. Behind a bullet a number
    counts: "- 4.3.5. …" is number 4.3.5.

    Signs of emphasis, tags and backslashes before a number are passed over.
    """
    line = line[:200]
    if bullet := _BULLETS.match(line):
        behind = bullet.end() + len(line[bullet.end() :]) - len(line[bullet.end() :].lstrip())
        number = _number(line, behind)
        return number or ListMark(bullet.group(), bullet.end(), False)
    return _number(line, 0)


def _number(line: str, start: int) -> ListMark | None:
    while markup := _MARKUP.match(line, start):
        start = markup.end()
    match = _NUMBER.match(line, start)
    if match is None or _ABBREVIATION.match(line, start):
        return None
    rest = line[match.end() :].lstrip("*_ \t\u00a0")
    if (
        "." in match.group()
        and match.group()[-1].isdigit()
        and (not rest or rest[0].islower() or rest[0].isdigit())
    ):
        return None  # "1.5 points" is no number of a rule
    return ListMark(match.group(), match.end(), True)
