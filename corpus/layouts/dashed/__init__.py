"""Reader of the dashed layout: a table of contents, then sections with titles between dashes, each
ending with a link to the top.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import zip_longest

from corpus.document import Document, Line
from corpus.draft import DraftEntry, DraftPassage, DraftRulebook
from corpus.languages import any_of
from corpus.layouts.dashed import headings
from corpus.layouts.dashed.passages import blocks, spans
from corpus.layouts.dashed.sections import DashedSectionReader
from corpus.layouts.layout import Layout, ReferenceStyle
from corpus.model import Corrections, Edition, Fault, Furniture, Kind, Role, Span
from corpus.paragraphs import paragraph_lines
from corpus.titles import key

_NAVIGATION = re.compile(
    rf"!!.{{1,40}}!!$|\W{{0,4}}{any_of('labels.back_to_top')}\W{{0,4}}$", re.IGNORECASE
)
_VERSION = re.compile(
    rf":|\d|\b{any_of('labels.version', 'labels.edition', 'labels.as_of')}\b", re.IGNORECASE
)
_ARTICLE = re.compile(rf"^{any_of('sentences.articles')} ")


def score(document: Document) -> float:
    """A score from 0.0 to 1.0, from the numbers of titles between dashes and of links to the
    top.
    """
    titles = navigation = 0
    for line in paragraph_lines(document):
        text = line.text.strip()
        titles += text.endswith("---") and headings.section_title(text) is not None
        navigation += bool(text) and _NAVIGATION.match(text) is not None
    return min(1.0, 0.1 * titles + 0.2 * (titles > 1) + 0.1 * min(navigation, titles))


def read(document: Document, edition: Edition, corrections: Corrections) -> DraftRulebook:
    """Read the sections of ``document`` as terms, and the text before them as one section with the
    contents.
    """
    rulebook = DraftRulebook()
    front: list[Line] = []
    bodies: list[tuple[DraftEntry, list[Line]]] = []
    texts = [line for line in paragraph_lines(document) if line.text.strip()]
    navigation = _navigation(texts)
    for line in texts:
        text = line.text.strip()
        title = (
            None if corrections.at(line.number, Fault.NOT_HEADING) else headings.section_title(text)
        )
        if corrections.at(line.number, Fault.FURNITURE):
            rulebook.furniture.append(_furniture(line, "a correction says so"))
        elif title is not None:
            bodies.append((_term(line, title, rulebook), []))
        elif _is_term(line, corrections):
            bodies.append((DraftEntry(Kind.TERM, text, [Span(line.start, line.end)]), []))
        elif headings.is_separator(text):
            rulebook.furniture.append(_furniture(line, "rule"))
        elif text in navigation or _NAVIGATION.match(text):
            rulebook.furniture.append(_furniture(line, "navigation"))
        else:
            (bodies[-1][1] if bodies else front).append(line)
    if front:
        names = {contents_key(term.heading) for term, _ in bodies}
        rulebook.entries.append(_front(front, names, edition, rulebook))
    for term, lines in bodies:
        DashedSectionReader(term, document, corrections).read(lines)
        rulebook.entries.append(term)
    _join_torn(rulebook, document, corrections)
    return rulebook


def contents_key(title: str) -> str:
    """A key for comparing lines of the contents with sections: ``title`` without article, quotation
    marks and abbreviation.
    """
    return _ARTICLE.sub("", key(re.sub(r"\s\([^()]{1,8}\)$", "", title.strip())))


def _furniture(line: Line, why: str) -> Furniture:
    return Furniture(Span(line.start, line.end), why)


def _navigation(texts: list[Line]) -> set[str]:
    """Lines of navigation: short lines that are the last line of at least three sections and of
    more than half of all.
    """
    last_lines: Counter[str] = Counter()
    sections = 0
    for line, following in zip_longest(texts, texts[1:]):
        if following is None or headings.section_title(following.text) is not None:
            sections += 1
            if len(line.text) <= 40:
                last_lines[line.text.strip()] += 1
    return {text for text, count in last_lines.items() if count >= 3 and 2 * count > sections}


def _is_term(line: Line, corrections: Corrections) -> bool:
    """Whether a correction makes ``line`` the heading of a term."""
    correction = corrections.at(line.number, Fault.HEADING)
    return correction is not None and correction.meant == Kind.TERM


def _term(line: Line, title: str, rulebook: DraftRulebook) -> DraftEntry:
    """The term with the title in ``line``; the dashes around the title become furniture."""
    start = line.start + line.text.index(title)
    end = start + len(title)
    for span in (Span(line.start, start), Span(end, line.end)):
        if span.start < span.end:
            rulebook.furniture.append(Furniture(span, "dashes"))
    return DraftEntry(Kind.TERM, title, [Span(start, end)])


def _front(
    front: list[Line], names: set[str], edition: Edition, rulebook: DraftRulebook
) -> DraftEntry:
    """A section with the contents, headed by the title of the document; single short lines above
    the title become furniture.
    """
    groups = blocks(front)
    listed = [_is_contents(block, names) for block in groups]
    first = (
        listed.index(True)
        if True in listed
        else next((at for at, block in enumerate(groups) if len(block) > 1), len(groups))
    )
    alone = [
        at
        for at in range(first)
        if len(groups[at]) == 1 and len(groups[at][0].text) <= headings.LONGEST
    ]
    if alone:
        title_at = _title_index([groups[at][0].text for at in alone], edition)
        title = groups[alone[title_at]].pop()
        for at in alone[:title_at]:
            rulebook.furniture.append(_furniture(groups[at].pop(), "page label"))
    elif contents_key(groups[0][0].text) in names or len(groups[0][0].text) > headings.LONGEST:
        return _add_contents(DraftEntry(Kind.SECTION, edition.title), groups, listed)
    else:
        title = groups[0].pop(0)
    return _add_contents(
        DraftEntry(Kind.SECTION, title.text.strip(), [Span(title.start, title.end)]), groups, listed
    )


def _title_index(lines: list[str], edition: Edition) -> int:
    """The index of the title in ``lines``, those above the contents: the title of the edition, else
    the last without version or date.
    """
    for at, line in enumerate(lines):
        if key(line) == key(edition.title):
            return at
    return max((at for at, line in enumerate(lines) if not _VERSION.search(line)), default=0)


def _is_contents(block: list[Line], names: set[str]) -> bool:
    """Whether ``block`` is a list of contents: half of its lines are ``names`` of sections, or all
    are short and no sentences.
    """
    known = sum(contents_key(line.text.lstrip(" \t-–•*")) in names for line in block)
    short = all(len(line.text) <= 80 and not line.text.rstrip().endswith(".") for line in block)
    return (known > 0 or len(block) > 2) and len(block) > 1 and (2 * known >= len(block) or short)


def _add_contents(section: DraftEntry, groups: list[list[Line]], listed: list[bool]) -> DraftEntry:
    """Add passages to ``section``: one for each group of contents, headed by a line that ends in a
    colon, and one for each other block.
    """
    for group, is_list in zip(groups, listed, strict=True):
        part: list[Line] = []
        for line in group:
            if is_list and part and line.text.rstrip().endswith(":"):
                section.passages.append(DraftPassage(spans(part), Role.LISTING))
                part = []
            part.append(line)
        if part:
            section.passages.append(
                DraftPassage(spans(part), Role.LISTING if is_list else Role.TEXT)
            )
    return section


def _join_torn(rulebook: DraftRulebook, document: Document, corrections: Corrections) -> None:
    """Join passages that corrections declare to be one, at the place of the first."""
    torn = {c.line: c.meant for c in corrections.of(Fault.TORN) if isinstance(c.meant, int)}
    if not torn:
        return
    ends: dict[int, DraftPassage] = {}  # passages of the current entry by their last line

    def visit(entry: DraftEntry) -> None:
        passages = []
        for passage in entry.passages:
            first, last = (
                document.line_at(n) for n in (passage.spans[0].start, passage.spans[-1].end - 1)
            )
            beginning = ends.get(torn.get(first, 0))
            if beginning is None:
                passages.append(passage)
            else:
                beginning.spans += passage.spans
                passage = beginning
            ends[last] = passage
        entry.passages = passages
        for child in entry.children:
            visit(child)
        ends.clear()

    for entry in rulebook.entries:
        visit(entry)


LAYOUT = Layout(name="dashed", score=score, read=read, references=ReferenceStyle.SECTION_TITLES)
