"""A small picture of what an entry refers to and what refers to it: an arc diagram, every name a link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import drawsvg
from markupsafe import Markup, escape

from corpus.model import Entry
from index.library.library import Library
from service.answers.citations import entry_url

MOST = 11  # entries around the one in the middle; more would be a list again

_WIDTH = 272  # of the drawing, in its own units; the column it stands in is as wide in pixels
_MARGIN = 34  # left and right of the names, for the arcs
_ROW, _BOX = 34, 28  # height of a row and of the box in it: at least 24 pixels to aim at
_LETTERS = 27  # that fit into a box


@dataclass(frozen=True)
class Neighbourhood:
    """``entry`` with those that refer to it and those that it refers to; who does both is among the latter."""

    entry: Entry
    before: tuple[Entry, ...]
    after: tuple[Entry, ...]
    links: frozenset[tuple[str, str]]  # entry ids: from, to

    @property
    def column(self) -> tuple[Entry, ...]:
        """All of them as the picture has them, one above the other."""
        return (*self.before, self.entry, *self.after)


def neighbourhood(library: Library, entry: Entry) -> Neighbourhood | None:
    """The nearest entries around ``entry``, at most `MOST`, half of them for each direction; None where it stands alone."""
    named = list(dict.fromkeys(r.target for r in library.references_of.get(entry.id, ()) if r.target and r.target != entry.id))
    after = [library.entry[name] for name in named if name in library.entry]
    before = [e for e in library.referring_to.get(entry.id, ()) if e not in after]
    if not after and not before:
        return None
    below = max((MOST + 1) // 2, MOST - len(before))
    after = after[:below]
    before = before[: MOST - len(after)]
    inside = {e.id for e in (*before, entry, *after)}
    ties = {(name, r.target) for name in inside for r in library.references_of.get(name, ()) if r.target in inside and r.target != name}
    return Neighbourhood(entry, tuple(before), tuple(after), frozenset((a, b) for a, b in ties if b))


def as_svg(around: Neighbourhood, title: str, description: str) -> Markup:
    """The picture as SVG without style of its own; ``title`` and ``description`` are read out in its place."""
    column = around.column
    places = {entry.id: row for row, entry in enumerate(column)}
    drawing = drawsvg.Drawing(
        _WIDTH, len(column) * _ROW, class_="around", role="group", aria_labelledby="around-title", aria_describedby="around-is"
    )
    drawing.append(drawsvg.Title(title, id="around-title"))
    drawing.append(_Description(description, id="around-is"))
    middle = places[around.entry.id]
    # Faint ones first, so that they do not lie over those of the entry itself.
    for start, end in sorted(((places[a], places[b]) for a, b in around.links), key=lambda tie: middle in tie):
        drawing.append(_arc(start, end, middle in (start, end)))
    for entry in column:
        drawing.append(_box(entry, places[entry.id], entry is around.entry))
    return Markup(drawing.as_svg(header="").replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', ""))


class _Link(drawsvg.DrawingParentElement):  # type: ignore[misc]
    TAG_NAME = "a"


class _Description(drawsvg.Title):  # type: ignore[misc]
    TAG_NAME = "desc"


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


def _box(entry: Entry, row: int, here: bool) -> drawsvg.DrawingElement:
    top = row * _ROW + (_ROW - _BOX) / 2
    box = drawsvg.Group(class_="node here") if here else _Link(href=escape(entry_url(entry)), class_="node")
    box.append_title(entry.title)
    box.append(drawsvg.Rectangle(_MARGIN, top, _WIDTH - 2 * _MARGIN, _BOX, rx=5))
    box.append(drawsvg.Text(_short(entry.title), None, x=_WIDTH / 2, y=top + _BOX / 2 + 4.5, text_anchor="middle"))
    return box


def _short(title: str) -> str:
    return title if len(title) <= _LETTERS else title[: _LETTERS - 1].rstrip() + "…"


def titles_in_line(entries: Sequence[Entry]) -> str:
    """Titles in one line, for those who hear the picture."""
    return ", ".join(entry.title for entry in entries) or "–"
