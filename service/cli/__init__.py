"""The command line: build, serve, ask, read, check, compare, measure, and the settings and keys of the service."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

import click

from service.cli import asking, operate, reading
from service.cli.common import cli, say
from service.settings import SettingFault

__all__ = ["asking", "cli", "main", "operate", "reading"]


def main(arguments: Iterable[str] | None = None) -> None:
    """Run the command line; errors are one line on standard error, exit status 2 for wrong use and 1 for a failure."""
    try:
        status = cli.main(list(arguments) if arguments is not None else None, prog_name="regula", standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.ClickException as fault:
        say(f"regula: {fault.format_message()}; see 'regula --help'")
        sys.exit(2)
    except (SettingFault, LookupError) as fault:
        say(f"regula: {fault.args[0] if fault.args else fault}")
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (OSError, ValueError, RuntimeError) as fault:
        say(f"regula: {str(fault).splitlines()[0] if str(fault) else type(fault).__name__}")
        sys.exit(1)
