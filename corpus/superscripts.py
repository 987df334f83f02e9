"""Converts raised digits of footnotes and powers to superscripts ("Spieler³"), so that they do not
merge with the word before.
"""

from __future__ import annotations

SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISED = str.maketrans("0123456789", SUPERSCRIPTS)


def superscripts(text: str) -> str:
    """Return ``text`` in superscript characters if it is a number, otherwise unchanged."""
    return text.translate(_RAISED) if text.strip().isdecimal() and text.isascii() else text
