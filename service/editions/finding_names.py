"""What certainty and origin of findings are called on the pages, which translate it; their titles are `glossary.check.FINDING_TITLES`."""

from __future__ import annotations

from glossary.check import Certainty, Origin
from service.core.i18n import N_

CERTAINTIES = {
    Certainty.CERTAIN: N_("certain"),
    Certainty.LIKELY: N_("likely"),
    Certainty.POSSIBLE: N_("possible"),
}

ORIGINS = {
    Origin.PRINT: N_("print"),
    Origin.EXTRACTION: N_("scan or conversion"),
    Origin.UNCLEAR: N_("unclear"),
}
