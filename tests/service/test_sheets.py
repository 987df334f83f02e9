import re
from urllib.parse import urlsplit

import pytest

from service.core.snapshot import Snapshot
from service.editions.sheet_history import MOST_BYTES
from service.ops.settings import Settings
from service.schemas.fields import MOST_CITED
from service.web.app import create_app
from tests.service.harbour import Indexes
from tests.service.shelf import Shelf, rulebook
from tests.service.test_pages import DE, GERMAN, Page, page
from tests.service.test_sheet_history import DUEL, DUEL_ID, containing

ANCHOR = f"{DE}/ankern#0"
QUESTION = "Darf ein betäubtes Schiff ankern?"


@pytest.fixture
def link(client) -> str:
    """The permanent link that the first passage of an answer leads to."""
    answer = page(client, f"/?q={QUESTION}&game=sternenhafen")
    made = next(a["href"] for a in answer.all("a") if (a["href"] or "").startswith("/sheet?"))
    response = client.get(made or "")
    assert response.status_code == 303
    return response.headers["Location"]


def test_a_sheet_has_question_words_place_verdict_and_code(client, link):
    shown = page(client, link)
    assert shown.all("h1") != []
    for told in (
        QUESTION,
        "Geklärt: Die erste Stelle klärt die Frage",
        "Ein betäubtes Schiff kann nicht ankern.",
        "Sternenhafen Regelbuch 1.0 (de)",
        "S. 3",
        "Z. 10–11",
        "Begriff",
    ):
        assert told in shown.text
    assert [a.get("class") for a in shown.all("svg")].count("qr") == 1


def test_further_passages_are_chosen_without_script(client, link):
    shown = page(client, link)
    offered = [a for a in shown.all("input") if a.get("name") == "passage"]
    assert [a["value"] for a in offered if "checked" in a] == [ANCHOR]
    other = next(a["value"] for a in offered if "checked" not in a)
    response = client.get("/sheet", query_string={"q": QUESTION, "passage": [ANCHOR, other]})
    both = page(client, response.headers["Location"])
    assert [a["value"] for a in both.all("input") if "checked" in a] == [ANCHOR, other]


def test_the_verdict_is_that_of_the_index_and_not_of_who_made_the_link(client):
    beside = f"/sheet?q={QUESTION}&passage={DE}/4.2%230"
    shown = page(client, client.get(beside).headers["Location"])
    assert "klärt die Frage" not in shown.text
    assert client.get(f"/v1/sheet?q={QUESTION}&passages={DE}/4.2%230").json["settled"] is None


def test_a_long_question_leaves_a_code_that_can_be_read(client):
    response = client.get(
        "/sheet", query_string={"q": "ü" * 1000, "passage": ANCHOR}, follow_redirects=True
    )
    shown = Page(response.text)
    (code,) = [a for a in shown.all("svg") if a.get("class") == "qr"]
    modules = int((code["viewbox"] or "").split()[2])
    assert modules < 121 + 8  # version 26
    assert len("ü" * 1000) > MOST_BYTES


def test_the_message_to_share_has_words_place_and_link(client, link):
    html = client.get(link, headers=GERMAN).text
    (message,) = re.findall(r"<pre[^>]*>(.*?)</pre>", html, re.DOTALL)
    assert "Ein betäubtes Schiff kann nicht ankern.“" in message
    assert "/sheet?" in message


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("", 404),
        ("passage=", 404),
        ("passage=no-such/entry%230", 404),
        (f"passage={DE}/ankern%239", 404),
        (f"passage={DE}/hafen%230", 404),  # nothing but "see"
        (f"passage={DE}/ankern%230&q=%00", 422),
        (f"passage={DE}/ankern%230~0123456789ab", 200),
        (f"passage={DE}/ankern%230~f9c10eb60459&made=9999-12-31", 200),
        (f"passage={DE}/ankern%230~f9c10eb60459&made=nonsense&edition=gone&as_of=never&q=a", 200),
        (
            f"passage=rulings/a/b%231~0123456789ab&passage=cards/a/b%230~0123456789ab&passage={'x' * 600}~0123456789ab",
            200,
        ),
    ],
)
def test_whatever_an_address_says_is_answered_in_words(client, query, status):
    assert client.get(f"/sheet?{query}").status_code == status


