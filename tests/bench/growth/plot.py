"""Curves over the number of passages as SVG, legible on light and on dark pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 400, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 34, 62
_DASHES = ("none", "7 4", "2 3")
_STYLE = """
svg { color-scheme: light dark; font: 12px system-ui, sans-serif }
text { fill: #1f2933 } .rule { stroke: #c5ccd3 } .curve { fill: none; stroke-width: 2 }
.c0 { stroke: #0b5cad } .c1 { stroke: #b3400e } .c2 { stroke: #1f7a3d }
@media (prefers-color-scheme: dark) {
  text { fill: #e4e8ec } .rule { stroke: #4a545e } .c0 { stroke: #74b4f5 } .c1 { stroke: #f5a26f } .c2 { stroke: #7fd39b }
}
"""

Curves = Mapping[str, Sequence[float]]


def chart(title: str, passages: Sequence[int], curves: Curves, logarithmic: bool = True) -> str:
    """At most three ``curves`` of as many points as ``passages`` has, with a legend; shares from 0 to 1 where not ``logarithmic``."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>",
        _text(title, 10, 20, 'font-size="14" font-weight="bold"'),
    ]
    values = [value for curve in curves.values() for value in curve]
    low, high = (_decades(values)) if logarithmic else (0.0, 1.0)
    first, last = _decades(passages)

    def across(number: float) -> float:
        return _LEFT + (math.log10(number) - first) / (last - first) * (WIDTH - _LEFT - _RIGHT)

    def up(value: float) -> float:
        share = ((math.log10(value) if logarithmic else value) - low) / (high - low)
        return HEIGHT - _BOTTOM - share * (HEIGHT - _TOP - _BOTTOM)

    marks = [10.0**n for n in range(int(low), int(high) + 1)] if logarithmic else [0.0, 0.25, 0.5, 0.75, 1.0]
    for mark in marks:
        parts.append(_line([(_LEFT, up(mark)), (WIDTH - _RIGHT, up(mark))], "rule"))
        parts.append(_text(f"{mark:g}", _LEFT - 6, up(mark) + 4, 'text-anchor="end"'))
    for decade in range(int(first), int(last) + 1):
        parts.append(_line([(across(10**decade), _TOP), (across(10**decade), HEIGHT - _BOTTOM)], "rule"))
        parts.append(_text(f"{10**decade:,}", across(10**decade), HEIGHT - _BOTTOM + 16, 'text-anchor="middle"'))
    parts.append(_text("passages", WIDTH - _RIGHT, HEIGHT - _BOTTOM + 32, 'text-anchor="end"'))
    room = (WIDTH - 20) / max(len(curves), 1)
    for number, (name, curve) in enumerate(curves.items()):
        points = [(across(count), up(value)) for count, value in zip(passages, curve, strict=True)]
        parts.append(_line(points, f"curve c{number}", _DASHES[number]))
        parts.append(_line([(10 + number * room, HEIGHT - 16), (34 + number * room, HEIGHT - 16)], f"curve c{number}", _DASHES[number]))
        parts.append(_text(name, 40 + number * room, HEIGHT - 12))
    return "\n".join([*parts, "</svg>"])


def _text(words: str, x: float, y: float, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" {more}>{escape(words)}</text>'


def _line(points: Sequence[tuple[float, float]], class_: str, dashes: str = "none") -> str:
    places = " ".join(f"{x:g},{y:g}" for x, y in points)
    return f'<polyline points="{places}" class="{class_}" stroke-dasharray="{dashes}"/>'


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """The powers of ten around ``values``, as exponents."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)
