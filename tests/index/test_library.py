import random
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import cycle, pairwise
from pathlib import Path

import pytest

import index.files.records
from corpus.model import Edition, Entry, Kind, Lines, Passage, Role, Span
from glossary.model import Reference, ReferenceKind, ReferenceProblem
from glossary.references.cited_rules import cited_rules
from index.library.library import Library, SourceDocument, load_library, save_library
from index.library.passage_lookup import PassageLookup, forms

HALF = "\ud800"  # half a character, as an escape in a document can leave it


def made(seed=1, size=60):
    """Three editions with every kind of thing in every form, their entries inside one another and
    by turns with a card.
    """
    chance = random.Random(seed)
    editions = (
        Edition("pegel-de-1.0", "pegel", "de", "1.0", "Pegel", "capitals", fallback="ZULETZT"),
        Edition(
            "pegel-it-1.0",
            "pegel",
            "it",
            "1.0",
            "Pegel",
            "markdown",
            names={"Marea": "MAREA"},
            known=False,
        ),
        Edition("leer-de-1.0", "leer", "de", "1.0", "Leer", "single", succeeds="leer-de-0.9"),
    )
    kinds, roles, pointing, problems = (
        cycle(Kind),
        cycle(Role),
        cycle(ReferenceKind),
        cycle([None, *ReferenceProblem]),
    )
    entries: list[Entry] = []
    passages: list[Passage] = []
    references: list[Reference] = []
    for edition in editions[:2]:
        own: list[str] = []
        for number in range(size):
            id, heading = (
                f"{edition.id}/e{number}",
                "ZULETZT" if number == 7 else f"ÜBER {number}{HALF if number == 3 else ''}",
            )
            entries.append(
                Entry(
                    id,
                    edition.id,
                    next(kinds),
                    heading,
                    heading if number % 2 else heading.title(),
                    chance.choice([None, "4.2.1", "12", "1B-3B"]),
                    "Leuchtturm" if number % 3 == 0 else None,
                    "Grundspiel" if number % 6 == 0 else None,
                    chance.choice([None, *own]),
                    tuple(Span(n, n + 4) for n in range(number % 3)),
                    (Span(number, number + 9),),
                    Lines(number, number + 2),
                )
            )
            own.append(id)
            for ordinal in range(number % 4):
                text = (
                    f'Der Pegel "{number}"\nsteigt\tum {ordinal}. '
                    f"{HALF if number == 3 else ''}\u2028"
                )
                display = text if number % 2 else text.replace("\n", " ")
                context = Span(1, 5) if ordinal == 2 else None
                spans = tuple(Span(n * 50, n * 50 + 9) for n in range(1 + ordinal))
                passages.append(
                    Passage(
                        f"{id}#{ordinal}",
                        id,
                        ordinal,
                        next(roles),
                        ordinal,
                        spans,
                        Lines(1, 2),
                        text,
                        display,
                        context,
                    )
                )
            for _ in range(number % 3):
                target, problem = chance.choice([None, f"{edition.id}/e99", *own]), next(problems)
                references.append(
                    Reference(
                        id,
                        number,
                        f"Flut {HALF}",
                        Span(3, 9),
                        next(pointing),
                        target,
                        problem,
                        target if problem else None,
                    )
                )
    pages = {entries[5].id: (3,), entries[70].id: (4, 12)}
    concepts = {e.id: f"pegel/{n % 5}" for n, e in enumerate(entries) if n % 7 == 0}
    return Library(
        editions,
        {e.id: SourceDocument(f"{e.id}.txt", "0" * 64) for e in editions},
        entries,
        passages,
        references,
        pages,
        concepts,
    )


@pytest.fixture(scope="module")
def plain() -> Library:
    return made()


