"""What a request for a ruling sheet asks: its link, with the words that it cites, and what its
question brings.
"""

from __future__ import annotations

from datetime import UTC, date, datetime

from index.library.former_words import quotation_hash
from index.model import SearchResult
from service.core import parameters
from service.core.i18n import N_
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions.sheets.passage_history import PassageKey, SheetLink, find_cited
from service.web.request_context import ask

_PASSAGES = 5  # of an answer, as the page of answers shows them


def today() -> str:
    """Today, as ISO 8601 writes it."""
    return datetime.now(UTC).date().isoformat()


def made_day(text: str) -> str:
    """Return the day that a link was made, "" for what is no day or has not come yet: anybody can
    write anything there.
    """
    try:
        day = date.fromisoformat(text).isoformat()
    except ValueError:
        return ""
    return day if day <= today() else ""


def with_words(snapshot: Snapshot, link: SheetLink) -> SheetLink:
    """Return ``link``; where it names passages without their words, of today, with those that stand
    there now.

    Raises `Problem` (404) where nothing stands there.
    """
    if all(key.hash for key in link.passages):
        return link
    keys = []
    for key in link.passages:
        hit = None if key.hash else find_cited(snapshot, key.id)
        if hit is None and not key.hash:
            raise Problem.unknown(N_("There is no such passage here."), "passages")
        keys.append(PassageKey(key.id, quotation_hash(hit.passage.display)) if hit else key)
    return SheetLink(link.question, link.filters, tuple(keys), today())


def found_for(snapshot: Snapshot, link: SheetLink) -> SearchResult | None:
    """What the question of ``link`` brings now, None without one.

    What it was asked of may be gone, which must not keep the sheet from being shown: then all
    rulebooks of its game are, if that is here.
    """
    game = {"game": link.filters["game"]} if link.filters.get("game") else {}
    for filters in (link.filters, game) if link.question else ():
        try:
            fields = {"k": _PASSAGES, **filters, "question": link.question}
            return ask(parameters.query_from(fields, snapshot.library), interactive=False)
        except Problem as problem:
            if problem.status >= 500:
                raise
    return None
