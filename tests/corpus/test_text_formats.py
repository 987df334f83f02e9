import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.blocks import BlockKind
from corpus.formats import recognise_text, text_formats
from tests.corpus.reading import book
from tests.timing import assert_in_proportion

LINES = st.sampled_from(
    [
        "", "", "   ", "Die Ebbe", "===", "------", "~~~~", "- Öl", "  * Kahn", "1. Flut",
        "   1.1. Ebbe", "704.5a If", "a) Öl", "(iv) x",
        "§ 3 Der Kahn", "| a | b |", "|---|---|", "+---+---+", "# Hafen", "## 1.2 Öl {#oel}",
        "> Zitat", "```", "\tcode", "[x]: http://y",
        "[Hafen](#hafen)", "<a id='x'></a>", "**Ebbe**", "Titel ..... 3", "\f", "\r", "\u2028",
        "\x85", "\ufeff", ".. note:: x", ".. _z:",
        "`Öl`_", ":ref:`x`", "* * *", "[^1]: Fuß", "<!-- x -->", "<div>", "1.", "-", "o  x", "|",
        "\\", "![", "[" * 40, ">" * 40, "*" * 40,
    ]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(LINES, max_size=30).map("\n".join),
    st.lists(st.one_of(LINES, st.text(max_size=20)), max_size=20).map("\r\n".join),
)


def lost(text, blocks):
    """What belongs to no block; fails where blocks overlap or do not ascend."""
    end, missing = 0, ""
    for block in blocks:
        assert end <= block.span.start < block.span.end <= len(text)
        assert (
            text[block.span.start : block.span.end]
            == text[block.span.start : block.span.end].strip()
        )
        missing += text[end : block.span.start]
        end = block.span.end
    return "".join((missing + text[end:]).split())


def named(name):
    (format,) = (each for each in text_formats() if each.name == name)
    return format


def read(text, name="text"):
    """Kind, level, mark and text of each block."""
    blocks = named(name).blocks(text)
    assert lost(text, blocks) == ""
    return [(b.kind.value, b.level, b.mark, text[b.span.start : b.span.end]) for b in blocks]


def marks(text, name="text"):
    return [(level, mark) for kind, level, mark, _ in read(text, name) if kind == "item"]


@pytest.mark.parametrize("format", text_formats(), ids=lambda each: each.name)
@given(text=TEXTS)
def test_no_text_fails_and_no_character_is_lost(format, text):
    assert lost(text, format.blocks(text)) == ""
    assert 0.0 <= format.score(text) <= 1.0


