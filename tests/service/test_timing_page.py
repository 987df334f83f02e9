from urllib.parse import quote

import pytest
from flask.testing import FlaskClient

from index.model import Query
from index.timing.sequences import timing_of
from service.browse.timing import entry_steps, sequence_title, shown_step
from service.core.snapshot import Snapshot
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes
from tests.service.test_pages import GERMAN, page

WACHT, DUELL = "pegelwacht-de-1.1", "pegelduell-de-2.0"
STEP = f"{WACHT}/flutphase#1"
FLOOD = "Um wie viel steigt der Pegel?"


@pytest.fixture(scope="module")
def reader(sample_library) -> FlaskClient:
    """Pages over the sample, without an index."""
    return create_app(Indexes(Harbour(sample_library))).test_client()


@pytest.fixture(scope="module")
def asker(sample_index) -> FlaskClient:
    return create_app(Indexes(Snapshot(sample_index))).test_client()


def _asked(client, question, step=STEP, **more):
    fields = "".join(f"&{name}={quote(value)}" for name, value in more.items())
    return page(client, f"/?q={quote(question)}&step={quote(step)}{fields}")


def test_every_step_is_listed_in_order_with_its_words_and_leads_to_its_rule(reader, sample_library):
    for edition in sample_library.editions:
        shown = page(reader, f"/timing/{edition.id}")
        sequences = sorted(
            timing_of(sample_library).sequences(edition.id), key=lambda each: not each.spans
        )
        steps = [
            (step, shown_step(sample_library, step))
            for sequence in sequences
            for _, step in sequence.walk()
        ]
        assert all(sequence_title(sample_library, each) in shown.text for each in sequences)
        for step, view in steps:
            assert view.url in shown.links()
            assert view.choose in shown.links()
            assert " ".join(step.words.split()) in shown.text
        listed = [view.anchor for _, view in steps]
        assert [
            item["id"] for item in shown.all("li") if item.get("id", "").startswith("at-")
        ] == listed
        assert all("aria-hidden" in each for each in shown.all("svg"))  # an icon, no drawing


def test_a_long_step_is_cut_visibly_and_never_reworded(sample_library):
    for edition in sample_library.editions:
        for _, step in (
            pair
            for sequence in timing_of(sample_library).sequences(edition.id)
            for pair in sequence.walk()
        ):
            view = shown_step(sample_library, step)
            whole = " ".join((view.meant or step.words).split())
            assert view.short == whole or (
                view.short.endswith("…") and whole.startswith(view.short[:-2])
            )


def test_a_list_begins_again_only_where_the_rulebook_says_so(reader):
    shown = reader.get(f"/timing/{WACHT}", headers=GERMAN).text
    assert shown.count("Dann wieder:") == 1
    assert "Dann wieder:" not in reader.get(f"/timing/{DUELL}", headers=GERMAN).text


def test_a_chosen_step_is_marked_goes_with_the_question_and_is_taken_off_by_one_link(reader):
    shown = page(reader, f"/timing/{WACHT}?step={quote(STEP)}")
    assert {"type": "hidden", "name": "step", "value": STEP} in shown.all("input")
    assert "Wir sind hier: Flutphase: 1. Der Pegel steigt" in shown.text
    (chosen,) = [item for item in shown.all("li") if item.get("aria-current") == "step"]
    assert chosen["id"] == "at-flutphase-1"
    (off,) = [a for a in shown.all("a") if a.get("class") == "off"]
    assert off["href"] == f"/timing/{WACHT}"
    assert reader.get(f"/timing/{WACHT}?step=x").status_code == 404
    assert reader.get(f"/timing/{DUELL}?step={quote(STEP)}").status_code == 404
    assert reader.get("/timing/no-such").status_code == 404


def test_a_rulebook_without_sequences_says_so(client):
    assert "kein nummerierter Ablauf" in page(client, "/timing/sternenhafen-it-1.1").text
    assert "Kein Ablauf gefunden" in page(client, "/timing").text


def test_an_entry_names_its_place_in_the_turn(reader, sample_library):
    assert "Im Ablauf" in page(reader, f"/e/{DUELL}/3.2.1").text
    labels = [
        each.label
        for each in entry_steps(sample_library, sample_library.entry[f"{WACHT}/auftauchen"])
    ]
    assert labels == ["Rundenübersicht: 7. Deckt die Flutkarten auf.\N{NO-BREAK SPACE}…"]
    assert entry_steps(sample_library, sample_library.entry[f"{WACHT}/flink"]) == []


