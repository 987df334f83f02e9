"""List the settings for an operator, and what changes when a running service reads them again."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from service.ops.settings import CONFIG_VARIABLE, Settings, masked, setting_values

_WIDTH = 120


def as_list(arguments: Mapping[str, object] | None = None) -> list[dict[str, Any]]:
    """List every setting in force, as JSON values."""
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
            f"{t.name} = {_toml(t.value)}  "
            f"({t.source if t.source != 'default' else 'as by default'})"
        )
        default = "" if t.source == "default" else f" Default: {_toml(t.default)}."
        lines += textwrap.wrap(
            f"{t.meaning}{default}", _WIDTH, initial_indent="    ", subsequent_indent="    "
        )
    return "\n".join(
        [
            f"Said by a variable REGULA_…, or in the TOML file that {CONFIG_VARIABLE} names (else "
            "regula.toml in this folder).",
            "",
            *lines,
        ]
    )


def as_template() -> str:
    """Return a settings file that sets nothing: every setting with its meaning and its
    commented-out default.
    """
    lines = [
        "# Settings of Regula. Each can be said by a variable too (REGULA_ and its name in "
        "capitals), which goes before this file."
    ]
    for t in setting_values():
        lines += [
            "",
            *textwrap.wrap(t.meaning, _WIDTH, initial_indent="# ", subsequent_indent="# "),
        ]
        lines.append(f"# {t.name} = {_toml(t.default)}")
    return "\n".join(lines)


def as_portable_file() -> tuple[str, tuple[str, ...]]:
    """Return a settings file with all values set by variables or the file ("" if there are
    none), and the names of settings left out.

    Secrets are left out, and so are addresses with a user, a password or a token. Paths differ
    between machines and are commented out.
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
    elif all(line.startswith("#") for line in lines):  # no value that is valid on another machine
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


# These need a restart: the index is opened, memory shared and the port opened once, before the
# answering processes start.
AFTER_RESTART = frozenset(
    (
        "home",
        "rulebooks",
        "index",
        "encoder",
        "general_encoder",
        "general_for",
        "store",
        "store_token",
        "keep",
        "private_copies",
        "host",
        "port",
        "workers",
    )
)


@dataclass(frozen=True)
class SettingsChange:
    """The ``settings`` in force from now on, a line for each changed one, and whether any of these
    takes effect without a restart.
    """

    settings: Settings
    lines: tuple[str, ...]
    takes_effect: bool


def settings_change(now: Settings, read: Settings) -> SettingsChange:
    """Return the change from the settings ``now`` to the newly ``read`` ones."""
    lines, effective = [], {}
    for name in Settings.model_fields:
        old, new = getattr(now, name), getattr(read, name)
        if old == new:
            continue
        if name in AFTER_RESTART:
            lines.append(
                f"{name} is {_told(new)} there; {_told(old)} holds until the service is started "
                "anew"
            )
        else:
            lines.append(f"{name} is {_told(new)} now, was {_told(old)}")
            effective[name] = new
    return SettingsChange(now.model_copy(update=effective), tuple(lines), bool(effective))


def _told(value: Any) -> str:
    """Return ``value`` as it may be shown."""
    shown = masked(value)
    return json.dumps(
        shown if isinstance(shown, (bool, int, float, str, tuple)) else str(shown or ""),
        ensure_ascii=False,
    )
