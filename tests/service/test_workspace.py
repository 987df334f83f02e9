import errno
import hashlib
import json
import os
import pty
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest
import torch

from corpus import identify, read_folder
from corpus.document import Document
from glossary.concepts import load_concepts
from glossary.concepts.product_names import ProductName, load_products
from glossary.query_variants import load_query_variants
from index.building.fingerprints import combined, dependencies
from index.ranking.answerability import unanswerable_questions
from service.ops.settings import SettingError, load, locations
from tests.conftest import ROOT, SAMPLE

GERMAN = """# Nebelkutter: Regelheft

Version 3.1

## Der Anker

Wer den Anker wirft, bleibt bis zum Ende der Runde im selben Feld stehen und darf nicht mehr rudern.

## Das Nebelhorn

Das Nebelhorn vertreibt alle Möwen von den Feldern, die an den eigenen Kutter grenzen, und kostet eine Kohle.

## Die Kohle

Jeder Kutter fasst höchstens sieben Kohlen. Was darüber ist, fällt ins Meer und ist verloren.
"""
ITALIAN = """# Battello nella nebbia: regolamento

Versione 3.1

## L'ancora

Chi getta l'ancora resta nella stessa casella fino alla fine del turno e non può più remare con il battello.

## Il corno da nebbia

Il corno da nebbia scaccia tutti i gabbiani dalle caselle che confinano con il proprio battello e costa un carbone.

## Il carbone

Ogni battello contiene al massimo sette carboni. Quello che avanza cade in mare ed è perduto.
"""


@pytest.fixture
def books(tmp_path) -> tuple[Path, Path]:
    """A rulebook of an invented game in German and in Italian."""
    german, italian = tmp_path / "nebelkutter-de.md", tmp_path / "nebelkutter-it-3.1.md"
    german.write_text(GERMAN, encoding="utf-8")
    italian.write_text(ITALIAN, encoding="utf-8")
    return german, italian


def package_hash():
    digest = hashlib.sha256()
    for package in ("corpus", "glossary", "index", "service"):
        for path in sorted((ROOT / package).rglob("*.yaml")):
            digest.update(f"{path}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def test_a_workspace_has_its_folders_and_is_made_only_once(regula, home):
    assert {path.name for path in home.glob("[!.]*")} == {
        "rulebooks", "editions", "concepts", "phrasings", "cards", "rulings", "README.md",
    }  # fmt: skip
    (home / "README.md").write_text("mine")
    assert "already" in regula("init", home).out
    assert (home / "README.md").read_text() == "mine"


def test_a_rulebook_is_added_and_its_question_answered(regula, home, books, monkeypatch, tmp_path):
    before = package_hash()
    added = regula("add", books[0], "--yes")
    assert added.status == 0, added.err
    for shown in (
        "nebelkutter-de-3.1",
        "Nebelkutter: Regelheft",
        "Der Anker",
        "3.1 (line 3: Version 3.1)",
    ):
        assert shown in added.out
    assert (home / "rulebooks" / "nebelkutter" / "nebelkutter-de.md").read_bytes() == books[
        0
    ].read_bytes()
    assert (home / "editions" / "nebelkutter-de-3.1.yaml").exists()
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    answer = regula("ask", "Was passiert, wenn ich den Anker werfe?", "-k", "1", "--home", home)
    rows = (
        tmp_path / "rows.jsonl"
    )  # name the document as its owner knows it, not by the folder that it was put into
    rows.write_text(
        json.dumps(
            {
                "id": 1,
                "question": "Anker",
                "document": books[0].name,
                "answers": [{"quote": "im selben Feld stehen"}],
            }
        )
    )
    batch = regula("ask", "--batch", rows, "--home", home)
    evaluated = regula("evaluate", rows, "--json", "--home", home)
    torch.set_num_threads(threads)
    assert batch.status == 0, batch.err
    assert (
        json.loads(batch.out)["response"]["passages"][0]["citation"]["source"]["file"]
        == "nebelkutter/nebelkutter-de.md"
    )
    assert json.loads(evaluated.out)["groups"]["all"]["R@1"] == 1.0
    assert answer.status == 0, answer.err
    assert "Nebelkutter: Regelheft 3.1 (de), Der Anker" in answer.out
    assert (home / "index").is_dir()
    assert package_hash() == before


def test_a_rulebook_that_the_package_describes_may_be_added_as_another_game(regula, home):
    added = regula("add", SAMPLE / "pegelduell-de-2.0.txt", "--yes", "--game", "Hausregeln")
    assert added.status == 0, added.err
    described = (ROOT / "corpus" / "editions" / "pegelduell-de-2.0.yaml").read_text(
        encoding="utf-8"
    )
    written = (home / "editions" / "hausregeln-de-2.0.yaml").read_text(encoding="utf-8")
    assert written.count("fault:") == described.count("fault:") > 0, (
        "what is known of its misprints goes along"
    )
    listed = regula("editions", "--home", home)
    assert listed.out.startswith("hausregeln-de-2.0 "), listed.err


def test_adding_it_again_says_what_is_there(regula, home, books):
    regula("add", books[0], "--yes")
    path = home / "editions" / "nebelkutter-de-3.1.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("Nebelkutter: Regelheft", "Mein Heft"),
        encoding="utf-8",
    )
    again = regula("add", books[0], "--yes")
    assert again.status == 0
    assert "Mein Heft" in again.out
    assert "nothing was changed" in again.out
    assert [p.name for p in (home / "editions").iterdir()] == [path.name]
    assert "Mein Heft" in regula("editions").out, "what the owner corrected holds"


