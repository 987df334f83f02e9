"""Every command takes ``--home``, before its name or behind it, and means that workspace by it."""

from pathlib import Path

import click
import pytest

from corpus.workspace import workspace
from service.cli import cli, main
from service.cli.common import settings_from_options
from service.ops.workspace import make_workspace


def commands(command, path=()):
    """Each command that does something, with the words that call it."""
    if isinstance(command, click.Group):
        if command.invoke_without_command:
            yield path, command
        for name, inner in command.commands.items():
            yield from commands(inner, (*path, name))
    else:
        yield path, command


COMMANDS = dict(commands(cli))


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """A workspace that nothing names but the command line."""
    for name in ("REGULA_HOME", "REGULA_RULEBOOKS", "REGULA_INDEX", "REGULA_CONFIG"):
        monkeypatch.setenv(name, "")
    make_workspace(tmp_path / "home")
    return tmp_path / "home"


def run(*arguments):
    with pytest.raises(SystemExit) as end:
        main([str(each) for each in arguments])
    return end.value.code


def needed(command, file):
    """A value for each argument and option that ``command`` needs."""
    found: list[str] = []
    for parameter in command.params:
        if parameter.required:
            value = str(file.parent if "folder" in (parameter.name or "") else file)
            found += (
                [value] if isinstance(parameter, click.Argument) else [parameter.opts[0], value]
            )
    return found


@pytest.mark.parametrize("behind", [True, False])
@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_takes_home_and_means_that_workspace(path, behind, home, monkeypatch):
    command, seen = COMMANDS[path], []

    def look(*_, **__):
        seen.append((settings_from_options().home, workspace()))

    monkeypatch.setattr(command, "callback", look)
    words = [*path, *needed(command, home / "README.md")]
    status = run(*words, "--home", home) if behind else run("--home", home, *words)
    assert (status, seen) == (0, [(home, home)])


def test_init_makes_the_workspace_that_home_names(home, capsys, monkeypatch):
    made = home.parent / "other"
    assert run("init", "--home", made) == 0
    assert (made / "rulebooks").is_dir()
    monkeypatch.setenv("REGULA_HOME", "")
    assert run("init") == 2
    assert "regula init DIR" in capsys.readouterr().err
