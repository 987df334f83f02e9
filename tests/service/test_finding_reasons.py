from dataclasses import replace

from glossary.check import Certainty, Finding, FindingKind, OriginWhy, Why, because
from service.editions.findings import origin_reason, reason_in, reason_text
from tests.service.test_pages import DE, page


def test_a_reason_is_told_with_its_values_in_all_its_parts():
    defined = because(Why.DEFINED_IN, edition="no-such-de-1", line=5)
    used = because(Why.USED, times=3) + because(Why.ALSO_AT, count=7, lines="4, 7 …") + defined
    assert (
        reason_text(used) == "used 3 times; also at lines 4, 7 …; no-such-de-1 defines it at line 5"
    )
    assert (
        reason_in("it", used)
        == "usato 3 volte; anche alle righe 4, 7 …; no-such-de-1 lo definisce alla riga 5"
    )
    assert reason_in("de", because(Why.SAME_TEXT, line=1200)) == "Zeile 1200 hat denselben Text"
    usual = because(Why.MORE_USUAL, quoted="Kahn", times=30, often=1)
    assert reason_text(usual) == "'Kahn' stands 30 times in this rulebook, this 1 time"
    assert reason_in("de", usual) == "'Kahn' steht in diesem Regelwerk 30-mal, dies 1-mal"
    assert reason_in("de", because(Why.USED, times=1)) == "kommt einmal vor"
    assert origin_reason(OriginWhy.END_OF_PAGE, "de") == "am Ende einer Seite"
    assert origin_reason(None) == ""


def test_values_are_words_of_the_document_whatever_they_look_like():
    assert (
        reason_text(because(Why.CUTS_SENTENCE, quoted="100 %(line)s; used once"))
        == "'100 %(line)s; used once' stands inside a sentence"
    )
    assert str(
        reason_in(
            "de", because(Why.NEARLY_SAME_TEXT_WITH, line=2, words="x / –; no entry has that name")
        )
    ).endswith("x / –; no entry has that name")


def test_what_somebody_noted_of_a_correction_stays_as_it_is():
    to_line = because(Why.TO_LINE, line=5)
    assert reason_in("de", because(Why.NOTE, note="the rules call it otherwise") + to_line) is None
    assert (
        reason_in("de", because(Why.NOTE, note="misread") + to_line)
        == "falsch gelesen; bis Zeile 5"
    )
    assert reason_text(because(Why.NOTE, note="misread") + to_line) == "misread; to line 5"


def test_the_page_gives_the_reason_in_its_language(client, monkeypatch):
    missing = Finding(
        DE, 3, FindingKind.MISSING, "Leuchtfeuer", None, Certainty.LIKELY, because(Why.NO_TARGET)
    )
    noted = replace(
        missing,
        printed="Leuchtboje",
        why=because(Why.NOTE, note="a buoy"),
        origin_why=OriginWhy.END_OF_PAGE,
    )
    monkeypatch.setattr(
        "service.editions.findings.snapshot_findings", lambda _: {DE: (missing, noted)}
    )
    shown = page(client, f"/state/{DE}")
    assert "nichts in diesem Regelwerk heißt so oder hat diese Nummer" in shown.text
    assert "has that name" not in shown.text
    assert "a buoy" in shown.text
    assert "(am Ende einer Seite)" in shown.text
    assert [a.get("lang") for _, a in shown.elements if a.get("class") == "why"] == [
        None,
        None,
        "en",
        None,
    ]
    assert "1 Befund" in page(client, f"/state/{DE}?q=nichts+in+diesem+Regelwerk").text
