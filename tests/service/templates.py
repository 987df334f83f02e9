"""Templates of pages, compiled once for all applications that tests make."""

from __future__ import annotations

from typing import Any

from flask import Flask
from flask.templating import Environment
from jinja2.bccache import Bucket, BytecodeCache


class _InMemory(BytecodeCache):
    """Compiled templates of this process."""

    def __init__(self) -> None:
        self._compiled: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._compiled:
            bucket.bytecode_from_string(self._compiled[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._compiled[bucket.key] = bucket.bytecode_to_string()


_COMPILED = _InMemory()


class SharedTemplates(Environment):
    """The environment of an application's templates, with what others have compiled."""

    def __init__(self, app: Flask, **options: Any) -> None:
        super().__init__(app, **options, bytecode_cache=_COMPILED)
