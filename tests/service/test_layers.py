import json

import pytest
from flask.testing import FlaskClient

from index.cards.card_store import CardStore
from index.layered_answers import LayeredAnswers
from index.layers.ruling_store import RulingStore
from service.cli import main
from service.core.snapshot import Snapshot
from service.web.app import create_app
from tests.conftest import SAMPLE, SAMPLE_QUESTIONS
from tests.service.assistants import call
from tests.service.harbour import Indexes
from tests.service.layered import HOOK, assert_exact

FIGURES = ("rank", "layer")  # of a passage of a rulebook: what others beside it may change
LADDER = "Was macht die Strickleiter?"


@pytest.fixture(scope="module")
def client(snapshot) -> FlaskClient:
    return create_app(Indexes(snapshot)).test_client()


def ask(client, question, **more):
    response = client.post("/v1/ask", json={"question": question, "k": 10, "fields": "all", **more})
    assert response.status_code == 200, response.text
    return response.get_json()


def printed(body):
    """The passages of rulebooks, without what others among them change."""
    found = [
        passage for passage in body["passages"] if passage.get("layer", "rulebook") == "rulebook"
    ]
    return [
        {name: value for name, value in passage.items() if name not in FIGURES} for passage in found
    ]


def of_layer(body, layer):
    return [passage for passage in body["passages"] if passage["layer"] == layer]


def test_passages_of_rulebooks_stay_what_they_are_whatever_stands_among_them(client):
    beside = 0
    rows = SAMPLE_QUESTIONS.read_text(encoding="utf-8").splitlines()[::3]
    for row in map(json.loads, rows):
        alone = ask(client, row["question"], k=5, layers=["rulebook"])
        every = ask(client, row["question"], k=5)
        assert all(
            passage["layer"] == "rulebook" and "citation" in passage
            for passage in alone["passages"]
        )
        assert printed(every) == printed(alone)
        assert [passage["rank"] for passage in every["passages"]] == list(
            range(1, len(every["passages"]) + 1)
        )
        assert every["confidence"] >= alone["confidence"]
        if not any(passage.get("settles") for passage in every["passages"]):
            same = {
                name: value
                for name, value in alone.items()
                if name not in ("passages", "fallback", "parts")
            }
            assert same == {name: value for name, value in every.items() if name in same}
        for passage in every["passages"]:
            if passage["layer"] != "rulebook":
                beside += 1
                assert_exact(passage)
    assert beside > 10


def test_without_rulings_and_cards_an_answer_is_that_of_the_rulebook(
    client, sample_index, monkeypatch
):
    monkeypatch.setattr(sample_index.layers.search, "rulings", type(sample_index.rulings)())
    monkeypatch.setattr(sample_index.layers.search, "cards", CardStore.empty())
    bare = create_app(Indexes(Snapshot(sample_index))).test_client()
    for question in (HOOK, LADDER):
        assert ask(bare, question) == ask(client, question, layers=["rulebook"])
    assert ask(bare, HOOK, layers=["rulings"])["passages"] == []


def test_every_ruling_answers_its_own_question_with_an_exact_citation(client, sample_index):
    for ruling in sample_index.rulings:
        assert ruling.asked
        body = ask(client, ruling.asked.text)
        same = [each for each in of_layer(body, "ruling") if each["id"] == ruling.id]
        assert len(same) == 1, ruling.id
        assert_exact(same[0])
        assert same[0]["text"] == ruling.answered.text
        assert (same[0]["authority"], same[0]["date"]) == (ruling.authority, ruling.date)
        assert same[0]["citation"]["url"] == f"/rulings/{ruling.id}"
        ranks = {rank["authority"]: rank["rank"] for rank in reversed(of_layer(body, "ruling"))}
        official = [
            rank for authority, rank in ranks.items() if authority in ("publisher", "designer")
        ]
        assert all(rank < ranks["house"] for rank in official if "house" in ranks)
        if ruling.authority.official and not same[0]["older"] and not ruling.superseded_by:
            assert body["passages"][0]["layer"] == "ruling"
            assert body["passages"][0]["settles"]
            assert (body["answered"], body["settled"]) == (True, "settled")
        else:
            assert not same[0]["settles"]


