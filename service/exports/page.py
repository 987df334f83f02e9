"""A comparison as one HTML file for reading and printing: no scripts, nothing loaded from elsewhere."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from glossary.comparison import Comparison, Status
from service.answer import edition_name, lines_name
from service.exports.tables import printable
from service.spread import spread
from service.wording import N_, gettext, language


def as_html(comparison: Comparison) -> bytes:
    """The whole comparison on one page, in the language of the pages where a browser asks for it, else in English."""
    page = _templates().get_template("comparison.html").render(spread=spread(comparison))
    return printable(page).encode()


@cache
def _templates() -> Environment:
    made = Environment(loader=PackageLoader("service"), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    static = files("service") / "static"
    style = "\n".join((static / name).read_text(encoding="utf-8") for name in ("regula.css", "spread.css"))
    made.globals.update(
        _=gettext, N_=N_, language=language, edition_name=edition_name, lines_name=lines_name, Status=Status, style=Markup(style)
    )
    return made
