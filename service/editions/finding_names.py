"""What the sorts and the certainty of findings are called on the pages."""

from __future__ import annotations

from glossary.check import Certainty
from service.core.i18n import N_

CERTAINTIES = {
    Certainty.CERTAIN: N_("certain"),
    Certainty.LIKELY: N_("likely"),
    Certainty.POSSIBLE: N_("possible"),
}

TRANSLATED_TITLES = (  # the titles of `glossary.check.FINDING_TITLES`, which is written without the catalogues
    N_("References without target"),
    N_("References with a wrong number"),
    N_("References that name their target otherwise than it is headed"),
    N_("Ambiguous references"),
    N_("References that lead outside"),
    N_("Entries that refer to themselves"),
    N_("References printed twice in one place"),
    N_("Lists of references with a comma missing or left over"),
    N_("Headings printed twice"),
    N_("Headings that do not look like their neighbours"),
    N_("Entries without text"),
    N_("Contents that differ from the headings"),
    N_("Entries missing in the printed index"),
    N_("Index items without entry"),
    N_("Index items with a doubtful page"),
    N_("Index items out of order"),
    N_("Gaps in numbering"),
    N_("Numbers given twice"),
    N_("Numbers lost from lists"),
    N_("Terms called by several names"),
    N_("Names that stand for several terms"),
    N_("Terms used and nowhere defined"),
    N_("Headings spelled otherwise than the references to them"),
    N_("Text printed twice"),
    N_("Sentences that break off"),
    N_("Words or icons lost"),
    N_("Sentences torn apart"),
    N_("Text in the wrong place"),
    N_("Text that belongs to no rule"),
    N_("Misprints"),
    N_("Words that look misspelled"),
    N_("Terms spelled in several ways"),
    N_("Words printed twice in succession"),
    N_("Blanks left out"),
    N_("Brackets and quotation marks without partner"),
    N_("Half of a bold mark"),
    N_("Codes left undecoded"),
    N_("Unknown symbols"),
    N_("Corrections that no longer fit"),
    N_("Headings kept for a concept that no longer fit"),
    N_("Entries that seem to correspond to one of another edition"),
    N_("Entries tied to one of another edition that they have nothing in common with"),
    N_("Products that seem to be one of another language"),
    N_("Passages without player phrasings"),
)
