"""`regula changes`, what a build says of new versions, and `/v1/editions/{id}/changes`."""

import json
import shutil

import pytest
import yaml

from corpus import identify, read_folder
from corpus.edition_files import FOLDER
from corpus.read import read
from index.building.snapshots import FORMAT, Snapshots, file_digest
from index.library import library as libraries
from index.library.library import assemble_library
from service.cli import main
from service.editions.edition_changes import describe_new_versions
from service.web.app import create_app
from tests.altering import Altered
from tests.conftest import SAMPLE, rulebook_of
from tests.service.harbour import Harbour, Indexes

OLD, NEW = "pegelwacht-de-1.0", "pegelwacht-de-1.1"


def regula(capsys, *arguments, rulebooks=SAMPLE, index=None):
    places = ["--rulebooks", str(rulebooks), *(["--index", str(index)] if index else [])]
    with pytest.raises(SystemExit) as left:
        main([*arguments, *places])
    out, err = capsys.readouterr()
    return int(left.value.code or 0), out, err


def altered(rulebook_folder, version=None, *steps):
    copy = Altered(rulebook_of(rulebook_folder, NEW), 5)
    for step in steps or ("rename", "delete", "reword"):
        getattr(copy, step)()
    if version:
        copy.bump(version)
    return copy.document(top=2)


@pytest.fixture
def snapshots(tmp_path, sample, sample_library) -> Snapshots:
    """A published snapshot of the sample, without what searching needs."""
    found = Snapshots(tmp_path / "index")
    _publish(found, sample, sample_library, "20260101T000000-aaaaaaaa")
    return found


def _publish(snapshots, rulebook_folder, library, id):
    with snapshots.building() as place:
        libraries.save_library(library, place, [r.document for r in rulebook_folder.rulebooks])
        files = {
            str(path.relative_to(place)): file_digest(path)
            for path in place.rglob("*")
            if path.is_file()
        }
        (place / "manifest.json").write_text(json.dumps({"format": FORMAT, "files": files}))
        snapshots.publish(place, id)


def test_without_a_name_every_edition_with_an_older_version_is_reported(capsys, tmp_path):
    status, out, _ = regula(capsys, "changes", index=tmp_path)
    assert status == 0
    assert out.startswith(f"{OLD} → {NEW}\n")
    assert "entries    new 9  gone 1  renamed 2" in out
    assert "286 → –     gone: Gezeitenwürfel" in out
    assert "81 → 82    ANGRIFF → ANGRIFF (LOTSE)" in out
    assert "pegelduell" not in out


def test_json_has_all_of_it(capsys, tmp_path):
    _, out, _ = regula(capsys, "changes", NEW, "--check", "--json", index=tmp_path)
    body = json.loads(out)
    assert (body["left"], body["right"]) == (OLD, NEW)
    assert body["summary"]["entries"]["new"] == 9
    assert body["summary"]["passages"]["reworded"] == 6
    assert body["corrections"] == {"carried": 17, "moved": [], "unfit": []}
    assert body["concepts"]["carried"] == 86
    assert {e["care"] for e in body["attention"]} == {
        "ruling-outdated",
        "substance",
        "entry-renamed",
        "doubtful",
        "reference-lost",
        "finding",
    }
    assert all(change["became"] != ["same"] for change in body["entries"])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["no-such"], "no edition and no file 'no-such'"),
        (["pegelduell-de-2.0"], "no older version is here"),
        (["--draft"], "name the new version"),
    ],
)
def test_what_cannot_be_compared_is_told_in_one_line(capsys, tmp_path, arguments, told):
    status, _, err = regula(capsys, "changes", *arguments, index=tmp_path)
    assert status == 2
    assert told in err
    assert len(err.strip().splitlines()) == 1


def test_a_file_from_elsewhere_is_compared_with_the_edition_it_is(capsys, tmp_path, sample):
    file = tmp_path / "dropped.txt"
    file.write_text(altered(sample).text, encoding="utf-8")
    _, out, _ = regula(capsys, "changes", str(file), "--json", index=tmp_path / "index")
    body = json.loads(out)
    assert body["right"] == NEW
    assert body["left"].startswith(f"{NEW}@")
    assert {
        k: v for k, v in body["summary"]["entries"].items() if v and k not in ("same", "references")
    } == {
        "gone": 1,
        "renamed": 1,
        "reworded": 1,
    }
    assert len(body["corrections"]["moved"]) == 17


