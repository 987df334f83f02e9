"""Which edition two translations are shown beside: the one that is asked for, else the only English one of their game."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.errors import WrongUse
from corpus.model import Edition
from glossary.comparison.card_texts import ORIGINAL
from service.core.i18n import N_, TranslatableText

NO_SOURCE = "none"  # asks for no source edition where there would be one


class NoSource(WrongUse, ValueError):
    """An edition that two others cannot be shown beside; the message says why."""


def source_edition(editions: Sequence[Edition], left: str, right: str, wanted: str | None = None) -> str | None:
    """Return the id of the edition that ``left`` and ``right``, two of ``editions``, are shown beside; None for none.

    ``wanted`` is the id of an edition, `NO_SOURCE`, or None for the usual one: the English edition of the game where there is exactly one,
    beside editions in two other languages. Raises `NoSource` for an unknown edition, one of the two or one of another game.
    """
    known = {edition.id: edition for edition in editions}
    game = known[left].game
    if wanted is None:
        languages = {known[left].language, known[right].language}
        return usual_source(editions, game) if len(languages) == 2 and ORIGINAL not in languages else None
    if wanted == NO_SOURCE:
        return None
    check_source(editions, game, wanted)
    if wanted in (left, right):
        raise NoSource(
            TranslatableText(N_("%(edition)s is one of the two editions; name a third one as their source"), {"edition": wanted})
        )
    return wanted


def game_source(editions: Sequence[Edition], game: str, wanted: str | None = None) -> str | None:
    """Return the id of the source edition of a term list of ``game``; ``wanted`` and errors as for `source_edition`."""
    if wanted is None:
        return usual_source(editions, game)
    if wanted == NO_SOURCE:
        return None
    check_source(editions, game, wanted)
    return wanted


def usual_source(editions: Sequence[Edition], game: str) -> str | None:
    """Return the id of the English edition of ``game``, None where there is none or more than one."""
    found = [edition.id for edition in editions if (edition.game, edition.language) == (game, ORIGINAL)]
    return found[0] if len(found) == 1 else None


def check_source(editions: Sequence[Edition], game: str, wanted: str) -> None:
    """Raise `NoSource` where there is no edition ``wanted`` or it is of another game than ``game``."""
    games = {edition.id: edition.game for edition in editions}
    if wanted not in games:
        known = {"name": repr(wanted), "known": ", ".join(games)}
        raise NoSource(TranslatableText(N_("no edition %(name)s here; there are: %(known)s"), known))
    if games[wanted] != game:
        raise NoSource(TranslatableText(N_("%(edition)s is a rulebook of another game than %(game)s"), {"edition": wanted, "game": game}))
