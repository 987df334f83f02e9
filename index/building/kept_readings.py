"""A cache of how documents were read from one build to the next, so that only new and changed ones
are read.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from corpus.document import Document
from corpus.folder import Reading
from corpus.languages import LANGUAGES, get_language
from index.building.fingerprints import extraction_hash
from index.building.snapshots import file_digest

NAME = "read"  # of the file, before the hashes

_READING = TypeAdapter(Reading)


class KeptReadings:
    """The readings that the previous build by the same program left in ``folder``, in one file,
    unless ``fresh``.

    Each is two lines of JSON: what is known of the document, and the reading. `publish` leaves
    those that were added to the next build. The name of the file has the hash of its content, which
    is verified.
    """

    def __init__(self, folder: Path, writing: Path, fresh: bool = False):
        self._folder, self._writing = folder, writing
        languages = "".join(get_language(code).model_dump_json() for code in LANGUAGES)
        program = f"{extraction_hash()} {version('lingua-language-detector')}"
        self._identity = hashlib.sha256(f"{program}\n{languages}".encode()).hexdigest()[:16]
        self._known = {} if fresh else self._load()
        self._used: list[bytes] = []

    def get(self, document: Document) -> Reading | None:
        """The reading of ``document``, None where there is none."""
        try:
            return (
                _READING.validate_json(line) if (line := self._known.get(_key(document))) else None
            )
        except ValidationError:
            return None

    def add(self, document: Document, reading: Reading) -> None:
        """Keep ``reading`` as that of ``document``."""
        with suppress(
            PydanticSerializationError
        ):  # half a surrogate pair, as a damaged font may yield, is nothing that JSON can have
            self._used += (_key(document), _READING.dump_json(reading))

    def publish(self) -> None:
        """Leave what was added to the next build; all else is dropped."""
        self._writing.write_bytes(b"\n".join(self._used))
        cache = self._folder / f"{NAME}-{self._identity}-{file_digest(self._writing)}"
        for other in self._folder.glob(f"{NAME}-*"):
            other.unlink()  # first, so that there is never more than one, whenever a build is killed
        self._writing.replace(cache)

    def _load(self) -> dict[bytes, bytes]:
        for path in self._folder.glob(f"{NAME}-{self._identity}-*"):
            content = path.read_bytes()
            if path.name.endswith(hashlib.sha256(content).hexdigest()):
                lines = content.split(b"\n")
                return dict(zip(lines[::2], lines[1::2], strict=False))
        return {}


def _key(document: Document) -> bytes:
    """What tells ``document`` from others that may be read otherwise."""
    return json.dumps([document.sha256, document.text_sha256, document.folder]).encode()
