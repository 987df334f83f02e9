"""Share compiled page templates and URL builders between all applications of tests. Compiling them
takes most of the time of creating an application.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Flask
from flask.templating import Environment
from jinja2.bccache import Bucket, BytecodeCache
from werkzeug.routing import Rule


class _InMemory(BytecodeCache):
    """A cache of compiled templates in this process."""

    def __init__(self) -> None:
        self._compiled: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._compiled:
            bucket.bytecode_from_string(self._compiled[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._compiled[bucket.key] = bucket.bytecode_to_string()


_COMPILED = _InMemory()
_BUILDERS: dict[Any, Callable[..., tuple[str, str]]] = {}
_compile_builder = Rule._compile_builder


def shared_builder(rule: Rule, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
    """Return the function that builds addresses of ``rule``, compiled once for equal rules."""
    key = (*rule._trace, str(rule.defaults), append_unknown)
    if key not in _BUILDERS:
        _BUILDERS[key] = _compile_builder(rule, append_unknown)
    return _BUILDERS[key]


class SharedTemplates(Environment):
    """The template environment of an application, with templates that others have compiled."""

    def __init__(self, app: Flask, **options: Any) -> None:
        super().__init__(app, **options, bytecode_cache=_COMPILED)
