"""Comparisons of cards for the web: rendered once for all, by a job, and read from there."""

from __future__ import annotations

from service.core.jobs.background import BackgroundCache
from service.core.jobs.queue import run_job
from service.core.jobs.stored_files import render_once
from service.core.snapshot import Snapshot
from service.editions.card_comparison import render, translated_games
from service.schemas.card_comparisons import CardComparisonOut


def compared_cards_file(snapshot: Snapshot, game: str, language: str, name: str) -> bytes:
    """Return the cards of ``game`` compared, in the format called ``name``.

    Raises what `service.editions.card_comparison.compare_cards` and `service.core.jobs.queue.run_job` raise.
    """
    location = snapshot.location
    return render_once(location, ("cards", game, language, name), lambda: run_job(location, render, game, language, name))


def compared_cards(snapshot: Snapshot, game: str, language: str, patience: float) -> CardComparisonOut | None:
    """Return the cards of ``game`` compared; None where that is not ready within ``patience`` seconds. The first call begins it.

    Raises what `compared_cards_file` raises.
    """
    background: BackgroundCache[CardComparisonOut] = snapshot.cache.get(("card comparisons",), lambda: BackgroundCache(most=2))

    def read() -> CardComparisonOut:
        return CardComparisonOut.model_validate_json(compared_cards_file(snapshot, game, language, "json"))

    return background.get((game, language), read, patience)


def card_languages(snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
    """Return the languages that can be compared with English, of each game that has cards in any."""
    if not snapshot.cards.games:
        return {}
    location = snapshot.location
    return snapshot.cache.get(("card languages",), lambda: run_job(location, translated_games))
