import pytest

from index.ranking.passage_sentences import CUES, passage_sentences


def divided(text, language="de"):
    return [text[sentence.start : sentence.end] for sentence in passage_sentences(text, language)]


def leads(text, language="de"):
    """The number of the sentence that each of ``text`` hangs on, its own where it stands alone."""
    return [
        number - sentence.lead for number, sentence in enumerate(passage_sentences(text, language))
    ]


def tails(text, language="de"):
    return [sentence.tail for sentence in passage_sentences(text, language)]


def test_a_long_sentence_stays_whole_with_its_condition_and_exception():
    sentence = (
        "Wenn ein Kahn in der Flutphase auf ein Wrack läuft und kein Lotse an Bord ist, verliert "
        "er die Ladung, die im Heck liegt; der "
        "Wachhabende entscheidet, welcher Marker zuerst über Bord geht, es sei denn, der Lotse "
        "schläft (oder bis zu 4 Möwen wachen)."
    )
    assert divided(f"Kurzer Satz. {sentence}") == ["Kurzer Satz.", sentence]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("F: Darf ein Wrack tauchen?\n\nA: Nein. Es liegt schon unten.", "A: Nein."),
        (
            "**D:** Il relitto affonda. Può essere venduto?\n\n**R:** No. Resta al suo posto.",
            "**R:** No.",
        ),
        (
            "Darf ein Wrack tauchen? Und ein Kahn? Nein, keiner von beiden.",
            "Nein, keiner von beiden.",
        ),
        ("F: Ein Wrack liegt im Hafen. Darf es tauchen? Nein.", "Nein."),
    ],
)
def test_the_question_beside_its_answer_is_left_out(text, answer):
    assert divided(text, "it" if "relitto" in text else "de")[0] == answer


def test_a_question_alone_is_not_left_out():
    assert divided("Darf ein Wrack tauchen?") == ["Darf ein Wrack tauchen?"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ein Kahn darf:\n- ankern.\n- treiben. Dann sinkt er.\nDanach ist Ebbe.", [0, 0, 0, 0, 4]),
        ("Der Lotse wählt eines davon:\n\n1. Die Laterne\n2. Das Ruder", [0, 0, 0]),
        (
            "- Ein Kahn ist leck.\n  - Ein Wrack ist nie leck.",
            [0, 1],
        ),  # what is above says something of its own
        ("- Möwen\n- Krabben\n- Robben", [0, 1, 2]),
        (
            "- Bei Flut:\n  - Der Kahn treibt.\n  - Das Wrack:\n    - Es bleibt.\n- Bei Ebbe:\n  - "
            "Nichts.",
            [0, 0, 0, 2, 4, 4],
        ),
        (
            "- Wird getauscht, was\n  - ✦ gleich heißt, bleibt es.\n\n- ✦ anders heißt, geht es.",
            [0, 0, 0],
        ),  # behind a page break
        ("Beispiel:\nDer Kahn läuft auf. Er sinkt.\n\nDas gilt immer.", [0, 0, 0, 3]),
        ("A: Nein. Es liegt schon unten. Dort bleibt es.", [0, 0, 0]),
    ],
)
def test_an_item_hangs_on_its_lead_in_and_a_reason_on_its_verdict(text, expected):
    assert leads(text) == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Ein Kahn darf ankern. Es sei denn, ein Lotse schläft. Danach ist Ebbe."),
        ("de", "Ein Kahn darf ankern. Er darf jedoch nicht treiben. Danach ist Ebbe."),
        ("de", "Ein Kahn darf ankern.\n**Ausnahme:** Ein Wrack darf das nicht. Danach ist Ebbe."),
        ("en", "A barge may drop anchor. But only if a pilot is awake. Then the tide falls."),
        ("it", "Un barcone può ancorarsi. Tuttavia il pilota dorme. Poi scende la marea."),
        ("fr", "Une barque peut mouiller. Sauf si un pilote dort. Puis la mer descend."),
    ],
)
def test_a_rule_is_not_marked_without_the_exception_behind_it(language, text):
    assert tails(text, language) == [True, False, False]


def test_a_verdict_alone_needs_its_reason():
    assert tails("A: Nein. Es liegt schon unten.") == [True, False]
    assert tails("A: Nein, es liegt schon unten. Dort bleibt es.") == [False, False]


def test_what_tells_whether_a_sentence_decides_is_known():
    text = (
        "Der Lotse darf nicht von Bord gehen. Beispiel: Der Kahn Möwe läuft auf das Wrack. Er "
        "bleibt dort."
    )
    rule, example, further = (
        {cue for cue, value in zip(CUES, s.cues, strict=True) if value}
        for s in passage_sentences(text, "de")
    )
    assert rule == {"denial", "first"}
    assert example == further == {"example"}
