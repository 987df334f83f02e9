"""Quotations within lines: between quotation marks of any language, straight marks, tags of HTML,
signs of emphasis and of code.

The same sign can open, close, and be an apostrophe or an inch, so what it does is told by what
stands beside it, as Markdown tells what its signs of emphasis do; where that leaves several marks
that could close a quotation, what is printed decides.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from corpus.languages import words_of
from corpus.model import Span
from service.answers.verify.quotation_model import Form, Quotation

IsPrinted = Callable[[int, int], bool]  # of a start and an end in the text

_SIGN = re.compile(
    r"(?P<tag></?(?:q|i|em|code|pre)(?:\s[^<>]*)?>)"
    r"|(?P<skip>https?://[^\s<>\"]+|<[A-Za-z][\w-]*(?:\s+[\w-]+=(?:\"[^\"<>]*\"|'[^'<>]*'))+\s*/?>|\\[*_`])"
    r"|(?P<entity>&(?:#\d{1,6}|#[xX][0-9a-fA-F]{1,5}|[A-Za-z]{2,8});)"
    r"|(?P<sign><<|>>|,,(?=[^\s,])|`+|\*+|_+|[„“”‟\"＂«»‹›‚‘’‛'＇「」『』〝〞〟❝❞″´《》〈〉])"
    r"|(?P<paragraph>\n[ \t]*\n)",
    re.IGNORECASE,
)
# What closes each sign, and what closes it where none of these does.
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
}
_FORMS["<pre>"] = Form.CODE
_UNCLOSED = frozenset(
    ("„", "‚", "“", '"', "«", "「", "『", "<q>")
)  # quote up to the end of the paragraph where nothing closes them
_STRAY = frozenset("“”\"»」』'")  # close what nothing opened
_OPEN_BEFORE = frozenset("([{<>/|—–-*_~`=:¿¡")  # may stand before what opens
_CLOSED_BEFORE = frozenset(
    ".,;:!?)]}>…—–-/|*_~`<„“”‟\"«»‹›‚‘’'＂＇」』〞〟❞″´》〉&"
)  # may stand behind what closes
_WORD = re.compile(r"[^\W_]+")
_AMID = re.compile(r"[,;:]?[ \t\u00a0]+[^\W_]|[,;:]")  # behind an apostrophe at the end of a word
_CLIPPED = re.compile(rf"(?:{'|'.join(sorted(words_of('sentences.clippings')))}|\d0(?:s|er))\b")
_REACH, _LITTLE_REACH = (
    400,
    12,
)  # signs that are looked at for one that closes; fewer in a text of nothing but signs
_STEPS = 50_000  # signs looked at before the reach gets little
_CHOICES = 8  # marks behind the end of the paragraph that could close a quotation
_BACK, _MOST_ASKED = (
    30,
    200,
)  # quotations that a mark without an opening one may belong to; spans that are looked up for such marks
_LONGEST = 6000  # characters of a quotation over several paragraphs
_LEAST = 3  # words of what is set off without marks


@dataclass(frozen=True)
class _Sign:
    """A sign of one kind: the sign itself, a run of it, a tag without its attributes, or a line
    break before a blank line.
    """

    kind: str
    start: int
    end: int
    opens: bool = False
    closes: bool = False
    doubtful: bool = False  # may be an apostrophe or an inch


class InlineParser:
    """Finds quotations in regions of ``text``.

    ``is_printed`` says whether the words of a span are printed so; a quotation reaches over blank
    lines only where it is.
    """

    def __init__(self, text: str, is_printed: IsPrinted):
        self._text = text
        self._is_printed = is_printed
        self._steps = self._asked = 0

    def parse(self, start: int, end: int) -> list[Quotation]:
        """Return the quotations from ``start`` to ``end``, in order, none inside another."""
        signs = list(self._signs(start, end))
        return self._parse(signs, 0, len(signs), Span(start, end))

    def _parse(self, signs: list[_Sign], first: int, last: int, region: Span) -> list[Quotation]:
        """Return the quotations that the signs from ``first`` to ``last`` make in ``region``."""
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
        """Return which of the quotations ``found`` goes on up to ``sign``, which nothing opened:
        one that is printed so, else the last.

        None where the last is not in the same paragraph, which begins at ``paragraph``.
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
        """Add what sign ``n`` opens to ``found``; return the number of the sign to go on with."""
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
        """Return the number of the sign that closes what sign ``n`` opens, None where none does.

        That is the first that leaves nothing open in between; else the last before the end of the
        paragraph that could close it. A sign that may be an apostrophe closes only where no other
        does before the next quotation.
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
        """Return the number of the sign behind the ``paragraph`` with which what sign ``n`` opens
        is printed so, None without one.
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
        """Return the sign of ``kind`` from ``a`` to ``b``; ``nested`` says that it stands right
        behind one that opens.
        """
        text = self._text
        left, right = text[max(a - 1, start) : a], text[b : min(b + 1, end)]
        blank_left, blank_right = not left.strip(), not right.strip()
        begins = not blank_right and (right not in ".,;:!?)]}" or text.startswith("..", b))
        ends = not blank_left and left not in "([{" and not (nested and not blank_right)
        opens = begins and (blank_left or left in _OPEN_BEFORE or nested)
        closes = ends and (blank_right or right in _CLOSED_BEFORE)
        if kind[0] in "*_":
            single = len(kind) in (1, 3)  # two set bold
            return _Sign(kind, a, b, opens and single, closes and single)
        if kind[0] == "`":
            return _Sign(kind, a, b, True, True)
        if kind in "'’‘＇´":
            if (left.isalnum() and right.isalnum()) or (opens and _CLIPPED.match(text, b)):
                return _Sign(kind, a, b)
            return _Sign(
                kind, a, b, opens, closes, closes and left.isalpha() and bool(_AMID.match(text, b))
            )
        apart = blank_left and blank_right and kind != "”"  # within blanks it may do both
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
    """Return whether ``sign`` closes what a sign of the kind ``opened`` opens."""
    if not sign.closes:
        return False
    if opened[0] in "*_":
        return sign.kind[0] == opened[0]
    if opened[0] == "`":
        return sign.kind == opened or (opened == "``" and sign.kind == "'" and not sign.doubtful)
    return sign.kind in _PAIRED[opened] if opened in _PAIRED else sign.kind in _CLOSED_BY[opened][0]
