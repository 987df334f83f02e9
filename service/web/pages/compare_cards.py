"""The cards of a game beside their English print, and filters for what differs."""

from __future__ import annotations

from collections import Counter
from typing import Any

from flask import Response, request

from corpus.cards.symbols import card_display
from corpus.errors import NotFound
from glossary.comparison.card_texts import ORIGINAL, CardDifference
from index.analysis import plain
from service.browse.card_page import (
    CardTextRun,
    symbol_runs,
)
from service.core.i18n import N_
from service.core.problems import Problem
from service.editions.card_comparison import card_languages
from service.editions.exported_files import compared_cards
from service.schemas.comparisons import CardDifferenceOut, ComparedCardTextOut
from service.web.pages.layout import games_with_editions, page, pages
from service.web.pages.pagination import address_with, one_of, requested_page, search_words
from service.web.request_context import current_snapshot

LENGTH = 25  # differences on one page

KINDS = {
    CardDifference.NUMBERS: N_("Number"),
    CardDifference.SYMBOLS: N_("Symbol"),
    CardDifference.TERMS: N_("Term"),
    CardDifference.CONDITIONS: N_("Condition"),
    CardDifference.UNTRANSLATED: N_("Text still in English"),
    CardDifference.TEXT: N_("Text without a translation"),
    CardDifference.FACE: N_("Face without a translation"),
    CardDifference.CARD: N_("Card without a translation"),
}


@pages.get("/compare/cards/<game>")
def compare_cards(game: str) -> Response:
    """Show what differs between the cards of a game in one language and the English ones, by
    pages.
    """
    snapshot = current_snapshot()
    languages = card_languages(snapshot).get(game, ())
    if not languages:
        raise Problem.unknown("There are no cards of such a game here.")
    language = request.args.get("language", languages[0])
    shown: dict[str, Any] = {
        "scope": game,
        "game": next(
            scope for scope in games_with_editions(snapshot.library) if scope.game == game
        ),
        "compared_language": language,
        "languages": languages,
        "original": ORIGINAL,
        "address_with": address_with,
    }
    try:
        comparison = compared_cards(snapshot, game, language)
    except NotFound as fault:
        raise Problem.unknown(f"There are no cards of {game} in this language.") from fault
    kind, words = one_of("sort", list(KINDS)), search_words()
    called = _with_words(comparison.differences, words)
    counts = Counter(difference.sort for difference in called)
    found = [difference for difference in called if kind in ("", difference.sort)]
    return page(
        "compare_cards.html",
        snapshot,
        listed=requested_page(
            sorted(found, key=lambda difference: _ORDER[difference.sort]), LENGTH
        ),
        kinds=[(each, counts[each]) for each in KINDS if counts[each] or each == kind],
        kind_names=KINDS,
        filters={"kind": kind, "words": words},
        runs=text_runs,
        **shown,
    )


_ORDER = {kind: number for number, kind in enumerate(KINDS)}


def text_runs(
    side: ComparedCardTextOut, game: str, language: str
) -> list[tuple[bool, tuple[CardTextRun, ...]]]:
    """Return the text of one side for readers, cut into runs with their symbols; with each, whether
    the other side has nothing for it.
    """
    runs, at = [], 0
    for start, end in side.spans:
        runs += [(False, side.text[at:start]), (True, side.text[start:end])]
        at = end
    runs.append((False, side.text[at:]))
    return [
        (changed, symbol_runs(_readable(text, game, language), game, language))
        for changed, text in runs
        if text
    ]


def _readable(text: str, game: str, language: str) -> str:
    """A piece of a text without its markup; blanks at its ends part it from the pieces beside
    it.
    """
    words = text.strip()
    start = len(text) - len(text.lstrip())
    return text[:start] + card_display(words, game, language) + text[start + len(words) :]


def _with_words(differences: list[CardDifferenceOut], words: str) -> list[CardDifferenceOut]:
    """Return the differences of cards with all ``words`` in their names or ids."""
    sought = plain(words).split()
    if not sought:
        return differences
    return [
        d
        for d in differences
        if all(word in plain(f"{d.name} {d.translated_name or ''} {d.card}") for word in sought)
    ]
