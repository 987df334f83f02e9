"""Comparisons of cards for the web: made once for all by a helper process, and read from there."""

from __future__ import annotations

from service.core.jobs.stored_works import Work, stored
from service.core.snapshot import Snapshot
from service.editions.card_comparison import render, translated_games
from service.schemas.comparisons import CardComparisonOut


def compared_cards_work(game: str, language: str, name: str) -> Work[bytes]:
    """Return the work of comparing the cards of ``game`` and writing that in the format called ``name``."""
    return Work(("cards", game, language, name), render, (game, language, name))


def compared_cards(snapshot: Snapshot, game: str, language: str) -> CardComparisonOut:
    """Return the cards of ``game`` compared; cached.

    Raises what `service.editions.card_comparison.compare_cards` and `service.core.jobs.stored_works.stored` raise.
    """

    def read() -> CardComparisonOut:
        return CardComparisonOut.model_validate_json(stored(snapshot, compared_cards_work(game, language, "json")))

    return snapshot.cache.get(("card comparisons", game, language), read, most=2)


CARD_LANGUAGES: Work[dict[str, tuple[str, ...]]] = Work(("card languages",), translated_games, kept=True)


def card_languages(snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
    """Return the languages that can be compared with English, of each game that has cards in any. Raises as `stored`."""
    return stored(snapshot, CARD_LANGUAGES) if snapshot.cards.games else {}
