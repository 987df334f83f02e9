import re
import struct
import zlib
from math import ceil
from pathlib import Path
from urllib.parse import unquote

import pypdfium2
import pytest
from flask.testing import FlaskClient

from corpus import Document, identify, read
from glossary.check import check_rulebook
from service.answers.sources import citation_out
from service.core.jobs.page_pictures import WIDTHS
from service.editions import findings
from service.ops.settings import Settings
from service.web.app import create_app
from tests import paged
from tests.service.harbour import Harbour, Indexes, german
from tests.service.test_pages import Page, page

ID = "20310517-moewen"
FLIGHT = f"{paged.EDITION}/flug"
PAPER = paged.document()
ADDRESS = f"/documents/{PAPER.sha256}"


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory) -> Harbour:
    """What answers from an index with the PDF and a text file, on a disk."""
    return paged.snapshot(tmp_path_factory.mktemp("indexes") / ID)


@pytest.fixture
def client(snapshot) -> FlaskClient:
    return create_app(Indexes(snapshot)).test_client()


def ask(client, question, **more):
    return client.get("/v1/ask", query_string={"q": question, "fields": "all", **more}).get_json()[
        "passages"
    ][0]


def test_a_citation_says_page_boxes_and_text(client):
    passage = ask(client, "Leuchtturm", edition=paged.EDITION)
    source, citation = passage["citation"]["source"], passage["citation"]
    assert citation["page"] == 1
    assert source["sha256"] == PAPER.sha256 != source["text_sha256"] == PAPER.text_sha256
    assert [place["page"] for place in source["pages"]] == [1, 2]
    ((start, end),) = source["spans"]
    assert PAPER.text[start:end] == passage["text"]
    words = []
    with pypdfium2.PdfDocument(PAPER.raw) as document:
        for place in source["pages"]:
            drawn = document[place["page"] - 1]
            for left, top, right, bottom in place["boxes"]:
                height = drawn.get_height()
                words.append(
                    drawn.get_textpage().get_text_bounded(
                        left - 1, height - bottom, right + 1, height - top
                    )
                )
    assert "\n".join(words) == passage["text"]
    assert citation["label"].endswith("S. 1")  # lines count only in the text that was extracted


def test_a_citation_and_an_entry_have_the_addresses_of_their_pages(client):
    first, second = ask(client, "Leuchtturm", edition=paged.EDITION)["citation"]["source"]["pages"]
    assert [marked(page(client, place["url"].partition("#")[0])) for place in (first, second)] == [
        [540.0],
        [60.0],
    ]
    (landing,) = client.get(f"/v1/entries/{paged.EDITION}/landung").get_json()["source"]["pages"]
    assert marked(page(client, landing["url"].partition("#")[0])) == [100.0, 130.0]


def test_a_message_links_the_entry_and_the_page_as_printed(client):
    asked = {"q": "Leuchtturm", "edition": paged.EDITION}
    message = client.get("/v1/message", query_string={**asked, "format": "markdown"}).get_json()[
        "message"
    ]
    assert (
        f"Flug](http://localhost/e/{FLIGHT}), [S\\. "
        f"1](http://localhost{ADDRESS}/pages/1?entry={FLIGHT}&passage=1#passage)" in message
    )
    short = client.get(
        "/v1/message", query_string={**asked, "format": "markdown", "limit": 300}
    ).get_json()
    assert short["length"] <= 300
    assert ADDRESS not in short["message"]
    assert (
        ADDRESS
        not in client.get("/v1/message", query_string={**asked, "format": "plain"}).get_json()[
            "message"
        ]
    )


def test_a_citation_of_a_text_file_has_no_pages(client):
    source = ask(client, "Flaute", edition="sternenhafen-de-1.0")["citation"]["source"]
    assert (source["pages"], source["text_sha256"]) == ([], source["sha256"])


def test_an_entry_says_where_its_heading_stands(client):
    found = client.get(f"/v1/entries/{paged.EDITION}/landung").get_json()
    assert found["page"] == 2
    assert [(place["page"], len(place["boxes"])) for place in found["source"]["pages"]] == [(2, 1)]


def test_the_text_of_a_document_can_be_fetched_and_has_the_hash_that_citations_name(client):
    response = client.get(f"/v1{ADDRESS}/text")
    assert (response.status_code, response.content_type) == (200, "text/plain; charset=utf-8")
    assert response.data.decode() == PAPER.text
    assert response.headers["Content-Disposition"].startswith("inline; filename")
    assert unquote(response.headers["Content-Disposition"]).endswith("möwen & co.txt")
    assert (
        client.get(
            f"/v1{ADDRESS}/text", headers={"If-None-Match": response.headers["ETag"]}
        ).status_code
        == 304
    )
    text = german().document
    assert client.get(f"/v1/documents/{text.sha256}/text").data == text.text.encode()


