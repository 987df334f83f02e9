from pathlib import Path

import pytest

from index.ranking.passage_sentences import passage_sentences
from tests.corpus.reading import book

SMALL = Path(__file__).parent / "small"


def _answers(name, raw):
    """Return the text of each passage, and the sentences in it that can be quoted."""
    rulebook = book(name, raw)
    language = rulebook.edition.language
    return [
        (each.text, [each.text[s.start : s.end] for s in passage_sentences(each.text, language)])
        for each in rulebook.passages
    ]


def test_questions_that_go_on_a_heading_have_their_answers():
    first, second = _answers("faq.md", (SMALL / "faq.md").read_bytes())
    assert first[0].startswith("… zwei Personen")
    assert first[1] == [
        "Man nennt das „Teilung“.",
        "Alle Marken werden gleichmäßig auf diese Personen verteilt.",
    ]
    assert second[1] == ["Das geht jederzeit, sobald die Person am Zug ist."]


@pytest.mark.parametrize(
    ("questions", "answers"),
    [
        (
            "**Darf man rufen?**\n\nNein.\n\nAuch im Regen nicht.\n\n**Wer beginnt?**\n\nDer Lotse.",
            [["Nein.", "Auch im Regen nicht."], ["Der Lotse."]],
        ),
        ("**F:** Darf man rufen? **A:** Nein, nie.", [["**A:** Nein, nie."]]),
        ("Frage: Darf man rufen?\n\nAntwort: Nein, nie.", [["Antwort: Nein, nie."]]),
        ("D: Si può parlare?\nR: No, mai.", [["R: No, mai."]]),
        ("Q: May I call?\n\nA: No, never.", [["A: No, never."]]),
        ("**Si può parlare?**\nNo, mai in gara.", [["No, mai in gara."]]),
        (
            "1. Darf man rufen?\n\n   Nein, nie.\n\n2. Wer beginnt? Der Lotse.",
            [["Nein, nie."], ["Der Lotse."]],
        ),
        ("### Darf man rufen?\n\nNein, nie.", [["Nein, nie."]]),
        ("Bedenkt drei Fragen:\n\n- Wer rudert?\n- Wer lotst?\n\nDann legt ab.", None),
    ],
)
def test_forms_of_questions(questions, answers):
    raw = f"# Kahn\n\n## Fragen zum Spiel\n\n{questions}\n".encode()
    quoted = [sentences for _, sentences in _answers("kahn.md", raw)]
    if answers is None:
        assert quoted[-1] == ["Dann legt ab."]
    else:
        assert quoted == answers
