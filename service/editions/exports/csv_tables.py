"""Tables as CSV, in which no text can become a formula of a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

XLSX_MIMETYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CSV_MIMETYPE = "text/csv; charset=utf-8"

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_UNPRINTABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def strip_unprintable(text: str) -> str:
    """Return ``text`` without the control characters that XML and spreadsheets cannot hold."""
    return _UNPRINTABLE.sub("", text)


def csv_file(table: Iterable[Sequence[str]]) -> bytes:
    """Return a table as CSV in UTF-8, with a byte order mark by which spreadsheets recognise UTF-8."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    for row in table:
        cells = map(strip_unprintable, row)
        # An apostrophe before it keeps a spreadsheet from running a heading as a formula.
        writer.writerow([f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in cells])
    return text.getvalue().encode("utf-8-sig")