@pytest.fixture(scope="module")
def folder(plain, tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("library") / "kept"
    save_library(plain, place, ())
    return place


@pytest.fixture(params=["as it is built", "as it is kept"])
def library(request, plain, folder) -> Library:
    return plain if request.param == "as it is built" else load_library(folder)


def test_everything_comes_back_as_it_was(plain, folder):
    kept = load_library(folder)
    assert {e.kind for e in plain.entries} == set(Kind)
    assert {p.role for p in plain.passages} == set(Role)
    assert {r.kind for r in plain.references} == set(ReferenceKind)
    assert {r.problem for r in plain.references} == {None, *ReferenceProblem}
    assert list(kept.entries) == plain.entries
    assert list(kept.passages) == plain.passages
    assert list(kept.references) == plain.references
    assert kept.editions == plain.editions
    assert kept.sources == plain.sources
    assert dict(kept.pages) == plain.pages
    assert dict(kept.concepts) == plain.concepts
    assert all(
        type(e.kind) is Kind and type(e.lines) is Lines and type(e.spans[0]) is Span
        for e in kept.entries
    )
    assert [kept.entries[n] for n in (0, -1)] == [plain.entries[n] for n in (0, -1)]
    assert list(kept.passages[-3::-2]) == plain.passages[-3::-2]
    assert list(kept.searchable[4:9]) == [p for p in plain.passages if p.role is Role.TEXT][4:9]


def test_what_is_kept_again_is_the_same_to_the_byte(folder, tmp_path):
    save_library(load_library(folder), tmp_path / "again", ())
    files = [p.relative_to(folder) for p in folder.rglob("*") if p.is_file()]
    assert len(files) > 20
    assert [
        f for f in files if (tmp_path / "again" / f).read_bytes() != (folder / f).read_bytes()
    ] == []


def test_look_ups_find_what_looking_through_everything_finds(library, plain):
    everything = {e.id: e for e in plain.entries}
    assert dict(library.entry) == everything
    assert list(library.entry) == list(everything)
    for id in everything:
        assert list(library.passages_of.get(id, ())) == [p for p in plain.passages if p.entry == id]
        assert list(library.children_of.get(id, ())) == [e for e in plain.entries if e.parent == id]
        assert list(library.references_of.get(id, ())) == [
            r for r in plain.references if r.entry == id
        ]
        referring = dict.fromkeys(r.entry for r in plain.references if r.target == id != r.entry)
        assert [e.id for e in library.referring_to.get(id, ())] == list(referring)
    for found in (
        library.passages_of,
        library.children_of,
        library.references_of,
        library.referring_to,
    ):
        assert all(len(things) > 0 for things in found.values())
        assert len(found) == len(list(found)) < len(everything)
        assert dict(found.items()).keys() == set(found)
    text = [p for p in plain.passages if p.role is Role.TEXT]
    assert list(library.searchable) == text
    assert [b - a for a, b in zip(library.bounds, library.bounds[1:], strict=False)] == [
        sum(p.entry.startswith(f"{e.id}/") for p in text) for e in plain.editions
    ]
    for book in library.rulebooks:
        here = book.edition.id
        assert (
            list(book.entries)
            == list(library.entries_of(here))
            == [e for e in plain.entries if e.edition == here]
        )
        assert (
            list(book.passages)
            == list(library.passages_in(here))
            == [p for p in plain.passages if p.entry.startswith(f"{here}/")]
        )
        assert list(library.card_entries(here)) == [
            e for e in plain.entries if e.edition == here and e.card
        ]
        assert list(library.references_in(here)) == [
            r for e in book.entries for r in plain.references if r.entry == e.id
        ]
    deep = max(plain.entries, key=lambda e: len(library.path(e)))
    assert len(library.path(deep)) > 3
    assert all(
        inner.parent == outer.id
        for outer, inner in zip(library.path(deep), library.path(deep)[1:], strict=False)
    )
    assert library.page(plain.entries[70]) == 4


def test_what_is_not_there_is_not_found(library):
    empty = library.entries[0].id  # an entry without a passage
    for id in ("", "pegel-de-1.0/e", "pegel-de-1.0/e9999", f"pegel-de-1.0/{HALF}", empty):
        assert id not in library.passages_of
        assert library.passages_of.get(id, ()) == ()
        with pytest.raises(KeyError):
            library.passages_of[id]
        if id != empty:
            assert id not in library.entry
            assert library.entry.get(id) is None
            with pytest.raises(KeyError):
                library.entry[id]
    assert None not in library.entry
    assert list(library.entries_of("nirgends-de-1.0")) == []
    with pytest.raises(IndexError):
        library.entries[len(library.entries)]


@pytest.mark.parametrize(
    "title", ["Sturmprobe X+", "Sturmprobe X", "Sturmprobe +X", "Sturmprobe [X]"]
)
def test_an_entry_is_called_what_its_heading_says_without_the_parameter(library, title):
    entry = replace(next(iter(library.entries)), title=title, heading=title)
    assert "Sturmprobe" in forms(entry)


def test_the_fallback_of_an_edition_is_its_own_or_that_of_a_sister(library, plain):
    own = next(p for p in plain.passages if p.entry == "pegel-de-1.0/e7")
    assert library.fallback("pegel-de-1.0") == own
    assert library.fallback("pegel-it-1.0") == own
    assert library.fallback("leer-de-1.0") is None


def test_a_library_of_nothing_can_be_kept(tmp_path):
    save_library(Library((), {}, (), (), (), {}), tmp_path / "kept", ())
    kept = load_library(tmp_path / "kept")
    assert [
        len(things)
        for things in (
            kept.entries,
            kept.passages,
            kept.references,
            kept.searchable,
            kept.entry,
            kept.concepts,
        )
    ] == [0] * 6
    assert (kept.rulebooks, kept.bounds, kept.games) == ((), (0,), ())
    assert list(kept.entries) == list(kept.passages_of) == []
    PassageLookup.build(kept).save(tmp_path / "lookup")
    assert len(PassageLookup.load(tmp_path / "lookup", ())) == 0


def test_threads_read_the_same_while_what_was_read_lately_is_forgotten(folder, plain, monkeypatch):
    monkeypatch.setattr(index.files.records, "CACHED", 5)
    kept = load_library(folder)

    def wrong(seed):
        chance = random.Random(seed)
        numbers = chance.choices(range(len(plain.passages)), k=400)
        return sum(
            kept.passages[n] != plain.passages[n]
            or kept.entry[plain.passages[n].entry].id != plain.passages[n].entry
            for n in numbers
        )

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(wrong, range(16))) == 0
    assert list(kept.passages) == plain.passages


