"""Patterns by which questions are understood, made of the words of some languages."""

from __future__ import annotations

import re
from functools import cache

from corpus.languages import any_of, get_language

_THING = r"(?: \w+){1,2}\s*\??$"  # "what is <one or two words>?" asks for a definition, a longer sentence for more
_RULE = re.compile(r"(?<![\w.])\d+(?:\.\d+)+[a-z]{0,2}(?![\w]|\.\d)", re.IGNORECASE)
_BRACKETED = re.compile(r"(?<!\d)(?<!\d\.)(\d+(?:\.\d+)+)\s?\(([a-z])\)", re.IGNORECASE)
_CITED = re.compile(
    rf"(?:(?<!§)§+|\b{any_of('labels.numbering', 'references.rule', 'references.section')})\s?(\d+(?:\.\d+)*[a-z]{{0,2}})(?![\w]|[.,]\d)",
    re.IGNORECASE,
)


def cited_rules(text: str) -> frozenset[str]:
    """The numbers of rules in ``text``, in small letters: "704.5j" and "704.5 (j)", and those after
    a word for a rule: "§ 3", "Art. 5".
    """
    text = _BRACKETED.sub(r"\1\2", text)
    return frozenset(number.lower() for number in (*_RULE.findall(text), *_CITED.findall(text)))


class QuestionPatterns:
    """What tells the kind of a folded question in one of some ``languages``."""

    def __init__(self, languages: tuple[str, ...]):
        def words(*names: str) -> str:
            return f"(?:{'|'.join(any_of(*names, language=language) for language in languages)})"

        number = words("questions.number")
        self.definition = re.compile(
            rf"\b{words('questions.definition').replace('{thing}', _THING)}"
        )
        self.timing = re.compile(rf"\b{words('questions.timing')}\b")
        self.ruling = re.compile(rf"\b{words('questions.ruling')}\b")
        self.yes_no = re.compile(
            rf"^¿?(?:{words('questions.beginnings')} )?{words('questions.verbs')}\b"
        )
        self.asking = re.compile(
            rf"^¿?(?:{words('questions.beginnings')} )?{words('questions.interrogatives', 'questions.verbs')}\b"
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
            rf"\b(?P<ordinal>{'|'.join(spelled) or '(?!)'})\w{{0,2}}\s+{words('questions.ordinal')}\b"
        )
        self.spelled = spelled
        self.card_number = re.compile(  # not "auf der Karte 4 Marker"
            rf"\b{words('questions.card')}\s+(?:{number}?[.°#]\s*|{number}\s*)?(?P<number>\d{{1,3}}[a-d]?)(?=\W*$)"
            rf"|\b{words('questions.cards', 'questions.card')}\s*{number}[.°#]?\s*(?P<numbered>\d{{1,3}}[a-d]?)\b"
        )


@cache
def question_patterns(languages: tuple[str, ...]) -> QuestionPatterns:
    """The patterns of questions in ``languages``."""
    return QuestionPatterns(languages)