def test_adding_it_again_corrects_what_is_given_and_nothing_else(regula, home, books):
    regula("add", books[0], "--yes")
    path = home / "editions" / "nebelkutter-de-3.1.yaml"
    before = path.read_text(encoding="utf-8")
    again = regula("add", books[0], "--title", "Ein: anderes", "--version", "3.10")
    assert again.status == 0, again.err
    assert "title is now 'Ein: anderes'" in again.out
    after = path.read_text(encoding="utf-8")
    assert len(after.splitlines()) == len(before.splitlines())
    assert sum(a != b for a, b in zip(after.splitlines(), before.splitlines(), strict=True)) == 2
    (rulebook,) = read_folder(home / "rulebooks").rulebooks
    edition = rulebook.edition
    assert (edition.id, edition.title, edition.version) == (
        "nebelkutter-de-3.1",
        "Ein: anderes",
        "3.10",
    )


def test_a_newer_version_comes_beside_the_older_one_even_under_its_file_name(regula, home, books):
    regula("add", books[0], "--yes")
    books[0].write_text(GERMAN.replace("3.1", "3.2").replace("sieben", "neun"), encoding="utf-8")
    done = regula("add", books[0], "--yes")
    assert done.status == 0, done.err
    assert "a newer version of nebelkutter-de-3.1" in done.out
    found = read_folder(home / "rulebooks").rulebooks
    assert {r.edition.id for r in found} == {"nebelkutter-de-3.1", "nebelkutter-de-3.2"}
    assert {r.edition.known for r in found} == {True}
    assert "reworded: Die Kohle" in regula("changes", "nebelkutter-de-3.2").out


def test_a_game_that_is_named_is_none_whose_rules_are_alike(regula, home):
    small = ROOT / "tests" / "corpus" / "small"
    assert regula("add", small / "trickregeln.md", "--yes").status == 0
    done = regula("add", small / "elf.pdf", "--yes", "--game", "elf")
    assert done.status == 0, done.err
    assert "newer version" not in done.out
    editions = {
        book.edition.game: book.edition for book in read_folder(home / "rulebooks").rulebooks
    }
    assert editions["elf"].title == "Muschelspiel"
    assert set(editions) == {"trickregeln", "elf"}


