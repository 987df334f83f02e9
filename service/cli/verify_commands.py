"""The command that checks quotations and citations in files."""

from __future__ import annotations

import click

from service.cli.common import (
    cli,
    edition_option,
    game_option,
    index_manager_from_options,
    json_option,
    location_options,
    print_json,
)


@cli.command()
@location_options
@click.argument("files", metavar="FILES…", nargs=-1, required=True)
@edition_option("only this edition counts")
@game_option
@json_option("print one JSON object a line")
def verify(files: tuple[str, ...], edition: str | None, game: str | None, as_json: bool) -> int:
    """Check what FILES quote and cite of the rulebooks; - is standard input.

    One line for each quotation that is not printed so, and for each rule or entry that does not
    exist or says something else, with file and line; exit status 1 where there is one. Of programs
    the comments are checked.
    """
    from service.answers.batch import describe_problem
    from service.answers.verify.files import findings
    from service.core.problems import Problem

    texts = {name: _text(name) for name in dict.fromkeys(files)}
    snapshot = index_manager_from_options().ready()
    wrong = False
    for name, text in texts.items():
        try:
            for found in findings(snapshot, name, text, game, edition):
                wrong = True
                if as_json:
                    print_json(found.as_json(name))
                else:
                    click.echo(
                        f"{name}:{found.line}:{found.column}: {found.problem}: "
                        f"{found.text}: {found.message}"
                    )
        except Problem as problem:
            given = {"game": game, "edition": edition}
            raise click.UsageError(describe_problem(problem, given).rstrip(".")) from problem
    return 1 if wrong else 0


def _text(file: str) -> str:
    """Return the text of ``file``. Raises `click.UsageError` where it is none."""
    try:
        with click.open_file(file, "rb") as opened:
            text: str = opened.read().decode("utf-8-sig")
    except OSError as fault:
        raise click.UsageError(f"{file}: cannot be read ({fault.strerror})") from fault
    except UnicodeDecodeError as fault:
        raise click.UsageError(f"{file}: is no text in UTF-8") from fault
    if "\0" in text:
        raise click.UsageError(f"{file}: is no text")
    return text.replace("\r\n", " \n")