@pytest.mark.parametrize(
    ("language", "label"),
    [
        (
            "de",
            "Offizielle Antwort, 30. September 2025, nicht im Regelwerk – Enterhaken – "
            "Verlagsforum Mole & Söhne (de)",
        ),
        (
            "it",
            "Risposta ufficiale, 30 settembre 2025, non nel regolamento, in tedesco – Enterhaken – "
            "Verlagsforum Mole & Söhne (de)",
        ),
        (
            "en",
            "Official ruling, September 30, 2025, not in the rulebook, in German – Enterhaken – "
            "Verlagsforum Mole & Söhne (de)",
        ),
    ],
)
def test_an_official_ruling_is_called_so_in_the_language_of_the_question(client, language, label):
    first = ask(client, HOOK, language=language)["passages"][0]
    assert (first["citation"]["label"], first["authority"], first["settles"]) == (
        label,
        "publisher",
        True,
    )


def test_a_superseded_ruling_stands_behind_the_one_in_its_place_and_is_marked(client):
    new, old = ask(client, HOOK)["passages"][:2]
    assert (new["id"], new["role"], new["superseded_by"]) == (
        "pegelwacht/enterhaken-durchnaesst-2",
        "text",
        None,
    )
    assert (old["id"], old["role"], old["superseded_by"]) == (
        "pegelwacht/enterhaken-durchnaesst",
        "void",
        new["id"],
    )
    assert "überholt" in old["citation"]["label"]


def test_as_of_a_day_later_rulings_do_not_count(client):
    day = "2025-01-01"
    body = ask(client, HOOK, as_of=day)
    first = body["passages"][0]
    assert (first["id"], first["superseded_by"], first["role"]) == (
        "pegelwacht/enterhaken-durchnaesst",
        None,
        "text",
    )
    assert first["settles"]
    assert all(each["date"] <= day for each in of_layer(body, "ruling"))
    context = client.post(
        "/v1/context", json={"question": HOOK, "as_of": day, "budget": 2000}
    ).get_json()
    assert "Enterhaken fügt den Schaden selbst zu" in context["prompt"]
    assert "Seit der Berichtigung" not in context["prompt"]
    assert first["citation"]["label"] in context["prompt"]
    assert ask(client, HOOK, as_of="2024-11-19")["passages"][0]["layer"] == "rulebook"


def test_as_of_a_day_rulings_without_a_date_stay_and_are_called_so(sample_index, monkeypatch):
    undated = RulingStore.build(
        {"pegelwacht": [ruling._replace(date="") for ruling in sample_index.rulings]},
        lambda game, card: next(
            (found.id for found in sample_index.cards.called(game, card)), None
        ),
    )
    monkeypatch.setattr(sample_index.layers.search, "rulings", undated)
    client = create_app(Indexes(Snapshot(sample_index))).test_client()
    body = ask(client, HOOK, as_of="2024-06-01")
    first = body["passages"][0]
    assert (first["id"], first["date"]) == ("pegelwacht/enterhaken-durchnaesst-2", None)
    assert first["citation"]["label"].startswith("Offizielle Antwort, ohne Datum, ")
    assert [note["code"] for note in body["notes"]] == ["undated-editions", "undated-rulings"]
    assert "2024-06-01" in body["notes"][0]["text"]
    shown = client.get(
        "/", query_string={"q": HOOK, "as_of": "2024-06-01"}, headers={"Accept-Language": "de"}
    ).text
    assert "Einige Antworten haben kein Datum: Ob sie am 1. Juni 2024 galten" in shown
    assert ask(client, HOOK)["notes"] == []


def test_each_of_several_questions_has_its_own_layers(client):
    text = f"Was ist ein Strudel? {HOOK}"
    body = ask(client, text)
    vortex, hook = body["parts"]
    assert all(
        passage["layer"] != "ruling" or not passage["settles"] for passage in vortex["passages"]
    )
    first, second = hook["passages"][:2]
    assert (first["id"], first["settles"], hook["settled"]) == (
        "pegelwacht/enterhaken-durchnaesst-2",
        True,
        "settled",
    )
    assert second["superseded_by"] == first["id"]
    for passage in hook["passages"]:
        if passage["layer"] != "rulebook":
            assert_exact(passage)
    assert [passage["rank"] for passage in hook["passages"]] == list(
        range(1, len(hook["passages"]) + 1)
    )
    alone = ask(client, text, layers=["rulebook"])
    assert [printed(part) for part in body["parts"]] == [printed(part) for part in alone["parts"]]
    rulings = ask(client, text, layers=["rulings"])["parts"]
    assert {passage["layer"] for part in rulings for passage in part["passages"]} == {"ruling"}
    shown = client.get("/", query_string={"q": text}).text
    assert "Seit der Berichtigung gilt der Enterhaken" in shown[shown.index('id="asked2"') :]
    message = client.post("/v1/message", json={"question": text, "format": "plain"}).get_json()
    assert first["citation"]["label"] in message["message"]
    context = client.post("/v1/context", json={"question": text, "budget": 2000}).get_json()
    assert "Seit der Berichtigung gilt der Enterhaken" in context["prompt"]


