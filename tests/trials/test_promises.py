"""What the documents promise an operator, and the trials that hold the service to it, are one list."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "operating.md"


def functions(file: Path) -> set[str]:
    """The tests in a file, as pytest names them."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    name = file.relative_to(ROOT).as_posix()
    return {f"{name}::{node.name}" for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def promised() -> list[tuple[str, list[str]]]:
    """Each promise with the tests that the page names for it."""
    _, _, part = PAGE.read_text(encoding="utf-8").partition("which trial holds it to it\n")
    rows = re.findall(r"(?m)^\| (?!promise|---)(.+?) \| (.+?) \|$", part)
    return [(promise, re.findall(r"`([^`]+)`", tests)) for promise, tests in rows]


def test_every_promise_names_a_test_that_there_is() -> None:
    rows = promised()
    assert len(rows) > 20
    for promise, tests in rows:
        assert tests, promise
        for test in tests:
            assert test in functions(ROOT / test.partition("::")[0]), test


def test_every_trial_stands_behind_a_promise() -> None:
    trials = set().union(*(functions(file) for file in Path(__file__).parent.glob("test_*.py") if file.name != Path(__file__).name))
    named = {test for _, tests in promised() for test in tests}
    assert trials - named == set()