@pytest.mark.parametrize("format", text_formats(), ids=lambda each: each.name)
@pytest.mark.parametrize(
    "unit",
    [
        "Der Kahn fährt. ",
        "- Öl\n",
        "> ",
        "[",
        "1. a\n\n",
        "*a _b ",
        "| a ",
        "a\n=\n",
        "  " * 30 + "- x\n",
        "`x",
    ],
)
def test_long_texts_take_time_in_proportion(format, unit):
    assert_in_proportion(lambda size: lambda: format.blocks(unit * (size // len(unit))), 64_000)


def test_lines_broken_at_a_width_are_one_paragraph_and_others_are_not():
    wrapped = (
        "The pilot takes two cards from the deck at the beginning of the tide\n"
        "and puts one of them back. Then the water rises by one for every boat\n"
        "that has oil.\n\nEbb\n"
    )
    assert [text for *_, text in read(wrapped + wrapped)][:2] == [
        wrapped[: wrapped.index("\n\n")],
        "Ebb",
    ]
    listed = "Ebb\nFlood\nOil\n"
    assert [text for *_, text in read(listed)] == ["Ebb", "Flood", "Oil"]


def test_every_kind_of_number_and_bullet_marks_an_item():
    text = "• a\n– b\n1. c\n2) d\n(a) e\nIV. f\n§ 3 g\n1.2.3. h\n704.5a I\n- 4.3.5. j\n"
    printed = "•,–,1.,2),(a),IV.,§ 3,1.2.3.,704.5a,4.3.5."
    assert ",".join(mark for _, mark in marks(text)) == printed


def test_what_only_looks_like_a_number_marks_nothing():
    text = "100 Karten liegen aus.\n\n1.5 litres of oil are much.\n\nz. B. der Kahn.\n"
    assert marks(text) == []


def test_items_are_nested_by_how_far_they_are_indented():
    text = "1. a\n   1.1. b\n      1.1.1. c\n         goes on\n   1.2. d\n2. e\n"
    assert marks(text) == [(1, "1."), (2, "1.1."), (3, "1.1.1."), (2, "1.2."), (1, "2.")]


def test_a_number_within_a_wrapped_sentence_begins_no_item():
    line = "The harbour master counts the boats of all players who have at least\n3. Then he"
    assert marks(f"{line}\n\n" * 4) == []


def test_underlined_lines_are_headings_by_their_signs():
    text = "Harbour\n=======\n\nText.\n\nEbb\n---\n\nMore.\n\nOil\n===\n"
    assert [(k, level, t) for k, level, _, t in read(text) if k == "heading"] == [
        ("heading", 1, "Harbour"),
        ("heading", 2, "Ebb"),
        ("heading", 1, "Oil"),
    ]


def test_the_rows_of_a_table_are_blocks():
    text = (
        "+-----+-----+\n| Öl  | 3   |\n+=====+=====+\n| Kahn| 4   |\n|     | 5   |\n"
        "+-----+-----+\n\nEnde\n"
    )
    rows = [b for b in named("text").blocks(text) if b.kind is BlockKind.ROW]
    assert [text[b.span.start : b.span.end] for b in rows] == [
        "| Öl  | 3   |",
        "| Kahn| 4   |\n|     | 5   |",
    ]
    assert len({b.table for b in rows}) == 1
    columns = "Boat      Oil\n-------   ---\nTugboat   3\nFerry     4\n\nText.\n"
    assert [t for k, *_, t in read(columns) if k == "row"] == [
        "Boat      Oil",
        "Tugboat   3",
        "Ferry     4",
    ]


def test_a_table_of_contents_is_told_by_its_pages_or_by_what_follows():
    paged = "Harbour ....... 1\nEbb ........... 2\nOil ........... 4\n\nHarbour\n\nText.\n"
    assert [kind for kind, *_ in read(paged)] == ["contents"] * 3 + ["paragraph"] * 2
    titles = ["Harbour", "Ebb", "Flood", "Oil", "Pilots", "Boats"]
    body = "\n\n".join(f"{title}\n\nText on it.\n\nMore on it.\n\nEven more." for title in titles)
    kinds = [
        (kind, text) for kind, *_, text in read("Contents\n\n" + "\n".join(titles) + "\n\n" + body)
    ]
    assert [text for kind, text in kinds if kind == "contents"] == titles
    assert ("paragraph", "Harbour") in kinds


def test_running_heads_and_page_numbers_are_furniture():
    pages = "\f".join(
        f"Tide Duel\n\nOn page {word} is a rule.\n\nPage {number}\n"
        for number, word in enumerate(["one", "two", "three", "four"], 1)
    )
    assert [text for kind, *_, text in read(pages) if kind != "furniture"] == [
        f"On page {word} is a rule." for word in ["one", "two", "three", "four"]
    ]
    bare = "\n\n".join(
        f"Rule {word}.\n\n{number}" for number, word in enumerate(["a", "b", "c", "d", "e"], 7)
    )
    furniture = [text for kind, *_, text in read(bare) if kind == "furniture"]
    assert furniture == [str(number) for number in range(7, 12)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2028", "\x85"])
def test_lines_end_with_whatever_they_end_with(end):
    assert [text for *_, text in read(end.join(["Ebb", "", "- Oil", "- Boat", ""]))] == [
        "Ebb",
        "- Oil",
        "- Boat",
    ]


def markdown(text):
    blocks = named("markdown").blocks(text)
    assert lost(text, blocks) == ""
    return list(blocks)


def test_headings_of_markdown_have_levels_numbers_and_the_anchors_of_github():
    text = (
        "# Tide Duel\n\nSetext\n------\n\n## 1.2. Öl & Kahn {#oel}\n\nText.\n\n## Ebb\n\n## *Ebb*\n"
    )
    headings = [b for b in markdown(text) if b.kind is BlockKind.HEADING]
    assert [(b.level, b.mark, b.anchors) for b in headings] == [
        (1, "", ("tide-duel",)),
        (2, "", ("setext",)),
        (2, "1.2.", ("oel", "12-öl--kahn")),
        (2, "", ("ebb",)),
        (2, "", ("ebb-1",)),
    ]
    assert text[slice(*headings[1].span)] == "Setext"


def test_every_printed_number_of_an_indented_list_is_an_item_of_its_own():
    text = (
        "1. **Boats**\n\t11. **Tugs**\n\t\t111. A tug has oil.\n\t\t\t\t1111. Not much.\n"
        "\t12. A ferry.\n2. Oil\n\n"
    )
    text += "    2.1. Lamps\n\n        2.1.1. Wicks\n"
    assert marks(text, "markdown") == [
        (1, "1."), (2, "11."), (3, "111."), (4, "1111."), (2, "12."), (1, "2."), (2, "2.1."), (2,
        "2.1.1."),
    ]  # fmt: skip


def test_numbers_that_markdown_does_not_know_mark_items():
    text = (
        "## Oil\n\n**1.2.3.** Lamps.\n\n704.5a If a lamp\n704.5b If no lamp\n\n(a) x\n\n"
        "- 4.3.5. y\n- 1. z\n"
    )
    printed = "1.2.3.,704.5a,704.5b,(a),4.3.5.,1."
    assert ",".join(mark for _, mark in marks(text, "markdown")) == printed


def test_links_of_markdown_lead_to_their_targets():
    text = (
        "# Oil\n\nSee [the *ebb*](#the-ebb), [Flood][f] and [f], <https://a.example>, <a "
        "href='#x'>this</a>, "
        "not `[x](y)` or ![z](z.png).\n\n"
        '<a id="x"></a>\n\n## The Ebb\n\n[f]: other.html#flood "Flood"\n'
    )
    blocks = markdown(text)
    links = [(text[slice(*link.span)], link.target) for block in blocks for link in block.links]
    assert links == [
        ("the *ebb*", "#the-ebb"), ("Flood", "other.html#flood"), ("f", "other.html#flood"),
        ("https://a.example", "https://a.example"), ("this", "#x"),
    ]  # fmt: skip
    (ebb,) = (b for b in blocks if "the-ebb" in b.anchors)
    assert ebb.anchors == ("x", "the-ebb")
    assert [text[slice(*b.span)] for b in blocks if b.kind is BlockKind.FURNITURE] == [
        '<a id="x"></a>',
        text[text.index("[f]: ") :].strip(),
    ]


def test_a_label_in_brackets_before_a_colon_is_no_definition_of_a_link():
    assert [(kind, text) for kind, _, _, text in read("# Cards\n\n[Action]: draw\n", "markdown")][
        1
    ] == ("paragraph", "[Action]: draw")


def test_a_block_in_bold_or_italics_is_said_to_be_so():
    text = (
        "**Ebb**\n\n*The water falls.*\n\n<b>Flood</b>\n\n**Oil** burns.\n\n1. **Lamp**\n\n"
        "***Both***\n"
    )
    assert [(b.bold, b.italic) for b in markdown(text)] == [
        (True, False),
        (False, True),
        (True, False),
        (False, False),
        (True, False),
        (True, True),
    ]


def test_tables_quotations_and_code_of_markdown_are_told_apart():
    text = "| Boat | Oil |\n|------|-----|\n| Tug | 3 |\n\n> Note on\n> oil.\n\n```\nx = 1\n```\n"
    assert [(kind, part) for kind, _, _, part in read(text, "markdown")] == [
        ("row", "| Boat | Oil |"), ("furniture", "|------|-----|"), ("row", "| Tug | 3 |"),
        ("paragraph", "> Note on\n> oil."),
        ("furniture", "```"), ("code", "x = 1"), ("furniture", "```"),
    ]  # fmt: skip


def test_a_list_of_links_to_the_headings_is_a_table_of_contents():
    titles = ["Ebb", "Flood", "Oil", "Boats"]
    text = (
        "# Duel\n\n"
        + "".join(f"- [{t}](#{t.lower()})\n" for t in titles)
        + "\n"
        + "".join(f"## {t}\n\nText.\n\n" for t in titles)
    )
    kinds = [b.kind.value for b in markdown(text)]
    assert kinds[:6] == ["heading", *["contents"] * 4, "heading"]


def test_what_stands_in_front_of_markdown_is_no_heading():
    text = "---\ntitle: Duel\nlang: de\n---\n\n# Duel\n"
    assert [(kind, part) for kind, _, _, part in read(text, "markdown") if kind != "furniture"] == [
        ("heading", "# Duel")
    ]
    assert [
        (b.kind.value, b.level) for b in markdown("\ufeff# Duel\n") if b.kind is BlockKind.HEADING
    ] == [("heading", 1)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Duel\n\n1.1. The pilot draws.\n\n- He pays *oil*.\n\nSee rule 2.\n", "text"),
        ("# Duel\n\n## Ebb\n\n- See [oil](#oil).\n", "markdown"),
    ],
)
def test_a_format_is_recognised_by_its_signs(text, name):
    assert recognise_text(text).name == name


RST = """\
.. _start:

=========
Tide Duel
=========

.. contents:: :depth: 2

.. comment that nobody reads
   and goes on

Harbour
=======

See :ref:`oil <lamp oil>`, `The Ebb`_, `the site <https://a.example>`_ and Flood_. A name_ stays.

1. **Boats**

   a. tugs

.. note::
   Oil burns.

.. _lamp oil:

The Ebb
-------

::

    x = 1

.. _Flood: https://b.example
"""


def test_restructured_text_has_titles_targets_and_references():
    assert recognise_text(RST).name == "restructuredtext"
    blocks = named("restructuredtext").blocks(RST)
    assert lost(RST, blocks) == ""
    headings = [
        (RST[slice(*b.span)], b.level, b.anchors) for b in blocks if b.kind is BlockKind.HEADING
    ]
    assert headings == [
        ("Tide Duel", 1, ("start", "tide-duel")),
        ("Harbour", 2, ("harbour",)),
        ("The Ebb", 3, ("lamp-oil", "the-ebb")),
    ]
    links = [(RST[slice(*link.span)], link.target) for b in blocks for link in b.links]
    assert links == [
        ("oil", "#lamp-oil"), ("The Ebb", "#the-ebb"), ("the site", "https://a.example"),
        ("Flood", "https://b.example"),
    ]  # fmt: skip
    shown = [
        RST[slice(*b.span)] for b in blocks if b.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM)
    ][1:]
    assert shown == ["1. **Boats**", "a. tugs", "Oil burns."]


def test_restructured_text_includes_no_file_and_runs_nothing():
    text = ".. include:: /etc/hostname\n\n.. raw:: html\n   :file: /etc/hostname\n\nOil\n===\n"
    assert [
        (kind, part) for kind, _, _, part in read(text, "restructuredtext") if kind != "furniture"
    ] == [("heading", "Oil")]


@pytest.mark.parametrize("name", ["text", "markdown", "restructuredtext"])
def test_a_byte_order_mark_is_no_part_of_the_title(name):
    assert [
        text for kind, *_, text in read("\ufeffTide Duel\n\nText.\n", name) if kind != "furniture"
    ] == ["Tide Duel", "Text."]


def test_a_text_that_stands_there_twice_is_no_table_of_contents():
    table = (
        "Tug: three oil\nFerry: four oil\nBarge: five oil\nSkiff: one oil\nRaft: no oil\n"
        "Dinghy: two oil\n"
    )
    text = table + "\nEbb. The water falls.\n" * 20 + "\n" + table
    assert "contents" not in {kind for kind, *_ in read(text)}


def test_a_number_that_cannot_come_next_does_not_divide_a_wrapped_rule():
    rules = "".join(
        f"{number}. The harbour master counts all boats and gives each player\n"
        "40. After that the tide turns and the water begins to\nfall again.\n"
        for number in range(1, 9)
    )
    assert [mark for _, mark in marks(rules)] == [f"{number}." for number in range(1, 9)]


@pytest.mark.parametrize("measure", ["225.0g", "2.5kg", "3.5cm"])
def test_a_measure_at_the_start_of_a_line_begins_no_rule(measure):
    first = (
        "A. Das Gewicht eines jeden Boots im Hafen ist mit allen Teilen höchstens 150.0g oder auch"
    )
    second = f"{measure} für Boote mit Ruder, und für alle anderen Boote ist es die Hälfte davon."
    text = f"# Hafen\n\n{first}\n{second}\n"
    (rule,) = book("hafen.md", text).passages
    assert f"auch\n{measure} für" in rule.display or f"auch {measure} für" in rule.display
