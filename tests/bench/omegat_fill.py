"""How much of a rulebook a translation tool fills from our translation memory: OmegaT's console mode, exact matches alone.

`python -m tests.bench.omegat_fill --rulebooks FOLDER LEFT RIGHT` makes projects of the left edition's text, a paragraph a line, and says
how many lines and segments stay untranslated: with bullet signs and without, divided into sentences and not, of all paragraphs and of
those that the right edition has too.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from corpus import read_folder
from corpus.model import Role
from glossary.comparison import EditionComparison
from index.library.assembly import assemble_library
from index.library.library import Library
from service.editions.comparison import compare_in_library
from service.editions.exports.translation_memory import comparison_tmx

OMEGAT = shutil.which("omegat")
_OPEN, _CLOSE = "\u27e6", "\u27e7"  # brackets that no rulebook has, around every translation, so that one sees what is none
_BULLET = re.compile(r"^[•\s]+")
_PROJECT = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<omegat><project version="1.0">
<source_dir>__DEFAULT__</source_dir><target_dir>__DEFAULT__</target_dir><tm_dir>__DEFAULT__</tm_dir>
<glossary_dir>__DEFAULT__</glossary_dir><glossary_file>__DEFAULT__</glossary_file><dictionary_dir>__DEFAULT__</dictionary_dir>
<source_lang>{source}</source_lang><target_lang>{target}</target_lang>
<sentence_seg>{by_sentence}</sentence_seg><support_default_translations>true</support_default_translations><remove_tags>false</remove_tags>
</project></omegat>
"""


class Fill(NamedTuple):
    """How many of ``lines`` were ``unfilled``, as a whole or in part."""

    lines: int
    unfilled: tuple[str, ...]

    @property
    def share(self) -> float:
        """The share that was left unfilled."""
        return len(self.unfilled) / max(self.lines, 1)


def paragraphs(comparison: EditionComparison, library: Library, facing: bool, bullets: bool) -> list[str]:
    """The left edition's text, a paragraph a line; only what the right one has too where ``facing``."""
    ours = {p.id for pair in comparison.pairs for row in pair.rows if row.left and row.right for p in row.left}
    found = []
    for passage in library.passages:
        if library.entry[passage.entry].edition != comparison.left.id or passage.role is not Role.TEXT:
            continue
        if not facing or passage.id in ours:
            lines = (line.strip() for line in passage.display.split("\n"))
            found += [line if bullets else _BULLET.sub("", line) for line in lines if any(c.isalnum() for c in line)]
    return found


def fill(lines: Sequence[str], memory: bytes, languages: tuple[str, str], by_sentence: bool) -> Fill:
    """What OmegaT fills of ``lines`` from ``memory``. Raises `CalledProcessError` where it fails, `TimeoutExpired` after two minutes."""
    assert OMEGAT is not None, "omegat is not installed"
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        for name in ("source", "target", "tm/auto", "glossary", "dictionary", "omegat"):
            (project / name).mkdir(parents=True)
        settings = _PROJECT.format(source=languages[0], target=languages[1], by_sentence=str(by_sentence).lower())
        (project / "omegat.project").write_text(settings, encoding="utf-8")
        (project / "source" / "rules.txt").write_text("\n\n".join(lines), encoding="utf-8")
        (project / "tm" / "auto" / "memory.tmx").write_bytes(_marked(memory, languages[1]))
        command = [
            OMEGAT,
            "--mode=console-translate",
            "--quiet",
            f"--config-dir={folder}/config",
            "--disable-project-locking",
            str(project),
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        written = (project / "target" / "rules.txt").read_text(encoding="utf-8-sig")
    translated = [line for line in written.split("\n") if line.strip()]
    assert len(translated) == len(lines), "OmegaT has divided the text otherwise"
    return Fill(len(lines), tuple(line for line, text in zip(lines, translated, strict=True) if _left_over(text)))


def _marked(memory: bytes, target: str) -> bytes:
    """``memory`` with brackets around the texts in the language ``target``."""
    pattern = re.compile(rf'(<tuv xml:lang="{target}">(?:(?!</tuv>).)*?<seg>)((?:(?!</seg>).)*)(</seg>)', re.DOTALL)
    return pattern.sub(rf"\g<1>{_OPEN}\g<2>{_CLOSE}\g<3>", memory.decode()).encode()


def _left_over(text: str) -> bool:
    """Whether something of ``text`` is no translation."""
    return any(c.isalnum() for c in re.sub(f"{_OPEN}.*?{_CLOSE}", "", text))


def report(library: Library, left: str, right: str, doubtful: bool) -> Iterator[str]:
    """Lines of a table."""
    comparison = compare_in_library(library, left, right)
    memory = comparison_tmx(comparison, library, doubtful)
    for facing in (True, False):
        for by_sentence in (True, False):
            for bullets in (False, True):
                lines = paragraphs(comparison, library, facing, bullets)
                found = fill(lines, memory, (comparison.left.language, comparison.right.language), by_sentence)
                yield (
                    f"{'in both editions' if facing else 'all':16}  {'by sentence' if by_sentence else 'by paragraph':12}  "
                    f"{'with bullets' if bullets else 'without bullets':15}  {len(found.unfilled):4} of {found.lines:4} unfilled, {found.share:.0%}"
                )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rulebooks", type=Path, default=Path("corpus/sample/rulebooks"))
    parser.add_argument("--doubtful", action="store_true", help="with units that may be no true translation")
    parser.add_argument("left")
    parser.add_argument("right")
    chosen = parser.parse_args()
    library = assemble_library(read_folder(chosen.rulebooks).rulebooks)
    for line in report(library, chosen.left, chosen.right, chosen.doubtful):
        print(line)


if __name__ == "__main__":
    main()
