"""The layers of an answer."""

from __future__ import annotations

from enum import StrEnum


class Layer(StrEnum):
    """What an answer may quote from."""

    RULEBOOK = "rulebook"
    RULINGS = "rulings"
    CARDS = "cards"
