"""Evidence made readable: hyphens at line ends closed, escapes decoded, markup gone; no word is changed."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\u00([0-9a-fA-F]{2})")
_CUT_ESCAPE = re.compile(r"\\u00[0-9a-fA-F]?(?![0-9a-fA-F])")
_LATEX = {
    r"\rightarrow": "→", r"\Rightarrow": "⇒", r"\leftarrow": "←", r"\diamond": "◆", r"\not": "", r"\times": "×",
    r"\star": "★", r"\heartsuit": "♥", r"\clubsuit": "♣", r"\spadesuit": "♠", r"\neq": "≠", r"\geq": "≥", r"\leq": "≤",
}  # fmt: skip
_LATEX_COMMAND = re.compile(r"\$?\s*(\\(?:" + "|".join(name[1:] for name in _LATEX) + r"))\s*\$?")
_LINK = re.compile(r"\[([^\[\]]+)\]\([^()\s]*\)")
_BACKSLASH = re.compile(r"\\([\\()\[\]*_#.\-+!$&])")
_HEADING = re.compile(r"(?m)^#{1,6} +")
_EMPHASIS = re.compile(r"\*{1,3}")
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u00ad]\s*\n\s*(?!(?:und|oder|bzw|sowie|e|o|ed|od)\b)(?=[a-zäöüßàèéìòù])")
_BULLET = re.compile(r"(?m)^([ \t]*)(?:[-–•➤▶✦»>*]\s+)+(?=\S)")
_WRAP = re.compile(r"(?<![.!?:;])[ \t]*\n\s*(?=[a-zäöüßàèéìòù(])(?![a-z][.)]{1,2}\s*[A-ZÄÖÜ\w])")
_BLANK = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_SPACES = re.compile(r"(?<=\S)[ \t\u00a0]{2,}(?=\S)")


def display(evidence: str) -> str:
    """``evidence`` for readers: the same words, line-end hyphens closed, escapes decoded, Markdown and LaTeX signs gone.

    Bullets of every kind become ``•`` and keep their indentation; a line break inside a sentence becomes a space.
    """
    text = _HEADING.sub("", evidence)
    text = _LATEX_COMMAND.sub(lambda m: _LATEX[m.group(1)], text)
    text = _ESCAPE.sub(lambda m: chr(int(m.group(1), 16)), text)
    text = _CUT_ESCAPE.sub("", text)
    text = _LINK.sub(r"\1", text)
    text = _BULLET.sub(r"\1• ", text)
    text = _EMPHASIS.sub("", text)
    text = _BACKSLASH.sub(r"\1", text)
    text = _HYPHEN.sub("", text)
    text = _WRAP.sub(" ", text)
    text = _BLANK.sub("\n", text)
    return _SPACES.sub(" ", text).strip()


def readable(text: str, spans: list[tuple[int, int]], restored: dict[int, str]) -> str:
    """`display` of the characters of ``text`` in ``spans``, joined by newlines, with ``restored`` put in at its offsets."""
    pieces = []
    for a, b in spans:
        last = a
        piece = ""
        for offset in sorted(o for o in restored if a <= o < b):
            piece += text[last:offset] + restored[offset]
            last = offset
        pieces.append(piece + text[last:b])
    return display("\n".join(pieces))
