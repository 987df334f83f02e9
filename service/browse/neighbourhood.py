"""A small picture of what an entry refers to and what refers to it: an arc diagram, every name a link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import drawsvg
from markupsafe import Markup, escape

from corpus.model import Entry
from index.library.library import Library
from service.answers.citations import entry_url
from service.browse.drawing import SvgDescription, SvgLink, svg_markup

MOST_NEIGHBOURS = 11  # entries around the one in the middle; more would be a list again

_WIDTH = 272  # of the drawing, in its own units; the column it stands in is as wide in pixels
_MARGIN = 34  # left and right of the names, for the arcs
_ROW, _BOX = 34, 28  # height of a row and of the box in it: at least 24 pixels to aim at
_LETTERS = 27  # that fit into a box


@dataclass(frozen=True)
class Neighbourhood:
    """``entry`` with those that refer to it and those that it refers to; an entry that does both is among the latter.

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
    """Return at most `MOST_NEIGHBOURS` entries around ``entry``, half of them for each direction; None where it stands alone."""
    targets = dict.fromkeys(r.target for r in library.references_of.get(entry.id, ()) if r.target and r.target != entry.id)
    after = [library.entry[id] for id in targets if id in library.entry]
    before = [e for e in library.referring_to.get(entry.id, ()) if e not in after]
    if not after and not before:
        return None
    after = after[: max((MOST_NEIGHBOURS + 1) // 2, MOST_NEIGHBOURS - len(before))]
    before = before[: MOST_NEIGHBOURS - len(after)]
    ids = {each.id for each in (*before, entry, *after)}
    links = {(id, r.target) for id in ids for r in library.references_of.get(id, ()) if r.target in ids and r.target != id}
    return Neighbourhood(
        entry=entry,
        before=tuple(before),
        after=tuple(after),
        links=frozenset((source, target) for source, target in links if target),
    )


def as_svg(around: Neighbourhood, title: str, description: str) -> Markup:
    """Return the picture as SVG without a style of its own; ``title`` and ``description`` are read out in its place."""
    column = around.column
    rows = {entry.id: row for row, entry in enumerate(column)}
    drawing = drawsvg.Drawing(
        _WIDTH, len(column) * _ROW, class_="around", role="group", aria_labelledby="around-title", aria_describedby="around-is"
    )
    drawing.append(drawsvg.Title(title, id="around-title"))
    drawing.append(SvgDescription(description, id="around-is"))
    middle = rows[around.entry.id]
    # Faint ones first, so that they do not lie over those of the entry itself.
    for start, end in sorted(((rows[a], rows[b]) for a, b in around.links), key=lambda link: (middle in link, link)):
        drawing.append(_arc(start, end, middle in (start, end)))
    for entry in column:
        drawing.append(_box(entry, rows[entry.id], entry is around.entry))
    return svg_markup(drawing)


def _height(row: int) -> float:
    return row * _ROW + _ROW / 2


def _arc(start: int, end: int, near: bool) -> drawsvg.Group:
    """From row to row: on the left where it leads down, on the right where it leads up, with the tip of an arrow at its end."""
    left = start < end
    edge, way = (_MARGIN, -1) if left else (_WIDTH - _MARGIN, 1)
    out = edge + way * min(8 + 5 * abs(end - start), _MARGIN - 3)
    # Ends that meet in one row are set apart: what leaves stands below what arrives.
    from_, to = _height(start) + 6, _height(end) - 4
    arc = drawsvg.Group(class_="tie near" if near else "tie")
    arc.append(drawsvg.Path(d=f"M{edge},{from_:g} C{out},{from_:g} {out},{to:g} {edge + way * 5},{to:g}", class_="line"))
    arc.append(drawsvg.Path(d=f"M{edge},{to:g} l{way * 7},-4 v8 z", class_="tip"))
    return arc


def _box(entry: Entry, row: int, current: bool) -> drawsvg.DrawingElement:
    top = row * _ROW + (_ROW - _BOX) / 2
    box = drawsvg.Group(class_="node here") if current else SvgLink(href=escape(entry_url(entry)), class_="node")
    box.append_title(entry.title)
    box.append(drawsvg.Rectangle(_MARGIN, top, _WIDTH - 2 * _MARGIN, _BOX, rx=5))
    box.append(drawsvg.Text(_short(entry.title), None, x=_WIDTH / 2, y=top + _BOX / 2 + 4.5, text_anchor="middle"))
    return box


def _short(title: str) -> str:
    return title if len(title) <= _LETTERS else title[: _LETTERS - 1].rstrip() + "…"


def titles_in_line(entries: Sequence[Entry]) -> str:
    """Return titles in one line, for those who hear the picture."""
    return ", ".join(entry.title for entry in entries) or "–"
