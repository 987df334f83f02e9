"""Damaged rulebooks: whatever has happened to a file, it is read in bounded time and every citation
stays exact.

``REGULA_MUTATIONS`` sets how many damaged documents are tried in all (10,000 for a full run).
"""

import os
import random
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from corpus import Document, UnreadableDocument, identify, read
from tests.conftest import SAMPLE, real_folder

UNSEEN = Path(__file__).parent / "unseen"
DOCUMENTS = [
    *sorted(SAMPLE.glob("*.txt")),
    *sorted((real_folder() or SAMPLE / "none").glob("*.txt")),
    *sorted(UNSEEN.glob("*.txt")),
]
MUTATIONS = int(os.environ.get("REGULA_MUTATIONS", "100"))
CHUNK = 20  # damaged documents in one test, so that several processes can share a full run
PER_DOCUMENT = max(1, round(MUTATIONS / len(DOCUMENTS)))
CHUNKS = [(path, start) for path in DOCUMENTS for start in range(0, PER_DOCUMENT, CHUNK)]

SECONDS_PER_MEGABYTE = 60.0  # an undamaged rulebook needs about a tenth of that
# What a small document may take on a busy machine: a tenth of a second, or hours where a pattern
# stalls
SECONDS = 10.0

NASTY = [
    "(" * 3000, "- "
                "" * 2000, "* "
                           "" * 2000, "1." * 2000, "1.1. "
                                                   "" * 800, "„" * 1500, "#" * 3000, "A" * 9000, " "
                                                                                                 "" * 9000 + "x", "**" * 2500,
    "Siehe auch: "
    "" + "a, "
         "" * 2000, "[" * 2000 + "](#)" * 2000, "\\u00" * 1500, "a-\n" * 1500, "---------------" * 300, ":" * 3000,
    "F: "
    "" * 1500, "Beispiel: "
               "" * 900, "\u00a0" * 4000, "\r" * 2000, "\f\n" * 1000, "- 1. a.) I. "
                                                                      "" * 500, "\U0001f41d" * 2000,
]  # fmt: skip

Mutation = Callable[[random.Random, str], str]


def _lines_dropped(rng, text):
    share = rng.choice([0.001, 0.01, 0.1, 0.5])
    return "\n".join(line for line in text.split("\n") if rng.random() > share)


def _lines_doubled(rng, text):
    share = rng.choice([0.001, 0.01, 0.1, 0.5])
    return "\n".join(
        line for line in text.split("\n") for _ in range(2 if rng.random() < share else 1)
    )


def _lines_swapped(rng, text):
    lines = text.split("\n")
    for _ in range(rng.choice([1, 5, 50, len(lines)])):
        a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[a], lines[b] = lines[b], lines[a]
    return "\n".join(lines)


def _blocks_swapped(rng, text):
    cuts = sorted(rng.randrange(len(text) + 1) for _ in range(3))
    first, second, third, fourth = (
        text[: cuts[0]],
        text[cuts[0] : cuts[1]],
        text[cuts[1] : cuts[2]],
        text[cuts[2] :],
    )
    return first + third + second + fourth


def _cut(rng, text):
    raw = text.encode()
    a, b = sorted(rng.randrange(len(raw) + 1) for _ in range(2))
    kept = rng.choice([raw[:a], raw[a:], raw[a:b], raw[:a] + raw[b:]])
    return kept.decode(errors=rng.choice(["ignore", "replace"]))


def _case_changed(rng, text):
    change = rng.choice([str.upper, str.lower, str.swapcase, str.title, str.casefold])
    share = rng.choice([0.01, 0.2, 1.0])
    return "\n".join(change(line) if rng.random() < share else line for line in text.split("\n"))


def _mojibake(rng, text):
    share = rng.choice([0.05, 1.0])
    wrong = rng.choice(["latin-1", "cp437", "cp850", "mac-roman"])
    return "\n".join(
        line.encode().decode(wrong) if rng.random() < share else line for line in text.split("\n")
    ).replace("\0", "")


def _letters_lost(rng, text):
    share = rng.choice([0.0005, 0.005, 0.05])
    signs = '\n -.:*#•(){}[]"„“1aÄ\t\u00a0\ue123'
    return "".join(
        rng.choice([c, "", rng.choice(signs)]) if rng.random() < share else c for c in text
    )


def _lines_joined(rng, text):
    share = rng.choice([0.01, 0.3, 1.0])
    joint = rng.choice([" ", "", "  ", "\t"])
    return "".join(line + (joint if rng.random() < share else "\n") for line in text.split("\n"))


def _lines_split(rng, text):
    share = rng.choice([0.01, 0.3, 1.0])
    return "".join("\n" if c == " " and rng.random() < share else c for c in text)


