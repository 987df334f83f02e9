"""Create a workspace, change its files safely (several at once, by several processes), and add
rulebooks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from corpus.data_files import DataFileError
from corpus.edition_files import described_editions, read_edition
from corpus.errors import RegulaError, WrongUse
from corpus.file_changes import ChangeScope, FileChanges, FileInUse, UnfinishedChange, held
from corpus.rulings.loading import HOUSE, read_rulings
from corpus.rulings.source_files import CONFIRMED, SourceFile
from corpus.workspace import CONCEPTS, EDITIONS, FOLDERS, PHRASINGS, RULEBOOKS, RULINGS
from glossary.comparison.concept_proposals import ConceptProposal
from glossary.concepts.loading import read_concepts
from glossary.query_variants import read_query_variants
from service.editions.concept_edits import with_proposals
from service.editions.recognised_rulebook import RecognisedRulebook, commented_draft
from service.editions.yaml_edits import CannotEdit

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
| `pairings/` | `<game>.jsonl`: which passages of two editions belong together, where somebody has said so by hand |
| `ignored/` | `<game>.jsonl`: which findings of the check are ignored, by whom and why |
| `checks/` | `<game>.yaml`: words that are not to be used, and patterns, which comparisons warn of |
| `feedback/` | what users said of answers, where the setting `feedback` has it kept |

What stands here is read beside what the program knows, and first. The index, in `index/`, is built anew by itself when something here has
changed.

    regula add FILE --home .       adds a rulebook: shows what was recognised, copies it, writes its edition file
    regula ask "…" --home .        answers from the rulebooks here
    regula serve --home .          the same in the browser
    regula backup FILE --home .    writes all of it into one file, which 'regula restore' puts in place elsewhere

`REGULA_HOME` may name this folder instead of `--home`.
"""  # noqa: E501

T = TypeVar("T")


class NotKept(RegulaError, OSError):
    """Something could not be written into the workspace; the message is one line that says why."""


class NoWorkspace(WrongUse):
    """A folder that is no workspace."""


def make_workspace(home: Path) -> list[str]:
    """Create what ``home`` lacks of a workspace, and return the names of what was created. Raises
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
    """Return ``home`` if it is a workspace, and finish an interrupted change in it. Raises
    `NoWorkspace`, `UnfinishedChange`.
    """
    if home is None:
        raise NoWorkspace(
            "no workspace is named; make one with 'regula init DIR' and name it with --home DIR or "
            "REGULA_HOME"
        )
    found = home.expanduser()
    ChangeScope.of_workspace(found).finish()
    if not (found / RULEBOOKS).is_dir():
        raise NoWorkspace(f"{home}: no workspace; make one with 'regula init {home}'")
    return found


@contextmanager
def changed_workspace(home: Path) -> Iterator[FileChanges]:
    """Change files of the workspace ``home``: all at the end of the block, or none if it raises
    something. Raises `NotKept`.
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


class InUse(RegulaError):
    """Another process is doing the same work."""


