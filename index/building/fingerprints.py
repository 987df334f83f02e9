"""What an index depends on, as hashes: the program that builds it, the rulebooks, the settings."""

from __future__ import annotations

import hashlib
import platform
from pathlib import Path

from corpus.document import Document, documents
from corpus.languages import LANGUAGES, get_language
from corpus.workspace import CARDS, RULINGS, data_files_of, game_as_new, workspace
from index.building.snapshots import Snapshots
from index.encoding.general import ONLY_BUILT_IN, GeneralEncoding
from index.files.program import program_hash

_PACKAGES = ("corpus", "glossary", "index")
_EXTRACTING = ("corpus", "index/library")  # what makes texts of files, and what writes them down
_EXTRACTING_LIBRARIES = ("charset-normalizer", "lxml", "markdown-it-py", "pypdfium2")
_LIBRARIES = ("numpy", "pystemmer", "spacy", "spacy-lookups-data", "torch")


def build_program_hash() -> str:
    """The code that builds an index, and the versions of the libraries it uses, in one hash; data files do not count.

    The game that is taken for a new one does, so that such a build takes over nothing that was trained on what is known of it.
    """
    return _told_apart(program_hash(_PACKAGES, (".py",), _LIBRARIES))


def _told_apart(program: str) -> str:
    """The hash of the ``program``, with the game that it takes for a new one if there is one."""
    return f"{program} {game}" if (game := game_as_new()) else program


def extraction_hash() -> str:
    """The code, data and libraries that make a text of a file, and the version of Python (it knows what letters are), in one hash."""
    program = program_hash(_EXTRACTING, (".py", ".yaml", ".json"), _EXTRACTING_LIBRARIES)
    return hashlib.sha256(f"{platform.python_version()} {program}".encode()).hexdigest()


def fingerprint(folder: Path, encoder: str = "", store: str = "", general: GeneralEncoding = ONLY_BUILT_IN) -> str:
    """What an index of ``folder`` depends on, in one hash: `rulebook_fingerprint`, and the cards and rulings of the workspace."""
    digest = hashlib.sha256(rulebook_fingerprint(folder, encoder, store, general).encode())
    _add_data_files(digest, layers=True)
    return digest.hexdigest()


def rulebook_fingerprint(folder: Path, encoder: str = "", store: str = "", general: GeneralEncoding = ONLY_BUILT_IN) -> str:
    """What all but the cards and rulings in an index of ``folder`` depends on: documents, program, data files, languages, encoders, store.

    Files that are no documents do not count, as they are left out of the index. No text is extracted: it is told by its file.
    """
    program = _told_apart(program_hash(_PACKAGES, (".py", ".yaml", ".json")))
    digest = hashlib.sha256(f"{encoder}\n{store}\n{general.model} {general.everywhere}\n{program}".encode())
    for code in LANGUAGES:  # some may be described outside the project
        digest.update(get_language(code).model_dump_json().encode())
    _add_data_files(digest, layers=False)
    for document in documents(folder, extract=False):
        if isinstance(document, Document):
            digest.update(f"{document.sha256} {document.file}\n".encode())
    return digest.hexdigest()


def _add_data_files(digest: hashlib._Hash, layers: bool) -> None:
    """Add the data files of the workspace to ``digest``: those of the ``layers`` beside the rulebooks, or the others."""
    home = workspace()
    if home is None:
        return
    for path in data_files_of(home):
        name = path.relative_to(home)
        if (name.parts[0] in (CARDS, RULINGS)) == layers:
            with path.open("rb") as file:  # a database of cards may be large
                content = hashlib.file_digest(file, "sha256").digest()
            digest.update(f"{name}\n".encode("utf-8", "surrogateescape") + content)


def fits(snapshots: Snapshots, folder: Path, encoder: str = "", store: str = "", general: GeneralEncoding = ONLY_BUILT_IN) -> bool:
    """Whether the published snapshot was built from these rulebooks by this program with these settings."""
    current = snapshots.current()
    return current is not None and snapshots.manifest(current).get("fingerprint") == fingerprint(folder, encoder, store, general)
