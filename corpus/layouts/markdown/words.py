"""Words by which Markdown rulebooks say what something is: kinds of sections, questions, answers, references, old wording."""

from __future__ import annotations

import re
from enum import StrEnum


class Zone(StrEnum):
    """What the headings below a section's heading are."""

    PLAIN = "plain"  # parts of the section
    GLOSSARY = "glossary"  # terms
    QUESTIONS = "questions"  # cards and topics with questions and answers
    ERRATA = "errata"  # cards and passages with corrections, questions among them
    LISTING = "listing"  # table of contents, printed index


_APPENDIX = re.compile(
    r"(?:appendice|anhang|appendix|allegato)\s+(?:[ivxlc]{1,7}|\d{1,3}|[a-z])\b\W*|(?:appendice|anhang|appendix)\s*[:–—-]\s*"
)
_GLOSSARY = r"glossario(?: dei termini)?|glossar|glossary|begriffsglossar|begriffserklärungen"
_QUESTIONS = (
    r"domande (?:ricorrenti|frequenti)|domande e risposte|faq|"
    r"häufig(?:e|\s+gestellte) fragen|fragen und antworten|frequently asked questions"
)
_ERRATA = (
    r"errata(?: corrige)?|erratum|errata und klarstellungen|(?:karten)?korrekturen|(?:karten)?änderungen|berichtigungen|druckfehler|"
    r"correzioni|rettifiche|modifiche(?: alle carte)?|corrections|changes"
)
_LISTING = (
    r"indice(?: analitico)?|sommario|inhalt|inhaltsverzeichnis|inhaltsangabe|index|register|"
    r"stichwortverzeichnis|contents|table of contents"
)
_AND = r"\s*(?:,|/|&|\+|und|e|ed|and)\s*"
_ZONES = (
    (Zone.GLOSSARY, re.compile(_GLOSSARY)),
    (Zone.QUESTIONS, re.compile(rf"(?:{_QUESTIONS})(?:\s*\(faq\))?")),
    (Zone.ERRATA, re.compile(rf"(?:(?:{_QUESTIONS}){_AND})?(?:{_ERRATA})(?:{_AND}(?:{_QUESTIONS}))?")),
    (Zone.LISTING, re.compile(_LISTING)),
)

_QUESTION = re.compile(r"\W{0,8}(?:[DFQ]|Domanda|Frage|Question)[*_]{0,3}\s?:", re.IGNORECASE)
_ANSWER = re.compile(r"\W{0,8}(?:[RA]|Risposta|Antwort|Answer)[*_]{0,3}\s?:", re.IGNORECASE)
_REFERENCES = re.compile(r"[\s*_>]{0,8}(?:vedi(?:\s+anche)?|siehe(?:\s+auch)?|see(?:\s+also)?)[*_]{0,3}\s?:", re.IGNORECASE)
_EXAMPLE = re.compile(
    r"[\s*_(•-]{0,8}(?:per esempio|ad esempio|esempi[oi]?|zum beispiel|beispiele?|z\.\s?b\.|for example|examples?)\b", re.IGNORECASE
)
_BINDING = re.compile(
    r"d(?:er|ie|as|en|em|es)|ein(?:e[rsmn]?)?|und|oder|mit|v[oa]m|von|zu[mr]?|i[mn]|a[mn]|auf|aus|bei|für|durch|ohne|als|wie|"
    r"il|lo|la|i|gli|le|uno?|una|(?:d|n)?el(?:l[oae])?|dell[oae]|d[ei]i|degli|di|d?a|d?a[il]|d?all[oae]|nell[oae]|con|su|sul|sulla|"
    r"per|[tf]ra|ed?|o|che|come|the|of|and|or|an|to|on|with|for"
)
_COLOPHON = re.compile(r"[\s*_]{0,8}(?:©|\([cC]\)\s?\d{4}|Copyright\b)")
_OLD = (
    r"(?:(?:versione|testo|stampa) precedente|in precedenza|bisher(?:\b|ige)|vorher(?:\b|ige)|zuvor\b|"
    r"alte[rs]? (?:text|fassung|version)|frühere|ursprünglich|previous(?:ly)?\b|formerly\b)[^:()\n]{0,40}:"
)
OLD_WORDING = re.compile(rf"[*_]{{0,3}}\((?=[*_]{{0,3}}{_OLD})|^(?=[*_]{{0,3}}{_OLD})", re.IGNORECASE | re.MULTILINE)


def is_appendix(heading: str) -> bool:
    """Whether ``heading`` is that of a numbered appendix; the bare word can be a glossary term and is none."""
    match = _APPENDIX.match(heading.casefold())
    return match is not None and match.end() < len(heading)


def zone(heading: str) -> Zone | None:
    """The zone that the words of a section's ``heading`` announce; None where they say nothing."""
    words = " ".join(heading.casefold().split()).strip(" :.")
    appendix = _APPENDIX.match(words)
    words = words[appendix.end() :] if appendix else words
    return next((found for found, pattern in _ZONES if pattern.fullmatch(words)), None)


def is_question(text: str) -> bool:
    """Whether a block begins a question of the rulebook's own ("D: …", "F: …")."""
    return _QUESTION.match(text) is not None


def is_answer(text: str) -> bool:
    """Whether a block begins the answer to a question ("R: …", "A: …")."""
    return _ANSWER.match(text) is not None


def is_references(text: str) -> bool:
    """Whether a block is a list of references ("Vedi anche: …")."""
    return _REFERENCES.match(text) is not None


def is_example(text: str) -> bool:
    """Whether a block is a worked example of what stands above it."""
    return _EXAMPLE.match(text) is not None


def wants_more(text: str) -> bool:
    """Whether ``text`` ends in a word that cannot end a sentence: an article, a preposition, "and"."""
    return _BINDING.fullmatch(text[-24:].split(" ")[-1]) is not None


def is_colophon(text: str) -> bool:
    """Whether a block names the owners of the rights, which is no rule of the game."""
    return _COLOPHON.match(text) is not None
