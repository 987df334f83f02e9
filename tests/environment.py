"""The environment variables of programs that tests start."""

from __future__ import annotations

import os

# The tests are of indexes without one, which tests/conftest.py says
_LEFT = "REGULA_GENERAL_ENCODER"


def without_settings() -> dict[str, str]:
    """Return the present environment variables without Regula's settings."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("REGULA_") or name == _LEFT
    }
