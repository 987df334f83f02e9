import pytest

from corpus import Document, imprint
from tests.corpus.pdf_maker import PrintedRulebook


def read(line, language):
    text = f"# Spiel\n\n{line}\n\n## Aufbau\n\nJede Person nimmt drei Fische.\n"
    document = Document.from_bytes("spiel.md", text.encode())
    found = imprint.version(document), imprint.effective(document, language)
    return tuple(each.value if each else "" for each in found)


@pytest.mark.parametrize(
    ("language", "line", "version", "date"),
    [
        ("de", "Fassung 2.1", "2.1", ""),
        ("de", "Revision 230712", "230712", ""),
        ("de", "(rev. 4)", "4", ""),
        ("de", "Version 3.1, rev. 7", "3.1", ""),
        ("de", "Fassung 2.1 – Stand: März 2025", "2.1", "2025-03-01"),
        ("de", "Stand: März 2025", "März 2025", "2025-03-01"),
        ("de", "Stand 05/2023", "05/2023", "2023-05-01"),
        ("de", "Stand: Saison 2023/24", "Saison 2023/24", ""),
        ("it", "Aggiornamento: stagione 2020/21", "2020/21", ""),
        ("de", "Regelstand: 1. Mai 2024", "1. Mai 2024", "2024-05-01"),
        ("de", "gültig ab 1. Juli 2023", "1. Juli 2023", "2023-07-01"),
        (
            "de",
            "Beschluss vom 21.10.2021, geändert am 22.09.2022, 19.10.2023 und 26.09.2024",
            "26.09.2024",
            "2024-09-26",
        ),
        ("de", "Beschlossen vom Vorstand am 04.05.2020 in Bremen", "04.05.2020", "2020-05-04"),
        ("de", "Beschlossen am 1.2.2015, zuletzt geändert am 3.6.2023", "3.6.2023", "2023-06-03"),
        ("de", "Diese Regeln gelten in der Fassung 2.1.", "2.1", ""),
        ("de", "Dies ist Version 2.1 der Regeln vom 3. Mai 2024.", "2.1", "2024-05-03"),
        ("de", "2., erweiterte Auflage 2019", "2", ""),
        ("de", "Satzung in der Fassung vom 12.05.2023", "12.05.2023", "2023-05-12"),
        (
            "de",
            "Diese Satzung wurde von den Mitgliedern am 08. März 2024 in Kiel beschlossen.",
            "08. März 2024",
            "2024-03-08",
        ),
        ("de", "Regeln für das Turnier, Regelversion 1.3", "1.3", ""),
        ("de", "Version 1.2, Lizenz CC BY-SA 4.0", "1.2", ""),
        ("de", "Version 2: Mai 2024", "2", "2024-05-01"),
        ("it", "Aggiornato all'anno 2025/2026", "2025/2026", ""),
        ("it", "v. 3.2 del 1/9/2024", "3.2", "2024-09-01"),
        ("it", "Edizione 2023", "2023", ""),
        ("it", "Seconda edizione", "2", ""),
        ("it", "in vigore dal 1° gennaio 2024", "1° gennaio 2024", "2024-01-01"),
        ("it", "Approvato con delibera n. 12 del 3/4/2021", "3/4/2021", "2021-04-03"),
        ("it", "Versione 1.4 (marzo 2022)", "1.4", "2022-03-01"),
        ("en", "Edition 4", "4", ""),
        ("en", "2nd edition, rev. 7", "2", ""),
        ("en", "Version: 2024-03", "2024-03", "2024-03-01"),
        ("en", "Rev. 7", "7", ""),
        ("en", "CC BY-SA 4.0 – Version 1.2", "1.2", ""),
        ("en", "Last updated: 3 May 2024", "3 May 2024", "2024-05-03"),
        ("fr", "mise à jour : mars 2021", "mars 2021", "2021-03-01"),
        ("fr", "2e édition", "2", ""),
        ("es", "versión 3.0", "3.0", ""),
        ("es", "Actualizado en enero de 2024", "enero de 2024", "2024-01-01"),
    ],
)
def test_a_version_and_its_date_are_read(language, line, version, date):
    assert read(line, language) == (version, date)


