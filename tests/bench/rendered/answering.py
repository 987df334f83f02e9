"""How well printed forms of rulebooks answer questions, compared with their texts.

``python -m tests.bench.rendered.answering --rulebooks FOLDER --pdfs FOLDER --questions FOLDER`` builds an index of each folder of
rulebooks and prints recall at 5 of both. A PDF is called like its text.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from index.building.build import build
from index.building.snapshots import Snapshots
from index.model import Query
from index.search import Index
from tests.bench.questions import Question, gather
from tests.bench.rendered.comparison import letters

DEPTH = 5


def hits(index: Index, questions: Sequence[Question]) -> dict[str, bool]:
    """By the id of each question that has an answer, whether one of the `DEPTH` best passages of its document holds a quote of it.

    Letters and digits alone are compared. The document is the one in ``index`` that is called like that of the question.
    """
    files = {Path(source.file).stem: source.file for source in index.library.sources.values()}
    found = {}
    for question in questions:
        if question.quotes and (file := files.get(Path(question.document).stem)):
            passages = index.search(Query(question.text, document=file, k=DEPTH)).hits
            texts = [letters(hit.passage.text) for hit in passages]
            found[question.id] = any(letters(quote) in text for quote in question.quotes for text in texts)
    return found


def built(rulebooks: Path, place: Path) -> Index:
    """An index of ``rulebooks`` in ``place``: the one that is there, else a new one."""
    snapshots = Snapshots(place)
    if snapshots.current() is None:
        build(rulebooks, snapshots)
    id = snapshots.current()
    assert id is not None
    return Index.load(snapshots.path(id))


def main() -> None:
    """Print recall at `DEPTH` for all documents and for each, of texts and PDFs, and the questions that only one of them answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rulebooks", type=Path, required=True, help="a folder of rulebooks as text")
    parser.add_argument("--pdfs", type=Path, required=True, help="a folder of the same rulebooks as PDF")
    parser.add_argument("--questions", type=Path, required=True, help="a folder of question files")
    parser.add_argument("--index", type=Path, help="a folder in which the indexes are kept")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        kept = given.index or Path(place)
        text, pdf = built(given.rulebooks, kept / "texts"), built(given.pdfs, kept / given.pdfs.name)
        questions = gather(given.questions, text.library).all
        of_text, of_pdf = hits(text, questions), hits(pdf, questions)
    groups: dict[str, list[str]] = defaultdict(list)
    for question in questions:
        if question.id in of_text and question.id in of_pdf:
            groups["all"].append(question.id)
            groups[question.document].append(question.id)
    print("document\tn\ttext\tPDF")
    for name, ids in sorted(groups.items()):
        print(f"{name}\t{len(ids)}\t{sum(of_text[id] for id in ids) / len(ids):.3f}\t{sum(of_pdf[id] for id in ids) / len(ids):.3f}")
    for sign, one, other in (("-", of_text, of_pdf), ("+", of_pdf, of_text)):
        print(sign, *(id for id in groups["all"] if one[id] and not other[id]))


if __name__ == "__main__":
    main()
