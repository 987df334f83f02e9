import contextlib
import hashlib
import random

import pytest

from corpus import Document, UnreadableDocument

GERMAN = (
    "Pegelduell\r\n\r\nDie Fähre übersetzt für höchstens zwei Öl. Während der Ebbe müssen alle "
    "Kähne „trocken“ liegen – außer Lotsen.\r\n"
    "• Größere Kähne zählen doppelt … 3 Öl heißt „voll“.\r\n"
)
ITALIAN = (
    "Duello di marea\n\nIl pilota può pescare perché è la città più alta. L’onda «torna» "
    "così: metà dell’olio – già pagato – è lì.\n"
)
FRENCH = (
    "Duel de marée\n\nLe pilote pêche où l’eau est à côté : « déjà payé », ça coûte 2 "
    "huiles. Naïf, il reçoit un nœud.\n"
)
SPANISH = (
    "Duelo de marea\n\n¿Cuándo sube el agua? El piloto de mañana también pagará el "
    "aceite «extra» según la acción número 1.ª.\n"
)


def read(raw):
    return Document.from_bytes("rules", raw)


@pytest.mark.parametrize("text", [GERMAN, ITALIAN, FRENCH, SPANISH])
@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be", "cp1252", "mac-roman"],
)
def test_the_text_is_that_which_was_written_in_whatever_encoding(text, encoding):
    assert read(text.encode(encoding)).text == text


@pytest.mark.parametrize("text", [GERMAN, ITALIAN, FRENCH, SPANISH])
@pytest.mark.parametrize("encoding", ["latin-1", "iso8859-15", "cp850"])
def test_encodings_without_quotation_marks_are_told_too(text, encoding):
    raw = text.translate(str.maketrans("„“’–…•«»", '""\'-.*""')).encode(encoding, "replace")
    assert read(raw).text == raw.decode(encoding)


def test_the_euro_sign_tells_the_newer_of_two_encodings():
    text = "Der Kahn kostet 3 € für Gäste.\n"
    assert read(text.encode("iso8859-15")).text == text
    assert read(text.encode("cp1252")).text == text


def test_a_byte_that_is_wrong_spoils_no_other_letter():
    raw = GERMAN.encode() * 5
    at = raw.index("für".encode())
    assert read(raw[:at] + b"f\xfcr" + raw[at + 4 :]).text == GERMAN * 5


def test_utf_8_stays_as_it_is_to_the_byte():
    raw = "\ufeffÖl\r\nKahn\rLotse\u2028Ebbe\n".encode()
    document = read(raw)
    assert document.text.encode() == raw
    assert document.sha256 == document.text_sha256 == hashlib.sha256(raw).hexdigest()
    assert document.raw is None


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_file_and_text_have_hashes_of_their_own_where_they_differ(encoding):
    raw = GERMAN.encode(encoding)
    document = read(raw)
    assert document.raw == raw
    assert document.sha256 == hashlib.sha256(raw).hexdigest()
    assert document.text_sha256 == hashlib.sha256(GERMAN.encode()).hexdigest()


def test_an_alphabet_of_another_kind_is_read():
    text = (
        "Правила игры. Лоцман может взять две карты, если вода поднялась. Затем он платит "
        "маслом за каждую лодку.\n" * 5
    )
    assert read(text.encode("cp1251")).text == text


def test_what_is_no_text_is_said_to_be_so_in_one_line():
    for raw in (
        b"PK\0\1",
        b"\x7fXYZ\0\0\1\2\0\xf0\xf1",
        b"\xff\xfe\0",
        random.Random(3).randbytes(5_000).replace(b"\0", b"\1"),
    ):
        with pytest.raises(
            UnreadableDocument,
            match=r"^rules: (an image|binary, not text|not UTF-8 at byte \d+).*; left out$",
        ):
            read(raw)


def test_no_bytes_make_it_fail_in_another_way():
    rng = random.Random(18)
    for length in range(300):
        raw = rng.choice(
            [b"", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\xef\xbb\xbf"]
        ) + rng.randbytes(length % 40)
        if not raw.startswith((b"%PDF", b"PK")) and raw.strip():
            with contextlib.suppress(UnreadableDocument):
                assert read(raw).text.encode()
