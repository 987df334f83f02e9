from collections.abc import Callable
from dataclasses import replace

from corpus.model import IndexItem, Rulebook
from glossary.references.printed_index import resolve_printed_index
from tests.conftest import rulebook_of

Make = Callable[..., Rulebook]


def indexed(rulebook, *items):
    return replace(
        rulebook,
        index_items=tuple(
            IndexItem(100 + n, name, numbers) for n, (name, numbers) in enumerate(items)
        ),
    )


def test_each_page_goes_to_the_entry_that_is_printed_there(book):
    rulebook = book(
        ("term", "ADLER", "Text."), ("term", "BANN, "
                                             "ZAUBER", "Text."), ("term", "KRÄHE", "Text."), ("term", "WÜRFEL", "Text."),
        ("redirect", "ZAUBER", "Siehe: Bann"), ("term", "ZONE", "Text."),
    )  # fmt: skip
    found = resolve_printed_index(
        indexed(
            rulebook,
            ("Adler", (2,)),
            ("Zauber", (3, 9)),
            ("Krähe", (4,)),
            ("Würfel", (7, 8)),
            ("Zonen", (9,)),
        )
    )
    assert found.pages == {
        "spiel-1/0": (2,),
        "spiel-1/1": (3,),
        "spiel-1/2": (4,),
        "spiel-1/3": (7, 8),
        "spiel-1/4": (9,),
        "spiel-1/5": (9,),
    }
    assert found.unmatched_items == found.unlisted_entries == ()


def test_what_does_not_fit_is_named(book):
    rulebook = book(
        ("section", "ÜBERBLICK", "Text."),
        ("term", "ADLER", "Text."),
        ("term", "FALKE", "Text."),
        ("redirect", "GEIER", "x"),
    )
    found = resolve_printed_index(indexed(rulebook, ("Adler", (2,)), ("Nashorn", (3,))))
    assert [item.name for item in found.unmatched_items] == ["Nashorn"]
    assert found.unlisted_entries == ("spiel-1/2", "spiel-1/3")


def test_a_redirect_whose_name_is_indexed_is_not_missing(book):
    rulebook = book(
        ("term", "BANN, ZAUBER", "Text."),
        ("term", "KRÄHE", "Text."),
        ("redirect", "ZAUBER", "Siehe: Bann"),
    )
    found = resolve_printed_index(
        indexed(rulebook, ("Bann", (2,)), ("Krähe", (9,)), ("Zauber", (2,)))
    )
    assert found.unlisted_entries == ()
    assert found.pages["spiel-1/0"] == (2,)


def test_a_rulebook_without_an_index_misses_nothing(book):
    found = resolve_printed_index(book(("term", "ADLER", "Text.")))
    assert (found.pages, found.unmatched_items, found.unlisted_entries) == ({}, (), ())


def test_every_item_of_the_real_index_leads_to_an_entry(real):
    rulebook = rulebook_of(real, "marvel-champions-de-1.5")
    found = resolve_printed_index(rulebook)
    assert len(rulebook.index_items) == 259
    assert found.unmatched_items == ()
    headings = {e.id: e.heading for e in rulebook.entries}
    assert [headings[e] for e in found.unlisted_entries] == [
        "UNENDLICHE LEBENSPUNKTE",
        "VERÄNDERUNGSEFFEKTE",
        '"ZUSÄTZLICH"',
    ]
    by_line = {e.lines.first: found.pages.get(e.id) for e in rulebook.entries}
    golden = {
        22: (2,), 142: (3,), 173: (4,), 830: (14,), 1186: (19,), 1197: (19,), 872: (15,), 1182: (19,), 1130: (18,), 1211: (19,),
        1236: (20,), 1245: (20,), 1300: (21,), 1753: (27,), 2125: (32, 33), 2385: None,
    }  # fmt: skip
    assert {line: by_line[line] for line in golden} == golden


def test_pages_follow_the_order_of_the_entries(any_rulebooks):
    indexed_rulebooks = [rulebook for rulebook in any_rulebooks.rulebooks if rulebook.index_items]
    assert indexed_rulebooks
    for rulebook in indexed_rulebooks:
        found = resolve_printed_index(rulebook).pages
        printed = [found[e.id][0] for e in rulebook.entries if e.id in found]
        assert printed == sorted(printed)
