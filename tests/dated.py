"""A fixture game: two dated versions of an invented rulebook, its Italian edition without a date,
and its tournament policy and formats.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.conftest import SAMPLE

OLD, NEW, ITALIAN, POLICY = (
    "strandgut-de-1.0",
    "strandgut-de-2.0",
    "strandgut-it-1.0",
    "strandgut-policy-de-1.0",
)
FORMATS = "strandgut-formats-de-2.0"

_RULES = """# Strandgut Regelbuch

Version {version}

Gültig ab {day}

## 1. Aufbau

1.1 Jeder Spieler beginnt die Partie mit {cards} Handkarten und einem Korb.

1.2 Das Treibholz liegt verdeckt als Stapel in der Mitte des Strandes.

## 2. Zug

2.1 Wer an der Reihe ist, hebt eine Muschel auf oder gräbt im Sand.

2.2 Wer im Sand gräbt, zieht zwei Karten und legt eine davon ab.

2.3 Eine Möwe stiehlt am Ende des Zuges die oberste Karte des Korbes.

## 3. Ebbe und Flut

3.1 Steigt die Flut, verliert jeder Spieler eine Muschel.

3.2 Die Partie endet, wenn das Treibholz aufgebraucht ist. Wer die meisten Muscheln hat, gewinnt.
"""
_ITALIAN = """# Regolamento di Relitti

Versione 1.0

## 1. Preparazione

1.1 Ogni giocatore comincia la partita con quattro carte in mano e un cesto.

1.2 Il legname sta coperto in una pila al centro della spiaggia.

## 2. Turno

2.1 Chi è di turno raccoglie una conchiglia oppure scava nella sabbia.

2.2 Chi scava nella sabbia pesca due carte e ne scarta una.
"""


def write(folder: Path) -> Path:
    """Write the documents into a folder of their game in ``folder``, and return ``folder``."""
    game = folder / "strandgut"
    game.mkdir(parents=True, exist_ok=True)
    (game / "regeln-alt.md").write_text(
        _RULES.format(version="1.0", day="1. März 2024", cards="vier"), encoding="utf-8"
    )
    (game / "regeln-neu.md").write_text(
        _RULES.format(version="2.0", day="1. Juni 2025", cards="sechs"), encoding="utf-8"
    )
    (game / "regole.md").write_text(_ITALIAN, encoding="utf-8")
    policy = (SAMPLE.parent / "policy" / "pegelwacht" / "turnierrichtlinie.md").read_text(
        encoding="utf-8"
    )
    (game / "turnier.md").write_text(policy.replace("Pegelwacht", "Strandgut"), encoding="utf-8")
    formats = (SAMPLE.parent / "formats" / "pegelwacht" / "formate.md").read_text(encoding="utf-8")
    (game / "formate.md").write_text(formats.replace("Pegelwacht", "Strandgut"), encoding="utf-8")
    shutil.copy(SAMPLE / "pegelduell-faq-de-3.txt", folder)
    return folder
