"""API keys: long random tokens, stored as hashes in a file that running services read again when it
changes.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import secrets
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from limits import parse_many

from corpus.errors import RegulaError
from corpus.file_changes import ChangeScope, FileChanges
from service.ops.settings import SettingError

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_MARK = "regula_"  # prefix of all tokens, so that scanners for leaked keys recognise them


@dataclass(frozen=True)
class ApiKey:
    """An API key: the ``sha256`` of its token in hex; its own rate ``limit``, "" for the usual one.

    ``admin`` may manage the indexes, ``editor`` may change the workspace on the pages.
    """

    name: str
    sha256: str
    made: date
    limit: str = ""
    admin: bool = False
    editor: bool = False


def token_digest(token: str) -> str:
    """Hash a token. It has 256 random bits, so a plain hash cannot be reversed by guessing (NIST SP
    800-63B, 5.1.2.2).
    """
    return hashlib.sha256(token.encode()).hexdigest()


class KeyRing:
    """The keys in a file; changes to the file take effect at the next look-up.

    A new file is readable by its owner alone. An existing one keeps its owner, group and
    permissions, so that a service under another user can still read it. A change is on the disk
    when `make` or `revoke` returns, and concurrent changes by several processes are all kept.
    """

    def __init__(self, file: Path | None):
        """Raise `SettingError` if the file cannot be read or has no keys."""
        self.file = file
        self._seen: object = None
        self._keys: dict[str, ApiKey] = {}
        if file is not None:
            self._look(file)

    def find(self, token: str) -> ApiKey | None:
        """Return the key with this token, None if there is none.

        If the file is damaged or no longer readable, the keys read before stay valid; that is
        logged once. Without the file, which may have been removed on purpose, there are none.
        """
        if self.file is not None:
            try:
                self._look(self.file)
            except SettingError as fault:
                logging.getLogger(__name__).error("%s; the keys that it had are taken", fault)
        # Looking up a hash reveals nothing of the token by its duration.
        return self._keys.get(token_digest(token))

    def all(self) -> list[ApiKey]:
        """Return the keys, by name. Raises `SettingError` if the file cannot be read or has no
        keys.
        """
        return sorted(_read(self.file), key=lambda key: key.name) if self.file else []

    def make(
        self,
        name: str,
        limit: str = "",
        admin: bool = False,
        editor: bool = False,
        tell: Callable[[str], object] = lambda token: None,
    ) -> str:
        """Make a key called ``name`` and return its token, which cannot be shown again.

        ``tell`` is given the token before it is valid: if ``tell`` raises something, or the
        process is killed, no key exists that nobody knows. Raises `SettingError` if the name is
        not allowed or the file not writable.
        """
        if not _NAME.fullmatch(name):
            raise SettingError(
                f"{name!r}: a key is named by small letters, digits and .-_, 64 at most"
            )
        if limit:
            _check(limit, name)
        with self._changing() as changes:
            keys = self.all()
            if any(key.name == name for key in keys):
                raise SettingError(
                    f"there is a key {name!r} already; revoke it first, or choose another name"
                )
            token = _MARK + secrets.token_urlsafe(32)
            self._write(
                changes,
                [
                    *keys,
                    ApiKey(
                        name, token_digest(token), datetime.now(UTC).date(), limit, admin, editor
                    ),
                ],
            )
            tell(token)
        return token

    def revoke(self, name: str) -> None:
        """Remove the key called ``name`` from the file. Raises `SettingError` if it is not
        there.
        """
        with self._changing() as changes:
            keys = self.all()
            others = [key for key in keys if key.name != name]
            if len(others) == len(keys):
                raise SettingError(
                    f"there is no key {name!r}; 'regula keys list' lists those there are"
                )
            self._write(changes, others)

    def _look(self, file: Path) -> None:
        """Read ``file`` again if it changed. Raises `SettingError`, once for each state of the
        file.
        """
        mark: object = None
        empty = False
        try:
            found = file.stat()
            mark, empty = (
                (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns),
                not found.st_size,
            )
        except FileNotFoundError:
            pass
        except OSError as fault:
            mark = fault.errno
        if mark != self._seen:
            self._seen = mark
            if empty and self._keys:
                raise SettingError(f"{file}: empty; 'regula keys revoke' leaves a comment in it")
            self._keys = {key.sha256: key for key in _read(file)}

    def _write(self, changes: FileChanges, keys: list[ApiKey]) -> None:
        assert self.file is not None
        lines = [
            "# API keys of Regula, written by 'regula keys'. Only hashes of the keys are kept."
        ]
        for key in sorted(keys, key=lambda k: k.name):
            lines += [
                "",
                f"[{json.dumps(key.name)}]",
                f'sha256 = "{key.sha256}"',
                f"made = {key.made.isoformat()}",
            ]
            lines += [f"limit = {json.dumps(key.limit)}"] if key.limit else []
            lines += ["admin = true"] if key.admin else []
            lines += ["editor = true"] if key.editor else []
        changes.write(self.file, ("\n".join(lines) + "\n").encode())

    @contextmanager
    def _changing(self) -> Iterator[FileChanges]:
        """Lock and change the file. Raises `SettingError` if it cannot be changed, or its owner
        and group cannot be preserved.
        """
        assert self.file is not None
        try:
            with ChangeScope.of_file(self.file, mode=0o600, keeps_owner=True).changing() as changes:
                yield changes
        except RegulaError:
            raise
        except PermissionError as fault:
            raise SettingError(
                f"{self.file}: cannot be changed with its owner kept ({fault.strerror}); do it as "
                "that owner or as root"
            ) from fault
        except OSError as fault:
            raise SettingError(f"{self.file}: cannot be changed ({fault.strerror})") from fault


def _read(file: Path) -> list[ApiKey]:
    try:
        return [
            _key(name, fields)
            for name, fields in tomllib.loads(file.read_text(encoding="utf-8")).items()
        ]
    except FileNotFoundError:
        return []
    except OSError as fault:
        raise SettingError(f"{file}: cannot be read ({fault.strerror})") from fault
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise SettingError(
            f"{file}: not a file of keys ({fault}); 'regula keys new' writes one"
        ) from fault


def _key(name: str, fields: dict[str, object]) -> ApiKey:
    made = fields["made"]
    if not isinstance(made, date):
        raise TypeError(f"{name}: 'made' is no date")
    limit = _check(str(fields.get("limit", "")), name)
    return ApiKey(
        name,
        str(fields["sha256"]),
        made,
        limit,
        fields.get("admin", False) is True,
        fields.get("editor", False) is True,
    )


def _check(limit: str, name: str) -> str:
    try:
        if limit:
            parse_many(limit)
    except ValueError as fault:
        raise SettingError(
            f"{name}: {limit!r} is no rate limit; say for example 600/minute"
        ) from fault
    return limit
