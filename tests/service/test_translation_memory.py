import re
import shutil
import subprocess

import pytest
from flask.testing import FlaskClient
from lxml import etree
from translate.storage.tmx import tmxfile

from corpus.model import Span
from glossary.comparison import EditionComparison
from glossary.comparison.model import Segment
from glossary.comparison.segments import LEAST_SCORE
from service.core.displayed import Repair
from service.editions.comparison import compare_in_library
from service.editions.exported_files import COMPARISON_FORMATS as FORMATS
from service.editions.exports.formats import ExportOptions
from service.editions.exports.tmx import memory_units
from service.web.app import create_app
from tests.service.command_line import regula
from tests.service.grammars import TMX, faults
from tests.service.test_comparing import Loaded
from tests.service.test_exports import made

NEW, ITALIAN = "pegelwacht-de-1.1", "pegelwacht-it-1.1"
OMEGAT = shutil.which("omegat")
PROJECT = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<omegat><project version="1.0">
<source_dir>__DEFAULT__</source_dir><target_dir>__DEFAULT__</target_dir><tm_dir>__DEFAULT__</tm_dir>
<glossary_dir>__DEFAULT__</glossary_dir><glossary_file>__DEFAULT__</glossary_file><dictionary_dir>__DEFAULT__</dictionary_dir>
<source_lang>de</source_lang><target_lang>it</target_lang>
<sentence_seg>true</sentence_seg><support_default_translations>true</support_default_translations><remove_tags>false</remove_tags>
</project></omegat>
"""
MARKER = re.compile(r"^\s*(?:[•➤▶✦»*–-]|\(?\d{1,3}[.)]|[a-z][.)])\s")


@pytest.fixture(scope="module")
def languages(sample_library) -> EditionComparison:
    return compare_in_library(sample_library, NEW, ITALIAN)


@pytest.fixture(scope="module")
def written(languages, sample_library) -> bytes:
    return FORMATS["tmx"].write(languages, sample_library, ExportOptions())


@pytest.fixture(scope="module")
def everything(languages, sample_library) -> bytes:
    return FORMATS["tmx"].write(languages, sample_library, ExportOptions(doubtful=True))


@pytest.fixture(scope="module")
def client(sample_index) -> FlaskClient:
    return create_app(Loaded(sample_index)).test_client()


def units_of(memory):
    return list(etree.fromstring(memory).iter("tu"))


def texts_of(unit):
    left, right = (seg.text for seg in unit.iter("seg"))
    return left, right


def test_another_tool_reads_every_unit_once(written):
    store = tmxfile.parsestring(written, sourcelanguage="de", targetlanguage="it")
    assert [(unit.source, unit.target) for unit in store.units] == [
        texts_of(unit) for unit in units_of(written)
    ]
    names = [unit.getid() for unit in store.units]
    assert len(set(names)) == len(names) > 100
    assert len({texts_of(unit) for unit in units_of(written)}) == len(names)


def test_units_have_no_bullet_signs_list_numbers_or_line_breaks(everything):
    texts = [text for unit in units_of(everything) for text in texts_of(unit)]
    assert not [text for text in texts if MARKER.match(text)]
    assert not [text for text in texts if "\n" in text or "  " in text or text != text.strip()]


def test_a_paragraph_of_several_sentences_has_a_unit_for_each_and_one_for_all(written):
    known = [texts_of(unit) for unit in units_of(written) if unit.get("segtype") is None]
    paragraphs = [
        texts_of(unit) for unit in units_of(written) if unit.get("segtype") == "paragraph"
    ]
    assert paragraphs
    for paragraph in paragraphs:
        within = [unit for unit in known if unit[0] in paragraph[0] and unit[1] in paragraph[1]]
        for side, left_over in enumerate(paragraph):
            for sentence in sorted((unit[side] for unit in within), key=len, reverse=True):
                left_over = left_over.replace(sentence, "")
            assert not left_over.strip()


def test_a_unit_says_how_sure_it_is_and_where_and_since_when_it_holds(written, sample_library):
    for unit in units_of(written):
        assert LEAST_SCORE <= float(unit.findtext("prop[@type='x-score']")) <= 1
        for variant in unit.iter("tuv"):
            entry = sample_library.entry[variant.findtext("prop[@type='x-entry']")]
            assert variant.findtext("prop[@type='x-number']") == entry.number
            assert variant.findtext("prop[@type='x-effective']") == (
                sample_library.edition[entry.edition].effective or None
            )
            assert variant.findtext("prop[@type='x-citation']")


def test_what_is_in_doubt_is_left_out_and_says_why_where_it_is_asked_for(written, everything):
    sure, all_units = (
        {unit.get("tuid"): unit for unit in units_of(memory)} for memory in (written, everything)
    )
    assert not [unit for unit in sure.values() if unit.find("prop[@type='x-doubt']") is not None]
    assert {texts_of(unit) for unit in sure.values()} < {
        texts_of(unit) for unit in all_units.values()
    }
    doubtful = [
        unit for unit in all_units.values() if unit.find("prop[@type='x-doubt']") is not None
    ]
    assert len(doubtful) > 20
    assert all(
        unit.findtext("note").startswith("May be no true translation: ") for unit in doubtful
    )
    assert faults(TMX, etree.fromstring(everything)) == []


def test_a_unit_whose_numbers_differ_says_which_and_is_in_doubt():
    comparison, library = made("Zieh 3 Karten.", "Pesca 4 carte.")
    (unit,) = units_of(FORMATS["tmx"].write(comparison, library, ExportOptions(doubtful=True)))
    assert "Numbers differ: 3 | 4" in [note.text for note in unit.iter("note")]
    assert "numbers" in [prop.text for prop in unit.iter("prop")]
    assert units_of(FORMATS["tmx"].write(comparison, library, ExportOptions())) == []


def test_the_api_and_the_command_line_give_what_is_in_doubt_when_asked(client, everything):
    response = client.get(f"/v1/compare/{NEW}/{ITALIAN}/tmx?doubtful=true")
    assert (response.status_code, response.data) == (200, everything)
    done = regula("compare", NEW, ITALIAN, "--format", "tmx", "--doubtful")
    assert (done.returncode, done.stdout) == (0, everything.decode())


def lines_in_memory(comparison):
    """The left edition's paragraphs of which the memory has every sentence, as a translator has
    them: without bullets, each in a line.
    """
    segments = list(comparison.segments)
    known = {unit.texts[0] for unit in memory_units(comparison)}
    passages: dict[str, list[Segment]] = {}
    for segment in segments:
        for sentence in segment.left:
            passages.setdefault(sentence.passage.id, []).append(segment)
    displays = [
        those[0].left[0].passage.display
        for those in passages.values()
        if all(each.texts[0] in known for each in those)
    ]
    lines = [
        re.sub(r"^(?:•\s*)?(?:(?:\d{1,2}|[a-z])[.)]\s+)?", "", line.strip())
        for text in displays
        for line in text.split("\n")
    ]
    return [line for line in lines if any(sign.isalnum() for sign in line)]


@pytest.mark.acceptance
@pytest.mark.skipif(OMEGAT is None, reason="omegat is not installed")
def test_a_translation_tool_fills_what_the_memory_has(written, languages, tmp_path):
    lines = lines_in_memory(languages)
    assert len(lines) > 80
    project = tmp_path / "project"
    for name in ("source", "target", "tm/auto", "glossary", "dictionary", "omegat"):
        (project / name).mkdir(parents=True)
    (project / "omegat.project").write_text(PROJECT, encoding="utf-8")
    (project / "source" / "rules.txt").write_text("\n\n".join(lines), encoding="utf-8")
    # Translations are in brackets that no rulebook has, so that one sees what is none.
    units = re.compile(
        r'(<tuv xml:lang="it">(?:(?!</tuv>).)*?<seg>)((?:(?!</seg>).)*)(</seg>)', re.DOTALL
    )
    marked = units.sub(r"\1⟦\2⟧\3", written.decode())
    (project / "tm" / "auto" / "memory.tmx").write_text(marked, encoding="utf-8")
    options = [
        "--mode=console-translate",
        "--quiet",
        f"--config-dir={tmp_path}/config",
        "--disable-project-locking",
    ]
    subprocess.run(
        [str(OMEGAT), *options, str(project)], check=True, capture_output=True, timeout=600
    )
    translated = [
        line
        for line in (project / "target" / "rules.txt").read_text(encoding="utf-8-sig").split("\n")
        if line.strip()
    ]
    assert len(translated) == len(lines)
    unfilled = [
        line for line in translated if any(sign.isalnum() for sign in re.sub("⟦.*?⟧", "", line))
    ]
    assert len(unfilled) <= 0.1 * len(lines), unfilled


def test_known_misprints_are_mended_unless_the_print_is_asked_for(
    languages, sample_library, monkeypatch
):
    asked = FORMATS["tmx"].write(languages, sample_library, ExportOptions(as_printed=True))
    first = units_of(asked)[0].findtext(".//seg")
    assert first is not None
    word = first.split()[1]

    def misprinted(library, passage):
        at = passage.display.find(first)
        start = passage.display.find(word, at)
        return [Repair(Span(start, start + len(word)), "Berichtigt")] if at >= 0 else []

    monkeypatch.setattr("service.editions.exports.tmx.repairs", misprinted)
    mended = FORMATS["tmx"].write(languages, sample_library, ExportOptions())
    assert units_of(mended)[0].findtext(".//seg") == first.replace(word, "Berichtigt", 1)
    assert FORMATS["tmx"].write(languages, sample_library, ExportOptions(as_printed=True)) == asked


def test_words_doubled_in_print_are_marked_on_the_side_that_has_them():
    comparison, library = made("Lege diese diese Karte ab.", "Scarta questa questa carta ora ora.")
    memory = FORMATS["tmx"].write(comparison, library, ExportOptions(doubtful=True))
    assert faults(TMX, etree.fromstring(memory)) == []
    (unit,) = units_of(memory)
    assert [
        [prop.text for prop in variant.findall("prop[@type='x-typo']")]
        for variant in unit.iter("tuv")
    ] == [["diese diese"], ["questa questa", "ora ora"]]
