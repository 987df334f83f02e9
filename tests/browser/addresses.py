"""Addresses of every page over the sample rulebooks, one for each state of a page."""

from __future__ import annotations

WACHT, WACHT_OLD, GUARDIA, DUELL, FAQ = (
    "pegelwacht-de-1.1",
    "pegelwacht-de-1.0",
    "pegelwacht-it-1.1",
    "pegelduell-de-2.0",
    "pegelduell-faq-de-3",
)

CARD = "/cards/pegelwacht/grappling-iron-01015"

# One address of each page.
PAGES = {
    "start": "/",
    "answer": f"/?q=Wann+steigt+der+Pegel%3F&edition={WACHT}",
    "open": f"/?q=Darf+mein+Hund+mitspielen%3F&edition={WACHT}",
    "entry": f"/e/{WACHT}/auftauchen",
    "cards": "/cards",
    "card": "/cards?q=Teerjacke",
    "rulings": "/rulings/pegelwacht",
    "ruling": "/rulings/pegelwacht/flink-peilen",
    "browse": "/browse",
    "glossary": f"/browse/{WACHT}",
    "news": f"/browse/{WACHT}/new",
    "choose": "/compare",
    "compare": f"/compare/{WACHT_OLD}/{WACHT}",
    "facing": f"/compare/{WACHT}/{GUARDIA}?entry={WACHT}/auftauchen",
    "compare-cards": "/compare/cards/pegelwacht?language=de",
    "state": "/state",
    "findings": f"/state/{WACHT}",
    "terms": "/terms/pegelwacht",
    "timings": "/timing",
    "timing": f"/timing/{WACHT}?step={WACHT}/rundenuebersicht%234",
    "about": "/about",
    "keys": "/keys",
    "screen": f"/screen/e/{WACHT}/auftauchen",
    "sheet": f"/sheet?q=Wer+entscheidet%3F&passage={WACHT_OLD}/gleichzeitige-effekte%230~658d4f1de6a3&made=2026-03-02",
    "offline": "/offline",
    "memory": "/memory",
    "missing": "/e/no-such",
}

# Other states of pages.
STATES = {
    "start-edition": f"/?edition={GUARDIA}",
    "answer-everywhere": "/?q=Wie+viele+Ger%C3%A4te+darf+ein+Lotse+tragen%3F&k=20",
    "answer-day": "/?q=Wann+steigt+der+Pegel%3F&game=pegelwacht&as_of=2024-12-31",
    "answer-none-held": f"/?q=Wann+steigt+der+Pegel%3F&edition={WACHT}&as_of=2024-12-31",
    "answer-repaired": f"/?q=Z%C3%A4hlt+%C3%96l+aus+der+Hand+wie+ein+Marker%3F&edition={WACHT}",
    "answer-step": f"/?q=Wann+steigt+der+Pegel%3F&step={WACHT}/flutphase%231",
    "answer-step-elsewhere": f"/?q=Wie+viele+Ger%C3%A4te+darf+ein+Lotse+tragen%3F&step={WACHT}/flutphase%231",
    "timing-rules": f"/timing/{DUELL}",
    "trouble": "/?q=a&edition=no-such",
    "long-question": "/?q=" + "Donaudampfschifffahrt" * 30,
    "entry-rule": f"/e/{DUELL}/1.6",
    "entry-faq": f"/e/{FAQ}/leuchtfahrten",
    "entry-italian": f"/e/{GUARDIA}/relitto",
    "section": f"/e/{WACHT}/glossar",
    "cards-several": "/cards?q=otter",
    "cards-none": "/cards?q=xyzzyq",
    "rulings-games": "/rulings",
    "rulings-none": "/rulings/pegelwacht?q=xyzzyq",
    "rulings-no-game": "/rulings/pegelduell",
    "ruling-superseded": "/rulings/pegelwacht/enterhaken-durchnaesst",
    "card-errata": CARD,
    "card-faces": "/cards/pegelwacht/jonna-priel-01001a",
    "card-printings": "/cards/pegelwacht/oilskin-01007",
    "answer-ruled": "/?q=Darf+ich+Signalfeuer+spielen%2C+wenn+kein+Wrack+treibt%3F&game=pegelwacht",
    "answer-card": "/?q=Was+macht+Bernstein-Ole%3F&game=pegelwacht",
    "rulings-words": "/rulings/pegelwacht/gezeitenwuerfel-neuwurf",
    "rules": f"/browse/{DUELL}",
    "browse-found": f"/browse/{WACHT}?find=gerat",
    "browse-format": f"/browse/{WACHT}?format=Kampagnenmodus",
    "entry-found": f"/e/{WACHT}/auftauchen?find=strudel",
    "compare-none": f"/compare/{WACHT_OLD}/{WACHT}?q=xyzzyq",
    "compare-languages": f"/compare/{WACHT}/{GUARDIA}",
    "choose-trouble": f"/compare?left={WACHT}&right={WACHT}",
    "sheet-unknown": f"/sheet?passage={WACHT}/gleichzeitige-effekte%230~0123456789ab&passage=rulings/pegelwacht/flink-peilen%231",
    "sheet-none": "/sheet?passage=",
    "findings-none": f"/state/{WACHT}?q=xyzzyq",
}
