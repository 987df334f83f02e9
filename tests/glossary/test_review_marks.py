import pytest

from corpus.data_files import DataFileError
from corpus.model import Edition
from glossary.comparison import ComparisonStatus
from glossary.comparison.reviews import (
    NO_REVIEWS,
    ReviewableRow,
    Reviewer,
    ReviewState,
    ReviewStatus,
    count_reviews,
    has_review_status,
    marked_rows,
    new_review,
    pair_key,
    parse_reviews,
    written_reviews,
)

LANGUAGES = ("de", "it")
LEFT = "Wer im Nebel ankert, zahlt am Ende der Runde zwei Öl an die Hafenmeisterin."
RIGHT = "Chi getta l'ancora nella nebbia paga due olio alla capitana di porto a fine round."
OTHER = "Ein Lotse darf nur dann an Deck bleiben, solange kein Wrack die Fahrrinne versperrt."


def edition(id, language):
    return Edition(id, "spiel", language, id.rpartition("-")[2], "Spiel", "capitals")


DE, DE_2, DE_3, IT = (
    edition(f"spiel-{name}", name[:2]) for name in ("de-1", "de-2", "de-3", "it-1")
)


def row(left, right, languages=LANGUAGES, status=ComparisonStatus.CHANGED):
    key = pair_key((left, right), languages)
    return ReviewableRow(key, key, status, (left, right), ("", ""))


def reviewed(left, right, state=ReviewState.REVIEWED, editions=(DE, IT)):
    one, other = ((each.id, each.language) for each in editions)
    return new_review(
        (one, other),
        ("ankern", "ancora"),
        (left, right),
        state,
        Reviewer("Anna", "2031-05-01"),
        "stimmt",
    )


def book(*reviews):
    return parse_reviews(written_reviews(reviews))


def status(found, reviews, left=DE_2, right=IT):
    mark = marked_rows([found], left, right, reviews).get(found.key)
    return mark.status if mark else None


@pytest.mark.parametrize(
    "same",
    [LEFT.replace(" ", "\n"), LEFT.upper(), f"• {LEFT}", f"3.2 {LEFT}", LEFT.replace("Öl", "„Öl“")],
)
def test_the_same_words_are_reviewed_in_any_version_and_print(same):
    assert status(row(same, RIGHT), book(reviewed(LEFT, RIGHT))) is ReviewStatus.REVIEWED


def test_it_does_not_matter_which_edition_stands_on_the_left():
    assert (
        status(row(RIGHT, LEFT, ("it", "de")), book(reviewed(LEFT, RIGHT)), IT, DE_2)
        is ReviewStatus.REVIEWED
    )


@pytest.mark.parametrize(
    "changed",
    [
        LEFT.replace("zwei", "drei"),
        LEFT.replace("zwei", "2"),
        f"{LEFT} ➜",
        LEFT.replace("am Ende", "nie am Ende"),
        LEFT[:-20],
    ],
)
def test_other_words_are_open_again_and_it_is_said_who_had_reviewed_them(changed):
    found = row(changed, RIGHT)
    (mark,) = marked_rows([found, row(OTHER, "")], DE_2, IT, book(reviewed(LEFT, RIGHT))).values()
    assert (mark.status, mark.review.reviewer) == (ReviewStatus.REWORDED, "Anna")


def test_both_sides_may_be_reworded_a_little_but_not_be_others():
    reviews = book(reviewed(LEFT, RIGHT))
    assert (
        status(row(LEFT.replace("zwei", "drei"), RIGHT.replace("due", "tre")), reviews)
        is ReviewStatus.REWORDED
    )
    assert status(row(OTHER, "Un pilota resta sul ponte."), reviews) is None
    assert status(row(OTHER, ""), reviews) is None


def test_a_passage_that_now_has_a_counterpart_is_open_again():
    assert status(row(LEFT, RIGHT), book(reviewed(LEFT, ""))) is ReviewStatus.REWORDED
    assert status(row(LEFT, ""), book(reviewed(LEFT, ""))) is ReviewStatus.REVIEWED


def test_of_another_pair_of_languages_nothing_is_reviewed():
    assert (
        status(
            row(LEFT, RIGHT, ("de", "en")),
            book(reviewed(LEFT, RIGHT)),
            DE,
            edition("spiel-en-1", "en"),
        )
        is None
    )


def test_a_change_between_two_versions_is_not_that_from_the_second_to_the_third():
    later = LEFT.replace("zwei", "drei")
    reviews = book(reviewed(LEFT, later, editions=(DE, DE_2)))
    pair = ("de", "de")
    assert status(row(LEFT, later, pair), reviews, DE, DE_2) is ReviewStatus.REVIEWED
    assert status(row(later, later.replace("drei", "vier"), pair), reviews, DE_2, DE_3) is None
    assert (
        status(row(LEFT, later.replace("drei", "vier"), pair), reviews, DE, DE_3)
        is ReviewStatus.REWORDED
    )


def test_a_note_alone_leaves_it_open():
    found = row(LEFT, RIGHT)
    marks = marked_rows([found], DE, IT, book(reviewed(LEFT, RIGHT, ReviewState.TRANSLATED)))
    assert marks[found.key].status is ReviewStatus.OPEN
    assert marks[found.key].review.note == "stimmt"
    assert count_reviews([found], marks) == (1, 0, 0)


def test_what_is_open_is_what_differs_and_is_not_reviewed():
    rows = [
        row(LEFT, RIGHT),
        row(OTHER, ""),
        row("Anker.", "Ancora.", status=ComparisonStatus.SAME),
    ]
    marks = marked_rows(rows, DE, IT, book(reviewed(LEFT, RIGHT)))
    assert [has_review_status(each, marks, "open") for each in rows] == [False, True, False]
    assert [has_review_status(each, marks, "reviewed") for each in rows] == [True, False, False]
    assert [has_review_status(each, marks, "") for each in rows] == [True, True, True]
    assert count_reviews(rows, marks) == (1, 1, 0)
    assert not marked_rows(rows, DE, IT, NO_REVIEWS)


def test_the_file_has_no_word_of_a_rulebook_and_reads_back():
    review = reviewed(LEFT, RIGHT)
    text = written_reviews([review])
    assert not any(
        word in text for word in ("Nebel", "ankert", "Hafenmeisterin", "nebbia", "capitana")
    )
    assert parse_reviews(text).reviews == {review.key: review}


def test_a_note_may_have_any_line_break():
    review = reviewed(LEFT, RIGHT).model_copy(update={"note": "so\u2028und\x85so\nfort"})
    assert parse_reviews(written_reviews([review])).reviews == {review.key: review}


@pytest.mark.parametrize("line", ["{", "[]", '{"key": "x"}', "[" * 100_000])
def test_a_faulty_line_is_named(line):
    with pytest.raises(DataFileError, match="line 2"):
        parse_reviews(written_reviews([reviewed(LEFT, RIGHT)]) + line + "\n")
