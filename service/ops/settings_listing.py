"""The settings as an operator reads them: a list, JSON, and a settings file to begin with."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from service.ops.settings import CONFIG_VARIABLE, setting_values

_WIDTH = 120


def as_list(arguments: Mapping[str, object] | None = None) -> list[dict[str, Any]]:
    """List every setting in force, for programs."""
    return [
        {
            "name": t.name,
            "variable": t.variable,
            "value": _plain(t.value),
            "source": t.source,
            "default": _plain(t.default),
            "meaning": t.meaning,
        }
        for t in setting_values(arguments)
    ]


def as_lines(arguments: Mapping[str, object] | None = None) -> str:
    """List every setting in force: value and source, then its meaning and default."""
    lines = []
    for t in setting_values(arguments):
        lines.append(
            f"{t.name} = {_toml(t.value)}  ({t.source if t.source != 'default' else 'as by default'})"
        )
        default = "" if t.source == "default" else f" Default: {_toml(t.default)}."
        lines += textwrap.wrap(
            f"{t.meaning}{default}", _WIDTH, initial_indent="    ", subsequent_indent="    "
        )
    return "\n".join(
        [
            f"Said by a variable REGULA_…, or in the TOML file that {CONFIG_VARIABLE} names (else regula.toml in this folder).",
            "",
            *lines,
        ]
    )


def as_template() -> str:
    """Return a settings file that sets nothing: every setting with its meaning, its default behind
    a comment sign.
    """
    lines = [
        "# Settings of Regula. Each can be said by a variable too (REGULA_ and its name in capitals), which goes before this file."
    ]
    for t in setting_values():
        lines += [
            "",
            *textwrap.wrap(t.meaning, _WIDTH, initial_indent="# ", subsequent_indent="# "),
        ]
        lines.append(f"# {t.name} = {_toml(t.default)}")
    return "\n".join(lines)


def as_portable_file() -> tuple[str, tuple[str, ...]]:
    """Return a settings file with all that is said by variables and in the file, and the names of
    what it leaves out; "" for nothing.

    That is what lets in somewhere: secrets, and addresses with a user, a password or a token.
    Paths, which other machines have others of, stand behind a comment sign.
    """
    lines, left_out = ["# Settings of Regula, as they were said where a backup was made."], []
    for t in setting_values():
        if t.source == "default":
            continue
        if t.is_secret:
            left_out.append(t.name)
            continue
        value = t.value if isinstance(t.value, (bool, int, float, tuple)) else t.said
        lines.append(f"{'# ' if isinstance(t.value, PurePath) else ''}{t.name} = {_toml(value)}")
    if left_out:
        lines.append(
            f"# Left out, since they let in somewhere; say them anew: {', '.join(left_out)}"
        )
    elif all(line.startswith("#") for line in lines):  # nothing that means something elsewhere
        return "", ()
    return "\n".join(lines) + "\n", tuple(left_out)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return list(value) if isinstance(value, tuple) else str(value)


def _toml(value: Any) -> str:
    """Return ``value`` as TOML writes it; an empty text for None."""
    if isinstance(value, (bool, int, float, str)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, tuple):
        return json.dumps(list(value), ensure_ascii=False)
    return json.dumps(str(value) if isinstance(value, PurePath) or value is not None else "")
