"""Converts raised digits, as of footnotes ("Spieler³") and powers, so that they are not digits of
the word before them.
"""

from __future__ import annotations

SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISED = str.maketrans("0123456789", SUPERSCRIPTS)


def superscripts(text: str) -> str:
    """Return ``text`` in superscript characters if it consists only of digits."""
    return text.translate(_RAISED) if text.strip().isdecimal() and text.isascii() else text
