"""Makes a library from rulebooks: resolves references, looks up printed pages, ties entries to concepts."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.model import Rulebook
from glossary import concepts
from glossary.matching.card_ties import tie_cards
from glossary.matching.number_ties import tie_numbers
from glossary.printed_index import resolve_printed_index
from glossary.references import find
from index.library.library import Library, make_library


def assemble_library(rulebooks: Sequence[Rulebook]) -> Library:
    """The library of ``rulebooks``, with their references resolved, their entries' pages and concepts."""
    references = [reference for rulebook in rulebooks for reference in find(rulebook, rulebooks)]
    printed = {entry: numbers for rulebook in rulebooks for entry, numbers in _pages(rulebook).items()}
    known = [c for game in sorted({r.edition.game for r in rulebooks}) for c in concepts.load_concepts(game)]
    game_of = {r.edition.id: r.edition.game for r in rulebooks}
    tied = {**tie_numbers(rulebooks), **tie_cards(rulebooks), **concepts.tie_entries(known, rulebooks).by_entry}
    return make_library(
        rulebooks, references, printed, {entry: f"{game_of[entry.partition('/')[0]]}/{concept}" for entry, concept in tied.items()}
    )


def _pages(rulebook: Rulebook) -> dict[str, tuple[int, ...]]:
    """The page that each entry begins on; where the document has no pages, the printed pages that its index gives."""
    if pages := rulebook.document.pages:
        return {entry.id: (page,) for entry in rulebook.entries if (page := pages.page_at(entry.spans[0].start))}
    return dict(resolve_printed_index(rulebook).pages)
