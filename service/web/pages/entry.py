"""The page of an entry: its text in its place, what leads there and from there, and what it is in
other editions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import request
from werkzeug.wrappers import Response

from corpus.model import Edition, Entry, Kind
from corpus.sentences import sentences
from corpus.versions import id_without_version
from glossary.check import FINDING_TITLES
from index.library.library import Library
from service.answers.citations import cite, edition_name, entry_name
from service.browse.edition_contents import edition_formats, text_length, unfolded_entry
from service.browse.entry_view import (
    adjacent_entries,
    entries_by_concept,
    entry_view,
    reference_views,
)
from service.browse.neighbourhood import as_svg, neighbourhood, titles_in_line
from service.browse.timing import entry_steps
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions.check_results import entry_findings
from service.editions.edition_changes import news_badges
from service.web.localization import gettext as _
from service.web.pages.browse import sought_words
from service.web.pages.cards import card_address
from service.web.pages.layout import page, pages
from service.web.request_context import current_snapshot

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
    """Return the entries of other editions that are about the same, in the order of the
    editions.
    """
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
    """Return the first sentence of ``entry``, or of the first entry inside it; of a ruling the
    question. A very long one is cut.
    """
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
