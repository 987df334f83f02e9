import pytest

from glossary.concepts import Concept, load_concepts, tie_entries
from glossary.terms.candidates import with_candidates
from glossary.terms.parts_of_speech import PartsOfSpeech
from glossary.terms.term_description import Inflections, describe_terms
from glossary.terms.term_list import TermList, TermStatus, build_term_list
from glossary.terms.term_names import names_a_term, readable_name, term_name

GERMAN_TEXTS = [
    "Der Lotse darf ankern, sobald er ein Seil hat. Ein Kahn mit einer Laterne ist sicher, und die "
    "Wachsam-Karte hilft dem Lotsen.",
    "Wer das Schlüsselwort Wendig hat, darf nie ankern. Das gesunkene Boot liegt. Jedes gesunken "
    "gemeldete Wrack ist verloren.",
]


@pytest.fixture(scope="module")
def pegelwacht(sample) -> TermList:
    concepts = load_concepts("pegelwacht")
    return describe_terms(
        build_term_list(
            "pegelwacht", sample.rulebooks, tie_entries(concepts, sample.rulebooks).by_entry
        ),
        sample.rulebooks,
    )


def told(terms, language):
    return {
        w.name: w.part_of_speech
        for term in terms.terms
        for code, w in term.wordings.items()
        if code == language
    }


def test_a_german_word_is_what_the_texts_use_it_as():
    names = [
        "Lotse",
        "Ankern",
        "Wendig",
        "Gesunken",
        "Die Laterne",
        "Seil",
        "Gesunkenes Boot",
        "Auf See",
        "Tarn",
    ]
    words = PartsOfSpeech("de", names, GERMAN_TEXTS)
    assert [words.of(name) for name in names] == [
        "noun",
        "verb",
        "",
        "adjective",
        "noun",
        "noun",
        "noun",
        "",
        "",
    ]


def test_a_keyword_in_capitals_is_no_noun_for_them():
    assert (
        PartsOfSpeech("de", ["Wendig"], ["Er hat Wendig. Mit Wendig geht es schneller."]).of(
            "Wendig"
        )
        == ""
    )


def test_an_english_word_that_can_be_several_is_what_the_term_is_elsewhere():
    words = PartsOfSpeech("en", ["discard", "draw", "villain", "discard pile", "look at"], [])
    assert [
        words.of("discard"),
        words.of("discard", ["verb", "verb"]),
        words.of("discard", ["verb", "noun"]),
    ] == ["", "verb", ""]
    assert [
        words.of("villain"),
        words.of("discard pile", ["noun"]),
        words.of("look at", ["verb"]),
    ] == ["noun", "noun", "verb"]


def test_italian_is_told_only_where_a_word_has_one_part_of_speech(pegelwacht):
    italian = told(pegelwacht, "it")
    assert (italian["Pescare"], italian["Burrasca"]) == ("verb", "noun")
    assert italian["Ancorato"] == ""  # a participle: in a game as often an adjective


def test_terms_of_the_sample_are_told_in_every_language(pegelwacht):
    for language, least in (("de", 0.5), ("it", 0.5), ("en", 0.4)):
        tags = list(told(pegelwacht, language).values())
        assert sum(map(bool, tags)) > least * len(tags)


def test_forms_of_a_name_are_told_from_other_words_for_it():
    german = ["Ziehen", "gezogen", "Karte ziehen", "Karten ziehen", "Zug"]
    assert Inflections("de", german).of(german[0], german[1:]) == ("gezogen", "Karten ziehen")
    italian = ["Carta Base", "Carte Base", "Base"]
    assert Inflections("it", italian).of(italian[0], italian[1:]) == ("Carte Base",)


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("Anhang I: Deckbau", "Deckbau"),
        ("II. Flutphase", "Flutphase"),
        ("8.3. Beschützen", "Beschützen"),
        ("Angriff (Pilot)", "Angriff"),
        ("Laterne [lamp]", "Laterne"),
        ('"Stattdessen"', "Stattdessen"),
        ("Startzone:", "Startzone"),
        ("(3)", "(3)"),
    ],
)
def test_a_heading_becomes_the_term_that_texts_use(heading, name):
    assert term_name(heading) == name


@pytest.mark.parametrize(
    ("heading", "language", "term"),
    [
        ("Wie man dieses Heft liest", "de", False),
        ("Kapitel 4", "de", False),
        ("Was ist ein guter Lotse?", "de", False),
        ("Als ob…", "de", False),
        ('"Finden" und "Suchen"', "de", False),
        ("Das Boot ist am Ende verloren", "de", False),
        ("Der Lotse legt an.", "de", False),
        ("Quando Rivelata", "it", True),
        ("Du lebst?", "de", True),
        ("Kann nicht", "de", True),
        ("Pila degli Scarti del Giocatore", "it", True),
        ("Anhang", "de", True),
    ],
)
def test_questions_statements_and_bare_numbers_are_no_terms(heading, language, term):
    assert names_a_term(heading, language) is term


