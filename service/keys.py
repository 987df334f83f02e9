"""API keys: long random tokens, of which only hashes are kept, in a file that running services look at again when it changes."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import tempfile
import tomllib
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from limits import parse_many

from service.settings import SettingFault

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_MARK = "regula_"  # what tokens begin with, so that scanners for leaked keys know them


@dataclass(frozen=True)
class Key:
    """``sha256`` of the token in hex; ``limit`` is its own rate limit, empty for the usual one; ``admin`` may manage the indexes."""

    name: str
    sha256: str
    made: date
    limit: str = ""
    admin: bool = False


def digest(token: str) -> str:
    """What is kept of a token. Tokens have 256 random bits, so that a plain hash cannot be guessed back (NIST SP 800-63B, 5.1.2.2)."""
    return hashlib.sha256(token.encode()).hexdigest()


class KeyRing:
    """The keys in a file; changes to it are noticed at the next look."""

    def __init__(self, file: Path | None):
        self.file = file
        self._seen: tuple[int, int] | None = None
        self._keys: dict[str, Key] = {}
        if file is not None:
            self._look()

    def find(self, token: str) -> Key | None:
        """The key with this token, None where there is none."""
        self._look()
        # A look-up by hash tells nothing of the token by the time it takes.
        return self._keys.get(digest(token))

    def all(self) -> list[Key]:
        """The keys, by name."""
        self._look()
        return sorted(self._keys.values(), key=lambda key: key.name)

    def make(self, name: str, limit: str = "", admin: bool = False) -> str:
        """A token for a new key called ``name``, the only time it is told. Raises `SettingFault` where the name is taken or unfit."""
        if not _NAME.fullmatch(name):
            raise SettingFault(f"{name!r}: a key is named by small letters, digits and .-_, 64 at most")
        if any(key.name == name for key in self.all()):
            raise SettingFault(f"there is a key {name!r} already; revoke it first, or choose another name")
        if limit:
            _check(limit, name)
        token = _MARK + secrets.token_urlsafe(32)
        self._write([*self.all(), Key(name, digest(token), datetime.now(UTC).date(), limit, admin)])
        return token

    def revoke(self, name: str) -> None:
        """Take the key called ``name`` out of the file. Raises `SettingFault` where there is none."""
        kept = [key for key in self.all() if key.name != name]
        if len(kept) == len(self._keys):
            raise SettingFault(f"there is no key {name!r}; 'regula keys list' lists those there are")
        self._write(kept)

    def _look(self) -> None:
        if self.file is None:
            return
        try:
            found = self.file.stat()
        except FileNotFoundError:
            self._seen, self._keys = None, {}
            return
        mark = (found.st_mtime_ns, found.st_ino)
        if mark != self._seen:
            self._keys = {key.sha256: key for key in _read(self.file)}
            self._seen = mark

    def _write(self, keys: list[Key]) -> None:
        assert self.file is not None
        lines = ["# API keys of Regula, written by 'regula keys'. Only hashes of the keys are kept."]
        for key in sorted(keys, key=lambda k: k.name):
            lines += ["", f'["{key.name}"]', f'sha256 = "{key.sha256}"', f"made = {key.made.isoformat()}"]
            lines += [f'limit = "{key.limit}"'] if key.limit else []
            lines += ["admin = true"] if key.admin else []
        self.file.parent.mkdir(parents=True, exist_ok=True)
        descriptor, place = tempfile.mkstemp(dir=self.file.parent, prefix=".keys")  # readable by its owner alone
        with os.fdopen(descriptor, "w", encoding="utf-8") as written:
            written.write("\n".join(lines) + "\n")
        os.replace(place, self.file)


def _read(file: Path) -> list[Key]:
    try:
        kept = tomllib.loads(file.read_text(encoding="utf-8"))
        keys = [
            Key(name, str(f["sha256"]), f["made"], _check(str(f.get("limit", "")), name), f.get("admin", False) is True)
            for name, f in kept.items()
        ]
    except OSError as fault:
        raise SettingFault(f"{file}: cannot be read ({fault.strerror})") from fault
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise SettingFault(f"{file}: not a file of keys ({fault}); 'regula keys new' writes one") from fault
    return keys


def _check(limit: str, name: str) -> str:
    try:
        if limit:
            parse_many(limit)
    except ValueError as fault:
        raise SettingFault(f"{name}: {limit!r} is no rate limit; say for example 600/minute") from fault
    return limit
