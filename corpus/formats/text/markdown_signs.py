"""What stands within the blocks of Markdown: links, anchors, emphasis, and the anchors that
headings get.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from corpus.blocks import Link
from corpus.spans import Span

_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)[^`\n]{1,500}\1(?!`)")
_INLINE = re.compile(
    r"(?<!\\)\[(?P<text>(?:[^\[\]\\]|\\.|\[[^\[\]]{0,80}\]){1,300})\]\(\s*<?(?P<target>[^()\s<>]{1,500}(?:\([^()\s]{0,80}\))?)[^()]{0,200}\)"
)
_REFERENCE = re.compile(
    r"(?<![\\\]])\[(?P<text>[^\[\]]{1,300})\](?:\s?\[(?P<label>[^\[\]]{0,200})\])?(?![(:])"
)
_AUTO = re.compile(r"<(?P<text>(?P<target>https?://[^<>\s]{1,500}))>")
_TAG = re.compile(
    r"<a\s[^<>]{0,200}?href\s?=\s?[\"']?(?P<target>[^\"'<>\s]{1,500})[\"']?[^<>]{0,200}>(?P<text>[^<>]{1,300})</a>",
    re.IGNORECASE,
)
_ANCHOR = re.compile(
    r"<[a-z][a-z0-9]{0,10}\s[^<>]{0,200}?\b(?:id|name)\s?=\s?[\"']?([^\"'<>\s]{1,200})",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"\{[^{}]{0,100}?#([\w:.-]{1,100})[^{}]{0,100}\}\s*+#*+\s*+\Z")
_LABEL = re.compile(r"\[([\w:.-]{1,100})\]\s*+#*+\s*+\Z")  # of MultiMarkdown, behind a heading
_TAGS = re.compile(r"</?[a-zA-Z][^<>]{0,300}>|<!--.{0,1000}?-->", re.DOTALL)
_STRONG = re.compile(
    r"(\*\*|__)(?=\S)(?:(?!\1).){1,2000}\1|<(b|strong)\b[^<>]{0,100}>(?:(?!</?\2\b).){1,2000}</\2>",
    re.DOTALL | re.IGNORECASE,
)
_EMPHASIS = re.compile(
    r"(?<![*\w])\*(?=[^\s*])[^*]{1,2000}\*(?![*\w])|(?<![_\w])_(?=[^\s_])[^_]{1,2000}_(?![_\w])|<(i|em)\b[^<>]{0,100}>(?:(?!</?\1\b).){1,2000}</\1>",
    re.DOTALL | re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W_]")


def links(text: str, span: Span, targets: Mapping[str, str]) -> tuple[Link, ...]:
    """The links in ``span`` of ``text``, in their order. ``targets`` are those of link definitions,
    by their labels (`label`).
    """
    part = text[span.start : span.end]
    if "[" not in part and "<" not in part:
        return ()
    part = _CODE.sub(lambda match: " " * len(match.group()), part)
    found: list[Link] = []
    for match, target in _matches(part, targets):
        start, end = match.span("text")
        found.append(
            Link(
                Span(span.start + start, span.start + end),
                unquote(target) if target.startswith("#") else target,
            )
        )
    found.sort()
    return tuple(
        link
        for at, link in enumerate(found)
        if at == 0 or link.span.start >= found[at - 1].span.end
    )


def _matches(part: str, targets: Mapping[str, str]) -> Iterator[tuple[re.Match[str], str]]:
    for pattern in (_INLINE, _AUTO, _TAG):
        for match in pattern.finditer(part):
            if match.start() == 0 or part[match.start() - 1] != "!":
                yield match, match["target"]
    if targets:
        for match in _REFERENCE.finditer(part):
            if target := targets.get(label(match["label"] or match["text"])):
                yield match, target


def label(text: str) -> str:
    """The label of a link definition as it is compared."""
    return " ".join(text.split()).casefold()


def anchors(text: str, heading: bool) -> tuple[str, ...]:
    """The anchors that ``text`` itself names: by tags, and behind a heading in braces or
    brackets.
    """
    found = _ANCHOR.findall(text)
    if heading:
        found += [
            match.group(1)
            for pattern in (_ATTRIBUTE, _LABEL)
            if (match := pattern.search(text[-300:]))
        ]
    return tuple(dict.fromkeys(found))


def bare(text: str) -> str:
    """``text`` without tags, and of links only what is read."""
    return _TAGS.sub("", _INLINE.sub(lambda match: match["text"], text))


def without_targets(text: str) -> str:
    """``text`` with blanks in place of the targets of its links, at the same length."""
    return _INLINE.sub(lambda match: f"[{match['text']}]".ljust(len(match.group())), text)


def only_anchors(text: str) -> bool:
    """Whether ``text`` has nothing to read: tags and comments only."""
    return not _LETTER.search(_TAGS.sub("", text)) and bool(_TAGS.search(text))


def emphasis(text: str) -> tuple[bool, bool]:
    """Whether all letters of ``text`` are bold, and whether all are italic."""
    if not text or not any(sign in text for sign in "*_<"):
        return False, False
    strong = _STRONG.sub("", text)
    bold = strong != text and not _LETTER.search(_TAGS.sub("", strong))
    inner = re.sub(r"\*\*|__", "", text)
    slanted = _EMPHASIS.sub("", inner)
    return bold, slanted != inner and not _LETTER.search(_TAGS.sub("", slanted))


class HeadingAnchors:
    """Makes the anchors of headings as GitHub does."""

    def __init__(self) -> None:
        self._used: Counter[str] = Counter()

    def new(self, title: str) -> str:
        """The anchor of the next heading, which reads ``title``, with its markup; "" where it has
        neither letters nor numbers.
        """
        plain = re.sub(r"[*`]|(?<!\w)_|_(?!\w)", "", bare(title)).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        count = self._used[slug]
        self._used[slug] += 1
        return f"{slug}-{count}" if count else slug
