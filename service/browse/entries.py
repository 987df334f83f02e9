"""Editions and entries of the contract: `EditionOut`, and `EntryOut` without and with its text and surroundings."""

from __future__ import annotations

from corpus.model import Edition, Entry
from glossary.model import Reference
from index.library.library import Library
from service.answers.answer import link_out, passage_out, placed_source_out
from service.answers.citations import entry_url
from service.schemas.entries import (
    EditionOut,
    EntryContentsOut,
    EntryOut,
    EntryWithTextOut,
    ReferenceOut,
    SuggestionOut,
    WholeEntryOut,
)
from service.schemas.passage import SourceOut


def edition_out(library: Library, edition: Edition) -> EditionOut:
    """Return an edition, its document, and how much is in it."""
    source = library.sources[edition.id]
    return EditionOut(
        id=edition.id,
        game=edition.game,
        language=edition.language,
        version=edition.version,
        title=edition.title,
        effective=edition.effective or None,
        kind=edition.kind,
        source=SourceOut(file=source.file, sha256=source.sha256),
        entries=len(library.entries_of(edition.id)),
        passages=len(library.passages_in(edition.id)),
    )


def entry_out(library: Library, entry: Entry) -> EntryOut:
    """Return an entry with its references, without its text."""
    return EntryOut(
        id=entry.id,
        edition=entry.edition,
        kind=entry.kind,
        heading=entry.heading,
        title=entry.title,
        number=entry.number,
        product=entry.product,
        parent=entry.parent,
        source=placed_source_out(library, entry.edition, entry),
        references=[reference_out(reference) for reference in library.references_of.get(entry.id, ())],
        concept=library.concepts.get(entry.id),
    )


def reference_out(reference: Reference) -> ReferenceOut:
    """Return a reference as printed, where it leads, and what is wrong with it."""
    return ReferenceOut(
        line=reference.line,
        raw=reference.raw,
        target=reference.target,
        kind=reference.kind,
        problem=reference.problem.value if reference.problem else None,
        meant=reference.meant,
    )


def entry_with_text_out(library: Library, entry: Entry) -> EntryWithTextOut:
    """Return an entry with its passages, as lists of rulings have them."""
    return EntryWithTextOut(
        **dict(entry_out(library, entry)),
        url=entry_url(entry),
        passages=[passage_out(library, passage) for passage in library.passages_of.get(entry.id, ())],
    )


def whole_entry_out(library: Library, entry: Entry, contents: EntryContentsOut | None = None) -> WholeEntryOut:
    """Return an entry with its passages, the entries around and in it, and those that refer to it; perhaps with its ``contents``."""
    return WholeEntryOut(
        **dict(entry_with_text_out(library, entry)),
        page=library.page(entry),
        path=[link_out(around) for around in library.path(entry)[:-1]],
        children=[link_out(child) for child in library.children_of.get(entry.id, ())],
        referred_to_by=[link_out(other) for other in library.referring_to.get(entry.id, ())],
        contents=contents,
    )


def suggestion_out(entry: Entry) -> SuggestionOut:
    """Return an entry as it is suggested while one types."""
    return SuggestionOut(
        entry=entry.id,
        title=entry.title,
        kind=entry.kind,
        number=entry.number,
        product=entry.product,
        edition=entry.edition,
        url=entry_url(entry),
    )
