"""Recognises the headings of the dashed layout: section titles, subheadings of every form, and those that begin a paragraph."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from corpus.document import Line
from corpus.languages import any_of, capitals

LONGEST = 120  # characters of a head on a line of its own
RUN_IN = 60  # characters of a head that a paragraph begins with


class HeadingForm(Enum):
    """How a sub-head is printed; it decides what the head stands inside."""

    ROMAN = "roman"  # "II. Sturm", "II. Ablauf:"
    LETTER = "letter"  # "b.) Würfeln"
    COLON = "colon"  # "Besonderheiten:" on a line of its own; "SONDERFALL!"
    ASIDE = "aside"  # 'Sonderfall "Nebel"': a remark on the head above it
    BARE = "bare"  # a head without any mark, known from a correction only
    RUN_IN = "run-in"  # "Wirkung: Der Deich …": the paragraph's first words


@dataclass(frozen=True)
class Subheading:
    """A head found in ``line``: its text as printed, how it is printed, and where in the line it ends."""

    line: Line
    form: HeadingForm
    text: str
    end: int

    @property
    def is_remark(self) -> bool:
        """Whether it heads a remark on all that stands around it ("Anmerkung:"), even at the beginning of a paragraph."""
        return _LABEL.match(self.text) is not None and self.form is not HeadingForm.ASIDE and not _has_topic(self.text)


_START = rf"[{capitals()}„“\"]"
_ROMAN = re.compile(rf"[IVX]{{1,5}}\.\s{{0,3}}{_START}")
_LETTER = re.compile(rf"[a-z]\.?\)\s{{0,3}}{_START}")
_LABEL = re.compile(rf"{any_of('labels.note')}(?P<about>\s+[„“\"].*)?\s?[:!]?$", re.IGNORECASE)
_EXAMPLE = re.compile(
    rf"(?:\w{{1,10}} ){{0,2}}{any_of('labels.example', 'labels.example_abbreviation')}(?: \w{{1,3}})?\s?:?$", re.IGNORECASE
)
_OLD_TEXT = re.compile(rf"{any_of('labels.old_text')}\s?:", re.IGNORECASE)
_NEW_TEXT = re.compile(rf"{any_of('labels.new_text')}\s?:", re.IGNORECASE)
_CHANGE = re.compile(rf"{any_of('labels.change')}\s?:", re.IGNORECASE)
_BULLET = re.compile(r"[-–•*➤▶](?=[^\W\d_]|\s|\.{3}|\d|[„“\"(])")
_QUOTE = re.compile(r"(?:[-–•*]\s?)?[^\s(][^(:.]{0,50}\([^()]{1,12}\)[,: ][^:.]{0,60}?\d[^:]{0,60}?:")
_NAMED = re.compile(r"[^:.;()]{1,60}\s\([^()]{1,15}\)$")
_CITED = re.compile(r"[„“\"][^„“”\"]*[“”\"]")
_UPPER = re.compile(_START)
# Words that open a remark of their own and head nothing.
_WARNING = re.compile(rf"{any_of('labels.warning')}\b", re.IGNORECASE)
# A head names something; a lead-in says something, so it has a finite verb.
_FINITE_VERB = re.compile(
    rf"\b{any_of('sentences.finite_verbs')}\b|(?<![\w-])(?!{any_of('sentences.not_verbs')}){any_of('sentences.verb_endings')}\b"
)


def is_example(text: str) -> bool:
    """Whether ``text`` only announces an example ("Beispiel:", "Ein Beispiel:")."""
    return len(text) <= 40 and _EXAMPLE.match(text) is not None


def is_bullet(text: str) -> bool:
    """Whether ``text`` is an item of a list."""
    return _BULLET.match(text) is not None


def is_quote(text: str) -> bool:
    """Whether ``text`` quotes a card: its name, its faction in brackets, its numbers, and what it says after a colon."""
    return _QUOTE.match(text) is not None


def is_named_card(text: str) -> bool:
    """Whether ``text`` is a card's name with its faction in brackets and nothing else."""
    return len(text) <= LONGEST and _UPPER.match(text) is not None and _NAMED.match(text) is not None


def is_old_text(text: str) -> bool:
    """Whether ``text`` begins with the label of a wording that holds no longer."""
    return _OLD_TEXT.match(text) is not None


def is_change(text: str) -> bool:
    """Whether ``text`` begins with the label of what has changed."""
    return _CHANGE.match(text) is not None


def is_text_label(text: str) -> bool:
    """Whether ``text`` begins with a label that a changed card's texts stand under."""
    return is_old_text(text) or _NEW_TEXT.match(text) is not None or is_change(text)


def section_title(text: str) -> str | None:
    """The title between the dashes of a section line, None where ``text`` is none. The dashes at its end may be lost."""
    text = text.strip()
    title = text.strip("-").strip()
    if not title or not text.startswith("-----") or len(title) > 2 * LONGEST:
        return None
    return title


def is_separator(text: str) -> bool:
    """Whether ``text`` is a rule of dashes without a title."""
    text = text.strip()
    return len(text) >= 3 and not text.strip("-")


def is_card_data(block: list[str]) -> bool:
    """Whether ``block`` is the data of a card: short lines without full stops before what the card says."""
    return len(block) >= 3 and all(len(text) <= 40 and text[-1] not in ".:!?,;)" for text in block[:2])


def find_subheading(line: Line, alone: bool = False) -> Subheading | None:
    """The head that ``line`` is or begins with. With ``alone``, only a line that is a head as a whole counts."""
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
    """The head that a correction says ``line`` is."""
    text = line.text.strip()
    return Subheading(line, _form(text) or HeadingForm.BARE, text, len(line.text.rstrip()))


def _form(text: str) -> HeadingForm | None:
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
    """Whether ``text`` can be a heading: it begins as a name does and is no sentence."""
    if (
        not _UPPER.match(text)
        or text.endswith(" ")
        or is_example(text)
        or _WARNING.match(text)
        or _FINITE_VERB.search(_CITED.sub("", text))
    ):
        return False
    return any(c.isalpha() for c in text) and not is_text_label(text + ":")
