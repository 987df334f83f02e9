"""The time that the stages of a build take."""

from __future__ import annotations

import time


class StageClock:
    """Measures the stages of a build, which follow one another."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self.seconds: dict[str, float] = {}

    def finish(self, stage: str) -> None:
        """Count the time since the last call for ``stage``."""
        now = time.monotonic()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._last
        self._last = now

    def __str__(self) -> str:
        stages = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in self.seconds.items())
        return f"{sum(self.seconds.values()):.1f} seconds: {stages}"
