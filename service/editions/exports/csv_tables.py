"""Tables as CSV that a spreadsheet opens without harm: every text stays text, whatever it begins with."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CSV = "text/csv; charset=utf-8"

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_UNPRINTABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def printable(text: str) -> str:
    """``text`` without the control characters that neither XML nor a spreadsheet can hold."""
    return _UNPRINTABLE.sub("", text)


def csv_file(table: Iterable[Sequence[str]]) -> bytes:
    """A table as CSV in UTF-8 with a byte order mark: without it a spreadsheet takes ä for two letters of the local code page."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    for row in table:
        cells = map(printable, row)
        # A heading of a rulebook must not become a formula of whoever opens the file.
        writer.writerow([f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in cells])
    return text.getvalue().encode("utf-8-sig")
