from dataclasses import replace

import pytest

from corpus.model import Kind
from index.model import Query
from service.answers.answer import answer_out, as_text, see_also
from service.answers.citations import citation_label, cite, entry_name, line_range
from service.browse.entries import edition_out, entry_out, whole_entry_out
from tests.service import harbour
from tests.service.bodies import json_body

ANSWER = {
    "question",
    "language",
    "answered",
    "settled",
    "confidence",
    "index",
    "passages",
    "fallback",
    "reading",
    "notes",
}
PASSAGE = {"rank", "score", "text", "display", "highlights", "citation", "see_also"}
CITATION = {
    "label",
    "edition",
    "game",
    "language",
    "version",
    "effective",
    "entry",
    "heading",
    "kind",
    "number",
    "page",
    "printed",
    "url",
    "source",
}
ENTRY = {
    "id",
    "edition",
    "kind",
    "heading",
    "title",
    "number",
    "product",
    "parent",
    "source",
    "references",
    "concept",
}


def passage_of(library, entry, ordinal=0):
    return library.passages_of[entry][ordinal]


def test_an_answer_has_what_the_contract_names(harbour_library):
    index = harbour.Harbour(harbour_library)
    body = json_body(answer_out(index, index.search(Query("betäubtes Schiff"))))
    assert set(body) == ANSWER
    assert body["index"] == "index-1"
    assert body["answered"] is True
    assert [p["rank"] for p in body["passages"]] == list(range(1, len(body["passages"]) + 1))
    for passage in body["passages"]:
        assert set(passage) >= PASSAGE
        assert set(passage["citation"]) == CITATION
        assert set(passage["citation"]["source"]) == {
            "file",
            "sha256",
            "spans",
            "lines",
            "text_sha256",
            "pages",
        }


def test_every_citation_is_found_in_the_document_it_names(harbour_library):
    documents = {b.document.file: b.document for b in (harbour.german(), harbour.italian())}
    for entry in harbour_library.entries:
        for passage in json_body(whole_entry_out(harbour_library, entry))["passages"]:
            source = passage["citation"]["source"]
            document = documents[source["file"]]
            assert source["sha256"] == document.sha256
            assert passage["text"] == "\n".join(document.text[a:b] for a, b in source["spans"])
            first = document.text.count("\n", 0, source["spans"][0][0]) + 1
            last = document.text.count("\n", 0, source["spans"][-1][1] - 1) + 1
            assert source["lines"] == [first, last]


@pytest.mark.parametrize(
    ("entry", "ordinal", "expected"),
    [
        ("sternenhafen-de-1.0/ankern", 0, "Sternenhafen Regelbuch 1.0 (de), Ankern, Z. 10–11"),
        (
            "sternenhafen-de-1.0/die-hafenregel",
            0,
            "Sternenhafen Regelbuch 1.0 (de), Die Hafenregel, Z. 21",
        ),
        (
            "sternenhafen-de-1.0/sturm.ausnahme",
            0,
            "Sternenhafen Regelbuch 1.0 (de), Sturm (Wetter), Ausnahme, Z. 35",
        ),
        (
            "sternenhafen-it-1.1/ancorare",
            0,
            "Porto Stellare Regolamento 1.1 (it), Ancorare, r. 6–7",
        ),
    ],
)
def test_a_citation_reads_as_one_would_write_it(harbour_library, entry, ordinal, expected):
    assert citation_label(harbour_library, passage_of(harbour_library, entry, ordinal)) == expected


def test_a_citation_names_the_number_that_is_printed_above_a_title(harbour_library):
    entry = harbour_library.entry["sternenhafen-de-1.0/ankern"]
    above = replace(entry, kind=Kind.SECTION, number="§ 3", heading="§ 3 Ankern", title="Ankern")
    assert entry_name(harbour_library, above) == "§ 3 Ankern"
    assert entry_name(harbour_library, replace(above, title="§ 3 Ankern")) == "§ 3 Ankern"


def test_pages_are_named_as_the_language_names_them(harbour_library):
    german, italian = (
        cite(harbour_library, harbour_library.entry[f"sternenhafen-{id}"])
        for id in ("de-1.0/ankern", "it-1.1/ancorare")
    )
    assert german.page_reference == "S. 3"
    assert italian.page_reference is None
    assert replace(italian, page=3).page_reference == "p. 3"


