"""What many programs put before a text in Markdown: lines in YAML with its title, version and
date.
"""

from __future__ import annotations

import re

_FIELD = r"[\w-]++[ \t]*+:.*+\n"
_MORE = r"[ \t]++.*+\n|-.*+\n|#.*+\n"
_END = r"(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)"
_FRONT = re.compile(
    rf"\ufeff?(?:---[ \t]*\r?\n(?>{_FIELD}|{_MORE}){{1,100}}?|(?>{_FIELD}){{2,100}}?){_END}"
)
_TITLE = re.compile(r"^title[ \t]*:([^\r\n]{1,400})\r?$", re.IGNORECASE | re.MULTILINE)


def front_matter(text: str) -> int:
    """How many characters the front matter of ``text`` has; 0 where there is none. The line "---"
    above it may be missing.
    """
    found = _FRONT.match(text)
    return found.end() if found else 0


def front_title(text: str) -> str:
    """The title in the front matter of ``text``; "" where there is none."""
    found = _TITLE.search(text, 0, front_matter(text))
    title = found.group(1).strip() if found else ""
    return (
        title[1:-1].strip()
        if len(title) > 2 and title[0] == title[-1] and title[0] in "\"'"
        else title
    )