def test_a_second_text_of_an_edition_that_is_there_is_not_added(regula, home, tmp_path):
    text = (SAMPLE / "pegelduell-de-2.0.txt").read_text(encoding="utf-8")
    for name, ending in (("duell.txt", ""), ("scan.txt", "\n\n")):
        (tmp_path / name).write_text(text + ending, encoding="utf-8")
    assert regula("add", tmp_path / "duell.txt", "--yes").status == 0
    done = regula("add", tmp_path / "scan.txt", "--yes")
    assert done.status == 2
    assert "pegelduell-de-2.0 is there already, from pegelduell/duell.txt" in done.err
    assert [p.name for p in (home / "rulebooks").rglob("*") if p.is_file()] == ["duell.txt"]


def test_a_file_put_there_by_hand_gets_an_edition_file_and_no_copy(regula, home, books):
    place = home / "rulebooks" / "kutter" / "heft.md"
    place.parent.mkdir()
    place.write_bytes(books[0].read_bytes())
    done = regula("add", place, "--yes", "--title", "Mein Heft", "--game", "kutter")
    assert done.status == 0, done.err
    assert [p for p in (home / "rulebooks").rglob("*") if p.is_file()] == [place]
    (rulebook,) = read_folder(home / "rulebooks").rulebooks
    assert (rulebook.edition.title, rulebook.edition.known) == ("Mein Heft", True)


def test_editions_in_a_folder_are_one_game_and_compared(regula, home, books):
    (home / "rulebooks" / "Nebel Kutter").mkdir()
    for book in books:
        (home / "rulebooks" / "Nebel Kutter" / book.name).write_bytes(book.read_bytes())
    found = read_folder(home / "rulebooks").rulebooks
    assert {(r.edition.game, r.edition.id) for r in found} == {
        ("nebel-kutter", "nebel-kutter-de-3.1"), ("nebel-kutter", "nebel-kutter-it-3.1"),
    }  # fmt: skip
    compared = regula("compare", "nebel-kutter-de-3.1", "nebel-kutter-it-3.1")
    assert compared.status == 0, compared.err
    assert "Anker" in compared.out


def test_what_the_owner_gives_goes_before_what_is_recognised(regula, home, books):
    done = regula(
        "add", books[1], "--yes", "--game", "Möwen", "--version", "9", "--title", "Gabbiani"
    )
    assert done.status == 0, done.err
    assert (home / "rulebooks" / "moewen" / books[1].name).exists()
    (rulebook,) = read_folder(home / "rulebooks").rulebooks
    edition = rulebook.edition
    assert (edition.id, edition.game, edition.version, edition.title, edition.known) == (
        "moewen-it-9",
        "moewen",
        "9",
        "Gabbiani",
        True,
    )


def test_the_file_of_the_workspace_wins_over_that_of_the_package(regula, home):
    packaged = (ROOT / "corpus" / "editions" / "pegelduell-de-2.0.yaml").read_text(encoding="utf-8")
    document = Document.from_bytes("x.txt", (SAMPLE / "pegelduell-de-2.0.txt").read_bytes())
    before = identify(document)
    assert before is not None
    file = home / "editions" / "pegelduell-de-2.0.yaml"
    file.write_text(packaged.replace(before.title, "Mein Duell"), encoding="utf-8")
    after = identify(document)
    assert after is not None
    assert (after.id, after.title) == (before.id, "Mein Duell")


def test_concepts_and_phrasings_of_the_workspace_come_beside_those_of_the_package(regula, home):
    packaged, phrased = load_concepts("pegelwacht"), load_query_variants("pegelwacht-de-1.1")
    first, one = packaged[0], phrased[0]
    (home / "concepts" / "pegelwacht.yaml").write_text(
        f"{first.id}:\n  de: [Etwas anderes]\nneu:\n  de: [Neues]\n", encoding="utf-8"
    )
    (home / "phrasings" / "pegelwacht-de-1.1.yaml").write_text(
        f'"{one.fingerprint}":\n  at: {one.at}\n  players: [ganz eigene worte]\n', encoding="utf-8"
    )
    concepts = {concept.id: concept for concept in load_concepts("pegelwacht")}
    assert set(concepts) == {concept.id for concept in packaged} | {"neu"}
    assert concepts[first.id].name("de") == "Etwas anderes"
    found = {each.fingerprint: each for each in load_query_variants("pegelwacht-de-1.1")}
    assert found[one.fingerprint].players == ("ganz eigene worte", *one.players)
    assert len(found) == len(phrased)


