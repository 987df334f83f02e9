"""Recognise question sentences and card text in what a user asks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from corpus.blocks import Span
from corpus.languages import FALLBACK, any_of, get_language
from corpus.sentences import sentences
from glossary.normalization import fold
from index.analysis import plain

# "what is <one or two words>?" asks for a definition; a longer sentence asks for more
_THING = r"(?: \w+){1,2}\s*\??$"


class QuestionPatterns:
    """Patterns that recognise the kind of a folded question in one of ``languages``."""

    def __init__(self, languages: tuple[str, ...]):
        def words(*names: str) -> str:
            return f"(?:{'|'.join(any_of(*names, language=language) for language in languages)})"

        number = words("questions.number")
        self.definition = re.compile(
            rf"\b{words('questions.definition').replace('{thing}', _THING)}"
        )
        self.timing = re.compile(rf"\b{words('questions.timing')}\b")
        self.order = re.compile(rf"\b{words('sequences.order')}\b")
        self.kinds = re.compile(rf"\b{words('questions.kinds')}\b")
        self.ruling = re.compile(rf"\b{words('questions.ruling')}\b")
        self.errata = re.compile(rf"\b{words('questions.errata')}")
        self.yes_no = re.compile(
            rf"^¿?(?:{words('questions.beginnings')} )?{words('questions.verbs')}\b"
        )
        self.asking = re.compile(
            rf"^¿?(?:{words('questions.beginnings')} "
            rf")?{words('questions.interrogatives', 'questions.verbs')}\b"
        )
        self.first_step = re.compile(rf"\b{words('questions.first_step')}\b")
        self.step = re.compile(
            rf"\b{words('questions.step')}\s+(?:{number}\.?\s*)?(?P<number>\d{{1,2}})\b"
            rf"|\b(?P<ordinal>\d{{1,2}})\.\s+{words('questions.ordinal')}\b"
        )
        spelled = {
            word.rstrip("aeo"): n
            for each in languages
            for n, word in enumerate(get_language(each).numbers.ordinals, 1)
        }
        self.spelled_step = re.compile(
            rf"\b(?P<ordinal>{'|'.join(spelled) or '(?!)'})\w{{0,2}}"
            rf"\s+{words('questions.ordinal')}\b"
        )
        self.spelled = spelled
        self.card_number = re.compile(  # not "auf der Karte 4 Marker"
            rf"\b{words('questions.card')}\s+(?:{number}?[.°#]\s*|{number}\s*)?(?P<number>\d{{1,3}}[a-d]?)(?=\W*$)"
            rf"|\b{words('questions.cards', 'questions.card')}\s*{number}[.°#]?"
            r"\s*(?P<numbered>\d{1,3}[a-d]?)\b"
        )


@cache
def question_patterns(languages: tuple[str, ...]) -> QuestionPatterns:
    """Return the patterns of questions in ``languages``."""
    return QuestionPatterns(languages)


def asks_for_order(question: str, language: str) -> bool:
    """Return whether a ``question`` in ``language`` asks for an order of steps."""
    return _patterns_in(language).order.search(plain(question)) is not None


def asks_for_kinds(question: str, language: str) -> bool:
    """Return whether a ``question`` in ``language`` asks for kinds: "What kinds of card exist?"."""
    return _patterns_in(language).kinds.search(plain(question)) is not None


def _patterns_in(language: str) -> QuestionPatterns:
    return question_patterns(tuple(dict.fromkeys((language, FALLBACK))))


# Quotations by opening mark, so that words between two quotations do not match: „…“, “…”, «…»,
# »…«, "…", ‚…‘, ‘…’.
_QUOTED = re.compile(
    r"„([^„“”\"]{2,}?)[“”\"]|“([^„“”]{2,}?)[”“]|«([^«»]{2,}?)»|»([^«»]{2,}?)«|\"([^\"]{2,}?)\"|‚([^‚‘’\n]{2,29})[‘’]|‘([^‘’\n]{2,29})’"
)
_LABEL = re.compile(r"\W*(?P<label>\w[^:\n.!?]{1,40}):\s")  # "Text:", "Hero Action (attack):"
_WORD = re.compile(r"\w+")
_LONG = 30  # least characters of quoted card text; shorter quotations are mostly names
_TEXT_WORDS = 6  # least words of card text; names of cards have fewer
# Words of a question sentence without its quotation; with fewer it asks about the quotation
_ASKING_WORDS = 3


def quoted_spans(text: str) -> tuple[tuple[Span, ...], tuple[str, ...]]:
    """Return the spans of long quotations in ``text``, without quotation marks, and the texts of
    short quotations, which are mostly names.
    """
    texts, names = [], []
    for match in _QUOTED.finditer(text):
        start, end = match.span(match.lastindex or 0)
        inside = text[start:end]
        if end - start >= _LONG and len(inside.split()) >= _TEXT_WORDS and "\n\n" not in inside:
            texts.append(Span(start, end))
        elif end - start < _LONG and "\n" not in inside:
            names.append(inside)
    return tuple(texts), tuple(dict.fromkeys(names))


def card_text_spans(
    text: str, asking: Sequence[Span], quotations: Sequence[Span], language: str
) -> tuple[Span, ...]:
    """Return the spans of sentences that look like unquoted card text, before the last of the
    ``asking`` sentences and outside ``quotations``.

    Card text follows a label ("Action:"), or has typical words and none in the first person.
    """
    words = _card_text_words(language)
    found = []
    for start, end in sentences(text[: asking[-1].start]) if asking else ():
        folded = folded_words(text[start:end])
        if len(folded) < _TEXT_WORDS or any(
            start < span.end and end > span.start for span in (*asking, *quotations)
        ):
            continue
        label = _LABEL.match(text, start, end)
        named = label and words.label.fullmatch(" ".join(folded_words(label["label"])))
        speaks = words.first_person.isdisjoint(folded) and words.inside.search(" ".join(folded))
        if named or speaks:
            found.append(Span(start, end))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _CardTextWords:
    """The folded words of a language by which card text is recognised."""

    label: re.Pattern[str]
    inside: re.Pattern[str]
    first_person: frozenset[str]


@cache
def _card_text_words(language: str) -> _CardTextWords:
    return _CardTextWords(
        label=re.compile(any_of("questions.card_labels", language=language)),
        inside=re.compile(rf"\b{any_of('questions.card_text', language=language)}\b"),
        first_person=frozenset(get_language(language).questions.first_person),
    )


def asking_spans(
    text: str, quotations: tuple[Span, ...], begins: re.Pattern[str]
) -> tuple[Span, ...]:
    """Return the spans of the question sentences of ``text``: those with a question mark outside
    ``quotations`` or, if there are none, within.

    Without question marks, the last of several sentences counts if ``begins`` finds the beginning
    of a question in it.
    """
    found = [Span(start, end) for start, end in sentences(text)]
    marked = [span for span in found if "?" in text[slice(*span)]]
    if (
        not marked
        and len(found) > 1
        and begins.search(" ".join(fold(text[slice(*found[-1])]).split()))
    ):
        return (found[-1],)
    outside = [span for span in marked if "?" in without(text, span, quotations)]
    return tuple(outside or marked)


def asking_text(text: str, span: Span, quotations: tuple[Span, ...]) -> str:
    """Return the question sentence at ``span`` of ``text`` without its ``quotations``, or the whole
    sentence if it has hardly any other words.
    """
    bare = without(text, span, quotations).strip()
    return bare if len(_WORD.findall(bare)) >= _ASKING_WORDS else text[span[0] : span[1]].strip()


def own_words(text: str, quotations: tuple[Span, ...]) -> tuple[str, str]:
    """Split ``text`` into the user's own words and the card text (``quotations``). If there are
    hardly any own words, return the whole text and "".
    """
    own = without(text, Span(0, len(text)), quotations) if quotations else text
    if own is text or len(_WORD.findall(own)) < _ASKING_WORDS:
        return text, ""
    return own, " ".join(text[start:end] for start, end in quotations)


def folded_words(text: str) -> list[str]:
    """Return the words of ``text``, folded."""
    return _WORD.findall(fold(text))


def without(text: str, span: Span, quotations: tuple[Span, ...]) -> str:
    """Return the text at ``span`` without ``quotations`` and their quotation marks."""
    start, end = span
    pieces, last = [], start
    for first, behind in quotations:
        if first < end and behind > start:
            pieces.append(text[last : max(first - 1, last)])
            last = max(last, min(behind + 1, end))
    return " ".join([*pieces, text[last:end]])
