from itertools import pairwise

import pytest

from glossary.concepts import load_concepts
from glossary.recognition import TermRecogniser


@pytest.fixture(scope="module")
def marvel(word_tables) -> TermRecogniser:
    return TermRecogniser(load_concepts("marvel-champions"), word_tables)


@pytest.fixture(scope="module")
def pegelwacht(word_tables) -> TermRecogniser:
    return TermRecogniser(load_concepts("pegelwacht"), word_tables)


def named(recogniser, question, language):
    found: dict[str, set[str]] = {}
    for mention in recogniser.mentions(question, language):
        found.setdefault(question[mention.start : mention.end], set()).add(mention.concept)
    return found


@pytest.mark.parametrize(
    ("question", "language", "place", "concept"),
    [
        ("Welchen Schurken nehmt ihr?", "de", "Schurken", "villain"),
        ("kriegt der bösewicht noch was", "de", "bösewicht", "villain"),
        ("was ist das verbuendetenlimit", "de", "verbuendetenlimit", "ally-limit"),
        ("was ist das verbundetenlimit", "de", "verbundetenlimit", "ally-limit"),
        ("ist der zah?", "de", "zah", "tough"),
        ("Wirkt der Nebnplan sofort?", "de", "Nebnplan", "side-scheme"),
        ("Begegnungs Deck leer, was nun?", "de", "Begegnungs Deck", "encounter-deck"),
        ("Zählt die Boost-Karte mit?", "de", "Boost-Karte", "boost"),
        ("Ist der Held getappt?", "de", "getappt", "exhausted"),
        ("Muss ich ANG oder wid nehmen?", "de", "wid", "thw"),
        ("Kann mein Minion guard haben?", "de", "guard", "guard"),
        ("Deckt man die Karten sofort auf?", "de", "Deckt", "reveal"),
        ("Das Sidescheme bleibt liegen, oder?", "de", "Sidescheme", "side-scheme"),
        ("Overkillschaden auf Verbündete", "de", "Overkill", "overkill"),
        ("Quanto vale il TRA del gregario?", "it", "TRA", "sch"),
        ("Il gregario puo essere stunnato?", "it", "stunnato", "stunned"),
        ("i criminali stordtti attaccano?", "it", "criminali", "villain"),
        ("la attivazzione finisce li?", "it", "attivazzione", "activation"),
        (
            "Does my ally take consequential damage?",
            "en",
            "consequential damage",
            "consequential-damage",
        ),
        ("What does „dann“ mean here", "en", "dann", "then"),
        ("Was bedeutet dann?", "de", "dann", "then"),
        ("cosa significa poi", "it", "poi", "then"),
    ],
)
def test_a_term_is_recognised(marvel, question, language, place, concept):
    assert concept in named(marvel, question, language).get(place, set())


@pytest.mark.parametrize(
    ("question", "language", "concept"),
    [
        ("Was mache ich dann, und kann ich nicht einfach warten?", "de", "then"),
        ("Was mache ich dann, und kann ich nicht einfach warten?", "de", "cannot"),
        ("E poi attacco tra un turno e un altro?", "it", "then"),
        ("E poi attacco tra un turno e un altro?", "it", "sch"),
        ("Der Schatten fiel auf den Garten.", "de", "damage"),
        ("Wer ist der Spieler?", "de", "play-put-into-play"),
        ("Villain und Held", "de", "villainous"),
    ],
)
def test_an_everyday_word_is_no_term(marvel, question, language, concept):
    assert concept not in {mention.concept for mention in marvel.mentions(question, language)}


def test_small_german_words_are_no_english_slang(word_tables):
    lorcana = TermRecogniser(load_concepts("lorcana"), word_tables)
    assert named(lorcana, "Ist die Karte gut?", "de") == {}
    assert named(lorcana, "Does my character die?", "en")["die"] == {"banish"}


def test_parts_of_a_compound_are_recognised_where_they_stand(marvel):
    assert named(marvel, "die Schergenheilung", "de") == {
        "Schergen": {"minion"},
        "heilung": {"heal"},
    }


def test_the_longest_name_wins_and_mentions_do_not_overlap(marvel):
    question = "Wie viel überschüssigen Schaden macht der Angriff in der Spielzone des Schurken?"
    mentions = marvel.mentions(question, "de")
    assert named(marvel, question, "de")["Spielzone des Schurken"] == {"villain-play-area"}
    assert named(marvel, question, "de")["überschüssigen Schaden"] == {"excess-damage"}
    places = sorted({(m.start, m.end) for m in mentions})
    assert all(before[1] <= after[0] for before, after in pairwise(places))


def test_a_word_for_two_concepts_has_both(marvel):
    assert named(marvel, "Wann endet ein Angriff?", "de")["Angriff"] == {
        "attack-enemy",
        "attack-player",
    }


def test_an_exact_name_is_surer_than_slang_and_slang_than_a_slip(marvel):
    certainties = [
        marvel.mentions(word, "de")[0].certainty for word in ("Schurke", "Bösewicht", "Schurcke")
    ]
    assert certainties == sorted(certainties, reverse=True)
    assert len(set(certainties)) == 3


@pytest.mark.parametrize(
    ("question", "language", "wanted", "names"),
    [
        ("Wann ist ein Scherge gestählt?", "de", "it", ["Gregario", "Stabile"]),
        ("Il criminale usa team-up?", "it", "de", ["Schurke", "Teamwork"]),
        ("Kann der Boss thwarten?", "de", "de", ["Schurke", "Widerstand leisten"]),
        ("My ally is stunned", "en", "it", ["Alleato", "Stordito"]),
    ],
)
def test_official_names_in_the_rulebooks_language_are_added(
    marvel, question, language, wanted, names
):
    assert set(names) <= set(marvel.expansion(marvel.mentions(question, language), wanted))


def test_nothing_is_added_to_official_names_in_the_rulebooks_language(marvel):
    assert marvel.expansion(marvel.mentions("Scherge und Schurke", "de"), "de") == []


def test_terms_of_the_sample_are_recognised(pegelwacht):
    assert named(pegelwacht, "Posso scandagliare un vortice?", "it") == {
        "scandagliare": {"sound"},
        "vortice": {"whirlpool"},
    }
    mentions = pegelwacht.mentions("Wann kentert der Lotse?", "de")
    assert pegelwacht.expansion(mentions, "it")[0] == "Naufragio"


@pytest.mark.parametrize(
    "question",
    ["", " ", "?!", "★", "a" * 5000, "ß" * 300, "\x00\ud800", "„" * 200, "'" * 500, "12 3A 4.2.1"],
)
def test_any_question_can_be_read(marvel, question):
    for language in ("de", "it", "en"):
        for mention in marvel.mentions(question, language):
            assert 0 <= mention.start < mention.end <= len(question)


def test_a_symbol_is_recognised(marvel):
    assert named(marvel, "Was macht das ★ hier?", "de")["★"] == {"star-icon", "wild-resource"}
