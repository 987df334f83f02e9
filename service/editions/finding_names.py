"""What the certainty of findings is called on the pages; their titles are `glossary.check.FINDING_TITLES`, which pages translate."""

from __future__ import annotations

from glossary.check import Certainty
from service.core.i18n import N_

CERTAINTIES = {
    Certainty.CERTAIN: N_("certain"),
    Certainty.LIKELY: N_("likely"),
    Certainty.POSSIBLE: N_("possible"),
}
