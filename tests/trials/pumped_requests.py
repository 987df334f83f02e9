"""Requests and calls of tools whose texts repeat a few characters as often as the field takes, for
every field that takes a text.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any
from urllib.parse import quote

from tests.service.hostile import JSON, Hostile

UNITS: Sequence[str] = [
    *(
        " ",
        "\n",
        " \n",
        "\t",
        "\r\n",
        "\u00a0",
        "\u00ad",
        "\u200b",
        "\u200d",
        "\u0301",
        "e\u0308\u0301",
        "🃏",
    ),
    *(
        "👩\u200d👩\u200d👧",
        "ﷺ",
        "ß",
        "字",
        "א",
        "- ",
        "  - ",
        "   * ",
        "\t- ",
        "  1. ",
        " \n- ",
        "* ",
        "• ",
        "1. ",
        "1) ",
        "(1) ",
        "a) ",
        "> ",
        "- > ",
        "1. > ",
    ),
    *(
        "&gt; ",
        "# ",
        "```\n",
        "~~~\n",
        "|a|",
        "|-|\n",
        "\n\n",
        "a.\n\n",
        "„",
        "“",
        "”",
        '"',
        "'",
        "«",
        "»",
        "‹",
        "´",
        "〝",
    ),
    *(
        "''",
        "``",
        "„a",
        "„a b c“ ",
        '"a b c" ',
        "«a b» ",
        "„a […] b“ ",
        "»a« ",
        "「a」",
        "’s ",
        "(",
        "[",
        "{",
        ")",
        "]",
        "(a",
    ),
    *(
        "[a",
        "[a](",
        "![](",
        "](x)",
        "[[a]]",
        "[r:",
        "[r:3076c5a6] ",
        "{T}",
        "(★)",
        "[…]",
        "(…)",
        "...",
        "... a ",
        "…a",
        "<",
        "<b>",
    ),
    *(
        "<q>",
        "</q>",
        "<q>a",
        "<blockquote",
        "<blockquote>",
        "<!--",
        "&amp;",
        "&#x41;",
        "&#",
        "`a",
        "**a",
        "*a ",
        "_a ",
        "__",
    ),
    *(
        "\\",
        "$a$",
        "1",
        "1.",
        "1.1.",
        "0.",
        "9999",
        "12 ",
        "1,",
        "1/2",
        "²",
        "½",
        "5km ",
        "00000000 ",
        "§",
        "§ 1",
        "Art. 1.",
    ),
    *(
        "Rule 1.",
        "Schritt 1 ",
        "Karte 1",
        "a",
        "A",
        "Aa",
        "ab ",
        "a-",
        "a_",
        "a.",
        "a,",
        "a;",
        "a: ",
        "a? ",
        "a/",
        "I/",
    ),
    *(
        "Wrack I/II/III ",
        "abcdefghijklmnop ",
        "x" * 30 + " ",
        "l'",
        "siehe ",
        "siehe Regel ",
        "siehe: ",
        "vgl. ",
        "see also ",
    ),
    *(
        "vedi anche ",
        "Wann? ",
        "wann und wo ",
        "Was ist ",
        "what does a mean ",
        "nicht ",
        "wenn ",
        "z.B. ",
        "d.h. ",
        "F: ",
    ),
    *(
        "F: a? A: b ",
        "Q: a\nA: b\n",
        "Karte: „",
        "Kahn ",
        "Pegel",
        "Lotse darf ",
        "Anker X ",
        "if a, ",
        "can't ",
        "?",
        "!?",
    ),
    *(
        "%",
        "%20",
        "/",
        "//",
        "@",
        "a@b.c ",
        "http://a.b/",
        "http://",
        "www.a.de ",
        "☆",
        "→",
        "—",
        "--",
        "+--",
        "&a=",
    ),
    *("en=en-GB,"),
]
QUOTED = "> "
LEADS: Sequence[str] = ("", "a", "Wann „", QUOTED)
LAST: Sequence[str] = ("", "a?", "“", ".")
LONG_ADDRESS = 7_500  # bytes that a text may take in an address, which has at most 8,190
UNLIMITED = 20_000  # characters of a text whose length nothing limits but the request's


@dataclass(frozen=True)
class Field:
    """A text that an operation of the described API takes: in its path, in its query, or in its
    body at ``at``.
    """

    method: str
    path: str
    place: str
    at: tuple[str | int, ...]
    schema: Mapping[str, Any]

    @property
    def longest(self) -> int:
        """The most characters that it takes."""
        return int(self.schema.get("maxLength", UNLIMITED))

    @property
    def free(self) -> bool:
        """Whether any words may stand there, and not a name or a date only."""
        return self.schema.get("maxLength", 0) >= 1000 and "examples" not in self.schema


def pumped(
    choice: random.Random,
    longest: int,
    address: bool = False,
    beginning: tuple[str, str] | None = None,
) -> str:
    """Return a text of about ``longest`` characters at most, fewer where it would not fit into an
    ``address``.

    It has a lead and repeats a unit: those of ``beginning``, or any.
    """
    lead, unit = beginning or (choice.choice(LEADS), choice.choice(UNITS))
    last = choice.choice(LAST)
    times = (longest - len(lead + last)) // len(unit)
    if address:
        times = min(times, LONG_ADDRESS // len(quote(unit, safe="")))
    return lead + unit * max(times, 1) + last


def pumped_requests(description: Mapping[str, Any], number: int, seed: int = 34) -> list[Hostile]:
    """Return so many requests: one for every field, two with each unit, alone and quoted, for that
    which takes most, and others.

    Three quarters of the others go to fields that take any words.
    """
    choice = random.Random(seed)
    every = list(fields(description))
    free = [field for field in every if field.free]
    requests = [_request(description, field, choice) for field in every]
    longest = max(free, key=lambda field: field.longest)
    requests += [
        _request(description, longest, choice, beginning)
        for beginning in product(("", QUOTED), UNITS)
    ]
    requests += [
        _request(description, choice.choice(free if turn % 4 else every), choice)
        for turn in range(number - len(requests))
    ]
    return requests


def fields(description: Mapping[str, Any]) -> Iterator[Field]:
    """Yield every text that an operation of the described API takes."""
    for path, item in description["paths"].items():
        for method, operation in item.items():
            for parameter in operation.get("parameters", []):
                for at, schema in _texts(description, parameter["schema"]):
                    yield Field(method, path, parameter["in"], (parameter["name"], *at), schema)
            for at, schema in _texts(description, _body(operation)):
                yield Field(method, path, "body", at, schema)


def _body(operation: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what the body of an operation has to be; nothing where it takes none."""
    return dict(
        operation.get("requestBody", {})
        .get("content", {})
        .get("application/json", {})
        .get("schema", {})
    )


