"""From when on the text of a document holds, as its head says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from corpus.document import Document
from corpus.languages import FALLBACK, any_of
from corpus.printed_dates import date_at_start

HEAD_LINES = 40  # lines with text at the top of a document, where its date is printed
_LONGEST = 300  # characters of such a line that are read
_SIGNS = re.compile(r"<[^>]{0,100}>|[*_#`]")


def effective_date(document: Document, language: str) -> str:
    """The date from which the text of ``document``, in ``language``, holds, as ISO 8601 writes it;
    "" where its head says none.

    It is what stands behind words like "gültig ab", else behind words for the date of a version,
    like "Stand".
    """
    lines = [
        " ".join(_SIGNS.sub("", line.text[:_LONGEST]).split())
        for line in document.lines[: HEAD_LINES * 10]
    ]
    head = [line for line in lines if line][:HEAD_LINES]
    return _labelled(head, "labels.effective", language) or _labelled(
        head, "labels.as_of", language
    )


def _labelled(lines: Sequence[str], labels: str, language: str) -> str:
    """The first date behind one of ``labels``, in the same line or in the one below."""
    pattern = _pattern(labels, language)
    for number, line in enumerate(lines):
        for match in pattern.finditer(line):
            behind = line[match.end() :] or next(iter(lines[number + 1 : number + 2]), "")
            if found := date_at_start(behind, language):
                return found
    return ""


@cache
def _pattern(labels: str, language: str) -> re.Pattern[str]:
    words = "|".join(any_of(labels, language=each) for each in dict.fromkeys((language, FALLBACK)))
    return re.compile(rf"\b(?:{words})[\s:.,;(–-]*", re.IGNORECASE)
