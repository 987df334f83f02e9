import hashlib
import json
import os
import shutil
import stat
import subprocess
import threading
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest

from corpus.file_changes import ChangeScope, held
from index.building.snapshots import Snapshots
from index.library.former_entries import FormerEntries, FormerEntry
from index.library.former_words import FormerPassage, FormerWords
from service.ops.backup import archive, backing_up, restoring
from service.ops.feedback.store import FeedbackStore
from service.ops.keys import KeyRing
from service.ops.settings import load
from service.ops.workspace import (
    changed_workspace,
    make_workspace,
)
from tests.index.small_indexes import QUESTIONS
from tests.service.test_feedback import record

OWN = {
    "rulebooks/kutter/heft.md": "# Kutter\n\nWer ankert, bleibt.\n",
    "editions/kutter-de-1.yaml": (
        "id: kutter-de-1\ngame: kutter\nlanguage: de\nversion: '1'\ntitle: Kutter\nlayout: "
        "outline\nrecognise: [Kutter]\n"
    ),
    "concepts/kutter.yaml": "anker:\n  de: [Anker]\n",
    "concepts/products/kutter.yaml": "box:\n  de: [Schachtel]\n",
    "phrasings/kutter-de-1.yaml": "{}\n",
    "cards/kutter/cards.yaml": "cards: [{id: '1', names: {de: Kai}}]\n",
    "rulings/kutter/house.yaml": "game: kutter\nrulings: []\n",
    "reviews/kutter.jsonl": "",
    "feedback/2026-11.jsonl": '{"kept": 1}\n',
    "notes of mine/ä ö.txt": "äöü\r\n",
}


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """A workspace with a file of each kind."""
    for name in ("REGULA_HOME", "REGULA_RULEBOOKS", "REGULA_INDEX", "REGULA_CONFIG", "REGULA_KEYS"):
        monkeypatch.setenv(name, "")
    made = tmp_path / "home"
    make_workspace(made)
    for name, text in OWN.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text, encoding="utf-8", newline="")
    return made


@pytest.fixture
def regula(command):
    return command


def content(home):
    """All files of a workspace but the index and what is hidden."""
    names = [path.relative_to(home) for path in sorted(home.rglob("*")) if path.is_file()]
    return {
        str(n): (home / n).read_bytes()
        for n in names
        if n.parts[0] != "index" and not any(part[0] == "." for part in n.parts)
    }


def test_a_backup_restored_elsewhere_is_the_same_workspace(regula, home, tmp_path):
    (home / ".hidden").write_text("x")
    (home / "cards" / ".kutter.before").mkdir()
    (home / "index").mkdir()
    (home / "index" / "current").write_text("x")
    done = regula("backup", tmp_path / "b.zip", "--home", home)
    assert done.status == 0, done.err
    assert "rulebooks 1" in done.out
    assert stat.S_IMODE((tmp_path / "b.zip").stat().st_mode) == 0o600, "it has what users said"
    new = tmp_path / "new"
    restored = regula("restore", tmp_path / "b.zip", "--home", new, "--yes")
    assert restored.status == 0, restored.err
    assert content(new) == content(home)
    assert not (new / ".hidden").exists()
    assert not (new / "index").exists()
    assert {path.name for path in new.glob("[!.]*")} >= {
        "rulebooks",
        "editions",
        "concepts",
        "phrasings",
        "cards",
        "rulings",
    }
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.zip", "home", "new"]