def test_a_ruling_older_than_the_rulebook_that_settles_the_point_comes_behind_it(client):
    body = ask(
        client, "Darf der Wachhabende den Gezeitenwürfel neu werfen, wenn er vom Tisch rollt?"
    )
    first = body["passages"][0]
    assert first["layer"] == "rulebook"
    ruling = of_layer(body, "ruling")[0]
    assert (ruling["id"], ruling["older"], ruling["settles"]) == (
        "pegelwacht/gezeitenwuerfel-neuwurf",
        True,
        False,
    )
    assert "älter als das Regelwerk" in ruling["citation"]["label"]


@pytest.mark.parametrize(
    ("question", "ruled"),
    [
        ("Geblendet oder durchnässt, welcher Status verhindert was?", "ruling"),
        ("Otter", "ruling"),
        ("Strickleiter", "ruling"),
    ],
)
def test_a_ruling_on_something_else_is_not_put_before_the_answer(client, question, ruled):
    body = ask(client, question)
    assert body["passages"][0]["layer"] != ruled
    assert not any(passage.get("settles") for passage in body["passages"])


UNNAMED = [  # near to rulings on single cards that they do not name
    "Kann ein durchnässter Lotse noch angreifen?",
    # A word less than what was asked of the grappling iron
    "Kann ein durchnässter Lotse ein Gerät benutzen?",
    "Darf ich ein Manöver spielen, wenn im Hafen kein Wrack mehr treibt?",
    "Can two pilots share the oil for an anchor?",
]


@pytest.mark.parametrize("question", UNNAMED)
def test_rulings_on_cards_that_a_question_does_not_name_stand_behind_the_rulebook_and_settle_nothing(
    client, question
):
    body, alone = ask(client, question), ask(client, question, layers=["rulebook"])
    assert (body["settled"], body["confidence"]) == (alone["settled"], alone["confidence"])
    rulings = [passage for passage in of_layer(body, "ruling") if passage["cards"]]
    assert all(ruling["other_card"] and not ruling["settles"] for ruling in rulings)
    assert body["passages"][len(body["passages"]) - len(rulings) :] == rulings


def test_rulings_on_single_cards_are_folded_on_the_page_and_a_group_in_text(
    client, sample_snapshots, monkeypatch, capsys
):
    shown = client.get("/", query_string={"q": UNNAMED[0]}, headers={"Accept-Language": "de"}).text
    before, _, folded = shown.partition("<summary>Antworten zu einzelnen Karten")
    assert "of-ruling" not in before
    assert "of-ruling" in folded.partition("</details>\n")[0]
    monkeypatch.setenv("REGULA_RULEBOOKS", str(SAMPLE))
    monkeypatch.setenv("REGULA_INDEX", str(sample_snapshots.folder))
    with pytest.raises(SystemExit):
        main(["ask", UNNAMED[0]])
    text, _, group = capsys.readouterr().out.partition("Antworten zu einzelnen Karten:")
    assert "Offizielle Antwort" not in text
    assert "Offizielle Antwort" in group


@pytest.mark.parametrize(
    "asked",
    [
        "ermattet eine flinke karte wenn sie in einer runde zuerst peilt",
        "Ermattet eine flinke Karte, wenn sie in der Runde zuerst pielt?",
    ],
)
def test_a_ruling_stands_first_where_its_own_question_is_asked_in_about_the_same_words(
    client, asked
):
    first = ask(client, asked, as_of="2024-12-31")["passages"][0]
    assert (first.get("id"), first.get("other_card")) == ("pegelwacht/flink-peilen", False)
    now = ask(client, asked)  # a newer version has the rule that it rests on in other words
    assert now["passages"][0]["citation"].get("edition") == "pegelwacht-de-1.1"
    assert [
        each["older"] for each in of_layer(now, "ruling") if each["id"] == "pegelwacht/flink-peilen"
    ] in ([], [True])
    assert not any(each["settles"] for each in of_layer(now, "ruling"))


