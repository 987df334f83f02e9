from dataclasses import replace

import pytest

from corpus.data_files import DataFileError
from corpus.edition_files import described_editions
from corpus.model import Kind
from glossary.concepts import (
    ConceptTies,
    games_with_concepts,
    load_concepts,
    tie_entries,
)

MARVEL = ("marvel-champions-de-1.5", "marvel-champions-it-1.7")


def all_concepts():
    return [concept for game in games_with_concepts() for concept in load_concepts(game)]


@pytest.fixture(scope="module")
def real_ties(real) -> ConceptTies:
    return tie_entries(all_concepts(), real.rulebooks)


@pytest.fixture(scope="module")
def sample_ties(sample) -> ConceptTies:
    return tie_entries(all_concepts(), sample.rulebooks)


def write(folder, text):
    (folder / "spiel.yaml").write_text(text, encoding="utf-8")
    return folder


def test_every_heading_kept_fits_an_entry(real_ties, sample_ties):
    assert real_ties.unmatched == ()
    assert sample_ties.unmatched == ()


def test_concepts_name_only_editions_and_games_that_are_described():
    editions = {k.edition.id: k.edition.game for k in described_editions()}
    for concept in all_concepts():
        assert {editions.get(edition) for edition in concept.entries} <= {concept.game}, concept.id


@pytest.mark.parametrize(
    ("german", "italian"),
    [
        ("teamwork", "team-up"),
        ("zusammenarbeit-merkmal", "lavoro-di-squadra-tratto"),
        ("gestaehlt", "stabile"),
        ("standhaft", "tempra"),
        ("gefahrensymbol", "pericolo-icona"),
        ("wagnis", "isolamento"),
        ("fernkampf", "distanza"),
        ("angriff-gegner-aktivierung", "attacco-attivazione-nemica"),
        ("angriff-spieleraktion", "attacco-capacita-del-giocatore"),
        ("duerfen", "potere"),
        ("basiskraft", "potere-base"),
        ("eingeschraenkt", "restrizione"),
        ("nur", "limite"),
        ("erhalten", "ottenere"),
        ("bekommen", "ricevere"),
        ("beschleunigungsmarker", "accelerazione-segnalino"),
        ("spielaufbau", "preparazione-parola-chiave"),
        ("gestalt-gestalt-wechseln", "cambiare-sembianza"),
        ("schurke-schurkendeck", "mazzo-del-criminale"),
        ("ziehen", "pescare"),
        ("die-galgenregel", "la-regola-nera"),
        ("ang", "att"),
    ],
)
def test_german_and_italian_entries_of_one_meaning_share_a_concept(real_ties, german, italian):
    left, right = (
        real_ties.by_entry[f"{edition}/{slug}"]
        for edition, slug in zip(MARVEL, (german, italian), strict=True)
    )
    assert left == right


@pytest.mark.parametrize(
    ("german", "italian"),
    [
        ("teamwork", "lavoro-di-squadra-tratto"),
        ("standhaft", "stabile"),
        ("wagnis", "pericolo-icona"),
        ("umgebung", "appendice-vi-ambienti-di-gioco"),
        ("eingeschraenkt", "vincolo"),
        ("spielaufbau", "preparazione-capacita-innescata"),
        ("verstaerkungssymbol", "potenziamento-icona"),
    ],
)
def test_false_friends_do_not_share_a_concept(real_ties, german, italian):
    left, right = (
        real_ties.by_entry[f"{edition}/{slug}"]
        for edition, slug in zip(MARVEL, (german, italian), strict=True)
    )
    assert left != right


