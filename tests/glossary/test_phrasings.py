"""Phrasings stay with their passage as long as its words do, and are reported when they lose it."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.data_files import DataFileError
from corpus.model import Lines, Passage, Role, Span
from glossary.query_variants import attach_query_variants, fingerprint, load_query_variants


def passage(id: str, text: str, role: Role = Role.TEXT) -> Passage:
    return Passage(id, id.split("#")[0], 0, role, 0, (Span(0, len(text)),), Lines(1, 1), text, text)


def test_a_passage_keeps_its_phrasings_when_only_its_line_breaks_change() -> None:
    assert fingerprint("Ein Kahn sinkt,\nwenn er leckt.") == fingerprint(
        "Ein  Kahn sinkt, wenn er leckt."
    )
    assert fingerprint("Ein Kahn sinkt.") != fingerprint("Kein Kahn sinkt.")


def test_phrasings_are_tied_missing_or_orphaned(tmp_path: Path) -> None:
    kept, gone = fingerprint("Ein Kahn sinkt."), fingerprint("Der Hafen ist zu.")
    (tmp_path / "x.yaml").write_text(
        f"{kept}: {{at: kahn, players: [Wann geht mein Boot unter?], gist: A leaking barge sinks.}}\n{gone}: {{at: hafen}}\n"
    )
    attached = attach_query_variants(
        load_query_variants("x", tmp_path),
        [
            passage("kahn#0", "Ein Kahn sinkt."),
            passage("neu#0", "Neu."),
            passage("s#0", "Siehe", Role.SEE),
        ],
    )
    assert [p.text for p in attached.by_passage["kahn#0"].all("de")] == [
        "Wann geht mein Boot unter?",
        "A leaking barge sinks.",
    ]
    assert [p.language for p in attached.by_passage["kahn#0"].all("de")] == ["de", "en"]
    assert [p.id for p in attached.missing] == ["neu#0"]
    assert [p.at for p in attached.orphaned] == ["hafen"]


def test_a_faulty_file_is_named_with_line_and_field(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("abc:\n  at: kahn\n  players: nur einer\n")
    with pytest.raises(DataFileError, match=r"x\.yaml:3: abc\.players"):
        load_query_variants("x", tmp_path)


def test_an_edition_without_phrasings_has_none(tmp_path: Path) -> None:
    assert load_query_variants("unknown-de-1", tmp_path) == ()
