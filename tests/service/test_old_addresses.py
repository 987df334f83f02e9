from corpus import read_folder
from index.building.former_stage import _keep
from index.library.former_entries import FormerEntries
from index.library.library import assemble_library
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes

LIFT = "2.1 Wer am Zug ist, hebt eine Kiste aus dem Lager."
TURN = "2.2 Danach dreht sich der Kran um ein Feld nach links."
DROP = "2.3 Zum Schluss setzt man die Kiste behutsam ab."
WIND = "2.1 Vor dem Zug wird der Wind mit zwei Würfeln bestimmt."
NEW = (WIND, LIFT.replace("2.1", "2.2"), DROP.replace("behutsam", "leise"))


def library(folder, version, *rules):
    """Return the library of one rulebook of the game "kran" with ``rules``."""
    (folder / "kran").mkdir(parents=True, exist_ok=True)
    text = f"# Kran\n\n{version}\n\n## 1. Aufbau\n\n1.1 Der Kran steht im Hafen.\n\n## 2. Zug\n\n"
    (folder / "kran" / "kran.md").write_text(text + "\n\n".join(rules), encoding="utf-8")
    return assemble_library(read_folder(folder).rulebooks)


def client(folder, old, new):
    """Return a client of a service with the library ``new``, published after ``old``."""
    _keep(FormerEntries(folder), old, new)
    indexes = Indexes(Harbour(new))
    snapshot = indexes.current()
    assert snapshot is not None
    snapshot.folder = folder / "index"
    return create_app(indexes).test_client()


def test_an_address_of_a_version_that_was_replaced_leads_on(tmp_path):
    old = library(tmp_path / "1", "Version 1.0", LIFT, TURN, DROP)
    new = library(tmp_path / "2", "Version 1.1", *NEW)
    assert set(old.edition) == {"kran-de-1.0"}
    known = FormerEntries(tmp_path)
    _keep(known, old, new)
    assert known.find("kran-de-1.0/2.1").now == "kran-de-1.1/2.2"
    assert known.find("kran-de-1.0/2.3").now == "kran-de-1.1/2.3"
    assert known.find("kran-de-1.0/2.3").reworded
    gone = known.find("kran-de-1.0/2.2")
    assert (gone.now, gone.near[0]) == ("", "kran-de-1.1/2")
    assert known.find("kran-de-1.0").now == "kran-de-1.1"
    third = library(tmp_path / "3", "Version 1.2", LIFT, DROP.replace("2.3", "2.2"))
    _keep(known, new, third)
    assert known.find("kran-de-1.0/2.1").now == "kran-de-1.2/2.1"
    assert known.find("kran-de-1.0/1.1").now == "kran-de-1.2/1.1"
    _keep(known, third, old)
    assert known.find("kran-de-1.0/2.1") is None, "it is back where it was"


def test_pages_and_calls_lead_on_and_say_what_has_changed(tmp_path):
    old = library(tmp_path / "1", "Version 1.0", LIFT, TURN, DROP)
    http = client(tmp_path, old, library(tmp_path / "2", "Version 1.1", *NEW))
    moved = http.get("/e/kran-de-1.0/2.1")
    assert moved.status_code == 302
    assert moved.location == "/e/kran-de-1.1/2.2?was=kran-de-1.0%2F2.1"
    text = http.get(moved.location, headers={"Accept-Language": "de"}).text
    assert "Die Stelle ist von 2.1 nach 2.2 gerückt." in text
    assert "Der Wortlaut ist derselbe." in text
    reworded = http.get("/e/kran-de-1.0/2.3", follow_redirects=True)
    assert "It has been reworded." in reworded.text
    gone = http.get("/e/kran-de-1.0/2.2", headers={"Accept-Language": "it"})
    assert gone.status_code == 404
    assert "Questa voce non c’è più" in gone.text
    assert 'href="/e/kran-de-1.1/2"' in gone.text
    assert http.get("/browse/kran-de-1.0").location == "/browse/kran-de-1.1"
    call = http.get("/v1/entries/kran-de-1.0/2.1")
    assert call.status_code == 308
    body = http.get(call.location).json
    assert body["id"] == "kran-de-1.1/2.2"
    assert body["follows"]["number"] == "2.1"
    assert "around it were" in http.get("/v1/entries/kran-de-1.0/2.2").json["detail"]
    assert http.get("/e/kran-de-1.0/7").status_code == 404


def test_an_address_that_another_rule_has_now_says_so(tmp_path):
    old = library(tmp_path / "1", "", LIFT, TURN)
    http = client(tmp_path, old, library(tmp_path / "2", "", WIND, LIFT.replace("2.1", "2.2")))
    text = http.get("/e/kran-de/2.1").text
    assert "another rule was at this address" in text
    assert 'href="/e/kran-de/2.2?was=kran-de/2.1"' in text


