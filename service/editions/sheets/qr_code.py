"""The QR code of a permanent link."""

from __future__ import annotations

import segno

from service.editions.sheets.sheet_links import SheetLink

MOST_BYTES = 700  # of an address: a code of more has modules too small for a telephone on 30 mm of paper
_QUIET = 4  # modules of white around the code, as ISO/IEC 18004 wants


def scanned_address(base: str, link: SheetLink) -> str:
    """Return the address that the code of ``link`` has: that of its passages alone where the question makes it too long to be read."""
    whole = address_of(base, link)
    return whole if len(whole) <= MOST_BYTES else address_of(base, link.without_question)


def address_of(base: str, link: SheetLink) -> str:
    """Return the whole address of ``link`` on the service at ``base``."""
    return f"{base.rstrip('/')}{link.address()}"


def qr_svg(address: str) -> str:
    """Return the QR code of ``address`` as an SVG element that takes the size of what is around it, black on white."""
    return segno.make(address, error="l", micro=False).svg_inline(
        omitsize=True, border=_QUIET, light="#ffffff", svgclass="qr", lineclass=None
    )
