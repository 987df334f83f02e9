"""Find quotations in a text (in quotation marks, as block quotes, in emphasis), and markers."""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import NamedTuple

from corpus.languages import words_of
from corpus.model import Span
from index.library.library import Library


class Form(Enum):
    """How a quotation is set: in quotation marks or as a block (``QUOTED``), or in a form that is
    also used for other text. ``STRONG`` (bold, headings, table cells) is often the writer's own.
    """

    QUOTED = auto()
    EMPHASIS = auto()
    STRONG = auto()
    CODE = auto()


class Marker(NamedTuple):
    """A citation marker, such as "[r:3fa9c1d2]", and its place in the text with brackets."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Quotation:
    """A quotation: its words are at ``span``; ``outer`` includes quotation marks or block quote
    signs.

    ``without_attribution`` is the span without its last line if that looks like a source ("— FAQ"),
    otherwise None. Emphasis, code and block quotes may be remarks that have ``inner`` quotations.
    """

    span: Span
    outer: Span
    form: Form = Form.QUOTED
    block: bool = False
    without_attribution: Span | None = None
    inner: tuple[Quotation, ...] = ()


# Signs and tags that may follow a full stop.
_TAIL = re.compile(r"(?<![\s*_\"”“’'»)#])(?:[\s*_\"”“’'»)#]++|</\w++>){1,40}+\Z")
_CODE = re.compile(r"[{}=<>;$\\|@#]|--|\w\(|[a-z0-9]_[a-z0-9]|[a-z][A-Z]|\.\w+\b(?<!\.\d)")
_WORD = re.compile(r"[^\W_]+")
SMALL_WORDS = frozenset().union(
    *(
        words_of(name)
        for name in ("function_words.in_titles", "questions.subjects", "questions.determiners")
    )
)
# Words from which emphasis that is printed nowhere counts as an invented quotation; a whole
# sentence needs fewer
MOST_EMPHASISED = 6
_LEAST_SENTENCE = 5  # words of a whole sentence
_FUNCTION_WORDS = 2  # least function words of running text


def is_quotation(form: Form, text: str, library: Library) -> bool:
    """Return whether ``text``, which is printed nowhere, is meant as a quotation, and is not the
    title of a rulebook, code, or the writer's own emphasis.
    """
    words = _WORD.findall(text.casefold())
    if any(
        text.strip().casefold().startswith(edition.title.casefold()) for edition in library.editions
    ):
        return False
    if form is Form.STRONG:
        return False
    if form is Form.CODE:
        return not _CODE.search(text) and (
            _ends(text) or sum(word in SMALL_WORDS for word in words) >= _FUNCTION_WORDS
        )
    return len(words) >= MOST_EMPHASISED or _ends(text)


def _ends(text: str) -> bool:
    return len(_WORD.findall(text)) >= _LEAST_SENTENCE and _TAIL.sub("", text).endswith(
        (".", "!", "?", "…")
    )


IsPrinted = Callable[[int, int], bool]  # whether the text from a start to an end is printed

_SIGN = re.compile(
    r"(?P<tag></?(?:q|i|em|b|strong|cite|td|th|h[1-6]|code|pre)(?:\s[^<>]*)?>)"
    r"|(?P<skip>https?://[^\s<>\"]+|<[A-Za-z][\w-]*(?:\s+[\w-]+=(?:\"[^\"<>]*\"|'[^'<>]*'))+\s*/?>|\\[*_`])"
    r"|(?P<entity>&(?:#\d{1,6}|#[xX][0-9a-fA-F]{1,5}|[A-Za-z]{2,8});)"
    r"|(?P<sign><<|>>|,,(?=[^\s,])|`+|\*+|_+|[„“”‟\"＂«»‹›‚‘’‛'＇「」『』〝〞〟❝❞″´《》〈〉])"
    r"|(?P<paragraph>\n[ \t]*\n)",
    re.IGNORECASE,
)
# For each opening sign, the signs that close it, and the signs that do so if none of these follows.
_CLOSED_BY: dict[str, tuple[str, str]] = {
    "„": ("“”‟❝", '"„'),
    "“": ("”", '“"'),
    "”": ("”", ""),
    "‟": ("”", '"'),
    "❝": ("❞", ""),
    '"': ('"', "”“"),
    "＂": ("＂", ""),
    "«": ("»", ""),
    "»": ("«", "»"),
    "‹": ("›", ""),
    "›": ("‹", "›"),
    "‚": ("‘", "’',"),
    "‘": ("’", "‘'"),
    "’": ("’", ""),
    "'": ("'", "’"),
    "＇": ("＇", ""),
    "「": ("」", ""),
    "『": ("』", ""),
    "〝": ("〞〟", ""),
    "″": ("″", '"'),
    "´": ("´", "'"),
    "《": ("》", ""),
    "〈": ("〉", ""),
}
_PAIRED: dict[str, tuple[str, ...]] = {
    "<<": (">>",),
    ",,": ("'", '"', "“", "”", "``"),
    "<q>": ("</q>",),
    "<i>": ("</i>",),
    "<em>": ("</em>",),
    "<code>": ("</code>",),
    "<pre>": ("</pre>",),
}
_STRONG_TAGS = ("b", "strong", "cite", "td", "th", *(f"h{level}" for level in range(1, 7)))
_PAIRED.update((f"<{tag}>", (f"</{tag}>",)) for tag in _STRONG_TAGS)
_MARKS = frozenset(_CLOSED_BY) | frozenset(
    "".join(sign for signs in _CLOSED_BY.values() for sign in signs)
)
_FORMS = {
    "*": Form.EMPHASIS,
    "_": Form.EMPHASIS,
    "<i>": Form.EMPHASIS,
    "<em>": Form.EMPHASIS,
    "`": Form.CODE,
    "<code>": Form.CODE,
    "<pre>": Form.CODE,
    "**": Form.STRONG,
    "__": Form.STRONG,
    **{f"<{tag}>": Form.STRONG for tag in _STRONG_TAGS},
}
_UNCLOSED = frozenset(
    ("„", "‚", "“", '"', "«", "「", "『", "<q>")
)  # quote up to the end of the paragraph if nothing closes them
_STRAY = frozenset("“”\"»」』'")  # may close a quotation that nothing opened
_OPEN_BEFORE = frozenset("([{<>/|—–-*_~`=:¿¡")  # may precede an opening sign
_CLOSED_BEFORE = frozenset(
    ".,;:!?)]}>…—–-/|*_~`<„“”‟\"«»‹›‚‘’'＂＇」』〞〟❞″´》〉&"
)  # may follow a closing sign

_AMID = re.compile(r"[,;:]?[ \t\u00a0]+[^\W_]|[,;:]")  # may follow an apostrophe that ends a word
_CLIPPED = re.compile(rf"(?:{'|'.join(sorted(words_of('sentences.clippings')))}|\d0(?:s|er))\b")
# Signs that are searched for a closing one; fewer after `_STEPS`, in a text full of signs
_REACH = 400
_LITTLE_REACH = 12
_STEPS = 50_000
_CHOICES = 8  # signs after the paragraph that are tried as closing signs
_BACK = 30  # quotations that a closing sign without an opening one may belong to
_MOST_ASKED = 200  # spans that are looked up for such signs
_LONGEST = 6000  # most characters of a quotation over several paragraphs
_LEAST = 3  # least words of a quotation without quotation marks


@dataclass(frozen=True)
class _Sign:
    """A sign that may open or close a quotation. Its ``kind`` is the sign, a run of it ("**"), a
    tag without attributes, or "\\n" for the end of a paragraph.
    """

    kind: str
    start: int
    end: int
    opens: bool = False
    closes: bool = False
    doubtful: bool = False  # may be an apostrophe or an inch


class InlineParser:
    """Finds quotations in regions of ``text``.

    ``is_printed`` returns whether the words of a span are printed exactly like this; only then may
    a quotation include blank lines.
    """

    def __init__(self, text: str, is_printed: IsPrinted):
        self._text = text
        self._is_printed = is_printed
        self._steps = self._asked = 0

    def parse(self, start: int, end: int) -> list[Quotation]:
        """Return the quotations from ``start`` to ``end``, in order, without overlaps."""
        signs = list(self._signs(start, end))
        return self._parse(signs, 0, len(signs), Span(start, end))

    def _parse(self, signs: list[_Sign], first: int, last: int, region: Span) -> list[Quotation]:
        """Return the quotations in ``region`` that the signs from ``first`` to ``last`` form."""
        found: list[Quotation] = []
        paragraph, n = region.start, first
        while n < last:
            sign = signs[n]
            if sign.kind == "\n":
                paragraph = sign.end
            elif sign.opens:
                n = self._quote(signs, n, last, region.end, found)
                continue
            elif sign.kind in _STRAY and sign.closes and self._closes_surely(sign):
                opened = self._opening_of(sign, paragraph, found)
                start, outer = (
                    (found[opened].span.start, found[opened].outer.start)
                    if opened is not None
                    else (paragraph, paragraph)
                )
                del found[len(found) if opened is None else opened :]
                found.append(Quotation(Span(start, sign.start), Span(outer, sign.end)))
            n += 1
        return found

    def _opening_of(self, sign: _Sign, paragraph: int, found: Sequence[Quotation]) -> int | None:
        """Return the number of the quotation, out of ``found``, that extends to ``sign``, a closing
        sign without an opening one: one that is printed so, otherwise the last.

        None if the last is not in the same paragraph, which begins at ``paragraph``.
        """
        for n in range(len(found) - 1, max(len(found) - _BACK, -1), -1):
            if sign.start - found[n].span.start > _LONGEST or self._asked >= _MOST_ASKED:
                break
            self._asked += 1
            if self._is_printed(found[n].span.start, sign.start):
                return n
        return len(found) - 1 if found and found[-1].outer.start >= paragraph else None

    def _closes_surely(self, sign: _Sign) -> bool:
        left = self._text[sign.start - 1 : sign.start]
        return not sign.doubtful and (
            left in ".!?…" or (sign.kind != "'" and (not left.isspace() or left in "\u00a0\u202f"))
        )

    def _quote(
        self, signs: list[_Sign], n: int, last: int, end: int, found: list[Quotation]
    ) -> int:
        """Add the quotation that sign ``n`` opens to ``found``; return the number of the sign to
        continue with.
        """
        sign = signs[n]
        form = _FORMS.get(sign.kind) or _FORMS.get(sign.kind[0], Form.QUOTED)
        closing = self._closing(signs, n, last)
        if closing is None:
            if sign.kind not in _UNCLOSED or sign.doubtful:
                return n + 1
            closing = next((m for m in range(n + 1, last) if signs[m].kind == "\n"), last)
            stop = signs[closing].start if closing < last else end
            found.append(Quotation(Span(sign.end, stop), Span(sign.start, stop)))
            return closing
        span = Span(sign.end, signs[closing].start)
        if form is Form.STRONG and not _ends(self._text[span.start : signs[closing].end + 1]):
            return n + 1
        if form is not Form.QUOTED:
            if self._is_short(span):
                return closing + 1
            inner = tuple(
                each
                for each in self._parse(signs, n + 1, closing, span)
                if not self._is_short(each.span)
            )
            found.append(Quotation(span, Span(sign.start, signs[closing].end), form, inner=inner))
            return closing + 1
        found.append(Quotation(span, Span(sign.start, signs[closing].end)))
        return closing + 1

    def _is_short(self, span: Span) -> bool:
        return (
            sum(1 for _ in zip(range(_LEAST), _WORD.finditer(self._text, *span), strict=False))
            < _LEAST
        )

    def _closing(self, signs: list[_Sign], n: int, last: int) -> int | None:
        """Return the number of the sign that closes the quotation opened by sign ``n``, or None.

        It is the first closing sign with no quotation left open in between, otherwise the last in
        the paragraph that could close it. A possible apostrophe closes only if no other sign does
        before the next quotation.
        """
        reach = min(last, n + (_REACH if self._steps < _STEPS else _LITTLE_REACH))
        kind = signs[n].kind
        opened = [kind]
        could: list[int] = []
        doubtful: int | None = None
        paragraph = reach
        for m in range(n + 1, reach):
            self._steps += 1
            sign = signs[m]
            if sign.kind == "\n":
                paragraph = m
                break
            if doubtful is not None and sign.kind == kind and sign.opens:
                return doubtful
            match = next(
                (
                    k
                    for k in range(len(opened) - 1, max(len(opened) - 6, -1), -1)
                    if _closes(opened[k], sign)
                ),
                None,
            )
            if match is None:
                if sign.opens and kind in _CLOSED_BY and sign.kind in _CLOSED_BY:
                    opened.append(sign.kind)
            elif sign.doubtful:
                doubtful = m if _closes(kind, sign) else doubtful
            else:
                del opened[match:]
                if not opened:
                    return m
            if _closes(kind, sign) and not sign.doubtful:
                could.append(m)
        if could:
            return could[-1]
        if doubtful is not None:
            return doubtful
        others = _CLOSED_BY.get(kind, ("", ""))[1]
        instead = (
            next(
                (m for m in range(n + 1, paragraph) if signs[m].closes and signs[m].kind in others),
                None,
            )
            if others
            else None
        )
        return instead if instead is not None else self._closing_behind(signs, n, paragraph, reach)

    def _closing_behind(self, signs: list[_Sign], n: int, paragraph: int, reach: int) -> int | None:
        """Return the number of the closing sign after sign ``paragraph``, the end of the paragraph,
        up to which the quotation opened by sign ``n`` is printed; None if there is none.
        """
        start = signs[n].end
        closing: list[int] = []
        for m in range(paragraph, reach):
            if signs[m].start - start > _LONGEST or len(closing) >= _CHOICES:
                break
            if _closes(signs[n].kind, signs[m]):
                closing.append(m)
        return next((m for m in reversed(closing) if self._is_printed(start, signs[m].start)), None)

    def _signs(self, start: int, end: int) -> Iterator[_Sign]:
        before: _Sign | None = None
        for match in _SIGN.finditer(self._text, start, end):
            if match["skip"]:
                continue
            if match["paragraph"]:
                before = _Sign("\n", *match.span())
            elif match["tag"]:
                name = re.sub(r"\s[^<>]*", "", match["tag"].lower())
                before = _Sign(name, *match.span(), opens=name[1] != "/", closes=name[1] == "/")
            else:
                kind = html.unescape(match["entity"]) if match["entity"] else match["sign"]
                if match["entity"] and kind not in _MARKS:
                    continue
                nested = (
                    before is not None
                    and before.end == match.start()
                    and before.opens
                    and not before.closes
                )
                before = self._told(kind, *match.span(), nested, start, end)
            yield before

    def _told(self, kind: str, a: int, b: int, nested: bool, start: int, end: int) -> _Sign:
        """Return the sign of ``kind`` from ``a`` to ``b``, and by its context whether it opens or
        closes; ``nested``: it directly follows an opening sign.
        """
        text = self._text
        left, right = text[max(a - 1, start) : a], text[b : min(b + 1, end)]
        blank_left, blank_right = not left.strip(), not right.strip()
        begins = not blank_right and (right not in ".,;:!?)]}" or text.startswith("..", b))
        ends = not blank_left and left not in "([{" and not (nested and not blank_right)
        opens = begins and (blank_left or left in _OPEN_BEFORE or nested)
        closes = ends and (blank_right or right in _CLOSED_BEFORE)
        if kind[0] in "*_":
            few = len(kind) <= 3
            return _Sign(kind, a, b, opens and few, closes and few)
        if kind[0] == "`":
            return _Sign(kind, a, b, True, True)
        if kind in "'’‘＇´":
            if (left.isalnum() and right.isalnum()) or (opens and _CLIPPED.match(text, b)):
                return _Sign(kind, a, b)
            return _Sign(
                kind, a, b, opens, closes, closes and left.isalpha() and bool(_AMID.match(text, b))
            )
        apart = blank_left and blank_right and kind != "”"  # between blanks it may do both
        if kind in '"＂”″':
            if opens or closes:
                return _Sign(kind, a, b, opens, closes, closes and left.isdigit())
            return _Sign(kind, a, b, apart, True, True)
        if kind == "“":
            return _Sign(kind, a, b, apart or (begins and not closes), closes or not opens, apart)
        if kind in "«‹":
            return _Sign(
                kind, a, b, blank_left or begins, not nested and not (blank_left and begins)
            )
        if kind in "»›":
            return _Sign(kind, a, b, opens, not nested and not (blank_left and begins))
        return _Sign(
            kind,
            a,
            b,
            kind in _CLOSED_BY or kind in _PAIRED,
            (kind not in _CLOSED_BY and kind not in _PAIRED) or kind == "‟",
        )


def _closes(opened: str, sign: _Sign) -> bool:
    """Return whether ``sign`` can close a quotation opened by a sign of the kind ``opened``."""
    if not sign.closes:
        return False
    if opened[0] in "*_":  # two are bold
        return sign.kind[0] == opened[0] and (len(sign.kind) == 2) == (len(opened) == 2)
    if opened[0] == "`":
        return sign.kind == opened or (opened == "``" and sign.kind == "'" and not sign.doubtful)
    return sign.kind in _PAIRED[opened] if opened in _PAIRED else sign.kind in _CLOSED_BY[opened][0]


_MARKER = re.compile(r"\\?\[(r:[^\[\]\s]{1,80}?)\\?\]")
_LIST = r"(?:[ \t]*+(?:[-+*•]|\d{1,3}[.)])[ \t]++)"  # a block quote may be in a list item
_QUOTE_SIGN = r"[ \t]*+(?:>|&gt;)"
_QUOTED = re.compile(rf"(?m)^{_QUOTE_SIGN}.*(?:\n{_QUOTE_SIGN}.*)*")
_LISTED = re.compile(rf"(?m)^{_LIST}++{_QUOTE_SIGN}.*(?:\n{_QUOTE_SIGN}.*)*")
# In Markdown, a line without the sign is quoted too if the sentence continues in it.
_LAZY = re.compile(r"\n[ \t]{0,3}[^\W\d_A-ZÄÖÜ][^\n]*")
_UNFINISHED = re.compile(r"[^\W_,;-][ \t]*\Z|[,;-][ \t]*\Z")
_FENCE = re.compile(r"(?m)^ {0,3}(?P<fence>`{3,}+|~{3,}+)(?P<info>[^\n]*)$")
_HTML = re.compile(
    r"(?is)(?:<blockquote(?:\s[^<>]*)?>|\[quote[^\[\]\n]*\])(?P<quoted>.*?)"
    r"(?:</blockquote\s*>|\[/quote\]|(?=<blockquote[\s>])|\n\s*\n\s*\n|\Z)"
)
_ATTRIBUTION = re.compile(
    rf"(?:^|\n)(?:{_QUOTE_SIGN})?[ "
    r"\t>]*+[—–][^\n]*\Z|<(?P<tag>cite|footer)\b[^<>]*>[^<>]*</(?P=tag)>\s*\Z"
)
# May be beside a quotation in a block quote: a lead-in, and the source in brackets.
_BESIDE = re.compile(
    r"[\s>*_]*+(?:[^.!?\n]{0,80}:)?[\s>*_]*+(?:\([^()\n]*\)|\[[^\[\]\n]*\])?[\s.*_]*+"
)
_SET_OFF = re.compile(
    r"(?m)^ {0,3}(?:#{1,6}[ \t]++(?P<words>\S[^\n]*)|\|(?P<cells>[^\n|]*\|[^\n]*))$"
)
_CELL = re.compile(r"(?P<words>[^|\s](?:[^|\\]|\\.)*+)")
_FIRST = re.compile(rf"(?:{_LIST}*(?:{_QUOTE_SIGN})+)?\s*+(?:\[![A-Za-z]+\][^\n]*\n[\s>]*)?")


def parse_markers(text: str) -> list[Marker]:
    """Return the citation markers in ``text``, in order."""
    return [Marker(m.group(1).replace("\\", ""), *m.span()) for m in _MARKER.finditer(text)]


def parse_quotations(text: str, is_printed: IsPrinted) -> list[Quotation]:
    """Return the quotations in ``text``, in order, without those inside others.

    ``is_printed`` returns whether the words at a span are printed exactly like this, to choose
    among several closing signs. A quotation that is never closed ends with its paragraph.
    """
    blocks = _apart(
        [_block(text, *m.span("quoted"), *m.span(), Form.QUOTED) for m in _HTML.finditer(text)]
    )
    blocks = _apart([*blocks, *_fenced(text)])
    blocks = _apart([*blocks, *_lines(text, _QUOTED)])
    listed = [
        block
        for block in _lines(text, _LISTED)
        if not any(_overlap(block, each) for each in blocks)
    ]
    inline = InlineParser(text, is_printed)
    if listed:  # except in a quoted list whose rulebook prints this sign
        around = _between(text, inline, blocks)
        listed = [
            block
            for block in listed
            if not any(q.outer.start < block.outer.start < q.outer.end for q in around)
        ]
    blocks = _apart([*blocks, *listed])
    found = [
        *(_with_inner(text, block, inline) for block in blocks),
        *_between(text, inline, blocks),
    ]
    found += _lines_set_off(text, found)
    return sorted(
        (q for q in found if text[q.span.start : q.span.end].strip()), key=lambda q: q.span
    )


def _lines_set_off(text: str, found: Sequence[Quotation]) -> Iterator[Quotation]:
    """Yield the headings and table cells that contain a sentence and no quotation."""
    taken = sorted(each.outer for each in found)
    for line in _SET_OFF.finditer(text):
        for cell in _CELL.finditer(text, *line.span("cells")) if line["cells"] else [line]:
            start, words = cell.start("words"), cell["words"].rstrip("# \t")
            span = Span(start, start + len(words))
            place = bisect_left(taken, Span(span.end, span.end))
            apart = place == 0 or taken[place - 1].end <= span.start
            if apart and _ends(text[span.start : span.end]):
                yield Quotation(span, span, Form.STRONG)


def _between(text: str, inline: InlineParser, blocks: list[Quotation]) -> list[Quotation]:
    """Return the quotations outside of ``blocks``."""
    found, last = [], 0
    for start, end in [*(block.outer for block in blocks), Span(len(text), len(text))]:
        found += inline.parse(last, start)
        last = end
    return found


def _apart(blocks: list[Quotation]) -> list[Quotation]:
    """Return ``blocks`` in order, without blocks that overlap an earlier one."""
    found: list[Quotation] = []
    for block in sorted(blocks, key=lambda each: each.outer):
        if not found or not _overlap(found[-1], block):
            found.append(block)
    return found


def _overlap(one: Quotation, other: Quotation) -> bool:
    return one.outer.start < other.outer.end and other.outer.start < one.outer.end


def _fenced(text: str) -> Iterator[Quotation]:
    """Yield the fenced code blocks: a fence is closed by the next fence of the same sign, at least
    as long, with nothing after it.
    """
    fences = list(_FENCE.finditer(text))
    longest = {"`": 0, "~": 0}  # longest fence further down that can close
    closable = []
    for fence in reversed(fences):
        sign = fence["fence"][0]
        closable.append(longest[sign] >= len(fence["fence"]))
        if not fence["info"].strip(" \t"):
            longest[sign] = max(longest[sign], len(fence["fence"]))
    opening: re.Match[str] | None = None
    for fence, may_open in zip(fences, reversed(closable), strict=True):
        if opening is None:
            opening = fence if may_open else None
        elif fence["fence"].startswith(opening["fence"]) and not fence["info"].strip(" \t"):
            if fence.start() > opening.end() + 1:
                yield _block(
                    text,
                    opening.end() + 1,
                    fence.start() - 1,
                    opening.start(),
                    fence.end(),
                    Form.CODE,
                )
            opening = None


def _lines(text: str, pattern: re.Pattern[str]) -> list[Quotation]:
    """Return the block quotes (lines that begin with ">") that ``pattern`` finds."""
    found = []
    for match in pattern.finditer(text):
        start, end = match.span()
        lazy = _LAZY.match(text, end) if _UNFINISHED.search(match.group()) else None
        end = lazy.end() if lazy else end
        found.append(_block(text, start, end, start, end, Form.QUOTED))
    return found


def _without_empty_lines(quoted: str) -> str:
    """Return the text of a block quote without empty lines (only the sign) at its end."""
    while True:
        quoted = quoted.rstrip()
        before, _, last = quoted.rpartition("\n")
        if last.strip(" \t>") not in ("", "&gt;"):
            return quoted
        if not before:
            return ""
        quoted = before


def _with_inner(text: str, block: Quotation, inline: InlineParser) -> Quotation:
    """Return ``block``, with the quotation in quotation marks inside as ``inner`` if there is only
    a lead-in and a source beside it. An unclosed quotation mark is quoted text.
    """
    inner = inline.parse(*block.span)
    if len(inner) != 1 or inner[0].outer == block.span or inner[0].span.end == inner[0].outer.end:
        return block
    beside = (
        text[block.span.start : inner[0].outer.start] + text[inner[0].outer.end : block.span.end]
    )
    return replace(block, inner=tuple(inner)) if _BESIDE.fullmatch(beside) else block


def _block(
    text: str, start: int, end: int, outer_start: int, outer_end: int, form: Form
) -> Quotation:
    """Return the block quote with the words from ``start`` to ``end`` of ``text``."""
    first = _FIRST.match(text, start, end)
    begin = first.end() if first else start
    last = max(begin, start + len(_without_empty_lines(text[start:end])))
    named = _ATTRIBUTION.search(text[begin:last])
    shorter = Span(begin, begin + named.start()) if named and named.start() else None
    return Quotation(Span(begin, last), Span(outer_start, outer_end), form, True, shorter)