def test_lines_are_named_as_the_language_names_them():
    assert [line_range(language, 7, 7) for language in ("de", "it", "en")] == [
        "Z. 7",
        "r. 7",
        "l. 7",
    ]
    assert line_range("de", 7, 9) == "Z. 7–9"


def test_see_also_lists_each_target_once_and_stays_in_the_edition(harbour_library):
    ankern = harbour_library.entry["sternenhafen-de-1.0/ankern"]
    assert [e.title for e in see_also(harbour_library, ankern)] == ["Flaute", "Sturm (Wetter)"]
    assert see_also(harbour_library, harbour_library.entry["sternenhafen-it-1.1/ancorare"]) == []


def test_an_entry_on_the_printed_page_of_its_section(harbour_library):
    body = json_body(
        whole_entry_out(
            harbour_library, harbour_library.entry["sternenhafen-de-1.0/sturm.ausnahme"]
        )
    )
    assert body["passages"][0]["citation"]["page"] == body["page"] == 3
    assert (
        json_body(
            whole_entry_out(harbour_library, harbour_library.entry["sternenhafen-it-1.1/ancorare"])
        )["page"]
        is None
    )


def test_an_entry_is_exactly_what_the_contract_names(harbour_library):
    assert {e.kind for e in harbour_library.entries} == set(Kind)
    for entry in harbour_library.entries:
        assert set(json_body(entry_out(harbour_library, entry))) == ENTRY
    body = json_body(
        entry_out(harbour_library, harbour_library.entry["sternenhafen-de-1.0/ankern"])
    )
    assert (body["kind"], body["parent"], body["source"]["lines"]) == (
        "term",
        "sternenhafen-de-1.0/glossar",
        [8, 17],
    )
    assert body["references"][-1] == {
        "line": 17,
        "raw": "Leuchtfeuer",
        "target": None,
        "kind": "see-also",
        "problem": "missing",
        "meant": None,
    }


def test_an_edition_says_how_much_is_in_it(harbour_library):
    body = json_body(edition_out(harbour_library, harbour_library.edition["sternenhafen-it-1.1"]))
    assert set(body) == {
        "id",
        "game",
        "language",
        "version",
        "title",
        "effective",
        "kind",
        "source",
        "entries",
        "passages",
    }
    assert (body["entries"], body["passages"], body["source"]["file"]) == (1, 2, "porto.txt")
    counted = [json_body(edition_out(harbour_library, e)) for e in harbour_library.editions]
    assert sum(e["entries"] for e in counted) == len(harbour_library.entries)
    assert sum(e["passages"] for e in counted) == len(harbour_library.passages)


def test_the_fallback_stands_in_only_where_nothing_settles_the_question(harbour_library):
    index = harbour.Harbour(harbour_library, settles=False)
    body = json_body(answer_out(index, index.search(Query("betäubtes Schiff"))))
    assert body["answered"] is False
    assert body["passages"]
    assert body["fallback"]["citation"]["entry"] == "sternenhafen-de-1.0/die-hafenregel"
    assert set(body["fallback"]) == set(body["passages"][0])
    settled = harbour.Harbour(harbour_library)
    found = settled.search(Query("betäubtes Schiff"))
    assert json_body(answer_out(settled, found))["fallback"] is None


def test_the_terminal_shows_wording_under_its_citation(harbour_library):
    index = harbour.Harbour(harbour_library)
    text = as_text(index, index.search(Query("betäubtes")))
    assert (
        "1. Sternenhafen Regelbuch 1.0 (de), Ankern, Z. 10–11 (S. 3)\n   Ein Schiff kann nur im "
        "eigenen Hafen ankern." in text
    )
    index.settles = False
    text = as_text(index, index.search(Query("betäubtes")))
    assert text.startswith("Das Regelwerk klärt das vielleicht nicht.")
    assert (
        text.index("Nächstliegende Stellen:")
        < text.index("betäubtes")
        < text.index("Was dann gilt:")
        < text.index("Hafenmeister")
    )
