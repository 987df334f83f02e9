"""Find references in passages and resolve them to entries, with one finder for each style of
references.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from corpus.layouts import LAYOUTS, ReferenceStyle
from corpus.model import Rulebook
from glossary.model import Reference
from glossary.references import anywhere, rule_numbers, section_titles, see_lists

FINDERS: Mapping[ReferenceStyle, Callable[[Rulebook, Sequence[Rulebook]], list[Reference]]] = {
    ReferenceStyle.SEE_LISTS: see_lists.find,
    ReferenceStyle.RULE_NUMBERS: rule_numbers.find,
    ReferenceStyle.SECTION_TITLES: section_titles.find,
    ReferenceStyle.ANY: anywhere.find,
    ReferenceStyle.NONE: lambda rulebook, rulebooks: [],
}


def find(rulebook: Rulebook, rulebooks: Sequence[Rulebook] = ()) -> tuple[Reference, ...]:
    """Return all references of ``rulebook``, resolved, in document order.

    ``rulebooks`` are all rulebooks that are read together. A name that an excerpt does not contain
    is looked up in the newest whole rulebook of the same game and language.
    """
    finder = FINDERS[LAYOUTS[rulebook.edition.layout].references]
    return tuple(sorted(finder(rulebook, rulebooks), key=lambda r: (r.span, r.raw)))
