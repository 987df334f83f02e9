"""Bold, italic, size and invisibility of text in HTML: by tags, by attributes, and by simple rules
for classes in its style sheets.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

_BOLD = frozenset({"b", "strong"})
_ITALIC = frozenset({"i", "em", "cite", "dfn", "var"})
_CLASS = re.compile(r"\s*(?:p|span|div|li|td)?\.([\w-]+)\s*")
_WEIGHT = re.compile(r"font-weight\s*:\s*(bold|bolder|normal|lighter|\d{3})", re.IGNORECASE)
_SLANT = re.compile(r"font-style\s*:\s*(italic|oblique|normal)", re.IGNORECASE)
_SIZE = re.compile(
    r"font-size\s*:\s*(\d{1,3}(?:\.\d{1,4})?|\.\d{1,4})(pt|px|r?em|%)", re.IGNORECASE
)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_POINTS = {"pt": 1.0, "px": 0.75, "rem": 12.0}
_RELATIVE = {"em": 1.0, "%": 0.01}
DEFAULT_SIZE = 12.0  # points of text in browsers
LARGEST_SHEET = 500_000  # characters


class TextStyle(NamedTuple):
    """How text looks. ``size`` is in points, 0.0 where nothing says it."""

    bold: bool = False
    italic: bool = False
    size: float = 0.0
    hidden: bool = False


class HtmlStyles:
    """The styles of a page with ``root``, by its own style sheets and by the text of others
    (``sheets``).
    """

    def __init__(self, root: Any, sheets: str = ""):
        self._classes: dict[str, str] = {}
        for sheet in (sheets, *(each.text or "" for each in root.iter("style"))):
            *rules, _ = sheet[:LARGEST_SHEET].split("}")
            for rule in rules:
                before, _, declarations = rule.rpartition("{")
                for selector in before.rpartition("{")[2].split(","):
                    if match := _CLASS.fullmatch(selector):
                        self._classes[match[1]] = (
                            f"{self._classes.get(match[1], '')};{declarations}"[-4000:]
                        )

    @property
    def body(self) -> TextStyle:
        """The style of text that nothing describes. Its size is known where classes have sizes, to
        compare with them.
        """
        return TextStyle(
            size=DEFAULT_SIZE if any(_SIZE.search(each) for each in self._classes.values()) else 0.0
        )

    def of(self, element: Any, outer: TextStyle) -> TextStyle:
        """The style of ``element``, which stands in text of the style ``outer``."""
        bold = outer.bold or element.tag in _BOLD
        italic = outer.italic or element.tag in _ITALIC
        declared = element.get("style") or ""
        if self._classes and (names := element.get("class")):
            declared = ";".join(
                [*(self._classes.get(name, "") for name in names.split()[:20]), declared]
            )
        if not declared:
            return outer._replace(bold=bold, italic=italic)
        for weight in _WEIGHT.findall(declared):
            bold = weight.lower() in ("bold", "bolder") or weight[0] in "6789"
        for slant in _SLANT.findall(declared):
            italic = slant.lower() != "normal"
        size = outer.size
        for number, unit in _SIZE.findall(declared):
            relative = _RELATIVE.get(unit.lower())
            size = float(number) * (
                _POINTS[unit.lower()]
                if relative is None
                else relative * (outer.size or DEFAULT_SIZE)
            )
        return TextStyle(bold, italic, size, bool(_HIDDEN.search(declared)))
