import re
import shlex

from click.testing import CliRunner

from glossary.check.model import FindingKind
from service.cli import cli
from tests.conftest import ROOT, SAMPLE

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_program_of_the_check_prints_findings_of_the_sample(capsys):
    (program,) = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs" / "check.md").read_text(encoding="utf-8"), re.DOTALL
    )
    exec(compile(program, "check.md", "exec"), {"folder": SAMPLE})
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[1] for line in lines} <= set(FindingKind)
    assert len(lines) > len(FindingKind)


def test_the_question_in_the_readme_has_the_answer_that_stands_there(sample_snapshots):
    (block,) = re.findall(r"```\n\$ \.venv/bin/regula (ask .*?)```", README, re.DOTALL)
    command, _, answer = block.partition("\n")
    given = CliRunner().invoke(
        cli,
        [
            *shlex.split(command),
            "--rulebooks",
            str(SAMPLE),
            "--index",
            str(sample_snapshots.folder),
        ],
    )
    assert given.stdout == answer


def test_the_program_in_the_readme_answers_from_the_sample(sample_snapshots, capsys):
    (program,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    here = program.replace('"corpus/sample/rulebooks"', repr(str(SAMPLE))).replace(
        '".regula/example"', repr(str(sample_snapshots.folder))
    )
    assert here != program
    exec(compile(here, "README.md", "exec"), {})
    label, text = capsys.readouterr().out.splitlines()[:2]
    assert f"\n1. {label} (" in README
    assert f"\n   {text}\n" in README


def test_the_chart_in_the_readme_has_the_figures_of_the_benchmarks():
    measured = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    chart = (ROOT / "docs" / "quality.svg").read_text(encoding="utf-8")
    systems = (
        "Regula, weights held out",
        "tantivy",
        "bm25s",
        "SQLite FTS5",
        "all-MiniLM-L6-v2, FAISS",
    )

    def column(heading, number):
        _, _, table = measured.partition(f"## {heading}")
        rows = {
            cells[0]: cells
            for line in table.split("\n## ")[0].splitlines()
            if (cells := line.strip("| ").split(" | "))
        }
        return [float(rows[system][number]) for system in systems]

    wanted = [column("Quality: strangers", 2), column("Quality: hand-made", 2)]
    assert [int(each) for each in re.findall(r">(\d+) %<", chart)] == [
        round(100 * share) for group in wanted for share in group
    ]
    assert re.findall(r">([\d.]+) ms<", chart) == [
        f"{each:.1f}" for each in column("Time for one question", 1)
    ]
