"""The pages of a rulebook: contents, what is new, entries, sequences of steps, the term list."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from flask import request
from werkzeug.wrappers import Response

from corpus.errors import NotFound
from corpus.model import Edition, Entry, Kind, id_without_version
from corpus.sentences import sentences
from glossary.check import FINDING_TITLES
from index.library.library import Library
from index.timing.sequences import timing_of
from service.answers.citations import cite, edition_name, entry_name
from service.browse.edition_contents import (
    GENERAL,
    edition_contents,
    edition_formats,
    text_length,
    unfolded_entry,
)
from service.browse.entry_view import (
    adjacent_entries,
    entries_by_concept,
    entry_view,
    reference_views,
)
from service.browse.former_entries import OldAddress, old_address
from service.browse.lookup import LONGEST, find_entries, listed_entry
from service.browse.timing import entry_steps, sequence_title, shown_step, step_link
from service.core.i18n import N_
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions.comparison_view import short_edition_name
from service.editions.edition_changes import (
    NewsItem,
    NewsKind,
    changed_words,
    edition_news,
    former_version,
    news_badges,
)
from service.editions.exported_files import TERM_FORMATS
from service.editions.findings import entry_findings, reading_doubts
from service.editions.sheets import newer_version_note
from service.editions.terms import find_terms
from service.web.editing import ignored_of
from service.web.localization import language
from service.web.pages.cards import card_address
from service.web.pages.layout import (
    HEAD,
    PAGE,
    games_with_editions,
    known_game,
    one_of,
    page,
    pages,
    requested_page,
    search_words,
)
from service.web.request_context import current_snapshot

LONGEST_ID = 500  # characters of the id of an entry
_FOUND = 100  # entries found on one page
_TERMS = 30  # terms on one page
_LONGEST = 280  # characters of a sentence in a preview
_SHORT = 2000  # characters of a short entry, which needs no search field
NEWS_KINDS = {
    NewsKind.NEW: N_("New"),
    NewsKind.REMOVED: N_("Removed"),
    NewsKind.REWORDED: N_("Reworded"),
    NewsKind.RENUMBERED: N_("Renamed, renumbered or moved"),
    NewsKind.REFERENCES: N_("Other references"),
}


@pages.get("/browse")
def browse() -> Response:
    """List the loaded editions."""
    snapshot = current_snapshot()
    return page(
        "browse.html",
        snapshot,
        edition_contents=partial(edition_contents, snapshot),
        timing=timing_of(snapshot.library),
    )


@pages.get("/browse/<edition_id>")
def browse_edition(edition_id: str) -> Response:
    """Show an edition's contents, its entries of a ``format``, or those with words to ``find``."""
    snapshot = current_snapshot()
    edition = snapshot.edition(edition_id)
    formats = edition_formats(snapshot, edition.id)
    wanted = one_of("format", (GENERAL, *formats.names)) if formats.names else ""
    sought = _sought_words()
    found = None
    if sought:
        found = find_entries(snapshot, edition.id, sought, lambda entry: formats.has(entry, wanted))
    elif wanted not in ("", GENERAL):
        entries = snapshot.library.entries_of(edition.id)
        found = [listed_entry(entry) for entry in formats.outermost(entries, wanted)]
    return page(
        "edition.html",
        snapshot,
        scope=edition.id,
        edition=edition,
        edition_name=edition_name(edition),
        stem=id_without_version(edition.id, edition.version) or edition.id,
        source=snapshot.library.sources[edition.id],
        contents=edition_contents(snapshot, edition.id, general=wanted == GENERAL),
        formats=formats,
        wanted=wanted,
        sought=sought,
        listed=None if found is None else requested_page(found, _FOUND),
        match_count=sum(each.count for each in found or ()),
        news=news_badges(snapshot, edition.id),
        former=former_version(snapshot.library, edition.id),
        doubts=reading_doubts(snapshot, edition.id, language()),
    )


@pages.get("/browse/<edition_id>/new")
def browse_news(edition_id: str) -> Response:
    """Show what is new in an edition against the version before it. Raises `Problem` (404)."""
    snapshot = current_snapshot()
    edition = snapshot.edition(edition_id)
    former = former_version(snapshot.library, edition.id)
    if former is None:
        raise Problem.unknown("There is no version before this edition here.")
    news = edition_news(snapshot, edition.id)
    kind, entry = one_of("kind", tuple(NewsKind)), request.args.get("entry")
    items = [item for item in news.items if kind in ("", item.kind)]
    at = next((n for n, item in enumerate(items) if entry in {e.id for e in item.right}), None)
    listed = requested_page(items, PAGE, _news_size, at)
    return page(
        "news.html",
        snapshot,
        scope=edition.id,
        edition=edition,
        edition_name=edition_name(edition),
        former_name=edition_name(former),
        news=news,
        kind=kind,
        kinds=NEWS_KINDS,
        listed=listed,
        changed_words=partial(changed_words, snapshot.library, news),
    )


def _news_size(item: NewsItem) -> int:
    passages = [p for each in item.changes.passages for p in (*each.left, *each.right)]
    return HEAD * (1 + len(passages))


def _sought_words() -> str:
    return request.args.get("find", "").strip()[:LONGEST]


# Entries


@dataclass(frozen=True)
class Counterpart:
    """The same entry in another edition, with the address of their comparison."""

    entry: Entry
    edition: Edition
    edition_name: str
    comparison: str


