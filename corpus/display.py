"""Makes the printed text of passages readable without changing a word: joins hyphenated words, and
removes escapes and markup.
"""

from __future__ import annotations

import html
import re
import unicodedata

from corpus.languages import any_of, capitals, letters
from corpus.superscripts import superscripts

_LETTER = letters()
ESCAPE = re.compile(r"\\u00([0-9a-fA-F]{2})")
_CUT_ESCAPE = re.compile(r"\\u00[0-9a-fA-F]?(?![0-9a-fA-F])")
_SIGNS = {
    "rightarrow": "→", "to": "→", "Rightarrow": "⇒", "leftarrow": "←", "diamond": "◆", "not": "",
    "times": "×", "star": "★", "heartsuit": "♥", "clubsuit": "♣", "spadesuit": "♠", "neq": "≠",
    "geq": "≥", "leq": "≤", "dots": "…", "ldots": "…",
}  # fmt: skip
_FORMULA = re.compile(r"\$([^$\n]{0,80}\\[^$\n]{1,80})\$")
_COMMAND = re.compile(r"\\(" + "|".join(_SIGNS) + r")(?![A-Za-z])")
_GROUP = re.compile(r"\\text\{([^{}]*)\}")
_LINK = re.compile(r"\[([^\[\]]+)\]\([^()\s]*\)")
_BACKSLASH = re.compile(r"\\([\\()\[\]*_#.\-+!$&])")
_HEADING = re.compile(r"(?m)^#{1,6} +")
# Not the asterisk inside a word ("Spieler*innen") or between blanks ("3 * 4").
_EMPHASIS = re.compile(r"\*{2,3}|(?<!\w)\*(?!\s)|(?<!\s)\*(?!\w)")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:a|b|big|code|em|font|i|kbd|s|small|span|strong|sub|sup|u|p|div|section|center|li|[ou]l"
    r"|d[dlt]|blockquote)(?:\s[^<>\n]{0,300})?/?>|<!--[^>]{0,300}-->",
    re.IGNORECASE,
)
# reStructuredText: `name <address>`_, :doc:`name <file>`, ``code``
_ROLE = re.compile(r"(?::[a-z]{1,20}:)?`([^`<>]{1,200}?)\s*+<[^<>`\s]{1,300}>`_{0,2}")
_NAMED_ROLE = re.compile(r":[a-z]{1,20}:`([^`<>]{1,200})`|``([^`\n]{1,200})``(?!`)")
_RAISED = re.compile(r"<sup>\s{0,3}(\d{1,3})\s{0,3}</sup>", re.IGNORECASE)
_NOTE = re.compile(r"\[\^(\d{1,3})\]:?")  # a footnote of Markdown
_ENTITY = re.compile(r"&(?:[A-Za-z]{2,8}|#\d{1,6}|#[xX][0-9A-Fa-f]{1,5});")
_UNSEEN = re.compile(
    "[\u00ad\u200b\u200c\u2060\ufeff\ufffc]"
)  # soft hyphens, spaces and joiners without width, places of pictures
_AND = any_of("sentences.conjunctions", "sentences.alternatives", "sentences.further")
_HYPHEN = re.compile(rf"(?<=[^\W\d_])[-\u00ad]\s*\n\s*(?!{_AND}\b)(?=[{_LETTER}])")
_COMPOUND = re.compile(rf"(?<=[^\W\d_]-)[ \t]*+\n\s*+(?=[{capitals()}][^\W\d_])")  # "Ja-\nStimmen"
_BULLET = re.compile(r"(?m)^([ \t]*)(?:[-•➤▶✦»>*][ \t]+)+(?=\S)")
_WRAP = re.compile(
    rf"(?<!\s)(?:(?<![.!?:;])|[ \t]|(\n))(?>\s*\n)\s*+(?=[{_LETTER}(]|– )"
    rf"(?![a-z][.)]{{1,2}}\s*[{capitals()}\w])"
)
# The lines of a quotation, the first of which ends within a sentence, and what begins the others.
_QUOTATION = re.compile(r"(?m)^[ \t]*+>.{40,200}[^\W_],?[ \t]?\n(?:[ \t]*+>.*+\n?)++")
_QUOTED = re.compile(r"(?m)(?<=[^\s>])[ ]?\n[ \t]*+>[ \t]*+(?=[^\s>*+-])|^[ \t]*+>[ ]?")
# A line that ends within a sentence, and a next line that begins with a capital or number.
_WRAPPED = re.compile(r".{59,160}[^\W_],?[ \t]?")
_HANGING = re.compile(r".{44,160}[^\W_],?[ \t]?")  # above a line that is indented
_GOES_ON = re.compile(rf"\s*(?!\d{{1,3}}[.)]|[{capitals()}][.)]|\S+:)(?P<word>[{capitals()}\d]\S*)")
_BLANK = re.compile(r"\n(?:[ \t]*\n)+")  # leaves the indentation of the following line
_OPEN_END = re.compile(r"""[^\W_](?:[,\"“”»«’)\]*_]*)$""")
_SPACES = re.compile(r"(?<=\S)[ \t\u00a0]{2,}(?=\S)")