def test_settings_go_along_without_what_lets_in_somewhere_and_keys_as_hashes(
    regula, home, tmp_path, monkeypatch
):
    config, keys = (
        home / "regula.toml",
        home / "access.toml",
    )  # in the workspace, where they are no part of it
    config.write_text(
        f'# mine\nkeys = "{keys}"\nport = 9000\nrate_limit = "none"\nhosts = '
        '["a.example"]\nmodel_url = "http://localhost:1/v1"\n'
        'model_name = "toy"\nmodel_key = "top-secret-1"\nrate_storage = '
        '"redis://me:top-secret-2@db/0"\n'
    )
    monkeypatch.setenv("REGULA_CONFIG", str(config))
    monkeypatch.setenv("REGULA_STORE_TOKEN", "top-secret-3")
    monkeypatch.setenv("REGULA_FEEDBACK", "true")
    token = KeyRing(keys).make("bot")
    done = regula("backup", tmp_path / "b.zip", "--home", home)
    assert done.status == 0, done.err
    assert "store_token, rate_storage, model_key" in done.err
    with zipfile.ZipFile(tmp_path / "b.zip") as packed:
        everything = b"".join(packed.read(name) for name in packed.namelist())
        assert not [
            name for name in packed.namelist() if name.endswith((".toml", ".lock")) and "/" in name
        ]
    assert b"top-secret" not in everything
    assert token.encode() not in everything
    new = tmp_path / "new"
    targets = ("--settings", tmp_path / "restored.toml", "--keys", tmp_path / "restored-keys.toml")
    restored = regula("restore", tmp_path / "b.zip", "--home", new, "--yes", *targets)
    assert restored.status == 0, restored.err
    assert "say anew what lets in somewhere: store_token, rate_storage, model_key" in restored.err
    assert KeyRing(tmp_path / "restored-keys.toml").find(token) is not None
    assert stat.S_IMODE((tmp_path / "restored-keys.toml").stat().st_mode) == 0o600
    monkeypatch.setenv("REGULA_CONFIG", str(tmp_path / "restored.toml"))
    for name in ("REGULA_STORE_TOKEN", "REGULA_FEEDBACK"):
        monkeypatch.setenv(name, "")
    said = tomllib.loads((tmp_path / "restored.toml").read_text())
    assert set(said) - {"general_encoder"} == {
        "port",
        "rate_limit",
        "hosts",
        "model_url",
        "model_name",
        "feedback",
    }
    found = load()
    assert (found.port, found.rate_limit, found.hosts, found.feedback) == (
        9000,
        "",
        ("a.example",),
        True,
    )
    again = regula("restore", tmp_path / "b.zip", "--home", tmp_path / "third", "--yes", *targets)
    assert again.status == 2
    assert "is there already, and is kept" in again.err
    assert not (tmp_path / "third").exists(), "nothing is restored by half"


@pytest.fixture
def indexed(twins_folder, home) -> Path:
    """A workspace with a small rulebook and its published index."""
    shutil.rmtree(home)
    make_workspace(home)
    shutil.copytree(twins_folder / "books" / "one", home / "rulebooks", dirs_exist_ok=True)
    shutil.copytree(twins_folder / "index0", home / "index")
    return home


def answers(regula, home, tmp_path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        "".join(json.dumps({"id": n, "question": q}) + "\n" for n, q in enumerate(QUESTIONS)),
        encoding="utf-8",
    )
    done = regula("ask", "--batch", rows, "--json", "--home", home)
    assert done.status == 0, done.err
    assert "building" not in done.err
    return done.out


@pytest.mark.acceptance
def test_a_backup_gives_the_same_answers_elsewhere_to_the_byte(regula, indexed, tmp_path):
    before = answers(regula, indexed, tmp_path)
    assert len(before.splitlines()) == len(QUESTIONS)
    done = regula("backup", tmp_path / "b.zip", "--home", indexed, "--with-index")
    assert done.status == 0, done.err
    id = Snapshots(indexed / "index").current()
    assert f"index {id}" in done.out
    elsewhere = tmp_path / "another" / "place"
    restored = regula("restore", tmp_path / "b.zip", "--home", elsewhere, "--yes")
    assert restored.status == 0, restored.err
    assert f"index {id} answers" in restored.out
    shutil.move(indexed, tmp_path / "gone")
    assert answers(regula, elsewhere, tmp_path) == before
    assert Snapshots(elsewhere / "index").current() == id, "nothing had to be built"


@pytest.mark.acceptance
def test_without_the_index_a_build_gives_the_same_answers(regula, indexed, tmp_path):
    before = answers(regula, indexed, tmp_path)
    assert regula("backup", tmp_path / "b.zip", "--home", indexed).status == 0
    elsewhere = tmp_path / "elsewhere"
    restored = regula("restore", tmp_path / "b.zip", "--home", elsewhere, "--yes")
    assert f"regula build --home {elsewhere}" in restored.out
    built = regula("build", "--home", elsewhere)
    assert built.status == 0, built.err
    old, new = Snapshots(indexed / "index").current(), built.out.strip()
    assert answers(regula, elsewhere, tmp_path) == before.replace(str(old), new)