def test_a_section_is_a_term_where_the_rules_use_its_name(book):
    made = book(
        ("section", "Vorwort", "Willkommen an Bord."),
        ("section", "Glossar", "Alle Begriffe."),
        ("section", "Flutphase", "In der Flutphase steigt der Pegel."),
        ("term", "Anhang", "Ein Anhang liegt am Kahn."),
    )
    assert [names_a_term(each.heading, "de", each.kind == "term", each.heading == "Flutphase") for each in made.entries] == [
        False, False, True, True,
    ]  # fmt: skip


def test_a_definition_is_the_first_sentence_as_printed(pegelwacht, sample):
    passages = {
        passage.id: passage for rulebook in sample.rulebooks for passage in rulebook.passages
    }
    found = [
        w.definition for term in pegelwacht.terms for w in term.wordings.values() if w.definition
    ]
    assert len(found) > 60
    for each in found:
        assert each.text in " ".join(passages[each.passage.id].display.split())
        assert not each.text.endswith((":", "?"))


def test_names_that_no_rulebook_has_are_proposed(book, monkeypatch):
    names = {"de": ("Verankern", "Anlegen", "anlegt", "Festmachen"), "it": ("Ormeggiare",)}
    concept = Concept("moor", "spiel", names, {}, {"de": ("parken",)}, (), False, {})
    monkeypatch.setattr("glossary.terms.term_list.load_concepts", lambda game: (concept,))
    made = book(("term", "Anlegen", "Wer anlegt, wirft den Anker ins Wasser."))
    [term] = describe_terms(build_term_list("spiel", [made], {"spiel-1/0": "moor"}), [made]).terms
    german, italian = term.wordings["de"], term.wordings["it"]
    assert (german.name, german.status) == ("Anlegen", TermStatus.ATTESTED)
    assert german.proposed == ("Verankern", "Festmachen")
    assert (italian.name, italian.status) == ("Ormeggiare", TermStatus.PROPOSED)


def test_each_thing_that_an_entry_is_about_has_a_definition_of_its_own_or_none(book, monkeypatch):
    senses = {"wet": {"de": ("nass",)}, "dry": {"de": ("trocken",)}}
    concept = Concept("wet", "spiel", {"de": ("nass",)}, {}, {}, (), False, {}, senses=senses)
    monkeypatch.setattr("glossary.terms.term_list.load_concepts", lambda game: (concept,))
    made = book(("term", "nass/trocken", "Eine Karte gilt als nass, wenn sie im Wasser liegt."))
    rows = describe_terms(build_term_list("spiel", [made], {"spiel-1/0": "wet"}), [made]).terms
    assert [row.wordings["de"].definition is not None for row in rows] == [True, False]


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("VERSTÄRKUNGSSYMBOL (¥∕)", "VERSTÄRKUNGSSYMBOL"),
        ("Krise (31/4)", "Krise"),
        ("BOOST (ICONA - Y)", "BOOST"),
        ("Willenskraft ♥", "Willenskraft"),
        ("Angriff (Pilot)", "Angriff (Pilot)"),
        ("Anhang I: Deckbau", "Deckbau"),
    ],
)
def test_lists_show_no_icons_and_no_debris_of_them(heading, name):
    assert readable_name(heading) == name


def test_nouns_that_a_rulebook_uses_like_terms_are_proposed(book):
    text = "Dann wird der Ankerkettenzähler um eins weitergedreht, und dann geht es weiter."
    made = book(*(("term", f"Regel{number}", text) for number in range(4)))
    terms = with_candidates(TermList("spiel", (made.edition,), ()), [made]).terms
    assert [(term.wordings["de"].name, term.passages) for term in terms] == [
        ("Ankerkettenzähler", 4)
    ]


def test_a_sentence_on_some_of_many_defines_nothing_by_itself(
    book,
) -> None:
    texts = {
        "Ebbe": "Einige Karten haben Ebbe. Ebbe senkt den Pegel. Sie endet im Hafen.",
        "Flut": "Manche Karten haben Flut. Diese ist hoch.",
        "Kahn": "Ein Kahn ist ein kleines Schiff. Einige Kähne sind rot.",
    }
    rulebook = book(*[("term", heading, text) for heading, text in texts.items()])
    terms = describe_terms(build_term_list("spiel", [rulebook], {}), [rulebook])
    found = {
        wording.name: wording.definition.text if wording.definition else None
        for term in terms.terms
        for wording in term.wordings.values()
    }
    assert found == {
        "Ebbe": "Einige Karten haben Ebbe. Ebbe senkt den Pegel.",
        "Flut": None,
        "Kahn": "Ein Kahn ist ein kleines Schiff.",
    }
