"""Check parameters and build queries from them, for HTTP, assistants, the command line and programs
alike.

`service.schemas` defines the values of each field. This module has the checks that need an index,
the messages for invalid values and unknown names, and the parsing of JSON.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import fields as fields_of
from typing import Any, Generic, NoReturn, TypeVar, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails
from rapidfuzz import fuzz, process

from corpus.errors import NotFound
from corpus.languages import LANGUAGES
from index.library.library import Library
from index.model import Query
from index.timing.sequences import timing_of
from service.core.i18n import N_, TranslatableText
from service.core.problems import Problem
from service.core.snapshot import SnapshotContents
from service.schemas.answer import AskBody, AskedBody
from service.schemas.base import RequestParams
from service.schemas.fields import AS_TEXT, QuestionText

T = TypeVar("T")
Model = TypeVar("Model", bound=BaseModel)

_LONGEST = 100  # most characters of a field or an unknown name in a message
_QUERY_FIELDS = frozenset(field.name for field in fields_of(Query))
_BATCH = "questions"  # the field of a batch that has its questions
_QUESTION = TypeAdapter(QuestionText)

# Messages on invalid values, by the error type of pydantic or `service.schemas.fields`, which also
# provides the values in the message.
_REFUSED = {
    "context": N_("This has to be a list of at most %(limit)s questions that were asked before."),
    "day": N_("This has to be a day (ISO 8601), such as 2025-06-01."),
    "fields": N_("This has to name one or several of, divided by commas: %(known)s."),
    "language_tag": N_("This has to be a language tag (BCP 47), such as de, it-CH or en."),
    "language_unknown": N_("There is no language %(tag)s; say it as de, it-CH or en (BCP 47)."),
    "layers": N_("This has to name one or several of, each once: %(known)s."),
    "question_control": N_("The question holds the control character %(character)s."),
    "question_empty": N_("The question is empty."),
    "question_long": N_("The question has %(count)s characters; %(limit)s are the most."),
}
_TEXTS = _REFUSED | {
    "bool_parsing": N_("This has to be true or false."),
    "bool_type": N_("This has to be true or false."),
    "greater_than_equal": N_("This has to be at least %(ge)s."),
    "less_than_equal": N_("This has to be at most %(le)s."),
    "dict_type": N_("This has to be a JSON object."),
    "list_type": N_("This has to be a list."),
    "model_attributes_type": N_("This has to be a JSON object."),
    "model_type": N_("This has to be a JSON object."),
    "number": N_("This has to be a whole number from %(least)s to %(most)s."),
    "number_type": N_("This has to be a whole number from %(least)s to %(most)s."),
    "string_too_long": N_("This has more than %(max_length)s characters."),
    "string_too_short": N_("This has fewer than %(min_length)s characters."),
    "string_type": N_("This has to be a text."),
    "too_long": N_("This has %(actual_length)s items; %(max_length)s are the most."),
    "too_short": N_("This has %(actual_length)s items; %(min_length)s are the least."),
}
_MISSING = N_("%(name)s is missing.")
_INTEGER = N_("This has to be a whole number.")
_UNKNOWN_VALUE = N_("This is not known here. Known: %(known)s.")

_NEAR = 60  # least similarity of two names in per cent
_KINDS = {"parameter": N_("parameter"), "field": N_("field"), "argument": N_("argument")}
_NONE = {
    "parameter": N_("This call takes no parameters."),
    "field": N_("This call takes no fields."),
    "argument": N_("This call takes no arguments."),
}
_UNKNOWN = N_("There is no %(kind)s %(name)s here. Known: %(known)s.")
_MEANT = N_("There is no %(kind)s %(name)s here. Known: %(known)s. Did you mean %(meant)s?")
# Other names for the same thing, used by this and other interfaces.
_SYNONYMS = (
    frozenset({"q", "question", "query", "prompt", "input"}),
    frozenset({"text", "content", "answer"}),
    frozenset({"budget", "max_tokens", "token_limit", "token_budget", "tokens"}),
    frozenset({"k", "count", "limit", "n", "top_k", "max_results"}),
    frozenset({"entry", "id", "entry_id"}),
    frozenset({"edition", "edition_id", "rulebook"}),
    frozenset({"language", "lang", "locale"}),
)

BODY = N_("body")
DEEPEST = 16  # levels of nested arrays and objects
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_BRACKETS = re.compile(rb"[\[\]{}]")


@dataclass(frozen=True)
class QueryInUnreadLanguage(Query):
    """A query whose question is ``said`` to be in an unsupported language; the language is detected
    instead, and a note says so.
    """

    said: str = ""


def query_from(fields: Mapping[str, object], snapshot: SnapshotContents) -> Query:
    """Return the query that ``fields`` describe; see `asked_with` and `query_of`."""
    return query_of(asked_with(fields), snapshot)


def asked_with(fields: Mapping[str, object]) -> AskBody:
    """Return the `AskBody` with these ``fields``; values may be texts. Fields that are None or
    unknown are ignored.

    Raises `Problem` 400 without a question, 422 for an invalid value.
    """
    known = {n: v for n, v in fields.items() if n in AskBody.model_fields and v is not None}
    return validated(AskBody, known, AS_TEXT)


def query_of(asked: AskedBody, snapshot: SnapshotContents) -> Query:
    """Return the query for the question ``asked``; a replaced edition is changed to its successor.

    Raises `Problem` 422 for an unknown value, 404 for an unknown step or if no rulebook has this
    edition, game and document.
    """
    library = snapshot.library
    given = {name: value for name, value in asked if name in _QUERY_FIELDS and value is not None}
    gone = asked.edition if asked.edition and asked.edition not in library.edition else ""
    if gone and (following := snapshot.following_edition(gone)):
        given |= {"edition": following.id, "replaced": gone}
    else:
        one_of(asked.edition, "edition", library.edition)
    one_of(asked.game, "game", library.games)
    given["document"] = document(asked.document, library)
    if "step" in given:
        try:
            given["step"] = timing_of(library).step(given["step"])[1].id
        except NotFound:
            raise Problem.unknown(
                N_("There is no such step here; GET /v1/timing/EDITION lists those there are."),
                "step",
            ) from None
    language = given.get("language")
    if language is not None and language not in LANGUAGES:
        query: Query = QueryInUnreadLanguage(**{**given, "language": None}, said=language)
    else:
        query = Query(**given)
    rulebooks = library.filter_editions(query.edition, query.game, query.document)
    if not rulebooks:
        raise Problem.unknown(N_("No rulebook here is all of what edition, game and document say."))
    if query.step and query.step.partition("/")[0] not in {each.id for each in rulebooks}:
        raise Problem.out_of_range(
            N_("This step is of another rulebook than the one asked for."), "step"
        )
    return query


def question(text: str, field: str = "question") -> str:
    """Return ``text`` if it is a valid question. Raises `Problem` 422 if it is empty, too long, or
    has control characters.
    """
    try:
        return _QUESTION.validate_python(text)
    except ValidationError as error:
        raise Problem.out_of_range(_value_text(error.errors(include_url=False)[0]), field) from None


def one_of(value: str | None, field: str, known: Iterable[str]) -> None:
    """Raise `Problem` 422 if ``value`` is given and is not one of ``known``, the values of
    ``field``.
    """
    choices = sorted(known)
    if value is not None and value not in choices:
        text = N_("This %(field)s is not known here. Known: %(known)s.")
        raise Problem.out_of_range(
            TranslatableText(text, {"field": field, "known": ", ".join(choices)}), field
        )


def document(name: str | None, library: Library) -> str | None:
    """Return the path of the document ``name``, or None for None. The folder may be left out of
    ``name`` if it is unique. Raises `Problem` 422 if there is no such document.
    """
    files = {source.file for source in library.sources.values()}
    named = [file for file in files if names_document(name, file)]
    if len(named) == 1:
        return named[0]
    one_of(name, "document", files)
    return name


def names_document(name: object, file: str) -> bool:
    """Return whether ``name`` is the document ``file``, given as its path in the folder of
    rulebooks, or as its file name.
    """
    return name in (file, file.rpartition("/")[2])


def validated(model: type[Model], values: object, written: str = "") -> Model:
    """Return ``values`` as an instance of ``model``; ``written`` is `AS_TEXT` if numbers and lists
    may be given as texts.

    Raises `Problem` 400 for missing, unknown or misplaced fields, 422 for an invalid value. Unknown
    names are reported first: they may be misspellings of missing ones.
    """
    try:
        return model.model_validate(values, context=written)
    except ValidationError as error:
        errors = error.errors(include_url=False)
    first = next((each for each in errors if each["type"] == "extra_forbidden"), errors[0])
    match first["loc"]:
        case (place, int(number), *inside) if place == _BATCH and inside:
            raise in_batch(number, _problem(model, first, errors, inside))
        case whole:
            raise _problem(model, first, errors, whole)


def in_batch(number: int, problem: Problem) -> Problem:
    """Return ``problem`` as a problem of question ``number``, from 0, of a batch."""
    text = TranslatableText(
        N_("Question %(number)s: %(problem)s"), {"number": number + 1, "problem": problem.text}
    )
    field = ".".join(filter(None, (_BATCH, str(number), problem.field)))
    return Problem(problem.status, text, field, slug=problem.slug)


def _problem(
    model: type[BaseModel],
    first: ErrorDetails,
    errors: list[ErrorDetails],
    place: Sequence[int | str],
) -> Problem:
    field = ".".join(str(part) for part in place)
    if first["type"] == "extra_forbidden":
        return Problem.malformed(_unknown_field(model, first, errors), field[:_LONGEST])
    if first["input"] == "" and first["type"] not in _REFUSED:
        return Problem.out_of_range(
            N_("This is empty; leave it out where it is not meant to say anything."), field
        )
    # null in a list is an invalid value, not a missing one.
    item = place and isinstance(place[-1], int)
    if first["type"] == "missing" or (first["input"] is None and not item):
        if field in ("q", "question"):
            return Problem.malformed(N_("There is no question."), field)
        return Problem.malformed(TranslatableText(_MISSING, {"name": field}), field)
    if first["type"].endswith("_type") or first["type"] == "bool_parsing":
        return Problem.wrong_type(_value_text(first), field)
    return Problem.out_of_range(_value_text(first), field)


def _value_text(error: ErrorDetails) -> TranslatableText:
    """Return the message on the value that ``error`` is about; for unusual errors pydantic's own,
    in English.
    """
    type, values = error["type"], error.get("ctx", {})
    if type in ("enum", "literal_error"):
        return TranslatableText(
            _UNKNOWN_VALUE, {"known": str(values["expected"]).replace(" or ", ", ")}
        )
    if type.startswith("int_"):
        return TranslatableText(_INTEGER)
    if type in _TEXTS:
        return TranslatableText(_TEXTS[type], values)
    return TranslatableText("%(message)s.", {"message": error["msg"].rstrip(".")})


def _unknown_field(
    model: type[BaseModel], unknown: ErrorDetails, errors: list[ErrorDetails]
) -> TranslatableText:
    """Return the message that ``model`` has no such field, for ``unknown``, one of the
    ``errors``.
    """
    place = unknown["loc"][:-1]
    inside = model
    for part in place:
        if isinstance(part, str):
            inside = next(_models_in(inside.model_fields[part].annotation))
    known = [field.alias or name for name, field in inside.model_fields.items()]
    missing = [
        str(each["loc"][-1])
        for each in errors
        if each["type"] == "missing" and each["loc"][:-1] == place
    ]
    kind = "parameter" if issubclass(model, RequestParams) else "field"
    return unknown_name(kind, str(unknown["loc"][-1]), known, missing)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models in ``annotation``: for a list, the model of its items."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inside in get_args(annotation):
        yield from _models_in(inside)


def unknown_name(
    kind: str, name: str, known: Sequence[str], needed: Collection[str] = ()
) -> TranslatableText:
    """Return the message that a call takes no ``kind`` ("parameter", "field", "argument") called
    ``name``, with the ``known`` names and the one probably meant. ``needed`` are required names
    that are missing.
    """
    if not known:
        return TranslatableText(_NONE[kind])
    meant = meant_name(name, known, needed)
    values = {
        "kind": TranslatableText(_KINDS[kind]),
        "name": repr(name[:_LONGEST]),
        "known": ", ".join(known),
        "meant": meant,
    }
    return TranslatableText(_MEANT if meant else _UNKNOWN, values)


def meant_name(name: str, known: Sequence[str], needed: Collection[str]) -> str | None:
    """Return the name, out of ``known``, that ``name`` probably means: a synonym used by other
    interfaces, a similarly spelled name, or the only ``needed`` name; None if there is none.
    """
    name = name[:_LONGEST].lower().replace("-", "_")
    for synonyms in _SYNONYMS:
        if name in synonyms and (meant := next((each for each in known if each in synonyms), None)):
            return meant
    if near := process.extractOne(name, known, scorer=fuzz.ratio, score_cutoff=_NEAR):
        return str(near[0])
    return next(iter(needed)) if len(needed) == 1 else None


def json_object(raw: bytes, called: str = BODY) -> dict[str, object]:
    """Return the JSON object in ``raw``; messages refer to it as ``called``. Raises `Problem` 400
    if it is not a JSON object.
    """
    deepest = depth = 0
    for bracket in _BRACKETS.findall(_STRINGS.sub(b"", raw)):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    if deepest > DEEPEST:
        text = N_("The JSON is nested more than %(limit)s levels deep.")
        raise Problem.malformed(TranslatableText(text, {"limit": DEEPEST}))
    name = {"called": TranslatableText(called)}
    try:
        found = json.loads(
            raw.decode("utf-8"), object_pairs_hook=_unique_fields, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError):
        text = N_("The %(called)s is not JSON in UTF-8.")
        raise Problem.malformed(TranslatableText(text, name)) from None
    if not isinstance(found, dict):
        text = N_("The %(called)s has to be a JSON object.")
        raise Problem.malformed(TranslatableText(text, name))
    return found


def _unique_fields(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        name = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise Problem.malformed(
            TranslatableText(N_("The field %(name)s is there twice."), {"name": repr(name[:100])})
        )
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise Problem.malformed(TranslatableText(N_("%(name)s is no number in JSON."), {"name": name}))


@dataclass(frozen=True)
class ListPage(Generic[T]):
    """Page ``number`` of ``pages`` of a list of ``total`` items; pages count from 1."""

    items: Sequence[T]
    number: int
    pages: int
    total: int


def page_count(items: Sequence[object], length: int) -> int:
    """Return the number of pages of ``length`` items, at least 1."""
    return max(1, -(-len(items) // length))


def list_page(items: Sequence[T], number: int, length: int) -> ListPage[T]:
    """Return page ``number`` of ``items``, with ``length`` items each; empty after the last."""
    shown = items[(number - 1) * length : number * length]
    return ListPage(shown, number, page_count(items, length), len(items))
