import re

import pytest

from corpus.data_files import DataFileError
from corpus.edition_files import described_editions
from tests.conftest import ROOT

EDITION = """id: strand-de-1
game: strand
language: de
version: "1"
title: Strand
layout: capitals
recognise: [STRAND]
corrections:
  - {line: 3, fault: furniture, printed: BILD, why: label of a figure}
  - line: 9
    fault: title
    printed: Wele
    meant: Welle
    why: misprint
"""


def described(folder, text):
    (folder / "strand.yaml").write_text(text, encoding="utf-8")
    described_editions(folder)


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("layout: capitals", "layout: papyrus", r"strand\.yaml:6: layout: .*'papyrus'.*capitals"),
        ('version: "1"', "version: 1", r"strand\.yaml:4: version: .*string"),
        ("    meant: Welle\n", "", r"strand\.yaml:10: corrections\[1\]: .*needs 'meant'"),
        ("fault: title", "fault: typo", r"strand\.yaml:11: corrections\[1\]\.fault: .*'title'"),
        ("line: 3,", "line: '3',", r"strand\.yaml:9: corrections\[0\]\.line: .*integer"),
        ("    why: misprint\n", "", r"strand\.yaml:\d+: corrections\[1\]\.why: .*required"),
        (
            "    why: misprint\n",
            "    reason: misprint\n    why: misprint\n",
            r"strand\.yaml:14: corrections\[1\]\.reason: ",
        ),
        ("title: Strand", "title: {de: Strand}", r"strand\.yaml:5: title: .*string"),
        ("recognise: [STRAND]", "recognise: []", r"strand\.yaml:7: recognise: .*at least 1"),
        ("recognise: [STRAND]", "recognise: [STRAND", r"strand\.yaml:\d+: not YAML: "),
    ],
)
def test_an_error_is_reported_with_file_line_and_field(tmp_path, right, wrong, message):
    assert EDITION.count(right) == 1
    with pytest.raises(DataFileError, match=message):
        described(tmp_path, EDITION.replace(right, wrong))


def test_a_file_that_is_not_utf_8_is_named(tmp_path):
    (tmp_path / "strand.yaml").write_bytes(EDITION.replace("Strand", "Dünen").encode("latin-1"))
    with pytest.raises(DataFileError, match=r"strand\.yaml: cannot be read"):
        described_editions(tmp_path)


def test_the_edition_file_in_the_docs_is_valid(tmp_path):
    page = (ROOT / "docs" / "documents.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"## Correct what was recognised.*?```yaml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "shown.yaml").write_text(shown, encoding="utf-8")
    (edition,) = described_editions(tmp_path)
    assert len(edition.edition.corrections) == 2
