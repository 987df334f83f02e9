"""Numbers of lists as they are printed: "4", "d", "IV"."""

from __future__ import annotations

_ROMAN = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
)
_ROMAN_DIGITS = (*_ROMAN, (5, "v"), (4, "iv"), (1, "i"))
LARGEST_ROMAN = 3999
LARGEST_LETTERS = 26 * 30  # more letters than thirty nobody repeats


def roman(number: int) -> str:
    """``number`` as a Roman numeral in lower case; in digits where it has none."""
    if not 0 < number <= LARGEST_ROMAN:
        return str(number)
    signs = ""
    for value, sign in _ROMAN_DIGITS:
        count, number = divmod(number, value)
        signs += sign * count
    return signs


def letters(number: int) -> str:
    """1 as a, 26 as z, 27 as aa, 28 as ab; in digits where it has no letters."""
    if number <= 0:
        return str(number)
    signs = ""
    while number:
        number, digit = divmod(number - 1, 26)
        signs = chr(ord("a") + digit) + signs
    return signs


def repeated_letters(number: int) -> str:
    """1 as a, 26 as z, 27 as aa, 28 as bb; in digits where it has no letters."""
    if not 0 < number <= LARGEST_LETTERS:
        return str(number)
    count, digit = divmod(number - 1, 26)
    return chr(ord("a") + digit) * (count + 1)
