from pathlib import Path
from typing import Any

import pytest
import yaml

from corpus import Document, Role, identify, read
from corpus.display import display
from corpus.layouts import LAYOUTS
from glossary import references

FOLDER = Path(__file__).parent / "unseen"
EDITIONS = FOLDER / "editions"


def document(layout):
    path = FOLDER / f"{layout}.txt"
    return Document.from_bytes(path.name, path.read_bytes())


def described(layout):
    """The document read with the YAML that names its game, and nothing else."""
    edition = identify(document(layout), EDITIONS)
    assert edition is not None
    assert edition.known
    assert edition.corrections == ()
    return read(document(layout), edition)


def truth(layout):
    data: dict[str, Any] = yaml.safe_load(
        (FOLDER / f"{layout}.truth.yaml").read_text(encoding="utf-8")
    )
    return data


def outline(book):
    return [(entry.kind.value, entry.heading, list(entry.lines)) for entry in book.entries]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_game_is_recognised_by_its_yaml(layout):
    assert described(layout).edition.layout == layout


@pytest.mark.parametrize("layout", LAYOUTS)
def test_entries_are_those_that_a_reader_of_the_text_sees(layout):
    wanted = [(row["kind"], row["heading"], row["lines"]) for row in truth(layout)["entries"]]
    assert outline(described(layout)) == wanted


@pytest.mark.parametrize("layout", LAYOUTS)
def test_entries_hang_under_the_entry_around_them(layout):
    book = described(layout)
    headings = {entry.id: entry.heading for entry in book.entries}
    found = [(entry.heading, headings.get(entry.parent or "")) for entry in book.entries]
    assert found == [(row["heading"], row["parent"]) for row in truth(layout)["entries"]]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_cards_numbers_and_products_are_fields(layout):
    wanted = [row for row in truth(layout)["entries"] if "card" in row]
    found = [entry for entry in described(layout).entries if entry.card is not None]
    assert [(e.card, e.number, e.product) for e in found] == [
        (r["card"], r.get("number"), r.get("product")) for r in wanted
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_line_is_left_over(layout):
    book = described(layout)
    assert [book.document.text[a:b] for a, b in book.strays] == []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_torn_sentences_are_whole_again(layout):
    passages = described(layout).passages
    wanted = truth(layout)["passages"]
    assert wanted
    for row in wanted:
        fitting = [p for p in passages if list(p.lines) == row["lines"]]
        assert fitting, row
        passage = fitting[0]
        assert len(passage.spans) == row.get("spans_count", len(passage.spans)), row
        assert row.get("display_contains", "") in passage.display
        assert passage.role is Role(row.get("role", "text"))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_references_lead_where_they_should(layout):
    book = described(layout)
    first = {entry.id: entry.lines.first for entry in book.entries}
    found = {(r.line, r.raw, first.get(r.target or "")) for r in references.find(book, [book])}
    wanted = {(row["line"], row["raw"], row["target_line"]) for row in truth(layout)["references"]}
    assert found == wanted


@pytest.mark.parametrize("layout", LAYOUTS)
def test_without_any_yaml_the_layout_is_recognised_and_read_the_same(layout, tmp_path):
    edition = identify(document(layout), tmp_path)
    assert edition is not None
    assert not edition.known
    assert edition.layout == layout
    book = read(document(layout), edition)
    assert outline(book) == outline(described(layout))
    assert not book.strays


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_language_is_told_from_the_text(layout, tmp_path):
    guessed, named = identify(document(layout), tmp_path), identify(document(layout), EDITIONS)
    assert guessed is not None
    assert named is not None
    assert guessed.language == named.language


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_readers_see_is_free_of_signs(layout):
    for passage in described(layout).passages:
        assert "**" not in passage.display
        assert passage.display == display(passage.display)
