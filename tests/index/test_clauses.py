"""How a passage is divided: clauses that can stand alone, no question beside its answer, no exception without its rule."""

from __future__ import annotations

import pytest

from index.ranking.clauses import CUES, SHORTEST, clauses

LONG = (
    "Kurzer Satz. Wenn ein Kahn in der Flutphase auf ein Wrack läuft und kein Lotse an Bord ist, verliert er die Ladung, die im "
    "Heck liegt; der Wachhabende entscheidet, welcher Marker zuerst über Bord geht."
)


def divided(text: str, language: str = "de") -> list[str]:
    return [text[clause.start : clause.end] for clause in clauses(text, language)]


def test_long_sentences_are_divided_into_clauses_that_lose_nothing() -> None:
    found = divided(LONG)
    assert found[0] == "Kurzer Satz."
    assert len(found) > 3
    assert all(len(clause) >= SHORTEST for clause in found[1:])
    assert " ".join(found) == LONG


def test_the_sentences_of_a_short_passage_stay_whole() -> None:
    text = "Wenn der Pegel steigt, sinkt ein lecker Kahn, es sei denn, er liegt am Steg. Danach steigt der Mond."
    assert divided(text) == [text[:76], text[77:]]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("F: Darf ein Wrack tauchen?\n\nA: Nein. Es liegt schon unten.", "A: Nein."),
        ("**D:** Il relitto affonda. Può essere venduto?\n\n**R:** No. Resta al suo posto.", "**R:** No."),
        ("Darf ein Wrack tauchen? Und ein Kahn? Nein, keiner von beiden.", "Nein, keiner von beiden."),
        ("F: Ein Wrack liegt im Hafen. Darf es tauchen? Nein.", "Nein."),
    ],
)
def test_the_question_beside_its_answer_is_left_out(text: str, answer: str) -> None:
    assert divided(text, "it" if "relitto" in text else "de")[0] == answer


def test_a_question_alone_is_not_left_out() -> None:
    assert divided("Darf ein Wrack tauchen?") == ["Darf ein Wrack tauchen?"]


@pytest.mark.parametrize(
    ("language", "exception"),
    [
        ("de", "es sei denn, ein Lotse steht am Ruder"),
        ("en", "unless a pilot is at the helm of it"),
        ("en", "but only if a pilot is at the helm"),
        ("it", "a meno che un pilota non sia al timone"),
        ("fr", "sauf si un pilote tient la barre"),
    ],
)
def test_an_exception_stays_with_its_rule(language: str, exception: str) -> None:
    before = "Der Wachhabende gibt die Laterne jede Runde nach links weiter und mischt danach den ganzen Ablagestapel seiner Flotte. "
    text = f"{before}Ein Kahn xyz verliert bei Flut seine Ladung, {exception}."
    assert divided(text, language)[-1] == f"Ein Kahn xyz verliert bei Flut seine Ladung, {exception}."


def test_what_the_words_of_clauses_say_is_known() -> None:
    text = (
        "Wenn ein Kahn in der Flutphase auf ein Wrack läuft, darf der Lotse nicht von Bord gehen. "
        "Beispiel: Der Kahn Möwe läuft auf das Wrack der Elster und bleibt dort bis zum Abend liegen."
    )
    condition, conclusion, example, *_ = ({cue for cue, value in zip(CUES, c.cues, strict=True) if value} for c in clauses(text, "de"))
    assert condition == {"condition", "comma"}
    assert conclusion == {"conclusion", "denial", "verdict", "ruling_first"}
    assert example == {"example"}