@pytest.mark.parametrize(
    "question", ["Bleibt Otter beim Peilen bereit?", "Muss ich den Otter fürs Peilen quer legen?"]
)
def test_a_ruling_on_a_rule_that_a_newer_version_has_in_other_words_comes_behind_it(
    client, question
):
    passages = ask(client, question)["passages"]
    ids = [passage.get("id") for passage in passages]
    place = ids.index("pegelwacht/flink-peilen")
    assert (passages[place]["older"], passages[place]["settles"]) == (True, False)
    assert any(passage["layer"] == "rulebook" for passage in passages[:place])


@pytest.mark.parametrize(
    "question",
    ["Wie viele Karten hat ein Deck?", "Wie viele Karten darf mein Deck haben?", "Deckgröße"],
)
def test_the_newest_version_answers_first(client, question):
    assert (
        ask(client, question, game="pegelwacht")["passages"][0]["citation"]["edition"]
        == "pegelwacht-de-1.1"
    )
    old = ask(client, question, edition="pegelwacht-de-1.0")["passages"][0]
    assert old["citation"]["edition"] == "pegelwacht-de-1.0"


@pytest.mark.parametrize("question", ["Gezeitenwürfel", "Was macht der Gezeitenwürfel?"])
def test_what_only_an_older_version_has_no_longer_settles_anything(client, question):
    now, then = (
        ask(client, question, layers=["rulebook"]),
        ask(client, question, layers=["rulebook"], as_of="2024-12-31"),
    )
    assert now["passages"][0]["citation"]["edition"] == "pegelwacht-de-1.0"
    assert (now["settled"], then["settled"]) == ("open", "settled")


def test_rulings_that_hardly_fit_stand_behind_three_passages(client):
    passages = ask(client, "Wie viele Karten hat ein Deck?", game="pegelwacht")["passages"]
    assert [passage["layer"] for passage in passages[:3]] == ["rulebook"] * 3


@pytest.mark.parametrize(
    "named",
    [
        "02014",
        "Nebelhorn Lotsen-Pack, Karte 14",
        "Biscaglina",
    ],
)
def test_a_card_is_named_by_code_and_by_product_and_number_too(client, named):
    rulings = of_layer(
        ask(client, f"Zweimal die Seite wechseln mit zwei Karten {named}?", layers=["rulings"]),
        "ruling",
    )
    assert [(each["id"], each["other_card"]) for each in rulings[:1]] == [
        ("pegelwacht/strickleiter-zweimal", False)
    ]


@pytest.mark.parametrize(
    ("question", "card"),
    [
        ("enterhaken?", "01015"),
        ("Regel zur Karte Enterhaken", "01015"),
        ("Cosa fa Enterhaken?", "01015"),
        ("Wie funktioniert Strickleiter?", "02014"),
    ],
)
def test_the_name_of_a_card_opens_it(client, question, card):
    body = ask(client, question)
    assert (body["passages"][0]["layer"], body["passages"][0]["card"]) == ("card", card)
    assert body["settled"] == "settled"


def test_errata_stand_before_the_printed_text_and_lead_to_the_card(client):
    cards = of_layer(ask(client, "Was macht die Karte „Enterhaken“?"), "card")
    assert [each["citation"]["kind"] for each in cards] == [
        "erratum",
        "erratum",
    ]  # the words of the second are printed by now
    assert {each["card"] for each in cards} == {"01015"}
    assert cards[0]["date"] == "2022-11-04"
    assert {each["citation"]["url"] for each in cards} == {"/cards/pegelwacht/grappling-iron-01015"}
    assert {each["citation"]["language"] for each in cards} == {"de"}
    for each in cards:
        assert_exact(each)


def test_an_erratum_in_another_language_stands_behind_the_printed_text(client):
    cards = of_layer(ask(client, "What does the card Grappling Iron do?", language="en"), "card")
    assert [(each["citation"]["kind"], each["citation"]["language"]) for each in cards][:2] == [
        ("card", "en"),
        ("erratum", "de"),
    ]


