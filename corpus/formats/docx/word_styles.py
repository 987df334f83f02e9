"""Styles of DOCX: what a paragraph inherits from the style it is set in."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from corpus.formats.docx.word_xml import W, child, number, switched, value

_HEADING = re.compile(r"heading (\d)")
_CONTENTS = re.compile(r"toc \d|contents \d|table of figures|index \d")
DEEPEST = 9  # levels of headings; level 10 is body text


class WordStyle(NamedTuple):
    """What a style says, with what it inherits; None or 0 where nothing is said. ``heading`` counts
    from 1, ``size`` is in points.
    """

    name: str = ""
    heading: int = 0
    contents: bool = False
    bold: bool | None = None
    italic: bool | None = None
    hidden: bool | None = None
    size: float = 0.0
    indent: float = 0.0
    list_id: str | None = None
    list_level: int = 0


class WordStyles:
    """The styles of a document by id. ``root`` is the root of its part "styles", None where it has
    none.
    """

    def __init__(self, root: Any):
        self._elements = (
            {}
            if root is None
            else {each.get(f"{W}styleId"): each for each in root.iterfind(f"{W}style")}
        )
        self._found: dict[str, WordStyle] = {}
        self.base = (
            WordStyle()
            if root is None
            else overlaid(WordStyle(), None, child(root, "docDefaults/rPrDefault/rPr"))
        )
        self.default = ""
        for id, each in self._elements.items():
            if each.get(f"{W}type") == "paragraph" and each.get(f"{W}default") in ("1", "true"):
                self.default = id

    def style(self, id: str | None) -> WordStyle:
        """The style with ``id``; the base of all where there is none."""
        if id not in self._elements or id is None:
            return self.base
        chain = []
        at: str | None = id
        while at in self._elements and at not in self._found and at not in chain and at is not None:
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
        return self._found[id]


def overlaid(style: WordStyle, paragraph: Any, run: Any) -> WordStyle:
    """``style`` with what the properties of a ``paragraph`` and of a ``run`` say."""
    changes: dict[str, Any] = {}
    if (level := value(paragraph, "outlineLvl")) is not None:
        changes["heading"] = number(level, DEEPEST) + 1 if number(level, DEEPEST) < DEEPEST else 0
    if (list_id := value(paragraph, "numPr/numId")) is not None:
        changes["list_id"] = list_id
    if (depth := value(paragraph, "numPr/ilvl")) is not None:
        changes["list_level"] = min(max(number(depth), 0), 8)
    left = value(paragraph, "ind", "left") or value(paragraph, "ind", "start")
    if left is not None:
        changes["indent"] = number(left) / 20
    for field, name in (("bold", "b"), ("italic", "i"), ("hidden", "vanish")):
        if (on := switched(run, name)) is not None:
            changes[field] = on
    if (size := value(run, "sz")) is not None:
        changes["size"] = number(size) / 2
    return style._replace(**changes)