def test_a_changed_edition_file_leads_to_a_new_index(regula, home, books):
    regula("add", books[0], "--yes")
    before = combined(dependencies(home / "rulebooks"))
    path = home / "editions" / "nebelkutter-de-3.1.yaml"
    path.write_text(path.read_text(encoding="utf-8") + "fallback: Der Anker\n", encoding="utf-8")
    assert combined(dependencies(home / "rulebooks")) != before


def test_another_file_of_the_same_name_is_not_overwritten(regula, home, books):
    regula("add", books[0], "--yes")
    place = home / "rulebooks" / "nebelkutter" / books[0].name
    kept = place.read_bytes()
    books[0].write_text(
        "# Ganz anderes\n\n" + "Hier steht von Möwen und Kohlen nichts mehr.\n" * 9,
        encoding="utf-8",
    )
    done = regula("add", books[0], "--yes")
    assert done.status == 0, done.err
    assert place.read_bytes() == kept
    assert {p.read_bytes() for p in place.parent.iterdir()} == {kept, books[0].read_bytes()}


def test_without_a_terminal_and_yes_nothing_is_added(regula, home, books):
    done = regula("add", books[0])
    assert done.status == 2
    assert "--yes" in done.err
    assert list((home / "rulebooks").iterdir()) == []


def test_a_terminal_is_asked(regula, home, books):
    for answer, added in (("n", False), ("y", True)):
        controller, terminal = pty.openpty()
        os.write(controller, f"{answer}\n".encode())
        command = [sys.executable, "-m", "service.cli", "add", str(books[0]), "--home", str(home)]
        subprocess.run(
            command, stdin=terminal, capture_output=True, timeout=600, check=False, cwd=ROOT
        )
        os.close(terminal)
        os.close(controller)
        assert (home / "rulebooks" / "nebelkutter").exists() is added


@pytest.mark.parametrize("turn", range(3))
def test_a_workspace_that_cannot_be_written_to_is_told_in_a_line(
    regula, home, books, turn, monkeypatch
):
    before, fault = set(home.rglob("*")), errno.ENOSPC
    turns, whole = count(), os.fsync

    def refuse(descriptor):
        if next(turns) == turn:
            raise OSError(fault, os.strerror(fault))
        whole(descriptor)

    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", refuse)
        done = regula("add", books[0], "--yes")
    assert done.status == 1
    assert done.err.splitlines()[-1].startswith("regula: ")
    assert os.strerror(fault) in done.err
    assert "Traceback" not in done.err
    assert set(home.rglob("*")) == before, "nothing is left half added"
    assert regula("add", books[0], "--yes").status == 0


def test_what_an_interrupted_copy_left_is_replaced_and_no_second_edition(regula, home, books):
    place = home / "rulebooks" / "nebelkutter" / books[0].name
    place.parent.mkdir()
    whole = books[0].read_bytes()
    for length in (0, 20, len(whole) - 1):
        place.write_bytes(whole[:length])
        done = regula("add", books[0], "--yes")
        assert done.status == 0, done.err
        assert [path.read_bytes() for path in place.parent.iterdir()] == [whole]
        found = read_folder(home / "rulebooks")
        assert [book.edition.id for book in found.rulebooks] == ["nebelkutter-de-3.1"]
        assert found.left_out == ()
        (home / "editions" / "nebelkutter-de-3.1.yaml").unlink()


