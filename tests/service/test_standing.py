import re
from dataclasses import replace
from urllib.parse import urlencode

import pytest

from corpus.document import Document
from corpus.model import Correction, Edition, Fault
from corpus.read import read
from glossary.check import Certainty, Finding, FindingKind
from index.library.library import Library, make_library
from index.model import Query
from service.answers.answer import as_text
from service.answers.chat_messages import compose_message
from service.browse.entry_view import known_misprints
from service.schemas.fields import MessageFormat
from service.web.app import create_app
from service.web.pages import ask
from tests.service.harbour import Harbour, Indexes, german
from tests.service.test_pages import page
from tests.service.test_several_questions import FIRST, SECOND, TEXT, TwoQuestionHarbour

STEPS = {
    "de": ("Geklärt", "Wahrscheinlich geklärt", "Offene Frage"),
    "it": ("Chiarito", "Probabilmente chiarito", "Questione aperta"),
}
OTHER = """# Hafenspiel

## Anker

Ein Anker kostet dich 2  weniger. **Er** ist kein Schiff. Ein Schiff ohne  ankert niht, sagt der Lotse.

## Lampe

• Zahle Ol (%) für jedes Schiff. Die Lampe bleibt an.
"""
EDITION = Edition(
    "hafenspiel-de-1",
    "hafenspiel",
    "de",
    "1",
    "Hafenspiel",
    "outline",
    (Correction(9, Fault.CHARACTER, "Ol (%)", "Öl (Tropfen)", "icon misread", 9),),
    lost_signs={"{T}": ("dich N _ weniger",)},
)


class SureHarbour(Harbour):
    """Is as sure of everything as ``confidence`` says."""

    confidence = 0.99

    def search(self, query):
        return replace(
            super().search(query), confidence=self.confidence, answered=self.confidence >= 0.5
        )


@pytest.fixture(scope="module")
def two_games() -> Library:
    return make_library(
        [read(Document.from_bytes("hafen.md", OTHER.encode()), EDITION), german().rulebook()],
        (),
        {},
        {},
    )


def visitor(library, confidence=0.99):
    index = SureHarbour(library, id="standing")
    index.confidence = confidence
    return create_app(Indexes(index)).test_client()


def steps(html):
    return re.findall(r'<span class="step[^>]*>.*?</span> (.*?)</span>', html)


@pytest.mark.parametrize("language", ["de", "it"])
@pytest.mark.parametrize("number", range(3))
def test_an_answer_says_in_words_which_of_three_steps_it_is(harbour_library, number, language):
    client = visitor(harbour_library, (0.99, 0.6, 0.3)[number])
    html = client.get("/?q=Flaute", headers={"Accept-Language": language}).text
    assert steps(html) == [STEPS[language][number]]
    assert html.index('class="step') < html.index("<blockquote")


def test_each_of_several_questions_says_its_own_step(harbour_library):
    class Half(TwoQuestionHarbour):
        def search(self, query):
            found = super().search(query)
            first, *others = found.parts
            return replace(
                found,
                parts=(
                    replace(first, confidence=0.99),
                    *(replace(part, answered=False) for part in others),
                ),
            )

    html = (
        create_app(Indexes(Half(harbour_library)))
        .test_client()
        .get("/", query_string={"q": TEXT}, headers={"Accept-Language": "de"})
        .text
    )
    assert steps(html) == ["Geklärt", "Offene Frage"]
    assert (
        html.index(FIRST) < html.index("Geklärt") < html.rindex(SECOND) < html.index("Offene Frage")
    )


def test_the_rule_for_open_questions_is_conditional_behind_the_nearest_passages(harbour_library):
    text = page(visitor(harbour_library, 0.3), "/?q=Flaute").text
    assert (
        text.index("Nächstliegende Stellen")
        < text.index("Wenn keine davon es klärt")
        < text.rindex("Hafenmeister")
    )
    assert "Was dann gilt" not in text


def test_a_passage_names_its_game_where_several_are_searched(two_games, harbour_library):
    def headers(client, address):
        return [
            " ".join(re.sub("<[^>]+>", "", each).split())
            for each in re.findall("<header>(.*?)</header>", client.get(address).text, re.DOTALL)
            if "<h3>" in each
        ]

    def named(header):
        """The name of the edition has that of the game, else it heads the passage."""
        return ("Hafenspiel" in header) is not ("Sternenhafen" in header)

    for confidence in (0.99, 0.3):
        several = headers(visitor(two_games, confidence), "/?q=Schiff")
        assert len(several) >= 4
        assert all(map(named, several))
    assert several[1].startswith("Hafenspiel Lampe")
    for address in ("/?q=Schiff&game=hafenspiel", "/?q=Schiff&edition=hafenspiel-de-1"):
        assert "Hafenspiel Lampe" not in " ".join(headers(visitor(two_games), address))
    assert "Sternenhafen Ankern" not in headers(visitor(harbour_library), "/?q=Schiff")[0]


@pytest.mark.parametrize(
    "question",
    [
        "Flaute",
        f"{'Wann liegt mein Schiff im Hafen, wenn der Lotse schläft und ' * 20} <b>Flaute</b>?",
    ],
)
def test_the_whole_question_heads_its_answer(harbour_library, question):
    shown = page(visitor(harbour_library), "/?" + urlencode({"q": question}))
    assert len(shown.all("h1")) == 1
    assert " ".join(f"Antwort auf: {question}".split()) in " ".join(shown.text.split())


