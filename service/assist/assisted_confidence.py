"""How sure an answer is after a model has looked at it."""

from __future__ import annotations

# Of 73 questions of strangers, a model that was asked as `service.assist.lookup_request` does named
# passages for all 62 that the rulebook settles, 59 of them right, and for none of the 11 that it
# leaves open.
_CHOSEN = (0.75, 0.25)
_OPEN = (0.0, 0.25)


def assisted_confidence(confidence: float, chosen: bool) -> float:
    """Return the estimated probability that one of the hits settles a question, 0.0 to 1.0.

    ``confidence`` is that of the search alone; ``chosen`` says whether the model named a passage.
    """
    least, share = _CHOSEN if chosen else _OPEN
    return least + share * confidence
