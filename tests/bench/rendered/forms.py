"""The forms in which a rulebook is printed."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class PrintForm:
    """How a rulebook is printed. ``size`` is that of the text in points.

    ``enlarged`` says by how many points a heading of the lowest level is larger than the text; 0 for one that is only bold. ``signs``
    keeps the signs of Markdown. ``bullet`` stands for plain bullets. ``leaders`` puts dots and page numbers behind lines of the contents.
    ``heads`` are running heads: "title", "chapter" (title on even pages, chapter on odd ones) or "". ``footer`` is a pattern with the
    fields ``page`` and ``pages``. ``spaced`` puts empty space where the text has an empty line, otherwise first lines are indented.
    ``web`` says that a browser prints it, from HTML, else reportlab.
    """

    name: str
    columns: int = 1
    size: float = 10.0
    justified: bool = False
    hyphens: bool = True
    enlarged: float = 2.0
    signs: bool = False
    bullet: str = "•"
    leaders: bool = False
    heads: str = "title"
    footer: str = "{page}"
    spaced: bool = True
    web: bool = False


_PLAIN = PrintForm("one")
_BUSY = PrintForm("two-busy", 2, 9.0, True, bullet="–", leaders=True, heads="chapter", footer="Seite {page} von {pages}")
FORMS = (
    _PLAIN,
    replace(_PLAIN, name="one-signs", signs=True, heads="", footer="– {page} –"),
    replace(_PLAIN, name="one-bold", size=11.0, justified=True, enlarged=0.0, heads="chapter", leaders=True),
    replace(_PLAIN, name="one-dense", size=9.0, enlarged=0.0, spaced=False, hyphens=False, footer="{page}/{pages}"),
    replace(_PLAIN, name="two", columns=2, size=9.0),
    replace(_PLAIN, name="two-signs", columns=2, size=9.0, justified=True, signs=True, heads="chapter"),
    replace(_PLAIN, name="two-bold", columns=2, size=9.5, enlarged=0.0, bullet="–"),
    _BUSY,
    replace(_BUSY, name="two-dense", size=10.0, spaced=False, leaders=False),
    replace(_PLAIN, name="web-one", web=True),
    replace(_PLAIN, name="web-two", web=True, columns=2, size=9.0, justified=True, heads="chapter"),
)
"""Every form that is measured."""


def chosen(names: str) -> list[PrintForm]:
    """The forms with ``names``, divided by commas; all for "". Raises `KeyError` for a name that none has."""
    by_name = {form.name: form for form in FORMS}
    return [by_name[name] for name in names.split(",")] if names else list(FORMS)
