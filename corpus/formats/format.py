"""The interface of a front end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from corpus.blocks import Block, ExtractedText
from corpus.errors import RegulaError


class UnreadableFile(RegulaError, ValueError):
    """A file whose text cannot be had. The message says why and what to do, and names no file:
    "encrypted; save it without a password".
    """


@dataclass(frozen=True)
class TextFormat:
    """A format that is its own canonical text. ``score`` rates from 0.0 to 1.0 how much a text
    looks like it; ``blocks`` divides it.
    """

    name: str
    score: Callable[[str], float]
    blocks: Callable[[str], tuple[Block, ...]]


@dataclass(frozen=True)
class ExtractedFormat:
    """A format whose text is extracted. ``fits`` tells it by the bytes of a file; ``extract``
    raises `UnreadableFile`.

    ``extract`` is called in a process of its own (`corpus.formats.isolated`): it may crash, hang or
    take too much memory.
    """

    name: str
    fits: Callable[[bytes], bool]
    extract: Callable[[bytes], ExtractedText]
