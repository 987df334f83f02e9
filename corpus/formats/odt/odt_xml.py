"""Names of OpenDocument (ODF 1.3, part 3), which ODT consists of."""

from __future__ import annotations

import re

_BASE = "urn:oasis:names:tc:opendocument:xmlns"
OFFICE = f"{{{_BASE}:office:1.0}}"
TEXT = f"{{{_BASE}:text:1.0}}"
TABLE = f"{{{_BASE}:table:1.0}}"
STYLE = f"{{{_BASE}:style:1.0}}"
DRAW = f"{{{_BASE}:drawing:1.0}}"
FO = f"{{{_BASE}:xsl-fo-compatible:1.0}}"
XLINK = "{http://www.w3.org/1999/xlink}"
XML = "{http://www.w3.org/XML/1998/namespace}"
META = "{http://purl.org/dc/elements/1.1/}"
_POINTS = {"pt": 1.0, "in": 72.0, "cm": 72 / 2.54, "mm": 72 / 25.4, "px": 0.75, "pc": 12.0}


def number(text: str | None, default: int = 0) -> int:
    """``text`` as a whole number, ``default`` where it is none."""
    return int(text) if text is not None and re.fullmatch(r"-?\d{1,9}", text) else default


def points(length: str | None) -> float:
    """The ``length`` ("1.25cm") in points, 0.0 where it is none."""
    match = re.fullmatch(r"(-?\d{0,6}(?:\.\d{1,6})?)([a-z]{2})", length or "")
    return (
        float(match[1]) * _POINTS.get(match[2], 0.0) if match and match[1] not in ("", "-") else 0.0
    )
