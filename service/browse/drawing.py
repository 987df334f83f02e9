"""Parts of drawings (SVG) that readers follow and hear."""

from __future__ import annotations

import drawsvg
from markupsafe import Markup


class SvgLink(drawsvg.DrawingParentElement):  # type: ignore[misc]
    """A link around what is drawn."""

    TAG_NAME = "a"


class SvgDescription(drawsvg.Title):  # type: ignore[misc]
    """What a drawing shows, for those who do not see it."""

    TAG_NAME = "desc"


def svg_markup(drawing: drawsvg.Drawing) -> Markup:
    """Return ``drawing`` as it stands within a page."""
    return Markup(drawing.as_svg(header="").replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', ""))
