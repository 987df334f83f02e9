"""Copy and publish the index that another machine has published, from its folder or by HTTP."""

from __future__ import annotations

import base64
import netrc
import shutil
import ssl
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from http.client import HTTPException, HTTPMessage, HTTPResponse
from pathlib import Path
from typing import IO, Any, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from corpus.errors import RegulaError, WrongUse
from index.building.fingerprints import built_by_this_program
from index.building.former_stage import former_kept
from index.building.opening import open_snapshot
from index.building.snapshots import MANIFEST, Damaged, Snapshots, file_digest, published_id
from index.building.subprocess_task import run_in_subprocess
from index.files.durable import Busy
from index.library.former_entries import FormerEntries
from index.library.former_file import FILE as FORMER_FILE
from index.library.former_file import FormerChange
from index.library.former_words import FormerWords
from service.ops.settings import masked

TIMEOUT = 20.0  # seconds that a server may send nothing
_PAUSES = (0.5, 1.0, 2.0, 4.0)  # seconds before a failed request is repeated
_MOST_REDIRECTS = 5
_CHUNK = 1 << 20
_SPARE = 50_000_000  # bytes that must stay free

T = TypeVar("T")


class SourceFault(RegulaError, OSError):
    """Something could not be taken from a source; the message is one line."""


class NotThere(SourceFault):
    """A file that a source does not have, or no longer has."""


class NoPublishedIndex(WrongUse, ValueError):
    """A place named as a source that has no published index."""


