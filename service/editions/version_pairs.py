"""`regula changes`: which versions are compared, what is said of them, and the draft of a YAML file for one that nobody described."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from corpus.anchors import anchors
from corpus.document import Document, UnreadableDocument
from corpus.editions import recognition_lines
from corpus.errors import NotFound
from corpus.model import Correction, Rulebook
from corpus.similarity import sketch
from index.building.snapshots import Damaged, Snapshots
from index.building.version_lookup import compared, compared_books, corrected, documents, last, opened
from index.library.library import Book, Library
from service.core.contents import SnapshotContents
from service.core.jobs.queue import run_job
from service.core.snapshot import Snapshot
from service.editions.changes_report import changes_json, summary

_WIDTH = 140


class NothingBefore(NotFound):
    """A rulebook that no older version is at hand of; the message says what to do."""


def rulebook(name: str, rulebooks: Sequence[Rulebook], others: Sequence[Rulebook] = ()) -> Rulebook:
    """The rulebook called ``name``: an edition, the name of a file in the folder, or the path of any file.

    ``others`` are published ones, for which the ``rulebooks`` has another file. Raises `NotFound` where there is none.
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
    found = opened(document)
    if found is None:
        raise NotFound(f"{name}: no layout that Regula can read")
    return found


def before(right: Rulebook, rulebooks: Sequence[Rulebook], others: Sequence[Rulebook]) -> Rulebook | None:
    """The last version before ``right`` among the ``rulebooks`` or among the ``others``, which were published."""
    return last(right.edition, [b for b in (*rulebooks, *others) if b.document.sha256 != right.document.sha256])


def pairs(
    name: str | None, against: str | None, rulebooks: Sequence[Rulebook], others: Sequence[Rulebook]
) -> Iterator[tuple[Rulebook, Rulebook]]:
    """Older and newer versions to be compared: with ``name`` as the newer, else every rulebook that has an older one here.

    Raises `NothingBefore` where there is no such, `NotFound` where a name means nothing.
    """
    if name is not None:
        right = rulebook(name, rulebooks, others)
        left = rulebook(against, rulebooks, others) if against else before(right, rulebooks, others)
        if left is None:
            raise NothingBefore(f"{name}: no older version is here; put its file beside the new one or name it with --against")
        yield left, right
        return
    found = [(left, right) for right in rulebooks if (left := before(right, rulebooks, others))]
    if not found:
        raise NothingBefore("no rulebook here has an older version; name two with regula changes NEW --against OLD")
    yield from found


def changes_of(snapshot: Snapshot, edition: str) -> dict[str, Any]:
    """What changed in an ``edition`` of a ``snapshot`` against the version before it there, for programs; worked out once.

    Raises `NotFound` for an edition that is not there, `NothingBefore` for one without an older version, and what
    `service.core.jobs.queue.run_job` raises besides.
    """
    _versions(snapshot.library, edition)
    return snapshot.cache.get(("changes", edition), lambda: run_job(snapshot.location, _changes_of, edition), most=8)


def _changes_of(snapshot: SnapshotContents, edition: str) -> dict[str, Any]:
    return changes_json(compared_books(*_versions(snapshot.library, edition), snapshot.library))


def _versions(library: Library, edition: str) -> tuple[Book, Book]:
    """The version of an ``edition`` before it, and itself."""
    right = next((book for book in library.books if book.edition.id == edition), None)
    if right is None:
        raise NotFound(f"no edition {edition!r} here; there are: {', '.join(library.edition)}")
    left = last(right.edition, [book for book in library.books if book is not right])
    if left is None:
        raise NothingBefore(f"{edition}: no older version is here")
    return left, right


def renewed(snapshots: Snapshots, old: str, new: str) -> Iterator[str]:
    """A line for each rulebook of snapshot ``new`` that ``old`` has another version of and not this document."""
    try:
        now, then = ([b for d in documents(snapshots, id) if (b := opened(d))] for id in (new, old))
    except Damaged:  # the old one may be damaged; the new one was checked
        return
    known = {book.document.sha256 for book in then}
    for right in now:
        if right.document.sha256 not in known and (left := before(right, now, then)):
            renewal = compared(left, right, now)
            found = renewal.changes
            yield f"{found.right.id}: {summary(found)} against {found.left.id}; see 'regula changes {found.right.id}'"


def draft(book: Rulebook) -> str:
    """A YAML file that describes the edition of ``book``: what is known of the version it succeeds, as far as it fits."""
    edition, document = book.edition, book.document
    fields: dict[str, Any] = {
        "id": edition.id,
        "game": edition.game,
        "language": edition.language,
        "version": edition.version,
        "title": edition.title,
        "layout": edition.layout,
        "recognise": list(recognition_lines(document, edition.succeeds or edition.id)),
    }
    if edition.fallback:
        fields["fallback"] = edition.fallback
    if edition.names:
        fields["names"] = dict(edition.names)
    lines = [yaml.safe_dump(fields, allow_unicode=True, sort_keys=False, width=_WIDTH).rstrip()]
    kept = textwrap.fill(" ".join(sketch(document.text)), _WIDTH, initial_indent="  ", subsequent_indent="  ")
    lines += ["sketch: >-", kept]
    found = corrected(book)
    if found.carried:
        lines.append("corrections:")
        marks = anchors(document, found.carried)
        lines += [f"  - {_flow(c, mark)}" for c, mark in sorted(zip(found.carried, marks, strict=True), key=lambda pair: pair[0].line)]
    lines += [f"  # not found again: line {c.line}, {c.fault.value}: {c.why}" for c in found.unfit]
    return "\n".join(lines) + "\n"


def _flow(correction: Correction, mark: str) -> str:
    fields: dict[str, Any] = {"line": correction.line}
    if correction.through != correction.line:
        fields["through"] = correction.through
    fields |= {"fault": correction.fault.value, "printed": correction.printed, "meant": correction.meant, "why": correction.why}
    if correction.meant is None:
        del fields["meant"]
    if mark:
        fields["anchor"] = mark
    return yaml.safe_dump(fields, allow_unicode=True, sort_keys=False, default_flow_style=True, width=10_000).strip()
