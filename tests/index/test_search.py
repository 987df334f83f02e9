import numpy as np
import pytest

from corpus.errors import NotFound
from corpus.model import Role
from index.encoding.encoder import EncoderNotFound, HubEncoder
from index.model import Query


def headings(index, question, **where):
    return [
        index.library.entry[h.passage.entry].title
        for h in index.search(Query(question, **where)).hits
    ]


@pytest.mark.parametrize(
    ("question", "edition", "title"),
    [
        ("Darf ein Wrack durchnässt werden?", "pegelwacht-de-1.1", "Durchnässt, Durchnässen"),
        (
            "wer bestimmt die reihenfolge wenn zwei faehigkeiten gleichzeitig wirken",
            "pegelwacht-de-1.1",
            "Gleichzeitige Effekte",
        ),
        ("GLEICHZEITIGE EFEKTE", "pegelwacht-de-1.1", "Gleichzeitige Effekte"),
    ],
)
def test_the_entry_is_among_the_first_whatever_the_spelling(sample_index, question, edition, title):
    assert title in headings(sample_index, question, edition=edition)[:3]


def test_a_rule_number_finds_its_rule(sample_index):
    assert headings(sample_index, "Was steht in 2.1.3?", edition="pegelduell-de-2.0")[0].startswith(
        "2.1.3"
    )


def test_a_rule_asked_for_by_number_comes_before_rules_that_mention_it(sample_index):
    numbers = {
        e.number
        for e in sample_index.library.entries_of("pegelduell-de-2.0")
        if e.number and e.number.count(".") == 2
    }
    mentioned = sorted(
        n
        for n in numbers
        if any(n in p.text and not p.entry.endswith(n) for p in sample_index.library.searchable)
    )
    assert mentioned
    for number in mentioned[:5]:
        first = sample_index.search(Query(f"Regel {number}", game="pegelduell")).hits[0]
        assert sample_index.library.entry[first.passage.entry].number == number


def test_who_asks_for_a_rule_by_its_number_gets_its_beginning_and_no_doubt(sample_index):
    for question, number in (("Was steht in Regel 2.1.3?", "2.1.3"), ("2.1", "2.1.1")):
        result = sample_index.search(Query(question, edition="pegelduell-de-2.0"))
        first = result.hits[0].passage
        assert (sample_index.library.entry[first.entry].number, first.ordinal) == (number, 0)
        assert result.answered


def test_the_same_rule_in_the_askers_language_comes_first(sample_index):
    for question, spoken in (("Pegel", "de"), ("Livello", "it")):
        first = sample_index.search(Query(question, game="pegelwacht", language=spoken)).hits[0]
        assert (
            sample_index.library.edition[
                sample_index.library.entry[first.passage.entry].edition
            ].language
            == spoken
        )


def test_filters_keep_to_what_was_asked_for(sample_index):
    found = sample_index.search(Query("Strudel", game="pegelduell", k=20))
    assert found.hits
    assert {sample_index.library.entry[h.passage.entry].edition for h in found.hits} <= {
        "pegelduell-de-2.0",
        "pegelduell-faq-de-3",
    }


def test_an_unknown_filter_is_told_with_what_there_is(sample_index):
    with pytest.raises(NotFound, match=r"pegelwacht-de-1\.1"):
        sample_index.search(Query("Strudel", edition="pegelwacht-de-7"))
    with pytest.raises(NotFound):
        sample_index.search(Query("Strudel", game="pegelduell", document="pegelwacht-de-1.1.txt"))


def test_the_same_words_in_two_versions_are_one_hit_from_the_newer_that_names_both(sample_index):
    found = sample_index.search(
        Query("Gleichzeitige Effekte: wer bestimmt die Reihenfolge?", game="pegelwacht")
    )
    texts = [h.passage.text for h in found.hits]
    assert len(texts) == len(set(texts))
    folded = [h for h in found.hits if h.duplicates]
    assert folded
    for hit in folded:
        if hit.passage.entry.startswith("pegelwacht-de"):
            assert hit.passage.entry.startswith("pegelwacht-de-1.1/")
            assert any(p.entry.startswith("pegelwacht-de-1.0/") for p in hit.duplicates)


def test_only_running_text_is_quoted(sample_index):
    for question in ("Siehe auch", "bisheriger Text", "Inhalt", "Index"):
        assert {h.passage.role for h in sample_index.search(Query(question, k=30)).hits} == {
            Role.TEXT
        }


@pytest.mark.parametrize("question", ["?", "...", "4", "🦀", "a" * 2000, "der die das", "x y z"])
def test_odd_questions_are_answered_or_left_open_but_never_fail(sample_index, question):
    found = sample_index.search(Query(question))
    assert 0.0 <= found.confidence <= 1.0
    assert found.answered or found.confidence < 0.5


def test_a_question_about_the_rules_comes_with_the_games_own_fallback_rule(sample_index):
    found = sample_index.search(
        Query(
            "Was passiert, wenn ein Lotse zugleich durchnässt und versenkt wird?",
            edition="pegelwacht-de-1.1",
        )
    )
    assert found.fallback is not None
    assert sample_index.library.entry[found.fallback.entry].heading == "DIE LATERNENREGEL"


def test_the_fallback_rule_has_nothing_to_say_of_prices(sample_index):
    assert (
        sample_index.search(
            Query("Welche Sleeves habt ihr bei Amazon gekauft?", edition="pegelwacht-de-1.1")
        ).fallback
        is None
    )


