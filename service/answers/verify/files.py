"""Check the quotations and citations in files: in texts, and in the comments of source code."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, NamedTuple

from service.answers.verify.verification import verification_out
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.schemas.grounding import (
    AlterationKind,
    CitationReportOut,
    CitationStatus,
    QuotationReportOut,
    QuotationStatus,
    VerificationOut,
)

_STRINGS = r"\"(?:\\.|[^\"\\\n])*+\"|'(?:\\.|[^'\\\n])*+'"
_SLASHES = re.compile(
    rf"{_STRINGS}|`(?:\\.|[^`\\])*+`|(?P<comment>//[^\n]*+|(?s:/\*.*?(?:\*/|\Z)))"
)
_HASHES = re.compile(rf"{_STRINGS}|(?P<comment>#[^\n]*+)")
_PYTHON = re.compile(
    r"(?P<comment>#[^\n]*+|(?s:\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)))" + rf"|{_STRINGS}"
)
_DASHES = re.compile(rf"{_STRINGS}|(?P<comment>--(?:\[\[(?s:.*?)(?:\]\]|\Z)|[^\n]*+))")
_COMMENTS = {
    ending: pattern
    for endings, pattern in (
        (("c", "cc", "cpp", "cs", "dart", "go", "h", "hpp", "java", "js", "jsx", "kt"), _SLASHES),
        (("mjs", "php", "rs", "scala", "swift", "ts", "tsx"), _SLASHES),
        (("gd", "jl", "pl", "r", "rb", "sh", "toml", "yaml", "yml"), _HASHES),
        (("py", "pyi"), _PYTHON),
        (("hs", "lua", "sql"), _DASHES),
    )
    for ending in endings
}
# Signs that open and close a comment or begin its lines
_LEADERS = re.compile(
    r"\A(?://+!?|/\*+|#+!?|--(?:\[\[)?|\"{3}|'{3})|\*+/\Z|(?m:^[ \t]*+\*+)|\"{3}\Z|'{3}\Z|\]\]\Z"
)
_CHANGES = {
    AlterationKind.REPLACED: "“{given}” instead of “{printed}”",
    AlterationKind.INSERTED: "“{given}” is not printed",
    AlterationKind.LEFT_OUT: "“{printed}” is left out",
    AlterationKind.JOINED: "words of different places are joined",
}
_WRONG = {
    CitationStatus.UNKNOWN: "does not exist",
    CitationStatus.UNRELATED: "says something else than what stands beside it",
    CitationStatus.DIFFERENT_NUMBER: "has other numbers than what stands beside it",
}
_PART = 8000  # characters that are verified together, up to the end of a paragraph
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_SHOWN = 80  # most characters of a quotation in a finding


class Finding(NamedTuple):
    """A wrong quotation, citation or marker at a ``line`` and ``column`` of a file, both from 1.

    ``problem`` is the kind of error ("altered"), ``message`` its description, ``nearest`` has the
    labels of the nearest passages.
    """

    line: int
    column: int
    problem: str
    text: str
    message: str
    nearest: tuple[str, ...] = ()

    def as_json(self, file: str) -> dict[str, Any]:
        """Return the finding in ``file`` as a JSON object."""
        return {"file": file, **self._asdict()}


def findings(
    snapshot: Snapshot, name: str, text: str, game: str | None, edition: str | None
) -> Iterator[Finding]:
    """Yield the findings in ``text``, the content of the file ``name``. In source code only
    comments are checked, and a quotation that is printed nowhere counts only beside a citation.

    Raises `Problem` as `verification_out` does.
    """
    comments = _COMMENTS.get(PurePath(name).suffix.lstrip(".").lower())
    readable = _comments(comments, text) if comments else text
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    for start, end in _parts(readable):
        for place, found in _part_findings(
            snapshot, readable[start:end], game, edition, comments is not None
        ):
            at = start + place
            line = bisect_right(lines, at)
            yield found._replace(line=line, column=at - lines[line - 1] + 1)


def _comments(pattern: re.Pattern[str], text: str) -> str:
    """Return ``text`` with everything blanked except the words of comments."""
    found = list(re.sub(r"[^\n]", " ", text))
    for match in pattern.finditer(text):
        if comment := match["comment"]:
            words = _LEADERS.sub(lambda leader: " " * len(leader.group()), comment)
            found[match.start() : match.end()] = words
    return "".join(found)


def _parts(text: str) -> Iterator[tuple[int, int]]:
    start, last = 0, 0
    for end in (*(match.end() for match in _PARAGRAPH.finditer(text)), len(text)):
        if end - start > _PART and last > start:
            yield start, last
            start = last
        last = end
    if text[start:].strip():
        yield start, len(text)


def _part_findings(
    snapshot: Snapshot, text: str, game: str | None, edition: str | None, program: bool
) -> Iterator[tuple[int, Finding]]:
    if not text.strip():
        return
    try:
        body = verification_out(snapshot, text, game, edition)
    except Problem as problem:
        middle = text.rfind("\n", 0, len(text) // 2) + 1
        if problem.field != "text" or not middle:
            raise
        yield from _part_findings(snapshot, text[:middle], game, edition, program)
        for place, found in _part_findings(snapshot, text[middle:], game, edition, program):
            yield middle + place, found
        return
    wrong: list[tuple[int, Finding | None]] = [
        *((each.span[0], _quotation(each)) for each in body.quotations),
        *((each.span[0], _citation(each)) for each in body.citations),
        *(
            (each.span[0], _finding("unknown", each.marker, "names no passage"))
            for each in body.markers
            if not each.known
        ),
    ]
    for place, finding in sorted(wrong, key=lambda each: each[0]):
        if finding is None:
            continue
        if not program or finding.problem != "unsupported" or _is_cited(body, text, place):
            yield place, finding


def _is_cited(body: VerificationOut, text: str, place: int) -> bool:
    """Return whether the paragraph of ``text`` around ``place`` has a citation or marker."""
    ends = [0, *(match.end() for match in _PARAGRAPH.finditer(text)), len(text) + 1]
    paragraph = bisect_right(ends, place)
    cited = [each.span[0] for each in body.citations] + [each.span[0] for each in body.markers]
    return any(bisect_right(ends, each) == paragraph for each in cited)


def _finding(problem: str, text: str, message: str, nearest: tuple[str, ...] = ()) -> Finding:
    near = f"; nearest: {'; '.join(nearest)}" if nearest else ""
    return Finding(0, 0, problem, text, f"{message}{near}", nearest)


def _quotation(report: QuotationReportOut) -> Finding | None:
    if report.short and not report.marker:
        return None
    where = report.citation.label if report.citation else ""
    words = " ".join(report.text.split())
    text = words if len(words) <= _SHOWN else f"{words[: _SHOWN - 1]}…"
    if report.status is QuotationStatus.UNSUPPORTED:
        return _finding("unsupported", text, "is printed nowhere")
    if report.status is QuotationStatus.ALTERED:
        changes = "; ".join(
            _CHANGES[each.change].format(given=each.given, printed=each.printed)
            for each in report.differences
        )
        return _finding("altered", text, f"{changes} ({where})")
    if report.marker_ok is False:
        return _finding("misattributed", text, f"is not in [{report.marker}], but in {where}")
    return None


def _citation(report: CitationReportOut) -> Finding | None:
    if report.status is CitationStatus.FOUND:
        return None
    nearest = tuple(each.label for each in report.nearest)
    return _finding(report.status.value, report.text, _WRONG[report.status], nearest)