def test_a_layer_alone_has_nothing_else(client):
    rulings = ask(client, HOOK, layers=["rulings"])
    assert {passage["layer"] for passage in rulings["passages"]} == {"ruling"}
    assert rulings["answered"]
    cards = ask(client, LADDER, layers=["cards"])
    assert {(passage["layer"], passage["card"]) for passage in cards["passages"]} == {
        ("card", "02014")
    }
    assert cards["answered"], "the text of the card that is asked for settles what it does"
    both = ask(
        client,
        "Darf ich meinen Lotsen mit zwei Strickleitern in einem Zug zweimal drehen?",
        layers=["cards", "rulings"],
    )
    assert {passage["layer"] for passage in both["passages"]} == {"card", "ruling"}


def test_the_command_line_answers_in_layers_row_by_row(
    sample_snapshots, monkeypatch, capsys, tmp_path
):
    monkeypatch.setenv("REGULA_RULEBOOKS", str(SAMPLE))
    monkeypatch.setenv("REGULA_INDEX", str(sample_snapshots.folder))

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            main(["ask", *arguments])
        return end.value.code, *capsys.readouterr()

    status, out, _ = run(HOOK)
    assert status == 0
    first = out.partition("\n2. ")[0]
    assert "Offizielle Antwort, 30. September 2025, nicht im Regelwerk" in first
    assert f"[{HOOK}]" in first
    assert "Offizielle Antwort" not in run(HOOK, "--layers", "rulebook")[1]
    assert "rulebook, rulings, cards" in run(HOOK, "--layers", "alles")[2]
    rows = tmp_path / "rows.jsonl"
    asked: list[object] = [["rulebook"], ["rulings"], ["rulings", "rulings"], "x"]
    rows.write_text(
        "".join(
            json.dumps({"id": n, "question": HOOK, "layers": each}) + "\n"
            for n, each in enumerate(asked)
        )
    )
    status, out, _ = run("--batch", str(rows))
    alone, ruled, *wrong = map(json.loads, out.splitlines())
    assert status == 1
    assert all("layer" not in passage for passage in alone["response"]["passages"])
    assert {passage["layer"] for passage in ruled["response"]["passages"]} == {"ruling"}
    assert [
        (each["problem"]["status"], each["problem"]["field"], each["response"]["passages"])
        for each in wrong
    ] == [(422, "layers", [])] * 2


def test_an_assistant_is_given_rulings_with_who_ruled_and_when(snapshot):
    first = call(snapshot, "ask", question=HOOK, layers=["rulings"])["passages"][0]
    assert (first["layer"], first["authority"], first["date"], first["before"]) == (
        "ruling",
        "publisher",
        "2025-09-30",
        HOOK,
    )
    checked = call(snapshot, "verify", text=f"„{first['words']}“ [{first['marker']}]")
    assert checked["verdict"] == "exact"


@pytest.mark.parametrize(
    "question",
    [
        "Was kostet Signalfeuer?",
        "Hat die Geisterfähre einen Kapitän?",
        "Kann ich die Teerjacke verkaufen?",
    ],
)
def test_what_a_rulebook_rules_on_a_card_settles_nothing_else_about_it(client, question):
    assert ask(client, question)["settled"] == "open"


@pytest.mark.parametrize(
    "question",
    [
        "Kann ich Möwenruf spielen, wenn ich keinen Matrosen habe?",
        "Geht Möwenruf auch ohne Matrosen im Spiel?",
    ],
)
def test_a_ruling_printed_in_the_language_of_the_question_comes_before_one_in_another(
    client, question
):
    first = ask(client, question)["passages"][0]
    assert (first["layer"], first["citation"].get("entry")) == (
        "rulebook",
        "pegelwacht-de-1.1/ruling-moewenruf-20",
    )


@pytest.mark.parametrize("question", ["Regel 12", "Was sagt Regel 7?", "Regola 21"])
def test_the_number_of_a_card_is_not_that_of_a_rule(client, question):
    assert ask(client, question, game="pegelwacht")["settled"] == "open"


