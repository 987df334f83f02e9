"""Versions of one rulebook: find the one before another, and compare the two."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TypeVar

from corpus import identify, read
from corpus.document import Document
from corpus.edition_files import described_editions
from corpus.model import Edition, Rulebook, id_without_version, is_numbered, version_key
from corpus.read import ReaderError
from glossary.check import check_rulebook
from glossary.comparison.new_version import CarriedCorrections, NewVersion, review_version
from glossary.concepts import load_concepts, tie_entries
from glossary.matching.printed_ties import tie_cards
from glossary.model import RulebookView
from glossary.references import find
from index.building.snapshots import Damaged, Snapshots
from index.library.document_texts import load_document
from index.library.library import Library

B = TypeVar("B", bound=RulebookView)


def rulebooks_of_snapshots(snapshots: Snapshots, rulebooks: Iterable[Rulebook]) -> list[Rulebook]:
    """Read the rulebooks of the kept snapshots that are not among ``rulebooks``, the latest first,
    each once; damaged snapshots are skipped.
    """
    seen = {rulebook.document.sha256 for rulebook in rulebooks}
    found = []
    for id in snapshots.all():
        with suppress(Damaged):
            for document in documents_of_snapshot(snapshots, id):
                if document.sha256 not in seen:
                    seen.add(document.sha256)
                    found.append(read_document(document))
    return [rulebook for rulebook in found if rulebook]


def documents_of_snapshot(snapshots: Snapshots, id: str) -> list[Document]:
    """Load the documents that snapshot ``id`` was built from, under their original names and with
    the text extracted then.

    Raises `Damaged` if a document is incomplete, or the snapshot has an unknown format.
    """
    snapshots.check_format(id)
    try:
        sources = json.loads(snapshots.read(id, "library.json"))["sources"].values()
        names, read = set(snapshots.files(id)), partial(snapshots.read, id)
        found = [
            load_document(s["file"], s["sha256"], s["text_sha256"], names, read) for s in sources
        ]
        return [replace(each, folder=each.file.rpartition("/")[0]) for each in found]
    except Damaged:
        raise
    except (ValueError, LookupError, TypeError, AttributeError) as fault:
        raise Damaged(f"snapshot {id}: its documents cannot be read ({fault!r})") from fault


def read_document(document: Document, id: str = "") -> Rulebook | None:
    """Read ``document`` as a rulebook; None if its reader fails. ``id`` is its edition's id if
    known, which depends on the documents beside it.
    """
    try:
        edition = identify(document)
        if id:
            game = id if edition.game == edition.id else edition.game
            edition = replace(edition, id=id, game=game)
        return read(document, edition)
    except ReaderError:
        return None


def previous_version(edition: Edition, others: Sequence[B]) -> B | None:
    """Return the version before ``edition`` among ``others``, the first of equal ones.

    That is another document of the same edition, else the edition that this one is declared to
    succeed, else the highest version below it. Editions are versions of each other if their ids
    differ in nothing but the version.
    """
    for wanted in (edition.id, edition.succeeds):
        for other in others:
            if other.edition.id == wanted:
                return other
    stem, key = id_without_version(edition.id, edition.version), version_key(edition.version)
    if not stem or not is_numbered(edition.version):
        return None
    older = [
        other
        for other in others
        if id_without_version(other.edition.id, other.edition.version) == stem
        and is_numbered(other.edition.version)
        and version_key(other.edition.version) < key
    ]
    return max(older, key=lambda other: version_key(other.edition.version), default=None)


def compare_versions(
    left: Rulebook, right: Rulebook, rulebooks: Sequence[Rulebook], checked: bool = False
) -> NewVersion:
    """Compare ``right`` as a new version with ``left``, read together with the other ``rulebooks``;
    ``checked``: include new findings.

    If both have one edition id, the old one gets the beginning of its document's SHA-256 added.
    """
    both, game = (left.edition.id, right.edition.id), right.edition.game
    others = [r for r in rulebooks if r.edition.id not in both and r.edition.game == game]
    known = load_concepts(game)
    if both[0] != both[1] and any(left is each for each in rulebooks):
        terms = tie_entries(known, [left, right, *others])
    else:  # an index of this folder will not contain the old one
        was = tie_entries(known, [left, *others]).by_entry
        terms = tie_entries(known, [right, *others])
        if both[0] == both[1]:
            left = with_edition_id(left, f"{left.edition.id}@{left.document.sha256[:8]}")
        old = {
            _moved(id, left.edition.id): concept
            for id, concept in was.items()
            if id.startswith(f"{both[0]}/")
        }
        terms = replace(terms, by_entry={**terms.by_entry, **old})
    references = {book.edition.id: find(book, [book, *others]) for book in (left, right)}
    findings = None
    if checked:
        findings = tuple(
            check_rulebook(book, [book, *others], references[book.edition.id])
            for book in (left, right)
        )
    return review_version(
        left,
        right,
        terms,
        tie_cards([left, right]),
        [r for found in references.values() for r in found],
        applied_corrections(right),
        (findings[0], findings[1]) if findings else None,
    )


def compare_indexed(left: RulebookView, right: RulebookView, library: Library) -> NewVersion:
    """Compare two editions of a ``library``, which has neither documents nor corrections."""
    sisters = [book for book in library.rulebooks if book.edition.game == right.edition.game]
    terms = tie_entries(load_concepts(right.edition.game), sisters)
    return review_version(left, right, terms, library.concepts, library.references)


def applied_corrections(rulebook: Rulebook) -> CarriedCorrections:
    """Return the corrections of a rulebook, as written in the YAML of its edition, or of the
    edition it succeeds, and as they apply.

    If its owner has renamed the edition, it has no YAML yet, and only the corrections that apply
    are known.
    """
    edition, written = rulebook.edition, rulebook.edition.corrections
    if edition.known or edition.succeeds:
        wanted = edition.succeeds or edition.id
        described = (each.edition for each in described_editions())
        written = next((each.corrections for each in described if each.id == wanted), written)
    if edition.succeeds and not edition.known:
        written = tuple(correction for correction in written if correction.anchor)
    unfit = set(rulebook.unfit)
    pairs = zip(written, edition.corrections, strict=True)
    return CarriedCorrections(tuple((was, None if now in unfit else now) for was, now in pairs))


def with_edition_id(rulebook: Rulebook, edition: str) -> Rulebook:
    """Return ``rulebook`` with another edition id, to compare it with the version that has its
    id.
    """
    return replace(
        rulebook,
        edition=replace(rulebook.edition, id=edition),
        entries=tuple(
            replace(
                e,
                id=_moved(e.id, edition),
                edition=edition,
                parent=_moved(e.parent, edition) if e.parent else None,
            )
            for e in rulebook.entries
        ),
        passages=tuple(
            replace(p, id=_moved(p.id, edition), entry=_moved(p.entry, edition))
            for p in rulebook.passages
        ),
    )


def _moved(id: str, edition: str) -> str:
    return f"{edition}/{id.partition('/')[2]}"
