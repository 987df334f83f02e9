"""How sure an answer is after a model has looked at it."""

from __future__ import annotations

_CHOSEN = (0.6, 0.4)
_OPEN = (0.0, 0.4)


def assisted_confidence(confidence: float, chosen: bool) -> float:
    """Return the estimated probability that one of the hits settles a question, 0.0 to 1.0.

    ``confidence`` is that of the search alone; ``chosen`` says whether the model named a passage.
    """
    least, share = _CHOSEN if chosen else _OPEN
    return least + share * confidence