def test_a_ruling_on_a_reworded_rule_is_older_whatever_is_asked(client):
    for question in (
        "Handlimit",
        "Wie viele Karten halte ich am Ende der Wachphase?",
        "Ermattet Otter, wenn er als Erstes peilt?",
    ):
        rulings = {each["id"]: each for each in of_layer(ask(client, question), "ruling")}
        found = rulings.keys() & {"pegelwacht/handlimit-fuenf", "pegelwacht/flink-peilen"}
        assert found
        assert all(rulings[id]["older"] and not rulings[id]["settles"] for id in found)


@pytest.mark.parametrize(
    ("question", "verdict", "layer"),
    [
        ("What happens when Clever Jackdaw enters play?", "likely", "card"),
        ("May Clever Jackdaw enter play?", "open", "card"),
        ("What happens when Clever Jackdaw burns?", "open", "card"),
        ("What happens when a card burns?", "open", "rulebook"),
    ],
)
def test_a_card_that_is_named_comes_first_where_nothing_else_answers(
    client, question, verdict, layer
):
    body = ask(client, question, game="pegelwacht")
    assert (body["verdict"], body["passages"][0]["layer"]) == (verdict, layer)


@pytest.mark.parametrize(
    ("question", "heading"),
    [
        ("Was macht Lampenöl aus Überse?", "Lampenöl aus Übersee"),
        ("was macht fremder im bot", "Fremder im Boot"),
        ("Cosa fa Straniero a Brodo?", "Straniero a Bordo"),
        ("What does Oil from Oversees do?", "Oil from Overseas"),
        ("treibende tonnne", "Treibende Tonne"),
    ],
)
def test_a_long_name_with_a_typo_is_that_of_the_card(client, question, heading):
    body = ask(client, question, game="pegelwacht")
    assert (body["verdict"], body["passages"][0]["layer"]) == ("settled", "card")
    assert heading in body["passages"][0]["citation"]["label"]


def test_behind_a_card_stands_of_the_rulebook_only_what_tells_of_it(client):
    body = ask(client, "Was macht Lampenöl aus Übersee?", game="pegelwacht")
    assert body["verdict"] == "settled"
    assert all("Lampenöl" in passage["display"] for passage in printed(body))


def test_behind_the_erratum_of_a_card_stands_only_what_tells_of_it(client):
    for question in ("Gibt es ein Erratum zu Möwenruf?", "Was wurde an Möwenruf geändert?"):
        body = ask(client, question, game="pegelwacht")
        assert body["verdict"] == "settled"
        said = [f"{each['citation']['heading']} {each['display']}" for each in printed(body)]
        assert said
        assert all("Möwenruf" in each or "MÖWENRUF" in each or "GABBIANI" in each for each in said)


@pytest.mark.parametrize("question", ["Was wurde an {} geändert?", "Hat {} ein Erratum?"])
def test_an_erratum_that_only_the_card_database_has_comes_first_and_settles(client, question):
    body = ask(client, question.format("Nebelhorn"), game="pegelwacht", layers=["cards"])
    first = body["passages"][0]
    assert (body["verdict"], first["citation"]["label"][:17]) == ("settled", "Erratum zur Karte")


def test_texts_of_two_faces_are_told_apart(client):
    body = ask(client, "Was macht Geisterfähre?", game="pegelwacht")
    labels = [each["citation"]["label"] for each in of_layer(body, "card")]
    assert any("Geisterfähre (de)" in label for label in labels)
    assert any("Geisterfähre – Fährmann" in label for label in labels)


def test_beside_a_term_that_is_looked_up_stand_no_rulings_on_single_cards(client):
    body = ask(client, "Was bedeutet Bereit, Ermattet?")
    assert body["verdict"] == "settled"
    assert not [each for each in of_layer(body, "ruling") if each["other_card"]]


@pytest.mark.parametrize(
    ("question", "layer", "said"),
    [
        ("Wie funktioniert Flink bei Pegelwacht?", "rulebook", "Flink"),
        ("Pegelwacht: Was bedeutet durchnässt?", "rulebook", "urchnässt"),
        ("flink pegelwacht", "rulebook", "Flink"),
        ("Come funziona Eco in Pegelwacht?", "rulebook", "Eco"),
        ("Was macht Kluge Dohle in Pegelwacht?", "card", "Kluge Dohle"),
    ],
)
def test_a_look_up_may_name_its_game(client, question, layer, said):
    body = ask(client, question)
    first = body["passages"][0]
    assert (body["verdict"], first["layer"]) == ("settled", layer)
    assert said in first["citation"]["label"] + first["display"]


