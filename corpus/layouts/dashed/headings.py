"""Recognises the headings of the dashed layout: section titles, and subheadings on lines of their
own or at the beginning of paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from corpus.document import Line
from corpus.languages import any_of, capitals

LONGEST = 120  # characters of a heading on a line of its own
RUN_IN = 60  # characters of a heading at the beginning of a paragraph

_START = rf"[{capitals()}„“\"]"
_UPPER = re.compile(_START)
_ROMAN = re.compile(rf"[IVX]{{1,5}}\.\s{{0,3}}{_START}")
_LETTER = re.compile(rf"[a-z]\.?\)\s{{0,3}}{_START}")
_LABEL = re.compile(rf"{any_of('labels.note')}(?P<about>\s+[„“\"].*)?\s?[:!]?$", re.IGNORECASE)
_EXAMPLE = re.compile(
    rf"(?:\w{{1,10}} ){{0,2}}{any_of('labels.example', 'labels.example_abbreviation')}"
    r"(?: \w{1,3})?\s?:?$",
    re.IGNORECASE,
)
_OLD_TEXT = re.compile(rf"{any_of('labels.old_text')}\s?:", re.IGNORECASE)
_NEW_TEXT = re.compile(rf"{any_of('labels.new_text')}\s?:", re.IGNORECASE)
_CHANGE = re.compile(rf"{any_of('labels.change')}\s?:", re.IGNORECASE)
_BULLET = re.compile(r"[-–•*➤▶](?=[^\W\d_]|\s|\.{3}|\d|[„“\"(])")
_QUOTE = re.compile(
    r"(?:[-–•*]\s?)?[^\s(][^(:.]{0,50}\([^()]{1,12}\)[,: ][^:.]{0,60}?\d[^:]{0,60}?:"
)
_NAMED = re.compile(r"[^:.;()]{1,60}\s\([^()]{1,15}\)$")
_CITED = re.compile(r"[„“\"][^„“”\"]*[“”\"]")
_WARNING = re.compile(rf"{any_of('labels.warning')}\b", re.IGNORECASE)  # heads nothing
# A lead-in is a clause with a finite verb; a heading is not.
_FINITE_VERB = re.compile(
    rf"\b{any_of('sentences.finite_verbs')}\b"
    rf"|(?<![\w-])(?!{any_of('sentences.not_verbs')}){any_of('sentences.verb_endings')}\b"
)


class Form(Enum):
    """The printed form of a subheading, which decides its nesting depth."""

    ROMAN = auto()  # "II. Sturm", "II. Ablauf:"
    LETTER = auto()  # "b.) Würfeln"
    COLON = auto()  # "Besonderheiten:" on a line of its own; "SONDERFALL!"
    ASIDE = auto()  # 'Sonderfall "Nebel"': a remark on the subheading above
    BARE = auto()  # only a correction shows that it is a subheading
    RUN_IN = auto()  # "Wirkung: Der Deich …": the first words of a paragraph


@dataclass(frozen=True)
class Subheading:
    """A subheading in ``line``, with its form and its text as printed."""

    line: Line
    form: Form
    text: str

    @property
    def is_remark(self) -> bool:
        """Whether the subheading heads a remark without naming a topic ("Anmerkung:"), even at the
        beginning of a paragraph.
        """
        label = _LABEL.match(self.text)
        return label is not None and label["about"] is None and self.form is not Form.ASIDE


def is_example(text: str) -> bool:
    """Return whether ``text`` is only the label of an example ("Beispiel:", "Ein Beispiel:")."""
    return len(text) <= 40 and _EXAMPLE.match(text) is not None


def is_bullet(text: str) -> bool:
    """Return whether ``text`` is a bulleted list item."""
    return _BULLET.match(text) is not None


def is_quote(text: str) -> bool:
    """Return whether ``text`` quotes a card: its name, its faction in brackets, its numbers, and
    its text after a colon.
    """
    return _QUOTE.match(text) is not None


def is_named_card(text: str) -> bool:
    """Return whether ``text`` is only the name of a card with its faction in brackets."""
    return len(text) <= LONGEST and bool(_UPPER.match(text) and _NAMED.match(text))


def is_old_text(text: str) -> bool:
    """Return whether ``text`` begins with the label of a replaced wording ("Alter Text:")."""
    return _OLD_TEXT.match(text) is not None


def is_change(text: str) -> bool:
    """Return whether ``text`` begins with the label of a change ("Änderung:")."""
    return _CHANGE.match(text) is not None


def is_text_label(text: str) -> bool:
    """Return whether ``text`` begins with the label of an old text, a new text or a change."""
    return is_old_text(text) or is_change(text) or _NEW_TEXT.match(text) is not None


def section_title(text: str) -> str | None:
    """Return the title between dashes in ``text``, or None. The dashes after it may be missing."""
    title = text.strip().strip("-").strip()
    dashed = text.strip().startswith("-----") and len(title) <= 2 * LONGEST
    return title if title and dashed else None


def is_separator(text: str) -> bool:
    """Return whether ``text`` is a line of dashes without a title."""
    return len(text) >= 3 and not text.strip("-")


def card_data(blocks: Sequence[Sequence[Line]], extracted: bool) -> set[int]:
    """Return the line numbers of ``blocks`` that begin with card data: two short lines without
    final punctuation.

    In ``extracted`` text, where blocks are unknown, return each line after three lines of data.
    """

    def is_data(lines: Sequence[Line]) -> bool:
        texts = [line.text.strip() for line in lines]
        return all(len(text) <= 40 and text[-1] not in ".:!?,;)" for text in texts)

    found = {
        line.number for block in blocks if len(block) >= 3 and is_data(block[:2]) for line in block
    }
    lines = [line for block in blocks for line in block]
    for at in range(3, len(lines) if extracted else 0):
        if is_data(lines[at - 3 : at]):
            found.add(lines[at].number)
    return found


def find_subheading(line: Line, alone: bool = False) -> Subheading | None:
    """Return the subheading that ``line`` is or begins with, or None; if ``alone``, it must be the
    whole line.
    """
    text = line.text.strip()
    if len(text) <= LONGEST and (form := _form(text)):
        return Subheading(line, form, text)
    cut = text.find(": ", 0, RUN_IN + 1)
    if alone or cut < 1 or not _can_be_heading(text[:cut]) or re.search(r"[\d.,;()]", text[:cut]):
        return None
    rest = text[cut + 2 :].lstrip()
    if len(rest) < 20 or rest[0].islower() or rest[-1] not in '.!?)…"“”':
        return None
    return Subheading(line, Form.RUN_IN, text[: cut + 1])


def corrected_subheading(line: Line) -> Subheading:
    """Return the subheading that a correction makes of ``line``."""
    text = line.text.strip()
    return Subheading(line, _form(text) or Form.BARE, text)


def _form(text: str) -> Form | None:
    # The form of a whole line as a subheading.
    if text[-1] in ".,;" or (": " in text and not text.endswith(":")):
        return None
    if _ROMAN.match(text):
        return Form.ROMAN
    if _LETTER.match(text):
        return Form.LETTER
    label = _LABEL.match(text)
    if label and label["about"]:
        return Form.ASIDE
    named = text.endswith(":") and ". " not in text and _can_be_heading(text[:-1])
    return Form.COLON if named or (label and text[-1] in ":!") else None


def _can_be_heading(text: str) -> bool:
    # Whether it begins like a name and is not a sentence.
    return bool(
        _UPPER.match(text)
        and not text.endswith(" ")
        and not is_example(text)
        and not _WARNING.match(text)
        and not _FINITE_VERB.search(_CITED.sub("", text))
        and any(map(str.isalpha, text))
        and not is_text_label(text + ":")
    )
