import json
import re
import shutil
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from corpus.languages import LANGUAGES
from index.building.build import build
from index.building.snapshots import Snapshots
from index.model import Query
from index.search import Index
from service.answers.evaluation import rank_of_text
from tests.conftest import SAMPLE, SAMPLE_QUESTIONS
from tests.revised import Changes, revised

FILE = "pegelwacht-de-1.1.txt"
DEPTH = 5

Row = Mapping[str, Any]


def recall(index, rows):
    """The share of ``rows`` whose answer is among the first `DEPTH` passages of their document."""
    found = 0
    for row in rows:
        language = row["language"] if row["language"] in LANGUAGES else None
        hits = index.search(
            Query(row["question"], document=row["document"], language=language, k=DEPTH)
        ).hits
        found += rank_of_text([hit.passage.text for hit in hits], row["answers"]) is not None
    return found / len(rows)


def answers_in(copy, row):
    """The answers of ``row`` as ``copy`` prints them; none of those that are not found or were
    taken out.
    """
    document, found = copy.old.document, []
    for answer in row["answers"]:
        pattern = re.compile(r"\s+".join(map(re.escape, answer["quote"].split())))
        quote = pattern.search(
            document.text, document.line(answer["lines"][0]).start
        ) or pattern.search(document.text)
        if quote:
            (places,) = np.nonzero((copy.origins >= quote.start()) & (copy.origins < quote.end()))
            if len(places):
                found.append({"quote": copy.text[places[0] : places[-1] + 1]})
    return found


@pytest.mark.acceptance
def test_a_new_version_answers_as_well_as_the_old_one(
    sample, sample_index, sample_snapshots, tmp_path
):
    book = next(rulebook for rulebook in sample.rulebooks if rulebook.document.file == FILE)
    copy = revised(book, Changes(), 0)
    shutil.copytree(SAMPLE, tmp_path / "rulebooks")
    (tmp_path / "rulebooks" / FILE).write_bytes(copy.text.encode())
    shutil.copytree(sample_snapshots.folder, tmp_path / "index", symlinks=True)
    snapshots = Snapshots(tmp_path / "index")
    new = Index.load(snapshots.path(build(tmp_path / "rulebooks", snapshots).id))
    assert "pegelwacht-de-1.2" in {edition.id for edition in new.library.editions}
    rows = [json.loads(line) for line in SAMPLE_QUESTIONS.read_text(encoding="utf-8").splitlines()]
    before = [row for row in rows if row["document"] == FILE and answers_in(copy, row)]
    after = [{**row, "answers": answers_in(copy, row)} for row in before]
    assert len(before) >= 30
    assert recall(new, after) >= recall(sample_index, before) - 0.01
