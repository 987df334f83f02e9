"""Making a workspace, and changing several files of it as one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corpus.errors import RegulaError, WrongUse
from corpus.file_changes import ChangeScope, FileChanges, FileInUse, UnfinishedChange
from corpus.workspace import FOLDERS, RULEBOOKS

_README = """\
# A workspace of Regula

| folder | has |
|---|---|
| `rulebooks/` | the rulebooks; a folder in it is a game, so that its editions in several languages can be compared |
| `editions/` | one YAML file for each edition: game, language, version, title, layout, corrections. Correct what is wrong there |
| `concepts/` | `<game>.yaml`: what the same thing is called in several languages; `regula add` proposes it, you correct it |
| `phrasings/` | `<edition>.yaml`: what players type when a passage is what they need |
| `cards/`, `rulings/` | cards and rulings of your own |
| `reviews/` | `<game>.jsonl`: who has reviewed which difference between two editions, without their texts |
| `feedback/` | what users said of answers, where the setting `feedback` has it kept |

What stands here is read beside what the program knows, and first. The index, in `index/`, is built anew by itself when something here has
changed.

    regula add FILE --home .       adds a rulebook: shows what was recognised, copies it, writes its edition file
    regula ask "…" --home .        answers from the rulebooks here
    regula serve --home .          the same in the browser
    regula backup FILE --home .    writes all of it into one file, which 'regula restore' puts in place elsewhere

`REGULA_HOME` may name this folder instead of `--home`.
"""


class NotKept(RegulaError, OSError):
    """Something that cannot be written into the workspace; the message is one line that says
    why.
    """


class NoWorkspace(WrongUse):
    """A folder that is no workspace."""


def make_workspace(home: Path) -> list[str]:
    """Make what ``home`` does not have yet of a workspace; the names of what was made. Raises
    `NotKept`.
    """
    made = []
    try:
        for name in FOLDERS:
            if not (home / name).is_dir():
                (home / name).mkdir(parents=True)
                made.append(f"{name}/")
        if not (home / "README.md").exists():
            with ChangeScope.of_workspace(home).changing() as changes:
                changes.write(home / "README.md", _README.encode())
            made.append("README.md")
    except RegulaError:
        raise
    except OSError as fault:
        raise _not_kept(home, fault) from fault
    return made


def opened_workspace(home: Path | None) -> Path:
    """``home`` if it is a workspace; a change that was interrupted in it is finished. Raises
    `NoWorkspace`, `UnfinishedChange`.
    """
    if home is None:
        raise NoWorkspace(
            "no workspace is named; make one with 'regula init DIR' and name it with --home DIR or REGULA_HOME"
        )
    found = home.expanduser()
    ChangeScope.of_workspace(found).finish()
    if not (found / RULEBOOKS).is_dir():
        raise NoWorkspace(f"{home}: no workspace; make one with 'regula init {home}'")
    return found


@contextmanager
def changed_workspace(home: Path) -> Iterator[FileChanges]:
    """Change files of the workspace ``home``: all of them in the end of the block, none where it
    raises something. Raises `NotKept`.
    """
    try:
        with ChangeScope.of_workspace(home).changing() as changes:
            yield changes
    except (FileInUse, UnfinishedChange) as fault:
        raise NotKept(str(fault)) from fault
    except RegulaError:
        raise
    except OSError as fault:
        raise _not_kept(home, fault) from fault


def _not_kept(home: Path, fault: OSError) -> NotKept:
    where = (
        fault.filename
        if isinstance(fault.filename, str) and not Path(fault.filename).name.startswith(".")
        else home
    )
    return NotKept(f"{where}: cannot be written ({fault.strerror}); nothing was added")
