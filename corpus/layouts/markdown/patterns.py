"""Patterns that recognise parts of Markdown rulebooks by words: sections, questions, answers,
references, replaced wording.
"""

from __future__ import annotations

import re
from enum import StrEnum

from corpus.languages import any_of


class MarkdownSectionKind(StrEnum):
    """The kind of a section, which decides what the headings in it are."""

    PLAIN = "plain"  # parts of the section
    GLOSSARY = "glossary"  # terms
    QUESTIONS = "questions"  # cards and topics with questions and answers
    ERRATA = "errata"  # cards and passages with corrections, questions among them
    LISTING = "listing"  # table of contents, printed index


_APPENDIX = re.compile(
    rf"{any_of('sections.appendix')}(?:\s+(?:[ivxlc]{{1,7}}|\d{{1,3}}|[a-z])\b\W*|\s*[:–—-]\s*)",
    re.IGNORECASE,
)
_QUESTIONS = any_of("sections.questions")
_ERRATA = any_of("sections.errata", "sections.corrections")
_AND = rf"\s*(?:,|/|&|\+|{any_of('sentences.conjunctions')})\s*"
_SECTION_KINDS = (
    (MarkdownSectionKind.GLOSSARY, re.compile(any_of("sections.glossary"), re.IGNORECASE)),
    (MarkdownSectionKind.QUESTIONS, re.compile(rf"{_QUESTIONS}(?:\s*\(faq\))?", re.IGNORECASE)),
    (
        MarkdownSectionKind.ERRATA,
        re.compile(rf"(?:{_QUESTIONS}{_AND})?{_ERRATA}(?:{_AND}{_QUESTIONS})?", re.IGNORECASE),
    ),
    (
        MarkdownSectionKind.LISTING,
        re.compile(any_of("sections.contents", "sections.index"), re.IGNORECASE),
    ),
)

_QUESTION = re.compile(rf"\W{{0,8}}{any_of('labels.question')}[*_]{{0,3}}\s?:", re.IGNORECASE)
_ANSWER = re.compile(rf"\W{{0,8}}{any_of('labels.answer')}[*_]{{0,3}}\s?:", re.IGNORECASE)
_REFERENCES = re.compile(
    rf"[\s*_>]{{0,8}}{any_of('references.see')}(?:\s+{any_of('references.also')})?[*_]{{0,3}}\s?:",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    rf"[\s*_(•-]{{0,8}}{any_of('labels.for_example', 'labels.example')}\b", re.IGNORECASE
)
_BINDING = re.compile(any_of("sentences.binding"))
_COLOPHON = re.compile(r"[\s*_]{0,8}(?:©|\([cC]\)\s?\d{4}|Copyright\b)")
_OLD = rf"{any_of('labels.old_wording')}[^:()\n]{{0,40}}:"
OLD_WORDING = re.compile(
    rf"[*_]{{0,3}}\((?=[*_]{{0,3}}{_OLD})|^(?=[*_]{{0,3}}{_OLD})", re.IGNORECASE | re.MULTILINE
)


def is_appendix(heading: str) -> bool:
    """Whether ``heading`` belongs to a numbered appendix. The word alone does not count, because it
    can be a glossary term.
    """
    match = _APPENDIX.match(heading.casefold())
    return match is not None and match.end() < len(heading)


def announced_kind(heading: str) -> MarkdownSectionKind | None:
    """The kind of section that the words of a section's ``heading`` announce; None if they announce
    none.
    """
    words = " ".join(heading.casefold().split()).strip(" :.")
    appendix = _APPENDIX.match(words)
    words = words[appendix.end() :] if appendix else words
    return next((kind for kind, pattern in _SECTION_KINDS if pattern.fullmatch(words)), None)


def is_question(text: str) -> bool:
    """Whether a block begins a question ("D: …", "F: …")."""
    return _QUESTION.match(text) is not None


def is_answer(text: str) -> bool:
    """Whether a block begins the answer to a question ("R: …", "A: …")."""
    return _ANSWER.match(text) is not None


def is_references(text: str) -> bool:
    """Whether a block is a list of references ("Vedi anche: …")."""
    return _REFERENCES.match(text) is not None


def is_example(text: str) -> bool:
    """Whether a block is an example for the text above it."""
    return _EXAMPLE.match(text) is not None


def ends_unfinished(text: str) -> bool:
    """Whether ``text`` ends in a word that cannot end a sentence: an article, a preposition,
    "and".
    """
    return _BINDING.fullmatch(text[-24:].split(" ")[-1]) is not None


def is_colophon(text: str) -> bool:
    """Whether a block is a copyright notice."""
    return _COLOPHON.match(text) is not None
