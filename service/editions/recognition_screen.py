"""The screen of `regula add` before it adds a rulebook: what was recognised, the place where it is
printed, and what the owner should check.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePath

from corpus import imprint
from corpus.blocks import printed_number
from corpus.document import Document
from corpus.formats import recognise_file, recognise_text
from corpus.formats.lines import front_title
from corpus.languages import LANGUAGES, any_of, detect, language_name
from corpus.model import MARKUP, Edition, Entry, Role, Rulebook, Span
from corpus.title_page import title_of
from glossary.check.structure import missing_numbers, numbered_entries
from glossary.model import Reference, ReferenceProblem
from service.editions.recognised_rulebook import RecognisedRulebook

LINES, WIDTH = 20, 80  # of the summary; four more lines of the screen are for what follows

_LABEL = 12  # columns before a value
_SHORT = 40  # characters of a quotation
_FEWEST = 3  # entries of a rulebook
_GAPS = 3  # missing or repeated numbers that are named
_UNSURE = 0.6  # score below which an outline is doubtful
_TAG = re.compile(r"<[^<>]{0,100}>")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_ARTICLE = re.compile(rf"(?i:§|{any_of('labels.articles')})\s?\d{{1,4}}\w{{0,9}}")


def summary(found: RecognisedRulebook, file: str, raw: bytes) -> Iterator[str]:
    """Yield at most `LINES` lines of `WIDTH` columns: what was recognised, doubts, and in the
    remaining lines the outline.
    """
    rulebook, document = found.rulebook, found.rulebook.document
    pages = f", {len(document.pages.sizes)} pages" if document.pages else ""
    format = recognise_file(raw) if document.extracted is not None else None
    name = (format or recognise_text(document.text)).name
    lines = [_cut(f"{PurePath(file).name}: {name}, {len(raw):,} bytes{pages}")]
    for label, value in _rows(found).items():
        lines.append(_cut(f"  {label:{_LABEL - 2}}{value}"))
    doubtful = [
        line for doubt in doubts(found) for line in textwrap.wrap(_plain(doubt), WIDTH - 6) or [""]
    ]
    yield from lines
    room = LINES - len(lines) - 1
    if not doubtful:
        yield "  nothing doubtful was found"
    else:
        yield "  please check"
        shown = doubtful if len(doubtful) <= room else doubtful[: room - 1]
        yield from (f"    {line}" for line in shown)
        if len(shown) < len(doubtful):
            yield f"    … more: regula check --edition {rulebook.edition.id}"
        room -= len(doubtful)
    if room > 1:
        yield from (f"  {line}" for line in _outline(rulebook, room))


def _lost(found: RecognisedRulebook) -> list[Reference]:
    """Return the references without a target, except those to another book."""
    return [
        reference
        for reference in found.references
        if reference.target is None and reference.problem is not ReferenceProblem.OUTSIDE
    ]


def _rows(found: RecognisedRulebook) -> dict[str, str]:
    rulebook, edition = found.rulebook, found.rulebook.edition
    document = rulebook.document
    sure = "described" if edition.known else f"{100 * edition.reading_score:.0f} % sure"
    headers = sum(each.role is Role.HEADER for each in rulebook.passages)
    tables = f", {headers} tables" if headers else ""
    lost = len(_lost(found))
    references = f"{len(found.references)} references" + (f" ({lost} find nothing)" if lost else "")
    counts = f"{len(rulebook.entries)} entries, {len(rulebook.passages)} passages"
    newer = f", a newer version of {edition.succeeds}" if edition.succeeds else ""
    if edition.succeeds == edition.id:
        newer = ", in other words than before"
    date = imprint.effective(document, edition.language)
    return {
        "title": f"{edition.title}{_title_place(document, edition)}",
        "edition": f"{edition.id}{newer}",
        "game": edition.game,
        "language": f"{language_name(edition.language)} ({edition.language})",
        "version": _printed(document, edition.version, imprint.version(document))
        or "none found; give it with --version",
        "effective": _printed(document, edition.effective, date) or "no date found",
        "read": f"{counts}{tables}, {references}",
        "layout": f"{edition.layout} ({sure})",
        "numbers": _numbers(rulebook) or "no numbered headings or rules",
        "left out": _left_out(rulebook) or "nothing",
    } | _page_numbers(document)


def _page_numbers(document: Document) -> dict[str, str]:
    """Return a row with the first and the last numbered sheet, each with its printed number."""
    pages = document.pages
    if pages is None or not pages.numbers_from:
        return {}
    told = [
        f"sheet {at} is p. {'–'.join(number.text for number in sheet)}"
        for at, sheet in enumerate(pages.numbers, 1)
        if sheet
    ]
    return {"pages": f"{', '.join(dict.fromkeys((told[0], told[-1])))} ({pages.numbers_from})"}


def _printed(document: Document, value: str, printed: imprint.Printed | None) -> str:
    """Return ``value`` with the place where it is printed: "1.2 (page 1: Version 1.2)"."""
    if printed is None and value and value in _own_title(document):
        return f"{value} (as the file says)"
    if not value or printed is None or printed.value != value:
        return value
    line = _plain(document.line(document.line_at(printed.at)).text)
    quoted = "" if line == value else f": {_shortened(line)}"
    return f"{value} ({place(document, printed.at)}{quoted})"


def _title_place(document: Document, edition: Edition) -> str:
    """Return where the title of ``edition`` begins a line: " (page 1)"; "" if it comes from
    the name of the file, since the same word in the text is chance.
    """
    title, own = edition.title, _own_title(document)
    if not (title and (edition.known or own or title_of(document))):
        return ""
    for line in document.lines:
        before, found, _ = line.text.partition(title)
        if found and not any(map(str.isalpha, _TAG.sub("", before))):
            return f" ({place(document, line.start + len(before))})"
    return " (as the file says)" if title == own else ""


def _own_title(document: Document) -> str:
    return document.extracted.title if document.extracted else front_title(document.text)


def place(document: Document, offset: int) -> str:
    """Return the place of the character at ``offset`` for people: "page 4" as printed, "sheet 2" if
    other pages have numbers, "line 12".
    """
    pages = document.pages
    if pages is None or not (sheet := pages.page_at(offset)):
        return f"line {document.line_at(offset)}"
    boxes = pages.boxes([Span(offset, offset + 1)])
    printed = printed_number(pages.numbers, sheet, boxes[0].boxes[0].left if boxes else 0.0)
    if not pages.numbers_from:
        return f"page {sheet}"
    return f"page {printed}" if printed else f"sheet {sheet}"


def _numbers(rulebook: Rulebook) -> str:
    """Return the count of numbers, and the range of each kind: "214: 1 to 9, A to F"."""
    kinds = [
        f"{members[0].number} to {members[-1].number}" if len(members) > 1 else members[0].number
        for stem, members in numbered_entries(rulebook).items()
        if not any(map(str.isdigit, stem))
    ]
    count = sum(bool(entry.number) for entry in rulebook.entries)
    return f"{count}: {', '.join(filter(None, kinds[:4]))}" if kinds else ""


def gaps(rulebook: Rulebook) -> Iterator[str]:
    """Yield gaps in numbers: "1.3 is missing between 1.2 and 1.4 (page 4)"."""
    for stem, first, last, before, after in missing_numbers(rulebook):
        last_missing = f" to {stem}{last}" if last > first else ""
        lacking = f"{stem}{first}{last_missing} {'are' if last_missing else 'is'} missing"
        where = place(rulebook.document, after.spans[0].start)
        yield f"{lacking} between {before.number} and {after.number} ({where})"


def doubled(rulebook: Rulebook) -> Iterator[str]:
    """Yield repeated numbers with their first two places: "1.3 is there twice (page 4, page 5)".

    Articles are compared in the whole document (it may have two laws), others within a parent.
    """
    seen: dict[tuple[str | None, str], Entry] = {}
    told = set()
    for entry in rulebook.entries:
        if not entry.number or entry.card:  # cards have numbers of their own
            continue
        parent = None if _ARTICLE.fullmatch(entry.number) else entry.parent
        first = seen.setdefault((parent, "".join(entry.number.split())), entry)
        if first is not entry and first.id not in told:
            told.add(first.id)
            places = (place(rulebook.document, each.spans[0].start) for each in (first, entry))
            yield f"{entry.number} is there twice ({', '.join(places)})"


def _left_out(rulebook: Rulebook) -> str:
    """Return the number of omitted lines by kind, and the first lines: "9 page number: “1”, “2”";
    markup is not counted.
    """
    document = rulebook.document
    kinds: Counter[str] = Counter()
    texts: list[str] = []
    for each in rulebook.furniture:
        if each.why == MARKUP:
            continue
        lines = [_plain(line) for line in document.text[slice(*each.span)].split("\n")]
        lines = [line for line in lines if line]
        kinds[each.why] += len(lines)
        texts += lines
    counted = "; ".join(f"{count} {why}" for why, count in kinds.most_common(2))
    distinct = ", ".join(f"“{_shortened(text, 20)}”" for text in dict.fromkeys(texts[:3]))
    return f"{counted}: {distinct}" if counted else ""


def doubts(found: RecognisedRulebook) -> Iterator[str]:
    """Yield sentences on what the owner should check, the worst doubt first."""
    rulebook, document = found.rulebook, found.rulebook.document
    edition = rulebook.edition
    yield from map(str, document.extracted.notes if document.extracted else ())
    if edition.succeeds and edition.succeeds != edition.id:
        yield f"it is like {edition.succeeds}: if it is no version of it, give it another --game"
    if not edition.known and edition.reading_score < _UNSURE:
        sure = f"the outline is only {100 * edition.reading_score:.0f} % sure"
        yield f"{sure}: compare it with the contents of the rulebook"
    if detect(document.text[:20_000]) is None:
        known = ", ".join(LANGUAGES)
        assumed = f"the language could not be told; {edition.language} is assumed"
        yield f"{assumed}; --language gives another: {known}"
    if len(rulebook.entries) < _FEWEST:
        yield "hardly a heading was found, so the text is searched as a whole"
    missing = list(gaps(rulebook))
    yield from missing[:_GAPS]
    if len(missing) > _GAPS:
        yield f"{len(missing) - _GAPS} more numbers are missing"
    twice = list(doubled(rulebook))
    yield from twice[:_GAPS]
    if len(twice) > _GAPS:
        yield f"{len(twice) - _GAPS} more numbers are there twice"
    if lost := _lost(found):
        quoted = ", ".join(
            f"“{_shortened(each.raw)}” ({place(document, each.span.start)})" for each in lost[:2]
        )
        yield f"references that find nothing: {len(lost)}, first {quoted}"
    if strays := rulebook.strays:
        fit = f"{len(strays)} pieces of text fit nowhere and were put to the entry around them"
        yield f"{fit}, the first: {place(document, strays[0].start)}"


def _outline(rulebook: Rulebook, room: int) -> Iterator[str]:
    """Yield the topmost entries, each with the number of entries within it, in ``room`` lines."""
    parents = {entry.id: entry.parent for entry in rulebook.entries}
    within: Counter[str] = Counter()
    for entry in rulebook.entries:
        around = entry.parent
        while around is not None:
            within[around] += 1
            around = parents.get(around)
    tops = [entry for entry in rulebook.entries if entry.parent is None]
    title = next((entry for entry in tops if entry.title == rulebook.edition.title), None)
    shown = [entry for entry in tops if entry is not title]
    if title and not shown:  # everything is below the title
        shown = [entry for entry in rulebook.entries if entry.parent == title.id]
    named = [
        f"{_shortened(entry.title)}{f' ({within[entry.id]})' if within[entry.id] else ''}"
        for entry in shown or tops
    ]
    text = f"outline   {'; '.join(named)}"
    indent = " " * (_LABEL - 2)
    yield from textwrap.wrap(
        text, WIDTH - 2, subsequent_indent=indent, max_lines=room, placeholder=" …"
    )


def _plain(text: str) -> str:
    return " ".join(_CONTROLS.sub(" ", text).split())


def _shortened(text: str, most: int = _SHORT) -> str:
    plain = _plain(text)
    return plain if len(plain) <= most else f"{plain[: most - 2].rstrip()} …"


def _cut(line: str) -> str:
    plain = _CONTROLS.sub(" ", line)
    return plain if len(plain) <= WIDTH else f"{plain[: WIDTH - 2].rstrip()} …"
