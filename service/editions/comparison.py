"""Two editions of a library side by side, as JSON for programs and as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import Any

from corpus.errors import NotFound, WrongUse
from corpus.model import Entry, Passage
from corpus.titles import key
from glossary.comparison import Comparison, Difference, Pair, Row, Status, compare
from glossary.concepts import concepts
from glossary.matching.card_ties import tie_topics
from index.library.library import Book, Library
from service.core.contents import SnapshotContents

_WIDTH = 120  # characters of a line on a terminal
_SIGN = {Status.ONLY_LEFT: "<", Status.ONLY_RIGHT: ">", Status.CHANGED: "≠", Status.SAME: "="}


class NotComparable(WrongUse, ValueError):
    """Two editions that have nothing to be compared by; the message says why."""


def compared(library: Library, left: str, right: str) -> Comparison:
    """The editions ``left`` and ``right`` of ``library`` side by side.

    Raises `NotFound` for an edition that is not here, `NotComparable` for one edition twice or two games.
    """
    check_comparable(library, left, right)
    books: dict[str, Book] = {b.edition.id: b for b in library.books}
    one, other = books[left], books[right]
    return compare(one, other, library.concepts, library.references_of, concepts(one.edition.game), tie_topics((one, other)))


def check_comparable(library: Library, left: str, right: str) -> None:
    """Raises what `compared` raises, at once."""
    for name in (left, right):
        if name not in library.edition:
            raise NotFound(f"no edition {name!r} here; there are: {', '.join(library.edition)}")
    if left == right:
        raise NotComparable(f"{left} is the same as itself; name two editions")
    if library.edition[left].game != library.edition[right].game:
        raise NotComparable(f"{left} and {right} are rulebooks of different games")


def snapshot_comparison(snapshot: SnapshotContents, left: str, right: str) -> Comparison:
    """Compare two editions of a ``snapshot`` as `compared` does, once for all who need the result. Raises the same."""
    return snapshot.cache.get(("comparison", left, right), lambda: compared(snapshot.library, left, right), most=8)


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """A comparison for programs: a summary first, then entry by entry, passage by passage."""
    return {
        "left": comparison.left.id,
        "right": comparison.right.id,
        "summary": {status.value: count for status, count in comparison.counts.items()},
        "entries": [_pair_json(pair) for pair in comparison.pairs],
    }


def _pair_json(pair: Pair) -> dict[str, Any]:
    return {
        "concept": pair.concept,
        "status": pair.status.value,
        "renamed": pair.renamed,
        "left": [_entry_json(e) for e in pair.left],
        "right": [_entry_json(e) for e in pair.right],
        "references": {"left": list(pair.references[0]), "right": list(pair.references[1])},
        "rows": [_row_json(row) for row in pair.rows],
    }


def _entry_json(entry: Entry) -> dict[str, Any]:
    return {"entry": entry.id, "heading": entry.heading, "title": entry.title, "lines": list(entry.lines)}


def _row_json(row: Row) -> dict[str, Any]:
    return {
        "status": row.status.value,
        "moved": row.moved,
        "left": [_passage_json(p) for p in row.left],
        "right": [_passage_json(p) for p in row.right],
        "differences": [{"sort": d.sort.value, "left": list(d.left), "right": list(d.right)} for d in row.differences],
    }


def _passage_json(passage: Passage) -> dict[str, Any]:
    return {"passage": passage.id, "lines": list(passage.lines), "spans": [[a, b] for a, b in passage.spans], "display": passage.display}


def as_table(comparison: Comparison, heading: str | None = None) -> str:
    """A comparison for a terminal: the summary, then a line for every entry that differs, and one for each of its differences.

    With a ``heading`` only the entries headed so in either edition, whatever capitals, with the texts of both sides.
    Raises `NotFound` where there is none.
    """
    lines = [f"{comparison.left.id}  |  {comparison.right.id}"]
    if heading is not None:
        pairs = [
            pair for pair in comparison.pairs if any(key(heading) in (key(e.heading), key(e.title)) for e in (*pair.left, *pair.right))
        ]
        if not pairs:
            raise NotFound(f"no entry {heading!r} in {comparison.left.id} or {comparison.right.id}")
    else:
        lines += [f"  {_SIGN[status]} {status.value:11}{count:5}" for status, count in comparison.counts.items()]
        pairs = [pair for pair in comparison.pairs if pair.status is not Status.SAME]
    for pair in pairs:
        lines += ["", f"{_SIGN[pair.status]} {_titles(pair.left)}  |  {_titles(pair.right)}", *_changes(pair, texts=heading is not None)]
    return "\n".join(lines)


def _changes(pair: Pair, texts: bool) -> Iterator[str]:
    for side, names in zip(("left", "right"), pair.references, strict=True):
        if names:
            yield f"    references only {side}: {', '.join(name.rpartition('/')[2] for name in names)}"
    for row in pair.rows:
        if texts or (row.status is not Status.SAME and pair.left and pair.right):
            yield f"    {_SIGN[row.status]} {_places(row.left)}  |  {_places(row.right)}  {told(row)}".rstrip()
        if texts:
            for sign, text in zip("<>", row.texts, strict=True):
                yield from wrap(text, _WIDTH, initial_indent=f"        {sign} ", subsequent_indent="          ")


def told(row: Row) -> str:
    """In what the two sides of a row differ, in one line."""
    return "; ".join(filter(None, ["moved" if row.moved else "", *map(_told, row.differences)]))


def _told(difference: Difference) -> str:
    return f"{difference.sort.value}: {', '.join(difference.left) or '–'} | {', '.join(difference.right) or '–'}"


def _titles(entries: tuple[Entry, ...]) -> str:
    return ", ".join(f"{e.title} ({e.lines.first})" for e in entries) or "–"


def _places(passages: tuple[Passage, ...]) -> str:
    return ", ".join(str(p.lines.first) for p in passages) or "–"
