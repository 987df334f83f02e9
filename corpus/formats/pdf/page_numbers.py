"""The numbers that are printed on pages, and the page labels of a PDF."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pypdfium2 as pdfium

from corpus.blocks import PageNumber
from corpus.formats.assembly import numeral
from corpus.formats.pdf.furniture import NUMBER, roman_value
from corpus.formats.pdf.pages import PrintedPage

PRINTED, LABELS = "printed on the pages", "page labels of the file"

_PAGES = 3  # from which on numbers that count up are those of pages
_FEW = 4  # pages: then two are enough
_AGREE = 0.8  # of the numbers that are printed, page labels have, or they count otherwise
_ROMAN = re.compile(r"(?:\A|(?<=\s))\W?([ivxl]{1,7}|[IVXL]{1,7})\W?(?=\s|\Z)")
_LONGEST = 12  # characters of a page label


class _Sequence(NamedTuple):
    """How the numbers of some pages count up: in ``roman`` ones or not, and which one the page that
    is read first would have.
    """

    roman: bool
    first: int


class _Number(NamedTuple):
    sequence: _Sequence
    text: str


def page_numbers(
    pages: Sequence[PrintedPage], labels: Sequence[str]
) -> tuple[tuple[tuple[PageNumber, ...], ...], str]:
    """Return the numbers of each sheet, from left to right, and where they come from: from the
    edges of ``pages``, which are in the order of reading, else from the ``labels`` of sheets.

    A page without a number has one if it stands between pages that have, or at the beginning of
    their count.
    """
    printed = _printed(pages)
    sheets = max((page.number for page in pages), default=0)
    found: list[list[PageNumber]] = [[] for _ in range(sheets)]
    for page, text in zip(pages, printed, strict=True):
        if text:
            found[page.number - 1].append(PageNumber(page.left, text))
    source = PRINTED if any(found) else LABELS
    told = [numbers[0].text if numbers else "" for numbers in found]
    both = [one == other for one, other in zip(told, labels, strict=False) if one]
    if sum(both) >= _AGREE * len(both):
        for numbers, label in zip(found, labels, strict=False):
            if label and not numbers:
                numbers.append(PageNumber(0.0, label))
    if source == LABELS and all(label in ("", str(at)) for at, label in enumerate(labels, 1)):
        return (), ""
    return tuple(tuple(sorted(numbers)) for numbers in found), source if any(found) else ""


def page_labels(document: pdfium.PdfDocument) -> list[str]:
    """Return the page label of each sheet; none where the PDF has none, "" where it is of no
    use.
    """
    try:
        labels = [document.get_page_label(at).strip() for at in range(len(document))]
    except (pdfium.PdfiumError, UnicodeDecodeError, ValueError):
        return []
    return [label if len(label) <= _LONGEST and label.isprintable() else "" for label in labels]


def _printed(pages: Sequence[PrintedPage]) -> list[str]:
    """Return the number of each page, "" where none is printed or follows from others."""
    told = [list(_numbers(page, at)) for at, page in enumerate(pages)]
    counts = Counter(count for each in told for count in {number.sequence for number in each})
    least = _PAGES if len(pages) > _FEW else 2
    found: list[_Number | None] = []
    for page, numbers in zip(pages, told, strict=True):
        fitting = [each for each in numbers if counts[each.sequence] >= least]
        own = [each for each in numbers if page.printed is not None][:1]
        best = max(fitting, key=lambda each: counts[each.sequence], default=None)
        found.append(own[0] if own else best)
    _fill(found)
    return [each.text if each else "" for each in found]


def _numbers(page: PrintedPage, at: int) -> Iterator[_Number]:
    """Yield what may be the number of a page, the ``at``-th that is read."""
    if page.printed is not None:
        yield _Number(_Sequence(False, page.printed - at), str(page.printed))
    for line in page.edges:
        for roman in _ROMAN.findall(line.text):
            yield _Number(_Sequence(True, roman_value(roman) - at), roman)
        for digits in NUMBER.findall(line.text):
            yield _Number(_Sequence(False, int(digits) - at), digits)


def _fill(found: list[_Number | None]) -> None:
    """Give numbers to the pages between two of the same count, and to the one between two counts,
    where the second one begins.
    """
    before: tuple[int, _Number] | None = None
    for at, number in enumerate(list(found)):
        if number is None:
            continue
        if before is not None:
            same = before[1].sequence == number.sequence
            for between in range(before[0] + 1 if same else max(before[0] + 1, at - 1), at):
                found[between] = _counted(number, between)
        before = at, number


def _counted(like: _Number, at: int) -> _Number | None:
    value = like.sequence.first + at
    if value < 1:
        return None
    roman = "I" if like.text.isupper() else "i"
    return _Number(like.sequence, numeral(value, roman) if like.sequence.roman else str(value))
