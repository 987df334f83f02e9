"""The kept snapshots, and whether each is whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from index.building.snapshots import Damaged, Snapshots


@dataclass(frozen=True)
class Row:
    """One kept snapshot: when it was ``built`` (ISO 8601, UTC), what it holds, its size in ``bytes``, and whether it is published.

    ``encoder`` is empty for the built-in one; ``whole`` is None where it was not verified; ``fault`` says what is wrong with it.
    """

    id: str
    built: str | None
    editions: int | None
    passages: int | None
    encoder: str
    bytes: int
    current: bool
    pinned: bool
    whole: bool | None
    fault: str | None

    def json(self) -> dict[str, Any]:
        """The row for programs."""
        return asdict(self)


def inventory(snapshots: Snapshots, opened: Callable[[str], object] | None = None) -> list[Row]:
    """The snapshots that are kept, newest first; with ``opened``, which raises `Damaged`, each is looked at whether it is whole."""
    return [_row(snapshots, id, opened) for id in snapshots.all()]


def _row(snapshots: Snapshots, id: str, opened: Callable[[str], object] | None) -> Row:
    pointer = snapshots.pointer()
    manifest: dict[str, Any] = {}
    fault = None
    try:
        manifest = snapshots.manifest(id)
        if opened:
            opened(id)
    except Damaged as found:
        fault = str(found)
    counts = manifest.get("counts", {})
    current = pointer is not None and pointer.id == id
    return Row(
        id,
        manifest.get("built"),
        counts.get("editions"),
        counts.get("passages"),
        manifest.get("encoder", ""),
        sum(p.stat().st_size for p in snapshots.path(id).rglob("*") if p.is_file()),
        current,
        current and pointer is not None and pointer.pinned,
        False if fault else True if opened else None,
        fault,
    )


def as_table(rows: Sequence[Row]) -> str:
    """The rows for a terminal, the published snapshot marked with ``*``."""
    if not rows:
        return "no index yet; 'regula build' makes the first"
    return "\n".join(map(_line, rows))


def _line(row: Row) -> str:
    state = {None: "", True: ", whole", False: f", damaged: {row.fault}"}[row.whole]
    pinned = ", rolled back to: serves until the next build" if row.pinned else ""
    return (f"{'*' if row.current else ' '} {row.id}  built {row.built}, {row.editions} editions, {row.passages} passages, "
            f"encoder {row.encoder or 'built-in'}, {row.bytes / 1e6:,.0f} MB{pinned}{state}")  # fmt: skip
