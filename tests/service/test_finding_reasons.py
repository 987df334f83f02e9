"""Why something is a finding, in the reader's language."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from corpus.folder import read_folder
from glossary.check import Certainty, Finding, FindingKind, check_rulebook
from glossary.references import find
from service.editions.finding_reasons import reason_in
from tests.conftest import SAMPLE
from tests.service.test_pages import DE, page


def test_a_reason_is_translated_with_its_values_in_all_its_parts() -> None:
    assert reason_in("de", "line 12 has the same text") == "Zeile 12 hat denselben Text"
    assert reason_in("it", "used 3 times; also at lines 4, 7 …; no-such-de-1 defines it at line 5") == (
        "usato 3 volte; anche alle righe 4, 7 …; no-such-de-1 lo definisce alla riga 5"
    )
    assert reason_in("de", "'Kahn' stands 30 times in this rulebook, this once") == "'Kahn' steht in diesem Regelwerk 30-mal, dies einmal"
    assert reason_in("en", "line 12 has the same text") == "line 12 has the same text"


def test_what_somebody_noted_of_a_correction_stays_as_it_is() -> None:
    assert reason_in("de", "the rules call it otherwise; to line 5") is None
    assert reason_in("de", "misread; to line 5") == "falsch gelesen; bis Zeile 5"


@pytest.mark.parametrize("language", ["de", "it"])
def test_every_reason_of_the_check_is_translated(language: str) -> None:
    books = read_folder(SAMPLE).rulebooks
    untold = set()
    for book in books:
        notes = {correction.why for correction in book.edition.corrections}
        for finding in check_rulebook(book, books, find(book, books)):
            if not any(note in finding.why for note in notes):
                untold |= {why for why in (finding.why, finding.origin_why) if reason_in(language, why) is None}
    assert untold == set()


def test_the_page_gives_the_reason_in_its_language(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = Finding(DE, 3, FindingKind.MISSING, "Leuchtfeuer", None, Certainty.LIKELY, "nothing in this rulebook has that name or number")
    noted = replace(missing, printed="Leuchtboje", why="a buoy", origin_why="at the end of a page")
    monkeypatch.setattr("service.web.pages.state.snapshot_findings", lambda _: {DE: (missing, noted)})
    shown = page(client, f"/state/{DE}")
    assert "nichts in diesem Regelwerk heißt so oder hat diese Nummer" in shown.text
    assert "has that name" not in shown.text
    assert "(am Ende einer Seite)" in shown.text
    assert [a.get("lang") for _, a in shown.elements if a.get("class") == "why"] == [None, None, "en", None]
    assert "1 Fund" in page(client, f"/state/{DE}?q=nichts+in+diesem+Regelwerk").text