def test_what_is_marked_throughout_is_not_marked_on_the_page_and_stays_so_in_the_api(
    harbour_library,
):
    client = visitor(harbour_library)
    api = client.get("/v1/ask?q=entscheidet&fields=evidence").get_json()["passages"][0]
    assert api["highlights"] == [[0, len(api["text"])]]
    assert "<mark>" not in client.get("/?q=entscheidet").text
    assert (
        "<mark>Ein betäubtes Schiff kann nicht ankern.</mark>" in client.get("/?q=betäubtes").text
    )


def test_a_reader_sees_repaired_words_and_behind_a_sign_what_is_printed(two_games):
    html = (
        visitor(two_games).get("/?q=Anker&game=hafenspiel", headers={"Accept-Language": "en"}).text
    )
    quoted, beside = html[html.index("<blockquote") :].split("</blockquote>", 1)
    quoted = re.sub("</?mark>", "", quoted)
    assert (
        'kostet dich 2 <ins title="Repaired, not as printed: [ ] → {T}">{T}</ins> weniger.'
        in quoted
    )
    assert re.findall(r'<q lang="de">(.*?)</q>', beside) == ["[ ]", "{T}"]
    assert "„Ein Anker kostet dich 2 weniger. Er" in html  # what is copied is as printed
    assert (
        "Repaired"
        not in visitor(two_games).get("/?q=Flaute", headers={"Accept-Language": "en"}).text
    )


def test_what_the_check_found_in_a_passage_is_noted_with_what_is_meant(two_games, monkeypatch):
    def finding(
        kind,
        printed,
        meant,
        certainty=Certainty.LIKELY,
        line=5,
    ):
        return Finding("hafenspiel-de-1", line, kind, printed, meant, certainty, ())

    findings = {
        "hafenspiel-de-1": (
            finding(FindingKind.MISSPELLED, "niht", "nicht"),
            finding(FindingKind.LOST, "ohne [ ] ankert", None),
            finding(FindingKind.LOST, "dich 2 [ ] weniger.", None),  # repaired already
            finding(FindingKind.MISSPELLED, "Lotse", "Lotsin", Certainty.POSSIBLE),
            finding(
                FindingKind.MISSPELLED, "Tau", "Tauwerk"
            ),  # in the same line, but not in the passage
            finding(FindingKind.MISSPELLED, "Schiff", "Schift", line=9),
            finding(FindingKind.MISSPELLED, "**Er** ist", "**Sie** ist"),
            finding(FindingKind.UNPAIRED, "Er ist", None),
        )
    }
    monkeypatch.setattr(ask, "finished_findings", lambda snapshot: findings)
    html = (
        visitor(two_games).get("/?q=Anker&game=hafenspiel", headers={"Accept-Language": "en"}).text
    )
    beside = html[html.index("</blockquote>") : html.index("</article>")]
    assert re.findall(r'<q lang="de">(.*?)</q>', beside) == (
        ["[ ]", "{T}", "Er ist", "Sie ist", "ohne [ ] ankert", "niht", "nicht"]
    )
    (lamp,) = two_games.passages_of["hafenspiel-de-1/lampe"]
    (misread,) = known_misprints(two_games, lamp, {})
    assert (misread.printed, misread.meant) == ("Ol (%)", "Öl (Tropfen)")


def test_an_answer_does_not_begin_a_check(two_games, monkeypatch):
    begun: list[object] = []
    monkeypatch.setattr("service.editions.findings.stored", lambda *asked, **_: begun.append(asked))
    assert visitor(two_games).get("/?q=Anker").status_code == 200
    assert begun == []


@pytest.mark.parametrize("form", list(MessageFormat))
def test_a_message_and_the_terminal_say_what_is_meant(two_games, form):
    index = SureHarbour(two_games, id="standing")
    result = index.search(Query("Lampe", game="hafenspiel"))
    message = compose_message(two_games, result, form, None)
    assert "Ol" in message.text
    plain = re.sub(r"\\(.)", r"\1", message.text)
    assert "(Repariert, nicht wie gedruckt: Zahle Öl (Tropfen) für jedes Schiff.)" in plain
    short = compose_message(two_games, result, form, None, 200)
    assert short.length <= 200
    assert "(Repariert, nicht wie gedruckt: Zahle Öl (Tropfen) für jedes Schiff.)" in as_text(
        index, result
    )


@pytest.mark.parametrize("form", list(MessageFormat))
def test_a_message_and_the_terminal_name_a_game_that_the_citation_does_not(two_games, form):
    renamed = replace(
        two_games,
        editions=tuple(replace(edition, title="Grosses Buch") for edition in two_games.editions),
    )
    index = SureHarbour(renamed, id="standing")
    everywhere, here = index.search(Query("Lampe")), index.search(Query("Lampe", game="hafenspiel"))
    assert "Hafenspiel" in compose_message(renamed, everywhere, form, None).text
    assert "Hafenspiel" not in compose_message(renamed, here, form, None).text
    assert "(Hafenspiel)" in as_text(index, everywhere)
    assert "Hafenspiel" not in as_text(index, here)
    named = compose_message(
        two_games, SureHarbour(two_games, id="standing").search(Query("Lampe")), form, None
    )
    assert named.text.count("Hafenspiel") == 1  # in the citation
