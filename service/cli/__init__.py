"""The command line `regula`."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterable

import click

from corpus.errors import RegulaError
from service.cli import (
    ask_commands,
    card_commands,
    drafting_commands,
    feedback_commands,
    operator_commands,
    rulebook_commands,
    ruling_commands,
    serve_commands,
    workspace_commands,
)
from service.cli.common import cli, say

__all__ = [
    "ask_commands",
    "card_commands",
    "cli",
    "drafting_commands",
    "feedback_commands",
    "main",
    "operator_commands",
    "rulebook_commands",
    "ruling_commands",
    "serve_commands",
    "workspace_commands",
]


def main(arguments: Iterable[str] | None = None) -> None:
    """Run the command line. Errors are one line on standard error, with exit status 2 for wrong use
    and 1 for a failure. A bug is shown with its traceback.
    """
    given = list(arguments) if arguments is not None else None
    try:
        status = cli.main(given, prog_name="regula", standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.ClickException as fault:
        say(f"regula: {fault.format_message()}; see 'regula --help'")
        sys.exit(2)
    except RegulaError as fault:
        say(f"regula: {str(fault).splitlines()[0] if str(fault) else type(fault).__name__}")
        sys.exit(fault.exit_status)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as fault:
        if isinstance(fault, OSError) and fault.strerror:  # often about a file
            file = f"{fault.filename}: " if fault.filename is not None else ""
            say(f"regula: {file}{fault.strerror}")
        else:
            traceback.print_exc()
            say(
                "regula: this is a fault of the program, not of what was typed; "
                "please report it with the lines above"
            )
        sys.exit(1)
