"""Recognises the headings of the dashed layout: section titles, and subheadings on lines of their
own or inside paragraphs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from corpus.document import Line
from corpus.languages import any_of, capitals

LONGEST = 120  # characters of a heading on a line of its own
RUN_IN = 60  # characters of a heading at the beginning of a paragraph


class HeadingForm(Enum):
    """How a subheading is printed, which decides how deep it is nested."""

    ROMAN = "roman"  # "II. Sturm", "II. Ablauf:"
    LETTER = "letter"  # "b.) Würfeln"
    COLON = "colon"  # "Besonderheiten:" on a line of its own; "SONDERFALL!"
    ASIDE = "aside"  # 'Sonderfall "Nebel"': a remark on the subheading above it
    BARE = "bare"  # without any sign, known only from a correction
    RUN_IN = "run-in"  # "Wirkung: Der Deich …": the first words of a paragraph


@dataclass(frozen=True)
class Subheading:
    """A subheading in ``line``: its form, its text as printed, and the offset in the line of its
    end.
    """

    line: Line
    form: HeadingForm
    text: str
    end: int

    @property
    def is_remark(self) -> bool:
        """Whether it is the heading of a remark without a topic ("Anmerkung:"), even at the
        beginning of a paragraph.
        """
        return (
            _LABEL.match(self.text) is not None
            and self.form is not HeadingForm.ASIDE
            and not _has_topic(self.text)
        )


_START = rf"[{capitals()}„“\"]"
_ROMAN = re.compile(rf"[IVX]{{1,5}}\.\s{{0,3}}{_START}")
_LETTER = re.compile(rf"[a-z]\.?\)\s{{0,3}}{_START}")
_LABEL = re.compile(rf"{any_of('labels.note')}(?P<about>\s+[„“\"].*)?\s?[:!]?$", re.IGNORECASE)
_EXAMPLE = re.compile(
    rf"(?:\w{{1,10}} ){{0,2}}{any_of('labels.example', 'labels.example_abbreviation')}(?: \w{{1,3}})?\s?:?$",
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
_UPPER = re.compile(_START)
# Words at the beginning of a warning, which is not a heading.
_WARNING = re.compile(rf"{any_of('labels.warning')}\b", re.IGNORECASE)
# A lead-in is a clause with a finite verb; a heading is not.
_FINITE_VERB = re.compile(
    rf"\b{any_of('sentences.finite_verbs')}\b|(?<![\w-])(?!{any_of('sentences.not_verbs')}){any_of('sentences.verb_endings')}\b"
)


def is_example(text: str) -> bool:
    """Whether ``text`` is nothing but the label of an example ("Beispiel:", "Ein Beispiel:")."""
    return len(text) <= 40 and _EXAMPLE.match(text) is not None


def is_bullet(text: str) -> bool:
    """Whether ``text`` is an item of a list."""
    return _BULLET.match(text) is not None


def is_quote(text: str) -> bool:
    """Whether ``text`` quotes a card: its name, its faction in brackets, its numbers, and its text
    after a colon.
    """
    return _QUOTE.match(text) is not None


def is_named_card(text: str) -> bool:
    """Whether ``text`` is nothing but the name of a card with its faction in brackets."""
    return (
        len(text) <= LONGEST and _UPPER.match(text) is not None and _NAMED.match(text) is not None
    )


def is_old_text(text: str) -> bool:
    """Whether ``text`` begins with the label of a replaced wording ("Alter Text:")."""
    return _OLD_TEXT.match(text) is not None


def is_change(text: str) -> bool:
    """Whether ``text`` begins with the label of a change ("Änderung:")."""
    return _CHANGE.match(text) is not None


def is_text_label(text: str) -> bool:
    """Whether ``text`` begins with a label of the old text, the new text or the change of a
    card.
    """
    return is_old_text(text) or _NEW_TEXT.match(text) is not None or is_change(text)


def section_title(text: str) -> str | None:
    """The title between the dashes of a section line; None if ``text`` is not one. The dashes after
    the title may be missing.
    """
    text = text.strip()
    title = text.strip("-").strip()
    if not title or not text.startswith("-----") or len(title) > 2 * LONGEST:
        return None
    return title


def is_separator(text: str) -> bool:
    """Whether ``text`` is a line of dashes without a title."""
    text = text.strip()
    return len(text) >= 3 and not text.strip("-")


def is_card_data(block: list[str]) -> bool:
    """Whether ``block``, a list of lines, begins with the data of a card: short lines without a
    sign at the end.
    """
    return len(block) >= 3 and all(map(_is_datum, block[:2]))


def _is_datum(text: str) -> bool:
    return len(text) <= 40 and text[-1] not in ".:!?,;)"


def after_card_data(lines: list[Line]) -> set[int]:
    """The numbers of ``lines`` that follow the data of a card, where nothing shows which lines form
    a block.
    """
    return {
        line.number
        for at, line in enumerate(lines)
        if at > 2 and all(_is_datum(x.text.strip()) for x in lines[at - 3 : at])
    }


def find_subheading(line: Line, alone: bool = False) -> Subheading | None:
    """The subheading that ``line`` is or begins with; None if there is none. With ``alone``, only
    whole lines count.
    """
    text = line.text.strip()
    indent = len(line.text) - len(line.text.lstrip())
    if len(text) <= LONGEST:
        form = _form(text)
        if form is not None:
            return Subheading(line, form, text, indent + len(text))
    if alone:
        return None
    cut = text.find(": ", 0, RUN_IN + 1)
    if cut < 1 or not _can_be_heading(text[:cut]) or re.search(r"[\d.,;()]", text[:cut]):
        return None
    rest = text[cut + 2 :].lstrip()
    if len(rest) < 20 or rest[0].islower() or rest[-1] not in '.!?)…"“”':
        return None
    return Subheading(line, HeadingForm.RUN_IN, text[: cut + 1], indent + cut + 1)


def corrected_subheading(line: Line) -> Subheading:
    """The subheading that ``line`` is according to a correction."""
    text = line.text.strip()
    return Subheading(line, _form(text) or HeadingForm.BARE, text, len(line.text.rstrip()))


def _form(text: str) -> HeadingForm | None:
    """The form of the whole line ``text`` as a subheading; None if it is not one."""
    if text[-1] in ".,;" or (": " in text and not text.endswith(":")):
        return None
    if _ROMAN.match(text):
        return HeadingForm.ROMAN
    if _LETTER.match(text):
        return HeadingForm.LETTER
    if _LABEL.match(text) and (_has_topic(text) or text[-1] in ":!"):
        return HeadingForm.ASIDE if _has_topic(text) else HeadingForm.COLON
    if text.endswith(":") and ". " not in text and _can_be_heading(text[:-1]):
        return HeadingForm.COLON
    return None


def _has_topic(text: str) -> bool:
    """Whether the label ``text`` names its topic ('Sonderfall "Nebel"')."""
    label = _LABEL.match(text)
    return label is not None and label["about"] is not None


def _can_be_heading(text: str) -> bool:
    """Whether ``text`` can be a heading: it begins like a name and is not a sentence."""
    if (
        not _UPPER.match(text)
        or text.endswith(" ")
        or is_example(text)
        or _WARNING.match(text)
        or _FINITE_VERB.search(_CITED.sub("", text))
    ):
        return False
    return any(c.isalpha() for c in text) and not is_text_label(text + ":")
