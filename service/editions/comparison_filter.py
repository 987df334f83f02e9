"""A comparison to look things up in: its entries by status, by the sort of difference and by words of their headings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from glossary.comparison import Comparison, Status
from index.analysis import plain
from service.core.contents import SnapshotContents
from service.core.jobs.background import BackgroundCache
from service.core.jobs.queue import run_job
from service.core.snapshot import Snapshot
from service.editions.comparison import check_comparable, snapshot_comparison
from service.editions.comparison_view import Opening, Spread, spread

SORTS = ("numbers", "symbols", "names", "terms", "references", "words", "passages", "moved", "divided", "renamed")
EVERY = "all"  # as a status: what is alike too


@dataclass(frozen=True)
class Laid:
    """A spread, made ready for looking things up.

    ``openings`` in order; ``of`` finds one by the id of any of its entries; ``accounts`` are how often each of `SORTS`
    occurs in it and ``headings`` its titles and headings as search compares them, both by its id.
    """

    spread: Spread
    openings: tuple[Opening, ...]
    of: Mapping[str, Opening]
    accounts: Mapping[str, Counter[str]]
    headings: Mapping[str, str]


@dataclass(frozen=True)
class Wanted:
    """What a reader wants to see: a `Status`, `EVERY`, or "" for what differs; one of `SORTS` or ""; words of a heading."""

    status: str = ""
    sort: str = ""
    words: str = ""


def laid(snapshot: Snapshot, left: str, right: str, patience: float) -> Laid | None:
    """The comparison of two editions of a ``snapshot``; None where it is not ready within ``patience`` seconds.

    Raises what `service.editions.comparison.compared` raises, and what `service.core.jobs.queue.run_job` raises besides.
    """
    check_comparable(snapshot.library, left, right)
    location = snapshot.location
    begun: BackgroundCache[Laid] = snapshot.cache.get(("comparison views",), lambda: BackgroundCache(most=8))
    return begun.get((left, right), lambda: run_job(location, _laid, left, right), patience)


def _laid(snapshot: SnapshotContents, left: str, right: str) -> Laid:
    return arranged(snapshot_comparison(snapshot, left, right))


def arranged(comparison: Comparison) -> Laid:
    """``comparison`` laid out and made ready for looking things up."""
    made = spread(comparison)
    openings = tuple(opening for group in made.groups for opening in group)
    return Laid(
        made,
        openings,
        {entry.id: opening for opening in openings for entry in (*opening.left, *opening.right)},
        {opening.id: account(opening) for opening in openings},
        {opening.id: plain(" ".join(f"{e.title} {e.heading}" for e in (*opening.left, *opening.right))) for opening in openings},
    )


def account(opening: Opening) -> Counter[str]:
    """In what the sides of ``opening`` differ: how many of its strips in each sort; nothing where one side has it alone."""
    if not (opening.left and opening.right):
        return Counter()
    found = Counter(badge.sort for badge in opening.badges)
    for strip in opening.strips:
        found.update(badge.sort for badge in strip.badges)
        found["words"] += any(run.changed for run in (*strip.left.text, *strip.right.text))
        found["passages"] += strip.status in (Status.ONLY_LEFT, Status.ONLY_RIGHT)
    return +found


def chosen(laid: Laid, wanted: Wanted) -> list[Opening]:
    """The openings that ``wanted`` speaks of, in order."""
    return [
        opening
        for opening in _headed(laid, wanted)
        if (wanted.status in (EVERY, opening.status) or (not wanted.status and opening.status is not Status.SAME))
        and (not wanted.sort or wanted.sort in laid.accounts[opening.id])
    ]


def _headed(laid: Laid, wanted: Wanted) -> list[Opening]:
    sought = plain(wanted.words).split()
    return [opening for opening in laid.openings if all(word in laid.headings[opening.id] for word in sought)]


def statuses(laid: Laid, wanted: Wanted) -> Counter[str]:
    """How many openings each status would show, were all else wanted as it is; under "" and `EVERY` those of several."""
    counts: Counter[str] = Counter(opening.status for opening in chosen(laid, replace(wanted, status=EVERY)))
    counts[EVERY] = counts.total()
    counts[""] = counts[EVERY] - counts[Status.SAME]
    return counts


def sorts(laid: Laid, wanted: Wanted) -> Counter[str]:
    """How many openings each sort of difference would show, were all else wanted as it is."""
    return Counter(sort for opening in chosen(laid, replace(wanted, sort="")) for sort in laid.accounts[opening.id])