@pytest.mark.acceptance
def test_an_index_that_this_version_cannot_read_is_left_and_the_rest_restored(
    regula, indexed, tmp_path
):
    assert regula("backup", tmp_path / "b.zip", "--home", indexed, "--with-index").status == 0

    def other(files):
        manifest = json.loads(files["index/manifest.json"])
        changed = b"another form of file"
        manifest["files"]["library.json"] = hashlib.sha256(changed).hexdigest()
        files |= {
            "index/library.json": changed,
            "index/manifest.json": json.dumps(manifest).encode(),
        }

    rewritten(tmp_path / "b.zip", tmp_path / "other.zip", other, program="99.0")
    done = regula("restore", tmp_path / "other.zip", "--home", tmp_path / "new", "--yes")
    assert done.status == 0, done.err
    assert "by version 99.0" in done.out
    assert "cannot be read by this version" in done.err
    assert "regula build --home" in done.out
    assert content(tmp_path / "new") == content(indexed)
    assert Snapshots(tmp_path / "new" / "index").all() == []


@pytest.mark.acceptance
def test_a_damaged_index_is_not_backed_up(regula, indexed, tmp_path):
    (tmp_path / "b.zip").write_bytes(b"")
    index = Snapshots(indexed / "index")
    (index.path(str(index.current())) / "library.json").write_text("{}")
    done = regula("backup", tmp_path / "b.zip", "--home", indexed, "--with-index")
    assert done.status == 1
    assert "leave --with-index out" in done.err
    assert (tmp_path / "b.zip").read_bytes() == b""
    assert regula("backup", tmp_path / "b.zip", "--home", indexed).status == 0


@pytest.mark.acceptance
def test_an_index_is_restored_over_others_and_over_itself(regula, indexed, tmp_path):
    assert regula("backup", tmp_path / "b.zip", "--home", indexed, "--with-index").status == 0
    index = Snapshots(indexed / "index")
    id = str(index.current())
    (index.path(id) / "library.json").write_text("{}")
    done = regula("restore", tmp_path / "b.zip", "--home", indexed, "--yes", "--replace")
    assert done.status == 0, done.err
    index.verify(id)
    assert index.current() == id
    assert not [
        path.name
        for path in index.folder.iterdir()
        if path.name.startswith((".building", ".removing"))
    ]


def test_words_that_links_cite_are_restored_beside_those_that_are_there(regula, home, tmp_path):
    def passage(name):
        return FormerPassage(
            name,
            "0" * 12,
            "t",
            "t",
            "",
            "g",
            "de",
            "s",
            "1",
            "",
            "x",
            "",
            (1, 2),  # type: ignore[arg-type]
            None,
            False,
            "",
            "i",
        )

    for place, name in ((home, "a"), (tmp_path / "new", "b")):
        (place / "index").mkdir(parents=True)
        FormerWords(place / "index").keep([passage(name)])
        moved = FormerEntry(f"g-de/{name}", name, "", "", "de", "", "g-de/n", False, (), "")
        FormerEntries(place / "index").keep([moved])
    assert regula("backup", tmp_path / "b.zip", "--home", home).status == 0
    assert regula("restore", tmp_path / "b.zip", "--home", tmp_path / "new", "--yes").status == 0
    found = FormerWords(tmp_path / "new" / "index")
    assert [found.find(name, "0" * 12) is not None for name in "abc"] == [True, True, False]
    entries = FormerEntries(tmp_path / "new" / "index")
    assert [entries.find(f"g-de/{name}") is not None for name in "abc"] == [True, True, False]


