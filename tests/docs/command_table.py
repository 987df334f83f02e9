"""Make the table of commands in docs/commands.md: `python -m tests.docs.command_table` writes it
from the command line's own help.
"""

from __future__ import annotations

from collections.abc import Iterator

import click

from service.cli import cli
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "commands.md"
_HEAD = """# Commands

Written by `python -m tests.docs.command_table` from `regula --help`. `regula COMMAND --help` lists the options of a command.

Commands that read or build take `--home DIR` (`REGULA_HOME`), a [workspace](documents.md#a-workspace), or `--rulebooks DIR` and
`--index DIR` (`REGULA_RULEBOOKS`, `REGULA_INDEX`). With `--json` they print what the [API](api.md) answers. Errors are one line on
standard error; the exit status is 2 for wrong use and 1 for a failure.

| command | does |
|---|---|
"""


def leaves(
    command: click.Command, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield each command that does something, with its full name; this includes groups that can be
    called alone.
    """
    if isinstance(command, click.Group):
        if path and command.invoke_without_command:
            yield path, command
        for name, child in command.commands.items():
            yield from leaves(child, (*path, name))
    else:
        yield path, command


def page() -> str:
    """Return the page as it should be."""
    rows = []
    for path, command in sorted(leaves(cli)):
        arguments = [
            _safe(each.human_readable_name.upper())
            for each in command.params
            if isinstance(each, click.Argument)
        ]
        does = _safe(" ".join((command.help or "").split("\n\n")[0].split()))
        rows.append(f"| `{' '.join(('regula', *path, *arguments))}` | {does} |\n")
    return _HEAD + "".join(rows)


def _safe(text: str) -> str:
    """Return ``text`` for a cell of a table in Markdown."""
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
