"""Rulings written as files: to share them, and one more at the end of a file, all other lines as they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import yaml

from corpus.rulings import Ruling
from corpus.rulings.fields import RulingFields
from corpus.titles import slug
from service.editions.drafting.yaml_edits import CannotEdit

_ENDLESS = 1_000_000  # characters of a line
_LONGEST_ID = 60


def exported_rulings(game: str, rulings: Iterable[Ruling]) -> str:
    """A YAML file of ``rulings`` on ``game`` in the described form; it can be added to any workspace."""
    rows = [described_ruling(ruling) for ruling in rulings]
    return _dumped({"game": game, "rulings": rows})


def described_ruling(ruling: Ruling) -> dict[str, Any]:
    """The fields of ``ruling`` as a file has them, empty ones left out."""
    fields = {
        "id": _own_id(ruling.id),
        "question": ruling.question.text if ruling.question else None,
        "answer": ruling.answer.text,
        "language": ruling.answer.language,
        "cards": list(ruling.cards),
        "date": ruling.date,
        "authority": ruling.authority.value,
        "source": ruling.source,
        "url": ruling.url,
        "rests_on": [{name: value for name, value in basis._asdict().items() if value} for basis in ruling.bases],
        "superseded_by": _own_id(ruling.superseded_by),
        "author": ruling.author,
    }
    return {name: value for name, value in fields.items() if value}


def with_ruling(text: str, game: str, fields: RulingFields) -> str:
    """``text``, the content of a file of rulings on ``game``, with one more at its end. Raises `CannotEdit`."""
    row = {name: value for name, value in fields.model_dump(mode="json").items() if value}
    row["rests_on"] = [{name: value for name, value in basis.items() if value} for basis in row.get("rests_on", ())]
    row = {name: value for name, value in row.items() if value}
    before = _loaded(text)
    if before is None:
        return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{_dumped({'game': game, 'rulings': [row]})}"
    known = before.get("rulings") if isinstance(before, dict) else before
    changed = f"{text.rstrip()}\n{_indented(_dumped([row]), _column(text, isinstance(before, dict)))}"
    wanted = [*known, row] if isinstance(known, list) else None
    if wanted is None or _loaded(changed) != ({**before, "rulings": wanted} if isinstance(before, dict) else wanted):
        raise CannotEdit("the file of rulings is written in a way that can only be added to in an editor")
    return changed


def with_confirmation(text: str, id: str, wordings: Mapping[str, str]) -> str:
    """``text``, the content of a file of confirmations, with ``wordings`` of rules by what names them for the ruling ``id``."""
    known = _loaded(text) or {}
    own = _own_id(id)
    return _dumped({**known, own: {**known.get(own, {}), **wordings}})


def new_ruling_id(question: str, known: Collection[str]) -> str:
    """An id for a ruling on ``question`` that is none of those ``known``."""
    stem = slug(question[:300], _LONGEST_ID) or "ruling"
    number, id = 1, stem
    while id in known:
        number += 1
        id = f"{stem}-{number}"
    return id


def _own_id(id: str) -> str:
    """The id of a ruling without its game."""
    return id.partition("/")[2]


def _loaded(text: str) -> Any:
    try:
        return yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError as fault:
        raise CannotEdit("the file of rulings is no YAML; see 'regula rulings check'") from fault


def _column(text: str, is_mapping: bool) -> int:
    """The column at which the rulings of a list begin."""
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    if is_mapping and isinstance(root, yaml.MappingNode):
        root = next((value for key, value in root.value if key.value == "rulings"), None)
    return root.start_mark.column if isinstance(root, yaml.SequenceNode) else 0


def _indented(text: str, column: int) -> str:
    return "".join(f"{' ' * column}{line}" if line.strip() else line for line in text.splitlines(keepends=True))


def _dumped(data: Any) -> str:
    return str(yaml.dump(data, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False, width=_ENDLESS))