@pytest.mark.parametrize(
    ("game", "question"),
    [
        ("pegelduell", "Wie viele Karten darf ich auf der Hand haben?"),
        ("pegelduell", "Wer fängt an?"),
        ("pegelwacht", "Was passiert, wenn mein Nachziehstapel leer ist?"),
    ],
)
@pytest.mark.parametrize(
    "about", ["Bei {name}: {question}", "In {name}, {question}", "{name} – {question}"]
)
def test_a_question_that_names_a_game_is_answered_as_one_about_it(client, game, question, about):
    body = ask(client, about.format(name=game.capitalize(), question=question))
    alone = ask(client, question, game=game)
    assert [each["citation"]["label"] for each in printed(body)] == [
        each["citation"]["label"] for each in printed(alone)
    ]
    assert (body["verdict"], body["confidence"]) == (alone["verdict"], alone["confidence"])


def test_where_two_games_settle_a_question_both_are_shown_and_it_is_likely(client):
    question = "Was passiert, wenn mein Nachziehstapel leer ist?"
    for game in ("pegelduell", "pegelwacht"):
        assert ask(client, question, game=game)["verdict"] == "settled"
    body = ask(client, question)
    assert body["verdict"] == "likely"
    first = [each["citation"]["game"] for each in printed(body)[:2]]
    assert sorted(first) == ["pegelduell", "pegelwacht"]


@pytest.mark.parametrize(
    "question",
    [
        "Darf ich {} im Zug des Gegners ausspielen?",
        "Was passiert mit {}, wenn mein Nachziehstapel leer ist?",
        "Wer beginnt das Duell, wenn ich {} habe?",
    ],
)
@pytest.mark.parametrize("card", ["Lampenöl aus Übersee", "Kluge Dohle", "„Kluge Dohle“"])
def test_a_card_that_one_game_alone_has_tells_the_game(client, question, card):
    body = ask(client, question.format(card))
    assert {each["citation"]["game"] for each in printed(body)} == {"pegelwacht"}


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("Kluge Dohle", "de"),
        ("Taccola Furba", "it"),
        ("Dyke Dock", "en"),
        ("oilskin", "en"),
        ("Jonna Priel", "de"),  # its name in every language: the first of the library
    ],
)
def test_the_name_of_a_card_alone_tells_the_language(client, name, language):
    body = ask(client, name, game="pegelwacht")
    assert body["language"] == language
    assert body["passages"][0]["language"] == language


def test_a_question_before_it_tells_the_game_and_a_comparison_does_not(client):
    question = "Und wie viele Karten auf der Hand?"
    body = ask(client, question, context=["Wer fängt bei Pegelduell an?"])
    assert all("pegelduell" in each["citation"]["edition"] for each in printed(body))
    body = ask(client, "Wie viele Karten habe ich auf der Hand, so wie in Pegelduell?")
    assert not all("pegelduell" in each["citation"]["edition"] for each in printed(body))


def test_a_name_of_several_words_with_a_typo_is_seen_in_a_sentence(client):
    body = ask(client, "Darf ich Treibende Tonnne zweimal einsetzen?", game="pegelwacht")
    assert any("Treibende Tonne" in each["citation"]["label"] for each in of_layer(body, "card"))


@pytest.mark.parametrize(
    "question", ["Was kostet Pegelwacht?", "Quanto costa Pegelwacht?", "What does Pegelwacht cost?"]
)
def test_a_game_without_anything_else_is_no_look_up(client, question):
    assert ask(client, question)["verdict"] == "open"


def test_of_a_card_without_rules_text_just_that_is_said(client, monkeypatch):
    monkeypatch.setattr("index.layered_answers.texts_in", lambda *_: [])
    question = "Was macht Treibende Tonne?"
    body = ask(client, question)
    assert (body["verdict"], body["passages"]) == ("open", [])
    (note,) = body["notes"]
    assert note == {"code": "card-without-text", "text": "Treibende Tonne hat keinen Regeltext."}
    page = client.get("/", query_string={"q": question}, headers={"Accept-Language": "it"}).text
    assert "Treibende Tonne non ha testo di regole." in page
    message = client.get("/v1/message", query_string={"q": question, "format": "plain"}).get_json()
    assert message["message"] == "Treibende Tonne hat keinen Regeltext."