def test_every_glossary_entry_of_both_languages_has_a_concept(real, real_ties):
    for rulebook in real.rulebooks:
        untied = [
            e.heading
            for e in rulebook.entries
            if e.kind in (Kind.TERM, Kind.REDIRECT) and e.id not in real_ties.by_entry
        ]
        assert untied == [], rulebook.edition.id


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("pegelwacht-de-1.1/angriff-wrack", "pegelwacht-it-1.1/attacco-relitto"),
        ("pegelwacht-de-1.0/kentern", "pegelwacht-it-1.1/naufragio"),
        ("pegelwacht-de-1.0/aus-dem-spiel-entfernt", "pegelwacht-de-1.1/aus-dem-spiel-genommen"),
        ("pegelwacht-de-1.0/sto", "pegelwacht-it-1.1/spe"),
        ("pegelwacht-de-online/wrack-wrackkarte", "pegelwacht-it-1.1/relitto"),
        ("pegelduell-de-2.0/rammender-gerammter-kahn", "pegelduell-faq-de-3/rammen"),
    ],
)
def test_sample_entries_of_one_meaning_share_a_concept(sample_ties, one, other):
    assert sample_ties.by_entry[one] == sample_ties.by_entry[other]


SPIEL = """
level:
  de: [Pegel]
  it: [Livello]
  entries:
    spiel-1: PEGEL
surge:
  de: [Nachschlag]
  entries:
    spiel-1: [NACHSCHLAG, "SCHLAG, NACH"]
"""


def test_a_heading_that_is_gone_is_reported(tmp_path, book):
    tied = tie_entries(
        load_concepts("spiel", write(tmp_path, SPIEL)),
        [_of_game(book(("term", "PEGEL", "Text."), ("term", "SCHLAG, NACH", "Text.")))],
    )
    assert tied.by_entry == {"spiel-1/0": "level", "spiel-1/1": "surge"}
    assert [(u.concept, u.edition, u.heading) for u in tied.unmatched] == [
        ("surge", "spiel-1", "NACHSCHLAG")
    ]


def test_a_rule_without_a_title_is_an_entry_by_its_number(tmp_path, book):
    written = write(tmp_path, SPIEL + 'win:\n  de: [gewinnen]\n  entries:\n    spiel-1: "2.3"\n')
    rules = book(("term", "PEGEL", "Text."), ("rule", "2.3", "Text."), ("rule", "2.4", "Text."))
    tied = tie_entries(load_concepts("spiel", written), [_of_game(rules)])
    assert tied.by_entry == {"spiel-1/0": "level", "spiel-1/1": "win"}


def test_an_edition_that_nobody_has_tied_yet_is_tied_by_its_headings(tmp_path, book):
    newer = _of_game(
        book(
            ("term", "Pegel", "Text."),
            ("term", "SCHLAG, NACH", "Text."),
            ("term", "NEUES", "Text."),
            edition="spiel-2",
        )
    )
    tied = tie_entries(load_concepts("spiel", write(tmp_path, SPIEL)), [newer])
    assert tied.by_entry == {"spiel-2/0": "level", "spiel-2/1": "surge"}
    assert tied.unmatched == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("level:\n  de: [Pegel]\n  sv: [Nivå]\n", r"spiel\.yaml:1: level: .*'sv'"),
        ("level:\n  de: [Pegel]\n  ordinary: manchmal\n", r"spiel\.yaml:3: level\.ordinary: "),
        ("level:\n  symbols: ['★']\n", r"spiel\.yaml:\d+: level: "),
        ("level:\n  de: []\n", r"spiel\.yaml:2: level\.de: "),
        ("Großer Pegel:\n  de: [Pegel]\n", r"spiel\.yaml:1: "),
        (
            "a:\n  de: [A]\n  entries: {spiel-1: PEGEL}\n"
            "b:\n  de: [B]\n  entries: {spiel-1: Pegel}\n",
            r"b\.entries\.spiel-1: 'Pegel' .*'a'",
        ),
        ("level: [\n", r"spiel\.yaml:\d+: not YAML"),
    ],
)
def test_a_faulty_file_is_named_with_its_fault(tmp_path, text, said):
    with pytest.raises(DataFileError, match=said):
        load_concepts("spiel", write(tmp_path, text))


def test_a_game_without_a_file_has_no_concepts(tmp_path):
    assert load_concepts("unknown-de-0123abcd", tmp_path) == ()


def _of_game(rulebook, game="spiel"):
    return replace(rulebook, edition=replace(rulebook.edition, game=game))