def test_a_newer_version_in_the_folder_is_named_and_its_draft_describes_it(
    capsys, tmp_path, sample
):
    folder = tmp_path / "rulebooks"
    shutil.copytree(SAMPLE, folder)
    (folder / "zz-new.txt").write_text(altered(sample, "1.2").text, encoding="utf-8")
    status, out, err = regula(
        capsys,
        "changes",
        "pegelwacht-de-1.2",
        "--draft",
        rulebooks=folder,
        index=tmp_path / "index",
    )
    assert status == 0
    assert "zz-new.txt: taken for a newer version of pegelwacht-de-1.1" in err
    described = tmp_path / "editions"
    shutil.copytree(FOLDER, described)
    (described / "pegelwacht-de-1.2.yaml").write_text(out, encoding="utf-8")
    book = rulebook_of(read_folder(folder, described), "pegelwacht-de-1.2")
    assert book.edition.known
    assert book.edition.version == "1.2"
    assert book.unfit == ()
    assert len(book.edition.corrections) == len(rulebook_of(sample, NEW).edition.corrections)
    assert all(c.anchor for c in book.edition.corrections)
    assert book.entries == rulebook_of(read_folder(folder), "pegelwacht-de-1.2").entries, (
        "read as before it was described"
    )


def test_a_draft_only_mentions_corrections_that_no_longer_fit(capsys, tmp_path, sample):
    lines = altered(sample, "1.2").text.splitlines()
    gone = [line for line in lines if "Schlüselworte" not in line]
    file = tmp_path / "new.txt"
    file.write_text("\n".join(gone), encoding="utf-8")
    _, out, _ = regula(capsys, "changes", str(file), "--draft", index=tmp_path / "index")
    assert len(yaml.safe_load(out)["corrections"]) == 16
    assert "# not found again: line 449, reference: misspelled" in out


def test_a_replaced_file_is_compared_with_the_published_one(capsys, tmp_path, sample, snapshots):
    folder = tmp_path / "rulebooks"
    shutil.copytree(SAMPLE, folder)
    (folder / f"{NEW}.txt").write_text(altered(sample).text, encoding="utf-8")
    _, out, _ = regula(capsys, "changes", NEW, "--json", rulebooks=folder, index=snapshots.folder)
    body = json.loads(out)
    assert body["left"] == f"{NEW}@{rulebook_of(sample, NEW).document.sha256[:8]}"
    assert body["summary"]["entries"]["renamed"] == 1


def test_a_build_says_in_a_line_what_changed(tmp_path, sample, snapshots):
    folder = tmp_path / "rulebooks"
    shutil.copytree(SAMPLE, folder)
    (folder / f"{NEW}.txt").write_text(
        altered(sample, None, "rename", "delete", "split").text, encoding="utf-8"
    )
    old = snapshots.current()
    changed = read_folder(folder)
    _publish(snapshots, changed, assemble_library(changed.rulebooks), "20260102T000000-bbbbbbbb")
    new = snapshots.current()
    assert old is not None
    assert new is not None
    (line,) = describe_new_versions(snapshots, old, new)
    assert line.startswith(f"{NEW}: 1 gone, ")
    assert line.endswith(f"see 'regula changes {NEW}'")
    assert list(describe_new_versions(snapshots, new, new)) == []


def test_the_api_says_what_changed_against_the_version_before(sample_library):
    client = create_app(Indexes(Harbour(sample_library))).test_client()
    body = client.get(f"/v1/editions/{NEW}/changes").json
    assert (body["left"], body["right"]) == (OLD, NEW)
    assert body["summary"]["entries"]["renamed"] == 2
    assert body["corrections"] is None
    assert body["findings"] is None
    for path in (f"/v1/editions/{OLD}/changes", "/v1/editions/no-such/changes"):
        assert client.get(path).status_code == 404


def test_an_adopted_version_is_read_like_the_edition_it_succeeds(sample):
    document = altered(sample, "1.2", "reword")
    edition = identify(document)
    assert edition is not None
    book, old = read(document, edition), rulebook_of(sample, NEW)
    assert [(e.kind, e.heading) for e in book.entries] == [(e.kind, e.heading) for e in old.entries]
