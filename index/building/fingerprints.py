"""Hashes of what an index depends on: the program that builds it, the rulebooks, the settings."""

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
from index.files.durable import file_digest, program_hash

DEPENDS = "depends"  # in the manifest: the `dependencies`
_PACKAGES = ("corpus", "glossary", "index")
_EXTRACTING = ("corpus", "index/library")  # packages that extract texts from files and store them
_EXTRACTING_LIBRARIES = ("charset-normalizer", "lxml", "markdown-it-py", "pypdfium2")
_LIBRARIES = ("numpy", "pystemmer", "spacy", "spacy-lookups-data", "torch")


def build_program_hash() -> str:
    """Hash the code that builds an index, the weights that training starts from and the versions of
    libraries.

    The name of a game to be treated as new counts too, so that such a build reuses nothing that was
    trained with knowledge of it.
    """
    return _told_apart(program_hash(_PACKAGES, (".py", ".safetensors"), _LIBRARIES))


def _told_apart(program: str) -> str:
    return f"{program} {game}" if (game := game_as_new()) else program


def extraction_hash() -> str:
    """Hash the code, data and libraries that extract a file's text, and the version of Python,
    which defines what a letter is.
    """
    program = program_hash(_EXTRACTING, (".py", ".yaml", ".json"), _EXTRACTING_LIBRARIES)
    return hashlib.sha256(f"{platform.python_version()} {program}".encode()).hexdigest()


class Dependency(StrEnum):
    """The kinds of things that an index depends on."""

    PROGRAM = "program"
    ENCODER = "encoder"
    SETTINGS = "settings"
    RULEBOOKS = "rulebooks"
    WORKSPACE = "workspace"  # its editions, concepts and phrasings
    LAYERS = "layers"  # cards and rulings


def dependencies(
    folder: Path, encoder: str = "", store: str = "", general: GeneralEncoding = ONLY_BUILT_IN
) -> dict[str, str]:
    """Return a hash of each `Dependency` of an index of ``folder``.

    Files that are no documents do not count, as they are left out of the index. No text is
    extracted: the file is hashed instead.
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
    """Hash the code and data that build an index and answer from it. With another hash, the same
    question may get another answer.
    """
    program = program_hash(_PACKAGES, (".py", ".yaml", ".json", ".safetensors"))
    # Languages may be described outside the project.
    described = (get_language(code).model_dump_json() for code in LANGUAGES)
    return _hash(_told_apart(program), *described)


def combined(depends: Mapping[str, str], layers: bool = True) -> str:
    """Hash all that an index depends on; without ``layers``, except cards and rulings."""
    return _hash(*(depends[each] for each in Dependency if layers or each is not Dependency.LAYERS))


def differences(manifest: Mapping[str, object], depends: Mapping[str, str]) -> tuple[str, ...]:
    """Return which dependencies of the index with this ``manifest`` differ from the current ones,
    ``depends``; empty if it fits.
    """
    if manifest.get("fingerprint") == combined(depends):
        return ()
    known = manifest.get(DEPENDS)
    if not isinstance(known, dict):  # an older program did not write it
        return (Dependency.PROGRAM.value,)
    return tuple(each.value for each in Dependency if known.get(each) != depends[each])


def built_by_this_program(manifest: Mapping[str, object]) -> bool:
    """Return whether this very program built the index with this ``manifest``. If so, it finds the
    same passages as when the index was built.
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
    """Return whether this program built the published snapshot from the rulebooks in ``folder``
    with these settings.
    """
    current = snapshots.current()
    depends = combined(dependencies(folder, encoder, store, general))
    return current is not None and snapshots.manifest(current).get("fingerprint") == depends


def _hash(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode("utf-8", "surrogateescape")).hexdigest()


def _data_files_hash(layers: bool) -> str:
    """Hash the workspace's data files: the cards and rulings (``layers``), or the others."""
    digest = hashlib.sha256()
    home = workspace()
    for path in data_files_of(home) if home is not None else ():
        name = path.relative_to(home or path)
        if (name.parts[0] in (CARDS, RULINGS)) == layers:
            digest.update(f"{name}\n{file_digest(path)}".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
