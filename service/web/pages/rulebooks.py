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
from service.browse.lookup import LONGEST, find_entries, listed_entry
from service.browse.neighbourhood import as_svg, neighbourhood, titles_in_line
from service.browse.timing import entry_steps, sequence_title, shown_step, step_link
from service.core.i18n import N_
from service.core.parameters import list_page
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions.comparison_view import short_edition_name
from service.editions.edition_changes import (
    NewsKind,
    changed_words,
    edition_news,
    former_version,
    news_badges,
)
from service.editions.exported_files import TERM_FORMATS
from service.editions.findings import entry_findings
from service.editions.terms import find_terms
from service.web.localization import gettext as _
from service.web.pages.cards import card_address
from service.web.pages.layout import (
    address_with,
    games_with_editions,
    one_of,
    page,
    pages,
    requested_page,
    search_words,
)
from service.web.request_context import current_snapshot

_FOUND = 100  # entries found on one page
_NEWS = 40  # changed entries on one page

NEWS_KINDS = {
    NewsKind.NEW: N_("New"),
    NewsKind.REMOVED: N_("Removed"),
    NewsKind.REWORDED: N_("Reworded"),
    NewsKind.RENUMBERED: N_("Renamed, renumbered or moved"),
    NewsKind.REFERENCES: N_("Other references"),
}


@pages.get("/browse")
def browse() -> Response:
    """The editions that there are."""
    snapshot = current_snapshot()
    return page("browse.html", snapshot, edition_contents=partial(edition_contents, snapshot))


@pages.get("/browse/<edition_id>")
def browse_edition(edition_id: str) -> Response:
    """One edition: glossary, rules, sections; or the entries of one ``format``, and those that have
    the words to ``find``.
    """
    snapshot = current_snapshot()
    edition = snapshot.edition(edition_id)
    formats = edition_formats(snapshot, edition.id)
    wanted = one_of("format", (GENERAL, *formats.names)) if formats.names else ""
    sought = sought_words()
    found = None
    if sought:
        found = find_entries(snapshot, edition.id, sought, lambda entry: formats.has(entry, wanted))
    elif wanted not in ("", GENERAL):
        found = [
            listed_entry(entry)
            for entry in formats.outermost(snapshot.library.entries_of(edition.id), wanted)
        ]
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
        address_with=address_with,
    )


