import json
import os
import re
import subprocess
import sys

import pytest

from corpus.languages import LANGUAGES, any_of, get_language, words_of
from corpus.languages.registry import check_patterns, load_all

CITATION = (
    'citation: {line: l., page: p., also: x, quotes: ["<", ">"], unsettled: x, fallback: x, '
    "nearest: x}\nunknown_rulebook: x\n"
)

INVENTED = """
code: qx
name: Quaxish
citation: {line: lin., page: pag., also: kvar, quotes: [‹, ›], unsettled: Quax ne., fallback: "Do:", nearest: "Nal:"}
unknown_rulebook: Quaxa libru
references: {see: [zerk], also: [kvar], above: [suprax], below: [subax]}
sections: {glossary: [Vortarux]}
labels: {example: [Ekzemplix]}
function_words: {telling: [laq, deq, ajq, estaz, kajq, enq, povaz]}
questions: {definition: ['kiox estaz{thing}'], verbs: [povaz], words: [kiox]}
"""

INVENTED_TEXT = """LIBRUX PRI BOATIX

VORTARUX

AKVOX

Laq akvox estaz deq ajq boatix, kajq povaz en laq boatix flui. Laq boatix estaz enq akvox.

Zerk kvar: Boatix

BOATIX

Laq boatix estaz enq akvox kajq povaz naviguz.

Zerk: Ventux

VENTUX

Laq ventux estaz deq ajq boatix.

Zerk kvar: Akvox, Boatix
"""

SWEDISH = """
code: sv
name: Swedish
stemmer: swedish
letters: äåö
citation: {line: r., page: s., also: även, quotes: [”, ”], unsettled: Inget., fallback: "Då:", nearest: "Ställen:"}
unknown_rulebook: Okänd regelbok
references: {see: [se], also: [även]}
sections: {glossary: [Ordlista]}
questions: {definition: ["vad betyder\\\\b"], verbs: [far], words: [nar]}
"""

SWEDISH_TEXT = """LYKTORNAS BOK

ORDLISTA

DIMMA

Dimman täcker hamnen hela natten, och ingen båt kan då lämna sin kaj.

Se även: Lykta

LYKTA

En tänd lykta lyser upp den kaj som den står på och de två kajerna bredvid.

Se: Kaj

KAJ

Varje spelare har tre kajer. En båt tar alltid upp en hel kaj.

Se även: Dimma, Lykta
"""

