import pytest

from corpus.model import Span
from service.browse.entry_view import excerpt

STOPS = "• Wer nass ist und angreifen will, legt stattdessen die Karte Nass ab."
COSTS = "Die Kosten werden trotzdem bezahlt, wie hoch sie auch sind und wer auch immer sie bezahlt."
MAY = "Ein nasser Lotse darf angreifen wollen, auch wenn kein Wrack da ist, das er treffen kann."
MORE = "Das gilt auch für alle Matrosen, die auf demselben Kahn wie der Lotse stehen."


def shown(display, marked, lines=5):
    at = display.index(marked)
    spans = excerpt(display, [Span(at, at + len(marked))], lines)
    return " … ".join(display[span.start : span.end] for span in spans)


def test_a_bullet_inside_another_stands_below_the_first_sentence_of_that():
    assert shown(f"{STOPS} {COSTS}\n • {MAY}\n • {MORE}", MAY) == f"{STOPS} … • {MAY}"
    deeper = f"{STOPS} {COSTS}\n • {MORE}\n   • {MAY}\n   • {COSTS}"
    assert shown(deeper, MAY) == f"{STOPS} … • {MORE}\n   • {MAY}"


@pytest.mark.parametrize("sign", ["•", "1.", "a)"])
def test_an_item_stands_below_the_line_that_leads_in(sign):
    lead = "Das alles gilt nur, solange der Kahn nicht gesunken ist:"
    display = f"{COSTS} {lead}\n{sign} {MORE}\n{sign} {MAY}\n{sign} {STOPS[2:]}"
    found = shown(display, MAY)
    assert lead in found
    assert MAY in found
    assert COSTS not in found


def test_bullets_side_by_side_do_not_need_each_other():
    assert STOPS not in shown(f"{STOPS} {COSTS}\n• {MORE}\n• {COSTS}\n• {MAY}", MAY)
