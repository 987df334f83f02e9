"""Numbers as they are printed and cited: lists inside numbered paragraphs, articles that run on
beside chapter numbers, rules numbered in plain type.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus import Document, Rulebook, identify, read
from glossary.references.anywhere import find

SMALL = Path(__file__).parent / "small"


def small(name: str) -> Rulebook:
    return book(name, (SMALL / name).read_bytes())


def book(name: str, raw: bytes | str) -> Rulebook:
    document = Document.from_bytes(name, raw.encode() if isinstance(raw, str) else raw)
    return read(document, identify(document))


def numbers(rulebook: Rulebook) -> list[str]:
    """The number of every entry that has one, indented by the numbers around it."""
    depth: dict[str | None, int] = {None: 0}
    rows = []
    for entry in rulebook.entries:
        depth[entry.id] = depth[entry.parent] + bool(entry.number)
        if entry.number:
            rows.append("  " * depth[entry.parent] + entry.number)
    return rows


def test_a_list_belongs_to_its_paragraph_and_numbering_goes_on_after_it() -> None:
    rulebook = small("liste.md")
    assert numbers(rulebook) == [
        "§ 1",
        "  § 1 (1)",
        "    § 1 (1) 1.",
        "    § 1 (1) 2.",
        "    § 1 (1) 3.",
        "  § 1 (2)",
        "  § 1 (3)",
        "§ 2",
        "  § 2 (1)",
        "  § 2 (2)",
    ]
    (reference,) = find(rulebook)
    target = next(entry for entry in rulebook.entries if entry.id == reference.target)
    text = " ".join(p.display for p in rulebook.passages if p.entry == target.id)
    assert (target.number, text) == ("§ 1 (3)", "(3) Die Würfel sind rot.")
    lists = [p for p in rulebook.passages if p.display.startswith(("1.", "3."))]
    assert {p.lead_in for p in lists} == {"(1) Zum Spielen braucht man:"}


@pytest.mark.parametrize(
    ("outer", "marks"),
    [
        ("(%d)", ("1.", "2.")),
        ("(%d)", ("1)", "2)")),
        ("(%d)", ("i)", "ii)")),
        ("%d.", ("1)", "2)")),
        ("%d.", ("a)", "b)")),
    ],
)
def test_marks_of_another_style_are_a_list_in_the_paragraph(
    outer: str, marks: tuple[str, str]
) -> None:
    listed = "\n".join(f"{mark} eine Verwarnung," for mark in marks)
    rulebook = book(
        "a.txt",
        f"Strafordnung\n\n§ 1 Strafen\n\n{outer % 1} Es gibt folgende Strafen:\n\n{listed}\n\n"
        f"{outer % 2} Strafen werden sofort vollzogen.\n\n§ 2 Ende\n\n"
        f"{outer % 1} Das Spiel endet mit der Nacht.\n\n{outer % 2} Es beginnt am Morgen.\n",
    )
    first, second = outer % 1, outer % 2
    assert numbers(rulebook) == [
        "§ 1",
        f"  § 1 {first}",
        *(f"    § 1 {first} {mark}" for mark in marks),
        f"  § 1 {second}",
        "§ 2",
        f"  § 2 {first}",
        f"  § 2 {second}",
    ]


def test_articles_run_on_beside_the_numbers_of_chapters() -> None:
    assert [row for row in numbers(small("codice.txt")) if "Capitolo" not in row] == [
        "1.1",
        "  Art. 1",
        "1.2",
        "  1.2.1",
        "    Art. 2",
        "    Art. 3",
        "  1.2.2",
        "    Art. 4",
        "1.3",
        "  Art. 5",
        "2.1",
        "  Art. 6",
    ]
