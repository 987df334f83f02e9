"""Which two versions of a rulebook are compared, and what changed between them in a snapshot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from corpus.document import Document, UnreadableDocument
from corpus.errors import NotFound
from corpus.model import Edition, Rulebook
from index.building.snapshots import Damaged, Snapshots
from index.building.version_lookup import (
    compare_indexed,
    compare_versions,
    documents_of_snapshot,
    previous_version,
    read_document,
)
from index.library.library import IndexedRulebook, Library
from service.core.contents import SnapshotContents
from service.core.i18n import N_, TranslatableText
from service.core.jobs.stored_works import Work, stored
from service.core.snapshot import Snapshot
from service.editions.changes_report import changes_out, changes_summary
from service.editions.comparison import unknown_edition
from service.schemas.comparisons import ChangesOut


class NoOlderVersion(NotFound):
    """There is no older version of a rulebook; the message says what to do."""


def find_rulebook(name: str, rulebooks: Sequence[Rulebook], others: Sequence[Rulebook] = ()) -> Rulebook:
    """Return the rulebook called ``name``: the id of an edition, a file name or the beginning of a SHA-256 here, or the path of any file.

    ``others`` are rulebooks of published indexes whose files are no longer in the folder. Raises `NotFound` where there is none.
    """
    for book in (*rulebooks, *others):
        if name in (book.edition.id, book.document.file, book.document.sha256[:8]):
            return book
    path = Path(name)
    if not path.is_file():
        raise NotFound(f"no edition and no file {name!r}; there are: {', '.join(b.edition.id for b in rulebooks)}")
    try:
        document = Document.from_bytes(path.name, path.read_bytes())
    except UnreadableDocument as fault:
        raise NotFound(str(fault)) from fault
    found = read_document(document)
    if found is None:
        raise NotFound(f"{name}: the reader of its layout failed")
    return found


def version_before(right: Rulebook, rulebooks: Sequence[Rulebook], others: Sequence[Rulebook]) -> Rulebook | None:
    """Return the last version before ``right`` among ``rulebooks`` and ``others``, None where there is none."""
    return previous_version(right.edition, [b for b in (*rulebooks, *others) if b.document.sha256 != right.document.sha256])


def find_version_pairs(
    name: str | None, against: str | None, rulebooks: Sequence[Rulebook], others: Sequence[Rulebook]
) -> Iterator[tuple[Rulebook, Rulebook]]:
    """Yield pairs of an older and a newer version: with ``name`` as the newer, else with every rulebook that has an older version here.

    Raises `NoOlderVersion` where there is none, `NotFound` for an unknown name.
    """
    if name is not None:
        right = find_rulebook(name, rulebooks, others)
        left = find_rulebook(against, rulebooks, others) if against else version_before(right, rulebooks, others)
        if left is None:
            raise NoOlderVersion(f"{name}: no older version is here; put its file beside the new one or name it with --against")
        yield left, right
        return
    found = [(left, right) for right in rulebooks if (left := version_before(right, rulebooks, others))]
    if not found:
        raise NoOlderVersion("no rulebook here has an older version; name two with regula changes NEW --against OLD")
    yield from found


def edition_changes(snapshot: Snapshot, edition: str, patience: float | None = None) -> ChangesOut:
    """Return what changed in an ``edition`` of a ``snapshot`` against the version before it there; cached.

    Raises `NotFound` for an unknown edition, `NoOlderVersion` for one without an older version, and what
    `service.core.jobs.stored_works.stored` raises.
    """
    _last_two_versions(snapshot.library, edition)
    return snapshot.cache.get(
        ("changes", edition), lambda: ChangesOut.model_validate_json(stored(snapshot, changes_work(edition), patience)), most=8
    )


def changes_work(edition: str) -> Work[bytes]:
    """Return the work of comparing an ``edition`` with the version before it."""
    return Work(("changes", edition), _render_changes, (edition,))


def _render_changes(snapshot: SnapshotContents, edition: str) -> bytes:
    found = changes_out(compare_indexed(*_last_two_versions(snapshot.library, edition), snapshot.library))
    return found.model_dump_json(by_alias=True).encode()


def former_version(library: Library, edition: str) -> Edition | None:
    """Return the version before an ``edition`` in the ``library``, None where there is none."""
    try:
        return _last_two_versions(library, edition)[0].edition
    except NotFound:
        return None


def _last_two_versions(library: Library, edition: str) -> tuple[IndexedRulebook, IndexedRulebook]:
    """Return the version before an ``edition``, and the edition itself. Raises as `edition_changes`."""
    right = next((book for book in library.rulebooks if book.edition.id == edition), None)
    if right is None:
        raise NotFound(unknown_edition(library, edition))
    left = previous_version(right.edition, [book for book in library.rulebooks if book is not right])
    if left is None:
        raise NoOlderVersion(TranslatableText(N_("%(edition)s: no older version is here"), {"edition": edition}))
    return left, right


def describe_new_versions(snapshots: Snapshots, old: str, new: str) -> Iterator[str]:
    """Yield a line for each document of snapshot ``new`` that is a new version of one of snapshot ``old``."""
    try:
        new_rulebooks, old_rulebooks = (
            [book for document in documents_of_snapshot(snapshots, id) if (book := read_document(document))] for id in (new, old)
        )
    except Damaged:  # the old one may be damaged; the new one was checked
        return
    unchanged = {book.document.sha256 for book in old_rulebooks}
    for right in new_rulebooks:
        if right.document.sha256 not in unchanged and (left := version_before(right, new_rulebooks, old_rulebooks)):
            changes = compare_versions(left, right, new_rulebooks).changes
            yield f"{changes.right.id}: {changes_summary(changes)} against {changes.left.id}; see 'regula changes {changes.right.id}'"
