"""Whole editions as files for programs: gzip of JSON Lines, an entry a line."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC

from index.library.library import Library
from service.browse.entries import whole_entry_out
from service.core.jobs.stored_works import Work, stored
from service.core.snapshot import Snapshot, SnapshotContents
from service.schemas.entries import ExportedEditionOut, ExportsOut

MIMETYPE = "application/gzip"
EXTENSION = "jsonl.gz"
_LEVEL = 6
_GZIP = 16 + zlib.MAX_WBITS  # with a header of RFC 1952 that has neither name nor time
LINE = "/openapi.json#/components/schemas/WholeEntry"


@dataclass(frozen=True)
class EditionFile:
    """The file of one edition: its size in bytes, the SHA-256 of these, its number of lines."""

    size: int
    sha256: str
    lines: int

    @classmethod
    def of(cls, raw: bytes, lines: int) -> EditionFile:
        """Describe ``raw``, which has ``lines`` lines."""
        return cls(len(raw), hashlib.sha256(raw).hexdigest(), lines)


def entry_lines(library: Library, edition: str) -> Iterator[bytes]:
    """Yield the entries of an ``edition`` in document order, each as a line of JSON in UTF-8."""
    for entry in library.entries_of(edition):
        yield whole_entry_out(library, entry).to_json().encode()


def compressed(lines: Iterable[bytes]) -> bytes:
    """Return ``lines`` as a gzip file; there are never more of them in memory than one."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    parts = [packer.compress(line) for line in lines]
    return b"".join([*parts, packer.flush()])


def _render(snapshot: SnapshotContents, edition: str) -> bytes:
    return compressed(entry_lines(snapshot.library, edition))


def edition_file_work(edition: str) -> Work[bytes]:
    """Return the work of writing the file of an ``edition``."""
    return Work(("export", edition, EXTENSION), _render, (edition,))


def edition_file(snapshot: SnapshotContents, edition: str) -> bytes:
    """Return the file of an ``edition``, made once for all processes. Raises as `stored`."""
    return stored(snapshot, edition_file_work(edition))


def described_file(snapshot: SnapshotContents, edition: str) -> EditionFile:
    """Return what is known of the file of an ``edition``. Raises as `stored`."""

    def describe() -> EditionFile:
        lines = len(snapshot.library.entries_of(edition))
        return EditionFile.of(edition_file(snapshot, edition), lines)

    return snapshot.cache.get(("export", edition), describe, most=1000)


def exports_out(snapshot: Snapshot) -> ExportsOut:
    """Return the list of the files of all editions. Raises as `stored`."""
    built = snapshot.built if snapshot.built.tzinfo else snapshot.built.replace(tzinfo=UTC)
    exports = []
    for edition in snapshot.library.editions:
        file = described_file(snapshot, edition.id)
        exports.append(
            ExportedEditionOut(
                edition=edition.id,
                game=edition.game,
                language=edition.language,
                version=edition.version,
                title=edition.title,
                effective=edition.effective or None,
                url=f"/v1/export/{edition.id}.{EXTENSION}",
                bytes=file.size,
                lines=file.lines,
                sha256=file.sha256,
            )
        )
    return ExportsOut(
        index=snapshot.id,
        updated=built.astimezone(UTC).replace(microsecond=0).isoformat(),
        line=LINE,
        exports=exports,
    )