def _resolved(description: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return ``schema``, or what it refers to, or the first of what it may be."""
    while "$ref" in schema or "anyOf" in schema:
        schema = (
            description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
            if "$ref" in schema
            else schema["anyOf"][0]
        )
    return schema


def _texts(
    description: Mapping[str, Any], schema: Mapping[str, Any]
) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, Any]]]:
    """Yield where in a value of this schema texts are, and the schema of each; not those that are
    chosen from a list.
    """
    schema = _resolved(description, schema)
    if schema.get("type") == "string" and not {"enum", "const"} & schema.keys():
        yield (), schema
    inside: list[tuple[str | int, Mapping[str, Any]]] = list(schema.get("properties", {}).items())
    if schema.get("type") == "array":
        inside.append((0, schema["items"]))
    for name, part in inside:
        for at, text in _texts(description, part):
            yield (name, *at), text


def _sound(
    description: Mapping[str, Any], schema: Mapping[str, Any], with_: tuple[str | int, ...] = ()
) -> Any:
    """Return a value of this schema with what is required and the part ``with_``."""
    schema = _resolved(description, schema)
    if "enum" in schema:
        return schema["enum"][-1]
    if schema.get("type") == "object":
        names = [*schema.get("required", []), *with_[:1]]
        return {
            name: _sound(
                description, schema["properties"][name], with_[1:] if with_[:1] == (name,) else ()
            )
            for name in names
        }
    if schema.get("type") == "array":
        return [_sound(description, schema["items"], with_[1:])]
    if schema.get("type") == "string":
        return schema.get("example") or next(
            iter(schema.get("examples", [])), "Wann endet das Spiel?"
        )
    return schema.get("minimum", 1)


def _request(
    description: Mapping[str, Any],
    field: Field,
    choice: random.Random,
    beginning: tuple[str, str] | None = None,
) -> Hostile:
    operation = description["paths"][field.path][field.method]
    text = pumped(choice, field.longest, field.place != "body", beginning)
    address, query = field.path, {}
    for parameter in operation.get("parameters", []):
        here = field.place == parameter["in"] and field.at[0] == parameter["name"]
        if not here and not parameter.get("required"):
            continue
        value = quote(text if here else str(_sound(description, parameter["schema"])), safe="")
        if parameter["in"] == "path":
            address = address.replace("{" + parameter["name"] + "}", value)
        else:
            query[parameter["name"]] = value
    if query:
        address += "?" + "&".join(f"{name}={value}" for name, value in query.items())
    body = b""
    if field.place == "body":
        body = json.dumps(
            _with(_sound(description, _body(operation), field.at), field.at, text),
            ensure_ascii=False,
        ).encode()
    statuses = tuple(int(status) for status in operation["responses"] if status.isdigit())
    kind = f"{field.place} {field.at}"
    return Hostile(
        kind, field.method.upper(), address, statuses, tuple(JSON.items()) if body else (), body
    )


def _with(whole: Any, at: tuple[str | int, ...], text: str) -> Any:
    """Return ``whole`` with ``text`` at this place."""
    if not at:
        return text
    whole[at[0]] = _with(whole[at[0]], at[1:], text)
    return whole
