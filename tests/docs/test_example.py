"""The programs in the documents run as they stand there."""

from __future__ import annotations

import re

import pytest

from glossary.check.model import FindingKind
from index.building.snapshots import Snapshots
from tests.conftest import ROOT, SAMPLE


def test_the_program_of_the_check_prints_findings_of_the_sample(capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "check.md").read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(program, "check.md", "exec"), {"folder": SAMPLE})
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[1] for line in lines} <= set(FindingKind)
    assert len(lines) > len(FindingKind)


def test_the_program_in_the_readme_answers_from_the_sample(sample_snapshots: Snapshots, capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    here = program.replace('"corpus/sample/rulebooks"', repr(str(SAMPLE))).replace('".regula/example"', repr(str(sample_snapshots.folder)))
    assert here != program
    exec(compile(here, "README.md", "exec"), {})
    label, text = capsys.readouterr().out.rstrip().split("\n", 1)
    assert label.startswith("Pegelwacht Regelbuch 1.1 (de), Gleichzeitige Effekte, Z. ")
    assert text
