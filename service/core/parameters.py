"""Checks the values that a client sent, and makes the query of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from corpus.errors import NotFound
from corpus.languages import LANGUAGES
from corpus.printed_dates import iso_day
from index.layers.model import Layer
from index.library.library import Library
from index.model import Query
from index.timing.library_timing import timing_of
from service.core.i18n import N_, TranslatableText
from service.core.problems import Problem
from service.schemas.limits import LANGUAGE_TAG, LONGEST_QUESTION, MOST_BEFORE, MOST_CONTEXT, MOST_PASSAGES, USUAL_PASSAGES

# Marks that turn the direction of writing can make a quotation look like what it is not.
NUMBER = N_("This has to be a whole number from %(least)s to %(most)s.")
_BIDI_MARKS = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def query_from(fields: Mapping[str, object], library: Library, question_field: str = "question") -> Query:
    """Return the query that ``fields`` describe: those of `Query`, by the same names.

    Fields that are missing or None are not set; unknown ones are ignored. ``question_field`` is the client's name for the question.
    Raises `Problem` 400 without a question, 422 for a value that cannot be used, 404 where no rulebook has this edition, game and
    document.
    """
    if fields.get("question") is None:
        raise Problem.malformed(N_("There is no question."), question_field)
    return query_within(fields, library, question(fields["question"], question_field))


def query_within(fields: Mapping[str, object], library: Library, question_text: str) -> Query:
    """Return the query for ``question_text`` within the other ``fields``. Raises as `query_from`."""
    query = Query(
        question=question_text,
        edition=one_of(fields, "edition", library.edition),
        game=one_of(fields, "game", {e.game for e in library.editions}),
        document=document(fields, "document", library),
        language=question_language(fields, "language"),
        k=number(fields, "k", MOST_PASSAGES) or USUAL_PASSAGES,
        prefer=question_language(fields, "prefer"),
        layers=layers(fields, "layers"),
        as_of=day(fields, "as_of"),
        context=context(fields, "context"),
        step=step(fields, "step", library),
        offset=number(fields, "offset", MOST_BEFORE, least=0) or 0,
        per_game=number(fields, "per_game", MOST_PASSAGES),
        per_language=number(fields, "per_language", MOST_PASSAGES),
    )
    if not library.filter_editions(query.edition, query.game, query.document):
        raise Problem.unknown(N_("No rulebook here is all of what edition, game and document say."))
    if query.step and query.step.partition("/")[0] not in {
        e.id for e in library.filter_editions(query.edition, query.game, query.document)
    }:
        raise Problem.out_of_range(N_("This step is of another rulebook than the one asked for."), "step")
    return query


def question(value: object, field: str = "question") -> str:
    """Return ``value`` as a question. Raises `Problem` 422 where it is not a text, empty, too long, or has control characters."""
    if not isinstance(value, str):
        raise Problem.out_of_range(N_("The question has to be a text."), field)
    if not value.strip():
        raise Problem.out_of_range(N_("The question is empty."), field)
    if len(value) > LONGEST_QUESTION:
        raise Problem.out_of_range(
            TranslatableText(
                N_("The question has %(count)s characters; %(limit)s are the most."), {"count": len(value), "limit": LONGEST_QUESTION}
            ),
            field,
        )
    if (found := _control_character(value)) is not None:
        raise Problem.out_of_range(
            TranslatableText(N_("The question holds the control character %(character)s."), {"character": f"U+{ord(found):04X}"}), field
        )
    return value


def optional_text(fields: Mapping[str, object], field: str) -> str | None:
    """Return the text of ``field``, perhaps a part of a name; None where it is missing. Raises `Problem` 422 as `question`."""
    value = fields.get(field)
    return question(value, field) if isinstance(value, str) and value.strip() else None


def _control_character(text: str) -> str | None:
    return next((c for c in text if c in _BIDI_MARKS or (c not in "\t\n\r" and unicodedata.category(c) in ("Cc", "Cs"))), None)


def one_of(fields: Mapping[str, object], field: str, known: Iterable[str]) -> str | None:
    """Return the value of ``field``, None where it is missing. Raises `Problem` 422 where it is not one of ``known``."""
    value = fields.get(field)
    if value is None:
        return None
    choices = sorted(known)
    if not isinstance(value, str) or value not in choices:
        raise Problem.out_of_range(
            TranslatableText(N_("This %(field)s is not known here. Known: %(known)s."), {"field": field, "known": ", ".join(choices)}),
            field,
        )
    return value


def document(fields: Mapping[str, object], field: str, library: Library) -> str | None:
    """Return the document that ``field`` names, None where it is missing. Raises `Problem` 422 where there is no such document.

    One in the folder of a game, ``pegelwacht/regeln.pdf``, may be named without the folder where no other has the same name.
    """
    files = {source.file for source in library.sources.values()}
    value = fields.get(field)
    named = [file for file in files if names_document(value, file)]
    return named[0] if len(named) == 1 else one_of(fields, field, files)


def names_document(name: object, file: str) -> bool:
    """Return whether ``name`` may stand for the document ``file``: its path in the folder of rulebooks, or its name without the folder."""
    return name in (file, file.rpartition("/")[2])


def question_language(fields: Mapping[str, object], field: str) -> str | None:
    """Return the primary language of ``field``, a tag of BCP 47: ``de`` for ``de-AT``; None where it is missing or not supported.

    Raises `Problem` 422 where it is no such tag.
    """
    value = fields.get(field)
    if value is None:
        return None
    if not isinstance(value, str) or not re.fullmatch(LANGUAGE_TAG, value):
        raise Problem.out_of_range(N_("This has to be a language tag (BCP 47), such as de, it-CH or en."), field)
    primary = value.partition("-")[0].lower()
    return primary if primary in LANGUAGES else None


def step(fields: Mapping[str, object], field: str, library: Library) -> str | None:
    """Return the id of the step of time that ``field`` has, None where it is missing. Raises `Problem` 404 where there is no such step."""
    value = fields.get(field)
    if value is None:
        return None
    try:
        return timing_of(library).step(str(value))[1].id
    except NotFound:
        raise Problem.unknown(N_("There is no such step here; GET /v1/timing/EDITION lists those there are."), field) from None


def layers(fields: Mapping[str, object], field: str) -> tuple[Layer, ...] | None:
    """Return the layers that ``field`` names, a list of them or their names divided by commas; None where it is missing.

    Raises `Problem` 422 where it names none, one twice, or one that there is not.
    """
    value = fields.get(field)
    if value is None:
        return None
    named = value.split(",") if isinstance(value, str) else value
    known = isinstance(named, list) and all(isinstance(name, str) and name in tuple(Layer) for name in named)
    if not isinstance(named, list) or not known or not named or len(set(named)) < len(named):
        raise Problem.out_of_range(
            TranslatableText(N_("This has to name one or several of, each once: %(known)s."), {"known": ", ".join(Layer)}), field
        )
    return tuple(layer for layer in Layer if layer in named)


def context(fields: Mapping[str, object], field: str) -> tuple[str, ...]:
    """Return the questions that ``field`` names, a list of them or a text with one a line, the oldest first; none where it is missing.

    Raises `Problem` 422 where there are too many, or one cannot be asked.
    """
    value = fields.get(field)
    if value is None:
        return ()
    asked = [line for line in value.splitlines() if line.strip()] if isinstance(value, str) else value
    if not isinstance(asked, list) or len(asked) > MOST_CONTEXT:
        raise Problem.out_of_range(
            TranslatableText(N_("This has to be a list of at most %(limit)s questions that were asked before."), {"limit": MOST_CONTEXT}),
            field,
        )
    return tuple(" ".join(question(each, field).split()) for each in asked)


def day(fields: Mapping[str, object], field: str) -> str | None:
    """Return the day of ``field``, as ISO 8601 writes it; None where it is missing. Raises `Problem` 422 where it is no day."""
    value = fields.get(field)
    if value is None:
        return None
    try:
        if isinstance(value, str):
            return iso_day(value)
    except ValueError:
        pass
    raise Problem.out_of_range(N_("This has to be a day (ISO 8601), such as 2025-06-01."), field)


def boolean(fields: Mapping[str, object], field: str) -> bool:
    """Return ``field``, False where it is missing. Raises `Problem` 422 where it is neither true nor false."""
    value = fields.get(field)
    if value is not None and not isinstance(value, bool):
        raise Problem.out_of_range(N_("This has to be true or false."), field)
    return bool(value)


def number(fields: Mapping[str, object], field: str, most: int, least: int = 1) -> int | None:
    """Return ``field`` as a number from ``least`` to ``most``, None where it is missing. Raises `Problem` 422 for anything else."""
    value = fields.get(field)
    if value is None:
        return None
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # 7.0 is a whole number in JSON
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise Problem.out_of_range(TranslatableText(NUMBER, {"least": least, "most": most}), field)
    return value
