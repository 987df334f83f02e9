"""References found in passages and resolved to entries: one finder for each style in which layouts print them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from corpus.layouts import LAYOUTS, ReferenceStyle
from corpus.model import Rulebook
from glossary.model import Reference
from glossary.references import rule_numbers, section_titles, see_lists

Finder = Callable[[Rulebook, Sequence[Rulebook]], list[Reference]]

FINDERS: Mapping[ReferenceStyle, Finder] = {
    ReferenceStyle.SEE_LISTS: see_lists.find,
    ReferenceStyle.RULE_NUMBERS: rule_numbers.find,
    ReferenceStyle.SECTION_TITLES: section_titles.find,
    ReferenceStyle.NONE: lambda rulebook, rulebooks: [],
}


def find(rulebook: Rulebook, rulebooks: Sequence[Rulebook] = ()) -> tuple[Reference, ...]:
    """Every reference of ``rulebook``, resolved, in document order, as the style of its layout prints them.

    ``rulebooks`` are all that are read together: what an excerpt refers to is looked up in the newest
    whole rulebook of the same game and language.
    """
    finder = FINDERS[LAYOUTS[rulebook.edition.layout].references]
    return tuple(sorted(finder(rulebook, rulebooks), key=lambda r: (r.span, r.raw)))
