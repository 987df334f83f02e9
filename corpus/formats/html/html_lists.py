"""Lists of HTML: the numbers that browsers put before their items."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from corpus.formats.shared.numerals import letters, roman

BULLET = "•"
_TYPES = {
    "a": "lower-alpha",
    "A": "upper-alpha",
    "i": "lower-roman",
    "I": "upper-roman",
    "1": "decimal",
}
_STYLE = re.compile(r"list-style(?:-type)?\s*:\s*([\w\s-]*)", re.IGNORECASE)
_LATIN = {"lower-latin": "lower-alpha", "upper-latin": "upper-alpha"}


class OpenItem(NamedTuple):
    """An item: its ``mark`` ("•", "4.", "" for none) and how deep its list is nested, from 1."""

    mark: str
    depth: int


class HtmlList:
    """A list that is being read: what its next item is called."""

    def __init__(
        self, ordered: bool = False, start: int = 1, step: int = 1, type: str = "", depth: int = 1
    ):
        self._ordered = ordered
        self._next = start
        self._step = step
        self._type = type
        self.depth = depth

    @classmethod
    def of(cls, element: Any, depth: int) -> HtmlList:
        """The list that ``element`` is."""
        ordered = element.tag == "ol"
        reversed = ordered and element.get("reversed") is not None
        start = whole_number(element.get("start"))
        if start is None:
            start = sum(child.tag == "li" for child in element) if reversed else 1
        return cls(ordered, start, -1 if reversed else 1, _type(element), depth)

    def item(self, element: Any) -> OpenItem:
        """The next item, which is ``element``."""
        if not self._ordered:
            return OpenItem("" if self._type == "none" else BULLET, self.depth)
        value = whole_number(element.get("value"))
        number = self._next if value is None else value
        self._next = number + self._step
        kind = _type(element) or self._type
        return OpenItem("" if kind == "none" else f"{_numeral(number, kind)}.", self.depth)


def whole_number(text: str | None) -> int | None:
    """The number that the attribute ``text`` begins with; None where it is none."""
    match = re.match(r"\s*([+-]?\d{1,9})", text or "")
    return int(match[1]) if match else None


def _type(element: Any) -> str:
    """The kind of mark that ``element`` asks for; "" where it does not."""
    if match := _STYLE.search(element.get("style") or ""):
        for word in match[1].lower().split():
            if (
                word == "none"
                or word in ("decimal", "disc", "circle", "square")
                or word.startswith(("lower-", "upper-"))
            ):
                return _LATIN.get(word, word)
    return _TYPES.get(element.get("type") or "", "")


def _numeral(number: int, kind: str) -> str:
    match kind:
        case "lower-alpha":
            return letters(number)
        case "upper-alpha":
            return letters(number).upper()
        case "lower-roman":
            return roman(number)
        case "upper-roman":
            return roman(number).upper()
    return str(number)
