"""Sentences that one edition says in one and the other in two stand in one segment."""

from __future__ import annotations

from corpus.model import Lines, Passage, Role
from glossary.comparison.bullet_alignment import BulletAlignment
from glossary.comparison.model import AlignedPassages, EntryPair
from glossary.comparison.segments import learn_sentences, with_segments
from glossary.concepts import Concept

WORDS = [
    ("Anker", "ancora"),
    ("Kette", "catena"),
    ("Schiff", "nave"),
    ("Segel", "vela"),
    ("Mast", "albero"),
    ("Bug", "prua"),
    ("Lotse", "pilota"),
    ("Hafen", "porto"),
]
LEARNED = [
    (f"{a} trifft immer {b} und {c}.", f"{x} colpisce sempre {y} e {z}.")
    for a, x in WORDS
    for b, y in WORDS
    for c, z in WORDS
    if len({a, b, c}) == 3
]


def segments(german: str, italian: str) -> list[tuple[str, str]]:
    """The segments of two texts, beside others that tell what words translate each other."""
    return [segment.texts for segment in aligned((german, italian))[0].segments]


def aligned(
    *texts: tuple[str, str], by_hand: bool = False, concepts: tuple[Concept, ...] = ()
) -> tuple[AlignedPassages, ...]:
    """Rows of two ``texts`` each, "" for none, with their segments."""
    rows = [
        AlignedPassages(
            (passage(f"de#{n}", left),) if left else (),
            (passage(f"it#{n}", right),) if right else (),
            False,
            (),
            by_hand=by_hand,
        )
        for n, (left, right) in enumerate([*LEARNED, *texts])
    ]
    pairs = [EntryPair(None, (), (), tuple(rows), ((), ()), False)]
    sentences, aligner = learn_sentences(pairs, ("de", "it"))
    [pair] = with_segments(pairs, sentences, aligner, ("de", "it"), concepts)
    return pair.rows[len(LEARNED) :]


def passage(id: str, display: str) -> Passage:
    return Passage(id, id, 0, Role.TEXT, 0, (), Lines(1, 1), display, display)


def test_a_text_and_what_announces_it_face_the_sentence_that_has_both() -> None:
    german = 'Kette dieser Art:\n"Anker trifft Mast und Bug."'
    italian = 'Ora diventa: "Ancora colpisce albero e prua."'
    assert segments(german, italian) == [
        ('Kette dieser Art: "Anker trifft Mast und Bug."', italian)
    ]


def test_what_is_announced_may_begin_with_a_sentence_that_the_other_side_leaves_out() -> None:
    german = 'Kette dieser Art:\n"Lotse trifft Hafen. Anker trifft Mast und Bug."'
    italian = 'La fine diventa: "Ancora colpisce albero e prua."'
    assert len(segments(german, italian)) == 1


def test_an_announcement_of_what_the_other_side_does_not_announce_stays_alone() -> None:
    german = 'Kette dieser Art:\n"Anker trifft Mast und Bug."'
    italian = '"Ancora colpisce albero e prua."'
    assert segments(german, italian)[0] == ("Kette dieser Art:", "")


def test_a_consequence_faces_the_clause_that_says_it() -> None:
    german = "Anker trifft immer Mast und Bug. Darum trifft der Anker Bug."
    italian = "Ancora colpisce sempre albero e prua, quindi oggi ancora ripete la prua."
    assert segments(german, italian) == [(german, italian)]


def test_a_sentence_of_another_paragraph_is_no_consequence() -> None:
    german = "Anker trifft immer Mast und Bug.\n• Darum trifft der Anker Bug."
    italian = "Ancora colpisce sempre albero e prua, quindi oggi ancora ripete la prua."
    assert len(segments(german, italian)) == 2


def test_a_sentence_of_the_other_side_may_stand_between() -> None:
    german = "Anker trifft immer Mast und Bug. Darum trifft der Anker Bug."
    own = "Ancora colpisce sempre albero e prua, quindi oggi ancora ripete la prua."
    between = f"Vela {'catena nave porto pilota ' * 5}vela."
    assert segments(german, f"{own} {between}") == [(german, own), ("", between)]


