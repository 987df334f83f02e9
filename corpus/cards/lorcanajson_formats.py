"""The formats that a card may be played in, from what LorcanaJSON says of its printings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import Field

from corpus.cards.folder import Day, RecordFields

LEGAL, BANNED, UNTIL = "legal", "banned", "until"


class Allowed(RecordFields):
    """Whether a printing is allowed in a format."""

    allowed: bool
    until: Day = Field(default="", alias="allowedUntilDate")
    banned_since: Day = Field(default="", alias="bannedSinceDate")


def formats_of(
    printings: Sequence[tuple[Mapping[str, Allowed], str]], today: str
) -> dict[str, str]:
    """By format: "legal", "banned", the date from which on the card is legal, or "until" with the
    day on which it rotates or has rotated.

    A format that it was never in is left out.

    ``printings`` have the formats and the date from which on they are allowed in tournaments; one
    that is allowed is enough for the card. ``today`` is the day that the database is of.
    """
    found: dict[str, str] = {}
    for name in sorted({name for formats, _ in printings for name in formats}):
        of_format = [(formats[name], start) for formats, start in printings if name in formats]
        if any(allowed.banned_since for allowed, _ in of_format):
            found[name] = BANNED
            continue
        lasting = [start for allowed, start in of_format if allowed.allowed and not allowed.until]
        untils = [allowed.until for allowed, _ in of_format if allowed.until]
        if lasting:
            first = min(lasting)
            found[name] = first if first > today else LEGAL
        elif untils:
            found[name] = f"{UNTIL} {max(untils)}"
    return found
