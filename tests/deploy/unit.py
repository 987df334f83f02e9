"""The systemd unit as the tests read it: its directives, and the steps that its comment tells an
operator to take.
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
PULLING = FILE.with_name("regula-pulling.conf")  # what a server that pulls has besides `FILE`
PLACES = (
    "/opt/",
    "/srv/",
    "/etc/",
    "/var/lib/regula",
)  # where an operator puts things; the rest is systemd's


def directives(file: Path = FILE) -> list[tuple[str, str]]:
    """Names and values, in order; a name may stand there more than once."""
    said = (
        line.partition("=")
        for line in file.read_text().splitlines()
        if "=" in line and not line.startswith("#")
    )
    return [(name, value) for name, _, value in said]


def value(name: str, file: Path = FILE) -> str:
    """The last value of the directive ``name``."""
    return [value for called, value in directives(file) if called == name][-1]


def values(name: str, file: Path = FILE) -> list[str]:
    """The words of all values of the directive ``name``."""
    return " ".join(value for called, value in directives(file) if called == name).split()


def environment(file: Path = FILE) -> dict[str, str]:
    """The variables that the unit sets."""
    said = " ".join(value for name, value in directives(file) if name == "Environment")
    return dict(one.split("=", 1) for one in said.split())


def steps(file: Path = FILE) -> list[str]:
    """The first commands of the comment at the top, up to the next line that is none."""
    comment = file.read_text().partition("[Unit]")[0].splitlines()
    found = dropwhile(lambda line: not line.startswith("#   "), comment)
    return [
        line.removeprefix("#   ") for line in takewhile(lambda line: line.startswith("#   "), found)
    ]


def paths(text: str) -> set[str]:
    """The paths in ``text`` that an operator has to make."""
    return {
        found
        for found in re.findall(r"(?<![\w/.])/[\w./-]+[\w-]", text)
        if found.startswith(PLACES)
    }


def mapped(text: str, root: Path) -> str:
    """``text`` with those paths below ``root``."""
    for found in sorted(paths(text), key=len, reverse=True):
        text = re.sub(rf"(?<![\w/.]){re.escape(found)}(?![\w/-])", str(root) + found, text)
    return text