def test_a_sentence_of_a_passage_faces_a_passage_that_says_it_alone() -> None:
    one = "Kette trifft immer Schiff und Segel."
    other = "Anker trifft immer Mast, Bug, Hafen, Lotse, Mast und Bug."
    german = passage("de#own", f"{one} {other}")
    italian = [
        passage("it#1", "Catena colpisce sempre nave e vela, oggi molto spesso."),
        passage("it#2", "Ancora colpisce sempre albero, prua, porto, pilota, albero e prua."),
    ]
    rows = [
        AlignedPassages((passage(f"de#{n}", left),), (passage(f"it#{n}x", right),), False, ())
        for n, (left, right) in enumerate(LEARNED)
    ]
    rows.append(AlignedPassages((german,), tuple(italian), False, ()))
    pairs = [EntryPair(None, (), (), tuple(rows), ((), ()), False)]
    bullets = BulletAlignment(*learn_sentences(pairs, ("de", "it")))
    assert sorted(bullets.counterparts([german], italian)) == [(0, 0), (0, 1)]


def test_a_sentence_that_moved_faces_its_own_even_where_another_is_a_little_like_it() -> None:
    moved = "Kette trifft immer Schiff und Segel.", "Catena colpisce sempre nave e vela."
    other = (
        "Anker trifft immer Mast, Bug, Kette, Schiff und Segel, Hafen und Lotse.",
        "Ancora colpisce sempre albero, prua, porto e pilota.",
    )
    found = segments(f"{moved[0]}\n• {other[0]}", f"{other[1]} {moved[1]}")
    assert found == [moved, other]


MOVED = "Kette trifft immer Schiff und Segel.", "Catena colpisce sempre nave e vela."
STAYED = "Anker trifft immer Mast und Bug.", "Ancora colpisce sempre albero e prua."
LAST = "Lotse trifft immer Hafen und Bug.", "Pilota colpisce sempre porto e prua."


def test_a_sentence_faces_one_that_the_other_edition_has_in_the_next_row() -> None:
    rows = (f"{STAYED[0]} {MOVED[0]}", STAYED[1]), (LAST[0], f"{MOVED[1]} {LAST[1]}")
    found = [[segment.texts for segment in row.segments] for row in aligned(*rows)]
    assert found == [[STAYED, MOVED], [LAST]]
    found = [[segment.texts for segment in row.segments] for row in aligned(*rows, by_hand=True)]
    assert found == [[STAYED, (MOVED[0], "")], [("", MOVED[1]), LAST]]


def test_a_passage_whose_sentence_faces_another_row_is_there_and_does_not_differ() -> None:
    _, alone = aligned((f"{STAYED[0]} {MOVED[0]}", STAYED[1]), ("", MOVED[1]))
    assert (alone.segments, alone.agreement) == ((), None)
    assert [passage.display for passage in alone.elsewhere] == [f"{STAYED[0]} {MOVED[0]}"]


def test_an_answer_of_a_word_that_nothing_translates_faces_the_answer() -> None:
    asked = "F: Trifft die Kette immer Schiff und Segel?", "D: Catena colpisce sempre nave e vela?"
    answer = "Anker trifft immer Mast und Bug.", "Ancora colpisce sempre albero e prua."
    found = segments(f"{asked[0]}\nA: Davor. {answer[0]}", f"{asked[1]}\nR: Prima. {answer[1]}")
    assert found == [asked, ("A: Davor.", "R: Prima."), answer]


def test_a_question_never_faces_the_answer_that_repeats_it() -> None:
    asked = "F: Anker?\n", f"D: Vela e {'oggi molto spesso ' * 4}?\n"
    answer = "A: Anker trifft immer Mast und Bug.", "R: Ancora colpisce sempre albero e prua."
    found = segments(asked[0] + answer[0], asked[1] + answer[1])
    assert found[-1] == answer


