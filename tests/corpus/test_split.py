from corpus.display import readable
from corpus.draft import LONGEST, DraftPassage, split_passage
from corpus.model import Span

SENTENCE = (
    "Die Biene fliegt am Morgen zur Blume, am Mittag zum Stock und am Abend zur Ruhe, sofern kein "
    "Regen fällt."
)


def test_a_passage_that_fits_is_left_as_it_is():
    passage = DraftPassage([Span(0, len(SENTENCE))])
    assert split_passage(passage, SENTENCE) == [passage]


def test_nested_bullets_keep_their_indentation_in_the_parts_of_a_long_passage():
    text = f"- {SENTENCE}\n" + "\n".join(f"    - {number}. {SENTENCE}" for number in range(1, 31))
    parts = split_passage(DraftPassage([Span(0, len(text))], depth=1), text)
    assert len(parts) > 1
    for part in parts:
        assert len(part.spans) == 1
        assert part.spans[0].end - part.spans[0].start <= LONGEST
        shown = readable(text, list(part.spans), {}).split("\n")
        assert all(line.startswith("    • ") for line in shown[1:])
    assert " ".join(text[a:b] for part in parts for a, b in part.spans).split() == text.split()


def test_lines_that_the_reader_gave_as_spans_of_their_own_become_one_span_again():
    lines = [f"  - {SENTENCE}" for _ in range(20)]
    text = "\n".join(lines)
    spans = [
        Span(at * (len(lines[0]) + 1) + 2, (at + 1) * (len(lines[0]) + 1) - 1) for at in range(20)
    ]
    parts = split_passage(DraftPassage(spans), text)
    assert [len(part.spans) for part in parts] == [1] * len(parts)


def test_a_passage_torn_by_a_blank_line_stays_torn_so_that_its_sentence_is_read_in_one_line():
    first, second = f"{SENTENCE} " * 6 + "Der wache", "Imker weckt sie. " + f"{SENTENCE} " * 8
    text = f"{first}\n\n{second.strip()}"
    spans = [Span(0, len(first)), Span(len(first) + 2, len(text))]
    parts = split_passage(DraftPassage(spans), text)
    shown = "\n".join(readable(text, list(part.spans), {}) for part in parts)
    assert "Der wache Imker weckt sie." in shown
    assert all(sum(b - a for a, b in part.spans) + len(part.spans) - 1 <= LONGEST for part in parts)


def test_paragraphs_of_one_span_stay_paragraphs_where_they_are_put_together_again():
    text = "\n\n".join(f"Punkt {number} ohne Satzende {SENTENCE[:-1]}" for number in range(20))
    for part in split_passage(DraftPassage([Span(0, len(text))]), text):
        assert len(part.spans) == 1
        assert "\nPunkt" in readable(text, list(part.spans), {})