COUNTED = "\0"  # after a number that replaces the following mark
_COUNTED = re.compile(rf"{COUNTED}\(?(?:#|\d{{1,3}})[.)]+[ \t]*")


def decode_entities(text: str) -> str:
    """Return ``text`` with HTML entities decoded: "&amp;" becomes "&"."""
    return _ENTITY.sub(lambda match: html.unescape(match.group()), text) if "&" in text else text


def display(evidence: str) -> str:
    """Return the printed text ``evidence`` in a form for readers.

    Words hyphenated at line ends are joined, escapes and entities decoded. Markdown and LaTeX
    markup, inline tags and invisible characters are removed. Bullets of every kind become ``•`` and
    keep their indentation. A line break inside a sentence becomes a space.
    """
    text = _HEADING.sub("", evidence)
    text = _FORMULA.sub(lambda m: _GROUP.sub(r"\1", m.group(1)).strip(), text)
    text = _COMMAND.sub(lambda m: _SIGNS[m.group(1)], text)
    text = ESCAPE.sub(lambda m: chr(int(m.group(1), 16)), text)
    text = _CUT_ESCAPE.sub("", text)
    text = _LINK.sub(r"\1", text)
    text = _NOTE.sub(r"<sup>\1</sup>", text) if "[^" in text else text
    text = _RAISED.sub(lambda m: superscripts(m.group(1)), text)
    text = _NAMED_ROLE.sub(r"\1\2", _ROLE.sub(r"\1", text)) if "`" in text else text
    text = _TAG.sub("", _BREAK.sub("\n", text))
    text = unicodedata.normalize("NFC", decode_entities(text))
    if ">" in text:
        text = _QUOTATION.sub(lambda m: _QUOTED.sub(_unquoted, m.group()), text)
    text = _BULLET.sub(r"\1• ", text)
    text = _EMPHASIS.sub("", text)
    text = _BACKSLASH.sub(r"\1", text)
    text = _UNSEEN.sub("", _COMPOUND.sub("", _HYPHEN.sub("", text)))
    text = _WRAP.sub(r"\1 ", _join_wrapped(text) if "\n" in text else text)
    text = _BLANK.sub("\n", text)
    return _SPACES.sub(" ", text).strip()


def _unquoted(mark: re.Match[str]) -> str:
    return " " if "\n" in mark.group() else ""


def _join_wrapped(text: str) -> str:
    # Joins lines if the next word (with a capital, or a number) did not fit on the line above.
    first, *others = text.split("\n")
    width = max(map(len, (first, *others)))
    joined, above = [first], first
    for line in others:
        goes_on = _GOES_ON.match(line)
        full = goes_on and len(above.rstrip()) + 1 + len(goes_on["word"]) > width
        wrapped = _HANGING if line[:1] in " \t" else _WRAPPED
        if full and wrapped.fullmatch(above) and "   " not in above.strip():  # no columns
            joined[-1] = joined[-1].rstrip()
            joined += (" ", line.lstrip())
        else:
            joined += ("\n", line)
        above = line
    return "".join(joined)


def readable(text: str, spans: list[tuple[int, int]], insertions: dict[int, str]) -> str:
    """Return the `display` of the ``spans`` of ``text``, with ``insertions`` (characters missing in
    print, by offset).

    If a span ends inside a sentence, because a page break or a figure interrupts the passage, the
    next span continues on the same line.
    """
    whole = ""
    for a, b in spans:
        last = a
        piece = ""
        for offset in sorted(o for o in insertions if a <= o < b):
            piece += text[last:offset] + insertions[offset]
            last = offset
        piece += text[last:b]
        piece = _COUNTED.sub("", piece) if COUNTED in piece else piece
        whole += ("" if not whole else " " if _OPEN_END.search(whole) else "\n") + piece
    return display(whole)