def test_a_sentence_that_adds_nothing_to_the_next_faces_the_one_before() -> None:
    said = "Anker trifft Mast und Bug, Segel und Hafen."
    german = "Davor.", said
    italian = "Albero.", "Ancora colpisce albero e prua, vela e porto."
    assert segments(" ".join(german), " ".join(italian)) == [*zip(german, italian, strict=True)]


def test_an_item_of_a_list_stays_out_of_the_segment_of_another() -> None:
    german = "Anker trifft immer Mast und Bug."
    items = ["Ancora colpisce sempre albero e prua.", "Ancora colpisce sempre prua e porto."]
    found = segments(german, "\n".join(f"• {item}" for item in items))
    assert found == [(german, items[0]), ("", items[1])]


def test_what_the_other_edition_says_in_another_entry_faces_it() -> None:
    moved = "Anker trifft immer Mast und Bug.", "Ancora colpisce sempre albero e prua."
    more = "Kette trifft nie den Lotse."
    here = passage("de#own", f"{moved[0]} {more}")
    there = passage("it#own", f"{moved[1]} Vela colpisce sempre nave e porto.")
    rows = [
        AlignedPassages((passage(f"de#{n}", left),), (passage(f"it#{n}", right),), False, ())
        for n, (left, right) in enumerate(LEARNED)
    ]
    entries = [
        rows,
        [AlignedPassages((here,), (), False, (), elsewhere=(there,))],
        [AlignedPassages((), (there,), False, (), elsewhere=(here,))],
    ]
    pairs = [EntryPair(None, (), (), tuple(its), ((), ()), False) for its in entries]
    learned = learn_sentences(pairs, ("de", "it"))
    _, own, other = with_segments(pairs, *learned, ("de", "it"), ())
    assert [s.texts for s in own.rows[0].segments] == [moved, (more, "")]
    assert [s.texts for s in other.rows[0].segments] == [("", "Vela colpisce sempre nave e porto.")]


def test_two_leftovers_that_have_nothing_in_common_are_no_pair() -> None:
    names = [("Boje", "boa"), ("Kiel", "chiglia"), ("Luke", "oblò"), ("Ruder", "timone")]
    concepts = tuple(
        Concept(
            f"spiel/{german}", "spiel", {"de": (german,), "it": (italian,)}, {}, {}, (), False, {}
        )
        for german, italian in names
    )
    german = "Boje und Kiel gehen vor."
    italian = "Quando timone, oppure oblò, stanno insieme, ognuno ne conta ancora altri due in più."
    rows = aligned((german, italian), concepts=concepts)
    assert [row.texts for row in rows] == [(german, ""), ("", italian)]
    assert not any(segment.aligned for row in rows for segment in row.segments)
    [kept] = aligned((german, italian), concepts=concepts, by_hand=True)
    assert kept.texts == (german, italian)


def test_of_a_short_rulebook_the_names_of_terms_tell_what_corresponds() -> None:
    concepts = tuple(
        Concept(id, "spiel", {"de": (german,), "it": (italian,)}, {}, {}, (), False, {})
        for id, german, italian in [("a", "Boje", "boa"), ("b", "Kiel", "chiglia")]
    )
    german, italian = "Die Boje sinkt. Der Kiel hält.", "La chiglia tiene."
    row = AlignedPassages((passage("de#1", german),), (passage("it#1", italian),), False, ())
    pairs = [EntryPair(None, (), (), (row,), ((), ()), False)]
    learned = learn_sentences(pairs, ("de", "it"), concepts)
    [pair] = with_segments(pairs, *learned, ("de", "it"), concepts)
    found = [segment.texts for segment in pair.rows[0].segments]
    assert found == [("Die Boje sinkt.", ""), ("Der Kiel hält.", italian)]


def test_an_aside_is_no_counterpart_of_a_rule() -> None:
    rows = aligned(("Eine Boje liegt dort.", "(Per esempio, due chiglie nuove.)"))
    assert len(rows) == 2
