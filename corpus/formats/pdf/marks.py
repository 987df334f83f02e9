"""What lines begin and end with: bullets and numbers, dots that lead to a page number."""

from __future__ import annotations

import re

_BULLETS = "•●○◦▪▫■□▶►▸➤➢➔✦✓❖»*·‣⁃–—◆◇★☆-"
_MARK = re.compile(
    rf"(?P<bullet>[{re.escape(_BULLETS)}\ue000-\uf8ff])(?=\s|$)"
    r"|(?P<whole>(?:\d{1,4}(?:\.\d{1,4})+(?:\.?[a-z]{1,2})?|[A-Z]{1,2}\d{0,2}(?:\.\d{1,4})+(?:\.[a-z])?)[.:)]?)(?=\s|$)"
    r"|(?P<number>(?:\d{1,3}[a-z]?[.)]|\(\d{1,3}\)|\(?[a-zA-Z]\)|[a-zA-Z]\.|[ivxIVX]{1,5}[.)]"
    r"|§\s?\d{1,4}[a-z]?\.?))(?=\s+\S)"
)
_LEADERS = re.compile(
    r"(?<![.…·_])(?<![.…·_]\s)(?>(?:[.…·_]\s?){3,})\s*(?P<page>\d{1,4}|[ivxl]{1,6})?\Z"
)
_TWO_LEADERS = re.compile(r"(?<!…)(?<!…\s)(?>(?:…\s?){2,})[.\s]*+(?P<page>\d{1,4})\Z")
_TITLE = re.compile(r"[^\W_]")
_TRAILING = re.compile(r"(?<=\s)\d{1,4}\Z")
_LETTER = re.compile(r"[^\W\d]")
_END = re.compile(r"""[.!?:;…][)\]"'”’“»«*]*$""")
_LONGEST = 400  # characters of a line of contents
_SMALL = re.compile(r"""["'“„«»(\[]*([^\W\d_])""")


def mark(text: str, gap: bool = False) -> str:
    """The bullet or number that ``text`` begins with, "" for none. ``gap`` says that a wide gap
    follows its first sign.
    """
    if gap and text.startswith(
        "o "
    ):  # the bullet of the second level in word processors, in a font of its own
        return "o"
    found = _MARK.match(text)
    return found.group() if found else ""


def is_bullet(text: str) -> bool:
    """Whether the mark ``text`` is a bullet, not a number."""
    return not any(sign.isalnum() for sign in text) or text == "o"


def contents_page(text: str) -> str | None:
    """The page number that dots lead to in ``text``, "" where only the dots are there, None where
    it is no line of contents.
    """
    if len(text) > _LONGEST:
        return None
    found = _TWO_LEADERS.search(text) or _LEADERS.search(text)
    title = text[: found.start()].rstrip() if found else ""
    if (
        not found or not _TITLE.search(title) or (not found["page"] and len(text) - len(title) < 6)
    ):  # an ellipsis
        return None
    return found["page"] or ""


def trailing_page(text: str) -> int | None:
    """The number at the end of ``text``, None where there is none or nothing else."""
    found = _TRAILING.search(text) if len(text) <= _LONGEST else None
    return int(found.group()) if found and _LETTER.search(text, 0, found.start()) else None


def ends_sentence(text: str) -> bool:
    """Whether ``text`` ends with a full stop or the like."""
    return _END.search(text) is not None


def begins_small(text: str) -> bool:
    """Whether the first letter of ``text`` is a small one and nothing but an opening sign stands
    before it.
    """
    found = _SMALL.match(text)
    return bool(found and found.group(1).islower())


def hyphenated(text: str) -> bool:
    """Whether ``text`` ends with a hyphen after a letter."""
    return len(text) > 1 and text[-1] in "-\u00ad\u2010" and text[-2].isalpha()
