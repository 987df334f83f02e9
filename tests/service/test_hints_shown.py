import csv
import io
import json

import pytest
from lxml import etree

from glossary.comparison import EditionComparison
from service.editions.comparison import compare_in_library, comparison_table
from service.editions.exported_files import COMPARISON_FORMATS as FORMATS
from service.editions.exports.formats import ExportOptions


@pytest.fixture(scope="module")
def comparison(sample_library) -> EditionComparison:
    return compare_in_library(sample_library, "pegelwacht-de-1.1", "pegelwacht-it-1.1")


def written(comparison, library, name):
    return FORMATS[name].write(comparison, library, ExportOptions()).decode("utf-8-sig")


def test_number_words_are_named_with_what_they_say(comparison):
    assert "numbers: 5 (Fünf) | –" in comparison_table(comparison)


def test_doubtful_hints_are_shown_on_a_terminal_only_with_the_texts(comparison):
    [pair] = [
        pair
        for pair in comparison.pairs
        if any("appendix-decks" in d.left for row in pair.rows for d in row.doubtful)
    ]
    assert "perhaps" not in comparison_table(comparison)
    assert "perhaps terms: appendix-decks | –" in comparison_table(comparison, pair.left[0].heading)


def test_tables_have_doubtful_hints_in_a_column_of_their_own(comparison, sample_library):
    rows = list(csv.DictReader(io.StringIO(written(comparison, sample_library, "csv"))))
    [row] = [row for row in rows if "numbers: 5 (Fünf)" in row["differences"]]
    assert row["doubtful"].startswith("terms: appendix-decks")
    assert any(row["doubtful"] and row["status"] == "same" for row in rows)


def test_json_says_which_words_a_hint_was_read_from(comparison, sample_library):
    body = json.loads(written(comparison, sample_library, "json"))
    rows = [row for entry in body["entries"] for row in entry["rows"]]
    [row] = [
        row
        for row in rows
        if any(d["sort"] == "numbers" and d["left"] == ["5"] for d in row["differences"])
    ]
    [evidence] = row["differences"][0]["left_evidence"]
    [passage] = [p for p in row["left"] if p["passage"] == evidence["passage"]]
    start, end = evidence["span"]
    assert passage["display"][start:end] == evidence["words"] == "Fünf"
    assert row["doubtful"][0]["sort"] == "terms"


def test_doubtful_hints_are_folded_on_the_page(comparison, sample_library):
    tree = etree.fromstring(
        written(comparison, sample_library, "html").encode(), etree.HTMLParser(encoding="utf-8")
    )
    folded = tree.findall(".//details[@class='doubtful']")
    assert folded
    assert all(
        "open" not in details.attrib and details.find("summary").text.startswith("Perhaps also")
        for details in folded
    )
    assert not tree.findall(".//details[@class='doubtful']//*[@class='badges']")
