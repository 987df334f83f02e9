import re

import click
import pytest

from service.cli import cli
from tests.docs import command_table
from tests.docs.code_in_docs import commands, quoted

CALLS = sorted(set(commands()), key=lambda each: (each.document, each.code))


def options(command):
    return {
        option
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    } | {"--help"}


COMMANDS = dict(command_table.leaves(cli))


def resolve(words):
    """The command that ``words`` call, and the words behind its name. Raises `KeyError` with a name
    that does not exist.
    """
    command: click.Command = cli
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        command, words = command.commands[words[0]], words[1:]
    return command, words


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.document}: {call.code}")
def test_each_call_in_the_documents_exists_with_its_options(call):
    try:
        command, rest = resolve(call.code.split())
    except KeyError as unknown:
        pytest.fail(f"there is no command {unknown}")
    given = set(re.findall(r"(?<!\S)--?[a-z][a-z-]*", " ".join(rest)))
    assert given <= options(command)


def test_the_table_of_commands_is_that_of_the_command_line():
    assert command_table.PAGE.read_text(encoding="utf-8") == command_table.page(), (
        "run python -m tests.docs.command_table"
    )


def test_an_option_that_stands_alone_belongs_to_some_command():
    known = set().union(*map(options, COMMANDS.values()))
    foreign = {"--upgrade", "--learn"}  # of make lock and of a benchmark
    alone = {
        each.code.partition(" ")[0]
        for each in quoted()
        if each.document != "CONTRIBUTING.md" and each.code.startswith("--")
    }
    assert alone - known - foreign == set()
