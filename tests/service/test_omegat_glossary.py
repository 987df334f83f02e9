import shutil
import subprocess
from pathlib import Path

import pytest

from service.editions.exported_files import TERM_FORMATS as FORMATS
from service.editions.exports.formats import ExportOptions
from service.editions.exports.tbx import admitted_names, preferred_name, terms_with_ids
from service.editions.terms import library_terms

pytestmark = pytest.mark.acceptance

OMEGAT = Path("/usr/share/omegat/OmegaT.jar")
READER = """
import java.io.File;
import org.omegat.core.Core;
import org.omegat.core.data.*;
import org.omegat.gui.glossary.*;
public class ReadGlossary {
  public static void main(String[] args) throws Exception {
    final ProjectProperties project = new ProjectProperties(new File(args[1]));
    project.setSourceLanguage("de");
    project.setTargetLanguage("it");
    Core.setProject(new NotLoadedProject() { public ProjectProperties getProjectProperties() { return project; } });
    for (GlossaryEntry entry : GlossaryReaderTBX.read(new File(args[0]), false))
      System.out.println(entry.getSrcText() + "\\t" + entry.getLocText() + "\\t" + entry.getCommentText().replace("\\n", " / "));
  }
}
"""


@pytest.mark.skipif(
    not OMEGAT.is_file() or shutil.which("javac") is None,
    reason="omegat or a Java compiler is not installed",
)
def test_omegat_reads_names_and_definitions(sample_library, tmp_path):
    terms = library_terms(sample_library, "pegelwacht")
    (tmp_path / "terms.tbx").write_bytes(FORMATS["tbx"].write(terms, ExportOptions()))
    (tmp_path / "ReadGlossary.java").write_text(READER, encoding="utf-8")
    path = ":".join(map(str, [tmp_path, OMEGAT, *Path("/usr/share/java").glob("*.jar")]))
    subprocess.run(
        ["javac", "-cp", path, str(tmp_path / "ReadGlossary.java")],
        check=True,
        capture_output=True,
        timeout=600,
    )
    command = [
        "java",
        "-Dfile.encoding=UTF-8",
        "-cp",
        path,
        "ReadGlossary",
        str(tmp_path / "terms.tbx"),
        str(tmp_path),
    ]
    done = subprocess.run(
        command, check=True, capture_output=True, timeout=600, text=True, encoding="utf-8"
    )
    read = {
        (source, target): comment
        for source, target, comment in (
            line.split("\t") for line in done.stdout.splitlines() if "\t" in line
        )
    }
    both = [
        term
        for _, term in terms_with_ids(terms)
        if all(
            admitted_names(term.wordings[code]) for code in ("de", "it") if code in term.wordings
        )
    ]
    pairs = {
        (preferred_name(term, "de"), preferred_name(term, "it")): term
        for term in both
        if {"de", "it"} <= term.wordings.keys()
    }
    assert len(pairs) > 50
    assert pairs.keys() <= read.keys()
    defined = [
        (pair, term.wordings["de"].definition)
        for pair, term in pairs.items()
        if term.wordings["de"].definition
    ]
    assert defined
    assert all(definition.text in read[pair] for pair, definition in defined if definition)
