"""Small documents of every kind in one index: those of tests/corpus/small, and club rules with
numbers of every kind.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from service.ops.indexes import IndexManager
from service.ops.settings import Locations
from tests.conftest import TESTS, built_once

SMALL = TESTS / "corpus" / "small"
THINGS = (
    *("Kugel", "Bahn", "Kreide", "Tafel", "Bürste", "Lampe"),
    *("Bank", "Glocke", "Fahne", "Leiter", "Matte", "Uhr"),
)
STATUTES = {
    "boje.md": """# Ordnung des Ruderclubs Blaue Boje

## Mitgliedschaft

1. Mitglied kann werden, wer schwimmen kann.
2. Über die Aufnahme entscheidet der Vorstand.
3. Die Mitgliedschaft endet
   a) durch Austritt,
   b) durch Ausschluss.
4. Der Austritt wird schriftlich erklärt.

## Beiträge

1. Der Jahresbeitrag beträgt 48 Kronen.
2. Wer das Boot nicht putzt, zahlt 5 Kronen mehr.

## Ablegen

Vor der Fahrt:

1. Das Boot ins Wasser setzen.
2. Die Ruder einlegen.
""",
    "satzung.md": """# Satzung des Bogenclubs

## § 1 Zweck

(1) Der Club fördert das Bogenschießen.

(2) Mittel dienen nur diesem Zweck.

(3) Der Club ist selbstlos tätig.

## § 2 Mitglieder

Mitglied wird, wer vierzehn Jahre alt ist. Der Antrag ist schriftlich.

## § 3 Beiträge

(1) Es wird ein Beitrag von zwölf Talern erhoben.

(2) Der Vorstand stundet den Beitrag auf Antrag.

## § 4 Ausschluss

(1) Ausgeschlossen wird, wer

a) auf Personen zielt,

b) den Beitrag schuldet,

c) fremde Pfeile behält.

(2) Über den Ausschluss entscheidet der Rat.

## § 5 Versammlung

(1) Die Versammlung tagt im Mai.

(2) Sie wird schriftlich geladen. Die Frist beträgt zwei Wochen.

## § 5a Wahlen

Gewählt wird mit Handzeichen.
""",
    "statuto.md": """# Statuto del circolo degli aquiloni

## Art. 1 - Nome

Il circolo si chiama Vento Alto.

## Art. 2 - Soci

1. I soci versano dieci lire.

2. I minorenni non versano nulla.

## Art. 3 - Voli

1. Si vola di giorno.

2. Con la pioggia si resta a terra.

3. Di notte volano solo gli aquiloni con la lampada.

## Art. 4 - Divieti

È vietato:

1) tagliare il filo altrui;

2) volare sopra la strada;

3) usare fili di ferro.

## Art. 5 - Gare

Le gare si tengono in aprile.

## Art. 5 bis - Premi

Il premio è una coppa di latta.

## Art. 6 - Giudici

I giudici sono tre.

## Art. 7 - Reclami

Il reclamo si presenta entro un'ora.
""",
    "bylaws.md": """# By-laws of the Kite League

## Article 1 Name

The league is called High Wind.

## Article 2 Members

(a) Members pay ten crowns.

(b) Children pay nothing.

(c) Guests pay one crown.

## Article 3 Flights

3.1 Kites fly by day.

3.2 In rain all kites stay down.

## Article 4 Judges

There are three judges.
""",
    "ordnung.txt": "Ordnung der Drachenflieger\n\n"
    + "\n".join(
        f"Artikel {n} {title}\n{text}\n"
        for n, title, text in (
            (1, "Start", "Der Start ist am Hügel."),
            (2, "Leine", "Die Leine ist hundert Ellen lang."),
            (3, "Wind", "Bei Sturm fliegt niemand."),
            (11, "Schäden", "Schäden trägt, wer sie anrichtet."),
            (12, "Preise", "Der Preis ist eine Torte."),
        )
    ),
    "kegeln.txt": "Regeln des Kegelabends\n\n"
    + "\n\n".join(
        f"{n}. Wer die {thing} nimmt, räumt sie nach dem Spiel wieder weg."
        for n, thing in enumerate(THINGS, 1)
    ),
    "turnier.md": """# Turnierordnung Stelzenlauf

## 4 Lauf

### 4.1 Start

Gestartet wird in der Reihe.

### 4.2 Strafen

Strafen sind:

a) ein Punkt bei Frühstart,

b) zwei Punkte bei Rempeln,

c) drei Punkte bei Sturz.

## 5 Wertung

5.1 Wer zuerst ankommt, siegt.

5.2 Bei Gleichstand wird gelost.
""",
}


def write(folder: Path) -> Path:
    """Write all documents to the new folder ``folder``; the two of one game go into a folder of
    it.
    """
    (folder / "kran").mkdir(parents=True)
    for path in SMALL.iterdir():
        shutil.copy(path, folder / "kran" if path.name.startswith("kran") else folder)
    for name, text in STATUTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def served(folder: Path, shared: Path) -> IndexManager:
    """Return the manager of an index of the documents in ``folder``, built once for all tests."""
    built = built_once(folder, shared, "small-documents").folder
    indexes = IndexManager(Locations(folder, built, is_sample=False))
    indexes.ready()
    return indexes
