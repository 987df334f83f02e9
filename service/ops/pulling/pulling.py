"""Pulls the index that another machine has published: only what is not here yet, checked, opened,
then published in one step.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path

from corpus.errors import RegulaError
from index.building.fingerprints import built_by_this_program
from index.building.opening import open_snapshot
from index.building.snapshots import MANIFEST, Damaged, Snapshots, file_digest, published_id
from index.building.subprocess_task import run_in_subprocess
from index.files.durable import Busy
from index.library.former_words import FILE as FORMER_WORDS
from index.library.former_words import FormerWords
from service.ops.pulling.index_source import FolderSource, NotThere, PublishedIndexes, SourceFault

Report = Callable[[str], None]

_CURRENT = "current"
_LONGEST_POINTER = 1000  # bytes
_LARGEST_MANIFEST = 100_000_000
_AT_ONCE = 4  # files
_BEGINNINGS = (
    5  # how often it begins again where the other machine publishes another index meanwhile
)


class PullFailed(RegulaError, OSError):
    """An index that could not be pulled; the message is one line. What was published here before
    still is.
    """


def pull(
    snapshots: Snapshots,
    source: PublishedIndexes,
    token: str = "",
    wait: float = 0.0,
    report: Report = lambda _: None,
) -> str | None:
    """Publish the index that ``source`` has published; its id, None where nothing was to be done,
    which ``report`` is told.

    Files that an index here has already are copied from it. ``token`` lets into a store of passages
    elsewhere. A build or another pull that is under way is waited for ``wait`` seconds. Raises
    `PullFailed`, `SourceFault`, and what `Snapshots.building` raises.
    """
    if (
        isinstance(source, FolderSource)
        and source.folder.exists()
        and source.folder.resolve() == snapshots.folder.resolve()
    ):
        raise PullFailed(
            f"{source.name}: is the folder that would be pulled into; name another one with --index"
        )
    if reason := _reason_to_leave(snapshots, _published(source), source.name):
        report(reason)
        return None
    try:
        with snapshots.building(
            wait, lambda: report("a build or another pull is under way; waiting for it")
        ) as place:
            return _pull(snapshots, source, place, token, report)
    except Busy as fault:
        raise PullFailed(
            f"{snapshots.folder}: a build or another pull is under way; wait for it with --wait"
        ) from fault


def _pull(
    snapshots: Snapshots, source: PublishedIndexes, place: Path, token: str, report: Report
) -> str | None:
    for _ in range(_BEGINNINGS):
        id = _published(source)
        if reason := _reason_to_leave(snapshots, id, source.name):  # another pull was waited for
            report(reason)
            return None
        if _is_here(snapshots, id, token):
            snapshots.take_again(id)
            report(f"published {id}, which was here already")
            return id
        new = place / id
        try:
            _Pull(snapshots, source, Snapshots(place), id, report).run()
        except NotThere as gone:
            if _published(source) == id:
                raise PullFailed(f"{gone}, although its index is the published one") from gone
            report(f"{source.name} has published another index meanwhile")
            shutil.rmtree(new, ignore_errors=True)
            continue
        _check(Snapshots(place), id, token)
        _take_former_words(source, snapshots.folder, place, report)
        snapshots.publish(new, id, pulled=True)
        report(f"published {id} from {source.name}")
        return id
    raise PullFailed(
        f"{source.name}: publishes more often than an index can be pulled; nothing was published here"
    )


def _published(source: PublishedIndexes) -> str:
    """The id of the index that ``source`` has published. Raises `PullFailed`, `SourceFault`."""
    try:
        text = source.read(_CURRENT, _LONGEST_POINTER).decode("utf-8", "replace")
    except NotThere as fault:
        raise PullFailed(
            f"{source.name}: no folder with a published index (it has no file {_CURRENT})"
        ) from fault
    id = published_id(text)
    if id is None:
        raise PullFailed(
            f"{source.name}: its file {_CURRENT} names no index; is it a folder of indexes?"
        )
    return id


def _reason_to_leave(snapshots: Snapshots, id: str, source: str) -> str:
    """Why all is to stay as it is here where ``source`` has published index ``id``; empty where it
    is not.
    """
    pointer = snapshots.pointer()
    if pointer is None or pointer.fault:
        return ""
    if pointer.id == id and _is_untouched(snapshots, id):
        return f"index {id} is the published one already"
    if pointer.pinned and pointer.id != id and id in snapshots.all():
        return (
            f"index {pointer.id} was rolled back to here and serves until {source} publishes another one than {id}; "
            f"'regula rollback {id}' goes forward to that"
        )
    return ""


def _is_untouched(snapshots: Snapshots, id: str) -> bool:
    """Whether snapshot ``id``, the published one, is whole; only files that were written to since
    it was published are hashed.
    """
    try:
        published = (snapshots.folder / _CURRENT).stat().st_mtime_ns
        times = {
            name: (snapshots.path(id) / name).stat().st_mtime_ns for name in snapshots.files(id)
        }
        snapshots.verify(id, names=[name for name, time in times.items() if time > published])
    except (OSError, Damaged):
        return False
    return True


def _is_here(snapshots: Snapshots, id: str, token: str) -> bool:
    """Whether snapshot ``id`` is here already and can be used."""
    if id not in snapshots.all():
        return False
    try:
        snapshots.verify(id)
    except Damaged:
        return False
    _check(snapshots, id, token)
    return True


def _check(snapshots: Snapshots, id: str, token: str) -> None:
    """Open snapshot ``id`` as a service would, in a process that gives its memory back. Raises
    `PullFailed`.
    """
    try:
        with run_in_subprocess(True, _open, snapshots.folder, id, token) as result:
            result()
    except BrokenProcessPool as fault:
        raise PullFailed(
            f"index {id} could not be opened to check it: the process ended (want of memory?); it was not published"
        ) from fault
    except Damaged as fault:
        other = (
            ""
            if built_by_this_program(snapshots.manifest(id))
            else ", and another version of the program built it"
        )
        raise PullFailed(f"{_said(fault)}{other}; it was not published") from fault
    except RegulaError as fault:
        raise PullFailed(f"index {id} was not published: {fault}") from fault


def _open(folder: Path, id: str, token: str) -> None:
    open_snapshot(Snapshots(folder), id, token)


def _said(fault: Damaged) -> str:
    return str(fault).replace("snapshot ", "index ", 1)


class _Pull:
    """Gathers the files of index ``id`` in a folder of their own among ``gathered``."""

    def __init__(
        self,
        snapshots: Snapshots,
        source: PublishedIndexes,
        gathered: Snapshots,
        id: str,
        report: Report,
    ):
        self._snapshots = snapshots
        self._source = source
        self._gathered = gathered
        self._id = id
        self._place = gathered.path(id)
        self._report = report

    def run(self) -> None:
        """Gather all files. Raises `NotThere`, `SourceFault`, `PullFailed`, and `OSError` of the
        disk here.
        """
        self._place.mkdir()
        (self._place / MANIFEST).write_bytes(
            self._source.read(f"{self._id}/{MANIFEST}", _LARGEST_MANIFEST)
        )
        try:
            self._gathered.check_format(self._id)
            hashes = self._gathered.hashes(self._id)
        except Damaged as fault:
            raise PullFailed(
                f"{self._source.name}: {_said(fault)}; nothing was published"
            ) from fault
        for folder in {(self._place / name).parent for name in hashes}:
            folder.mkdir(parents=True, exist_ok=True)
        here = self._files_here(set(hashes.values()))
        missing = [
            name
            for name, hash in hashes.items()
            if not any(self._copied(path, name, hash) for path in here.get(hash, ()))
        ]
        self._report(
            f"pulling {self._id} from {self._source.name}: {len(missing)} of its {len(hashes)} files, the others are here"
        )
        pool = ThreadPoolExecutor(_AT_ONCE)
        try:
            for _ in pool.map(lambda name: self._fetch(name, hashes[name]), missing):
                pass
        finally:
            pool.shutdown(cancel_futures=True)

    def _files_here(self, wanted: set[str]) -> dict[str, list[Path]]:
        """The files of the indexes here, by their hashes, of those that are ``wanted``."""
        found: dict[str, list[Path]] = {}
        for id in self._snapshots.all():
            with suppress(Damaged):
                for name, hash in self._snapshots.hashes(id).items():
                    if hash in wanted:
                        found.setdefault(hash, []).append(self._snapshots.path(id) / name)
        return found

    def _copied(self, path: Path, name: str, hash: str) -> bool:
        """Copy the file ``path`` of an index here; whether it is the one with this ``hash``."""
        target = self._place / name
        try:
            with path.open("rb"):
                pass
        except OSError:
            return False
        shutil.copyfile(path, target)
        if file_digest(target) == hash:
            return True
        target.unlink()
        return False

    def _fetch(self, name: str, hash: str) -> None:
        target = self._place / name
        for _ in range(2):  # what was interrupted and went on may have changed between
            self._source.copy(f"{self._id}/{name}", target)
            if file_digest(target) == hash:
                return
            target.unlink()
        raise PullFailed(
            f"{self._source.name}: {self._id}/{name} is not the file that its manifest lists; nothing was published"
        )


def _take_former_words(source: PublishedIndexes, folder: Path, place: Path, report: Report) -> None:
    """Add to the words of earlier indexes here those that ``source`` has, so that links of earlier
    are shown alike on all servers.
    """
    try:
        with suppress(NotThere):
            source.copy(FORMER_WORDS, place / FORMER_WORDS)
            FormerWords(folder).take(FormerWords(place).records())
    except (SourceFault, OSError) as fault:
        report(
            f"the words that links of earlier indexes cite could not be pulled ({fault}); such links will not show them"
        )
    finally:
        (place / FORMER_WORDS).unlink(missing_ok=True)