@pages.get("/browse/<edition_id>/new")
def browse_news(edition_id: str) -> Response:
    """What is new in an edition against the version before it. Raises `Problem` (404) where there
    is none.
    """
    snapshot = current_snapshot()
    edition = snapshot.edition(edition_id)
    former = former_version(snapshot.library, edition.id)
    if former is None:
        raise Problem.unknown("There is no version before this edition here.")
    values = _names(snapshot, edition, former)
    news = edition_news(snapshot, edition.id)
    kind = one_of("kind", tuple(NewsKind))
    items = [item for item in news.items if kind in ("", item.kind)]
    place = next(
        (
            n
            for n, item in enumerate(items)
            if request.args.get("entry") in {each.id for each in item.right}
        ),
        None,
    )
    listed = (
        requested_page(items, _NEWS)
        if place is None
        else list_page(items, place // _NEWS + 1, _NEWS)
    )
    return page(
        "news.html",
        snapshot,
        news=news,
        kind=kind,
        kinds=NEWS_KINDS,
        listed=listed,
        changed_words=partial(changed_words, snapshot.library, news),
        address_with=address_with,
        **values,
    )


def _names(snapshot: Snapshot, edition: Edition, former: Edition) -> dict[str, Any]:
    return {
        "scope": edition.id,
        "edition": edition,
        "edition_name": edition_name(edition),
        "former_name": edition_name(former),
    }


def sought_words() -> str:
    """Return what the address looks for within an edition or an entry."""
    return request.args.get("find", "").strip()[:LONGEST]


_LONGEST = 280  # characters of a sentence in a preview
_SHORT = 2000  # characters of an entry that is read at a glance, without a field to search it


@dataclass(frozen=True)
class Counterpart:
    """The same entry in another edition, and where the two stand side by side."""

    entry: Entry
    edition: Edition
    edition_name: str
    comparison: str


@pages.get("/e/<path:entry_id>")
def read(entry_id: str) -> Response:
    """The page of an entry; with ``part=preview`` its title and first sentence alone, with
    ``part=inside`` its words as it unfolds.
    """
    snapshot = current_snapshot()
    library = snapshot.library
    entry = library.entry.get(entry_id)
    if entry is None:
        raise Problem.unknown("There is no such entry here.")
    if request.args.get("part") == "preview":
        sentence = _first_sentence(library, entry)
        citation = cite(library, entry)
        return page(
            "preview.html",
            snapshot,
            entry=entry,
            name=citation.entry_name,
            sentence=sentence,
            citation=citation,
        )
    sought = sought_words()
    badges: dict[str, Any] = {
        "formats": edition_formats(snapshot, entry.edition),
        "news": news_badges(snapshot, entry.edition),
    }
    if request.args.get("part") == "inside":
        spoken = library.edition[entry.edition].language
        inside = unfolded_entry(library, entry, sought)
        return page(
            "unfolded.html",
            snapshot,
            entry=entry,
            inside=inside,
            spoken=spoken,
            sought=sought,
            **badges,
        )
    before, after = adjacent_entries(library, entry)
    around = neighbourhood(library, entry)
    picture = None
    if around:
        says = _(
            "Refers to: %(names)s. Referred to by: %(others)s.",
            names=titles_in_line(around.after),
            others=titles_in_line(around.before),
        )
        picture = as_svg(around, _("What lies around %(title)s", title=entry.title), says)
    return page(
        "entry.html",
        snapshot,
        scope=entry.edition,
        entry=entry,
        name=entry_name(library, entry),
        path=library.path(entry)[:-1],
        citation=cite(library, entry),
        source=library.sources[entry.edition],
        part=entry_view(library, entry, sought),
        long=text_length(library, entry, _SHORT) > _SHORT,
        sought=sought,
        stem=id_without_version(entry.edition, library.edition[entry.edition].version)
        or entry.edition,
        mentions=reference_views(library, entry),
        referring=library.referring_to.get(entry.id, ()),
        before=before,
        after=after,
        counterparts=_counterparts(snapshot, entry),
        card=card_address(snapshot, entry),
        in_turn=entry_steps(library, entry),
        findings=entry_findings(snapshot, entry),
        sorts=FINDING_TITLES,
        picture=picture,
        **badges,
    )


def _counterparts(snapshot: Snapshot, entry: Entry) -> list[Counterpart]:
    library = snapshot.library
    others = [
        e
        for e in entries_by_concept(snapshot).get(library.concepts.get(entry.id, ""), ())
        if e.edition != entry.edition
    ]
    return [
        Counterpart(
            e,
            library.edition[e.edition],
            edition_name(library.edition[e.edition]),
            f"/compare/{entry.edition}/{e.edition}?entry={entry.id}",
        )
        for e in others
    ]


def _first_sentence(library: Library, entry: Entry) -> str:
    here: Entry | None = entry
    while here and not library.passages_of.get(here.id):
        here = next(iter(library.children_of.get(here.id, ())), None)
    if here is None:
        return ""
    display = library.passages_of[here.id][0].display
    found = [display[a:b] for a, b in sentences(display)]
    sentence = " ".join((found[0] if found else display).removeprefix("•").split())
    if (
        here.kind is Kind.RULE and len(found) > 1 and sentence.rstrip(".") == here.title
    ):  # "4.2." is no sentence
        sentence = " ".join(f"{sentence} {found[1]}".split())
    return sentence if len(sentence) <= _LONGEST else sentence[:_LONGEST].rpartition(" ")[0] + " …"


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
    """Show the sequences of a rulebook; ``step`` is the one that one is at."""
    snapshot = current_snapshot()
    edition = snapshot.edition(edition_id)
    chosen = request.args.get("step") or None
    at = None
    if chosen is not None:
        try:
            at = (
                step_link(snapshot.library, chosen) if chosen.startswith(f"{edition_id}/") else None
            )
        except NotFound:
            at = None
        if at is None:
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
        step=(chosen, at) if chosen and at else None,
    )


LENGTH = 100  # terms on one page


@pages.get("/terms/<game>")
def terms(game: str) -> Response:
    """Show the terms of a game that have all words of the filter in their names, by pages."""
    snapshot = current_snapshot()
    if game not in snapshot.library.games:
        raise Problem.unknown("There is no such game here; GET /v1/editions lists those there are.")
    terms, found = find_terms(snapshot, game, search_words())
    return page(
        "terms.html",
        snapshot,
        scope=game,
        game=next(scope for scope in games_with_editions(snapshot.library) if scope.game == game),
        listed=requested_page(found, LENGTH),
        languages=terms.languages,
        label=short_edition_name,
        words=search_words(),
        formats=TERM_FORMATS,
        address_with=address_with,
    )
