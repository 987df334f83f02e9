"""Find the item of a list that a question asks for: "Mitgliedschaft, 3. b)", "Schritt 2"."""

from __future__ import annotations

import re
from typing import NamedTuple

from corpus.languages import any_of
from glossary.references.spelled_numbers import in_figures

_PART = rf"(?:{any_of('references.parts', 'references.numero', 'references.places')})"
_ITEM = rf"(?:{_PART}|{any_of('questions.step')})"
_INNER = rf"(?:,?\s{_PART}[.\s]\s*+\(?([a-z]|\d{{1,2}})|\s?\(?([a-z]|\d{{1,2}}(?=[.)])))[.)]?"
_MARKS = rf"\(?(\d{{1,3}}|[a-z](?=\)))[.)]{{0,2}}(?:{_INNER})?(?!\w)"
# "Punkt 3 b der Mitgliedschaft", "Mitgliedschaft, 3. b)"
_CITED = re.compile(
    rf"(?<!\w)(?:{_ITEM}[.\s]\s*+)++{_MARKS}(?![.,]\d)"
    rf"|(?<=\w)[,:]?\s++{_MARKS}(?=[\s?!.,;:]*\Z)",
    re.IGNORECASE,
)


class CitedItem(NamedTuple):
    """An item of a list that a text asks for: its ``marks``, "3" and "b", and the ``rest`` of the
    text, which may name the heading above the list.
    """

    marks: tuple[str, ...]
    rest: str


def cited_item(text: str) -> CitedItem | None:
    """Return the item of a list that ``text`` asks for by its number; None if it does not."""
    text = in_figures(text, _ITEM)
    found = _CITED.search(text)
    if found is None:
        return None
    marks = tuple(each.lower() for each in found.groups() if each)
    return CitedItem(marks, f"{text[: found.start()]} {text[found.end() :]}")
