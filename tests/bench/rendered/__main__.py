"""Prints rulebooks as PDF in many forms, reads them, and tells how well: ``python -m tests.bench.rendered [--rulebooks FOLDER]``."""

from __future__ import annotations

import argparse
import subprocess
import time
from pathlib import Path

from corpus import editions
from corpus.document import Document, UnreadableDocument
from corpus.model import Rulebook
from corpus.read import read
from tests.bench.rendered import comparison
from tests.bench.rendered.attachment import attached
from tests.bench.rendered.forms import FORMS, PrintForm, chosen
from tests.bench.rendered.manuscript import manuscript
from tests.bench.rendered.typesetting import typeset
from tests.bench.rendered.web_printing import as_html, available, printed

_SAMPLE = Path(__file__).resolve().parents[3] / "corpus" / "sample" / "rulebooks"
_HEAD = ("edition", "form", "recognised", "title", "kind", "parent", "passages", "pages", "boxes", "phrasings", "concepts", "facts", "s")


def render(rulebook: Rulebook, form: PrintForm) -> bytes:
    """``rulebook`` as PDF in ``form``. Raises `subprocess.SubprocessError` where the browser for it fails."""
    elements = manuscript(rulebook, form.signs)
    if form.web:
        return printed(as_html(elements, form, rulebook.edition.title, rulebook.edition.language))
    return typeset(elements, form, rulebook.edition.title)


def read_as(file: str, raw: bytes) -> Rulebook:
    """The rulebook that a file with the content ``raw`` is."""
    document = Document.from_bytes(file, raw)
    return read(document, editions.identify(document))


def _row(text: Rulebook, form: PrintForm, pdf: bytes, differences: bool) -> list[str]:
    """What is measured of ``text`` printed as ``pdf``."""
    start = time.perf_counter()
    found = read_as(Path(text.document.file).with_suffix(".pdf").name, pdf)
    seconds = time.perf_counter() - start
    wanted, got = comparison.entry_keys(text), comparison.entry_keys(found)
    if differences:
        _tell(wanted, got)
    shares = (
        comparison.f1((name for _, name, _ in wanted), (name for _, name, _ in got)),
        comparison.f1((each[:2] for each in wanted), (each[:2] for each in got)),
        comparison.f1(wanted, got),
        comparison.f1(comparison.passage_keys(text), comparison.passage_keys(found)),
        comparison.heading_pages(found, comparison.page_letters(pdf)),
        comparison.covered(found, pdf),
        *attached(text, found),
    )
    same = "yes" if found.edition.id == text.edition.id else found.edition.id
    return [text.edition.id, form.name, same, *(f"{share:.3f}" for share in shares), f"{seconds:.1f}"]


def _tell(wanted: list[tuple[str, str, str]], got: list[tuple[str, str, str]]) -> None:
    for sign, one, other in (("-", wanted, list(got)), ("+", got, list(wanted))):
        for each in one:
            if each in other:
                other.remove(each)
            else:
                print(f"  {sign} {' | '.join(part[:60] for part in each)}")


def main() -> None:
    """Print a row for each rulebook and form."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rulebooks", type=Path, default=_SAMPLE, help="a folder of rulebooks as text (default: the sample)")
    parser.add_argument("--forms", default="", help="of: " + ", ".join(form.name for form in FORMS))
    parser.add_argument("--only", default="", help="what the file names of the rulebooks begin with")
    parser.add_argument("--keep", type=Path, help="a folder for the PDFs, by form")
    parser.add_argument("--differences", action="store_true", help="list the entries that only one of text and PDF has")
    given = parser.parse_args()
    print("\t".join(_HEAD))
    for path in sorted(given.rulebooks.glob(f"{given.only}*.txt")):
        text = read_as(path.name, path.read_bytes())
        for form in chosen(given.forms):
            if form.web and not available():
                continue
            try:
                pdf = render(text, form)
                if given.keep:
                    (given.keep / form.name).mkdir(parents=True, exist_ok=True)
                    (given.keep / form.name / path.with_suffix(".pdf").name).write_bytes(pdf)
                print("\t".join(_row(text, form, pdf, given.differences)), flush=True)
            except (subprocess.SubprocessError, OSError, UnreadableDocument) as error:
                print(f"{text.edition.id}\t{form.name}\t{error}", flush=True)


if __name__ == "__main__":
    main()
