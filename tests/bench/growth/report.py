"""What was measured at every size, as a page and as curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tests.bench.growth.plot import chart
from tests.bench.report import Table

if TYPE_CHECKING:  # importing it would bring an index into the process that only reports
    from tests.bench.growth.measure import Size


def page(sizes: Sequence[Size], command: str) -> str:
    """The measurements as Markdown."""
    from tests.bench.growth.measure import ASKED, exponent

    numbers = [size.passages for size in sizes]
    columns = ("", *(f"{number:,}" for number in numbers))
    rows = {
        "vectors are found by": [size.kind for size in sizes],
        "building, seconds": [f"{sum(size.building.seconds.values()):,.0f}" for size in sizes],
        "memory at most while building, MB": [f"{size.building.memory:,.0f}" for size in sizes],
        "on the disk, MB": [f"{size.building.disk:,.0f}" for size in sizes],
        "loading, seconds": [f"{size.loading:.2f}" for size in sizes],
        "a question to all, ms at the median": [f"{size.milliseconds[0]:.1f}" for size in sizes],
        "a question to all, ms at p99": [f"{size.milliseconds[1]:.1f}" for size in sizes],
        "of these the processor's, ms at the median": [f"{size.processor[0]:.1f}" for size in sizes],
        "a question to one edition, ms at the median": [f"{size.within[0]:.1f}" for size in sizes],
        "memory (proportional set size), MB": [f"{size.memory:.0f}" for size in sizes],
        "recall of the ten nearest vectors": [f"{size.recall:.3f}" for size in sizes],
        "passage among five, of all": [f"{size.quality:.3f}" for size in sizes],
        "passage among five, of its edition": [f"{size.quality_within:.3f}" for size in sizes],
    }
    table = Table("Measured", columns, tuple((name, *cells) for name, cells in rows.items()))
    grown = exponent(numbers, [size.milliseconds[0] for size in sizes])
    processor = exponent(numbers, [size.processor[0] for size in sizes])
    remembered = exponent(numbers, [size.memory for size in sizes])
    return (
        "\n\n".join(
            [
                "# How it grows",
                _METHOD.format(command=command, asked=ASKED),
                table.markdown(),
                f"The cost of a question grows as the number of passages to the power of **{grown:.2f}** by the wall clock at the median "
                f"({processor:.2f} of the processor's time), memory to that of {remembered:.2f} (least squares of the logarithms; "
                "1 would be in proportion).",
                *(f"![{name}]({name})" for name in charts(sizes)),
                _READING,
            ]
        )
        + "\n"
    )


def charts(sizes: Sequence[Size]) -> dict[str, str]:
    """Curves as SVG, by file name."""
    numbers = [size.passages for size in sizes]
    times = {
        "all, median": [size.milliseconds[0] for size in sizes],
        "all, p99": [size.milliseconds[1] for size in sizes],
        "one edition": [size.within[0] for size in sizes],
    }
    found = {
        "recall": [size.recall for size in sizes],
        "five of all": [size.quality for size in sizes],
        "five of edition": [size.quality_within for size in sizes],
    }
    return {
        "growth-time.svg": chart("Milliseconds of a question", numbers, times),
        "growth-memory.svg": chart("Memory in MB", numbers, {"proportional set size": [size.memory for size in sizes]}),
        "growth-quality.svg": chart("Share that is found", numbers, found, logarithmic=False),
    }


_METHOD = """Written by `{command}` (`make bench-growth`). Rulebooks are made up from the words
of the sample rulebooks and the order these stand in: every edition has a thousand passages, every game a German and an Italian edition
and words of its own. The encoder is that of the sample, whatever the size. {asked} questions, each made from a known passage (some of
fourteen words, one replaced, one misspelt), each asked once, on one thread, ten passages wanted, highlights and confidence included."""

_READING = """## What is measured, and what is not

Up to 20,000 passages everything is looked at, as in every index of a few rulebooks. Beyond, the 200 nearest by vectors (FAISS:
a graph up to 100,000, clusters with product quantisation beyond) and the 200 best by words (postings in the order of impact, 4,000 of a
term at most) are candidates, with what a question calls by its name or number; all parts of the ranking look at these alone. Their
n-grams are read from the words they have, which takes a tenth of the room. Of an edition or a game, filters are applied first: up to
1,000 passages are all looked at, up to 20,000 all their vectors.

Made-up rulebooks have no cards, no concepts, no phrasings and no references. Real ones have 27 phrasings a passage, whose vectors and
n-grams are most of their index, and reading a question takes longer with every game that has cards or concepts. They are
kept, loaded and asked by the program's own code (`index.library.library.save`, `index.search.Index.load`): entries and passages are
lines in mapped files and made into objects when they are asked for. Memory at most while building is that of the whole process, the largest
arrays being the vectors (1 kB a passage, twice while these are made) and the words of all passages."""
