"""Draws a sequence of the game's time: steps one below the other, each a link to its rule, steps of a step set in below it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field

import drawsvg
from markupsafe import Markup, escape

from service.browse.drawing import SvgDescription, SvgLink, svg_markup
from service.browse.timing_view import ChartedSequence, ChartedStep

_WIDTH = 288  # of the drawing, in its own units: as wide as the narrowest screen has room for
_LOOP = 18  # left of the steps, for the line back to where it begins again
_INSET = 16  # of steps inside a step
_LINE, _PADDING, _GAP = 17, 11, 16  # height of a line of words, space around the words in a box, and between boxes
_LETTER = 7.3  # width of a letter on average, a bit more than it is
_CHOOSE = 44  # width of the button beside the words


@dataclass
class _StepBox:
    """A step at its place in the drawing."""

    step: ChartedStep
    left: float
    top: float
    lines: list[str]

    @property
    def height(self) -> float:
        """Height of its box."""
        return max(len(self.lines) * _LINE + 2 * _PADDING, float(_CHOOSE))

    @property
    def middle(self) -> float:
        """Where the middle of its box is."""
        return self.top + self.height / 2

    @property
    def bottom(self) -> float:
        """Where its box ends."""
        return self.top + self.height


@dataclass
class _StepLayout:
    """Rows from top to bottom, pairs of rows that follow one another, and those from which it goes back to another."""

    rows: list[_StepBox] = field(default_factory=list)
    following: list[tuple[_StepBox, _StepBox]] = field(default_factory=list)
    back: list[tuple[_StepBox, _StepBox]] = field(default_factory=list)
    height: float = 2

    def add(self, sequence: ChartedSequence, left: float) -> None:
        """Put the steps of ``sequence`` below what is there, set in by ``left``."""
        own: list[_StepBox] = []
        for step in sequence.steps:
            letters = int((_WIDTH - left - _CHOOSE - 2 * _PADDING) / _LETTER)
            row = _StepBox(step, left, self.height, textwrap.wrap(step.line, letters, break_on_hyphens=False))
            self.rows.append(row)
            self.height = row.bottom + _GAP
            if own:
                self.following.append((own[-1], row))
            own.append(row)
            for inner in step.inner:
                self.add(inner, left + _INSET + (_LOOP if inner.again else 0))
        if sequence.again:
            self.back.append((own[-1], own[sequence.steps.index(sequence.again)]))


def as_svg(sequence: ChartedSequence, title: str, description: str, choose: str) -> Markup:
    """Return ``sequence`` as SVG without a style of its own; ``title`` and ``description`` are read out in its place.

    ``choose`` names the button beside each step, which chooses it; ``%s`` in it stands for the words of the step.
    """
    layout = _StepLayout()
    layout.add(sequence, _LOOP if sequence.again else 1)
    name = sequence.anchor
    drawing = drawsvg.Drawing(
        _WIDTH,
        layout.height - _GAP + 2,
        class_="timing",
        role="group",
        aria_labelledby=f"{name}-title",
        aria_describedby=f"{name}-is",
    )
    drawing.append(drawsvg.Title(title, id=f"{name}-title"))
    drawing.append(SvgDescription(description, id=f"{name}-is"))
    for above, below in layout.following:
        drawing.append(_down(above, below))
    for last, first in layout.back:
        drawing.append(_back(last, first))
    for row in layout.rows:
        drawing.append(_words(row))
        drawing.append(_button(row, choose))
    return svg_markup(drawing)


def _down(above: _StepBox, below: _StepBox) -> drawsvg.Group:
    """The way from a step to the next one, along what is set in between them."""
    at = below.left + 8
    way = drawsvg.Group(class_="way")
    way.append(drawsvg.Path(d=f"M{at},{above.bottom:g} V{below.top - 5:g}", class_="line"))
    way.append(drawsvg.Path(d=f"M{at},{below.top:g} l-5,-8 h10 z", class_="tip"))
    return way


def _back(last: _StepBox, first: _StepBox) -> drawsvg.Group:
    """The way from the last step back to the one that follows it, on the left."""
    edge, out = first.left, first.left - _LOOP + 4
    way = drawsvg.Group(class_="way back")
    up, along = f"V{first.middle + 6:g} Q{out},{first.middle:g} {out + 6},{first.middle:g}", f"{out},{last.middle:g}"
    line = f"M{edge},{last.middle:g} H{out + 6} Q{along} {out},{last.middle - 6:g} {up} H{edge - 5}"
    way.append(drawsvg.Path(d=line, class_="line"))
    way.append(drawsvg.Path(d=f"M{edge},{first.middle:g} l-8,-5 v10 z", class_="tip"))
    return way


def _words(row: _StepBox) -> drawsvg.DrawingElement:
    """The words of a step in their box, a link to the rule."""
    box = SvgLink(href=escape(row.step.url), id=row.step.anchor, class_="step here" if row.step.here else "step")
    box.append(drawsvg.Rectangle(row.left, row.top, _WIDTH - row.left - _CHOOSE, row.height, rx=5))
    start = row.middle - len(row.lines) * _LINE / 2 + 12.5
    for number, line in enumerate(row.lines):
        box.append(drawsvg.Text(line, None, x=row.left + _PADDING, y=start + number * _LINE))
    return box


def _button(row: _StepBox, choose: str) -> drawsvg.DrawingElement:
    """The button beside a step: a flag that says that one is there."""
    left = _WIDTH - _CHOOSE
    chosen = {"aria_current": "step"} if row.step.here else {}
    button = SvgLink(href=escape(row.step.choose), class_="choose here" if row.step.here else "choose", **chosen)
    button.append_title(choose.replace("%s", row.step.short))
    button.append(drawsvg.Rectangle(left, row.top, _CHOOSE - 1, row.height, rx=5))
    button.append(drawsvg.Path(d=f"M{left + 16},{row.middle + 10:g} v-20 h13 l-4,5 l4,5 h-13", class_="flag"))
    return button
