"""`confirmed.yaml`: rules that rulings rest on, as they were when somebody confirmed that the
rulings still hold.

It stands beside the files of rulings, so that these stay as their authors wrote them: `{ruling:
{rule: SHA-256}}`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from corpus.rulings.collection import short
from corpus.rulings.model import Basis, Ruling
from corpus.rulings.source_files import SourceFile, UnreadableRulings, yaml_data

CONFIRMED = "confirmed.yaml"

Confirmations = dict[str, dict[str, Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]]]

_FILE = TypeAdapter(Confirmations)


def read_confirmations(file: SourceFile) -> Confirmations:
    """The content of `CONFIRMED`, by the ids of rulings without their game. Raises
    `UnreadableRulings`.
    """
    try:
        return _FILE.validate_python(yaml_data(file) or {})
    except ValidationError as fault:
        raise UnreadableRulings(
            f"is no file of confirmations: {short(fault.errors(include_input=False)[0]['msg'])}"
        ) from fault


def confirmed(ruling: Ruling, confirmations: Confirmations) -> Ruling:
    """``ruling`` with what its rules said when it was confirmed."""
    known = confirmations.get(ruling.id.split("/", 1)[1], {})
    return ruling._replace(
        bases=tuple(Basis(b.entry, b.number, known.get(b.rule, b.wording)) for b in ruling.bases)
    )
