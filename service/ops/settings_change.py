"""What changes for a running service when its settings are read again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from service.ops.masking import masked
from service.ops.settings import Settings

# The index is opened, memory shared and the port listened at once, before processes are started
# that answer.
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
    """The ``settings`` that hold from now on, a line for each one that was changed, and whether one
    of these takes effect now.
    """

    settings: Settings
    lines: tuple[str, ...]
    takes_effect: bool


def settings_change(now: Settings, read: Settings) -> SettingsChange:
    """Return what changes where ``read`` was read while ``now`` holds."""
    lines, effective = [], {}
    for name in Settings.model_fields:
        old, new = getattr(now, name), getattr(read, name)
        if old == new:
            continue
        if name in AFTER_RESTART:
            lines.append(
                f"{name} is {_told(new)} there; {_told(old)} holds until the service is started anew"
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
