import ast
import pydoc
import re
import textwrap
import tomllib

from corpus.layouts import LAYOUTS
from glossary.check.model import FindingKind
from index.ranking.signals import SIGNALS
from tests.conftest import ROOT

ROOMS = ("corpus", "glossary", "index", "service")


def docstrings():
    """Every docstring of the program, with the file and line of what it is about."""
    for path in (each for room in ROOMS for each in sorted(ROOT.glob(f"{room}/**/*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                place = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"
                yield place, ast.get_docstring(node) or ""


def test_the_page_on_documents_has_every_layout_and_no_other():
    page = (ROOT / "docs" / "documents.md").read_text(encoding="utf-8")
    _, _, table = page.partition("| layout | reads |\n")
    assert set(re.findall(r"(?m)^\| `(\w+)` \|", table.partition("\n\n")[0])) == set(LAYOUTS)


def test_every_dependency_has_a_reason():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {re.split(r"[=<>\[]", each)[0].lower() for each in project["dependencies"]}
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    _, _, table = page.partition("| package | does | instead of it | kept by |\n")
    rows = re.findall(r"(?m)^\| ([a-zA-Z][^|]*) \|", table.partition("\n\n")[0])
    assert {name.lower() for row in rows for name in row.split(", ")} == needed


def test_what_contributing_points_at_exists():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paths = set(
        re.findall(r"`((?:corpus|glossary|index|service|tests|docs|examples)/[\w./-]*)`", page)
    )
    assert len(paths) > 50
    assert {path for path in paths if not (ROOT / path).exists()} == set()
    names = set(re.findall(r"`_*(?!PIP_)([A-Za-z]\w*_\w+|[A-Z]\w+)`", page))
    code = [
        *ROOT.glob("[cgist]*/**/*.py"),
        *ROOT.glob("service/web/templates/*.html"),
    ]
    known = set(re.findall(r"[A-Za-z]\w+", " ".join(each.read_text("utf-8") for each in code)))
    assert len(names) > 15
    assert names - known == set()


def test_the_page_on_search_has_every_signal_of_the_ranking_and_no_other():
    page = (ROOT / "docs" / "search.md").read_text(encoding="utf-8")
    _, _, table = page.partition("| signal | is |\n")
    rows = re.findall(r"(?m)^ *\| (`[^|]*`) \|", table.partition("\n\n")[0])
    assert sorted(name for row in rows for name in re.findall(r"`(\w+)`", row)) == sorted(
        signal.name for signal in SIGNALS
    )


def test_the_page_on_the_check_has_every_kind_of_finding_and_no_other():
    page = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    _, _, table = page.partition("| sort | reports | how sure |\n")
    assert re.findall(r"(?m)^\| `([^`]*)` \|", table.partition("\n\n")[0]) == list(FindingKind)


def test_what_docstrings_name_by_its_module_exists():
    pattern = rf"`((?:{'|'.join(ROOMS)})(?:\.\w+)+)(?:\(\))?`"
    named = [(place, name) for place, text in docstrings() for name in re.findall(pattern, text)]
    assert len(named) > 80
    assert [each for each in named if pydoc.locate(each[1]) is None] == []


def test_the_code_in_docstrings_of_modules_is_python():
    blocks = [
        (place, block)
        for place, text in docstrings()
        if place.endswith(":1")
        for block in re.findall(r"(?m)(?:^(?: {4}.*)?\n)*^ {4}.*$", text)
    ]
    assert blocks
    for place, block in blocks:
        compile(textwrap.dedent(block), place, "exec")