class FolderSource:
    """The folder of indexes ``folder``. Files are named by their paths in it."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.name = str(folder)

    def read(self, file: str, most: int) -> bytes:
        """Return the content of ``file``. Raises `NotThere`, and `SourceFault`, also if it
        has more than ``most`` bytes.
        """
        with self._opened(file) as read:
            try:
                found = read.read(most + 1)
            except OSError as fault:
                raise self._fault(file, fault) from fault
        return _no_more(found, most, f"{self.folder / file}")

    def copy(self, file: str, target: Path) -> None:
        """Write ``file`` to ``target``. Raises `NotThere`, `SourceFault`, and `OSError` of
        ``target``.
        """
        with self._opened(file) as read, target.open("wb") as written:
            while piece := self._piece(read, file):
                written.write(piece)

    def _piece(self, read: IO[bytes], file: str) -> bytes:
        try:
            return read.read(_CHUNK)
        except OSError as fault:  # a network file system that is not available
            raise self._fault(file, fault) from fault

    @contextmanager
    def _opened(self, file: str) -> Iterator[IO[bytes]]:
        try:
            opened = (self.folder / file).open("rb")
        except OSError as fault:
            raise self._fault(file, fault) from fault
        with opened:
            yield opened

    def _fault(self, file: str, fault: OSError) -> SourceFault:
        if isinstance(fault, (FileNotFoundError, NotADirectoryError)):
            return NotThere(f"{self.folder / file}: is not there")
        return SourceFault(f"{self.folder / file}: cannot be read ({fault.strerror})")


class _Interrupted(Exception):
    """A request that may succeed when repeated; the message says what happened."""


class WebSource:
    """The folder of indexes at ``address``. A user and a password in it, or in ~/.netrc, are sent
    to that server alone and never shown: ``name`` is without them.

    A request that fails for a temporary reason is repeated up to four times, and resumes where the
    last one was interrupted.
    """

    def __init__(
        self, address: str, timeout: float = TIMEOUT, wait: Callable[[float], None] = time.sleep
    ):
        self._base, credentials = _divided(address)
        self.name = self._base
        self._timeout = timeout
        self._wait = wait
        self._authorization = _basic(*credentials) if credentials else None
        self._opener = OpenerDirector()
        redirects = _Redirects(self._authorization)
        for handler in (
            ProxyHandler(),
            HTTPHandler(),
            HTTPSHandler(),
            HTTPDefaultErrorHandler(),
            redirects,
            HTTPErrorProcessor(),
        ):
            self._opener.add_handler(handler)

    def read(self, file: str, most: int) -> bytes:
        """Return the content of ``file``. Raises as `FolderSource.read`."""

        def read() -> bytes:
            with self._response(file, 0) as response:
                found = _received(response, most + 1)
                expected = _length(response)
                if expected is not None and len(found) < min(expected, most + 1):
                    raise _Interrupted("the connection ended early")
                return _no_more(found, most, self._told(file))

        return self._persistently(file, read)

    def copy(self, file: str, target: Path) -> None:
        """Write ``file`` to ``target``, which may have a part of it from an earlier attempt. Raises
        as `FolderSource.copy`.
        """
        self._persistently(file, lambda: self._go_on(file, target))

    def _go_on(self, file: str, target: Path) -> None:
        """Receive the rest of ``file`` that ``target`` does not have yet."""
        done = target.stat().st_size if target.exists() else 0
        with self._response(file, done) as response:
            left = _length(response)
            if left is None:
                raise SourceFault(
                    f"{self._told(file)}: its length is not said; the folder has to be given out "
                    "as files, as they are"
                )
            if done and (
                response.status != 206
                or not response.headers.get("Content-Range", "").startswith(f"bytes {done}-")
            ):
                done = 0
            free = shutil.disk_usage(target.parent).free
            if left + _SPARE > free:
                raise SourceFault(
                    f"{self._told(file)}: has {left / 1e6:,.0f} MB, and {free / 1e6:,.0f} MB are "
                    "free here"
                )
            with target.open("ab" if done else "wb") as written:
                while left and (piece := _received(response, min(left, _CHUNK))):
                    written.write(piece)
                    left -= len(piece)
            if left:
                raise _Interrupted("the connection ended early")

    def _persistently(self, file: str, attempt: Callable[[], T]) -> T:
        for pause in (*_PAUSES, None):
            try:
                return attempt()
            except _Interrupted as fault:
                if pause is None:
                    raise SourceFault(f"{self._told(file)}: cannot be had ({fault})") from fault
                self._wait(pause)
        raise AssertionError

    @contextmanager
    def _response(self, file: str, begin: int) -> Iterator[HTTPResponse]:
        """Yield the response to a request for ``file`` from byte ``begin`` on. Raises `NotThere`,
        `SourceFault`, `_Interrupted`.
        """
        request = Request(
            self._base + quote(file), headers={"User-Agent": "regula", "Cache-Control": "no-cache"}
        )
        if begin:
            request.add_header("Range", f"bytes={begin}-")
        if self._authorization:
            request.add_unredirected_header("Authorization", self._authorization)
        try:
            response = self._opener.open(request, timeout=self._timeout)
        except HTTPError as fault:
            fault.close()
            raise self._refused(file, fault) from fault
        except URLError as fault:
            if isinstance(fault.reason, ssl.SSLCertVerificationError):
                raise SourceFault(
                    f"{self._base}: its certificate cannot be trusted ({_reason(fault.reason)})"
                ) from fault
            raise _Interrupted(_reason(fault.reason)) from fault
        except (OSError, HTTPException) as fault:
            raise _Interrupted(_reason(fault)) from fault
        with response:
            yield response

    def _refused(self, file: str, fault: HTTPError) -> Exception:
        told = self._told(file)
        if fault.code in (404, 410):
            return NotThere(f"{told}: is not there")
        if fault.code in (401, 403, 407):
            return SourceFault(
                f"{told}: not given to this machine (status {fault.code}); see who may have it "
                "there, and ~/.netrc here"
            )
        if fault.code == 416:  # the file is shorter than the part that is here
            return _Interrupted("it has changed")
        if fault.code == 429 or fault.code >= 500:
            return _Interrupted(f"status {fault.code}")
        if 300 <= fault.code < 400:
            return SourceFault(
                f"{told}: leads elsewhere more than {_MOST_REDIRECTS} times, or from https to "
                "where anybody may listen"
            )
        return SourceFault(f"{told}: refused (status {fault.code})")

    def _told(self, file: str) -> str:
        return self._base + file


PublishedIndexes = FolderSource | WebSource


def index_source(said: str, timeout: float = TIMEOUT) -> PublishedIndexes:
    """Return the source called ``said``: a folder, or an address that begins with http:// or
    https://. Raises `NoPublishedIndex`.
    """
    if said.lower().startswith(("http://", "https://")):
        return WebSource(said, timeout)
    folder = Path(said).expanduser()
    if not folder.is_dir():
        raise NoPublishedIndex(
            f"{masked(said)}: no such folder; name a folder of indexes, or the address of one "
            "(http://… or https://…)"
        )
    return FolderSource(folder)


class _Redirects(HTTPRedirectHandler):
    """Follows a few redirects. Credentials are sent to the same server alone, and never when https
    leads to http.
    """

    max_redirections = max_repeats = _MOST_REDIRECTS

    def __init__(self, authorization: str | None):
        self._authorization = authorization

    def redirect_request(
        self, req: Request, fp: Any, code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        """Return the request that follows a redirect. Raises `HTTPError` if none is allowed."""
        old, new = urlsplit(req.full_url), urlsplit(newurl)
        if new.scheme not in ("http", "https") or (old.scheme, new.scheme) == ("https", "http"):
            raise HTTPError(req.full_url, code, msg, headers, fp)
        following = super().redirect_request(req, fp, code, msg, headers, newurl)
        same = (old.hostname, old.scheme, old.port) == (new.hostname, new.scheme, new.port)
        made_safe = old.hostname == new.hostname and new.scheme == "https"
        if following is not None and self._authorization and (same or made_safe):
            following.add_unredirected_header("Authorization", self._authorization)
        return following


def _divided(address: str) -> tuple[str, tuple[str, str] | None]:
    """Return ``address`` without user and password, and user and password, by default those in
    ~/.netrc for the host. Raises `NoPublishedIndex`.
    """
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError as fault:
        raise NoPublishedIndex(f"{masked(address)}: no address of a folder ({fault})") from None
    if not host or parts.query or parts.fragment:
        raise NoPublishedIndex(
            f"{masked(address)}: no address of a folder; write it without ? and #, such as "
            "https://builder.example/indexes/"
        )
    base = urlunsplit(
        SplitResult(
            parts.scheme.lower(),
            parts.netloc.rpartition("@")[2],
            parts.path.rstrip("/") + "/",
            "",
            "",
        )
    )
    if parts.username is not None:
        return base, (unquote(parts.username), unquote(parts.password or ""))
    return base, _of_netrc(host)


def _of_netrc(host: str) -> tuple[str, str] | None:
    try:
        found = netrc.netrc().authenticators(host)
    except FileNotFoundError:
        return None
    except (OSError, netrc.NetrcParseError) as fault:
        reason = fault.msg if isinstance(fault, netrc.NetrcParseError) else fault.strerror
        raise NoPublishedIndex(f"~/.netrc: cannot be read ({reason})") from None
    return (found[0], found[2] or "") if found else None


def _basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode("ascii")


def _received(response: HTTPResponse, most: int) -> bytes:
    """Read up to ``most`` bytes. Raises `_Interrupted`."""
    try:
        return response.read(most)
    except (OSError, HTTPException) as fault:
        raise _Interrupted(_reason(fault)) from fault


def _length(response: HTTPResponse) -> int | None:
    """Return the announced number of bytes; None if the server does not say."""
    said = response.headers.get("Content-Length", "")
    return (
        int(said)
        if said.isascii() and said.isdigit() and not response.headers.get("Content-Encoding")
        else None
    )


def _no_more(found: bytes, most: int, told: str) -> bytes:
    if len(found) > most:
        raise SourceFault(f"{told}: has more than {most:,} bytes, which no such file has")
    return found


def _reason(fault: object) -> str:
    if isinstance(fault, TimeoutError):
        return "it does not answer in time"
    if isinstance(fault, OSError) and fault.strerror:
        return str(fault.strerror)
    return str(fault) or type(fault).__name__


Report = Callable[[str], None]

_CURRENT = "current"
_LONGEST_POINTER = 1000  # bytes
_LARGEST_MANIFEST = 100_000_000
_AT_ONCE = 4  # files
# Attempts if the other machine publishes another index meanwhile
_BEGINNINGS = 5


class PullFailed(RegulaError, OSError):
    """An index that could not be pulled; the message is one line. What was published here before
    stays published.
    """


def pull(
    snapshots: Snapshots,
    source: PublishedIndexes,
    token: str = "",
    wait: float = 0.0,
    report: Report = lambda _: None,
) -> str | None:
    """Publish the index that ``source`` has published and return its id. Return None, and tell
    ``report`` why, if there was nothing to do.

    Files that a local index has already are copied from it. ``token`` gives access to a remote
    store of passages. Waits up to ``wait`` seconds for a build or another pull. Raises
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
        if reason := _reason_to_leave(snapshots, id, source.name):  # another pull was faster
            report(reason)
            return None
        if _is_here(snapshots, id, token):
            old, new = snapshots.current(), snapshots.path(id)
            with former_kept(snapshots, old, new, report) as change:
                _take_former(source, place, change, report)
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
        with former_kept(snapshots, snapshots.current(), new, report) as change:
            _take_former(source, place, change, report)
            snapshots.publish(new, id, pulled=True)
        report(f"published {id} from {source.name}")
        return id
    raise PullFailed(
        f"{source.name}: publishes more often than an index can be pulled; nothing was published "
        "here"
    )