@pytest.mark.parametrize(
    "line",
    [
        "Lizenz: GNU General Public License, Version 3",
        "GNU Free Documentation License\nVersion 1.3, November 2008",
        "CC BY-SA 4.0",
        "erstellt mit Word 16.0",
        "gesetzt in LaTeX 2e",
        "Made with Scribus version 1.5",
        "Apache License, Version 2.0",
        "Es gilt die Sportordnung des Verbands in der Fassung 4.2.",
        "Nach den FIDE-Regeln, Version 2023",
        "Die Sportordnung des Verbands wurde am 3.5.2020 beschlossen.",
        "Diese Regeln ersetzen die Version 1.2.",
        "Based on version 3.1 of the base game",
        "Kompatibel mit Version 2 des Grundspiels",
        "Änderungen seit Version 1.3",
        "Die Karten der Edition 4 sind nicht erlaubt.",
        "Version 2: Für Fortgeschrittene",
        "Auflage: 1000 Stück",
    ],
)
def test_another_version_is_not_that_of_the_document(line):
    assert read(line, "de")[0] == ""


def test_a_running_head_and_the_last_lines_say_it_where_the_top_does_not():
    printed = PrintedRulebook(head="Beitragsordnung – Stand 07/2022")
    for number, heading in enumerate(("Grundsatz", "Beitrag"), 1):
        printed.heading(f"§ {number} {heading}")
        printed.paragraph("Der Beitrag beträgt zwölf Euro im Monat. " * 40)
    document = Document.from_bytes("ordnung.pdf", printed.printed())
    version, date = imprint.version(document), imprint.effective(document, "de")
    assert version is not None
    assert date is not None
    assert (version.value, date.value) == ("07/2022", "2022-07-01")
    assert version.at >= len(document.body.text)
    text = "Satzung\n\n" + "Eine Zeile Regeln.\n" * 80
    for last in ("Diese Satzung tritt am 1. Mai 2025 in Kraft.\n", "Version 1.4, Mai 2025\n"):
        document = Document.from_bytes("satzung.txt", (text + last).encode())
        found = imprint.effective(document, "de") or imprint.version(document)
        assert found is not None
        assert (found.value, found.at) in (("2025-05-01", len(text)), ("1.4", len(text)))


@pytest.mark.parametrize(
    ("line", "date"),
    [
        ("beschlossen am 05.03.2016", "2016-03-05"),
        ("Sie wurde am 05.03.2016 nicht beschlossen", ""),
    ],
)
def test_a_last_line_says_when_a_document_was_adopted(line, date):
    rules = "Eine Zeile Regeln.\n\n" * 80
    raw = f"# Ordnung\n\n{rules}{line}\n\nDer Vorstand\n"
    document = Document.from_bytes("ordnung.md", raw.encode())
    found = imprint.effective(document, "de")
    assert (found.value if found else "") == date


@pytest.mark.parametrize(
    ("language", "line", "date"),
    [
        ("de", "2. Diese Satzung tritt am 06.März 2009 in Kraft", "2009-03-06"),
        ("de", "§ 9 Inkrafttreten. Diese Ordnung tritt zum 06. 03 .2009 in Kraft", "2009-03-06"),
        ("de", "Die Satzung tritt mit Wirkung vom 6 . März 2009 in Kraft.", "2009-03-06"),
        ("it", "Art. 9 - Il regolamento entra in vigore il 6/3/2009.", "2009-03-06"),
        ("en", "12.4 These rules take effect on 6 March 2009.", "2009-03-06"),
        ("de", "Die Sportordnung des Verbands gilt ab 6.3.2009.", ""),
        ("de", "3. Der Vorstand tritt am 6.3.2009 zusammen.", ""),
        ("de", "3. Diese Satzung tritt am 6. März 2009 außer Kraft.", ""),
    ],
)
def test_a_numbered_rule_at_the_end_says_when_a_document_takes_effect(language, line, date):
    raw = "# Ordnung\n\n" + "Eine Zeile Regeln.\n\n" * 80 + line + "\n"
    found = imprint.effective(Document.from_bytes("ordnung.md", raw.encode()), language)
    assert (found.value if found else "") == date
