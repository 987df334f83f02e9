"""Making a workspace, and putting rulebooks and edition files into it; what is there is never overwritten."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from corpus.errors import RegulaError, WrongUse
from corpus.workspace import CONCEPTS, EDITIONS, FOLDERS, RULEBOOKS

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


class Addition(NamedTuple):
    """A file for the workspace: where, and its content."""

    path: Path
    content: bytes


def make_workspace(home: Path) -> list[str]:
    """Make what ``home`` does not have yet of a workspace; the names of what was made. Raises `NotKept`."""
    made = []
    try:
        for name in FOLDERS:
            if not (home / name).is_dir():
                (home / name).mkdir(parents=True)
                made.append(f"{name}/")
        if not (home / "README.md").exists():
            _write(Addition(home / "README.md", _README.encode()))
            made.append("README.md")
    except OSError as fault:
        raise _not_kept(home, fault) from fault
    return made


def opened_workspace(home: Path | None) -> Path:
    """``home`` if it is a workspace. Raises `NoWorkspace`."""
    if home is None:
        raise NoWorkspace("no workspace is named; make one with 'regula init DIR' and name it with --home DIR or REGULA_HOME")
    found = home.expanduser()
    if not (found / RULEBOOKS).is_dir():
        raise NoWorkspace(f"{home}: no workspace; make one with 'regula init {home}'")
    return found


def rulebook_path(home: Path, game: str, name: str, raw: bytes) -> Path:
    """Where the file of a rulebook goes: the folder of its ``game``, under its own ``name`` or, if that is another file's, a longer one."""
    path = home / RULEBOOKS / game / name.lstrip(".")
    if path.exists() and not (path.is_file() and path.read_bytes() == raw):
        return path.with_name(f"{path.stem}-{hashlib.sha256(raw).hexdigest()[:8]}{path.suffix}")
    return path


def edition_addition(home: Path, id: str, text: str) -> Addition:
    """The file that describes the edition ``id``. Raises `NotKept` where there is one already."""
    path = home / EDITIONS / f"{id}.yaml"
    if path.exists():
        raise NotKept(f"{path}: describes an edition already; give the new one another --version, or take that file away first")
    return Addition(path, text.encode())


def concept_text(home: Path, game: str) -> str:
    """What the file of the concepts of ``game`` has in it; "" where there is none. Raises `NotKept` where it cannot be read."""
    path = home / CONCEPTS / f"{game}.yaml"
    try:
        return path.read_text(encoding="utf-8") if path.exists() else ""
    except (OSError, UnicodeDecodeError) as fault:
        raise NotKept(f"{path}: cannot be read; nothing was written") from fault


def keep_concepts(home: Path, game: str, text: str) -> Path:
    """Write the file of the concepts of ``game`` and return where it is. What is there stays if it cannot be written. Raises `NotKept`."""
    return _replace(home / CONCEPTS / f"{game}.yaml", text)


def keep_edition(path: Path, text: str) -> Path:
    """Write the file that describes an edition and return where it is. What is there stays if it cannot be written. Raises `NotKept`."""
    return _replace(path, text)


def _replace(path: Path, text: str) -> Path:
    """Put ``text`` in the place of the file ``path`` in one step. Raises `NotKept`."""
    new = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_text(text, encoding="utf-8", newline="")
        new.replace(path)
    except OSError as fault:
        new.unlink(missing_ok=True)
        raise NotKept(f"{path}: cannot be written ({fault.strerror}); it is as it was") from fault
    return path


def keep(home: Path, additions: list[Addition]) -> None:
    """Write all ``additions`` that are not there yet, or none. Raises `NotKept`."""
    written: list[Path] = []
    try:
        for each in additions:
            if not each.path.exists():
                each.path.parent.mkdir(parents=True, exist_ok=True)
                _write(each)
                written.append(each.path)
    except OSError as fault:
        for path in written:
            path.unlink(missing_ok=True)
        raise _not_kept(home, fault) from fault


def _write(each: Addition) -> None:
    """Write a new file; none is left where it cannot be written whole. Raises `OSError`."""
    with each.path.open("xb") as file:
        try:
            file.write(each.content)
            file.flush()
        except OSError:
            with suppress(OSError):
                each.path.unlink()
            raise


def _not_kept(home: Path, fault: OSError) -> NotKept:
    where = fault.filename if isinstance(fault.filename, str) else home
    return NotKept(f"{where}: cannot be written ({fault.strerror}); nothing was added")
