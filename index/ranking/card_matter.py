"""Whether a question that names a card asks about what rulings and errata say of it, or names the
card only as an example.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from index.library.passage_lookup import PassageLookup
from index.questions.prepared import PreparedQuestion, SearchScope
from index.store.protocol import Store

# How much nearer what is said of a card is to the question without its name than the nearest other
# passage (difference of cosines), and what share of the best passage's words it has: from where on
# it is about another matter, and from where on about the same.
_NEARER = (-0.35, -0.15)
_WORDS = (0.4, 0.8)
_SIDES = (-1.0, 1.0)


def about_cards(
    prepared: PreparedQuestion,
    scope: SearchScope,
    named: NDArray[np.bool_],
    store: Store,
    lookup: PassageLookup,
    terms_of: Callable[[str, str], Sequence[str]],
) -> float:
    """How much a question is about what the passages ``named``, a mask of those of ``scope``, say
    of its cards: from -1 to 1.

    They are compared with the others of their editions; another edition may have the same ruling
    under another name of the card. ``terms_of`` makes index terms of a text in a language.
    """
    edition_of = np.searchsorted(lookup.bounds, scope.numbers, side="right")
    others = np.isin(edition_of, edition_of[named]) & ~named
    if not len(prepared.without_cards) or not named.any() or not others.any():
        return _SIDES[1]
    near = store.vectors(prepared.without_cards, scope)
    about = float(
        np.interp((near[:, named].max(axis=1) - near[:, others].max(axis=1)).max(), _NEARER, _SIDES)
    )
    if about < _SIDES[1]:
        for words in store.words(
            [_terms_without_cards(prepared, language, terms_of) for language in scope.languages],
            scope,
        ):
            share = float(words[named].max()) / max(float(words[others].max()), 1e-9)
            about = max(about, float(np.interp(share, _WORDS, _SIDES)))
    return about


def _terms_without_cards(
    prepared: PreparedQuestion, language: str, terms_of: Callable[[str, str], Sequence[str]]
) -> list[str]:
    """The terms of the asking sentences in ``language`` that are in no name of a card."""
    parsed = prepared.parsed
    names = {
        parsed.text[card.start : card.end] for cards in parsed.cards.values() for card in cards
    }
    named = {
        term
        for name in names
        for spoken in (language, prepared.language)
        for term in terms_of(name, spoken)
    }
    return [term for term in prepared.asking_terms_in(language) if term not in named]