def _long_line(rng, text):
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    lines[at] = (lines[at] or rng.choice("x.(*-")) * rng.choice([50, 500])
    return "\n".join(lines)


def _nasty_line(rng, text):
    lines = text.split("\n")
    for _ in range(rng.choice([1, 3])):
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(NASTY))
    return "\n".join(lines)


def _spacing(rng, text):
    change = rng.choice(
        [
            ("\n\n", "\n"),
            ("\n", "\n\n"),
            ("\n", "\r\n"),
            (" ", "\u00a0"),
            ("\n", "\n    "),
            ("- ", ""),
            ("\n", "\n- "),
            ("\n", "\r"),
        ]
    )
    return text.replace(*change)


MUTATE: tuple[Mutation, ...] = (
    _lines_dropped, _lines_doubled, _lines_swapped, _blocks_swapped, _cut, _case_changed, _mojibake, _letters_lost, _lines_joined,
    _lines_split, _long_line, _nasty_line, _spacing,
)  # fmt: skip


@cache
def original(path):
    document = Document.from_bytes(path.name, path.read_bytes())
    edition = identify(document)
    assert edition is not None, f"{path.name} is not recognised"
    return document, edition


def damaged(path, seed):
    """The document with up to three faults; None where so little is left that it cannot be a
    rulebook.
    """
    rng = random.Random(f"{path.name} {seed}")
    text = original(path)[0].text
    # Every kind of damage comes up even where each document is damaged only a few times.
    first = MUTATE[(seed + 5 * DOCUMENTS.index(path)) % len(MUTATE)]
    for mutate in [first, *rng.choices(MUTATE, k=rng.choice([0, 0, 1, 2]))]:
        text = mutate(rng, text)[:3_000_000]
    try:
        return Document.from_bytes(path.name, text.encode())
    except UnreadableDocument:
        return None


def assert_exact(book):
    """Every character that is not white space is claimed once, and every passage is what its spans
    say.
    """
    text = book.document.text
    spans = [span for entry in book.entries for span in entry.heading_spans]
    spans += [span for passage in book.passages for span in passage.spans]
    spans += [furniture.span for furniture in book.furniture]
    end = 0
    for a, b in sorted(spans):
        assert a < b
        assert end <= a, f"claimed twice: {text[a:end][:60]!r}"
        assert not text[end:a].strip(), f"not claimed: {text[end:a].strip()[:60]!r}"
        end = b
    assert not text[end:].strip(), f"not claimed: {text[end:].strip()[:60]!r}"
    ids = {entry.id for entry in book.entries}
    assert len(ids) == len(book.entries)
    for entry in book.entries:
        assert entry.parent is None or entry.parent in ids
    for passage in book.passages:
        assert passage.entry in ids
        assert passage.text == "\n".join(text[a:b] for a, b in passage.spans)
        assert len(passage.text) <= 1500
        assert passage.lines.first == text.count("\n", 0, passage.spans[0].start) + 1


@pytest.mark.acceptance
@pytest.mark.parametrize(
    ("path", "start"), CHUNKS, ids=[f"{path.stem}-{start}" for path, start in CHUNKS]
)
def test_a_damaged_rulebook_is_read_and_its_citations_are_exact(path, start):
    for seed in range(start, min(start + CHUNK, PER_DOCUMENT)):
        document = damaged(path, seed)
        if document is None:
            continue
        # Once as the edition it was, once as whatever it looks like now: both may come up on an
        # owner's disk.
        for edition in [
            original(path)[1],
            *([found] if seed % 3 == 0 and (found := identify(document)) else []),
        ]:
            try:
                began = time.process_time()
                book = read(document, edition)
                needed = time.process_time() - began
                limit = SECONDS + SECONDS_PER_MEGABYTE * len(document.text) / 1_000_000
                assert needed <= limit, f"{needed:.1f} s for {len(document.text)} characters"
                assert_exact(book)
            except Exception as fault:
                raise AssertionError(
                    f"{path.name}, seed {seed}, layout {edition.layout}: {fault!r}"
                ) from fault


@pytest.mark.parametrize("path", DOCUMENTS, ids=[path.stem for path in DOCUMENTS])
def test_an_undamaged_rulebook_is_read_exactly(path):
    book = read(*original(path))
    assert_exact(book)
    assert not book.unfit


@pytest.mark.parametrize("path", DOCUMENTS, ids=[path.stem for path in DOCUMENTS])
def test_a_rulebook_on_a_single_line_is_read(path):
    document, edition = original(path)
    assert_exact(
        read(Document.from_bytes(path.name, document.text.replace("\n", " ").encode()), edition)
    )
