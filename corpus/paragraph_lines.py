"""Lines of a document as layouts read them: a paragraph of extracted text is one line, though words in it are hyphenated."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpus.document import Document, Line
from corpus.languages import any_of, letters

CLOSED = "\u00ad"  # stands for signs that a reader of the line should not see; what is made of its text leaves them out

_AND = any_of("sentences.conjunctions", "sentences.alternatives", "sentences.further")
_SUSPENDED = re.compile(rf"{_AND}\b")
_SMALL = re.compile(rf"[{letters()}]")


def paragraph_lines(document: Document) -> Sequence[Line]:
    """The lines of ``document``; those that are divided by a hyphen are one, with the number of the first.

    The text of such a line is as long as what it spans: `CLOSED` stands in the place of the line's end, and of a hyphen that the word has
    only there.
    """
    if document.extracted is None:
        return document.lines
    found: list[Line] = []
    for line in document.lines:
        if found and line.text.strip() and not document.begins_paragraph(line.number):
            found[-1] = _joined(found[-1], line)
        else:
            found.append(line)
    return found


def paragraph_text(document: Document) -> str:
    """The text of ``document`` with its lines as `paragraph_lines` has them; it is as long as the text itself."""
    text = document.text
    return text if document.extracted is None else "\n".join(line.text for line in paragraph_lines(document)) + "\n" * text.endswith("\n")


def closed(text: str) -> str:
    """``text`` of such lines for readers."""
    return text.replace(CLOSED, "")


def _joined(line: Line, following: Line) -> Line:
    """``line``, which ends with a hyphen, and the ``following`` one, in which its last word goes on."""
    if _SUSPENDED.match(following.text):
        text = line.text + " "
    elif _SMALL.match(following.text):
        text = line.text[:-1] + 2 * CLOSED
    else:
        text = line.text + CLOSED
    return line._replace(end=following.end, text=text + following.text)
