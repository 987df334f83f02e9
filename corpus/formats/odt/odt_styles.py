"""Styles of ODT: of paragraphs and text, of lists, and of the numbers of headings."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from corpus.formats.odt.odt_xml import FO, OFFICE, STYLE, TEXT, number, points
from corpus.formats.shared.numerals import letters, repeated_letters, roman

BULLET = "•"
LEVELS = 10
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_FORMATS: dict[str, Callable[[int], str]] = {
    "a": letters,
    "A": lambda number: letters(number).upper(),
    "i": roman,
    "I": lambda number: roman(number).upper(),
}
_SYNCHRONOUS: dict[str, Callable[[int], str]] = {
    "a": repeated_letters,
    "A": lambda number: repeated_letters(number).upper(),
}


class OdtTextStyle(NamedTuple):
    """What a style says, with what it inherits. ``size`` and ``indent`` are in points."""

    bold: bool = False
    italic: bool = False
    hidden: bool = False
    size: float = 0.0
    indent: float = 0.0


class OdtLevel(NamedTuple):
    """A level of a list: how its numbers are printed. ``bullet`` is "" for a level with numbers."""

    bullet: str = ""
    format: str = ""
    prefix: str = ""
    suffix: str = ""
    shown: int = 1  # how many levels a number has
    start: int = 1
    synchronous: bool = False
    indent: float = 0.0

    def printed(self, count: int) -> str:
        """``count`` as this level prints it, without prefix and suffix."""
        formats = _SYNCHRONOUS if self.synchronous and self.format in _SYNCHRONOUS else _FORMATS
        return formats.get(self.format, str)(count) if self.format else ""


class OdtStyles:
    """The styles of a document: those of its ``common`` part (None where there is none), and the
    automatic ones of its ``content``.
    """

    def __init__(self, common: Any, content: Any):
        self._styles: dict[tuple[str, str], Any] = {}
        self._lists: dict[str, dict[int, OdtLevel]] = {}
        self.outline: dict[int, OdtLevel] = {}
        for root in (each for each in (common, content) if each is not None):
            for group in root.iterchildren(f"{OFFICE}styles", f"{OFFICE}automatic-styles"):
                for style in group.iterchildren(f"{STYLE}style"):
                    self._styles[style.get(f"{STYLE}family", ""), style.get(f"{STYLE}name", "")] = (
                        style
                    )
                for style in group.iterchildren(f"{TEXT}list-style"):
                    self._lists[style.get(f"{STYLE}name", "")] = _levels(style)
                for style in group.iterchildren(f"{TEXT}outline-style"):
                    self.outline = _levels(style)

    def levels(self, list_style: str) -> dict[int, OdtLevel]:
        """The levels of ``list_style``, from 1."""
        return self._lists.get(list_style, {})

    def text(self, family: str, name: str | None, outer: OdtTextStyle) -> OdtTextStyle:
        """The style ``name`` of ``family`` ("paragraph", "text") over ``outer``."""
        chain: list[tuple[str, str]] = []
        at = (family, name or "")
        while at in self._styles and at not in chain and len(chain) < 50:
            chain.append(at)
            at = (family, self._styles[at].get(f"{STYLE}parent-style-name", ""))
        for each in reversed(chain):
            outer = _overlaid(self._styles[each], outer)
        return outer


def _overlaid(style: Any, outer: OdtTextStyle) -> OdtTextStyle:
    changes: dict[str, Any] = {}
    text = style.find(f"{STYLE}text-properties")
    if text is not None:
        if weight := text.get(f"{FO}font-weight"):
            changes["bold"] = weight == "bold" or weight[0] in "6789"
        if slant := text.get(f"{FO}font-style"):
            changes["italic"] = slant in ("italic", "oblique")
        if size := points(text.get(f"{FO}font-size")):
            changes["size"] = size
        if display := text.get(f"{TEXT}display"):
            changes["hidden"] = display == "none"
    paragraph = style.find(f"{STYLE}paragraph-properties")
    if paragraph is not None and (left := paragraph.get(f"{FO}margin-left")):
        changes["indent"] = points(left)
    return outer._replace(**changes)


def _levels(style: Any) -> dict[int, OdtLevel]:
    return {
        number(each.get(f"{TEXT}level")): _level(each)
        for each in style
        if isinstance(each.tag, str)
    }


def _level(element: Any) -> OdtLevel:
    properties = element.find(f"{STYLE}list-level-properties")
    indent = 0.0
    if properties is not None:
        alignment = properties.find(f"{STYLE}list-level-label-alignment")
        indent = points(properties.get(f"{TEXT}space-before")) or points(
            None if alignment is None else alignment.get(f"{FO}margin-left")
        )
    bullet = ""
    if (
        element.tag != f"{TEXT}outline-level-style"
        and element.tag != f"{TEXT}list-level-style-number"
    ):
        sign = element.get(f"{TEXT}bullet-char", "").strip()
        bullet = BULLET if not sign or sign.isalnum() or _PRIVATE.search(sign) else sign[:3]
    return OdtLevel(
        bullet=bullet,
        format=element.get(f"{STYLE}num-format", ""),
        prefix=element.get(f"{STYLE}num-prefix", "")[:20],
        suffix=element.get(f"{STYLE}num-suffix", "")[:20],
        shown=max(number(element.get(f"{TEXT}display-levels"), 1), 1),
        start=number(element.get(f"{TEXT}start-value"), 1),
        synchronous=element.get(f"{STYLE}num-letter-sync") == "true",
        indent=indent,
    )