def test_a_passage_that_only_mentions_a_card_without_rules_text_settles_nothing(
    client, monkeypatch
):
    monkeypatch.setattr("index.layered_answers.texts_in", lambda *_: [])
    layers = ["rulebook", "cards"]
    body = ask(client, "möwenruf", layers=layers)
    assert body["verdict"] != "open"  # the FAQ of the rulebook is about it
    monkeypatch.setattr(LayeredAnswers, "_is_on_card", lambda self, hit: False)
    body = ask(client, "signalfeuer", layers=layers)
    assert body["verdict"] == "open"
    assert body["passages"]
    assert [each["code"] for each in body["notes"]] == ["card-without-text"]


@pytest.mark.parametrize(
    ("question", "entry"),
    [
        ("Darf Die stille Bucht abtreiben?", "abtreiben"),
        ("kann bernstein-ole abtreiben?", "abtreiben"),
        ("Darf ich Lampenöl aus Übersee in der Flutphase spielen?", "flutphase"),
        ("Kann ich Werft am Deich spielen, wenn ich durchnässt bin?", "durchnaesst-durchnaessen"),
    ],
)
def test_the_rule_that_is_asked_comes_before_the_card_that_it_is_asked_of(client, question, entry):
    body = ask(client, question)
    rule, card = body["passages"][:2]
    assert body["verdict"] != "open"
    assert (rule["layer"], card["layer"]) == ("rulebook", "card")
    assert rule["citation"]["entry"] == f"pegelwacht-de-1.1/{entry}"


@pytest.mark.parametrize(
    "question",
    [
        "Was kostet Volle Fahrt?",
        "Ist Kluge Dohle einzigartig?",
        "Gibt es ein Erratum zu Volle Fahrt?",
        "Quanto costa Avanti Tutta?",
        "Taccola Furba è unica?",
    ],
)
def test_a_rule_does_not_settle_what_a_card_says_of_itself(client, question):
    body = ask(client, question)
    assert (body["verdict"], body["passages"][0]["layer"]) == ("open", "card")


def test_a_rule_only_likely_settles_a_question_on_a_card_that_may_say_otherwise(client):
    assert ask(client, "Darf Die stille Bucht abtreiben?")["verdict"] == "likely"
    assert ask(client, "Kann Kluge Dohle abtreiben?")["verdict"] == "likely"


@pytest.mark.parametrize(
    "question", ["Darf Werft am Deich zwei Karten kosten?", "Kann Botte alla Deriva volare?"]
)
def test_a_term_in_the_name_of_a_card_is_not_what_is_asked(client, question):
    body = ask(client, question)
    assert (body["verdict"], body["passages"][0]["layer"]) == ("open", "card")


@pytest.mark.parametrize(
    "question",
    [
        "Was macht der Fährmann?",
        "Traghettatore",
        "Was macht Nasses Holz?",
        "Geisterfähre Nasses Holz",
        "Legno Bagnato",
    ],
)
def test_the_face_or_ability_that_is_asked_for_is_first(client, question):
    body = ask(client, question)
    assert body["verdict"] == "settled"
    first = body["passages"][0]
    assert first["layer"] == "card"
    assert first["text"].startswith(("Nasses Holz —", "Legno Bagnato —"))


@pytest.mark.parametrize(
    ("question", "card"),
    [
        ("Was macht TreibendeTonne?", "Treibende Tonne"),
        ("Was macht Lampenöl aus Übresee?", "Lampenöl aus Übersee"),
        ("Was macht Werft am Deihc?", "Werft am Deich"),
        ("Cosa fa TaccolaFurba?", "Taccola Furba"),
    ],
)
def test_a_misspelt_name_is_found_with_its_small_words_or_without_its_blanks(
    client, question, card
):
    body = ask(client, question)
    first = body["passages"][0]
    assert (body["verdict"], first["layer"]) == ("settled", "card")
    assert card in first["citation"]["label"]


@pytest.mark.parametrize("question", ["Was macht Handlimit?", "Was macht Wachphasenende?"])
def test_a_word_of_the_game_is_no_card_without_blanks(client, question):
    assert ask(client, question)["passages"][0]["layer"] == "rulebook"
