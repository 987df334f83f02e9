"""Versions of one rulebook: which is the last before another, in the folder or in a published
snapshot, and what changed since.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from corpus import identify, read
from corpus.document import Document
from corpus.edition_files import described_editions
from corpus.model import Correction, Edition, Rulebook
from corpus.read import ReaderError
from corpus.versions import id_without_version, is_numbered, version_key
from glossary.check import check_rulebook
from glossary.comparison.new_version import CarriedCorrections, NewVersion, review_version
from glossary.concepts import ConceptTies, load_concepts, tie_entries
from glossary.matching.printed_ties import tie_cards
from glossary.model import RulebookView
from glossary.references import find
from index.building.snapshots import Damaged, Snapshots
from index.library.document_texts import load_document
from index.library.library import Library

B = TypeVar("B", bound=RulebookView)


def rulebooks_of_snapshots(snapshots: Snapshots, rulebooks: Iterable[Rulebook]) -> list[Rulebook]:
    """Rulebooks of the kept snapshots that are not among ``rulebooks``, the latest first, each
    once; damaged snapshots are passed over.
    """
    seen = {rulebook.document.sha256 for rulebook in rulebooks}
    found = []
    for id in snapshots.all():
        try:
            kept = documents_of_snapshot(snapshots, id)
        except Damaged:
            continue
        for document in kept:
            if document.sha256 not in seen:
                seen.add(document.sha256)
                if rulebook := read_document(document):
                    found.append(rulebook)
    return found


def documents_of_snapshot(snapshots: Snapshots, id: str) -> list[Document]:
    """The documents that snapshot ``id`` was built from, under the names they came by, extracted as
    they were then.

    Raises `Damaged` where one is not whole, or the snapshot of a format that is not read.
    """
    snapshots.check_format(id)
    try:
        sources = json.loads(snapshots.read(id, "library.json"))["sources"].values()
        names = set(snapshots.files(id))
        return [
            load_document(
                s["file"], s["sha256"], s.get("text_sha256", ""), names, partial(snapshots.read, id)
            )
            for s in sources
        ]
    except (ValueError, LookupError, TypeError, AttributeError) as fault:
        if isinstance(fault, Damaged):
            raise
        raise Damaged(f"snapshot {id}: its documents cannot be read ({fault!r})") from fault


def read_document(document: Document) -> Rulebook | None:
    """``document`` as a rulebook, None where its reader fails."""
    try:
        return read(document, identify(document))
    except ReaderError:
        return None


def previous_version(edition: Edition, others: Sequence[B]) -> B | None:
    """The version before ``edition`` among ``others``, of equal ones the first.

    That is another document of the same edition, else the one that the edition is taken for a newer
    version of, else the highest version below it; editions are versions of each other where their
    ids differ in nothing else.
    """
    for wanted in (edition.id, edition.succeeds):
        for other in others:
            if other.edition.id == wanted:
                return other
    stem, key = id_without_version(edition.id, edition.version), version_key(edition.version)
    if not stem or not is_numbered(edition.version):
        return None
    older = [
        o
        for o in others
        if id_without_version(o.edition.id, o.edition.version) == stem
        and is_numbered(o.edition.version)
        and version_key(o.edition.version) < key
    ]
    return max(older, key=lambda o: version_key(o.edition.version), default=None)


def compare_versions(
    left: Rulebook, right: Rulebook, rulebooks: Sequence[Rulebook], checked: bool = False
) -> NewVersion:
    """``right`` as a new version of ``left``, read together with the other ``rulebooks``;
    ``checked``: with new findings.

    Where both are one edition, the old one is called by its id and the beginning of its document's
    SHA-256.
    """
    others = [
        r
        for r in rulebooks
        if r.edition.id not in (left.edition.id, right.edition.id)
        and r.edition.game == right.edition.game
    ]
    known_terms = load_concepts(right.edition.game)
    if left.edition.id != right.edition.id and any(left is each for each in rulebooks):
        terms = tie_entries(known_terms, [left, right, *others])
    else:  # an index of this folder will not have the old one to go by
        was, terms = (
            tie_entries(known_terms, [left, *others]).by_entry,
            tie_entries(known_terms, [right, *others]),
        )
        old = {id: concept for id, concept in was.items() if id.startswith(f"{left.edition.id}/")}
        if left.edition.id == right.edition.id:
            left = with_edition_id(left, f"{left.edition.id}@{left.document.sha256[:8]}")
        terms = ConceptTies(
            {**terms.by_entry, **{_moved(id, left.edition.id): c for id, c in old.items()}},
            terms.unmatched,
            terms.inferred,
        )
    references = {book.edition.id: find(book, [book, *others]) for book in (left, right)}
    findings = (
        [
            check_rulebook(book, [book, *others], references[book.edition.id])
            for book in (left, right)
        ]
        if checked
        else []
    )
    return review_version(
        left,
        right,
        terms,
        tie_cards([left, right]),
        [r for found in references.values() for r in found],
        applied_corrections(right),
        (findings[0], findings[1]) if checked else None,
    )


def compare_indexed(left: RulebookView, right: RulebookView, library: Library) -> NewVersion:
    """The same for two editions of a ``library``, which keeps neither documents nor corrections."""
    sisters = [book for book in library.rulebooks if book.edition.game == right.edition.game]
    return review_version(
        left,
        right,
        tie_entries(load_concepts(right.edition.game), sisters),
        library.concepts,
        library.references,
    )


def applied_corrections(rulebook: Rulebook) -> CarriedCorrections:
    """The corrections of a rulebook as its edition's YAML, or that of the edition it succeeds, has
    them, and as they apply.

    An edition that its owner calls otherwise has no YAML yet: what applies is all that there is.
    """
    edition = rulebook.edition
    described = (
        {k.edition.id: k.edition for k in described_editions()}
        if edition.known or edition.succeeds
        else {}
    )
    written: tuple[Correction, ...] = described.get(
        edition.succeeds or edition.id, edition
    ).corrections
    if edition.succeeds:
        written = tuple(c for c in written if c.anchor)
    unfit = set(rulebook.unfit)
    return CarriedCorrections(
        tuple(
            (was, None if now in unfit else now)
            for was, now in zip(written, edition.corrections, strict=True)
        )
    )


def with_edition_id(rulebook: Rulebook, edition: str) -> Rulebook:
    """``rulebook`` under another edition id, so that it can stand beside a version that has its
    own.
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
