from pathlib import Path

import pytest

from corpus.folder import read_folder
from glossary.model import Reference, ReferenceProblem
from glossary.references.anywhere import find

PAGES = {
    "index.html": """<h1>Ferry rules</h1><p>All rules of the ferry, see <a href="crew.html">the crew</a> and
<a href="crew.html#pilot">who steers</a>.</p><h2 id="night">Night</h2><p>At night the bell is rung.</p><h2>Fog</h2><p>Wait.</p>""",
    "crew.html": """<h1>Crew</h1><p>The ferry has a crew of three. At <a href="./#night">night</a> it has four, in
<a href="/rules/index#night">darkness</a> too; <a href="crew.html#pilot">the one who steers</a> stays.</p><h2 id="pilot">Pilot</h2>
<p>The pilot steers, as <a href="tolls.html#pilot">the tolls</a> and <a href="https://ferry.example/index.html#night">others</a> say.</p>
<h2>Cook</h2><p>The cook cooks.</p>""",
}


@pytest.fixture(scope="module")
def references(tmp_path_factory) -> dict[str, Reference]:
    """The references on both pages by what is printed."""
    folder = tmp_path_factory.mktemp("rulebooks")
    (folder / "ferry").mkdir()
    for name, body in PAGES.items():
        Path(folder / "ferry" / name).write_text(
            f'<!DOCTYPE html><html lang="en"><body>{body}</body></html>'
        )
    rulebooks = read_folder(folder).rulebooks
    assert len(rulebooks) == 2
    return {
        reference.raw: reference
        for rulebook in rulebooks
        for reference in find(rulebook, rulebooks)
    }


@pytest.mark.parametrize(
    ("printed", "target"),
    [
        ("the crew", "crew"),
        ("who steers", "pilot"),
        ("night", "night"),
        ("darkness", "night"),
        ("the one who steers", "pilot"),
    ],
)
def test_a_link_leads_to_the_entry_of_the_page_that_it_names(references, printed, target):
    assert str(references[printed].target).endswith(f"/{target}")


def test_what_stands_on_another_page_is_said_to_be_outside(references):
    assert references["who steers"].problem is ReferenceProblem.OUTSIDE
    assert references["the one who steers"].problem is None


def test_a_link_to_a_page_that_is_not_there_is_no_fault(references):
    assert references.get("others") is None
    assert all(
        reference.problem is not ReferenceProblem.MISSING for reference in references.values()
    )