def test_words_of_an_address_are_never_shown_as_a_rulebooks(client):
    shown = page(
        client, f"/sheet?passage={DE}/Der-Gegner-hat-verloren%230~0123456789ab&made=2026-01-01"
    )
    assert "Gegner" not in re.sub(r"http\S+", "", shown.text)  # the link to copy has it
    assert not any(name == "blockquote" for name, _ in shown.elements)


def test_what_changed_stands_on_the_page_and_for_programs(tmp_path):
    shelf = Shelf(tmp_path)
    before = shelf.publish([rulebook("duell.txt", DUEL)])
    after = shelf.publish(
        [
            rulebook(
                "duell.txt",
                DUEL.replace("Würfel, Knöpfe oder ein Blatt Papier genügen", "Würfel genügen"),
            )
        ]
    )
    old = containing(before, "ein Blatt Papier")
    same = f"{DUEL_ID}/1.1.1#0"
    made = (
        create_app(Indexes(before))
        .test_client()
        .get("/sheet", query_string={"passage": [old.id, same]})
    )
    address = re.sub(r"made=[\d-]+", "made=2026-02-03", made.headers["Location"])
    client = create_app(Indexes(after)).test_client()
    shown = page(client, address)
    assert "die sich seit dem 3. Februar 2026 geändert haben: 1 von 2." in shown.text
    assert "Als der Link entstand" in shown.text
    assert "Würfel, Knöpfe oder ein Blatt Papier genügen." in shown.text
    assert shown.marked[0] == "Würfel, Knöpfe oder ein Blatt Papier"
    assert shown.marked[1:] == ["Würfel"]
    keys = ",".join(
        f"{id}~{hash}"
        for id, hash in re.findall(
            r"passage=([^~&]*)~(\w+)", urlsplit(address).query.replace("%23", "#")
        )
    )
    told = client.get("/v1/sheet", query_string={"passages": keys, "made": "2026-02-03"}).json
    assert (told["changed"], [each["change"] for each in told["passages"]]) == (
        1,
        ["reworded", "unchanged"],
    )
    former = told["passages"][0]["former"]
    assert [former["display"][a:b] for a, b in former["marks"]] == [
        "Würfel, Knöpfe oder ein Blatt Papier"
    ]
    assert (
        former["label"]
        == "1.1. Allgemeines, Rule 1.1.2, Pegelduell 2.0 (de), Z. 75, in effect from October 12, "
        "2025"
    )
    unchanged = page(client, re.sub(r"passage=[^&]*~\w+&", "", address, count=1))
    assert "Seit dem 3. Februar 2026 hat sich nichts geändert." in unchanged.text


def test_programs_are_told_of_too_many_passages_and_of_unknown_ones(client):
    assert (
        client.get(
            f"/v1/sheet?passages={','.join([ANCHOR.replace('#', '%23')] * (MOST_CITED + 1))}"
        ).status_code
        == 422
    )
    assert client.get("/v1/sheet?passages=no-such/entry%230").status_code == 404
    assert client.get("/v1/sheet").status_code == 400
    made = client.get(f"/v1/sheet?passages={ANCHOR.replace('#', '%23')}").json
    assert client.get(made["url"]).status_code == 200


def test_a_service_that_does_not_know_its_address_leaves_the_code_out(indexes):
    client = create_app(indexes).test_client()
    address = f"/sheet?passage={DE}/ankern%230~f9c10eb60459"
    foreign = client.get(address, headers={"Host": "foreign.example"})
    assert "foreign.example" not in foreign.text
    assert 'class="qr"' not in foreign.text
    known = create_app(indexes, Settings(public_url="https://regula.example/"))
    assert (
        "https://regula.example/sheet?"
        in known.test_client().get(address, headers={"Host": "foreign.example"}).text
    )


def test_a_question_that_was_asked_further_keeps_the_one_before_it(sample_index):
    client = create_app(Indexes(Snapshot(sample_index))).test_client()
    before, question = "Kann ein durchnässter Lotse angreifen?", "und wenn er ermattet ist?"
    answer = client.get("/", query_string={"q": question, "context": before, "game": "pegelwacht"})
    made = next(a for a in Page(answer.text).links() if a.startswith("/sheet?"))
    shown = Page(client.get(made, follow_redirects=True).text)
    assert before in shown.text.partition("Rules excerpt ·")[2].partition(question)[0]
