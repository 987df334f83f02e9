"""Questions find their passage in a version that renumbers every rule and rewords a tenth of the sentences as well as before."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from corpus import RulebookFolder
from index.building.snapshots import Snapshots
from index.search import Index
from tests.bench.renumbered.recall import built, recall, revised_rows
from tests.bench.renumbered.revision import Changes, revised
from tests.conftest import SAMPLE, SAMPLE_QUESTIONS

FILE = "pegelwacht-de-1.1.txt"


def test_a_new_version_answers_as_well_as_the_old_one(
    sample: RulebookFolder, sample_index: Index, sample_snapshots: Snapshots, tmp_path: Path
) -> None:
    book = next(rulebook for rulebook in sample.rulebooks if rulebook.document.file == FILE)
    copy = revised(book, Changes(), 0)
    shutil.copytree(SAMPLE, tmp_path / "rulebooks")
    (tmp_path / "rulebooks" / FILE).write_bytes(copy.text.encode())
    shutil.copytree(sample_snapshots.folder, tmp_path / "index", symlinks=True)
    new = built(tmp_path / "rulebooks", Snapshots(tmp_path / "index"))
    assert "pegelwacht-de-1.2" in {edition.id for edition in new.library.editions}
    rows = [json.loads(line) for line in SAMPLE_QUESTIONS.read_text(encoding="utf-8").splitlines()]
    before, after = revised_rows(rows, {FILE: copy})
    assert len(before) >= 30
    assert recall(new, after) >= recall(sample_index, before) - 0.01
