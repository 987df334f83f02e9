"""The file of a backup: a ZIP archive with a manifest that lists the size and SHA-256 of every
file.

The archive may come from anyone. Files whose names lead out of the target folder, or that are
larger than listed, are rejected.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Annotated, BinaryIO

from pydantic import BaseModel, Field, ValidationError

from corpus.errors import RegulaError

FORMAT = 1
MANIFEST = "manifest.json"
WORKSPACE, INDEX = "workspace", "index"  # folders in the archive
SETTINGS, KEYS = "settings.toml", "keys.toml"
FORMER_WORDS, FORMER_ENTRIES = "former-words.jsonl", "former-entries.jsonl"

_CHUNK = 1 << 20
_LARGEST_MANIFEST = 100_000_000  # bytes
# Largest ratio of unpacked to archive size. An index is packed to a third; the most repetitive list
# to a fiftieth
_MOST_UNPACKED = 200
_SMALL = 100_000_000  # bytes that may be unpacked from any archive
_PACKED = (
    ".pdf",
    ".docx",
    ".xlsx",
    ".odt",
    ".epub",
    ".zip",
    ".gz",
    ".png",
    ".jpg",
    ".jpeg",
)  # packed already
_SHA256 = re.compile(r"[0-9a-f]{64}")
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    struct.error,
)


class BackupError(RegulaError):
    """A backup that cannot be written, read or restored; the message is one line."""


class FileMark(BaseModel):
    """The size and the hash that a file of a backup must have."""

    size: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern=_SHA256)]


class Manifest(BaseModel):
    """The content of a backup.

    Attributes:
        program: the version that wrote it.
        made: the time (UTC).
        index: the id of the index in it.
        left_out: names of settings that were left out because they give access to something.
    """

    format: int
    program: str = ""
    made: str = ""
    index: str = ""
    left_out: list[str] = []
    files: dict[str, FileMark]

    @property
    def size(self) -> int:
        """The size of all files together, in bytes."""
        return sum(mark.size for mark in self.files.values())

    def within(self, folder: str) -> list[str]:
        """Return the names of the files in ``folder`` of the archive, in order."""
        return sorted(name for name in self.files if name.startswith(f"{folder}/"))


class BackupWriter:
    """Writes an archive to ``file``, and its manifest at the end of the block."""

    def __init__(self, file: BinaryIO):
        self._zip = zipfile.ZipFile(file, "w", allowZip64=True)
        self._now = datetime.now(UTC)
        self.manifest = Manifest(
            format=FORMAT,
            program=version("regula"),
            made=self._now.isoformat(timespec="seconds"),
            files={},
        )

    def __enter__(self) -> BackupWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            manifest = self.manifest.model_dump_json(indent=1).encode()
            self._zip.writestr(
                zipfile.ZipInfo(MANIFEST, self._now.timetuple()[:6]), manifest, zipfile.ZIP_DEFLATED
            )
            self._zip.close()
        else:  # otherwise the ZIP file writes its end when freed, perhaps into another file
            with suppress(OSError, ValueError):
                self._zip.close()

    def add(self, name: str, content: Iterable[bytes]) -> str:
        """Add a file, given in pieces, and return its SHA-256."""
        info = zipfile.ZipInfo(name, self._now.timetuple()[:6])
        info.compress_type = (
            zipfile.ZIP_STORED if name.lower().endswith(_PACKED) else zipfile.ZIP_DEFLATED
        )
        info.external_attr = (stat.S_IFREG | 0o600) << 16
        digest, size = hashlib.sha256(), 0
        with self._zip.open(info, "w", force_zip64=True) as member:
            for piece in content:
                digest.update(piece)
                size += len(piece)
                member.write(piece)
        self.manifest.files[name] = FileMark(size=size, sha256=digest.hexdigest())
        return digest.hexdigest()


def pieces(file: BinaryIO, most: int | None = None) -> Iterator[bytes]:
    """Read up to ``most`` bytes of ``file`` in pieces."""
    left = most
    while piece := file.read(_CHUNK if left is None else min(_CHUNK, left)):
        yield piece
        if left is not None:
            left -= len(piece)


class Backup:
    """An archive opened by `open_backup`."""

    def __init__(self, archive: zipfile.ZipFile, manifest: Manifest):
        self._zip = archive
        self.manifest = manifest

    def extract(self, names: Iterable[str], folder: Path) -> None:
        """Write the files ``names`` into ``folder``, under these names. Raises `BackupError` if
        a file differs from the manifest.
        """
        for name in names:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                for piece in self._checked(name):
                    file.write(piece)

    def read(self, name: str) -> bytes:
        """Return the content of the file ``name``. Raises `BackupError` if it differs from the
        manifest.
        """
        return b"".join(self._checked(name))

    def _checked(self, name: str) -> Iterator[bytes]:
        """Yield the content of the file ``name`` in pieces, never more bytes than its listed size.
        Raises `BackupError` at the end if it differs from the manifest.
        """
        mark, digest = self.manifest.files[name], hashlib.sha256()
        size = 0
        try:
            with self._zip.open(name) as member:
                while piece := member.read(_CHUNK):
                    size += len(piece)
                    if size > mark.size:
                        break
                    digest.update(piece)
                    yield piece
        except _UNREADABLE as fault:
            raise BackupError(
                f"{self._zip.filename}: {name} in it is damaged ({fault}); nothing was restored"
            ) from fault
        if (size, digest.hexdigest()) != (mark.size, mark.sha256):
            raise BackupError(
                f"{self._zip.filename}: {name} in it is not what was backed up; nothing was "
                "restored"
            )


@contextmanager
def open_backup(file: Path) -> Iterator[Backup]:
    """Open the backup ``file`` and compare its list of files with its manifest. Raises
    `BackupError`.
    """
    try:
        archive = zipfile.ZipFile(file)
    except OSError as fault:
        raise BackupError(f"{file}: cannot be read ({fault.strerror})") from fault
    except _UNREADABLE as fault:
        raise BackupError(f"{file}: no backup, or only a part of one ({fault})") from fault
    with archive:
        manifest = _manifest(file, archive)
        members = {info.filename: info for info in archive.infolist()}
        if len(members) != len(archive.infolist()) or set(members) != {MANIFEST, *manifest.files}:
            raise BackupError(
                f"{file}: has other files than its manifest lists; nothing was restored"
            )
        for name, mark in manifest.files.items():
            _check_member(file, members[name], mark)
        if manifest.size > max(_SMALL, _MOST_UNPACKED * file.stat().st_size):
            raise BackupError(
                f"{file}: would unpack to {manifest.size:,} bytes, which no backup of this size "
                "does; nothing was restored"
            )
        yield Backup(archive, manifest)


def is_backup(file: Path) -> bool:
    """Return whether ``file`` is a backup, judging by its list of files."""
    try:
        with file.open("rb") as opened:
            if opened.read(2) != b"PK":
                return False
        with zipfile.ZipFile(file) as archive:
            return MANIFEST in archive.namelist() and _manifest(file, archive) is not None
    except (OSError, BackupError, *_UNREADABLE):
        return False


def _manifest(file: Path, archive: zipfile.ZipFile) -> Manifest:
    try:
        with archive.open(MANIFEST) as member:
            content = member.read(_LARGEST_MANIFEST + 1)
        if len(content) > _LARGEST_MANIFEST:
            raise BackupError(f"{file}: its {MANIFEST} is too large; nothing was restored")
        manifest = Manifest.model_validate_json(content)
    except KeyError as fault:
        raise BackupError(f"{file}: no backup of Regula: it has no {MANIFEST}") from fault
    except (ValidationError, *_UNREADABLE) as fault:
        raise BackupError(
            f"{file}: no backup of Regula, or a damaged one: its {MANIFEST} cannot be read"
        ) from fault
    if manifest.format != FORMAT:
        by = f", written by version {manifest.program}" if manifest.program else ""
        raise BackupError(
            f"{file}: a backup of another form ({manifest.format}{by}); restore it with a newer "
            "version of Regula"
        )
    return manifest


def _check_member(file: Path, member: zipfile.ZipInfo, mark: FileMark) -> None:
    """Raise `BackupError` if ``member`` is no plain file, has another size than ``mark``, or has
    a name that leads out of the folder.
    """
    name = member.filename
    kind = stat.S_IFMT(member.external_attr >> 16)
    if (
        kind not in (0, stat.S_IFREG)
        or member.flag_bits & 1
        or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    ):
        raise BackupError(f"{file}: {name!r} in it is no plain file; nothing was restored")
    parts = PurePosixPath(name).parts
    alone = len(parts) == 1 and name in (SETTINGS, KEYS, FORMER_WORDS, FORMER_ENTRIES)
    inside = len(parts) > 1 and parts[0] in (WORKSPACE, INDEX) and "/".join(parts) == name
    if not (alone or inside) or any(
        part[0] == "." or "\0" in part or len(os.fsencode(part)) > 255 for part in parts
    ):
        raise BackupError(
            f"{file}: {name!r} in it is no name of a file in a backup; nothing was restored"
        )
    if member.file_size != mark.size:
        raise BackupError(
            f"{file}: {name} in it has another size than its manifest says; nothing was restored"
        )