def test_what_is_misprinted_is_shown_as_it_is_meant_beside_what_is_printed(real_library):
    sequences = timing_of(real_library).sequences("marvel-champions-de-1.5")
    steps = [
        (step, shown_step(real_library, step))
        for sequence in sequences
        for _, step in sequence.walk()
    ]
    ((first, view),) = [each for each in steps if each[1].meant]
    assert view.place == "Z. 859–868"
    assert "Beschleunigungs-" in (view.meant or "")
    assert "Beschleunigungs-" not in first.words


def test_the_api_has_the_same_steps(reader):
    body = reader.get(f"/v1/timing/{WACHT}").get_json()
    overview = body["sequences"][0]
    assert overview["entry"]["title"] == "Rundenübersicht"
    assert overview["again"] == overview["steps"][0]["id"]
    assert overview["steps"][3]["points_to"] == [
        {"entry": f"{WACHT}/flutphase", "title": "Flutphase"}
    ]
    assert overview["steps"][3]["citation"]["source"]["lines"] == [34, 34]
    assert body["sequences"][1]["steps"][1]["sequences"][0]["steps"][0]["number"] == "a"
    assert reader.get("/v1/timing/no-such").status_code == 404


def test_a_step_is_answered_from_its_own_passages_and_the_rest_apart(sample_index):
    found = sample_index.search(Query(FLOOD, step=STEP, k=5))
    assert found.query.edition == WACHT
    assert found.hits[0].passage.id == STEP
    assert found.elsewhere is not None
    own, rest = ({hit.passage.id for hit in hits} for hits in (found.hits, found.elsewhere.hits))
    assert not own & rest
    assert rest


def test_an_exact_answer_elsewhere_is_not_lost(sample_index):
    question = "Wie viele Geräte darf ein Lotse tragen?"
    without = sample_index.search(Query(question, edition=WACHT))
    found = sample_index.search(Query(question, step=STEP))
    assert without.answered
    assert not found.answered
    assert found.elsewhere is not None
    assert found.elsewhere.answered
    assert found.elsewhere.hits[0].passage.id == without.hits[0].passage.id


def test_the_page_says_where_one_is_and_what_stands_elsewhere(asker):
    shown = _asked(asker, FLOOD)
    assert "Wir sind hier: Flutphase: 1." in shown.text
    assert "Was das Regelwerk bei diesem Schritt sagt" in shown.text
    assert shown.text.index("bei diesem Schritt sagt") < shown.text.index("Anderswo im Regelwerk")
    assert any(link.startswith("/?q=") and "step=" not in link for link in shown.links())
    assert "Im Ablauf" in shown.text


def test_what_only_the_rest_settles_stands_first_and_is_named_so(asker):
    shown = _asked(asker, "Wie viele Geräte darf ein Lotse tragen?")
    assert shown.text.index("Anderswo im Regelwerk") < shown.text.index(
        "Nächstliegende Stellen zu diesem Schritt"
    )
    assert "Das Regelwerk klärt das vielleicht nicht" not in shown.text


def test_another_rulebook_takes_the_step_off_and_an_unknown_one_is_told(asker):
    kept = asker.get(f"/?q=x&in={WACHT}&step={quote(STEP)}")
    assert f"step={quote(STEP, safe='')}" in kept.headers["Location"]
    assert "step=" not in asker.get(f"/?q=x&in={DUELL}&step={quote(STEP)}").headers["Location"]
    response = asker.get(f"/?q=x&step={WACHT}/flutphase%2399", headers=GERMAN)
    assert response.status_code == 404
    assert "Bitte wähle ihn neu" in response.text


def test_the_api_answers_from_a_step(asker):
    body = asker.post(
        "/v1/ask", json={"question": FLOOD, "step": STEP, "k": 3, "fields": "all"}
    ).get_json()
    assert body["step"] == STEP
    assert body["passages"][0]["citation"]["entry"] == f"{WACHT}/flutphase"
    assert body["elsewhere"]["passages"]
    plain = asker.post(
        "/v1/ask", json={"question": FLOOD, "edition": WACHT, "k": 10, "fields": "all"}
    ).get_json()
    assert not {"step", "elsewhere"} & set(plain)
    assert (
        asker.post("/v1/ask", json={"question": FLOOD, "step": STEP, "edition": DUELL}).status_code
        == 422
    )
    assert asker.post("/v1/ask", json={"question": FLOOD, "step": "no-such"}).status_code == 404
