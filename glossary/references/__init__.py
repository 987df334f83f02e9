"""References found in passages and resolved to entries: one finder for each way that layouts print them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from corpus.model import Rulebook
from glossary.model import Reference
from glossary.references import contents, rule_numbers, see_lists

_FINDERS: dict[str, Callable[[Rulebook, Sequence[Rulebook]], list[Reference]]] = {
    "capitals": see_lists.find,
    "markdown": see_lists.find,
    "single": see_lists.find,
    "numbered": rule_numbers.find,
    "dashed": contents.find,
}


def find(rulebook: Rulebook, shelf: Sequence[Rulebook] = ()) -> tuple[Reference, ...]:
    """Every reference of ``rulebook`` in document order, resolved; none where its layout prints them in no way that is known.

    ``shelf`` are the rulebooks it stands among: what a document of one entry refers to is looked up in the nearest
    other edition of the same game and language.
    """
    finder = _FINDERS.get(rulebook.edition.layout)
    return tuple(sorted(finder(rulebook, shelf), key=lambda r: (r.span, r.raw))) if finder else ()
