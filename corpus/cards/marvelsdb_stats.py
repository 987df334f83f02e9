"""The values printed on a card, of a record of marvelsdb-json-data, as its README describes
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.cards.folder import stat_value

_PLAIN = (
    "attack_cost", "boost", "deck_limit", "faction_code", "hand_size", "quantity", "recover", "scheme_acceleration", "scheme_amplify",
    "scheme_crisis", "scheme_hazard", "set_code", "stage", "thwart_cost",
)  # fmt: skip
_CHARACTER = ("attack", "cost", "defense", "health", "scheme", "thwart")
_THREAT = ("base_threat", "escalation_threat", "threat")  # by default for each player
_RESOURCES = ("energy", "mental", "physical", "wild")
_FLAGS = ("permanent",)
_X = "-1"  # how "X" is written


def printed_values(record: Mapping[str, Any]) -> dict[str, str]:
    """The values of ``record`` by name: "X" and "-" as printed, symbols as the texts have them.
    Raises `ValueError` for a wrong type.
    """
    found = {name.removesuffix("_code"): stat_value(record.get(name)) for name in _PLAIN}
    for name in (*_CHARACTER, *_THREAT):
        found[name] = _with_signs(record, name)
    found["resources"] = "".join(
        f"[{kind}]" * _count(record.get(f"resource_{kind}")) for kind in _RESOURCES
    )
    found |= {name: "yes" for name in _FLAGS if record.get(name) is True}
    return found


def _with_signs(record: Mapping[str, Any], name: str) -> str:
    star = "[star]" if record.get(f"{name}_star") is True else ""
    if name not in record:
        return star
    value = stat_value(record[name])
    if not value:
        return star or "-"
    shown = "X" if value == _X else value
    if record.get(f"{name}_per_group") is True:
        shown += " [per_group]"
    elif record.get(f"{name}_per_hero") is True or (
        name in _THREAT and record.get(f"{name}_fixed") is not True and value != "0"
    ):
        shown += " [per_hero]"
    return shown + star


def _count(value: object) -> int:
    """How many of a resource. Raises `ValueError`."""
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 20:
        raise ValueError("a number of resources that cannot be")
    return value
