import pytest

from index import build_index, open_index
from index.building.build import NothingToRead
from index.model import Query


def test_an_index_is_built_and_opened_and_the_row_of_a_table_answers_a_question(tmp_path):
    rulebooks = tmp_path / "rulebooks"
    rulebooks.mkdir()
    (rulebooks / "kran.md").write_text(
        "# Kran\n\n## Karten\n\nJeder erhält:\n\n| Spieler | Karten |\n|--|--|\n| 2 | 10 |\n"
        "| 3 | 8 |\n| 4 | 7 |\n\n## Punkte\n\n| Ware | Kahn | Lager |\n|--|--|--|\n"
        "| Hering | 2 | 1 |\n| Sandstein | 3 | 2 |\n| Bernstein | 5 | 4 |\n",
        encoding="utf-8",
    )
    built = build_index(rulebooks, tmp_path / "index")
    index = open_index(tmp_path / "index")
    assert index.id == built.id
    for question, row in (
        ("Wie viele Karten bekommt man bei 4 Spielern?", "Spieler 4: Karten 7"),
        ("Wie viele Punkte bringt Hering im Lager?", "Hering: Kahn 2, Lager 1"),
    ):
        assert index.search(Query(question, k=1)).hits[0].passage.display == row


def test_where_there_is_nothing_to_read_or_to_open_it_is_told(tmp_path):
    (tmp_path / "rulebooks").mkdir()
    with pytest.raises(NothingToRead, match="no rulebook in it"):
        build_index(tmp_path / "rulebooks", tmp_path / "index")
    with pytest.raises(FileNotFoundError, match="no index in it"):
        open_index(tmp_path / "index")
