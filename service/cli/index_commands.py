"""The command that takes the index that another machine has built."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

import click

from corpus.errors import RegulaError
from service.cli.common import cli, location_options, say, settings_from_options, wait_option
from service.ops.settings import Settings, locations


@cli.group("index")
def index_group() -> None:
    """Take an index that another machine has built."""


@index_group.command("pull")
@location_options
@wait_option
@click.option("--every", metavar="SECONDS", type=click.FloatRange(min=1), help="go on pulling whatever is published there, so often")
@click.argument("source", metavar="SOURCE")
def pull_index(rulebooks: str | None, index: str | None, wait: float, every: float | None, source: str) -> None:
    """Publish here the index that is published at SOURCE, a folder of indexes or the address of one (http:// or https://).

    Only files that are not here yet are taken, all are checked, and what is published here serves until then, and for good where
    anything is wrong. Services that run take it up. A user and a password belong into ~/.netrc.
    """
    from index.building.snapshots import Snapshots
    from service.ops.pulling.index_source import index_source
    from service.ops.pulling.pulling import pull

    settings = settings_from_options(rulebooks=rulebooks, index=index)
    said = [""]

    def report(line: str) -> None:
        if line != said[0]:  # every minute the same line would hide the others
            say(line)
        said[0] = line

    snapshots = Snapshots(_folder(settings), settings.keep, say)
    token = settings.store_token.get_secret_value()
    if every is None:
        pulled = pull(snapshots, index_source(source), token, wait, report)
        click.echo(pulled or snapshots.current())
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # the first process of a container is not ended by it otherwise
    while True:
        try:
            if pulled := pull(snapshots, index_source(source), token, wait, report):
                click.echo(pulled)
        except (RegulaError, OSError) as fault:
            report(str(fault))
        time.sleep(every)


def _folder(settings: Settings) -> Path:
    return settings.index.expanduser() if settings.index else locations(settings).index