@pytest.mark.parametrize("name", ["0" * 64, "..", "%2e%2e%2fmanifest.json", PAPER.text_sha256])
def test_no_other_file_can_be_fetched(client, name):
    assert client.get(f"/v1/documents/{name}/text").status_code == 404
    assert client.get(f"/documents/{name}").status_code == 404
    assert client.get(f"/documents/{name}/pages/1").status_code == 404
    assert client.get(f"/documents/{name}/pages/1.png").status_code == 404


def test_a_pdf_can_be_fetched_whole_and_in_parts(client):
    whole = client.get(ADDRESS)
    assert (whole.status_code, whole.mimetype, whole.data) == (200, "application/pdf", PAPER.raw)
    assert unquote(whole.headers["Content-Disposition"]).endswith("möwen & co.pdf")
    part = client.get(ADDRESS, headers={"Range": "bytes=5-9"})
    assert (part.status_code, part.data) == (206, (PAPER.raw or b"")[5:10])
    assert client.get(ADDRESS, headers={"Range": "bytes=99999999-"}).status_code == 416
    assert client.get(ADDRESS, headers={"If-None-Match": whole.headers["ETag"]}).status_code == 304
    assert client.get(f"/documents/{german().document.sha256}").status_code == 404


def pixels(png):
    """Width, height and the rows of a picture, each begins with a filter that is none; the red of
    each pixel of one with a palette.
    """
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = {}, 8
    while at < len(png):
        (size,), name = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        chunks[name] = png[at + 8 : at + 8 + size]
        assert png[at + 8 + size : at + 12 + size] == struct.pack(
            ">I", zlib.crc32(name + chunks[name])
        )
        at += 12 + size
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    rows = zlib.decompress(chunks[b"IDAT"])
    return (
        width,
        height,
        rows.translate(chunks[b"PLTE"][::3].ljust(256, b"\0")) if b"PLTE" in chunks else rows,
    )


def test_a_page_is_drawn_as_it_is_printed(client):
    width, height, rows = pixels(client.get(f"{ADDRESS}/pages/1.png").data)
    assert (width, height) == (1280, ceil(1280 * paged.HEIGHT / paged.WIDTH))
    scale, stride = width / paged.WIDTH, width + 1
    dark = {
        number
        for number in range(height)
        if min(rows[number * stride + 1 : (number + 1) * stride]) < 128
    }
    assert any(number in dark for number in range(int(60 * scale), int(75 * scale)))
    assert not any(number in dark for number in range(int(130 * scale), int(530 * scale)))


@pytest.mark.parametrize(
    ("asked", "width"),
    [
        ("1", WIDTHS[0]),
        ("1281", WIDTHS[2]),
        ("-4", 1280),
    ],
)
def test_pictures_have_one_of_a_few_widths(client, asked, width):
    assert pixels(client.get(f"{ADDRESS}/pages/2.png?width={asked}").data)[0] == width


def test_an_answer_leads_to_its_page_with_the_passage_marked(client):
    answer = page(client, f"/?q=Leuchtturm&edition={paged.EDITION}")
    (link,) = [a for a in answer.all("a") if "data-sheet" in a][:1]
    assert "Seite 1" in answer.text
    address, _, anchor = (link["href"] or "").partition("#")
    assert client.get(link["data-sheet"] or "").mimetype == "image/png"
    first = page(client, address)
    assert anchor in [rect.get("id") for rect in first.all("rect")]
    assert [img["alt"] for img in first.all("img") if img["alt"]] == [
        "Über dem Leuchtturm kreist sie eine Runde."
    ]
    assert marked(first) == [540.0]
    assert [a["href"] for a in first.all("a") if "passage=1#" in (a["href"] or "")] == [
        f"{ADDRESS}/pages/2?entry={FLIGHT}&passage=1#passage"  # where the passage goes on
    ]
    following = page(
        client, next(a["href"] or "" for a in first.all("a") if a.get("rel") == "next")
    )
    assert marked(following) == [60.0]
    assert f"/e/{FLIGHT}#p-flug-1" in following.links()
    assert not [a for a in following.all("a") if a.get("rel") == "next"]


def marked(found):
    """The upper edges of the marks on a page, in points."""
    return [float(rect["y"] or 0) + 1 for rect in found.all("rect") if rect.get("rx") == "1.5"]


