"""Commands: the documents name every one, and what they call exists."""

from __future__ import annotations

import re

import click
import pytest

from service.cli import cli
from tests.conftest import ROOT
from tests.docs.code_in_docs import DOCUMENTS, Quoted, commands, quoted

CALLS = sorted(set(commands()), key=lambda each: (each.document, each.code))


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], click.Command]:
    """Each command that does something, by the words that call it."""
    if isinstance(command, click.Group):
        return {words: leaf for name, child in command.commands.items() for words, leaf in leaves(child, (*path, name)).items()}
    return {path: command}


def options(command: click.Command) -> set[str]:
    return {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}


COMMANDS = leaves(cli)


def resolve(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that ``words`` call, and the words behind its name. Raises `KeyError` with a name that does not exist."""
    command: click.Command = cli
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        command, words = command.commands[words[0]], words[1:]
    return command, words


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.document}: {call.code}")
def test_each_call_in_the_documents_exists_with_its_options(call: Quoted) -> None:
    try:
        command, rest = resolve(call.code.split())
    except KeyError as unknown:
        pytest.fail(f"there is no command {unknown}")
    given = set(re.findall(r"(?<!\S)--?[a-z][a-z-]*", " ".join(rest)))
    assert given <= options(command)


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_each_command_is_in_the_documents(path: tuple[str, ...]) -> None:
    words = [call.code.split() for call in CALLS]
    group = " ".join(path[:-1])
    listed = {each.code for each in quoted()}
    named = any(tuple(call[: len(path)]) == path for call in words)
    beside_its_group = path[-1] in listed and any(call.code.startswith(group) for call in CALLS)
    assert named or (group and beside_its_group)


def test_each_command_is_in_the_table_of_the_readme() -> None:
    table = [line for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines() if line.startswith("| `regula ")]
    assert {name for name in cli.commands if not any(f"`regula {name}" in row for row in table)} == set()


def test_an_option_that_stands_alone_belongs_to_some_command() -> None:
    known = set().union(*map(options, COMMANDS.values()))
    foreign = {"--upgrade", "--learn"}  # of make lock and of a benchmark
    alone = {each.code.partition(" ")[0] for each in quoted() if each.document != "CONTRIBUTING.md" and each.code.startswith("--")}
    assert alone - known - foreign == set()


def test_there_are_documents_and_calls_to_check() -> None:
    assert len(DOCUMENTS) > 10
    assert len(CALLS) > 40
