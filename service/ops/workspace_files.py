"""Making a workspace, and putting rulebooks with their edition files into it; what is there is never overwritten."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from corpus.edition_files import described_editions
from corpus.errors import RegulaError, WrongUse
from corpus.file_changes import ChangeScope, FileChanges
from corpus.workspace import EDITIONS, FOLDERS, RULEBOOKS

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

`REGULA_HOME` may name this folder instead of `--home`.
"""


class NotKept(RegulaError, OSError):
    """Something that cannot be written into the workspace; the message is one line that says why."""


class NoWorkspace(WrongUse):
    """A folder that is no workspace."""


class AddedRulebook(NamedTuple):
    """Where a rulebook is now, and the file that describes its edition; None where that was described before."""

    rulebook: Path
    description: Path | None


def make_workspace(home: Path) -> list[str]:
    """Make what ``home`` does not have yet of a workspace; the names of what was made. Raises `NotKept`."""
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
    """``home`` if it is a workspace; a change that was interrupted in it is finished. Raises `NoWorkspace`, `UnfinishedChange`."""
    if home is None:
        raise NoWorkspace("no workspace is named; make one with 'regula init DIR' and name it with --home DIR or REGULA_HOME")
    found = home.expanduser()
    ChangeScope.of_workspace(found).finish()
    if not (found / RULEBOOKS).is_dir():
        raise NoWorkspace(f"{home}: no workspace; make one with 'regula init {home}'")
    return found


@contextmanager
def changed_workspace(home: Path) -> Iterator[FileChanges]:
    """Change files of the workspace ``home``: all of them in the end of the block, none where it raises something. Raises `NotKept`."""
    try:
        with ChangeScope.of_workspace(home).changing() as changes:
            yield changes
    except RegulaError:
        raise
    except OSError as fault:
        raise _not_kept(home, fault) from fault


def rulebook_path(home: Path, game: str, name: str, raw: bytes) -> Path:
    """Where the file of a rulebook goes: the folder of its ``game``, under its own ``name`` or, if that is another file's, a longer one."""
    path = home / RULEBOOKS / game / name.lstrip(".")
    if path.exists() and not (path.is_file() and (path.read_bytes() == raw or interrupted_copy(path, raw))):
        return path.with_name(f"{path.stem}-{hashlib.sha256(raw).hexdigest()[:8]}{path.suffix}")
    return path


def interrupted_copy(path: Path, raw: bytes) -> str:
    """The SHA-256 of the file ``path`` where it has only the beginning of ``raw``, as a copy that was interrupted leaves it; else "".

    One that an edition file names by its hash was added whole, whatever it has.
    """
    content = path.read_bytes() if path.is_file() else raw
    if len(content) >= len(raw) or not raw.startswith(content):
        return ""
    digest = hashlib.sha256(content).hexdigest()
    return digest if all(described.document != digest for described in described_editions()) else ""


def add_rulebook(home: Path, path: Path, raw: bytes, edition: str, description: str) -> AddedRulebook:
    """Put the rulebook ``raw`` into the workspace ``home`` as ``path``, with the ``description`` of its ``edition`` unless that is "".

    Both are there in the end, or neither. Raises `NotKept`, also where a file describes the edition already.
    """
    described = home / EDITIONS / f"{edition}.yaml" if description else None
    with changed_workspace(home) as changes:
        if described is not None:
            if described.exists():
                raise NotKept(f"{described}: describes an edition already; give the new one another --version, or take it away first")
            changes.write(described, description.encode())  # before the rulebook, which without it would be taken for another edition
        if not path.exists() or interrupted_copy(path, raw):
            changes.write(path, raw)
        elif path.read_bytes() != raw:
            raise NotKept(f"{path}: was put there meanwhile; nothing was added")
    return AddedRulebook(path, described)


def _not_kept(home: Path, fault: OSError) -> NotKept:
    where = fault.filename if isinstance(fault.filename, str) and not Path(fault.filename).name.startswith(".") else home
    return NotKept(f"{where}: cannot be written ({fault.strerror}); nothing was added")
