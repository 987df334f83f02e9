from dataclasses import replace

import pytest

from corpus import Document, identify, read_folder
from corpus.data_files import DataFileError
from corpus.dates import date_at_start, iso_day
from corpus.edition_files import described_editions
from corpus.imprint import effective
from corpus.model import DocumentKind
from tests.conftest import SAMPLE

POLICY, FORMATS = SAMPLE.parent / "policy", SAMPLE.parent / "formats"
EDITION = (
    "id: strand-de-1\ngame: strand\nlanguage: de\nversion: '1'\ntitle: Strand\nlayout: "
    "outline\nrecognise: [STRAND]\n"
)


@pytest.mark.parametrize(
    ("printed", "language", "day"),
    [
        ("30. April 2026", "de", "2026-04-30"),
        ("1. März 2025, Seite 3", "de", "2025-03-01"),
        ("April 2026", "de", "2026-04-01"),
        ("30.04.2026", "de", "2026-04-30"),
        ("2025-02-03", "de", "2025-02-03"),
        ("05/2023", "de", "2023-05-01"),
        ("2024-03", "en", "2024-03-01"),
        ("1° maggio 2025", "it", "2025-05-01"),
        ("12/5/2025", "it", "2025-05-12"),
        ("April 29, 2022.", "en", "2022-04-29"),
        ("29th of April 2022", "en", "2022-04-29"),
        ("Sept. 3, 2025", "en", "2025-09-03"),
        ("4/13/2025", "en", "2025-04-13"),
        ("13/4/2025", "en", "2025-04-13"),
        ("1er janvier 2026", "fr", "2026-01-01"),
        ("2 de enero de 2026", "es", "2026-01-02"),
        ("1 de março de 2025", "pt", "2025-03-01"),
        ("1 maja 2025", "pl", "2025-05-01"),
        ("12 mrt. 2025", "nl", "2025-03-12"),
        ("29 April 2022", "de", "2022-04-29"),
    ],
)
def test_a_date_is_read_in_digits_and_in_words(printed, language, day):
    assert date_at_start(printed, language) == day


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("3/4/2025", "en"),
        ("31. Februar 2025", "de"),
        ("30.2.2025", "de"),
        ("1.2.2025.3", "de"),
        ("12.10.99", "de"),
        ("13/2024", "de"),
        ("1. Mai 0025", "de"),
    ],
)
def test_what_is_no_date_or_could_be_two_is_not_read(text, language):
    assert date_at_start(text, language) == ""


@pytest.mark.parametrize(
    "text",
    ["2025-6-1", "20250601", "2025-W01-1", "2025-02-30", "٢٠٢٥-٠٦-٠١", "", "2025-06-01T00:00"],
)
def test_a_day_has_one_form(text):
    with pytest.raises(ValueError, match=r"2025-06-01|day"):
        iso_day(text)


@pytest.mark.parametrize(
    ("head", "language", "day"),
    [
        ("STRAND\n\nGültig ab 30. April 2026\n", "de", "2026-04-30"),
        ("STRAND\n\n**Gültig ab:**\n1. Mai 2025\n", "de", "2025-05-01"),
        ("STRAND\nStand: Mai 2025", "de", "2025-05-01"),
        ("Stand: 3. März 2025\nDie Regeln gelten ab dem 1. Mai 2025.", "de", "2025-05-01"),
        ("Diese Fassung tritt am 3. Juni 2025 in Kraft.", "de", "2025-06-03"),
        ("In vigore dall'8 maggio 2025", "it", "2025-05-08"),
        ("Regole valide a partire dal 1° maggio 2025", "it", "2025-05-01"),
        ("These rules are effective as of April 29, 2022.", "en", "2022-04-29"),
        ("Règles en vigueur à partir du 2 mai 2025", "fr", "2025-05-02"),
        ("En vigor desde el 3 de mayo de 2025", "es", "2025-05-03"),
        ("Valid until May 1, 2025", "en", ""),
        ("Gedruckt am 1. Mai 2025", "de", ""),
        ("Stand: dritte Fassung", "de", ""),
    ],
)
def test_the_head_of_a_document_says_from_when_on_it_holds(head, language, day):
    found = effective(Document.from_bytes("strand.txt", head.encode()), language)
    assert (found.value if found else "") == day


def test_a_date_below_the_head_says_nothing_of_the_document():
    text = "STRAND\n" + "Eine Zeile Regeln.\n" * 60 + "Gültig ab 1. Mai 2025\n"
    assert effective(Document.from_bytes("strand.txt", text.encode()), "de") is None


def test_a_head_without_line_breaks_is_read_at_once():
    document = Document.from_bytes("strand.txt", ("gültig ab " * 500_000).encode())
    assert effective(document, "de") is None