def test_a_workspace_that_has_something_is_only_replaced_when_told_and_kept_aside(
    regula, home, tmp_path
):
    assert regula("backup", tmp_path / "b.zip", "--home", home).status == 0
    whole = content(home)
    (home / "rulebooks" / "kutter" / "heft.md").write_text("changed")
    (home / "phrasings" / "new.yaml").write_text("{}\n")
    (home / "more").mkdir()
    (home / "more" / "new.txt").write_text("new")
    (home / "keys.toml").write_text("# mine")
    changed = content(home)
    refused = regula("restore", tmp_path / "b.zip", "--home", home, "--yes")
    assert refused.status == 2
    assert "--replace" in refused.err
    assert content(home) == changed
    for _ in range(3):
        done = regula("restore", tmp_path / "b.zip", "--home", home, "--yes", "--replace")
        assert done.status == 0, done.err
        assert content(home) == {**whole, "keys.toml": b"# mine"}, "keys are no part of it"
        (aside,) = home.glob(".before-restore-*")
        assert str(aside) in done.out
        assert content(aside) == {
            name: text for name, text in changed.items() if name != "keys.toml"
        }
        changed = content(home)
    assert not (home / ".restored").exists()


def test_without_a_terminal_and_yes_nothing_is_restored(regula, home, tmp_path):
    assert regula("backup", tmp_path / "b.zip", "--home", home).status == 0
    done = regula("restore", tmp_path / "b.zip", "--home", tmp_path / "new")
    assert (done.status, "--yes" in done.err) == (2, True)
    assert not (tmp_path / "new").exists()


def rewritten(source, target, change, **fields):
    """Write the backup ``source`` anew as ``target``, with files changed and a manifest that fits,
    and other ``fields`` in that.
    """
    with zipfile.ZipFile(source) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    manifest = json.loads(files.pop("manifest.json"))
    change(files)
    manifest["files"] = {
        n: {"size": len(raw), "sha256": hashlib.sha256(raw).hexdigest()} for n, raw in files.items()
    }
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, raw in {
            **files,
            "manifest.json": json.dumps({**manifest, **fields}).encode(),
        }.items():
            packed.writestr(name, raw)


def renamed(name):
    return lambda files: files.update({name: b"x"})


