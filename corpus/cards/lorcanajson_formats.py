"""The formats that a card may be played in, from what LorcanaJSON says of its printings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import Field

from corpus.cards.folder import Day, RecordFields

LEGAL, BANNED = "legal", "banned"


class Allowed(RecordFields):
    """Whether a printing is allowed in a format."""

    allowed: bool
    until: Day = Field(default="", alias="allowedUntilDate")
    banned_since: Day = Field(default="", alias="bannedSinceDate")


def formats_of(printings: Sequence[tuple[Mapping[str, Allowed], str]], today: str) -> dict[str, str]:
    """By format: "legal", "banned", or the date from which on the card is legal; a format that it is not in is left out.

    ``printings`` have the formats and the date from which on they are allowed in tournaments; one that is allowed is enough for the
    card. ``today`` is the day that the database is of.
    """
    found: dict[str, str] = {}
    for name in sorted({name for formats, _ in printings for name in formats}):
        of_format = [(formats[name], start) for formats, start in printings if name in formats]
        if any(allowed.banned_since for allowed, _ in of_format):
            found[name] = BANNED
            continue
        starts = [start for allowed, start in of_format if allowed.allowed and not (allowed.until and allowed.until <= today)]
        if starts:
            first = min(starts)
            found[name] = first if first > today else LEGAL
    return found
