"""Decodes files without a declared encoding: Unicode by byte order marks and zero bytes, legacy
encodings by the plausibility of the text.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from functools import cache
from itertools import islice
from typing import NamedTuple

from corpus.languages import vocabulary

# UTF-32 first: one of its marks begins with a mark of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# ISO 8859-1 is Windows-1252 without quotation marks and dashes.
_OLD = ("cp1252", "iso8859-15", "mac-roman", "cp850")
_OTHERS = [
    *("cp1250", "iso8859_2", "cp1251", "koi8_r", "cp1253", "cp1254", "shift_jis", "euc_jp"),
    *("euc_kr", "gb18030", "big5"),
]

_SAMPLE = 50_000  # characters and words that are examined
_TEXT = 0.98  # least share of characters in a text that are not control characters
_FIT = 0.5  # least share of the characters beyond ASCII that are plausible
_STRAY = 0.05  # highest share of other bytes, of those beyond ASCII, in a UTF-8 file

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f\ufffd-\uffff]")
_BEYOND = re.compile(r"[^\x00-\x7f]")
_TOKEN = re.compile(r"(?:(?<=\s)|\A)[\x21-\x7f]{0,40}[^\x00-\x7f\s]\S{0,40}")
_WORD = re.compile(r"[^\W\d_]+")
_SENSE = re.compile(
    r"""
      [„“«‹»›”‟"]?
      (?:[A-Za-zàâäáãåæçèéêëìíîïñòóôöõøœùúûüÿß]+|[A-ZÀÂÄÁÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÖÕØŒÙÚÛÜŸẞ]+)
    | (?:^|(?<=[\s(\[/„“»«‚‘’—–-]))[„“«»‚‘¿¡§•·–—…©×€£°±½¼¾→]+
    | (?<=[\w.,;:!?)\]])[“”»«’‘…–—™®©°€£²³¹ªº½¼¾%‰]+
    """,
    re.VERBOSE,
)
# Capitals behind small letters, signs between letters, three accented letters in a row.
_NONSENSE = re.compile(
    r"[a-zß-ÿ][A-ZÀ-ÝŠŽŸŒ]"
    r"|[^\W\d_][^\w\s'’.,:;/|!?()\[\]{}&+*=<>–—·-][^\W\d_]|[^\W\d_][²³¹½¼¾][^\W\d_]"
    r"|[À-ÖØ-öø-ÿ]{3}"
)


class UndecodableText(ValueError):
    """Bytes that do not seem to be text; the message says why, but not the file name."""


class DecodedText(NamedTuple):
    """A ``text``, and the ``encoding`` from which it was decoded."""

    text: str
    encoding: str


def decode(raw: bytes) -> DecodedText:
    """Return the text of ``raw``, with its line ends unchanged.

    A byte order mark is removed for UTF-16 and UTF-32, but kept for UTF-8. Valid UTF-8 is UTF-8.
    Other encodings are chosen by the share of plausible characters beyond ASCII: accented letters
    within words and in known words; quotation marks and dashes at the edges of words. Raises
    `UndecodableText` if the bytes are not text.
    """
    for mark, encoding in _MARKS:
        if raw.startswith(mark) and (text := _strictly(raw[len(mark) :], encoding)) is not None:
            return DecodedText(text, encoding)
    if b"\0" in raw:  # without a byte order mark; most characters are Latin letters
        for _, encoding in _MARKS:
            sample = ((text := _strictly(raw, encoding)) or "")[:_SAMPLE]
            latin = sum(character < "\u0250" for character in sample)
            if text is not None and latin >= 0.7 * len(sample):
                return DecodedText(text, encoding)
        raise UndecodableText("binary, not text; export the rulebook as plain text in UTF-8")
    try:
        return DecodedText(raw.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as error:
        return _old(raw, error.start)


def _strictly(raw: bytes, encoding: str) -> str | None:
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        return None
    return text if _is_text(text) else None


def _is_text(text: str) -> bool:
    sample = text[:_SAMPLE]
    controls = len(_CONTROL.findall(sample))
    return bool(sample.strip()) and "\0" not in text and controls <= (1 - _TEXT) * len(sample)


def _old(raw: bytes, first: int) -> DecodedText:
    """Decode ``raw`` in the legacy encoding that fits best; ``first`` is the position of the first
    byte that is not UTF-8.
    """
    # Bytes undefined in an encoding become control characters, as in browsers.
    candidates = [DecodedText(raw.decode(each, "regula-latin-1"), each) for each in _OLD]
    # UTF-8 with a few bytes of Windows-1252, as in texts pasted together from two files.
    strays = sum("\udc80" <= each <= "\udcff" for each in raw.decode("utf-8", "surrogateescape"))
    if strays <= _STRAY * sum(byte > 127 for byte in raw):
        mended = DecodedText(raw.decode("utf-8", "regula-windows-1252"), "utf-8")
        candidates.insert(0, mended)
    best = max(candidates, key=lambda each: _fitness(each.text))
    if _fitness(best.text) < _FIT:
        from charset_normalizer import from_bytes

        found = from_bytes(raw[:_SAMPLE], cp_isolation=_OTHERS, preemptive_behaviour=False).best()
        if found and (text := _strictly(raw, found.encoding)) is not None:
            return DecodedText(text, found.encoding)
    if not _is_text(best.text):
        raise UndecodableText(f"not UTF-8 at byte {first}; save it as UTF-8")
    return best


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("latin-1"), error.end


def _as_windows_1252(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", "regula-latin-1"), error.end


codecs.register_error("regula-latin-1", _as_latin_1)
codecs.register_error("regula-windows-1252", _as_windows_1252)


@cache
def _known() -> frozenset[str]:
    return frozenset(word for word in vocabulary() if not word.isascii())


def _fitness(text: str) -> float:
    """Return the share of the characters beyond ASCII in ``text`` that are plausible in their
    context; words of the language files weigh more.
    """
    tokens = Counter(match.group() for match in islice(_TOKEN.finditer(text), _SAMPLE))
    # Count non-breaking spaces as plausible; other meanings of their byte are rare.
    good = every = text.count("\u00a0", 0, 20 * _SAMPLE)
    for token, count in tokens.items():
        signs = len(_BEYOND.findall(token))
        sense = sum(len(_BEYOND.findall(match.group())) for match in _SENSE.finditer(token))
        known = 2 * sum(word.casefold() in _known() for word in _WORD.findall(token))
        every += count * (signs + known)
        good += count * ((0 if _NONSENSE.search(token) else sense) + known)
    return good / every if every else 0.0