@pages.get("/e/<path:entry_id>")
def read(entry_id: str) -> Response:
    """Show an entry; with ``part=preview`` its first sentence, with ``part=inside`` its words."""
    snapshot = current_snapshot()
    library = snapshot.library
    entry = library.entry.get(entry_id)
    if entry is None:
        if gone := old_address(snapshot, entry_id):
            return page("gone.html", snapshot, 404, gone=gone)
        raise Problem.unknown("There is no such entry here.")
    citation, edition = cite(library, entry), library.edition[entry.edition]
    part, sought = request.args.get("part"), _sought_words()
    if part == "preview":
        return page(
            "preview.html",
            snapshot,
            entry=entry,
            name=citation.entry_name,
            sentence=_first_sentence(library, entry),
            citation=citation,
        )
    badges: dict[str, Any] = {
        "formats": edition_formats(snapshot, entry.edition),
        "news": news_badges(snapshot, entry.edition),
        "sought": sought,
        "entry": entry,
    }
    if part == "inside":
        inside = unfolded_entry(library, entry, sought)
        return page("unfolded.html", snapshot, inside=inside, spoken=edition.language, **badges)
    before, after = adjacent_entries(library, entry)
    concept = library.concepts.get(entry.id, "")
    counterparts = [
        Counterpart(
            other,
            library.edition[other.edition],
            edition_name(library.edition[other.edition]),
            f"/compare/{entry.edition}/{other.edition}?entry={entry.id}",
        )
        for other in entries_by_concept(snapshot).get(concept, ())
        if other.edition != entry.edition
    ]
    return page(
        "entry.html",
        snapshot,
        scope=entry.edition,
        name=entry_name(library, entry),
        path=library.path(entry)[:-1],
        citation=citation,
        source=library.sources[entry.edition],
        part=entry_view(library, entry, sought),
        long=text_length(library, entry, _SHORT) > _SHORT,
        stem=id_without_version(entry.edition, edition.version) or entry.edition,
        mentions=reference_views(library, entry),
        referring=library.referring_to.get(entry.id, ()),
        before=before,
        after=after,
        counterparts=counterparts,
        card=card_address(snapshot, entry),
        in_turn=entry_steps(library, entry),
        findings=entry_findings(
            snapshot, entry, ignored_of(snapshot.library.edition[entry.edition].game)
        ),
        sorts=FINDING_TITLES,
        came_from=_came_from(snapshot, entry),
        newer=newer_version_note(snapshot, entry, language()),
        moved_away=old_address(snapshot, entry.id),
        **badges,
    )


def _came_from(snapshot: Snapshot, entry: Entry) -> OldAddress | None:
    """Return the old address that led to ``entry``, if one did."""
    found = old_address(snapshot, request.args.get("was", "")[:LONGEST_ID])
    return found if found and found.now and found.now.id == entry.id else None


def _first_sentence(library: Library, entry: Entry) -> str:
    """Return the first sentence of ``entry``, or of the first entry inside it, cut if too long."""
    here: Entry | None = entry
    while here and not library.passages_of.get(here.id):
        here = next(iter(library.children_of.get(here.id, ())), None)
    if here is None:
        return ""
    display = library.passages_of[here.id][0].display
    found = [display[a:b] for a, b in sentences(display)] or [display]
    sentence = " ".join(found[0].removeprefix("•").split())
    # "4.2." is no sentence.
    if here.kind is Kind.RULE and len(found) > 1 and sentence.rstrip(".") == here.title:
        sentence = " ".join(f"{sentence} {found[1]}".split())
    return sentence if len(sentence) <= _LONGEST else sentence[:_LONGEST].rpartition(" ")[0] + " …"


# Sequences of steps, and terms


@pages.get("/timing")
def timing() -> Response:
    """List the rulebooks, with how many sequences each has."""
    snapshot = current_snapshot()
    timing = timing_of(snapshot.library)
    counts = {
        edition.id: len(timing.sequences(edition.id)) for edition in snapshot.library.editions
    }
    return page("timings.html", snapshot, counts=counts, edition_name=edition_name)


@pages.get("/timing/<edition_id>")
def edition_timing(edition_id: str) -> Response:
    """Show the sequences of a rulebook; ``step`` is the selected one."""
    snapshot = current_snapshot()
    edition = snapshot.edition(edition_id)
    chosen = request.args.get("step") or None
    step = None
    if chosen is not None:
        try:
            if chosen.startswith(f"{edition_id}/"):
                step = (chosen, step_link(snapshot.library, chosen))
        except NotFound:
            step = None
        if step is None:
            raise Problem.unknown("There is no such step in this rulebook.")
    return page(
        "timing.html",
        snapshot,
        scope=edition_id,
        edition=edition,
        edition_name=edition_name(edition),
        sequences=timing_of(snapshot.library).sequences(edition_id),
        path=snapshot.library.path,
        title=partial(sequence_title, snapshot.library),
        shown=partial(shown_step, snapshot.library),
        chosen=chosen,
        step=step,
    )


@pages.get("/terms/<game>")
def terms(game: str) -> Response:
    """Show the terms of a game that have all words of the filter in their names, by pages."""
    snapshot = current_snapshot()
    terms, found = find_terms(snapshot, known_game(snapshot, game), search_words())
    return page(
        "terms.html",
        snapshot,
        scope=game,
        game=next(scope for scope in games_with_editions(snapshot.library) if scope.game == game),
        listed=requested_page(found, _TERMS),
        languages=terms.languages,
        label=short_edition_name,
        words=search_words(),
        formats=TERM_FORMATS,
    )
