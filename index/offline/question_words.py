"""The words and patterns by which questions in some languages are read, with expressions as JavaScript writes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from corpus import sentences
from corpus.languages import any_of, get_language, transliteration
from corpus.model import DocumentKind
from glossary.word_tables import WordTables
from index.questions import question_patterns as patterns
from index.ranking import asked_formats, document_matter

_KINDS = ("definition", "timing", "ruling", "yes_no", "step", "card_number")


def question_words(languages: Sequence[str], tables: WordTables) -> dict[str, Any]:
    """What is known of questions in ``languages``, of which a question without telling words is in the first; JSON can hold it."""
    known = patterns.question_patterns(tuple(languages))
    return {
        "languages": list(languages),
        "typed_out": dict(transliteration()),
        "stop_words": {language: sorted(tables[language].folded_stop_words) for language in languages},
        "patterns": {kind: as_javascript(getattr(known, kind)) for kind in _KINDS},
        "cited": {name: as_javascript(pattern) for name, pattern in patterns.CITING.items()},
        "sentence_end": as_javascript(sentences.END),
        "abbreviation": as_javascript(sentences.ABBREVIATION),
        "card_text": {language: _card_text(language) for language in languages},
        "documents": {
            kind: {language: as_javascript(document_matter.pattern(kind, language)) for language in languages}
            for kind in (DocumentKind.POLICY, DocumentKind.FORMATS)
        },
        "formats": {language: [[kind, list(phrases)] for kind, phrases in asked_formats.phrases(language)] for language in languages},
    }


def _card_text(language: str) -> dict[str, Any]:
    return {
        "label": any_of("questions.card_labels", language=language),
        "inside": rf"\b{any_of('questions.card_text', language=language)}\b",
        "first_person": list(get_language(language).questions.first_person),
    }


def as_javascript(pattern: re.Pattern[str]) -> str:
    """The ``pattern`` as JavaScript writes it: its named groups; repeats that give nothing back, which it lacks, only save time."""
    return re.sub(r"(?<!\\)([*+?}])\+", r"\1", pattern.pattern).replace("(?P<", "(?<")
