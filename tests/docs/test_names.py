"""Names: the documents list the layouts, signals of the ranking and kinds of findings that there are, and no other."""

from __future__ import annotations

import re

from corpus.layouts import LAYOUTS
from glossary.check.model import FindingKind
from index.ranking.fusion import SIGNALS
from tests.conftest import ROOT


def test_contributing_names_every_layout() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"(?m)^layout: .*# (.*)$", page)
    assert set(re.split(r", | or ", listed)) == set(LAYOUTS)


def test_the_readme_counts_the_layouts() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    (number, listed) = re.findall(r"(\w+) layouts can be read \(([^)]*)\)", page)[0]
    assert ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight"].index(number) + 1 == len(LAYOUTS) == len(listed.split(","))
    for name in LAYOUTS:
        assert name in listed.lower()


def test_the_page_on_search_has_every_signal_of_the_ranking_and_no_other() -> None:
    page = (ROOT / "docs" / "search.md").read_text(encoding="utf-8")
    _, _, table = page.partition("| signal | is |\n")
    rows = re.findall(r"(?m)^ *\| (`[^|]*`) \|", table.partition("\n\n")[0])
    assert sorted(name for row in rows for name in re.findall(r"`(\w+)`", row)) == sorted(SIGNALS)


def test_the_page_on_the_check_has_every_kind_of_finding_and_no_other() -> None:
    page = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    _, _, table = page.partition("| sort | reports | how sure |\n")
    assert re.findall(r"(?m)^\| `([^`]*)` \|", table.partition("\n\n")[0]) == list(FindingKind)
