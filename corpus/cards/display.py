"""Makes the text of a card readable without changing a word: markup goes, symbols become signs or
names.
"""

from __future__ import annotations

import html
import re

from corpus.cards.symbols import with_symbols_shown

_BREAK = re.compile(r"<[bh]r\s*/?>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:b|big|cite|em|i|p|small|span|strong|sub|sup|u)(?:\s[^<>\n]{0,100})?/?>", re.IGNORECASE
)
_CUT_TAG = re.compile(r"<[bi](?=[^\W\d_a-z])")  # its bracket was forgotten
_TRAIT = re.compile(
    r"\[\[([^\[\]\n]{1,100})\]{1,2}|\[([^\[\]\n]{1,100})\]\]"
)  # a bracket may have been forgotten
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]\w{1,31});", re.IGNORECASE)
_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_BLANK = re.compile(r"(?<![ \u00a0])[ \u00a0]*\n\s*")  # looked for once in a long run of spaces


def card_display(text: str, game: str, language: str) -> str:
    """``text`` of a card of ``game`` in ``language`` for readers: no markup, symbols shown, no
    control characters, no empty lines.
    """
    shown = text.replace("\r\n", "\n").replace("\r", "\n")
    if "<" in shown:
        shown = _CUT_TAG.sub("", _TAG.sub("", _BREAK.sub("\n", shown)))
    shown = with_symbols_shown(shown, game, language)
    shown = _TRAIT.sub(lambda match: match.group(1) or match.group(2), shown)
    if "&" in shown:
        shown = _ENTITY.sub(lambda match: html.unescape(match.group()), shown)
    return _BLANK.sub("\n", _CONTROLS.sub(" ", shown)).strip()
