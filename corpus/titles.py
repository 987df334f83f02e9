"""Headings made readable: capitals set in the spelling that the rulebook itself uses where it refers to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_SMALL = frozenset(
    """und oder nicht in im an am auf aus von vom zu zum zur mit der die das des dem den ein eine einer gegen für bei pro als
    e o di del della dello delle dei degli da dal dalla nel nella a al alla allo con per su sul sulla gli il la lo le i un una ed
    """.split()  # noqa: SIM905 - a list of 60 quoted words is harder to read
)
_LIST = re.compile(r"^\W*(?:siehe(?:\s+auch)?|vedi(?:\s+anche)?)\W*:\W*", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ICON = re.compile(r"\s*\([^()\w]*\)|\s*\((?:\\rightarrow|[\d/]{1,4})\)\s*$")


def key(heading: str) -> str:
    """What two spellings of one heading have in common: letters and digits in lower case, single blanks."""
    return " ".join(re.findall(r"\w+", heading.casefold()))


def spellings(lists: Iterable[str]) -> dict[str, str]:
    """Spellings of headings by their `key`, taken from lists of references ("Siehe auch: Ziel, Zone")."""
    found: dict[str, str] = {}
    for text in lists:
        for item in re.split(r",\s*(?![^()]*\))", _LIST.sub("", text)):
            item = item.strip(" .*_\n\t")
            if item and not item.isupper():
                found.setdefault(key(item), item)
    return found


def title(heading: str, known: Mapping[str, str]) -> str:
    """``heading`` for readers: in the spelling ``known`` for it, else capitals turned into title case; garbled icons dropped.

    A heading that is not in capitals stays as it is printed.
    """
    clean = _ICON.sub("", heading).strip() or heading
    letters = [c for c in clean if c.isalpha()]
    if not letters or not all(c.isupper() or c == "ß" for c in letters):
        return clean.rstrip(":") or clean
    if key(clean) in known:
        return known[key(clean)]
    parts = re.split(r"(,\s*|\s*/\s*|\s*\(|:\s*)", clean)
    return "".join(known.get(key(part), _title_case(part)) if key(part) else part for part in parts)


def _title_case(text: str) -> str:
    seen = 0

    def word(match: re.Match[str]) -> str:
        nonlocal seen
        seen += 1
        lower = match.group().lower()
        if seen > 1 and lower in _SMALL:
            return lower
        if len(lower) == 1 or (re.fullmatch(r"[IVX]+", match.group()) and len(lower) > 1):
            return match.group()
        elided = re.match(r"(l|dell|all|dall|nell|sull|d|un)(['’])(.)(.*)", lower)
        if elided:
            head = elided.group(1) if seen > 1 else elided.group(1).capitalize()
            return head + elided.group(2) + elided.group(3).upper() + elided.group(4)
        return lower[0].upper() + lower[1:]

    return _WORD.sub(word, text)
