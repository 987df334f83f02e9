"""What is new in an edition against the version before it, as a list and as badges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from corpus.model import Edition, Entry, Passage
from glossary.comparison.new_version import ChangeKind
from glossary.comparison.rewording import TextRun, diff_words
from index.library.library import Library
from service.answers.citations import line_range
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions.comparison_view import RowSide, short_edition_name
from service.editions.version_pairs import NoOlderVersion, edition_changes
from service.schemas.comparisons import ChangedPassageOut, ChangeOut, ChangesOut, MatchedOut


class NewsKind(StrEnum):
    """What a list of news says of an entry; the first that holds."""

    NEW = "new"
    REMOVED = "removed"
    REWORDED = "reworded"
    RENUMBERED = "renumbered"  # or renamed, divided, joined, moved
    REFERENCES = "references"  # refers to other entries than before


_RENUMBERED = frozenset({ChangeKind.RENUMBERED, ChangeKind.RENAMED, ChangeKind.SPLIT, ChangeKind.MERGED, ChangeKind.MOVED})


@dataclass(frozen=True)
class ChangedWords:
    """A passage before and now, each side with the words marked that only it has; a side without text has none."""

    left: RowSide
    right: RowSide


@dataclass(frozen=True)
class NewsItem:
    """What became of an entry: of ``left``, those of the version before, in ``right``; ``became`` is all that holds of it."""

    kind: NewsKind
    became: tuple[ChangeKind, ...]
    left: tuple[Entry, ...]
    right: tuple[Entry, ...]
    changes: ChangeOut

    @property
    def id(self) -> str:
        """The anchor on the page."""
        return (self.right or self.left)[0].id


@dataclass(frozen=True)
class EditionNews:
    """What is new in the edition ``right`` against ``left``, the version before it, in the order of print; what is gone comes last."""

    left: Edition
    right: Edition
    items: tuple[NewsItem, ...]

    @cached_property
    def counts(self) -> Mapping[NewsKind, int]:
        """How many items there are of each kind."""
        found = Counter(item.kind for item in self.items)
        return {kind: found[kind] for kind in NewsKind}

    @cached_property
    def by_entry(self) -> Mapping[str, NewsKind]:
        """By the id of an entry of ``right`` whether it is new, or that its words, number or name are others."""
        shown = (NewsKind.NEW, NewsKind.REWORDED, NewsKind.RENUMBERED)
        return {entry.id: item.kind for item in self.items if item.kind in shown for entry in item.right}


def edition_news(snapshot: Snapshot, edition: str, patience: float | None = None) -> EditionNews:
    """Return what is new in an ``edition``; cached. Raises as `service.editions.version_pairs.edition_changes`."""
    return snapshot.cache.get(("news", edition), lambda: build_news(snapshot.library, edition_changes(snapshot, edition, patience)), most=8)


def news_badges(snapshot: Snapshot, edition: str) -> Mapping[str, NewsKind]:
    """Return what is known by now of the news of an ``edition``, by the id of the entry."""
    try:
        return edition_news(snapshot, edition, patience=0.0).by_entry
    except (NoOlderVersion, Problem):  # not ready, or logged already; the page shows everything else
        return {}


def build_news(library: Library, changes: ChangesOut) -> EditionNews:
    """Return ``changes`` as a list of news; entries whose passages only stand in another order are left out."""
    items = []
    for change in changes.entries:
        if kind := _kind(change):
            left, right = (tuple(library.entry[each.entry] for each in side) for side in (change.left, change.right))
            items.append(NewsItem(kind, tuple(change.became), left, right, change))
    return EditionNews(library.edition[changes.left], library.edition[changes.right], tuple(items))


def _kind(change: ChangeOut) -> NewsKind | None:
    became = set(change.became)
    if ChangeKind.NEW in became:
        return NewsKind.NEW
    if ChangeKind.GONE in became:
        return NewsKind.REMOVED
    if ChangeKind.REWORDED in became:
        return NewsKind.REWORDED
    if became & _RENUMBERED:
        return NewsKind.RENUMBERED
    return NewsKind.REFERENCES if ChangeKind.REFERENCES in became else None


def changed_words(library: Library, news: EditionNews, item: NewsItem) -> list[ChangedWords]:
    """Return the passages of ``item`` that are other than before, side by side."""
    return list(_changed_words(library, news, item))


def _changed_words(library: Library, news: EditionNews, item: NewsItem) -> Iterator[ChangedWords]:
    for match in item.changes.passages:
        left, right = (_passages(library, side) for side in (match.left, match.right))
        runs = _runs(match, left, right, alone=bool(item.left and item.right))
        yield ChangedWords(_side(news.left, left, runs[0]), _side(news.right, right, runs[1]))


def _runs(
    match: MatchedOut, left: Sequence[Passage], right: Sequence[Passage], alone: bool
) -> tuple[tuple[TextRun, ...], tuple[TextRun, ...]]:
    """Return the texts of both sides with the words marked that only one has; a text ``alone`` in an entry of both is marked throughout."""
    texts = [" ".join(passage.display for passage in side) for side in (left, right)]
    if all(texts) and match.likeness < 1:
        return diff_words(texts[0], texts[1])
    before, now = ((TextRun(text, changed=alone and not all(texts)),) if text else () for text in texts)
    return before, now


def _passages(library: Library, side: Sequence[ChangedPassageOut]) -> list[Passage]:
    wanted = {each.passage for each in side}
    entries = dict.fromkeys(each.passage.rpartition("#")[0] for each in side)
    return [passage for entry in entries for passage in library.passages_of.get(entry, ()) if passage.id in wanted]


def _side(edition: Edition, passages: Sequence[Passage], text: tuple[TextRun, ...]) -> RowSide:
    return RowSide(
        edition=edition,
        label=short_edition_name(edition),
        first=passages[0] if passages else None,
        place=", ".join(line_range(edition.language, *passage.lines) for passage in passages),
        text=text,
    )
