"""The rows of a comparison by what they say: a key that is the same in every edition, version and order of sides with these words."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from corpus.model import Passage
from glossary.comparison import AlignedPassages, ComparisonStatus, EditionComparison
from glossary.normalization import is_symbol
from glossary.phrasings import fingerprint
from glossary.phrasings.wording import without_numbers

KEY_DIGITS = 16  # hexadecimal digits of a key


class ReviewableRow(NamedTuple):
    """A row of a comparison. ``id`` is unique in the comparison: the key, with a number where the same words face each other again.

    ``texts`` are those of both sides, empty where one does not have it; ``places`` the entries they stand in, without the edition.
    """

    id: str
    key: str
    status: ComparisonStatus
    texts: tuple[str, str]
    places: tuple[str, str]


def facing_rows(comparison: EditionComparison) -> tuple[ReviewableRow, ...]:
    """Return every row of ``comparison`` in order."""
    languages = comparison.left.language, comparison.right.language
    seen: Counter[str] = Counter()
    found = []
    for row in rows_of(comparison):
        key = row_key(row, languages)
        seen[key] += 1
        id = key if seen[key] == 1 else f"{key}-{seen[key]}"
        found.append(ReviewableRow(id, key, row.status, row.texts, (_place(row.left), _place(row.right))))
    return tuple(found)


def rows_of(comparison: EditionComparison) -> Iterator[AlignedPassages]:
    """Yield every row of ``comparison`` in order."""
    return (row for pair in comparison.pairs for row in pair.rows)


def row_key(row: AlignedPassages, languages: tuple[str, str]) -> str:
    """Return the key of ``row``, whose sides are in ``languages``."""
    return pair_key(row.texts, languages)


def pair_key(texts: tuple[str, str], languages: tuple[str, str]) -> str:
    """Return the key of two ``texts`` that face each other, in hexadecimal digits: the same whichever stands on the left."""
    sides = sorted(f"{language} {content(text)}" for text, language in zip(texts, languages, strict=True))
    return hashlib.sha256("\n".join(sides).encode()).hexdigest()[:KEY_DIGITS]


def content(text: str) -> str:
    """Return a fingerprint of the words and symbols of ``text``; "" where there is no text.

    Line breaks, capitals, quotation marks, bullets, its own number and the numbers of rules with a point in them do not count.
    """
    if not text.strip():
        return ""
    plain = "\n".join(map(without_numbers, text.split("\n")))
    symbols = "".join(filter(is_symbol, plain))
    words = any(c.isalnum() for c in plain)
    return fingerprint(f"{plain} {symbols.encode().hex()}") if words or symbols else hashlib.sha256(text.encode()).hexdigest()[:12]


def same_text(one: str, other: str) -> bool:
    """Return whether two texts are the same but for white space, which office programs and translation tools alter."""
    return flat_text(one) == flat_text(other)


def flat_text(text: str) -> str:
    """Return ``text`` in one line, its letters composed."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _place(passages: tuple[Passage, ...]) -> str:
    return passages[0].entry.partition("/")[2] if passages else ""