# Languages are read when the package is imported, so a further one needs a process of its own.
READING = """
import json, sys
from pathlib import Path
from corpus import identify, read
from corpus.document import Document
from corpus.languages import LANGUAGES
from glossary.references import find
from glossary.word_tables import LanguageTables, WordTables
from index.library.library import assemble_library
from index.questions.question_parser import QuestionParser

found = {"languages": LANGUAGES, "questions": {}, "books": {}}
rulebooks = []
for path in map(Path, json.loads(sys.argv[1])):
    document = Document.from_bytes(path.name, path.read_bytes())
    edition = identify(document)
    rulebook = read(document, edition)
    rulebooks.append(rulebook)
    references = [f"{r.kind} {(r.target or r.raw).partition('/')[2]}" for r in find(rulebook)]
    found["books"][path.name] = {"language": edition.language, "title": edition.title, "references": references}
kept = Path(sys.argv[3])
tables = {
    name: LanguageTables.load(kept / name) if (kept / name).exists() else LanguageTables.compile(name)
    for name in LANGUAGES
}
parser = QuestionParser(assemble_library(rulebooks), WordTables(tables))
for question in json.loads(sys.argv[2]):
    parsed = parser.parse(question)
    found["questions"][question] = [parsed.language, parsed.asks]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def extended(tmp_path_factory, word_tables, word_tables_folder):
    """What a program says that was started with files for an invented language and for Swedish."""
    folder = tmp_path_factory.mktemp("languages")
    (folder / "qx.yaml").write_text(INVENTED, encoding="utf-8")
    (folder / "sv.yaml").write_text(SWEDISH, encoding="utf-8")
    books = [folder / "boats.txt", folder / "lanterns.txt"]
    books[0].write_text(INVENTED_TEXT, encoding="utf-8")
    books[1].write_text(SWEDISH_TEXT, encoding="utf-8")
    questions = [
        "Kiox estaz akvox?",
        "Povaz laq boatix enq akvox?",
        "Vad betyder dimma för hamnen?",
        "Was bedeutet Nebel?",
    ]
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            READING,
            json.dumps([str(book) for book in books]),
            json.dumps(questions),
            str(word_tables_folder),
        ],
        env={**os.environ, "REGULA_LANGUAGES": str(folder)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_a_further_file_is_a_further_language(extended):
    assert extended["languages"] == [*LANGUAGES, "qx", "sv"]


@pytest.mark.parametrize(
    ("book", "language", "title"),
    [("boats.txt", "qx", "LIBRUX PRI BOATIX"), ("lanterns.txt", "sv", "LYKTORNAS BOK")],
)
def test_a_document_in_a_further_language_is_told(extended, book, language, title):
    assert (extended["books"][book]["language"], extended["books"][book]["title"]) == (
        language,
        title,
    )


@pytest.mark.parametrize(
    ("book", "references"),
    [
        ("boats.txt", ["see-also boatix", "see ventux", "see-also akvox", "see-also boatix"]),
        ("lanterns.txt", ["see-also lykta", "see kaj", "see-also dimma", "see-also lykta"]),
    ],
)
def test_references_in_a_further_language_are_read(extended, book, references):
    assert extended["books"][book]["references"] == references


@pytest.mark.parametrize(
    ("question", "language", "asks"),
    [
        ("Kiox estaz akvox?", "qx", "definition"),
        ("Povaz laq boatix enq akvox?", "qx", "yes-no"),
        ("Vad betyder dimma för hamnen?", "sv", "definition"),
        ("Was bedeutet Nebel?", "de", "definition"),
    ],
)
def test_questions_in_a_further_language_are_understood(extended, question, language, asks):
    assert extended["questions"][question] == [language, asks]


def test_every_pattern_is_a_regular_expression():
    assert {"de", "it", "en"} <= load_all().keys()
    for code, language in load_all().items():
        check_patterns(f"{code}.yaml", language)  # or it raises


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (
            f"code: qx\nname: Quaxish\n{CITATION}references: {{seee: [zerk]}}\n",
            "qx.yaml:5: references.seee: ",
        ),
        (
            f"code: qx\nname: Quaxish\n{CITATION}references:\n  see: zerk\n",
            "qx.yaml:6: references.see: ",
        ),
        (
            f"code: qx\nname: Quaxish\n{CITATION}sentences: {{binding: [on]}}\n",
            "qx.yaml:5: sentences.binding[0]: ",
        ),
        (
            f"code: qx\nname: Quaxish\n{CITATION}labels: {{example: ['zum (']}}\n",
            "qx.yaml: labels.example[0]: no regular expression: ",
        ),
        ("code: qx\nname: Quaxish\nunknown_rulebook: x\n", "qx.yaml:1: citation: "),
        ("code: [\n", "qx.yaml:2: not YAML: "),
    ],
)
def test_what_is_wrong_in_a_file_is_named_in_a_line_and_the_other_languages_are_there(
    tmp_path, capsys, content, fault
):
    (tmp_path / "qx.yaml").write_text(content, encoding="utf-8")
    assert set(load_all(tmp_path)) == set(LANGUAGES)
    (line,) = capsys.readouterr().err.splitlines()
    assert fault in line
    assert line.endswith("the language is left out")


def test_a_folder_that_is_not_there_is_named(tmp_path, capsys):
    load_all(tmp_path / "nowhere")
    assert (
        capsys.readouterr().err
        == f"regula: REGULA_LANGUAGES: {tmp_path / 'nowhere'} is no folder\n"
    )


def test_a_file_in_the_further_folder_replaces_the_one_of_the_same_language(tmp_path):
    (tmp_path / "italiano.yaml").write_text(
        f"code: it\nname: Italian\n{CITATION}", encoding="utf-8"
    )
    assert load_all(tmp_path)["it"].citation.line == "l."
    assert get_language("it").citation.line == "r."


def test_a_language_without_a_file_is_cited_as_in_english():
    assert get_language("eo") is get_language("en")


def test_patterns_of_one_language_are_not_those_of_others():
    assert re.fullmatch(any_of("references.see"), "vedi")
    assert not re.fullmatch(any_of("references.see", language="de"), "vedi")
    assert re.fullmatch(any_of("labels.for_example"), "zum\n Beispiel")
    assert not re.search(any_of("references.details", language="en"), "anything")
    assert {"und", "della", "the"} <= words_of("function_words.in_card_names")
