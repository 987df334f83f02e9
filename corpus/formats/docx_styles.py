"""Styles and list numbers of DOCX (ECMA-376, part 1): the look of a paragraph, and the number that
Word prints before it.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from corpus.formats.assembly import numeral, printed_bullet
from corpus.formats.packages import whole_number

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OFF = frozenset({"0", "false", "off", "none"})
_HEADING = re.compile(r"heading (\d)")
_CONTENTS = re.compile(r"toc \d|contents \d|table of figures|index \d")
_DEEPEST = 9  # levels of headings; level 10 is body text
_LEVELS = 9  # of lists
_FORMS = {"lowerLetter": "aa", "upperLetter": "AA", "lowerRoman": "i", "upperRoman": "I"}


def child(parent: Any, path: str) -> Any:
    """Return the element at ``path`` ("pPr/pStyle") below ``parent``, or None."""
    return None if parent is None else parent.find(f"{W}{path.replace('/', f'/{W}')}")


def value(parent: Any, path: str, attribute: str = "val") -> str | None:
    """Return an attribute of the element at ``path`` below ``parent``, or None if it is missing."""
    found = child(parent, path)
    return None if found is None else found.get(f"{W}{attribute}")


def switched(properties: Any, name: str) -> bool | None:
    """Return whether the property ``name`` is on, or None if it is not set."""
    found = child(properties, name)
    return None if found is None else found.get(f"{W}val", "on") not in _OFF


class WordStyle(NamedTuple):
    """A style with its inherited properties; None, 0 or "" if not set. ``heading`` is a level from
    1; ``size`` and ``indent`` are in points.
    """

    name: str = ""
    heading: int = 0
    contents: bool = False
    bold: bool | None = None
    italic: bool | None = None
    hidden: bool | None = None
    raised: bool | None = None
    underlined: bool | None = None
    size: float = 0.0
    indent: float = 0.0
    list_id: str | None = None
    list_level: int = 0


class WordStyles:
    """The styles of a document by id, from ``root``, its "styles" part (None if it has none)."""

    def __init__(self, root: Any):
        styles = [] if root is None else root.findall(f"{W}style")
        self._elements = {each.get(f"{W}styleId"): each for each in styles}
        self._found: dict[str, WordStyle] = {}
        self.base = overlaid(WordStyle(), None, child(root, "docDefaults/rPrDefault/rPr"))
        self.default = ""
        for id, each in self._elements.items():
            if each.get(f"{W}type") == "paragraph" and each.get(f"{W}default") in ("1", "true"):
                self.default = id

    def style(self, id: str | None) -> WordStyle:
        """Return the style with ``id``, or the base style if there is none."""
        chain: list[str] = []
        at = id
        while at in self._elements and at is not None and at not in {*self._found, *chain}:
            chain.append(at)
            at = value(self._elements[at], "basedOn")
        for each in reversed(chain):
            element = self._elements[each]
            outer = self._found.get(value(element, "basedOn") or "", self.base)
            found = overlaid(outer, child(element, "pPr"), child(element, "rPr"))
            name = (value(element, "name") or "").lower()
            if match := _HEADING.fullmatch(name):
                found = found._replace(heading=int(match[1]))
            elif name == "title":
                found = found._replace(heading=1)
            self._found[each] = found._replace(name=name, contents=bool(_CONTENTS.fullmatch(name)))
        return self._found.get(id or "", self.base) if id in self._elements else self.base

    def of_paragraph(self, properties: Any) -> WordStyle:
        """Return the style of a paragraph with ``properties``."""
        style = self.style(value(properties, "pStyle") or self.default)
        return overlaid(style, properties, None)

    def of_run(self, properties: Any, style: WordStyle) -> WordStyle:
        """Return the style of a text run with ``properties`` in a paragraph of ``style``."""
        if (id := value(properties, "rStyle")) is not None:
            own = self.style(id)
            names = ("bold", "italic", "hidden", "raised", "underlined")
            looks = {name: getattr(own, name) for name in names}
            style = style._replace(**{n: look for n, look in looks.items() if look is not None})
            style = style._replace(size=own.size) if own.size != self.base.size else style
        return overlaid(style, None, properties)


def overlaid(style: WordStyle, paragraph: Any, run: Any) -> WordStyle:
    """Return ``style`` overridden by properties of a ``paragraph`` and of a text ``run``."""
    changes: dict[str, Any] = {}
    if (level := value(paragraph, "outlineLvl")) is not None:
        depth = whole_number(level, _DEEPEST)
        changes["heading"] = depth + 1 if depth < _DEEPEST else 0
    if (list_id := value(paragraph, "numPr/numId")) is not None:
        changes["list_id"] = list_id
    if (list_level := value(paragraph, "numPr/ilvl")) is not None:
        changes["list_level"] = min(max(whole_number(list_level), 0), _LEVELS - 1)
    left = value(paragraph, "ind", "left") or value(paragraph, "ind", "start")
    if left is not None:
        changes["indent"] = whole_number(left) / 20
    for field, name in (("bold", "b"), ("italic", "i"), ("hidden", "vanish")):
        if (on := switched(run, name)) is not None:
            changes[field] = on
    if (place := value(run, "vertAlign")) is not None:
        changes["raised"] = place == "superscript"
    if (line := value(run, "u")) is not None:
        changes["underlined"] = line != "none"
    if (size := value(run, "sz")) is not None:
        changes["size"] = whole_number(size) / 2
    return style._replace(**changes)


class _Level(NamedTuple):
    start: int = 1
    format: str = "decimal"
    text: str = ""
    restart: int | None = None  # the level (from 1) after which it restarts; 0 for never
    legal: bool = False  # all numbers in it are Arabic
    indent: float | None = None


class WordNumbering:
    """The lists of a document with their current counts (section 17.9), from ``root``, its
    "numbering" part (None if it has none).
    """

    def __init__(self, root: Any):
        self._lists: dict[str, tuple[str, dict[int, _Level]]] = {}  # abstract list, levels
        self._restarts: dict[str, dict[int, int]] = {}
        self._counts: dict[str, list[int | None]] = {}
        if root is None:
            return
        abstract = {
            each.get(f"{W}abstractNumId", ""): each for each in root.iterfind(f"{W}abstractNum")
        }
        by_link = {
            link: id
            for id, each in abstract.items()
            if (link := value(each, "styleLink")) is not None
        }
        levels_of = {
            id: {
                whole_number(level.get(f"{W}ilvl")): _level(level)
                for level in each.iterfind(f"{W}lvl")
            }
            for id, each in abstract.items()
        }
        for each in root.iterfind(f"{W}num"):
            base = value(each, "abstractNumId") or ""
            base = by_link.get(value(abstract.get(base), "numStyleLink") or "", base)
            levels, restarts = dict(levels_of.get(base, {})), {}
            for override in each.iterfind(f"{W}lvlOverride"):
                at = whole_number(override.get(f"{W}ilvl"))
                if (level := child(override, "lvl")) is not None:
                    levels[at] = _level(level)
                if (start := value(override, "startOverride")) is not None:
                    restarts[at] = whole_number(start, 1)
                    levels[at] = levels.get(at, _Level())._replace(start=restarts[at])
            id = each.get(f"{W}numId", "")
            self._lists[id], self._restarts[id] = (base, levels), restarts

    def next(self, id: str | None, depth: int) -> tuple[str, float | None] | None:
        """Count the next paragraph at level ``depth`` (from 0) of list ``id``, and return its
        printed number or bullet and its indentation in points; None if the list does not exist.
        """
        if id is None or id not in self._lists:
            return None
        abstract, levels = self._lists[id]
        level = levels.get(depth, _Level())
        counts = self._counts.setdefault(abstract, [None] * _LEVELS)
        for at, start in self._restarts.pop(id, {}).items():
            if at < _LEVELS:
                counts[at] = start - 1
        count = counts[depth]
        counts[depth] = level.start if count is None else count + 1
        for deeper in range(depth + 1, _LEVELS):
            restart = levels.get(deeper, _Level()).restart
            if restart != 0 and (restart is None or depth < restart):
                counts[deeper] = None
        return _printed(depth, levels, counts), level.indent


def _level(element: Any) -> _Level:
    restart = value(element, "lvlRestart")
    left = value(element, "pPr/ind", "left") or value(element, "pPr/ind", "start")
    return _Level(
        start=whole_number(value(element, "start"), 1),
        format=value(element, "numFmt") or "decimal",
        text=(value(element, "lvlText") or "")[:100],
        restart=None if restart is None else whole_number(restart),
        legal=bool(switched(element, "isLgl")),
        indent=None if left is None else whole_number(left) / 20,
    )


def _printed(depth: int, levels: dict[int, _Level], counts: list[int | None]) -> str:
    level = levels.get(depth, _Level())
    if level.format == "bullet":
        return printed_bullet(level.text)
    if level.format == "none":
        return level.text.strip() if "%" not in level.text else ""

    def number(match: re.Match[str]) -> str:
        at = int(match[1]) - 1
        other = levels.get(at, _Level())
        count = other.start if (counted := counts[at]) is None else counted
        if other.format == "none":
            return ""
        if level.legal and at < depth:
            return str(count)
        if other.format == "decimalZero":
            return f"{count:02}"
        return (
            f"{count}."
            if other.format == "ordinal"
            else numeral(count, _FORMS.get(other.format, ""))
        )

    return " ".join(re.sub(r"%([1-9])", number, level.text).split())
