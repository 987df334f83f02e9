"""Progress of what takes long, on a terminal: the seconds that it has taken."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

import click


@contextmanager
def counted_seconds(line: str) -> Iterator[None]:
    """Print ``line`` on standard error and, where that is a terminal, behind it the seconds that pass until the block is done."""
    if not sys.stderr.isatty():
        click.echo(line, err=True)
        yield
        return
    done, started = Event(), monotonic()

    def count() -> None:
        while not done.wait(1.0):
            click.echo(f"\r{line}: {monotonic() - started:.0f} s", nl=False, err=True)

    click.echo(line, nl=False, err=True)
    counting = Thread(target=count, daemon=True)
    counting.start()
    try:
        yield
    finally:
        done.set()
        counting.join()
        click.echo("", err=True)