def test_damage_is_told(folder, tmp_path):
    damages = (OSError, ValueError, KeyError, RuntimeError)
    for path in sorted((folder / "library").iterdir()):
        shutil.copytree(folder, tmp_path / "gone")
        (tmp_path / "gone" / "library" / path.name).unlink()
        with pytest.raises(damages):
            load_library(tmp_path / "gone")
        shutil.rmtree(tmp_path / "gone")
        if (
            path.suffix != ".marisa"
        ):  # whose end is room to spare; hashes tell that one, see `index.building.snapshots`
            shutil.copytree(folder, tmp_path / "cut")
            (tmp_path / "cut" / "library" / path.name).write_bytes(path.read_bytes()[:-9])
            with pytest.raises(damages):
                load_library(tmp_path / "cut")
            shutil.rmtree(tmp_path / "cut")
    shutil.copytree(folder, tmp_path / "other")
    lines = tmp_path / "other" / "library" / "entry.jsonl"
    lines.write_bytes(re.sub(rb"section|rule", lambda m: b"x" * len(m[0]), lines.read_bytes()))
    with pytest.raises(damages):
        list(load_library(tmp_path / "other").entries)


def test_places_are_those_of_the_passages(plain, folder, tmp_path):
    PassageLookup.build(plain).save(tmp_path / "lookup")
    kept = PassageLookup.load(tmp_path / "lookup", load_library(folder).editions)
    text = [p for p in plain.passages if p.role is Role.TEXT]
    entries = [plain.entry[p.entry] for p in text]
    assert len(kept) == len(text)
    assert kept.bounds.tolist() == list(plain.bounds)
    assert kept.is_first.tolist() == [p.ordinal == 0 for p in text]
    assert [kept.edition(n).id for n in range(len(text))] == [e.edition for e in entries]
    assert (kept.entries[1:] != kept.entries[:-1]).tolist() == [
        a is not b for a, b in pairwise(entries)
    ]
    assert all(
        kept.of_entry.numbers(e.id).tolist() == [n for n, other in enumerate(entries) if other is e]
        for e in plain.entries
    )
    for number in ("4.2.1", "12"):
        (rule,) = cited_rules(f"Regel {number}").rules
        found = kept.of_rule.passages(rule).tolist()
        assert found == [
            n
            for n, e in enumerate(entries)
            if any(around.number == number and not around.card for around in plain.path(e))
        ]
        assert found
    for card in ("12", "1b", "3b"):
        wanted = [
            n
            for n, e in enumerate(entries)
            if e.card and card in re.split(r"\W", (e.number or "").lower())
        ]
        assert kept.of_card.numbers(card).tolist() == wanted != []
    for concept in set(plain.concepts.values()):
        about = [
            n
            for n, e in enumerate(entries)
            for around in plain.path(e)
            if plain.concepts.get(around.id) == concept
        ]
        assert kept.of_concept.numbers(concept).tolist() == about
    assert [
        len(rows.numbers(name))
        for rows in (kept.of_entry, kept.of_card, kept.of_concept)
        for name in ("", "?", HALF)
    ] == [0] * 9
