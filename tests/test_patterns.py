import json
import re
import subprocess
import sys

import pytest

from tests.environment import without_settings
from tests.found_patterns import ROOT
from tests.pumped_patterns import LIMIT, slowest


@pytest.fixture(scope="module")
def found():
    done = subprocess.run(
        [sys.executable, "-m", "tests.found_patterns"],
        cwd=ROOT,
        env=without_settings(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.acceptance
def test_every_pattern_of_the_program_is_found(found):
    assert found["patterns"] > 500
    assert found["unseen"] == [], "let tests/composed_patterns.py call what composes these patterns"


@pytest.mark.acceptance
def test_no_pattern_takes_long_on_20_000_characters_made_to_slow_it_down(found):
    assert found["slow"] == []


@pytest.mark.parametrize(
    ("pattern", "use"),
    [
        (r"(?m)^(?:[ \t]*(?:[-+*•]|\d{1,3}[.)])[ \t]+)+[ \t]*>.*", "finditer"),  # exponential
        (r"(?:\w+\s?)+:", "match"),
        (
            r"[-–•*▪ \t]*[*_]{0,3}(?P<name>[^:*_\n]{1,80}?)[*_]{0,3}\s*(?::|\s[–-]\s)",
            "match",
        ),  # cubic
        (r"\s+$", "finditer"),  # quadratic
        (r"\w*phase", "search"),
        (r"\[[^\]]*\]\(", "search"),
        (r"\[quote\](?:(?!\[/quote\]).)*\[/quote\]", "search"),
        (r"\d+(?:\.\d+)+ \(", "finditer"),
        (r"(?i)[?&][^=&]*(?:pass|key)[^=&]*=", "finditer"),
        (rb"\s*<html", "search"),
    ],
)
def test_a_pattern_that_some_text_slows_down_is_told(pattern, use):
    seconds, text = slowest(re.compile(pattern), use)
    assert seconds > LIMIT, text


@pytest.mark.parametrize(
    ("pattern", "use"),
    [
        (r"(?<!\s)\s+$", "finditer"),
        (r"(?<!\w)\w*phase", "finditer"),
        (r"\s+$", "match"),
        (r"\[[^\[\]]*\]\(", "finditer"),
        (r"(?m)^(?:[ \t]*+(?:[-+*•]|\d{1,3}[.)])[ \t]++)++[ \t]*+>.*", "finditer"),
        (r"(?:siehe|see|vedi)\s+(?P<name>[A-Z]\w+)", "finditer"),
    ],
)
def test_a_pattern_that_no_text_slows_down_passes(pattern, use):
    seconds, text = slowest(re.compile(pattern), use)
    assert seconds <= LIMIT, text
