"""Turn headings into terms: the part of a heading that is a name, and which headings only name a
part of the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from corpus.languages import any_of
from glossary.normalization import fold, is_symbol

MOST_WORDS = 6  # of a term; a longer heading is a statement
_LEAST_QUESTION = 4  # words of a question: "Quando Rivelata" is a term
_LEAST_SENTENCE = 4  # words of a heading with a finite verb: "Kann nicht" is a term
_MOST_OF_RULE = 3  # words of the name of a rule: "Die Goldenen Regeln"
_NUMBER = r"(?:\d{1,3}(?:\.\d{1,3}){0,4}|[IVX]{1,5}|[A-Z](?=\s*:))"
_LEADING_NUMBER = re.compile(rf"^(?:{_NUMBER}[.:)]|\d{{1,3}}(?:\.\d{{1,3}}){{1,4}})\s+(?=\S)")
_LABEL = any_of("sections.appendix", "labels.numbering")
_STEP = any_of("questions.step")
_LABELLED = re.compile(
    rf"^(?:{_LABEL}|{_STEP}|phase|fase)\s+{_NUMBER}\s*(?:[.:–-]\s*|$)", re.IGNORECASE
)
_QUALIFIER = re.compile(r"(?:(?<!\s)\s+)?[(\[][^()\[\]]*[)\]]\s*$")
_BRACKETS = re.compile(r"(?:(?<!\s)\s++)?[(\[][^()\[\]]*[)\]]")
_ICON_WORDS = frozenset(["icona", "icon", "symbol", "simbolo"])  # folded
_QUOTED = re.compile(r"[\"“„«»”][^\"“„«»”]+[\"“„«»”]")
_QUOTES = "\"“„”«»‚‘’'"
_DOTS = re.compile(r"…|\.{2,}")
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")


def term_name(heading: str) -> str:
    """Return ``heading`` in the form of a term in running text: without number, symbols, a
    qualifier in brackets and quotation marks.

    A heading with nothing else is returned unchanged.
    """
    name = heading.strip()
    for pattern in (_LABELLED, _LEADING_NUMBER):
        name = pattern.sub("", name)
    while (shorter := _QUALIFIER.sub("", name)) and shorter != name:
        name = shorter
    name = "".join(sign for sign in name if not is_symbol(sign) and sign not in "♠♣♥♦★⚡").strip(
        " :*"
    )
    if len(_QUOTED.findall(name)) == 1 and name[0] in _QUOTES and name[-1] in _QUOTES:
        name = name.strip(_QUOTES)
    return name if _WORD.search(name) else heading.strip()


def readable_name(heading: str) -> str:
    """Return ``heading`` in the form for lists: without number, icons and text in brackets for an
    icon ("(Icona – Y)", "(31/4)"); a qualifier in words stays.
    """
    name = heading.strip()
    for pattern in (_LABELLED, _LEADING_NUMBER):
        name = pattern.sub("", name)
    name = _BRACKETS.sub(lambda found: found.group() if _says(found.group()) else "", name)
    name = "".join(sign for sign in name if not is_symbol(sign) and sign not in "♠♣♥♦★⚡")
    name = " ".join(name.split()).rstrip(" :*")
    return name if _WORD.search(name) else heading.strip()


def _says(brackets: str) -> bool:
    """Return whether the text in ``brackets`` is words, not an icon or a misread icon."""
    words = [word for word in _WORD.findall(brackets) if len(word) > 1 and not word.isdigit()]
    return any(fold(word) not in _ICON_WORDS for word in words) and "\\" not in brackets


def names_a_term(heading: str, language: str, headword: bool = True, used: bool = True) -> bool:
    """Return whether ``heading`` names something of a game, not a part of its rulebook, a question
    or a statement.

    ``headword`` says that it is the heading of a glossary entry, not of a section; ``used`` that it
    occurs in the text of the rulebook, possibly inflected. A section is a term only if the rules
    use its name.
    """
    if _LABELLED.fullmatch(heading.strip()):
        return False
    name = term_name(heading)
    words = _WORD.findall(name)
    if not 1 <= len(words) <= MOST_WORDS or _DOTS.search(name) or len(_QUOTED.findall(name)) > 1:
        return False
    folded = fold(name)
    if len(words) >= _LEAST_QUESTION and (
        name.endswith("?") or _patterns("questions.interrogatives", language).match(folded)
    ):
        return False
    if len(words) >= _LEAST_SENTENCE and _patterns("sentences.finite_verbs", language).search(name):
        return False
    if (
        not headword
        and not names_a_rule(name, language)
        and (not used or _structure(language).fullmatch(name))
    ):
        return False
    return not name.endswith(".")


def names_a_rule(heading: str, language: str) -> bool:
    """Return whether ``heading`` is the name of a rule: "Galgenregel"."""
    name = term_name(heading)
    return (
        len(_WORD.findall(name)) <= _MOST_OF_RULE and _named_rule(language).search(name) is not None
    )


@cache
def _patterns(name: str, language: str) -> re.Pattern[str]:
    return re.compile(rf"\b{any_of(name, language=language)}\b", re.IGNORECASE)


@cache
def _named_rule(language: str) -> re.Pattern[str]:
    return re.compile(rf"{any_of('references.rule_names', language=language)}\b", re.IGNORECASE)


@cache
def _structure(language: str) -> re.Pattern[str]:
    """Return a pattern for headings like contents, questions and changes in ``language``."""
    parts = (
        "glossary",
        "questions",
        "errata",
        "corrections",
        "misprints",
        "contents",
        "components",
        "index",
        "changes",
        "appendix",
    )
    return re.compile(
        any_of(*(f"sections.{part}" for part in parts), language=language) + r"(?:\b.*)?",
        re.IGNORECASE,
    )


def mentions(names: Iterable[str], texts: Iterable[str]) -> bool:
    """Return whether any of ``texts`` contains one of ``names``, regardless of case."""
    found = [re.escape(term_name(name)) for name in names if name]
    pattern = re.compile(rf"\b(?:{'|'.join(found)})\b", re.IGNORECASE) if found else None
    return pattern is not None and any(map(pattern.search, texts))
