from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.model import Role
from index.library.library import Library
from service.answers.sources import (
    MarkerTable,
    marker_table,
)
from service.answers.verify import checked_text, verification_out
from service.answers.verify.text_index import tokens
from service.core.problems import Problem
from service.schemas.fields import LONGEST_TEXT
from tests.service.bodies import json_body
from tests.service.harbour import Harbour
from tests.timing import processor_seconds

ORDER = (
    "Wirken mehrere Fähigkeiten mit gleichem Vorrang zur selben Zeit, bestimmt der Wachhabende die "
    "Reihenfolge."
)
QUAY = "Erreicht der Pegel die Kaikante, ist die Stadt verloren, und alle Spieler verlieren sofort."


@pytest.fixture(scope="session")
def index(sample_library) -> Harbour:
    return Harbour(sample_library, id="sample-verified")


def passage_of(library, entry, ordinal=0):
    return library.passages_of[f"pegelwacht-de-1.1/{entry}"][ordinal]


def report(index, text):
    body: dict[str, Any] = json_body(verification_out(index, text))
    for each in body["quotations"]:
        assert text[slice(*each["span"])] == each["text"]
        for difference in each["differences"]:
            assert text[slice(*difference["span"])].strip() == difference["given"]
    return body


@pytest.mark.parametrize(
    "text",
    [
        f"Im Heft steht: „{ORDER}“",
        f"Im Heft steht: «{ORDER}»",
        f"Im Heft steht: »{ORDER}«",
        f"Im Heft steht: “{ORDER}”",
        f'Im Heft steht: "{ORDER}"',
        f"Im Heft steht: ‚{ORDER}‘",
        f"Im Heft steht:\n\n> {ORDER}\n\nPunkt.",
        f"> „{ORDER}“\n> — Pegelwacht Regelbuch 1.1 (de), Z. 315",
        "> **Wirken mehrere** Fähigkeiten mit gleichem\n> Vorrang zur selben Zeit, bestimmt der "
        "Wachhabende die Reihenfolge\\.",
        "„Wirken mehrere Fähigkeiten […] bestimmt der Wachhabende die Reihenfolge.“",
        "„… bestimmt der Wachhabende die Reihenfolge“, so das Heft.",
        "„bestimmt der Wachhabende [...]“",
        "„Wirken mehrere Fa\u0308hig\u00adkeiten mit gleichem Vorrang“",
        "„Das Wort ‚niemals‘ auf einer Karte schlägt jede Erlaubnis.“",
    ],
)
def test_what_is_printed_is_exact_however_it_is_set(index, text):
    body = report(index, text)
    assert body["verdict"] == "exact"
    assert len(body["quotations"]) == 1
    assert body["quotations"][0]["differences"] == []


@pytest.mark.parametrize(
    ("quoted", "differences"),
    [
        (ORDER.replace("bestimmt der", "bestimmt nicht der"), [("inserted", "nicht", "")]),
        (ORDER.replace("mehrere", "drei"), [("replaced", "drei", "mehrere")]),
        (
            ORDER.replace("Wachhabende", "jüngste Spieler"),
            [("replaced", "jüngste Spieler", "Wachhabende")],
        ),
        (ORDER.replace("gleichem ", ""), [("left-out", "", "gleichem")]),
        (ORDER.replace("Wirken", "wirken"), [("replaced", "wirken", "Wirken")]),
        (
            "Wirken drei Fähigkeiten […] bestimmt der Wachhabende die Reihenfolge.",
            [("replaced", "drei", "mehrere")],
        ),
        (f"{ORDER} […] {QUAY}", [("joined", "[…]", "")]),
        (
            "bestimmt der Wachhabende die Reihenfolge […] Wirken mehrere Fähigkeiten",
            [("joined", "[…]", "")],
        ),
        ("Das Handlimit steht oben links auf dem Lotsen", [("replaced", "oben", "unten")]),
        ("dein Lotse nimmt 2 Schaden", [("replaced", "2", "1")]),
        ("verlieren niemals sofort", [("inserted", "niemals", "")]),
    ],
)
def test_what_was_changed_is_named(index, quoted, differences):
    body = report(index, f"Das Heft sagt „{quoted}“")
    assert body["verdict"] == body["quotations"][0]["status"] == "altered"
    assert [
        (d["change"], d["given"], d["printed"]) for d in body["quotations"][0]["differences"]
    ] == differences
    assert body["quotations"][0]["citation"]["edition"].startswith("pegelwacht-de")


