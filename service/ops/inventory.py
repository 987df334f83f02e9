"""The kept snapshots, and whether each is whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from index.building.snapshots import Damaged, Snapshots
from service.schemas.health import IndexOut


def inventory(
    snapshots: Snapshots, opened: Callable[[str], object] | None = None
) -> list[IndexOut]:
    """List the snapshots that are kept, newest first; with ``opened``, which raises `Damaged`, each
    is verified.
    """
    return [_row(snapshots, id, opened) for id in snapshots.all()]


def _row(snapshots: Snapshots, id: str, opened: Callable[[str], object] | None) -> IndexOut:
    pointer = snapshots.pointer()
    manifest: dict[str, Any] = {}
    fault = None
    try:
        manifest = snapshots.manifest(id)
        snapshots.files(id)
        if opened:
            opened(id)
    except Damaged as found:
        fault = str(found)
    counts = manifest.get("counts")
    counts = counts if isinstance(counts, dict) else {}
    built, encoder = manifest.get("built"), manifest.get("encoder")
    current = pointer is not None and pointer.id == id
    return IndexOut(
        id=id,
        built=built if isinstance(built, str) else None,
        editions=_number(counts.get("editions")),
        passages=_number(counts.get("passages")),
        encoder=encoder if isinstance(encoder, str) else "",
        bytes=_bytes(snapshots.path(id)),
        current=current,
        pinned=current and pointer is not None and pointer.pinned,
        pulled=current and pointer is not None and pointer.pulled,
        whole=False if fault else True if opened else None,
        fault=fault,
    )


def _number(found: object) -> int | None:
    return found if isinstance(found, int) else None


def _bytes(folder: Path) -> int:
    """Return the size of all files in ``folder``, without those that are removed meanwhile."""
    found = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                found += os.stat(os.path.join(place, name)).st_size
    return found


def as_table(rows: Sequence[IndexOut]) -> str:
    """Return the rows as a table for a terminal, the published snapshot marked with ``*``."""
    if not rows:
        return "no index yet; 'regula build' makes the first"
    return "\n".join(map(_line, rows))


def _line(row: IndexOut) -> str:
    state = {None: "", True: ", whole", False: f", damaged: {row.fault}"}[row.whole]
    pinned = (
        ", rolled back to: serves until the next build"
        if row.pinned
        else ", pulled from where it was built"
        if row.pulled
        else ""
    )
    return (f"{'*' if row.current else ' '} {row.id}  built {row.built}, {row.editions} editions, {row.passages} passages, "
            f"encoder {row.encoder or 'built-in'}, {row.bytes / 1e6:,.0f} MB{pinned}{state}")  # fmt: skip
