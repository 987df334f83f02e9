"""Numbers of lists in DOCX: what Word prints before a paragraph (ECMA-376, part 1, 17.9)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from corpus.formats.docx.word_xml import W, child, number, switched, value
from corpus.formats.shared.numerals import repeated_letters, roman

BULLET = "•"
LEVELS = 9
_PRIVATE = re.compile("[\ue000-\uf8ff]")  # bullets of symbol fonts
_FORMATS: dict[str, Callable[[int], str]] = {
    "decimalZero": lambda number: f"{number:02}",
    "lowerLetter": repeated_letters,
    "upperLetter": lambda number: repeated_letters(number).upper(),
    "lowerRoman": roman,
    "upperRoman": lambda number: roman(number).upper(),
    "ordinal": lambda number: f"{number}.",
}


class _Level(NamedTuple):
    start: int = 1
    format: str = "decimal"
    text: str = ""
    restart: int | None = None  # after which level it begins anew, from 1; 0 for never
    legal: bool = False  # all numbers in it are Arabic
    indent: float | None = None


class WordNumbering:
    """The lists of a document, and how far each has been counted. ``root`` is its part "numbering",
    None where it has none.
    """

    def __init__(self, root: Any):
        self._abstract: dict[str, dict[int, _Level]] = {}
        self._lists: dict[str, tuple[str, dict[int, _Level]]] = {}
        self._restarts: dict[str, dict[int, int]] = {}
        self._counts: dict[str, list[int | None]] = {}
        if root is None:
            return
        by_link = {}
        for each in root.iterfind(f"{W}abstractNum"):
            id = each.get(f"{W}abstractNumId", "")
            self._abstract[id] = {
                number(level.get(f"{W}ilvl")): _level(level) for level in each.iterfind(f"{W}lvl")
            }
            if (link := value(each, "styleLink")) is not None:
                by_link[link] = id
        linked = {
            each.get(f"{W}abstractNumId", ""): value(each, "numStyleLink")
            for each in root.iterfind(f"{W}abstractNum")
        }
        for each in root.iterfind(f"{W}num"):
            abstract = value(each, "abstractNumId") or ""
            abstract = by_link.get(linked.get(abstract) or "", abstract)
            levels, restarts = dict(self._abstract.get(abstract, {})), {}
            for override in each.iterfind(f"{W}lvlOverride"):
                at = number(override.get(f"{W}ilvl"))
                if (level := child(override, "lvl")) is not None:
                    levels[at] = _level(level)
                if (start := value(override, "startOverride")) is not None:
                    restarts[at] = number(start, 1)
                    levels[at] = levels.get(at, _Level())._replace(start=number(start, 1))
            id = each.get(f"{W}numId", "")
            self._lists[id], self._restarts[id] = (abstract, levels), restarts

    def next(self, id: str, depth: int) -> tuple[str, float | None] | None:
        """The mark of the next paragraph at level ``depth``, from 0, of list ``id``, and its
        indentation in points; None for no list.
        """
        if id not in self._lists:
            return None
        abstract, levels = self._lists[id]
        level = levels.get(depth, _Level())
        counts = self._counts.setdefault(abstract, [None] * LEVELS)
        for at, start in self._restarts.pop(id, {}).items():
            if at < LEVELS:
                counts[at] = start - 1
        count = counts[depth]
        counts[depth] = level.start if count is None else count + 1
        for deeper in range(depth + 1, LEVELS):
            restart = levels.get(deeper, _Level()).restart
            if restart != 0 and (restart is None or depth < restart):
                counts[deeper] = None
        return self._mark(level, levels, counts, depth), level.indent

    def _mark(
        self, level: _Level, levels: dict[int, _Level], counts: list[int | None], depth: int
    ) -> str:
        if level.format == "bullet":
            sign = level.text.strip()
            return BULLET if not sign or sign.isalnum() or _PRIVATE.search(sign) else sign[:3]
        if level.format == "none":
            return level.text.strip() if "%" not in level.text else ""

        def printed(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            other = levels.get(at, _Level())
            count = counts[at]
            count = other.start if count is None else count
            if other.format == "none":
                return ""
            return (
                str(count) if level.legal and at < depth else _FORMATS.get(other.format, str)(count)
            )

        return " ".join(re.sub(r"%([1-9])", printed, level.text).split())


def _level(element: Any) -> _Level:
    restart = value(element, "lvlRestart")
    left = value(element, "pPr/ind", "left") or value(element, "pPr/ind", "start")
    return _Level(
        start=number(value(element, "start"), 1),
        format=value(element, "numFmt") or "decimal",
        text=(value(element, "lvlText") or "")[:100],
        restart=None if restart is None else number(restart),
        legal=bool(switched(element, "isLgl")),
        indent=None if left is None else number(left) / 20,
    )
