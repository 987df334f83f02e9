"""What many programs put before a text in Markdown: lines in YAML with its title, version and date."""

from __future__ import annotations

import re

_FIELD = r"[\w-]+[ \t]*:.*\r?\n"
_MORE = r"[ \t]+.*\r?\n|[ \t]*-.*\r?\n|#.*\r?\n"
_END = r"(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)"
_FRONT = re.compile(rf"\ufeff?(?:---[ \t]*\r?\n(?:{_FIELD}|{_MORE}){{1,100}}?|(?:{_FIELD}){{2,100}}?){_END}")
_TITLE = re.compile(r"^title[ \t]*:[ \t]*(?P<quote>[\"']?)(?P<title>[^\r\n]{1,300}?)(?P=quote)[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)


def front_matter(text: str) -> int:
    """How many characters the front matter of ``text`` has; 0 where there is none. The line "---" above it may be missing."""
    found = _FRONT.match(text)
    return found.end() if found else 0


def front_title(text: str) -> str:
    """The title in the front matter of ``text``; "" where there is none."""
    found = _TITLE.search(text, 0, front_matter(text))
    return found["title"].strip() if found else ""