def test_an_older_text_that_a_newer_one_only_adds_to_stays(regula, home, books):
    newer = (
        books[0].read_text(encoding="utf-8")
        + "\n## Der Sturm\n\nIm Sturm wird jede Fahrt um ein Feld kürzer.\n"
    )
    assert regula("add", books[0], "--yes").status == 0
    books[0].write_text(newer, encoding="utf-8")
    assert regula("add", books[0], "--yes", "--version", "3.2").status == 0
    assert {book.edition.id for book in read_folder(home / "rulebooks").rulebooks} == {
        "nebelkutter-de-3.1",
        "nebelkutter-de-3.2",
    }


def test_a_file_that_is_no_rulebook_and_a_folder_that_is_no_workspace_are_told(
    regula, home, tmp_path, books
):
    (tmp_path / "empty.txt").write_bytes(b"")
    done = regula("add", tmp_path / "empty.txt", "--yes")
    assert (done.status, done.err) == (1, "regula: empty.txt: empty; nothing was added\n")
    done = regula("add", books[0], "--yes", "--home", tmp_path / "elsewhere")
    assert done.status == 2
    assert f"regula init {tmp_path / 'elsewhere'}" in done.err


def test_an_empty_workspace_says_how_to_add_a_rulebook(regula):
    done = regula("ask", "Wann?")
    assert done.status == 2
    assert "regula add" in done.err


def test_the_settings_file_may_name_the_workspace(regula, home, tmp_path, books, monkeypatch):
    regula("add", books[0], "--yes")
    (tmp_path / "regula.toml").write_text(f'home = "{home}"\n')
    monkeypatch.setenv("REGULA_CONFIG", str(tmp_path / "regula.toml"))
    monkeypatch.setenv("REGULA_HOME", "")
    found = locations(load())
    assert (found.rulebooks, found.index) == (home / "rulebooks", home / "index")
    assert os.environ["REGULA_HOME"] == str(home), "processes that are started know it"
    assert locations(load({"rulebooks": SAMPLE})).rulebooks == SAMPLE
    with pytest.raises(SettingError, match="no workspace"):
        locations(load({"home": tmp_path / "nowhere"}))


def test_a_workspace_named_with_the_command_goes_before_folders_in_variables(
    regula, home, books, monkeypatch
):
    regula("add", books[0], "--yes")
    monkeypatch.setenv("REGULA_RULEBOOKS", str(SAMPLE))
    assert "nebelkutter-de-3.1" in regula("editions", "--home", home).out
    assert "nebelkutter" not in regula("editions").out


def test_products_and_questions_that_no_rulebook_settles_come_from_the_workspace_too(regula, home):
    packaged, outside = load_products("pegelwacht"), unanswerable_questions()
    (home / "concepts" / "products").mkdir()
    (home / "concepts" / "products" / "pegelwacht.yaml").write_text(
        "my-box:\n  de: [Meine Schachtel]\n", encoding="utf-8"
    )
    (home / "phrasings" / "outside.yaml").write_text(
        'de:\n- "Wo gibt es Gummistiefel?"\n', encoding="utf-8"
    )
    assert load_products("pegelwacht") == {
        **packaged,
        ProductName("de", "meine schachtel"): "my-box",
    }
    assert set(unanswerable_questions()) == {*outside, "Wo gibt es Gummistiefel?"}


def test_a_faulty_file_of_the_workspace_is_named_in_a_line(regula, home, books):
    regula("add", books[0], "--yes")
    for folder, name in (("editions", "x.yaml"), ("concepts", "nebelkutter.yaml")):
        path = home / folder / name
        path.write_text("a: [1\n", encoding="utf-8")
        done = regula("editions")
        assert done.status == 1
        assert done.err.startswith(f"regula: {path}:2: not YAML") or done.err.startswith(
            f"regula: {name}:2: not YAML"
        )
        path.unlink()


def test_a_folder_is_told_where_it_goes(regula, home, books):
    done = regula("add", books[0].parent)
    assert done.status == 2
    assert f"copy it into {home / 'rulebooks'}" in done.err
