"""Makes a library from rulebooks: resolves references, looks up printed pages, ties entries to
concepts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from corpus.model import Rulebook
from glossary import concepts
from glossary.matching.printed_ties import tie_cards, tie_numbers
from glossary.model import Reference
from glossary.references import find
from glossary.references.printed_index import resolve_printed_index
from index.library.library import Library, make_library


def assemble_library(
    rulebooks: Sequence[Rulebook],
    known: Callable[[str], Sequence[Reference] | None] = lambda edition: None,
) -> Library:
    """The library of ``rulebooks``, with their references resolved, their entries' pages and
    concepts.

    ``known`` has the references in an edition by its id, None where they have to be found.
    """
    references: list[Reference] = []
    for rulebook in rulebooks:
        before = known(rulebook.edition.id)
        references += find(rulebook, rulebooks) if before is None else before
    printed = {
        entry: numbers for rulebook in rulebooks for entry, numbers in _pages(rulebook).items()
    }
    terms = [
        c
        for game in sorted({r.edition.game for r in rulebooks})
        for c in concepts.load_concepts(game)
    ]
    game_of = {r.edition.id: r.edition.game for r in rulebooks}
    tied = {
        **tie_numbers(rulebooks),
        **tie_cards(rulebooks),
        **concepts.tie_entries(terms, rulebooks).by_entry,
    }
    return make_library(
        rulebooks,
        references,
        printed,
        {entry: f"{game_of[entry.partition('/')[0]]}/{concept}" for entry, concept in tied.items()},
    )


def _pages(rulebook: Rulebook) -> dict[str, tuple[int, ...]]:
    """The page that each entry begins on; where the document has no pages, the printed pages that
    its index gives.
    """
    if pages := rulebook.document.pages:
        return {
            entry.id: (page,)
            for entry in rulebook.entries
            if (page := pages.page_at(entry.spans[0].start))
        }
    return dict(resolve_printed_index(rulebook).pages)