def test_every_address_of_an_entry_leads_on_with_what_it_asks(tmp_path):
    old = library(tmp_path / "1", "Version 1.0", LIFT, TURN, DROP)
    http = client(tmp_path, old, library(tmp_path / "2", "Version 1.1", *NEW))
    preview = http.get("/e/kran-de-1.0/2.1?part=preview")
    assert preview.location == "/e/kran-de-1.1/2.2?part=preview&was=kran-de-1.0%2F2.1"
    assert http.head("/e/kran-de-1.0/2.1").status_code == 302
    screen = http.get("/screen/e/kran-de-1.0/2.1?n=1")
    assert screen.status_code == 302
    assert "hebt eine Kiste" in http.get(screen.location).text
    gone = http.get("/screen/e/kran-de-1.0/2.2", headers={"Accept-Language": "de"})
    assert gone.status_code == 404
    assert 'href="/e/kran-de-1.1/2"' in gone.text


def test_questions_to_an_edition_that_was_replaced_go_to_the_one_that_follows(tmp_path):
    old = library(tmp_path / "1", "Version 1.0", LIFT, TURN, DROP)
    http = client(tmp_path, old, library(tmp_path / "2", "Version 1.1", *NEW))
    for address, status in (("/?q=Kiste", 302), ("/v1/ask?q=Kiste", 308), ("/v1/entries?k=1", 308)):
        led = http.get(f"{address}&edition=kran-de-1.0")
        assert led.status_code == status
        assert led.location == f"{address}&edition=kran-de-1.1"
    assert http.get("/v1/ask?q=Kiste&edition=kran-de-0.1").status_code == 422


def test_a_question_in_a_body_to_an_edition_that_was_replaced_is_answered_with_a_note(tmp_path):
    old = library(tmp_path / "1", "Version 1.0", LIFT, TURN, DROP)
    http = client(tmp_path, old, library(tmp_path / "2", "Version 1.1", *NEW))
    asked = {"question": "Wer hebt eine Kiste?", "edition": "kran-de-1.0"}
    answer = http.post("/v1/ask", json=asked).json
    assert "/e/kran-de-1.1/" in answer["passages"][0]["url"]
    (note,) = answer["notes"]
    assert note["code"] == "edition-replaced"
    assert "kran-de-1.1" in note["text"]
    rows = {"questions": [{"id": "1", **asked}]}
    response = http.post("/v1/batch", json=rows).json["responses"][0]["response"]
    assert response["notes"] == [note]
    assert http.post("/v1/ask", json={**asked, "edition": "kran-de-0.1"}).status_code == 422


def test_the_address_of_a_document_leads_to_the_edition_that_replaced_it(tmp_path):
    old = library(tmp_path / "1", "Version 1.0", LIFT, TURN, DROP)
    new = library(tmp_path / "2", "Version 1.1", *NEW)
    http = client(tmp_path, old, new)
    sha256, now = old.sources["kran-de-1.0"].sha256, new.sources["kran-de-1.1"].sha256
    assert http.get(f"/documents/{sha256}").location == "/browse/kran-de-1.1"
    page = f"/documents/{sha256}/pages/1"
    assert http.get(page).location == "/browse/kran-de-1.1"
    cited = http.get(f"{page}?entry=kran-de-1.0/2.1&passage=0")
    assert cited.location == "/e/kran-de-1.1/2.2?was=kran-de-1.0%2F2.1"
    text = http.get(f"/v1/documents/{sha256}/text")
    assert text.status_code == 404
    assert f"/v1/documents/{now}/text" in text.json["detail"]
    _keep(FormerEntries(tmp_path), new, old)
    assert FormerEntries(tmp_path).find(f"documents/{sha256}") is None, "it is back"
    assert http.get("/documents/0123").status_code == 404


def test_an_entry_of_an_older_version_says_where_it_is_in_the_newer_one(tmp_path):
    library(tmp_path, "Version 1.0", LIFT, TURN, DROP)
    (tmp_path / "kran" / "kran.md").rename(tmp_path / "kran" / "old.md")
    both = library(tmp_path, "Version 1.1", *NEW)
    http = create_app(Indexes(Harbour(both))).test_client()
    text = http.get("/e/kran-de-1.0/2.1", headers={"Accept-Language": "de"}).text
    assert "Eine neuere Fassung ist geladen" in text
    assert 'href="/e/kran-de-1.1/2.2' in text
    assert "neuere Fassung" not in http.get("/e/kran-de-1.1/2.2").text
