"""The blueprints on which calls are registered: version 1 of the API, and health checks.

The annotations of a call are the models of its input: ``path`` and ``query`` for its address,
``body`` for its JSON. Input is checked before the call runs; `service.web.openapi` describes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, get_args, get_type_hints

from flask import Blueprint, Response, request
from werkzeug.wrappers import Response as BaseResponse

from service.core.parameters import unknown_name, validated
from service.core.problems import Problem
from service.schemas.base import DescribedModel, ResponseModel
from service.schemas.fields import AS_TEXT

ASK, READ, COMPARE, GROUND, RUN = "Ask", "Read", "Compare", "Ground", "Run"
TAGS = {
    RUN: "Health, readiness, metrics, and which index serves.",
    ASK: "Put a question, get the passages that settle it, word for word.",
    READ: "Editions, entries, cards, and names while one types.",
    COMPARE: "Editions side by side, terms, new versions.",
    GROUND: "Passages for a language model's prompt, and a check of what it quotes.",
}

View = TypeVar("View", bound=Callable[..., BaseResponse | ResponseModel])


@dataclass(frozen=True)
class Call:
    """A call: the ``function`` that answers ``method`` at ``path``, with parameters in braces.

    ``takes`` are its models of path, query and body; ``answers`` is its response model, or an
    OpenAPI response object if it returns no JSON.
    """

    method: str
    path: str
    tag: str
    function: Callable[..., BaseResponse | ResponseModel]
    takes: Mapping[str, type[DescribedModel]]
    answers: type[ResponseModel] | dict[str, Any]


class CallBlueprint(Blueprint):
    """A blueprint that knows its ``calls``; a ``strict`` one refuses unknown parameters."""

    def __init__(self, name: str, url_prefix: str, strict: bool):
        super().__init__(name, __name__, url_prefix=url_prefix or None)
        self.calls: list[Call] = []
        self._prefix = url_prefix
        self._strict = strict

    def call(
        self,
        method: str,
        rule: str,
        tag: str,
        answers: type[ResponseModel] | dict[str, Any] | None = None,
    ) -> Callable[[View], View]:
        """Return a decorator that registers a function as a `Call`.

        If the function returns a model, the response is its JSON; ``answers`` describes other
        responses.
        """

        def register(function: View) -> View:
            hints = get_type_hints(function)
            takes: dict[str, type[DescribedModel]] = {
                place: hints[place] for place in ("path", "query", "body") if place in hints
            }
            returned = hints["return"]
            model: type[ResponseModel] = next(iter(get_args(returned)), returned)

            @wraps(function)
            def view(**path: str) -> BaseResponse:
                if self._strict and "query" not in takes and request.args:
                    name = next(iter(request.args))
                    raise Problem.malformed(unknown_name("parameter", name, []), name[:100])
                given: dict[str, DescribedModel] = {}
                for place, takes_model in takes.items():
                    if place == "body":
                        given[place] = validated(takes_model, request.get_json())
                    else:
                        texts = path if place == "path" else request.args.to_dict()
                        given[place] = validated(takes_model, texts, AS_TEXT)
                made = function(**given)
                if isinstance(made, BaseResponse):
                    return made
                return Response(made.to_json(), mimetype="application/json")

            self.add_url_rule(rule, view_func=view, methods=[method])
            path = self._prefix + rule.replace("<path:", "<").translate(str.maketrans("<>", "{}"))
            answered = model if answers is None else answers
            self.calls.append(Call(method.lower(), path, tag, function, takes, answered))
            return function

        return register


api = CallBlueprint("api", "/v1", strict=True)
health = CallBlueprint("health", "", strict=False)