class WorkspaceDataFile:
    """A file of the workspace ``home``. It is replaced in one step, and only by a text that
    ``check`` accepts.
    """

    def __init__(self, home: Path, path: Path, check: Callable[[Path], object]):
        self.path = path
        self._scope = ChangeScope.of_workspace(home)
        self._check = check

    @classmethod
    def of_edition(cls, home: Path, edition: str) -> WorkspaceDataFile:
        """Return the file of the workspace ``home`` that describes ``edition``."""
        return cls(home, home / EDITIONS / f"{edition}.yaml", read_edition)

    @classmethod
    def of_phrasings(cls, home: Path, edition: str) -> WorkspaceDataFile:
        """Return the file of query variants of ``edition`` in the workspace ``home``."""
        return cls(home, home / PHRASINGS / f"{edition}.yaml", read_query_variants)

    @classmethod
    def of_concepts(cls, home: Path, game: str) -> WorkspaceDataFile:
        """Return the file of concepts of ``game`` in the workspace ``home``."""
        return cls(home, home / CONCEPTS / f"{game}.yaml", read_concepts)

    @classmethod
    def of_house_rulings(cls, home: Path, game: str) -> WorkspaceDataFile:
        """Return the file of house rulings on ``game`` in the workspace ``home``."""
        return cls(
            home, home / RULINGS / game / HOUSE, partial(_check_rulings, game=game, name=HOUSE)
        )

    @classmethod
    def of_confirmations(cls, home: Path, game: str) -> WorkspaceDataFile:
        """Return the file of the workspace ``home`` that records, for each confirmed ruling on
        ``game``, the rules it rested on at that time.
        """
        return cls(
            home,
            home / RULINGS / game / CONFIRMED,
            partial(_check_rulings, game=game, name=CONFIRMED),
        )

    def read(self) -> str:
        """Return the text of the file with its line ends unchanged; "" if there is no file.
        Raises `NotKept` if it cannot be read.
        """
        try:
            return self.path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as fault:
            raise NotKept(f"{self.path}: cannot be read ({fault}); nothing was written") from fault

    def change(self, changed: Callable[[str], str]) -> str:
        """Replace the text of the file by the result of ``changed``, under a lock on the workspace,
        and return it.

        Raises `NotKept` if it cannot be written or would be invalid, and whatever ``changed``
        raises; the file is then unchanged.
        """
        try:
            with self._scope.changing() as changes:
                return self.stage(changes, changed)
        except FileInUse as fault:
            raise NotKept(
                f"{self.path}: somebody else is writing; it is as it was, try again"
            ) from fault
        except UnfinishedChange as fault:
            raise NotKept(str(fault)) from fault
        except RegulaError:
            raise
        except OSError as fault:
            raise NotKept(
                f"{self.path}: cannot be written ({fault.strerror}); it is as it was"
            ) from fault

    def stage(self, changes: FileChanges, changed: Callable[[str], str]) -> str:
        """Do as `change`, together with other ``changes`` of the workspace."""
        before = self.read()
        try:
            after = changed(before)
        except CannotEdit as fault:
            raise NotKept(f"{self.path}: {fault}; it is as it was") from fault
        if after != before:
            changes.write(self.path, after.encode(), self._checked)
        return after

    def _checked(self, staged: Path) -> None:
        try:
            self._check(staged)
        except DataFileError as fault:
            why = str(fault).replace(staged.name, self.path.name)
            raise NotKept(f"{self.path}: would be faulty ({why}); it is as it was") from fault

    @contextmanager
    def claimed(self, work: str) -> Iterator[None]:
        """Keep other processes from doing the same ``work`` on this file. Raises `InUse` if one
        does.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with held(self.path.with_name(f".{self.path.name}.{work}"), 0.0):
                yield
        except FileInUse as fault:
            raise InUse(f"{self.path}: another process is {work} it; wait for its end") from fault


def _check_rulings(path: Path, game: str, name: str) -> None:
    """Raise `DataFileError` for the first fault of a file of rulings to be called ``name``."""
    for fault in read_rulings([SourceFile.of(name, path.read_bytes())], game).faults:
        raise DataFileError(str(fault))


def text_hash(text: str) -> str:
    """Return the SHA-256 of ``text``, used to detect that a file changed since it was read."""
    return hashlib.sha256(text.encode()).hexdigest()


def rulebook_path(home: Path, game: str, name: str, raw: bytes) -> Path:
    """Return where to store the file of a rulebook: in the folder of its ``game``, under its own
    ``name`` or, if another file has that, a longer one.
    """
    path = home / RULEBOOKS / game / name.lstrip(".")
    if path.exists() and not (
        path.is_file() and (path.read_bytes() == raw or interrupted_copy(path, raw))
    ):
        return path.with_name(f"{path.stem}-{hashlib.sha256(raw).hexdigest()[:8]}{path.suffix}")
    return path


def interrupted_copy(path: Path, raw: bytes) -> str:
    """Return the SHA-256 of the file ``path`` if it has only the beginning of ``raw``, as an
    interrupted copy does; else "".

    A file that an edition file names by its hash counts as complete, whatever it contains.
    """
    content = path.read_bytes() if path.is_file() else raw
    if len(content) >= len(raw) or not raw.startswith(content):
        return ""
    digest = hashlib.sha256(content).hexdigest()
    return digest if all(described.document != digest for described in described_editions()) else ""


def add_rulebook(
    home: Path,
    found: RecognisedRulebook,
    path: Path,
    raw: bytes,
    proposals: Sequence[ConceptProposal],
) -> Path | None:
    """Store the rulebook ``found`` in the bytes ``raw`` in the workspace ``home``, as ``path``,
    with its edition file and ``proposals``: all files or none.

    Returns the edition file, None if the edition is described already. Raises `NotKept`.
    """
    edition = found.rulebook.edition
    description = WorkspaceDataFile.of_edition(home, edition.id)
    with changed_workspace(home) as changes:
        if (
            not found.described
        ):  # staged before the rulebook, which would be taken for another edition without it
            description.stage(
                changes, partial(_described, description.path, commented_draft(found.rulebook))
            )
        if not path.exists() or interrupted_copy(path, raw):
            changes.write(path, raw)
        elif path.read_bytes() != raw:
            raise NotKept(f"{path}: was put there meanwhile; nothing was added")
        if proposals:
            WorkspaceDataFile.of_concepts(home, edition.game).stage(
                changes, partial(with_proposals, proposals=proposals)
            )
    return None if found.described else description.path


def _described(path: Path, draft: str, before: str) -> str:
    if path.exists():
        raise NotKept(
            f"{path}: describes an edition already; give the new one another --version, or take "
            "that file away first"
        )
    return draft


def change_lines(
    home: Path, path: Path, parse: Callable[[str], T], changed: Callable[[T], str]
) -> None:
    """Replace the text of ``path``, a file in JSON Lines of the workspace ``home``, by the result
    of ``changed`` on what ``parse`` reads from it.

    Raises `NotKept` if it is invalid (``parse`` raises `DataFileError`) or not writable; the
    file is then unchanged.
    """

    def written(text: str) -> str:
        try:
            known = parse(text)
        except DataFileError as fault:
            raise NotKept(f"{path}: {fault}; nothing was written") from fault
        return changed(known)

    file = WorkspaceDataFile(home, path, lambda staged: parse(staged.read_text(encoding="utf-8")))
    file.change(written)