def _published(source: PublishedIndexes) -> str:
    """Return the id of the index that ``source`` has published. Raises `PullFailed`,
    `SourceFault`.
    """
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
    """Return the reason to skip pulling index ``id`` from ``source``; "" if it must be pulled."""
    pointer = snapshots.pointer()
    if pointer is None or pointer.fault:
        return ""
    if pointer.id == id and _is_untouched(snapshots, id):
        return f"index {id} is the published one already"
    if pointer.pinned and pointer.id != id and id in snapshots.all():
        return (
            f"index {pointer.id} was rolled back to here and serves until {source} publishes "
            f"another one than {id}; "
            f"'regula rollback {id}' goes forward to that"
        )
    return ""


def _is_untouched(snapshots: Snapshots, id: str) -> bool:
    """Return whether snapshot ``id``, the published one, is whole. Only files modified after it was
    published are hashed.
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
    """Return whether snapshot ``id`` is here already and usable."""
    if id not in snapshots.all():
        return False
    try:
        snapshots.verify(id)
    except Damaged:
        return False
    _check(snapshots, id, token)
    return True


def _check(snapshots: Snapshots, id: str, token: str) -> None:
    """Open snapshot ``id`` as a service would, in a subprocess, whose memory is freed. Raises
    `PullFailed`.
    """
    try:
        with run_in_subprocess(True, _open, snapshots.folder, id, token) as result:
            result()
    except BrokenProcessPool as fault:
        raise PullFailed(
            f"index {id} could not be opened to check it: the process ended (want of memory?); it "
            "was not published"
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
    """Gathers the files of index ``id`` in a new folder of ``gathered``."""

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
            f"pulling {self._id} from {self._source.name}: {len(missing)} of its {len(hashes)} "
            "files, the others are here"
        )
        pool = ThreadPoolExecutor(_AT_ONCE)
        try:
            for _ in pool.map(lambda name: self._fetch(name, hashes[name]), missing):
                pass
        finally:
            pool.shutdown(cancel_futures=True)

    def _files_here(self, wanted: set[str]) -> dict[str, list[Path]]:
        """Return the files of the local indexes that are ``wanted``, by their hashes."""
        found: dict[str, list[Path]] = {}
        for id in self._snapshots.all():
            with suppress(Damaged):
                for name, hash in self._snapshots.hashes(id).items():
                    if hash in wanted:
                        found.setdefault(hash, []).append(self._snapshots.path(id) / name)
        return found

    def _copied(self, path: Path, name: str, hash: str) -> bool:
        """Copy the file ``path`` of a local index, and return whether it has this ``hash``."""
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
        for _ in range(2):  # a resumed download may mix two versions of the file
            self._source.copy(f"{self._id}/{name}", target)
            if file_digest(target) == hash:
                return
            target.unlink()
        raise PullFailed(
            f"{self._source.name}: {self._id}/{name} is not the file that its manifest lists; "
            "nothing was published"
        )


def _take_former(
    source: PublishedIndexes, place: Path, change: FormerChange, report: Report
) -> None:
    """Add the records of ``source`` on earlier indexes to ``change``, so that old links look alike
    on all servers and lead to the same entries.
    """
    try:
        with suppress(NotThere):
            source.copy(FORMER_FILE, place / FORMER_FILE)
            for kept in (FormerWords, FormerEntries):
                kept(change.folder).take(kept(place).records(), change)
    except (SourceFault, OSError) as fault:
        report(
            f"what links of earlier indexes lead to could not be pulled ({fault}); such links will "
            "not show the words they cited, or lead nowhere"
        )
    finally:
        (place / FORMER_FILE).unlink(missing_ok=True)
