"""Kill commands that change a workspace, at each step of their changes on the disk and at random
moments.

``python -m tests.trials.killed_commands FOLDER --kills N`` prints as JSON, for each command, the
number of kills and what was wrong after them. All work runs in processes forked from one that has
everything loaded.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = (
    "1"  # a team of threads does not survive a fork
)
os.environ.setdefault("REGULA_GENERAL_ENCODER", "none")

import openpyxl

from corpus import read_folder
from corpus.cards.read import read_cards
from corpus.data_files import DataFileError
from corpus.edition_files import read_edition
from corpus.file_changes import ChangeScope
from corpus.rulings import load_rulings
from corpus.workspace import CARDS, CONCEPTS, EDITIONS, PHRASINGS, RULEBOOKS, use_workspace
from glossary.concepts.loading import read_concepts
from glossary.query_variants import read_query_variants
from service.cli import main
from service.ops.backup.archive import BackupError, open_backup
from service.ops.comparison_reviews import load_reviews
from service.ops.feedback.store import FeedbackStore
from service.ops.keys import KeyRing, token_digest
from service.ops.settings import SettingError, Settings
from service.ops.workspace import (
    make_workspace,
    opened_workspace,
)
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes, library
from tests.service.test_workspace import GERMAN, ITALIAN
from tests.tasks import die_at, ended, forked

GAME = "nebelkutter"
CARD_LIST = (
    "cards: [{{id: '{1}1', names: {{de: Kutter {0}}}}}, {{id: '{1}2', names: {{de: Horn {0}}}}}]\n"
)
RULING_LIST = (
    "rulings: [{{id: r-{0}, question: Darf ich im Nebel rudern?, answer: Ja {1}, language: de, "
    "authority: house}}]\n"
)
LOCKS = {".lock", ".appending", ".adding", ".restoring"}
ROOM = 12  # hidden files that killed runs of one command may leave in total

Tree = dict[str, str]


def tree(folder: Path) -> Tree:
    """Return the content of every file in ``folder`` that is not hidden, by its name."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if (
            path.is_file()
            and path.suffix != ".lock"
            and not any(part[0] == "." for part in name.parts)
        ):
            found[str(name)] = path.read_bytes().decode("utf-8", "surrogateescape")
    return found


def hidden(folder: Path) -> list[str]:
    """Return the hidden files and folders in ``folder``, except locks and files that commands keep
    on purpose.
    """
    names = (path.relative_to(folder) for path in folder.rglob(".*"))
    kept = (".before", ".drafting")
    return [
        str(n)
        for n in names
        if n.name not in LOCKS
        and not n.name.endswith(kept)
        and not n.name.startswith(".before-restore-")
    ]


def complaints(home: Path) -> Iterator[str]:
    """Yield what is wrong in a workspace, as commands would report it."""
    use_workspace(home)
    found = read_folder(home / RULEBOOKS)
    yield from (*found.left_out, *found.notes)
    yield from (
        f"{book.edition.id} is described by no file"
        for book in found.rulebooks
        if not book.edition.known
    )
    if len({book.edition.language for book in found.rulebooks}) != len(found.rulebooks):
        yield f"an edition twice: {[book.edition.id for book in found.rulebooks]}"
    for folder, read in (
        (EDITIONS, read_edition),
        (CONCEPTS, read_concepts),
        (PHRASINGS, read_query_variants),
    ):
        for path in (home / folder).glob("*.yaml"):
            try:
                read(path)
            except DataFileError as fault:
                yield str(fault)
    yield from map(str, load_rulings(GAME, home).faults)
    yield from map(str, read_cards(home / CARDS / GAME, GAME).faults)
    load_reviews(home, GAME)
    yield from FeedbackStore(home).read().notes
    KeyRing(home / "keys.toml").all()


@dataclass
class Seen:
    """The state found after a kill by another process: visible files, errors, and hidden
    leftovers.
    """

    tree: Tree = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)


def look(home: Path, out: Path) -> Seen:
    """Open the workspace as the next command does, and return its state."""

    def work() -> None:
        seen = Seen()
        try:
            seen.hidden = hidden(home) if home.exists() else []
            if len(seen.hidden) > ROOM:
                seen.wrong.append(f"left: {seen.hidden}")
            ChangeScope.of_workspace(home).finish()
            if (home / RULEBOOKS).is_dir():
                seen.wrong += complaints(opened_workspace(home))
            seen.tree = tree(home)
        except Exception as fault:
            seen.wrong.append(f"{type(fault).__name__}: {fault}")
        out.write_text(json.dumps(vars(seen)))

    assert ended(forked(work)) == 0
    return Seen(**json.loads(out.read_text()))