def test_the_page_of_an_entry_leads_to_its_heading_and_text(client):
    entry = Page(client.get(f"/e/{paged.EDITION}/landung", headers={"Accept-Language": "it"}).text)
    (link,) = {a["href"] or "" for a in entry.all("a") if "data-sheet" in a}
    assert "Pagina 2" in entry.text
    assert ADDRESS in entry.links()
    assert marked(page(client, link.partition("#")[0])) == [100.0, 130.0]


@pytest.mark.parametrize(
    "asked", ["", "?entry=nirgends/x", f"?entry={FLIGHT}&passage=99", f"?entry={FLIGHT}&passage=²"]
)
def test_a_page_without_anything_to_mark_is_shown_too(client, asked):
    shown = page(client, f"{ADDRESS}/pages/2{asked}")
    assert marked(shown) == []
    assert "Seite 2 von 2" in [img["alt"] for img in shown.all("img")]


def test_pages_that_are_not_there_are_not_shown(client):
    for number in ("0", "3", "99999999999", "x", "²", "-1"):
        assert client.get(f"{ADDRESS}/pages/{number}").status_code == 404
        assert client.get(f"{ADDRESS}/pages/{number}.png").status_code == 404


def test_documents_can_be_kept_from_being_shown(snapshot):
    client = create_app(Indexes(snapshot), Settings(show_documents=False)).test_client()
    for address in (ADDRESS, f"{ADDRESS}/pages/1", f"{ADDRESS}/pages/1.png"):
        assert client.get(address).status_code == 404
    assert "/documents/" not in client.get(f"/?q=Leuchtturm&edition={paged.EDITION}").text
    assert client.get(f"/v1{ADDRESS}/text").status_code == 200
    citation = ask(client, "Leuchtturm", edition=paged.EDITION)["citation"]
    assert citation["page"] == 1
    led = client.get(citation["source"]["pages"][0]["url"])
    assert (led.status_code, led.location) == (302, f"/e/{FLIGHT}#p-flug-1")


def test_a_citation_of_a_document_that_is_gone_leads_to_the_entry(client):
    led = client.get(f"/documents/{'0' * 64}/pages/1?entry={FLIGHT}&passage=1")
    assert (led.status_code, led.location) == (302, f"/e/{FLIGHT}#p-flug-1")
    assert client.get(f"/documents/{'0' * 64}/pages/1?entry=nirgends/x").status_code == 404


def test_a_damaged_document_harms_nobody(tmp_path):
    place = tmp_path / ID
    found = paged.snapshot(place)
    path = place / "documents" / PAPER.sha256
    path.write_bytes(b"%PDF-1.7\n" + re.sub(rb"\d", b"7", path.read_bytes()[9:]))
    paged.sign(place)
    client = create_app(Indexes(found)).test_client()
    assert client.get(f"{ADDRESS}/pages/1.png").status_code == 404
    assert client.get(f"{ADDRESS}/pages/1").status_code == 200
    path.write_bytes(b"%PDF")
    assert client.get(f"{ADDRESS}/pages/2.png").status_code == 503


def test_the_printed_page_is_cited_beside_the_sheet(tmp_path):
    raw = (Path(__file__).parents[1] / "corpus" / "small" / "spread.pdf").read_bytes()
    document = Document.from_bytes("spread.pdf", raw)
    snapshot = paged.snapshot(tmp_path / ID, read(document, identify(document)))
    client = create_app(Indexes(snapshot)).test_client()
    told = next(p for p in snapshot.library.passages if "getauscht" in p.text)
    citation = citation_out(snapshot.library, told).model_dump()
    assert (citation["page"], citation["printed"]) == (1, "4")
    assert citation["label"].endswith("S. 4")
    assert [(each["page"], each["printed"]) for each in citation["source"]["pages"]] == [(1, "4")]
    shown = client.get(f"/documents/{document.sha256}/pages/2", headers={"Accept-Language": "de"})
    assert "Seite 2–3 (Blatt 2 von 2)" in shown.get_data(as_text=True)


def test_the_page_of_an_edition_says_what_of_it_was_read_in_doubt(client, monkeypatch):
    book = paged.rulebook()
    found = {paged.EDITION: check_rulebook(book, [book], [])}
    monkeypatch.setattr(findings, "finished_findings", lambda snapshot: found)
    response = client.get(f"/browse/{paged.EDITION}", headers={"Accept-Language": "de"})
    sentence = "Seite 2: Zeilen sind übereinander gedruckt, jede wurde für sich gelesen"
    assert sentence in response.text
    assert f"/state/{paged.EDITION}?sort=unread" in response.text
