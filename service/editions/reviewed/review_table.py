"""The table that reviewers fill in, in a workbook: the names of its columns and the content of its lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from corpus.model import Edition
from glossary.comparison.reviews import ReviewState
from service.editions.reviewed.units import ReviewUnit

ID, ENTRY, LEFT, RIGHT, STATE, NOTE, REVIEWER, FINDINGS = COLUMNS = (
    *("id", "entry", "left", "right", "state", "note", "reviewer", "findings"),
)
SHEET = "Review"  # of a workbook
TO_FILL_IN = (STATE, NOTE, REVIEWER)
STATES = tuple(state.value for state in ReviewState)
WIDTHS = {ID: 23, ENTRY: 24, LEFT: 60, RIGHT: 60, STATE: 13, NOTE: 30, REVIEWER: 16, FINDINGS: 36}  # characters
EXPLANATION = (
    "Each line has passages that face each other. What is quoted comes from the rulebooks and is never changed by this file.",
    f"Fill in: state ({', '.join(STATES)}), note and reviewer. With the state 'reviewed' or 'final', a line counts as reviewed.",
    "Leave ids and quotations as they are: by them 'regula review import FILE', or the page of the comparison, reads the file back.",
)


def review_headings(left: Edition, right: Edition) -> list[str]:
    """Return the headings of the table; those of the quotations name the editions."""
    return [f"{column}: {edition.id}" if (edition := {LEFT: left, RIGHT: right}.get(column)) else column for column in COLUMNS]


def review_lines(units: Iterable[ReviewUnit]) -> Iterator[list[str]]:
    """Yield a line for each unit: a text for each of `COLUMNS`."""
    for unit in units:
        left, right = unit.row.texts
        state, reviewer, note = unit.fields
        yield [
            f"{unit.row.id}.{unit.fields.stamp}",
            "\n".join(filter(None, (*dict.fromkeys(unit.entries), " | ".join(filter(None, unit.lines))))),
            *(left, right, state.value, note, reviewer),
            "\n".join(finding.text for finding in unit.findings),
        ]
