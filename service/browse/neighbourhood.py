"""A small picture of what an entry refers to and what refers to it: an arc diagram, every name a
link.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from corpus.model import Entry
from index.library.library import Library
from service.answers.citations import entry_url

MOST_NEIGHBOURS = 11  # entries around the one in the middle; more would be a list again

_WIDTH = 272  # of the drawing, in its own units; the column it stands in is as wide in pixels
_MARGIN = 34  # left and right of the names, for the arcs
_ROW, _BOX = 34, 28  # height of a row and of the box in it: at least 24 pixels to aim at
_LETTERS = 27  # that fit into a box


class Neighbourhood(NamedTuple):
    """``entry`` with those that refer to it and those that it refers to, or both, ``after`` it.

    ``links`` are pairs of entry ids: from, to.
    """

    entry: Entry
    before: tuple[Entry, ...]
    after: tuple[Entry, ...]
    links: frozenset[tuple[str, str]]

    @property
    def column(self) -> tuple[Entry, ...]:
        """All entries as the picture shows them, one above the other."""
        return (*self.before, self.entry, *self.after)


def neighbourhood(library: Library, entry: Entry) -> Neighbourhood | None:
    """Return at most `MOST_NEIGHBOURS` entries around ``entry``, half of them for each direction;
    None where it stands alone.
    """
    targets = dict.fromkeys(
        r.target
        for r in library.references_of.get(entry.id, ())
        if r.target and r.target != entry.id
    )
    after = [library.entry[id] for id in targets if id in library.entry]
    before = [e for e in library.referring_to.get(entry.id, ()) if e not in after]
    if not after and not before:
        return None
    after = after[: max((MOST_NEIGHBOURS + 1) // 2, MOST_NEIGHBOURS - len(before))]
    before = before[: MOST_NEIGHBOURS - len(after)]
    ids = {each.id for each in (*before, entry, *after)}
    links = {
        (id, reference.target)
        for id in ids
        for reference in library.references_of.get(id, ())
        if reference.target in ids and reference.target and reference.target != id
    }
    return Neighbourhood(entry, tuple(before), tuple(after), frozenset(links))


def as_svg(around: Neighbourhood, title: str, description: str) -> Markup:
    """Return the picture as SVG without a style of its own; ``title`` and ``description`` are read
    out in its place.
    """
    column = around.column
    rows = {entry.id: row for row, entry in enumerate(column)}
    middle = rows[around.entry.id]
    # Faint ones first, so that they do not lie over those of the entry itself.
    links = sorted(
        ((rows[a], rows[b]) for a, b in around.links), key=lambda link: (middle in link, link)
    )
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        ' viewBox="0 0 {width} {height}" class="around"'
        ' role="group" aria-labelledby="around-title" aria-describedby="around-is">'
        '<title id="around-title">{title}</title>'
        '<desc id="around-is">{description}</desc>{arcs}{boxes}</svg>'
    ).format(
        width=_WIDTH,
        height=len(column) * _ROW,
        title=title,
        description=description,
        arcs=Markup().join(_arc(start, end, middle in (start, end)) for start, end in links),
        boxes=Markup().join(_box(entry, rows[entry.id], entry is around.entry) for entry in column),
    )


def _height(row: int) -> float:
    return row * _ROW + _ROW / 2


def _arc(start: int, end: int, near: bool) -> Markup:
    """From row to row: on the left where it leads down, on the right where it leads up, with the
    tip of an arrow at its end.
    """
    left = start < end
    edge, way = (_MARGIN, -1) if left else (_WIDTH - _MARGIN, 1)
    out = edge + way * min(8 + 5 * abs(end - start), _MARGIN - 3)
    # Ends that meet in one row are set apart: what leaves stands below what arrives.
    from_, to = _height(start) + 6, _height(end) - 4
    return Markup('<g class="{}"><path d="{}" class="line"/><path d="{}" class="tip"/></g>').format(
        "tie near" if near else "tie",
        f"M{edge},{from_:g} C{out},{from_:g} {out},{to:g} {edge + way * 5},{to:g}",
        f"M{edge},{to:g} l{way * 7},-4 v8 z",
    )


def _box(entry: Entry, row: int, current: bool) -> Markup:
    top = row * _ROW + (_ROW - _BOX) / 2
    inside = Markup(
        '<title>{}</title><rect x="{}" y="{:g}" width="{}" height="{}" rx="5"/>'
        '<text x="{:g}" y="{:g}" text-anchor="middle">{}</text>'
    ).format(
        entry.title,
        _MARGIN,
        top,
        _WIDTH - 2 * _MARGIN,
        _BOX,
        _WIDTH / 2,
        top + _BOX / 2 + 4.5,
        entry.title if len(entry.title) <= _LETTERS else entry.title[: _LETTERS - 1].rstrip() + "…",
    )
    if current:
        return Markup('<g class="node here">{}</g>').format(inside)
    return Markup('<a href="{}" class="node">{}</a>').format(entry_url(entry), inside)


def titles_in_line(entries: Sequence[Entry]) -> str:
    """Return titles in one line, for those who hear the picture."""
    return ", ".join(entry.title for entry in entries) or "–"