@dataclass
class Command:
    """A command to kill.

    Attributes:
        work: Runs the command.
        allowed: The states that may be found afterwards; only the last one if the command has
            acknowledged.
        check: Yields further errors, from the state, the output, and whether the command has
            acknowledged.
        own: Whether ``check`` judges a file, by its name.
        home: The folder of the workspace.
    """

    name: str
    work: Callable[[], object]
    allowed: list[Tree]
    check: Callable[[Tree, str, bool], Iterator[str]] = lambda tree, told, acknowledged: iter(())
    own: Callable[[str], bool] = lambda name: False
    home: str = "home"


class Stage:
    """A workspace before each kill, data to add to it, and the commands that do so."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.place = folder / "killed"  # where commands are killed; has the folders home and out
        self.home = self.place / "home"
        self.template = folder / "template"
        self._told = folder / "told"
        self._make()

    def _make(self) -> None:
        home = self.template / "home"
        make_workspace(home)
        (self.template / "out").mkdir()
        for name, text in (("de", GERMAN), ("it", ITALIAN)):
            (self.folder / f"nebelkutter-{name}.md").write_text(text, encoding="utf-8")
        for number in range(2):
            (self.folder / f"cards{number}").mkdir()
            for name in ("cards", "more"):
                (self.folder / f"cards{number}" / f"{name}.yaml").write_text(
                    CARD_LIST.format(number, name)
                )
            rulings = self.folder / f"rulings{number}" / GAME
            rulings.mkdir(parents=True)
            for name in ("a", "b", "c")[number : number + 2]:
                (rulings / f"{name}.yaml").write_text(RULING_LIST.format(name, number))
        os.environ["REGULA_KEYS"] = str(home / "keys.toml")
        self.do("add", self.folder / "nebelkutter-de.md", "--yes", home=home)
        self.do("cards", "add", self.folder / "cards0", "--game", GAME, home=home)
        self.do("rulings", "add", self.folder / "rulings0" / GAME, home=home)
        self.do("keys", "new", "old", home=home)
        self.both = self.folder / "both"  # with both languages
        shutil.copytree(self.template, self.both)
        self.do("add", self.folder / "nebelkutter-it.md", "--yes", home=self.both / "home")
        (self.both / "home" / "concepts" / f"{GAME}.yaml").unlink()
        os.environ["REGULA_KEYS"] = str(self.home / "keys.toml")

    def do(self, *words: object, home: Path) -> None:
        """Run a command in this process, which then has everything loaded."""
        status: object = 0
        try:
            main([*map(str, words), "--home", str(home)])
        except SystemExit as end:
            status = end.code or 0
        assert status == 0, words

    def regula(self, *words: object, home: Path | None = None) -> Callable[[], None]:
        """Return the command as work for a separate process."""
        return lambda: main([*map(str, words), "--home", str(home or self.home)])

    def reset(self, source: Path) -> None:
        """Restore the state before a kill."""
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(source, self.place)

    def run(
        self, command: Command, source: Path, before: Callable[[], object] = lambda: None
    ) -> tuple[int, str]:
        """Run the command in a separate process; return its exit status and output."""

        def work() -> None:
            target = os.open(self._told, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            sys.stdout = sys.stderr = os.fdopen(target, "w", encoding="utf-8", buffering=1)
            before()
            command.work()

        self._told.write_text("")
        child = forked(work)
        if moment := getattr(before, "moment", None):
            time.sleep(moment)
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        return ended(child), self._told.read_text(encoding="utf-8")

    def commands(self) -> Iterator[tuple[Command, Path]]:
        """Yield the commands to kill, each with its initial state."""
        for source, name, *words in (
            (self.template, "add", self.folder / "nebelkutter-it.md", "--yes"),
            (self.template, "rulings add", self.folder / "rulings1" / GAME),
            (self.template, "cards add", self.folder / "cards1", "--game", GAME),
            (self.both, "concepts propose", "--write"),
            (self.both, "review import", self._reviews(), "--reviewer", "Anna"),
        ):
            command = Command(name, self.regula(*name.split(), *words), [])
            command.allowed = self._outcome(command, source)
            yield command, source
        yield self._new_key(), self.template
        yield self._revoke(), self.template
        yield self._feedback(), self.template
        yield self._backup(), self.template
        yield from self._restores()

    def _outcome(self, command: Command, source: Path) -> list[Tree]:
        """Return the states before and after an undisturbed run of ``command``."""
        self.reset(source)
        before = tree(self.home)
        status, told = self.run(command, source)
        assert status == 0, told
        after = tree(self.home)
        assert before != after, command.name
        assert hidden(self.home) == [], command.name
        return [before, after]

    def _reviews(self) -> Path:
        """Return a file of reviews filled in by a reviewer."""
        file, home = self.folder / "reviews.xlsx", self.both / "home"
        self.do(
            "compare",
            "nebelkutter-de-3.1",
            "nebelkutter-it-3.1",
            "--format",
            "review-xlsx",
            "--output",
            file,
            home=home,
        )
        book = openpyxl.load_workbook(io.BytesIO(file.read_bytes()))
        sheet = book.worksheets[0]
        state = next(cell for row in sheet.iter_rows() for cell in row if cell.value == "state")
        for row in range(state.row + 1, sheet.max_row + 1):
            sheet.cell(row, state.column, "reviewed")
        book.save(file)
        return file

    def _new_key(self) -> Command:
        old = self._keys(tree(self.template / "home"))

        def check(found: Tree, told: str, acknowledged: bool) -> Iterator[str]:
            keys, tokens = (
                self._keys(found),
                [line for line in told.splitlines() if line.startswith("regula_")],
            )
            if {name: key for name, key in keys.items() if name in old} != old:
                yield "another key was changed"
            if keys.keys() - old.keys() and (not tokens or token_digest(tokens[-1]) != keys["new"]):
                yield "a key that nobody was told"
            if acknowledged and "new" not in keys:
                yield "a key that was acknowledged is lost"

        return Command(
            "keys new",
            self.regula("keys", "new", "new"),
            [tree(self.template / "home")],
            check,
            _of_keys,
        )

    def _revoke(self) -> Command:
        def check(found: Tree, told: str, acknowledged: bool) -> Iterator[str]:
            if acknowledged and "old" in self._keys(found):
                yield "a key that was revoked is back"

        return Command(
            "keys revoke",
            self.regula("keys", "revoke", "old"),
            [tree(self.template / "home")],
            check,
            _of_keys,
        )

    def _keys(self, found: Tree) -> dict[str, str]:
        file = self.folder / "keys-found.toml"
        file.write_text(found.get("keys.toml", ""))
        with suppress(SettingError):
            return {key.name: key.sha256 for key in KeyRing(file).all()}
        return {}

    def _feedback(self) -> Command:
        use_workspace(None)
        harbour = Harbour(library(), id="harbour-judged")
        client = create_app(Indexes(harbour), Settings(feedback=True, home=self.home)).test_client()
        client.get("/v1/ask?q=Flaute")

        def work() -> None:
            for number in range(3):
                response = client.post(
                    "/v1/feedback", json={"question": f"Flaute {number}", "verdict": "miss"}
                )
                print(response.status_code, (response.json or {}).get("id"), flush=True)

        def check(found: Tree, told: str, acknowledged: bool) -> Iterator[str]:
            lines = [
                line
                for name, text in found.items()
                if name.startswith("feedback/")
                for line in text.splitlines()
            ]
            kept = [json.loads(line)["id"] for line in lines]
            said = [line.split()[1] for line in told.splitlines() if line.startswith("2")]
            if set(said) - set(kept):
                yield "feedback that was acknowledged is lost"
            if len(set(kept)) != len(kept) or len(kept) > len(said) + 1:
                yield "feedback twice"

        return Command(
            "feedback",
            work,
            [tree(self.template / "home")],
            check,
            lambda name: name.startswith("feedback/"),
        )

    def _backup(self) -> Command:
        file = self.place / "out" / "backup.zip"
        old, new = self._backed_up(self.both / "home"), tree(self.template / "home")
        new.pop("keys.toml")

        def check(found: Tree, told: str, acknowledged: bool) -> Iterator[str]:
            left = [
                path.name for path in (self.place / "out").iterdir() if path.name != "backup.zip"
            ]
            if len(left) > 1:
                yield f"left: {left}"
            try:
                with open_backup(file) as backup:
                    packed = {
                        n.partition("/")[2]: backup.read(n).decode()
                        for n in backup.manifest.within("workspace")
                    }
            except BackupError as fault:
                yield str(fault)
                return
            if packed != new and (packed != old or acknowledged):
                yield "neither the old nor the new backup"

        return Command("backup", self.regula("backup", file), [tree(self.template / "home")], check)

    def _backed_up(self, home: Path) -> Tree:
        """Write a backup of ``home`` where the next one replaces it; return its content."""
        self.do("backup", self.template / "out" / "backup.zip", home=home)
        found = tree(home)
        found.pop("keys.toml")
        return found

    def _restores(self) -> Iterator[tuple[Command, Path]]:
        file = self.folder / "both.zip"
        self.do("backup", file, home=self.both / "home")
        keys = tree(self.template / "home")["keys.toml"]
        before, after = tree(self.template / "home"), tree(self.both / "home") | {"keys.toml": keys}

        def kept(found: Tree, told: str, acknowledged: bool) -> Iterator[str]:
            aside = sorted(
                path for path in self.home.glob(".before-restore-*") if any(path.iterdir())
            )
            if len(aside) > 2:
                yield f"kept more than once: {aside}"
            if found == after and (
                not aside
                or tree(aside[-1]) != {n: t for n, t in before.items() if n != "keys.toml"}
            ):
                yield "what was there before is lost"

        yield (
            Command(
                "restore --replace",
                self.regula("restore", file, "--replace", "--yes"),
                [before, after],
                kept,
            ),
            self.template,
        )
        new = self.place / "new"
        whole = {name: text for name, text in after.items() if name != "keys.toml"}
        work = self.regula("restore", file, "--yes", home=new)
        yield Command("restore", work, [{}, whole], home="new"), self.template

    def trial(
        self, command: Command, source: Path, kills: int, chance: random.Random
    ) -> Mapping[str, Any]:
        """Kill ``command`` ``kills`` times, first at evenly chosen steps, then at random moments.
        Return the results.
        """
        self.reset(source)
        begun = time.monotonic()
        status, told = self.run(command, source)
        lasts = time.monotonic() - begun
        assert status == 0, told
        steps = self._steps(command, source)
        wrong: list[str] = []
        counts: Counter[str] = Counter()
        chosen = (
            [int(n * steps / kills) for n in range(kills)] if kills < steps else list(range(steps))
        )
        for step in chosen:
            self.reset(source)
            status, told = self.run(command, source, lambda step=step: die_at(step, self.place))  # type: ignore[misc]
            wrong += self._judge(command, f"step {step}", status, told, counts)
        self.reset(source)
        for number in range(10 * kills):
            if counts["killed"] >= kills:
                break
            status, told = self.run(command, source, _Moment(chance.uniform(0, lasts)))
            wrong += self._judge(command, f"moment {number}", status, told, counts)
            lasts *= 1.05 if status else 0.9  # the speed of the machine varies
            if (
                counts["after"] > counts["reset"]
                or command.own("keys.toml")
                or command.name == "feedback"
            ):
                counts["reset"] = counts["after"]
                self.reset(source)
        return {
            "command": command.name,
            "kills": counts["killed"],
            "steps": steps,
            "states": dict(counts),
            "wrong": wrong,
            "lasts": lasts,
        }

    def _steps(self, command: Command, source: Path) -> int:
        """Return the number of steps of a command."""
        steps = self.folder / "steps"
        steps.write_text("0")
        self.reset(source)
        status, told = self.run(command, source, lambda: die_at(10**9, self.place, steps))
        assert status == 0, told
        return int(steps.read_text())

    def _judge(
        self, command: Command, when: str, status: int, told: str, counts: Counter[str]
    ) -> list[str]:
        home = self.place / command.home
        seen = look(home, self.folder / "seen")
        counts["killed"] += status != 0
        if status not in (0, -signal.SIGKILL):
            return [f"{when}: ended with status {status}: {told}"]
        wrong = list(seen.wrong)
        wrong += command.check(seen.tree, told, status == 0)
        shown = {name: text for name, text in seen.tree.items() if not command.own(name)}
        allowed = [
            {name: text for name, text in state.items() if not command.own(name)}
            for state in command.allowed
        ]
        if shown == allowed[-1]:
            counts["after"] += 1
        elif shown not in allowed or status == 0:
            wrong.append(
                f"neither as before nor as after: {sorted(shown.keys() ^ allowed[-1].keys())}"
            )
        if status == 0 or when.endswith(("0", "5")):
            wrong += self._again(command)
        return [f"{when}: {each}" for each in wrong]

    def _again(self, command: Command) -> Iterator[str]:
        """Check that the next change removes all leftovers."""
        home = self.place / command.home
        if home.exists():

            def work() -> None:
                for scope in (
                    ChangeScope.of_workspace(home),
                    ChangeScope.of_file(home / "keys.toml"),
                ):
                    with scope.changing():
                        pass

            if ended(forked(work)):
                yield "the next change failed"
            if left := [
                name for name in hidden(home) if not name.startswith((".restored", "cards/.new"))
            ]:
                yield f"left after the next change: {left}"


class _Moment:
    """A moment at which the parent kills the process."""

    def __init__(self, moment: float):
        self.moment = max(moment, 1e-4)

    def __call__(self) -> None:
        """Do nothing before the work."""


def _of_keys(name: str) -> bool:
    return name == "keys.toml"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kills", type=int, required=True, help="of each command")
    parser.add_argument("--seed", type=int, default=11)
    given = parser.parse_args()
    with open(os.devnull, "w") as nothing:
        printed, sys.stdout = sys.stdout, nothing
        stage = Stage(given.folder)
        chance = random.Random(given.seed)
        report = [
            stage.trial(command, source, given.kills, chance)
            for command, source in stage.commands()
        ]
        sys.stdout = printed
    json.dump(report, sys.stdout)
