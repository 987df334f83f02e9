"""Joins what a PDF gives as several characters and prints as one: the letters of a ligature, and
accents drawn over letters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from corpus.formats.pdf.characters import PrintedCharacter

_ACCENTS = {  # a sign of its own and what joins a letter
    "`": "\u0300", "\u00b4": "\u0301", "\u02c6": "\u0302", "^": "\u0302", "\u02dc": "\u0303", "~": "\u0303",
    "\u00af": "\u0304", "\u02d8": "\u0306", "\u02d9": "\u0307", "\u00a8": "\u0308", "\u02da": "\u030a", "\u02dd": "\u030b",
    "\u02c7": "\u030c", "\u00b8": "\u0327",
}  # fmt: skip
_DOUBLE = "ft"  # letters of which there are ligatures with themselves
_WIDE = 0.45  # of the size: the least width of these
_OVER = 0.5  # of the narrower one of accent and letter lies over the other
_MOST = 200  # accents of capitals on a page
_HEIGHT = 0.6  # of the size: how much higher the accent of a capital stands


def join(characters: Sequence[PrintedCharacter]) -> list[PrintedCharacter]:
    """``characters`` of a page with ligatures and accented letters as one each.

    PDFium gives "fi" of one glyph as two characters in the same box. TeX draws an accent of its
    older fonts as a sign of its own, before the letter that it stands over; PDFium puts that of a
    capital behind the line.
    """
    found: list[PrintedCharacter] = []
    for each in characters:
        one = (_ligature(found[-1], each) or _accented(found[-1], each)) if found else None
        if one is None:
            found.append(each)
        else:
            found[-1] = one
    alone = [at for at, each in enumerate(found) if each.text in _ACCENTS]
    capitals = [at for at, each in enumerate(found) if each.text.isupper()] if alone else []
    moved: set[int] = set()
    for at in alone[:_MOST]:
        for capital in capitals:
            if (one := _accented(found[at], found[capital])) is not None:
                found[capital] = one
                moved.add(at)
                break
    return [each for at, each in enumerate(found) if at not in moved]


def _ligature(first: PrintedCharacter, second: PrintedCharacter) -> PrintedCharacter | None:
    same = (
        first.left == second.left
        and first.right == second.right
        and first.baseline == second.baseline
        and not second.spaced
    )
    if not same or not second.text.isalpha() or not first.text.isalpha():
        return None
    if first.text == second.text and (
        first.text not in _DOUBLE or first.right - first.left < _WIDE * first.style.size
    ):
        return None  # a letter printed twice to make it bold
    return first._replace(text=first.text + second.text)


def _accented(accent: PrintedCharacter, letter: PrintedCharacter) -> PrintedCharacter | None:
    """``letter`` with the ``accent`` over it; None where this is no accent or does not stand over
    it.
    """
    mark = _ACCENTS.get(accent.text)
    if mark is None or not letter.text[:1].isalpha() or accent.style.angle != letter.style.angle:
        return None
    over = min(accent.right, letter.right) - max(accent.left, letter.left)
    if over < _OVER * min(accent.right - accent.left, letter.right - letter.left):
        return None
    if abs(accent.baseline - letter.baseline) > _HEIGHT * letter.style.size:
        return None
    base = {"\u0131": "i", "\u0237": "j"}.get(letter.text[0], letter.text[0])
    composed = unicodedata.normalize("NFC", base + mark)
    return (
        letter._replace(text=composed + letter.text[1:], spaced=accent.spaced or letter.spaced)
        if len(composed) == 1
        else None
    )
