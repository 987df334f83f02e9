"""How long the request that is being answered may still wait for jobs."""

from __future__ import annotations

import time
from contextvars import ContextVar


class JobBudget:
    """The time that one request may wait for jobs: ``seconds``, counted from its first job."""

    def __init__(self, seconds: float):
        self._seconds = seconds
        self._deadline: float | None = None

    def time_left(self) -> float:
        """Return the seconds that the request may still wait, at least 0."""
        now = time.monotonic()
        if self._deadline is None:
            self._deadline = now + self._seconds
        return max(0.0, self._deadline - now)


# Set by whoever answers a request, for the thread that answers it; None where nobody waits for an
# answer in time.
CURRENT_BUDGET: ContextVar[JobBudget | None] = ContextVar("job budget", default=None)


def time_left() -> float | None:
    """Return the seconds that the current request may still wait for jobs; None outside of
    requests.
    """
    budget = CURRENT_BUDGET.get()
    return budget.time_left() if budget else None
