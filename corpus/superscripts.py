"""Raised digits, as of footnotes ("Spieler³") and powers: no digits of the word before them."""

from __future__ import annotations

SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISED = str.maketrans("0123456789", SUPERSCRIPTS)


def superscripts(text: str) -> str:
    """Return ``text`` with superscript signs for its digits, where it has nothing but these."""
    return text.translate(_RAISED) if text.strip().isdecimal() and text.isascii() else text