def test_a_file_of_the_edition_says_the_date_before_the_document(tmp_path):
    document = Document.from_bytes("strand.txt", b"STRAND\n\nStand: 1. Mai 2025\n\nEine Welle.\n")
    for said, day in (
        ("", "2025-05-01"),
        ("effective: 2024-02-29\n", "2024-02-29"),
        ("effective: '2024-02-28'\n", "2024-02-28"),
    ):
        (tmp_path / "strand.yaml").write_text(EDITION + said, encoding="utf-8")
        assert identify(document, [tmp_path]).effective == day


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("effective: 2024-02-30", r"strand\.yaml: cannot be read: day is out of range"),
        ("effective: Mai 2025", r"strand\.yaml:8: effective: .*2025-06-01"),
        ("effective: 2025", r"strand\.yaml:8: effective: .*date"),
        ("kind: guide", r"strand\.yaml:8: kind: .*'rules', 'policy' or 'formats'"),
    ],
)
def test_a_file_with_another_date_or_kind_is_refused(tmp_path, said, message):
    (tmp_path / "strand.yaml").write_text(EDITION + said + "\n", encoding="utf-8")
    with pytest.raises(DataFileError, match=message):
        described_editions([tmp_path])


def test_the_date_of_a_newer_version_is_its_own():
    text = (
        (SAMPLE / "pegelwacht-de-1.1.txt")
        .read_text(encoding="utf-8")
        .replace("VERSION 1.1DE", "VERSION 1.2DE\nGültig ab 1. Juli 2026")
    )
    newer = identify(Document.from_bytes("neu.txt", text.encode()))
    assert (newer.succeeds, newer.effective) == ("pegelwacht-de-1.1", "2026-07-01")
    undated = identify(
        Document.from_bytes("neu.txt", text.replace("Gültig ab 1. Juli 2026", "").encode())
    )
    assert (undated.succeeds, undated.effective) == ("pegelwacht-de-1.1", "")


def test_a_policy_is_told_by_its_title_and_is_no_edition_of_the_rules():
    (policy,) = read_folder(POLICY).rulebooks
    edition = policy.edition
    assert (edition.kind, edition.game, edition.effective) == (
        DocumentKind.POLICY,
        "pegelwacht",
        "2025-05-01",
    )
    assert edition.id not in {described.edition.id for described in described_editions()}


def test_documents_on_formats_are_told_by_their_titles_in_german_and_italian():
    found = [rulebook.edition for rulebook in read_folder(FORMATS).rulebooks]
    assert {edition.language for edition in found} == {"de", "it"}
    assert {(edition.kind, edition.game, edition.effective) for edition in found} == {
        (DocumentKind.FORMATS, "pegelwacht", "2025-09-01")
    }


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("Disk Golf Turnierregeln 2025", DocumentKind.POLICY),
        ("Tournament Rules", DocumentKind.POLICY),
        ("Organized Play Guidelines", DocumentKind.POLICY),
        ("Infraction Procedure Guide", DocumentKind.POLICY),
        ("Linee guida per i tornei", DocumentKind.POLICY),
        ("Regolamento dei Tornei", DocumentKind.POLICY),
        ("Turnierformate", DocumentKind.FORMATS),
        ("Strand-Bannliste 2026", DocumentKind.FORMATS),
        ("Formati dei tornei", DocumentKind.FORMATS),
        ("Banned and Restricted List", DocumentKind.FORMATS),
        ("Umfassendes Regelwerk", DocumentKind.RULES),
        ("Regelwerk für alle Formate", DocumentKind.RULES),
        ("Regolamento Ufficiale", DocumentKind.RULES),
        ("Rules of the Tournament of Kings", DocumentKind.RULES),
    ],
)
def test_titles_of_other_documents_in_several_languages(title, kind):
    text = f"# {title}\n\n## Eins\n\nEin Satz steht hier.\n\n## Zwei\n\nNoch ein Satz steht hier.\n"
    assert (
        identify(replace(Document.from_bytes("a.md", text.encode()), folder="strand")).kind is kind
    )


def test_a_file_of_the_edition_says_its_kind_whatever_the_title(tmp_path):
    document = Document.from_bytes("strand.txt", b"STRAND\n\nEine Welle.\n")
    for title, said, kind in (
        ("Turnierregeln", "rules", DocumentKind.RULES),
        ("Strand", "policy", DocumentKind.POLICY),
        ("Strand", "formats", DocumentKind.FORMATS),
    ):
        (tmp_path / "strand.yaml").write_text(
            EDITION.replace("title: Strand", f"title: {title}") + f"kind: {said}\n",
            encoding="utf-8",
        )
        assert identify(document, [tmp_path]).kind is kind