@pytest.mark.parametrize(
    "question",
    [
        "Was kostet das Spiel?",
        "Quanto costa il gioco?",
        "Wie viel kostet das?",
        "Worum geht es in dem Spiel?",
        "Wie funktioniert das Spiel?",
        "How does the game work?",
        "Was macht diese Karte?",
        "Cosa fa questa carta?",
        "Was ist Pegelwacht?",
        "Bei Magic: Kann ein durchnässter Lotse angreifen?",
        "Kann ein durchnässter Lotse in Yu-Gi-Oh angreifen?",
        "A briscola un pilota bagnato può attaccare?",
    ],
)
def test_a_question_on_another_game_or_that_only_points_at_something_is_open(
    sample_index, question
):
    assert sample_index.search(Query(question)).settled == "open"


def test_a_game_that_the_rulebook_speaks_of_is_no_other(sample_index, monkeypatch):
    asked = Query("Kann ein durchnässter Lotse angreifen?", game="pegelwacht")
    for name, is_open in (("Schach", True), ("Matrose", False)):
        monkeypatch.setattr(
            sample_index.parser, "other_game", lambda parsed, games, name=name: name
        )
        assert (sample_index.search(asked).settled == "open") is is_open


@pytest.mark.parametrize(
    "question",
    [
        "Was ist die Wachphase in Pegelduell?",
        "Pegelduell: Kann ein durchnässter Lotse angreifen?",
        "Un pilota fradicio può attaccare in Pegelduell?",
    ],
)
def test_a_question_on_another_game_than_the_one_searched_is_open(sample_index, question):
    found = sample_index.search(Query(question, game="pegelwacht"))
    assert (found.settled, found.other_game) == ("open", "Pegelduell")
    assert not sample_index.search(Query(question)).other_game


def test_another_game_may_be_named_beside_that_of_the_question(sample_index):
    asked = "Kann ein durchnässter Lotse angreifen, anders als bei Magic?"
    assert sample_index.search(Query(asked, game="pegelwacht")).settled != "open"


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("Was sind Kosten?", "Kosten"),
        ("Was passiert in der Flutphase?", "Flutphase"),
        ("Ablauf der Flutphase", "Flutphase"),
        ("Was passiert alles in der Flutphase, in welcher Reihenfolge?", "Flutphase"),
        ("Cosa succede durante la fase della piena?", "Fase della piena"),
        ("What happens during the watch phase?", "Wachphase"),
        ("Was geschieht beim Seitenwechsel?", "Seitenwechsel"),
    ],
)
def test_what_happens_in_a_phase_is_looked_up_by_its_name(sample_index, question, title):
    found = sample_index.search(Query(question, game="pegelwacht"))
    first = sample_index.library.entry[found.hits[0].passage.entry].title
    assert first.casefold().startswith(title.casefold())
    assert found.settled == "settled"


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        ("Was ist der Unterschied zwischen Lotse und Matrose?", ["Lotse", "Matrose"]),
        ("Wie unterscheiden sich ein Lotse und das Wrack?", ["Lotse", "Wrack, wrackkarte"]),
        ("Unterschied Lotse und Matrose?", ["Lotse", "Matrose"]),
        ("Lotse und Matrose: was ist der Unterschied?", ["Lotse", "Matrose"]),
        ("Che differenza c'è tra pilota e relitto?", ["Pilota", "Relitto"]),
        ("What is the difference between a pilot and a wreck?", ["Lotse", "Wrack, wrackkarte"]),
    ],
)
def test_a_difference_begins_with_the_two_entries_and_is_not_called_open(
    sample_index, question, titles
):
    found = sample_index.search(Query(question, game="pegelwacht"))
    entries = [sample_index.library.entry[hit.passage.entry] for hit in found.hits[:2]]
    assert [entry.title.capitalize() for entry in entries] == titles
    assert found.settled == "likely"


@pytest.mark.parametrize("name", ["Reihenfolge", "Ablauf", "Schritt", "ordine", "steps"])
def test_a_word_for_steps_may_be_a_name_itself(sample_index, name):
    assert not sample_index.parser.asks_for_no_rule(sample_index.parser.parse(name))


def test_the_order_of_something_without_steps_is_not_settled(sample_index):
    found = sample_index.search(Query("Reihenfolge der Lotsen", game="pegelwacht"))
    assert found.settled == "likely"


def test_both_things_that_are_compared_are_of_one_game(sample_index):
    found = sample_index.search(Query("Was ist der Unterschied zwischen Angriff und Glossar?"))
    library = sample_index.library
    games = [library.edition[library.entry[h.passage.entry].edition].game for h in found.hits[:2]]
    assert len(set(games)) == 1


def test_a_difference_from_something_unknown_is_no_comparison(sample_index):
    found = sample_index.search(Query("Was ist der Unterschied zwischen Lotse und Sleeve?"))
    assert not found.parts
    assert found.confidence != 0.5  # that of two entries


def test_a_model_that_is_not_there_is_said_in_a_line(tmp_path):
    with pytest.raises(
        EncoderNotFound,
        match=r"^encoder '.*nowhere': neither a folder with a model nor to be had from the hub",
    ):
        HubEncoder(str(tmp_path / "nowhere"))


def test_a_model_in_a_folder_is_loaded_as_a_hub_model_would_be(tmp_path):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    tokenizer = Tokenizer(
        WordLevel(
            {"pegel": 0, "steigt": 1, "query": 2, "passage": 3, ":": 4, "[UNK]": 5},
            unk_token="[UNK]",
        )
    )
    tokenizer.pre_tokenizer = Whitespace()
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=8)]).save(
        str(tmp_path / "tiny-e5")
    )
    hub = HubEncoder(str(tmp_path / "tiny-e5"))
    question, passage = hub.questions(["pegel steigt"]), hub.passages(["pegel steigt"])
    assert hub.dimensions == 8
    assert question.shape == (1, 8)
    assert np.isclose(np.linalg.norm(question), 1.0, atol=1e-5)
    assert not np.allclose(question, passage)  # E5 tells questions from passages
