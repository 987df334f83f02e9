"""Parse the systemd unit for the tests: its directives, and the steps for an operator in its
comment.
"""

from __future__ import annotations

import re
from itertools import dropwhile, takewhile
from pathlib import Path

from tests.conftest import ROOT

FILE = ROOT / "deploy" / "regula.service"
BUILDER = FILE.with_name("regula-build.service")
TIMER = FILE.with_name("regula-build.timer")
PULLER = FILE.with_name("regula-pull.service")
PULL_TIMER = FILE.with_name("regula-pull.timer")
PULLING = FILE.with_name("regula-pulling.conf")  # for a server that pulls, in addition to `FILE`
PLACES = (
    "/opt/",
    "/srv/",
    "/etc/",
    "/var/lib/regula",
)  # where an operator puts things; the rest is systemd's


def directives(file: Path = FILE) -> list[tuple[str, str]]:
    """Return names and values, in order; a name may occur several times."""
    said = (
        line.partition("=")
        for line in file.read_text().splitlines()
        if "=" in line and not line.startswith("#")
    )
    return [(name, value) for name, _, value in said]


def value(name: str, file: Path = FILE) -> str:
    """Return the last value of the directive ``name``."""
    return [value for called, value in directives(file) if called == name][-1]


def values(name: str, file: Path = FILE) -> list[str]:
    """Return the words of all values of the directive ``name``."""
    return " ".join(value for called, value in directives(file) if called == name).split()


def environment(file: Path = FILE) -> dict[str, str]:
    """Return the variables that the unit sets."""
    said = " ".join(value for name, value in directives(file) if name == "Environment")
    return dict(one.split("=", 1) for one in said.split())


def steps(file: Path = FILE) -> list[str]:
    """Return the first commands in the comment at the top, up to the first line that is no
    command.
    """
    comment = file.read_text().partition("[Unit]")[0].splitlines()
    found = dropwhile(lambda line: not line.startswith("#   "), comment)
    return [
        line.removeprefix("#   ") for line in takewhile(lambda line: line.startswith("#   "), found)
    ]


def paths(text: str) -> set[str]:
    """Return the paths in ``text`` that an operator must create."""
    return {
        found
        for found in re.findall(r"(?<![\w/.])/[\w./-]+[\w-]", text)
        if found.startswith(PLACES)
    }


def mapped(text: str, root: Path) -> str:
    """Return ``text`` with those paths moved below ``root``."""
    for found in sorted(paths(text), key=len, reverse=True):
        text = re.sub(rf"(?<![\w/.]){re.escape(found)}(?![\w/-])", str(root) + found, text)
    return text
