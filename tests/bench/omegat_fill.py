"""How much of a rulebook a translation tool fills from our translation memory: OmegaT's console mode, exact matches alone.

`python -m tests.bench.omegat_fill --rulebooks FOLDER LEFT RIGHT` makes projects of the left edition's text, a paragraph a line, and says
how many lines stay untranslated, all of them or in part: with bullet signs and list numbers and without, divided into sentences and not,
of all paragraphs, of those that the right edition has too, and of those that the memory has.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from corpus import read_folder
from glossary.comparison import EditionComparison
from glossary.comparison.segments import Segment, align_segments
from glossary.concepts import load_concepts
from index.library.assembly import assemble_library
from index.library.library import Library
from service.editions.comparison import compare_in_library
from service.editions.exports.options import ExportOptions
from service.editions.exports.translation_memory import comparison_tmx, memory_units

OMEGAT = shutil.which("omegat")
_OPEN, _CLOSE = "\u27e6", "\u27e7"  # brackets that no rulebook has, around every translation, so that one sees what is none
_MARKER = re.compile(r"^(?:•\s*)?(?:(?:\d{1,2}|[a-z])[.)]\s+)?")  # a bullet sign, a list number
_PROJECT = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<omegat><project version="1.0">
<source_dir>__DEFAULT__</source_dir><target_dir>__DEFAULT__</target_dir><tm_dir>__DEFAULT__</tm_dir>
<glossary_dir>__DEFAULT__</glossary_dir><glossary_file>__DEFAULT__</glossary_file><dictionary_dir>__DEFAULT__</dictionary_dir>
<source_lang>{source}</source_lang><target_lang>{target}</target_lang>
<sentence_seg>{by_sentence}</sentence_seg><support_default_translations>true</support_default_translations><remove_tags>false</remove_tags>
</project></omegat>
"""


class Fill(NamedTuple):
    """How many of ``lines`` stayed ``untouched``, and which were filled only in ``part``."""

    lines: int
    untouched: tuple[str, ...]
    part: tuple[str, ...]

    @property
    def unfilled(self) -> float:
        """The share of lines in which something stayed untranslated."""
        return (len(self.untouched) + len(self.part)) / max(self.lines, 1)


class Lines(StrEnum):
    """Which paragraphs of the left edition are translated."""

    IN_MEMORY = "in the memory"
    IN_BOTH = "in both editions"
    ALL = "all"


def segments_of(comparison: EditionComparison) -> tuple[Segment, ...]:
    """The segments of two editions."""
    return align_segments(comparison, load_concepts(comparison.left.game))


def source_lines(segments: Sequence[Segment], which: Lines, doubtful: bool, bullets: bool) -> list[str]:
    """The left edition's text as a translator has it, a paragraph a line; ``bullets`` with all that stands before it in print.

    Those in the memory are those of passages of which every sentence is in one of its units, ``doubtful`` ones with them.
    """
    units = {unit.texts[0] for unit in memory_units(segments, doubtful)}
    passages: dict[str, list[Segment]] = {}
    for segment in segments:
        for sentence in segment.left:
            passages.setdefault(sentence.passage.id, []).append(segment)
    found = []
    for those in passages.values():
        facing = bool(those[0].row.left and those[0].row.right)
        known = all(segment.texts[0] in units for segment in those)
        if which is Lines.ALL or (facing and which is Lines.IN_BOTH) or (known and which is Lines.IN_MEMORY):
            printed = (line.strip() for line in those[0].left[0].passage.display.split("\n"))
            found += [line if bullets else _MARKER.sub("", line) for line in printed if any(c.isalnum() for c in line)]
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
    left = [(line, text) for line, text in zip(lines, translated, strict=True) if _left_over(text)]
    untouched = tuple(line for line, text in left if _OPEN not in text)
    return Fill(len(lines), untouched, tuple(line for line, text in left if _OPEN in text))


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
    memory = comparison_tmx(comparison, library, ExportOptions(doubtful=doubtful))
    segments = segments_of(comparison)
    for which in Lines:
        for by_sentence in (True, False):
            for bullets in (False, True):
                lines = source_lines(segments, which, doubtful, bullets)
                found = fill(lines, memory, (comparison.left.language, comparison.right.language), by_sentence)
                kind = f"by {'sentence' if by_sentence else 'paragraph'}, {'with' if bullets else 'without'} bullets"
                counts = f"{len(found.untouched):4} untouched, {len(found.part):4} filled in part, of {found.lines:4}"
                yield f"{which:16}  {kind:31}  {counts}: {found.unfilled:.0%} unfilled"


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
