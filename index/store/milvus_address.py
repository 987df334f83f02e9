"""Where a Milvus database is, as a setting says it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

_FILE = ".db"  # how the name of a local file ends, which Milvus Lite reads
_PORT = 19530
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True)
class MilvusAddress:
    """Where a database is: ``uri`` as pymilvus takes it, and the name of the ``database``, empty
    for the default one.
    """

    uri: str
    database: str = ""

    @property
    def is_file(self) -> bool:
        """Whether it is a local file, which one process at a time can open."""
        return self.uri.endswith(_FILE)

    @classmethod
    def read(cls, address: str) -> MilvusAddress:
        """``milvus://host:port/database``, the same with ``https`` for an encrypted connection, or
        a file ``….db``.

        Port (19530) and database may be left out. Raises `ValueError`, with a line that says what
        may be written, for anything else.
        """
        parts = urlsplit(address)
        if not parts.scheme and address.endswith(_FILE):
            return cls(str(Path(address).expanduser().resolve()))
        database = parts.path.strip("/")
        fits = (
            parts.scheme in ("milvus", "https")
            and parts.hostname
            and not parts.username
            and not (parts.query or parts.fragment)
        )
        if not fits or (database and not _NAME.fullmatch(database)):
            raise ValueError(
                "write milvus://host:19530, milvus://host:19530/database, the same with https, or the path of a file ….db"
            )
        host = f"[{parts.hostname}]" if ":" in str(parts.hostname) else parts.hostname
        return cls(
            f"{'https' if parts.scheme == 'https' else 'http'}://{host}:{parts.port or _PORT}",
            database,
        )
