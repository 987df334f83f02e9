"""What an index depends on, as hashes: the program that builds it, the rulebooks, the settings."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from corpus.document import Document, documents
from corpus.languages import LANGUAGES, get_language
from corpus.workspace import CARDS, RULINGS, data_files_of, game_as_new, workspace
from index.building.snapshots import Snapshots
from index.encoding.general import ONLY_BUILT_IN, GeneralEncoding
from index.files.program import program_hash

DEPENDS = "depends"  # in the manifest: the `dependencies`
_PACKAGES = ("corpus", "glossary", "index")
_EXTRACTING = ("corpus", "index/library")  # what makes texts of files, and what writes them down
_EXTRACTING_LIBRARIES = ("charset-normalizer", "lxml", "markdown-it-py", "pypdfium2")
_LIBRARIES = ("numpy", "pystemmer", "spacy", "spacy-lookups-data", "torch")


def build_program_hash() -> str:
    """The code that builds an index, the weights that training starts from and the versions of
    libraries, in one hash.

    Other data files do not count.

    The game that is taken for a new one does, so that such a build takes over nothing that was
    trained on what is known of it.
    """
    return _told_apart(program_hash(_PACKAGES, (".py", ".safetensors"), _LIBRARIES))


def _told_apart(program: str) -> str:
    """The hash of the ``program``, with the game that it takes for a new one if there is one."""
    return f"{program} {game}" if (game := game_as_new()) else program


def extraction_hash() -> str:
    """The code, data and libraries that make a text of a file, and the version of Python (it knows
    what letters are), in one hash.
    """
    program = program_hash(_EXTRACTING, (".py", ".yaml", ".json"), _EXTRACTING_LIBRARIES)
    return hashlib.sha256(f"{platform.python_version()} {program}".encode()).hexdigest()


class Dependency(StrEnum):
    """What an index depends on, as far as differences are told apart."""

    PROGRAM = "program"
    ENCODER = "encoder"
    SETTINGS = "settings"
    RULEBOOKS = "rulebooks"
    WORKSPACE = "workspace"  # what it says of editions, concepts and phrasings
    LAYERS = "layers"  # cards and rulings


def dependencies(
    folder: Path, encoder: str = "", store: str = "", general: GeneralEncoding = ONLY_BUILT_IN
) -> dict[str, str]:
    """What an index of ``folder`` depends on, each `Dependency` in one hash.

    Files that are no documents do not count, as they are left out of the index. No text is
    extracted: it is told by its file.
    """
    texts = (
        f"{each.sha256} {each.file}"
        for each in documents(folder, extract=False)
        if isinstance(each, Document)
    )
    return {
        Dependency.PROGRAM: answering_program(),
        Dependency.ENCODER: _hash(encoder, f"{general.model} {general.everywhere}"),
        Dependency.SETTINGS: _hash(store),
        Dependency.RULEBOOKS: _hash(*texts),
        Dependency.WORKSPACE: _data_files_hash(layers=False),
        Dependency.LAYERS: _data_files_hash(layers=True),
    }


def answering_program() -> str:
    """The code and data that build an index and answer from it, in one hash: by another, the same
    question may be answered otherwise.
    """
    # Languages may be described outside the project.
    described = (get_language(code).model_dump_json() for code in LANGUAGES)
    return _hash(
        _told_apart(program_hash(_PACKAGES, (".py", ".yaml", ".json", ".safetensors"))), *described
    )


def fingerprint(
    folder: Path, encoder: str = "", store: str = "", general: GeneralEncoding = ONLY_BUILT_IN
) -> str:
    """All that an index of ``folder`` depends on, in one hash."""
    return combined(dependencies(folder, encoder, store, general))


def combined(depends: Mapping[str, str], layers: bool = True) -> str:
    """Return in one hash what an index depends on, or only what all but the cards and rulings in it
    does, where not ``layers``.
    """
    return _hash(*(depends[each] for each in Dependency if layers or each is not Dependency.LAYERS))


def differences(manifest: Mapping[str, object], depends: Mapping[str, str]) -> tuple[str, ...]:
    """In what the index with this ``manifest`` does not fit what it would depend on now,
    ``depends``; empty where it fits.
    """
    if manifest.get("fingerprint") == combined(depends):
        return ()
    known = manifest.get(DEPENDS)
    if not isinstance(known, dict):  # a program that did not write it is another one
        return (Dependency.PROGRAM.value,)
    return tuple(each.value for each in Dependency if known.get(each) != depends[each])


def built_by_this_program(manifest: Mapping[str, object]) -> bool:
    """Whether the index with this ``manifest`` was built by this very program, which then finds in
    it what it found when it was built.
    """
    known = manifest.get(DEPENDS)
    return isinstance(known, dict) and known.get(Dependency.PROGRAM) == answering_program()


def fits(
    snapshots: Snapshots,
    folder: Path,
    encoder: str = "",
    store: str = "",
    general: GeneralEncoding = ONLY_BUILT_IN,
) -> bool:
    """Whether the published snapshot was built from these rulebooks by this program with these
    settings.
    """
    current = snapshots.current()
    return current is not None and snapshots.manifest(current).get("fingerprint") == fingerprint(
        folder, encoder, store, general
    )


def _hash(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode("utf-8", "surrogateescape")).hexdigest()


def _data_files_hash(layers: bool) -> str:
    """The data files of the workspace in one hash: those of the ``layers`` beside the rulebooks, or
    the others.
    """
    digest = hashlib.sha256()
    home = workspace()
    for path in data_files_of(home) if home is not None else ():
        name = path.relative_to(home or path)
        if (name.parts[0] in (CARDS, RULINGS)) == layers:
            with path.open("rb") as file:  # a database of cards may be large
                content = hashlib.file_digest(file, "sha256").digest()
            digest.update(f"{name}\n".encode("utf-8", "surrogateescape") + content)
    return digest.hexdigest()