HOSTILE = {
    "up": renamed("workspace/../../up.txt"),
    "absolute": renamed("/etc/up.txt"),
    "within": renamed("workspace/a/../../../up.txt"),
    "hidden": renamed("workspace/.unfinished"),
    "hidden folder": renamed("workspace/rulebooks/.git/config"),
    "lock": renamed("workspace/.lock"),
    "elsewhere": renamed("etc/passwd"),
    "alone": renamed("passwd"),
    "folder": renamed("workspace/"),
    "twice": renamed("workspace//a.txt"),
    "dot": renamed("workspace/./a.txt"),
    "long": renamed("workspace/" + "x" * 300),
    "bomb": lambda files: files.update({"workspace/zeros": bytes(150_000_000)}),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_an_archive_that_leads_elsewhere_or_unpacks_to_too_much_is_refused(
    regula, home, tmp_path, kind
):
    assert regula("backup", tmp_path / "b.zip", "--home", home).status == 0
    rewritten(tmp_path / "b.zip", tmp_path / "hostile.zip", HOSTILE[kind])
    assert_refused(regula, tmp_path / "hostile.zip", tmp_path)


def test_links_encrypted_and_listed_otherwise_are_refused(regula, home, tmp_path):
    assert regula("backup", tmp_path / "b.zip", "--home", home).status == 0
    name = "workspace/concepts/kutter.yaml"
    for number, change in enumerate(
        (
            "link",
            "device",
            "pipe",
            "encrypted",
            "packed otherwise",
            "unlisted",
            "missing",
            "listed twice",
        )
    ):
        file = tmp_path / f"{number}.zip"
        with zipfile.ZipFile(tmp_path / "b.zip") as packed, zipfile.ZipFile(file, "w") as other:
            for info in packed.infolist():
                raw = packed.read(info)
                if info.filename == name and change in (
                    kinds := {"link": stat.S_IFLNK, "device": stat.S_IFBLK, "pipe": stat.S_IFIFO}
                ):
                    info.external_attr = (kinds[change] | 0o777) << 16
                if info.filename == name and change == "packed otherwise":
                    info.compress_type = zipfile.ZIP_LZMA
                if not (info.filename == name and change == "missing"):
                    other.writestr(info, raw)
            if change in ("unlisted", "listed twice"):
                with (
                    pytest.warns(UserWarning, match="Duplicate")
                    if change == "listed twice"
                    else nullcontext()
                ):
                    other.writestr(name if change == "listed twice" else "workspace/more.txt", b"x")
        if change == "encrypted":
            raw = file.read_bytes()
            place = raw.rindex(b"PK\x01\x02", 0, raw.rindex(name.encode())) + 8
            file.write_bytes(raw[:place] + b"\x01" + raw[place + 1 :])
        assert_refused(regula, file, tmp_path)


def test_whatever_byte_is_altered_or_cut_off_a_restore_is_whole_or_refused(regula, home, tmp_path):
    assert regula("backup", tmp_path / "b.zip", "--home", home).status == 0
    raw, whole, refused = (tmp_path / "b.zip").read_bytes(), content(home), 0
    harmed = [raw[: len(raw) * n // 12] for n in range(12)]
    harmed += [
        raw[:at] + bytes([raw[at] ^ 0x55]) + raw[at + 1 :]
        for at in range(0, len(raw), max(1, len(raw) // 60))
    ]
    for bad in harmed:
        (tmp_path / "bad.zip").write_bytes(bad)
        shutil.rmtree(tmp_path / "new", ignore_errors=True)
        done = regula("restore", tmp_path / "bad.zip", "--home", tmp_path / "new", "--yes")
        if done.status:
            refused += 1
            assert_told(done)
            assert not any(path.is_file() for path in (tmp_path / "new").rglob("[!.]*"))
        else:
            assert content(tmp_path / "new") == whole
    assert refused > 40


def test_a_backup_of_a_later_form_and_what_is_none_are_told(regula, home, tmp_path):
    assert regula("backup", tmp_path / "b.zip", "--home", home).status == 0
    rewritten(
        tmp_path / "b.zip",
        tmp_path / "later.zip",
        lambda files: None,
        format=archive.FORMAT + 1,
        program="9.0",
    )
    assert "newer version" in assert_refused(regula, tmp_path / "later.zip", tmp_path).err
    (tmp_path / "text.zip").write_text("no archive")
    assert "no backup" in assert_refused(regula, tmp_path / "text.zip", tmp_path).err
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as other:
        other.writestr("a.txt", "x")
    assert "no backup of Regula" in assert_refused(regula, tmp_path / "other.zip", tmp_path).err


def assert_refused(regula, file, tmp_path):
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    done = regula("restore", file, "--home", tmp_path / "target", "--yes")
    assert done.status == 1, (file, done)
    assert_told(done)
    after = {
        path
        for path in tmp_path.rglob("*")
        if path.is_file() and path.name not in (".lock", ".restoring", ".appending")
    }
    assert after <= before, file
    return done


def assert_told(done):
    assert len(done.err.splitlines()) == 1, done.err
    assert done.err.startswith("regula: ")
    assert "Traceback" not in done.err


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Path]:
    """A disk of its own of two megabytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if (
        os.getuid()
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk],
            capture_output=True,
            check=False,
        ).returncode
    ):
        pytest.skip("a small disk can only be made by root")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


def test_on_a_full_disk_every_command_says_so_in_a_line_and_leaves_all_as_it_was(
    regula, home, small_disk, tmp_path, monkeypatch
):
    inside = small_disk / "home"
    assert regula("backup", tmp_path / "b.zip", "--home", home).status == 0
    assert (
        regula("restore", tmp_path / "b.zip", "--home", inside, "--yes").status == 1
    )  # it says how much is needed
    monkeypatch.setattr(restoring, "_MARGIN", 0)
    assert regula("restore", tmp_path / "b.zip", "--home", inside, "--yes").status == 0
    assert regula("backup", small_disk / "b.zip", "--home", inside).status == 0
    (tmp_path / "book.md").write_text(
        "# Floß\n\n" + "Wer rudert, rückt vor.\n" * 300, encoding="utf-8"
    )
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "a.yaml").write_text(
        "cards: [{id: '1', names: {de: Floß}}]\n" + "# x\n" * 3000
    )
    (tmp_path / "rulings.yaml").write_text(
        "game: kutter\nrulings: [{id: r, question: Darf ich?, answer: Ja, language: de, authority: "
        "house}]\n" + "# x\n" * 3000
    )
    (small_disk / "filler").write_bytes(b"x" * 4096)
    with suppress(OSError), (small_disk / "filler").open("ab", buffering=0) as filler:
        while filler.write(bytes(4096)):
            pass
    monkeypatch.setattr(restoring, "_check_room", lambda *_: None)
    before, backup = content(small_disk), (small_disk / "b.zip").read_bytes()
    for words in (
        ("add", tmp_path / "book.md", "--yes", "--game", "floss"),
        ("cards", "add", tmp_path / "cards", "--game", "kutter"),
        ("rulings", "add", tmp_path / "rulings.yaml"),
        ("restore", tmp_path / "b.zip", "--yes", "--replace"),
        ("backup", small_disk / "b.zip"),
    ):
        done = regula(*words, "--home", inside)
        assert done.status == 1, (words, done)
        assert "No space left" in done.err.splitlines()[-1]
        assert "Traceback" not in done.err
        assert content(small_disk) == before, words
        assert not list(small_disk.rglob("*.new")), words
    assert (small_disk / "b.zip").read_bytes() == backup
    (small_disk / "filler").unlink()
    assert (
        regula("add", tmp_path / "book.md", "--yes", "--game", "floss", "--home", inside).status
        == 0
    )


def test_only_a_backup_is_replaced_by_one(regula, home, tmp_path):
    (tmp_path / "heft.pdf").write_bytes(b"precious")
    done = regula("backup", tmp_path / "heft.pdf", "--home", home)
    assert (done.status, "name another file" in done.err) == (2, True)
    assert (tmp_path / "heft.pdf").read_bytes() == b"precious"
    assert regula("backup", tmp_path / "b.zip", "--home", home).status == 0
    (tmp_path / "b.zip").chmod(0o640)
    assert regula("backup", tmp_path / "b.zip", "--home", home).status == 0
    assert stat.S_IMODE((tmp_path / "b.zip").stat().st_mode) == 0o640
    done = regula("backup", tmp_path / "nowhere" / "b.zip", "--home", home)
    assert done.status == 1
    assert_told(done)


def test_a_backup_in_the_workspace_is_not_in_the_next_one(regula, home, tmp_path):
    for _ in range(2):
        assert regula("backup", home / "b.zip", "--home", home).status == 0
    with zipfile.ZipFile(home / "b.zip") as packed:
        assert not [name for name in packed.namelist() if name.endswith(".zip")]


def test_links_are_followed_where_the_program_follows_them(regula, home, tmp_path):
    shutil.move(home / "phrasings", tmp_path / "phrasings")
    (home / "phrasings").symlink_to(tmp_path / "phrasings")
    (tmp_path / "secret.txt").write_text("secret")
    (home / "rulebooks" / "kutter" / "out.md").symlink_to(tmp_path / "secret.txt")
    (home / "rulebooks" / "kutter" / "round").symlink_to(home / "rulebooks")
    (home / "more").symlink_to(home)
    (home / "rulebooks" / "gone.md").symlink_to(home / "nowhere")
    done = regula("backup", tmp_path / "b.zip", "--home", home)
    assert done.status == 0, done.err
    assert "kutter/out.md: a link that leads out of the folder; left out" in done.err
    restored = regula("restore", tmp_path / "b.zip", "--home", tmp_path / "new", "--yes")
    assert restored.status == 0, restored.err
    found = content(tmp_path / "new")
    assert found["phrasings/kutter-de-1.yaml"] == b"{}\n"
    assert b"secret" not in found.values()
    assert not (tmp_path / "new" / "phrasings").is_symlink()


@pytest.mark.parametrize("rounds", [12])
def test_a_backup_that_is_made_while_people_edit_has_all_as_it_was_at_one_time(
    home, tmp_path, rounds
):
    """Two files are changed together all the while, and feedback comes in."""
    over, store = threading.Event(), FeedbackStore(home)
    kept: list[str] = []

    def change(number):
        with changed_workspace(home) as changes:
            for name in ("concepts/kutter.yaml", "rulings/kutter/house.yaml"):
                changes.write(home / name, f"# {number}\n".encode())

    def edit():
        number = 0
        while not over.is_set():
            number += 1
            change(number)
            over.wait(0.02)

    def tell():
        while not over.is_set():
            each = record("Wann?")
            store.append(each, synced=False)
            kept.append(each.id)
            over.wait(0.005)

    change(0)
    workers = [threading.Thread(target=work) for work in (edit, tell)]
    for worker in workers:
        worker.start()
    found = set()
    try:
        for number in range(rounds):
            known = len(kept)
            backing_up.back_up(
                tmp_path / "b.zip", backing_up.BackupContents(home, home / "index"), lambda _: None
            )
            with archive.open_backup(tmp_path / "b.zip") as backup:
                both = {
                    backup.read(f"workspace/{name}")
                    for name in ("concepts/kutter.yaml", "rulings/kutter/house.yaml")
                }
                shutil.rmtree(tmp_path / "out", ignore_errors=True)
                backup.extract(backup.manifest.within("workspace"), tmp_path / "out")
            assert len(both) == 1, number
            found |= both
            read = FeedbackStore(tmp_path / "out" / "workspace").read()
            assert {each.id for each in read.records} >= set(kept[:known])
            assert [note for note in read.notes if "line 1:" not in note] == []
    finally:
        over.set()
        for worker in workers:
            worker.join(10)
    assert len(found) > 1


def test_a_workspace_that_changes_each_time_is_told(home, tmp_path, monkeypatch):
    (tmp_path / "b.zip").write_bytes(b"")
    whole = archive.pieces

    def touched(*given):
        (home / "notes of mine" / "ä ö.txt").write_text(f"{id(given)}{given}")
        (home / "new.txt").write_bytes(
            (home / "new.txt").read_bytes() + b"x" if (home / "new.txt").exists() else b"x"
        )
        return whole(*given)

    monkeypatch.setattr(backing_up, "pieces", touched)
    with pytest.raises(archive.BackupError, match="changed each time"):
        backing_up.back_up(
            tmp_path / "b.zip", backing_up.BackupContents(home, home / "index"), lambda _: None
        )
    assert (tmp_path / "b.zip").read_bytes() == b""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.zip", "home"]


def test_feedback_that_comes_in_while_a_backup_is_restored_is_not_lost(regula, home, tmp_path):
    assert regula("backup", tmp_path / "b.zip", "--home", home).status == 0
    store, over = FeedbackStore(home), threading.Event()
    kept: list[str] = []

    def tell():
        while not over.is_set():
            each = record("Wann?")
            store.append(each, synced=False)
            kept.append(each.id)

    worker = threading.Thread(target=tell)
    worker.start()
    seen: set[str] = set()
    try:
        for _ in range(8):
            assert (
                regula("restore", tmp_path / "b.zip", "--home", home, "--yes", "--replace").status
                == 0
            )
            (aside,) = home.glob(".before-restore-*")
            seen |= {each.id for each in FeedbackStore(aside).read().records}
    finally:
        over.set()
        worker.join(10)
    seen |= {each.id for each in store.read().records}
    assert len(kept) > 20
    assert set(kept) - seen == set()


def test_one_restores_at_a_time_and_waits_for_who_changes(regula, home, tmp_path):
    assert regula("backup", tmp_path / "b.zip", "--home", home).status == 0
    with held(home / ".restoring"):
        done = regula("restore", tmp_path / "b.zip", "--home", home, "--yes", "--replace")
    assert done.status == 1
    assert "another process" in done.err
    with ChangeScope.of_workspace(home).changing():
        restoring_now = threading.Thread(
            target=restoring.restore_workspace,
            args=(_opened(tmp_path / "b.zip"), home, (), True),
            daemon=True,
        )
        restoring_now.start()
        restoring_now.join(0.5)
        assert not list(home.glob(".before-restore-*/rulebooks"))
    restoring_now.join(20)
    assert list(home.glob(".before-restore-*/rulebooks"))


def _opened(file):
    packed = zipfile.ZipFile(file)
    return archive.Backup(
        packed, archive.Manifest.model_validate_json(packed.read(archive.MANIFEST))
    )