@pytest.mark.parametrize(
    "quoted",
    [
        "Alle Schiffe sind grün und singen laut.",
        f"{ORDER} {QUAY}",
        "Wracks kosten im Sommer nur die Hälfte [r:x]",
    ],
)
def test_what_is_not_printed_is_unsupported_or_altered(index, quoted):
    assert report(index, f"„{quoted}“")["verdict"] in ("unsupported", "altered")
    assert (
        report(index, f"„{ORDER}“ und „Alle Schiffe sind grün und singen laut.“")["verdict"]
        == "unsupported"
    )


def test_passages_that_follow_each_other_may_be_quoted_line_by_line_and_no_others(index):
    passages = index.library.passages_of["pegelwacht-de-1.1/anhang"][:3]
    lines = [p.display for p in passages]
    assert report(index, "> " + "\n> ".join(lines))["verdict"] == "exact"
    assert report(index, "> " + "\n> ".join(lines[::2]))["verdict"] != "exact"
    assert report(index, "> " + " ".join(lines))["verdict"] != "exact"


def test_an_exact_quotation_is_found_in_the_document_to_the_character(index, sample):
    for text in (
        ORDER,
        'F\\u00e4higkeiten mit "**Beim Auftauchen**" wirken',
        'Fähigkeiten mit "Beim Auftauchen" wirken',
        QUAY[12:40],
    ):
        quotation = report(index, f"«{text}»")["quotations"][0]
        assert quotation["status"] == "exact"
        document = next(
            r.document.text
            for r in sample.rulebooks
            if r.edition.id == quotation["citation"]["edition"]
        )
        for run in quotation["printed"]:
            there = "\n".join(document[a:b] for a, b in run["spans"])
            assert [t.text for t in tokens(there)] == [t.text for t in tokens(text)] or run[
                "form"
            ] == "display"
            assert there.split()[-1] in run["text"] or run["form"] == "display"
            assert run["entry"] == quotation["citation"]["entry"]


def test_markers_are_held_to_what_they_name(index):
    known = marker_table(index)
    right = known.marker_of(passage_of(index.library, "gleichzeitige-effekte"))
    wrong = known.marker_of(passage_of(index.library, "kaikante"))
    old = known.marker_of(index.library.passages_of["pegelwacht-de-1.0/gleichzeitige-effekte"][0])
    for text, verdict in [
        (f"„{ORDER}“ [{right}]", "exact"),
        (f"„{ORDER}“ [{old}]", "exact"),
        (f"> {ORDER} [{right}]", "exact"),
        (f"> {ORDER}\n\n[{right}]", "exact"),
        (f"[{right}] Pegelwacht Regelbuch\n> {ORDER}", "exact"),
        (f"Nach [{right}]: „{ORDER}“", "exact"),
        (f"„{ORDER}“ [{wrong}]", "misattributed"),
        (f"„{ORDER}“ [r:00000000]", "misattributed"),
        (f"„{ORDER}“ [{right}] [{wrong}]", "misattributed"),
        (f"[{wrong}]: „{ORDER}“", "misattributed"),
        (f"„{ORDER} [{wrong}]“", "misattributed"),
        (f"> {ORDER}\n\n[{wrong}]", "misattributed"),
        (f"*{ORDER}* [{wrong}]", "misattributed"),
        (f"„{ORDER.replace('mehrere', f'drei [{right}]')}“", "altered"),
        (f"„{ORDER.replace('mehrere', 'drei')}“ [{wrong}]", "altered"),
        (f"„{ORDER}“ [{right}] und „{QUAY}“ [{wrong}]", "exact"),
        (f"„{ORDER}“ [{wrong}] und „{QUAY}“ [{right}]", "misattributed"),
    ]:
        assert report(index, text)["verdict"] == verdict, text
    body = report(index, f"„{ORDER}“ [{old}]")
    assert body["quotations"][0]["citation"]["edition"] == "pegelwacht-de-1.0"
    assert body["markers"] == [
        {
            "marker": old,
            "span": [109, 121],
            "known": True,
            "citation": body["quotations"][0]["citation"],
        }
    ]


def test_a_sentence_with_a_marker_and_no_quotation_is_listed_and_not_judged(index):
    marker = marker_table(index).marker_of(passage_of(index.library, "gleichzeitige-effekte"))
    body = report(index, f"Das „Wrack“ zuerst. Der Wachhabende entscheidet. [{marker}] Fertig.")
    assert body["verdict"] == "nothing-quoted"
    assert [(q["short"], q["status"], q["marker"]) for q in body["quotations"]] == [
        (True, "exact", None)
    ]
    assert [(c["text"], c["markers"], c["quoted"]) for c in body["claims"]] == [
        ("Der Wachhabende entscheidet.", [marker], False)
    ]


