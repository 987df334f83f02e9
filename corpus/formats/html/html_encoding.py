"""Tells HTML by its tags, and decodes it as it says itself (HTML standard, "determining the
character encoding").
"""

from __future__ import annotations

import codecs
import re

from corpus.formats.format import UnreadableFile
from corpus.formats.text import encodings

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META = re.compile(rb"<meta[^>]{0,500}?charset\s*+=\s*+[\"']?\s*+([\w.:-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{2,40})[\"']")
_WINDOWS = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
}  # what is called so on the web is Windows-1252
HEAD = 4096  # bytes in which the encoding is declared

_DOCUMENT = re.compile(
    r"\s*+(?:(?><\?xml[^>]{0,200}\?>|<!--.{0,2000}?-->)\s*+)*+(?:<!doctype\s+html\b|<html[\s>])",
    re.IGNORECASE | re.DOTALL,
)
_BLOCK = re.compile(
    r"<(/?)(?:head|body|main|article|section|header|footer|nav|div|p|h[1-6]|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|td|th|blockquote|pre"
    r"|center)(?:\s[^<>]{0,1000})?/?>|<(?:br|hr|meta|link)\b[^<>]{0,1000}>",
    re.IGNORECASE,
)
_OF_MARKDOWN = re.compile(
    r"^(?:#{1,6} \S|\s{0,3}(?:[-*+]|\d{1,3}[.)]) \S|```|\|.*\|\s*$)|\*\*\S|\]\(", re.MULTILINE
)
FRAGMENT = 20_000  # characters by which a page without <html> is told
_TAG_EVERY = 600  # characters: a paragraph, at most


def decode(raw: bytes) -> str:
    """The text of ``raw``: by its byte order mark, what it declares, as UTF-8, or as what makes
    most sense. Raises `UnreadableFile`.
    """
    for mark, encoding in _BOMS:
        if raw.startswith(mark):
            return raw[len(mark) :].decode(encoding, "replace")
    for encoding in [*_declared(raw[:HEAD]), "utf-8"]:
        try:
            return raw.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    try:
        return encodings.decode(raw).text
    except encodings.UndecodableText as error:
        raise UnreadableFile(str(error)) from error


def _declared(head: bytes) -> list[str]:
    """The encodings that ``head`` declares and Python knows."""
    found = []
    for match in (_META.search(head), _XML.match(head)):
        if match:
            try:
                name = codecs.lookup(match[1].decode("ascii")).name
            except LookupError:
                continue
            if not name.startswith("utf-16"):  # the declaration could not have been read
                found.append(_WINDOWS.get(name, name))
    return found


def fits(raw: bytes) -> bool:
    """Whether ``raw`` is HTML: it begins as such, or consists of elements. Markdown with some tags
    in it does not.
    """
    if raw.startswith(_BOMS[1][0]) or raw.startswith(_BOMS[2][0]):
        text = raw[: 2 * FRAGMENT].decode("utf-16", "replace")
    else:
        text = raw[:FRAGMENT].decode("latin-1").removeprefix("ï»¿")
    return bool(_DOCUMENT.match(text)) or _is_fragment(text)


def _is_fragment(text: str) -> bool:
    """Whether ``text`` is HTML without <html>: it begins with an element of a page and has all of
    its text in such elements.
    """
    first = _BLOCK.match(text.lstrip())
    if not first:
        return False
    tags = list(_BLOCK.finditer(text))
    if len(tags) < 2 or len(tags) * _TAG_EVERY < len(text):
        return False
    outside, depth, end = 0, 0, 0
    for tag in tags:
        between = text[end : tag.start()]
        if depth <= 0 or "\n\n" in between.strip():  # a paragraph that no tag begins
            outside += len(between.strip())
        depth = max(depth + (-1 if tag[1] else 1), 0)
        end = tag.end()
    return outside <= 0.02 * len(text) and len(_OF_MARKDOWN.findall(text)) * 5 <= len(tags)
