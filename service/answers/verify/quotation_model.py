"""What a text quotes, as it is found there: quotations and markers, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from corpus.model import Span


class Form(Enum):
    """How a quotation is set: between marks or as a block, or in a way that sets other things off
    too.
    """

    QUOTED = auto()
    EMPHASIS = auto()
    CODE = auto()


class Marker(NamedTuple):
    """A citation marker and where it stands, brackets included."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Quotation:
    """A quotation: its words stand at ``span``; ``outer`` is the same with quotation marks or block
    quote signs.

    ``without_attribution`` is the span without a last line that looks like the name of a source,
    None where there is no such line. What is emphasised, set as code or a block quote may be a
    remark with quotations of its own: the ``inner`` ones.
    """

    span: Span
    outer: Span
    form: Form = Form.QUOTED
    block: bool = False
    without_attribution: Span | None = None
    inner: tuple[Quotation, ...] = ()
