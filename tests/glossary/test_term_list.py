import pytest

from glossary.concepts import games_with_concepts, load_concepts, tie_entries
from glossary.terms.term_list import TermList, TermWording, build_term_list


def listed(game, rulebooks):
    return build_term_list(game, rulebooks, tie_entries(load_concepts(game), rulebooks).by_entry)


def named(terms, concept):
    return next(term for term in terms.terms if term.concept == concept)


@pytest.fixture(scope="module")
def pegelwacht(sample) -> TermList:
    return listed("pegelwacht", sample.rulebooks)


def test_every_concept_is_listed_once_in_the_order_of_its_file(pegelwacht):
    assert [term.concept for term in pegelwacht.terms] == [
        concept.id for concept in load_concepts("pegelwacht")
    ]
    assert all(term.sense == term.concept for term in pegelwacht.terms)


def test_official_names_abbreviations_and_slang_are_kept_apart(pegelwacht):
    for concept in load_concepts("pegelwacht"):
        wordings = named(pegelwacht, concept.id).wordings
        for language, names in concept.names.items():
            wording = wordings[language]
            assert wording.name is not None
            assert wording.name.casefold() == names[0].casefold()
            assert {
                n.casefold() for n in (wording.name, *wording.variants, *wording.abbreviations)
            } >= {n.casefold() for n in names}
            assert wording.abbreviations == concept.abbreviations.get(language, ())
            assert not set(wording.slang) & {
                wording.name,
                *wording.variants,
                *wording.abbreviations,
            }
            assert set(concept.slang.get(language, ())) <= {*wording.slang, *names}


def test_a_name_that_is_an_abbreviation_is_spelled_as_one(pegelwacht):
    german = named(pegelwacht, "drift-value").wordings["de"]
    assert (german.name, german.variants, german.abbreviations) == ("DRI", ("DRI-Wert",), ("DRI",))


def test_each_term_names_its_entries_in_every_edition(pegelwacht, sample):
    found = named(pegelwacht, "captains-rules").sources
    assert {(source.edition, source.heading) for source in found} == {
        ("pegelwacht-de-1.0", "DIE EHERNEN REGELN"),
        ("pegelwacht-de-1.1", "DIE EHERNEN REGELN"),
        ("pegelwacht-it-1.1", "LE REGOLE DEL CAPITANO"),
    }
    entries = {entry.id: entry for rulebook in sample.rulebooks for entry in rulebook.entries}
    for term in pegelwacht.terms:
        for source in term.sources:
            entry = entries[source.entry]
            assert (entry.edition, entry.heading, entry.lines.first) == (
                source.edition,
                source.heading,
                source.line,
            )


def test_an_entry_that_nobody_tied_is_listed_by_its_title(book):
    made = book(
        ("term", "Anlegen", "Nur im Hafen."),
        ("redirect", "Andocken", "Siehe Anlegen"),
        ("section", "Anhang", "Ende."),
    )
    [term] = build_term_list("spiel", [made], {}).terms
    assert (term.concept, term.wordings) == (None, {"de": TermWording("Anlegen")})
    assert [source.entry for source in term.sources] == ["spiel-1/0"]


def test_an_entry_tied_to_a_concept_that_is_gone_is_not_lost(book):
    made = book(("term", "Anlegen", "Nur im Hafen."))
    assert [
        term.concept for term in build_term_list("spiel", [made], {"spiel-1/0": "gone"}).terms
    ] == [None]


def test_the_real_games_are_listed_whole(real):
    for game, languages in (
        ("marvel-champions", ("de", "it", "en")),
        ("lorcana", ("de", "it", "en")),
        ("behind", ("de", "en")),
    ):
        terms = listed(game, real.rulebooks)
        assert list(dict.fromkeys(term.concept for term in terms.terms)) == [
            concept.id for concept in load_concepts(game)
        ]
        assert terms.languages == languages


def test_no_sense_of_a_concept_is_listed_twice():
    for game in games_with_concepts():
        senses = [term.sense for term in listed(game, ()).terms]
        assert len(senses) == len(set(senses)), game


def test_false_friends_stand_in_one_row(real):
    rows = [
        {s.heading for s in term.sources}
        for term in listed("marvel-champions", real.rulebooks).terms
    ]
    assert any(row >= {"LAVORO DI SQUADRA (TRATTO)", "ZUSAMMENARBEIT (MERKMAL)"} for row in rows)
    assert any(row >= {"TEAM-UP", "TEAMWORK"} for row in rows)
