"""Requests and tool calls whose texts repeat a few characters up to the limit of the field, for
every text field.
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
LONG_ADDRESS = 7_500  # bytes of a text in an address, which may have 8,190 in total
UNLIMITED = 20_000  # characters of a text limited only by the size of the request


@dataclass(frozen=True)
class Field:
    """A text field of an operation of the described API: in its path, in its query, or in its body
    at ``at``.
    """

    method: str
    path: str
    place: str
    at: tuple[str | int, ...]
    schema: Mapping[str, Any]

    @property
    def longest(self) -> int:
        """The maximum number of characters."""
        return int(self.schema.get("maxLength", UNLIMITED))

    @property
    def free(self) -> bool:
        """Whether the field takes free text, not only a name or a date."""
        return self.schema.get("maxLength", 0) >= 1000 and "examples" not in self.schema


def pumped(
    choice: random.Random,
    longest: int,
    address: bool = False,
    beginning: tuple[str, str] | None = None,
) -> str:
    """Return a text of about ``longest`` characters, fewer if it must fit into an ``address``.

    It consists of a lead and repetitions of a unit, from ``beginning`` or chosen at random.
    """
    lead, unit = beginning or (choice.choice(LEADS), choice.choice(UNITS))
    last = choice.choice(LAST)
    times = (longest - len(lead + last)) // len(unit)
    if address:
        times = min(times, LONG_ADDRESS // len(quote(unit, safe="")))
    return lead + unit * max(times, 1) + last


def pumped_requests(description: Mapping[str, Any], number: int, seed: int = 34) -> list[Hostile]:
    """Return ``number`` requests: one for every field; two with each unit, plain and quoted, for
    the longest field; and random ones.

    Three quarters of the random ones go to fields with free text.
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
    """Yield every text field of an operation of the described API."""
    for path, item in description["paths"].items():
        for method, operation in item.items():
            for parameter in operation.get("parameters", []):
                for at, schema in _texts(description, parameter["schema"]):
                    yield Field(method, path, parameter["in"], (parameter["name"], *at), schema)
            for at, schema in _texts(description, _body(operation)):
                yield Field(method, path, "body", at, schema)


def _body(operation: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of an operation's body; an empty one if it has no body."""
    return dict(
        operation.get("requestBody", {})
        .get("content", {})
        .get("application/json", {})
        .get("schema", {})
    )


def _resolved(description: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return ``schema`` after following its reference or its first alternative."""
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
    """Yield the places and schemas of texts in a value of this schema, except those with a list of
    allowed values.
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
    """Return a valid value of this schema with its required parts and the part ``with_``."""
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
