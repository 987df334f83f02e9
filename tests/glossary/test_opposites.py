import pytest

from glossary.concepts import games_with_concepts, load_concepts
from glossary.terms.opposites import opposites
from glossary.terms.term_list import build_term_list


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("de", "im Spiel", "nicht im Spiel"),
        ("it", "In Gioco", "Fuori dal Gioco"),
        ("en", "in play", "out of play"),
        ("de", "beschädigt", "unbeschädigt"),
        ("it", "difeso", "non difeso"),
        ("it", "difeso", "indifeso"),
        ("de", "gültiges Ziel", "ungültige Ziele"),
        ("de", "herausfordernder Charakter", "herausgeforderter Charakter"),
        ("de", "angreifender Lotse", "angegriffener Lotse"),
        ("it", "personaggio sfidante", "personaggio sfidato"),
        ("en", "challenging player", "challenged player"),
        ("en", "challenging", "challenged"),
        ("de", "Fernkampfwaffe", "Nahkampfwaffe"),
        ("it", "Restrizione", "Permesso"),
        ("de", "Karte mit Anker", "Karte ohne Anker"),
    ],
)
def test_what_says_the_opposite_is_told(language, one, other):
    assert list(opposites([one, other], language)) == [(one, other)]
    assert list(opposites([other, one], language)) == [(other, one)]


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("de", ["Karte ziehen", "Karten ziehen", "gezogen"]),
        ("de", ["Zäh", "zähe", "Unterbrechung", "Unterbrechungen"]),
        ("en", ["challenge", "challenging", "challenged"]),
        ("en", ["defeating the pilot", "pilot defeated"]),
        ("it", ["Robusto", "Irrobustire", "robusta"]),
        ("it", ["Carta Base", "Carte Base", "Incontro"]),
        ("fr", ["en jeu", "hors jeu"]),  # nothing is known of its opposites
    ],
)
def test_forms_of_one_name_are_no_opposites(language, names):
    assert list(opposites(names, language)) == []


def test_no_term_of_any_game_has_names_that_mean_the_opposite():
    for game in games_with_concepts():
        for term in build_term_list(game, [], {}).terms:
            for language, wording in term.wordings.items():
                names = [wording.name or "", *wording.variants, *wording.abbreviations]
                assert list(opposites(names, language)) == [], (term.sense, names)


def test_an_opposite_that_a_workspace_has_becomes_a_row_of_its_own(tmp_path, monkeypatch):
    (tmp_path / "spiel.yaml").write_text(
        "soaked:\n"
        "  de: [durchnässt, nicht durchnässt, durchnässte]\n"
        "  it: [fradicio, non fradicio]\n"
        "  senses:\n"
        "    soaked-card: {de: [durchnässte]}\n",
        encoding="utf-8",
    )
    concepts = load_concepts("spiel", (tmp_path,))
    monkeypatch.setattr("glossary.terms.term_list.load_concepts", lambda game: concepts)
    rows = {
        term.sense: [wording.name for wording in term.wordings.values()]
        for term in build_term_list("spiel", [], {}).terms
    }
    assert rows == {
        "soaked": ["durchnässt", "fradicio"],
        "soaked-reverse": ["nicht durchnässt", "non fradicio"],
        "soaked-card": ["durchnässte"],
    }