def test_wording_that_was_replaced_is_told_apart(harbour_library):
    harbour = Harbour(harbour_library, id="harbour-verified")
    assert (
        report(harbour, '«Der alte Text "Erhalte drei Münzen" gilt nicht.»')["quotations"][0][
            "role"
        ]
        == Role.VOID
    )
    assert (
        report(harbour, '«Die Karte lautet "Erhalte zwei Münzen".»')["quotations"][0]["role"]
        == Role.TEXT
    )


@pytest.mark.parametrize(
    "text",
    ["Nur so dahingesagt.", "„offen bleibt\n\nbar“", "l'attacco dell'altro", '5" und 6" lang'],
)
def test_text_without_quotations_quotes_nothing(index, text):
    assert report(index, text)["verdict"] == "nothing-quoted"


@given(data=st.data())
def test_any_run_of_a_passage_is_exact_and_with_a_word_changed_never(index, data):
    passage = data.draw(
        st.sampled_from(index.library.searchable).filter(lambda p: len(p.display.split()) > 6)
    )
    words = [t for t in tokens(passage.display) if t.is_word]
    first = data.draw(st.integers(0, len(words) - 4))
    last = data.draw(st.integers(first + 3, len(words) - 1))
    run = passage.display[words[first].start : words[last].end]
    quoted = "\n".join(f"> {line}" for line in run.split("\n"))
    (quotation,) = report(index, quoted)["quotations"]
    # Of a sentence that ends in "not", all the rest is the contrary.
    assert quotation["status"] == "exact" or quotation["misleading"]
    changed = words[data.draw(st.integers(first, last))]
    other = data.draw(
        st.sampled_from(["niemals", "Zebra", "17", "blau"]).filter(
            lambda word: word != changed.text
        )
    )
    altered = (
        passage.display[words[first].start : changed.start]
        + other
        + passage.display[changed.end : words[last].end]
    )
    assert (
        report(index, "\n".join(f"> {line}" for line in altered.split("\n")))["verdict"] != "exact"
    )


def test_too_many_quotations_or_cuts_are_refused(index):
    for text in (
        "„a b c“ " * 201,
        "„" + "der … " * 501 + "der“",
        "„der … die“ " * 100 + "\n\n> " + "der … " * 402,
    ):
        with pytest.raises(Problem) as refused:
            verification_out(index, text)
        assert (refused.value.status, refused.value.field) == (422, "text")


def test_a_quotation_with_many_cuts_takes_no_long_time(index):
    verification_out(index, "warm")
    assert (
        processor_seconds(lambda: verification_out(index, "„" + "der … " * 500 + "der“")) < 3
    )  # a tenth of it where nothing else runs


@given(text=st.text("„“”«»\"‚‘>[]r:…. \nabÄ-*_\\'0\u0308\u200b", min_size=1, max_size=300))
def test_no_text_is_too_strange(index, text):
    report(index, text)


@pytest.mark.parametrize("text", ["", "  ", "x" * (LONGEST_TEXT + 1), "a\0b", "a\ud800b", 7, None])
def test_what_is_no_text_is_refused(text):
    with pytest.raises(Problem) as refused:
        checked_text(text)
    assert (refused.value.status, refused.value.field) == (422, "text")


@pytest.mark.parametrize(
    "hostile",
    [
        "„" * LONGEST_TEXT,
        "„a“" * 6000,
        "[r:00000000]" * 1600,
        "> a\n" * 5000,
        '"«' * 10_000,
        "(…" * 10_000,
        "*" * LONGEST_TEXT,
        "4.4.4 " * 3300,
        "(4.4.4, " * 2400,
        "siehe Abcdef. " * 1400,
        "Regel 99.9.9. " * 1400,
        "Siehe auch: " + "Abcdef, Kaikante, " * 1000,
    ],
)
def test_hostile_texts_take_no_long_time(index, hostile):
    verification_out(index, "warm, siehe Kaikannte und Regel 99.9")

    def verify():
        with suppress(Problem):  # too many quotations or markers
            verification_out(index, hostile[:LONGEST_TEXT])

    assert processor_seconds(verify) < 10  # half a second, with room for a busy machine


def test_markers_stay_the_same_and_name_one_passage(sample_library, harbour_library):
    known = MarkerTable(sample_library)
    names = [known.marker_of(passage) for passage in sample_library.passages]
    assert len(set(names)) == len(names)
    assert all(
        known.passage_of(name) is passage
        for name, passage in zip(names, sample_library.passages, strict=True)
    )
    assert known.passage_of("r:") is None
    alone = Library(
        **{
            **{f: getattr(sample_library, f) for f in sample_library.__dataclass_fields__},
            "passages": sample_library.passages[::-2],
        }
    )
    fewer = MarkerTable(alone)
    assert all(fewer.marker_of(passage) == known.marker_of(passage) for passage in alone.passages)
