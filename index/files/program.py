"""A hash of the program: what was computed by one version of it is not taken for the result of
another.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def program_hash(
    packages: tuple[str, ...], suffixes: tuple[str, ...] = (), libraries: tuple[str, ...] = ()
) -> str:
    """Hash the files of ``packages`` of the program, by path and content, and the installed
    versions of ``libraries``.

    Only files that end with one of ``suffixes`` count, all files where there are none.
    """
    digest = hashlib.sha256(" ".join(f"{name} {version(name)}" for name in libraries).encode())
    for package in packages:
        for path in sorted((ROOT / package).rglob("*")):
            if (
                path.is_file()
                and "__pycache__" not in path.parts
                and (not suffixes or path.suffix in suffixes)
            ):
                digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()
