import time

import pytest

from corpus.data_files import DataFileError
from glossary.comparison import DifferenceKind
from glossary.comparison.wording_checks import OwnerChecks, owner_checks, with_wording_checks
from service.editions.comparison import compare_in_library, comparison_table

LEFT, RIGHT = "pegelwacht-de-1.1", "pegelwacht-it-1.1"


def found(comparison, kind, checks=None):
    """What is found of a kind: the place, both sides, whether it is doubtful."""
    checked = with_wording_checks(comparison, checks or OwnerChecks())
    return [
        ((row.left or row.right)[0].entry.partition("/")[2], each.left, each.right, each.doubtful)
        for pair in checked.pairs
        for row in pair.rows
        for each in (*row.differences, *row.doubtful)
        if each.kind is kind
    ]


DAZZLED = "abbagliato non può scandagliare. Se ci prova, si scarta invece la carta stato."
OTHERWISE = DAZZLED.replace("si scarta invece la carta stato", "invece la carta stato si scarta")


def test_a_sentence_rendered_in_two_ways_is_doubtful_and_names_the_other_in_both_places(altered):
    before = found(altered(), DifferenceKind.RENDERINGS)
    after = found(altered((DAZZLED, OTHERWISE)), DifferenceKind.RENDERINGS)
    assert [each for each in after if each not in before] == [
        ("durchnaesst-durchnaessen", (), (OTHERWISE.partition(". ")[2],), True),
        ("geblendet-blenden", (), (DAZZLED.partition(". ")[2],), True),
    ]


def test_a_full_stop_that_one_side_lacks_is_a_likely_warning(altered):
    assert not [each for each in found(altered(), DifferenceKind.PUNCTUATION) if not each[3]]
    old = "si scarta invece la carta stato."
    likely = [
        each
        for each in found(altered((old, old.rstrip("."))), DifferenceKind.PUNCTUATION)
        if not each[3]
    ]
    assert [(left, right) for _, left, right, _ in likely] == [((".",), ())]


def test_two_blanks_in_succession_are_doubtful(altered):
    old, new = "scarta invece la carta stato", "scarta invece la  carta stato"
    assert ((), ("la␣␣carta",), True) in [
        each[1:] for each in found(altered((old, new)), DifferenceKind.PUNCTUATION)
    ]


def test_words_not_to_be_used_are_found_and_other_forms_of_them_doubtful(altered):
    checks = OwnerChecks(forbidden={"de": ["Matrosen"], "it": ["carta stato"]})
    words = found(altered(), DifferenceKind.FORBIDDEN, checks)
    assert {left for _, left, right, _ in words if left} == {("Matrosen",)}
    assert {right for _, left, right, _ in words if right} == {("carta stato",)}
    assert {doubtful for _, left, _, doubtful in words if left} == {False, True}


def test_a_pattern_of_two_languages_has_to_be_found_on_both_sides(altered):
    checks = OwnerChecks(patterns={"lanterns": {"de": "Laterne", "it": "lanterna"}})
    assert found(altered(), DifferenceKind.PATTERNS, checks) == []
    checks = OwnerChecks(patterns={"status": {"de": "Statuskarte", "it": "card state"}})
    assert {left for _, left, right, _ in found(altered(), DifferenceKind.PATTERNS, checks)} == {
        ("status: Statuskarte",)
    }


def test_a_pattern_of_one_language_must_not_be_found(altered):
    checks = OwnerChecks(patterns={"No status": {"it": r"carta stato\b"}})
    places = found(altered(), DifferenceKind.PATTERNS, checks)
    assert places
    assert {(left, right) for _, left, right, _ in places} == {((), ("No status: carta stato",))}


def test_a_pattern_that_takes_too_long_is_left_out_and_the_others_are_not(altered, caplog):
    checks = OwnerChecks(
        patterns={
            "slow": {"de": r"(?:[a-z]|\w\w?|\s)+[0-9.]{3}"},
            "quick": {"it": "carta stato"},
        }
    )
    began = time.monotonic()
    assert found(altered(), DifferenceKind.PATTERNS, checks)
    assert time.monotonic() - began < 10
    assert "'slow' takes too long" in caplog.text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("patterns:\n  Open: {de: '('}\n", "patterns.Open.de: no regular expression"),
        ("forbidden:\n  xx: [Anker]\n", "no language 'xx'"),
        ("forbiden: {}\n", "forbiden"),
    ],
)
def test_faults_of_the_file_are_named_and_the_pages_go_on_without_it(tmp_path, caplog, text, why):
    (tmp_path / "checks").mkdir()
    (tmp_path / "checks" / "pegelwacht.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(DataFileError, match=r"pegelwacht\.yaml:\d: .*") as fault:
        owner_checks(tmp_path, "pegelwacht")
    assert why in str(fault.value)
    assert owner_checks(tmp_path, "pegelwacht", strict=False) == OwnerChecks()
    assert why in caplog.text


def test_the_checks_of_a_workspace_are_in_the_comparison(sample_library, tmp_path, monkeypatch):
    (tmp_path / "checks").mkdir()
    text = "forbidden:\n  de: [Statuskarte]\n"
    (tmp_path / "checks" / "pegelwacht.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("REGULA_HOME", str(tmp_path))
    table = comparison_table(compare_in_library(sample_library, LEFT, RIGHT))
    assert "forbidden: Statuskarte | –" in table
