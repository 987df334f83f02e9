"""Commands of cards."""

from __future__ import annotations

from service.cli.common import cli


@cli.group()
def cards() -> None:
    """Databases of cards."""
