"""What the package offers can be used as its documentation says, and costs nothing until then."""

from __future__ import annotations

import subprocess
import sys

import glossary
from corpus import RulebookFolder
from tests.conftest import ROOT


def test_the_example_of_the_package_runs(sample: RulebookFolder) -> None:
    rulebooks = [rulebook for rulebook in sample.rulebooks if rulebook.edition.game == "pegelwacht"]
    references = glossary.find_references(rulebooks[0], rulebooks)
    assert references
    assert all(
        finding.edition == rulebooks[0].edition.id
        for finding in glossary.check_rulebook(rulebooks[0], rulebooks, references)
    )
    ties = glossary.tie_entries(glossary.load_concepts("pegelwacht"), rulebooks)
    assert ties.by_entry
    assert glossary.build_term_list("pegelwacht", rulebooks, ties.by_entry).terms


def test_every_public_name_is_there() -> None:
    assert all(getattr(glossary, name) is not None for name in glossary.__all__)


def test_importing_the_package_loads_none_of_it() -> None:
    code = "import sys, glossary; print([m for m in sys.modules if m.startswith('glossary.')])"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert ran.stdout.strip() == "[]"
