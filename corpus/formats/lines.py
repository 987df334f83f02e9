"""Lines of a text with any line separator, list marks (bullets and numbers) at their beginning, and
the front matter of Markdown files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import yaml

from corpus.blocks import Block, BlockKind, Cell, Span
from corpus.languages import any_of

_TAB = 4  # columns

_MARKUP = re.compile(r"(?:[*_]{1,3}|<[^<>\n]{1,100}>\s{0,3}|\\)")
_BULLETS = re.compile(r"(?P<bullet>[-–—*+•●○◦▪▫■□◆◇►▶➤➢➔→✓✔✦»›‣⁃·])(?=\s|\Z)|(?P<o>o)(?=\s{2,}|\t)")
_NUMBER = re.compile(
    r"""
    (?: §{1,2}\s?\d{1,4}[a-z]?\.?
      | (?:[A-Z]\.)?\d{1,9}(?:\.\d{1,6}){1,8}[a-z]{0,2}(?P<end>[.):])?
      | (?:[A-Z](?=\d{1,2}[a-z\d]{0,8}[.):]))?\d{1,9}(?:[a-z]\d{1,3}){0,4}[a-z]?[.):]
      | \((?:\d{1,4}[a-z]?|[a-zA-Z]|[ivxlc]{1,7})\)
      | [a-zA-Z][.)] | [IVXLC]{1,7}[.)] | [ivxlc]{1,7}\)
    )
    (?=[*_]{0,3}(?:\s|\Z)|[*_]{1,3}|</)
    """,
    re.VERBOSE,
)
MEASURE = re.compile(r"\d+\.\d+(?:k?g|[cmk]?m|[cm]?l|h|s)")
_PARTS = re.compile(r"\d+|[a-z]+")
# "as described in section", "see Rule", "secondo l'articolo" at the end of a line
_CITING = re.compile(
    rf"(?<=[\s('’])(?:§§?|{any_of('references.section', 'references.rule', 'references.rules')}"
    rf"|{any_of('references.places', 'references.see', 'references.numero', 'labels.articles')})\Z",
    re.IGNORECASE,
)
_CITED = re.compile(r"\(?\d(?:\.?\w){0,20}(?P<end>[.):,;]?+)\s?+(?P<rest>\S?)")
# "a) bis c)", behind "§ 7 Abs. 2"
_CITED_ITEMS = re.compile(
    rf"\(?[a-z]\) {any_of('references.until', 'sentences.conjunctions')} \(?[a-z]\)", re.IGNORECASE
)
_SENTENCE = 6  # words; a title has fewer
_ABBREVIATION = re.compile(r"[a-zA-Z]\.\s?\w\.")  # "z. B.", "J. R. Tolkien"

_FIELD = r"[\w-]++[ \t]*+:.*+\n"
_MORE = r"[ \t]++.*+\n|-.*+\n|#.*+\n"
_SPACED = r"[ \t]++.*+\n|- .*+\n|\r?\n"  # with empty lines a "#" may be a heading
_FRONT = re.compile(
    rf"\ufeff?(?:---[ \t]*\r?\n(?:(?>{_FIELD}|{_MORE}){{1,1000}}?"
    rf"|(?>{_FIELD})(?>{_FIELD}|{_SPACED}){{1,1000}}?)|(?>{_FIELD}){{2,100}}?)"
    r"(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)"
)
_TITLES = ("title", "titel", "titolo", "titre", "título", "titulo")
_TITLE = re.compile(
    rf"^(?:{'|'.join(_TITLES)})[ \t]*:([^\r\n]{{1,400}})\r?$", re.IGNORECASE | re.MULTILINE
)


class SourceLine(NamedTuple):
    """A line without the white space at its ends; an empty line has an empty ``text``. ``page``
    counts form feeds, from 1.
    """

    start: int
    end: int
    text: str
    indent: int = 0
    page: int = 1

    @property
    def width(self) -> int:
        """The column after the last character."""
        return self.indent + len(self.text)

    @property
    def span(self) -> Span:
        """The span of the text."""
        return Span(self.start, self.end)


def byte_order_mark(text: str) -> tuple[Block, ...]:
    """Return a block for the byte order mark at the beginning of ``text``, or ()."""
    return (Block(Span(0, 1), BlockKind.FURNITURE),) if text.startswith("\ufeff") else ()


def source_lines(text: str) -> Iterator[SourceLine]:
    """Yield the lines of ``text`` after its byte order mark, split at every Unicode line separator
    (CR, LF, form feed, paragraph separator, …).
    """
    start, page = len(byte_order_mark(text)), 1
    for piece in text[start:].splitlines(keepends=True):
        yield trimmed(piece, start, page)
        start += len(piece)
        page += piece.endswith("\f")


def trimmed(piece: str, start: int, page: int = 1) -> SourceLine:
    """Return the line ``piece``, which begins at offset ``start``, without white space around
    it.
    """
    bare = piece.lstrip()
    before = len(piece) - len(bare)
    bare = bare.rstrip()
    indent = len(piece[:before].expandtabs(_TAB)) if bare else 0
    return SourceLine(start + before, start + before + len(bare), bare, indent, page)


def span_of(lines: Sequence[SourceLine]) -> Span:
    """Return the span from the first to the last non-empty line of ``lines``."""
    printed = [line for line in lines if line.text]
    return Span(printed[0].start, printed[-1].end)


_PIPE = re.compile(r"(?<!\\)\|")


def piped_cells(line: SourceLine) -> tuple[Cell, ...]:
    """Return the cells of the table row ``line``, separated by "|"."""
    ends = [match.start() for match in _PIPE.finditer(line.text)]
    starts = [0, *(end + 1 for end in ends)]
    pairs = list(zip(starts, [*ends, len(line.text)], strict=True))
    outer = [at for at in (0, -1) if not line.text[slice(*pairs[at])].strip()]
    pairs = pairs[len(pairs) > 1 and 0 in outer : -1 if len(pairs) > 2 and -1 in outer else None]
    start = line.end - len(line.text)
    return tuple(cell_at(line.text[a:b], start + a) for a, b in pairs)


def cell_at(text: str, start: int) -> Cell:
    """Return the cell for ``text``, which begins at offset ``start``, without blanks around it."""
    start += len(text) - len(text.lstrip())
    return (Span(start, start + len(text.strip())),) if text.strip() else ()


def wrap_width(lines: Sequence[SourceLine]) -> int:
    """Return the column at which lines are wrapped, or 0 if every line is a paragraph.

    A line is wrapped if it would exceed this width with the first word of the next line. The width
    is learned from lines that continue in lower case.
    """
    pairs = [(line, below) for line, below in pairwise(lines) if line.width >= 40 and below.text]
    widths = sorted(line.width for line, _ in pairs)
    if len(widths) < 3:
        return 0
    width = widths[int(0.95 * (len(widths) - 1))]
    full = sum(0.8 * width <= each <= 1.1 * width for each in widths)
    if width > 160 or full < 0.5 * len(widths):
        return 0
    sure = sorted(_with_next_word(*pair) for pair in pairs if pair[1].text[0].islower())
    if len(sure) < 10:
        return int(0.85 * width)
    return max(sure[len(sure) // 20] - 1, int(0.6 * width))


def _with_next_word(line: SourceLine, following: SourceLine) -> int:
    return line.width + 1 + len(following.text.partition(" ")[0])


def continues(line: SourceLine, previous: SourceLine, width: int) -> bool:
    """Return whether ``line`` continues the sentence of the ``previous`` line: its first word did
    not fit there, or it begins with a lower-case letter.
    """
    if line.text[0].islower() and previous.text[-1] not in ".!?:;" and len(previous.text) >= 30:
        return True
    return bool(width) and _with_next_word(previous, line) > width


def cites(above: str, below: str) -> bool:
    """Return whether the line ``above`` ends with a word that introduces the number at the
    beginning of the line ``below``: "as is told in section⏎2.4 below", or with the number whose
    items it begins with: "under 2⏎a) to c)".
    """
    if above[-1:].isdigit() and _CITED_ITEMS.match(below):
        return True
    number = _CITED.match(below)
    if number is None or not _CITING.search(above):
        return False
    if number["end"] == ")" and above.rfind("(") > above.rfind(")"):
        return True  # "(see⏎2.4)."
    if number["end"]:
        return number["rest"].islower()
    return number["rest"].islower() or len(above.split()) >= _SENTENCE


class ListMark(NamedTuple):
    """A bullet or number: ``text`` as printed, the offset after it, and whether it is a number."""

    text: str
    end: int
    numbered: bool


def list_mark(line: str) -> ListMark | None:
    """Return the bullet or number at the beginning of ``line``, or None. After a bullet, a number
    is returned instead: "4.3.5." for "- 4.3.5. …".

    Emphasis, tags and backslashes before a number are skipped.
    """
    line = line[:200]
    bullet = _BULLETS.match(line)
    if bullet is None:
        return _number(line, 0)
    behind = len(line) - len(line[bullet.end() :].lstrip())
    return _number(line, behind) or ListMark(bullet.group(), bullet.end(), False)


def _number(line: str, start: int) -> ListMark | None:
    while markup := _MARKUP.match(line, start):
        start = markup.end()
    match = _NUMBER.match(line, start)
    if match is None or _ABBREVIATION.match(line, start):
        return None
    rest = line[match.end() :].lstrip("*_ \t\u00a0")
    measured = MEASURE.fullmatch(match.group())  # "1.5kg of sand" is not a list number
    dotted = measured or ("." in match.group() and match.group()[-1].isdigit())
    if dotted and (not rest or rest[0].islower() or rest[0].isdigit()):
        return None  # "1.5 points" is not a rule number
    return ListMark(match.group(), match.end(), True)


def follows(mark: str, previous: str) -> bool:
    """Return whether the number ``mark`` can come right after ``previous``: 2. or 1.1 or 1a after
    1., 2. after 1.3, (c) after (a).
    """
    new, old = (_PARTS.findall(each.casefold()) for each in (mark, previous))
    shared = next(
        (at for at, (a, b) in enumerate(zip(new, old, strict=False)) if a != b),
        min(len(new), len(old)),
    )
    if shared + 1 != len(new):
        return False
    last, before = new[shared], old[shared] if shared < len(old) else ""
    if last.isdigit():
        return int(last) == (int(before) + 1 if before.isdigit() else 1)
    if len(last) == len(before) == 1:
        return 0 < ord(last) - ord(before) <= 2
    return last in ("a", "i") or bool(before and not before.isdigit())


def front_matter(text: str) -> int:
    """Return the length of the front matter of ``text`` (YAML lines with title, version or date),
    or 0 if there is none. The line "---" above it may be missing.
    """
    found = _FRONT.match(text)
    return found.end() if found else 0


def front_title(text: str) -> str:
    """Return the title in the front matter of ``text``, or "" if there is none."""
    end = front_matter(text)
    try:
        fields = yaml.safe_load(re.sub(r"\A\ufeff?---|(?:---|\.\.\.)\s*\Z", "", text[:end]))
    except (yaml.YAMLError, ValueError, RecursionError):  # "title: Rules: the second edition"
        fields = None
    if isinstance(fields, dict):
        named = {str(name).lower(): value for name, value in fields.items()}
        titles = (named.get(name) for name in _TITLES)
        return next((" ".join(each.split()) for each in titles if isinstance(each, str)), "")
    found = _TITLE.search(text, 0, end)
    title = found.group(1).strip() if found else ""
    quoted = len(title) > 2 and title[0] == title[-1] and title[0] in "\"'"
    return title[1:-1].strip() if quoted else title
