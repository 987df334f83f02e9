// <regula-ask game="…" edition="…" lang="…" server="…">: asks a Regula service from any page. Version 1.1.0; docs/embed.md describes it.
const SERVER = import.meta.url.replace(/embed\/[^?#]*regula-ask.*$/, "");
const PATIENCE = 15_000; // milliseconds
const WORDS = {
  en: {
    label: "Question about the rules", ask: "Ask", looking: "Looking it up …", settled: "Settled", likely: "Likely settled",
    open: "Open question", nearest: "The rulebook may not settle this. Nearest passages:", none: "No passage was found.",
    fallback: "The game’s own rule for what its rulebook leaves open:", only: "Only in the format “{}”", repaired: "Repaired, not as printed:",
    replaced: "Printed only to be replaced", more: "Whole answer", down: "The rules service does not answer. Please try again later.",
    busy: "Too many questions just now. Please try again in {} seconds.", passages: "Passages: {}",
  },
  de: {
    label: "Frage zu den Regeln", ask: "Fragen", looking: "Wird nachgeschlagen …", settled: "Geklärt", likely: "Wahrscheinlich geklärt",
    open: "Offene Frage", nearest: "Das Regelwerk klärt das vielleicht nicht. Nächstliegende Stellen:", none: "Keine Stelle gefunden.",
    fallback: "Die Regel des Spiels für alles, was sein Regelwerk offenlässt:", only: "Nur im Format „{}“", repaired: "Repariert, nicht wie gedruckt:",
    replaced: "Nur gedruckt, um ersetzt zu werden", more: "Ganze Antwort", down: "Der Regeldienst antwortet nicht. Bitte versuch es später noch einmal.",
    busy: "Gerade sind es zu viele Fragen. Bitte versuch es in {} Sekunden noch einmal.", passages: "Stellen: {}",
  },
  it: {
    label: "Domanda sulle regole", ask: "Chiedi", looking: "Ricerca in corso …", settled: "Chiarito", likely: "Probabilmente chiarito",
    open: "Questione aperta", nearest: "Forse il regolamento non lo chiarisce. Passi più vicini:", none: "Nessun passo trovato.",
    fallback: "La regola del gioco per ciò che il regolamento lascia aperto:", only: "Solo nel formato «{}»", repaired: "Riparato, non come stampato:",
    replaced: "Stampato solo per essere sostituito", more: "Risposta intera", down: "Il servizio delle regole non risponde. Riprova più tardi.",
    busy: "Troppe domande in questo momento. Riprova tra {} secondi.", passages: "Passi: {}",
  },
};

// A sheet made by script: it needs no style-src, and nothing of the page gets in but custom properties and ::part().
const SHEET = new CSSStyleSheet();
SHEET.replaceSync(`
:host {
  position: relative;
  --ink: var(--regula-ink, light-dark(#1c2326, #e8e6e0)); --soft: var(--regula-soft, light-dark(#566064, #a3adb0));
  --paper: var(--regula-paper, light-dark(#fff, #1c2224)); --line: var(--regula-line, light-dark(#8b9193, #7a8588));
  --accent: var(--regula-accent, light-dark(#17545b, #7cc4cb)); --accent-ink: var(--regula-accent-ink, light-dark(#fff, #0e2427));
  --open: var(--regula-open, light-dark(#8a4b08, #f0b673)); --mark: var(--regula-mark, light-dark(#ffe9a3, #57470f));
  display: block; padding: 1rem; border: 1px solid var(--line); border-radius: var(--regula-radius, 0.5rem);
  background: var(--paper); color: var(--ink); font: 1rem/1.5 var(--regula-font, system-ui, sans-serif); overflow-wrap: anywhere;
}
:host([hidden]) { display: none; }
* { box-sizing: border-box; }
form { display: flex; flex-wrap: wrap; gap: 0.5rem; }
label { flex: 1 0 100%; font-weight: 600; }
input, button { font: inherit; min-height: 2.75rem; padding: 0 0.75rem; border: 1px solid var(--line); border-radius: 0.375rem; }
input { flex: 1 1 10rem; min-width: 0; color: inherit; background: var(--paper); }
button { color: var(--accent-ink); background: var(--accent); border-color: var(--accent); cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
p { margin: 0.75rem 0 0; }
p:empty { display: none; }
.verdict { font-weight: 600; }
.open, .error { color: var(--open); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
figure { margin: 0.75rem 0 0; padding-inline-start: 0.75rem; border-inline-start: 3px solid var(--accent); }
figure p, figcaption { margin: 0; color: var(--soft); font-size: 0.875rem; }
blockquote { margin: 0.25rem 0; white-space: pre-line; font-family: var(--regula-quote-font, Georgia, serif); }
mark { color: inherit; background: var(--mark); }
a { color: var(--accent); }
`);

/** An element with text, never markup; falsy children are left out. */
const make = (name, values = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(values)) if (value) made.setAttribute(key, value);
  made.append(...children.filter(Boolean));
  return made;
};

class Busy extends Error {}
class Refused extends Error {}

class RegulaAsk extends HTMLElement {
  static observedAttributes = ["lang", "label"];
  #label = make("label", { for: "question", part: "label" });
  #input = make("input", { id: "question", type: "search", required: "required", maxlength: "2000", autocomplete: "off", enterkeyhint: "search", part: "input" });
  #button = make("button", { part: "button" });
  #status = make("p", { role: "status", part: "status" });
  #answer = make("div", { part: "answer" });
  #asking = null; // AbortController of the question under way

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open", delegatesFocus: true });
    root.adoptedStyleSheets = [SHEET];
    const form = make("form", { part: "form" }, this.#label, this.#input, this.#button);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask(this.#input.value);
    });
    root.append(form, this.#status, this.#answer);
  }

  connectedCallback() {
    this.#speak();
    const question = this.getAttribute("question");
    if (question && !this.#input.value) this.ask(question);
  }

  disconnectedCallback() {
    this.#asking?.abort();
  }

  attributeChangedCallback() {
    this.#speak();
  }

  /** Puts a question instead of the one under way; resolves to the answer, to null where there is none. */
  async ask(question) {
    question = String(question).trim();
    if (!question) return null;
    this.#input.value = question;
    this.#asking?.abort();
    const asking = (this.#asking = new AbortController());
    const timer = setTimeout(() => asking.abort("slow"), PATIENCE);
    this.#answer.replaceChildren();
    this.#say(this.#word("looking"));
    try {
      const answer = await this.#fetch(question, asking.signal);
      if (asking !== this.#asking) return null;
      this.#show(question, answer);
      this.#tell("regula-answer", { question, answer });
      return answer;
    } catch (fault) {
      if (asking !== this.#asking || (asking.signal.aborted && asking.signal.reason !== "slow")) return null;
      const reason = fault instanceof Busy ? "busy" : fault instanceof Refused ? "refused" : "down";
      this.#answer.replaceChildren();
      this.#say(reason === "refused" ? fault.message : this.#word(reason, fault.message), "error");
      if (fault instanceof TypeError) console.warn("regula-ask: no answer; is this site in cors_origins of the service?", fault.message);
      this.#tell("regula-error", { question, reason });
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  async #fetch(question, signal) {
    const response = await fetch(this.#address("v1/ask", { q: question, k: this.getAttribute("k") || "3", fields: "context" }), {
      signal, credentials: "omit", referrerPolicy: "no-referrer", headers: { Accept: "application/json", "Accept-Language": this.#language() },
    });
    if (response.status === 429) throw new Busy(String(Math.min(3600, parseInt(response.headers.get("Retry-After"), 10) || 60)));
    const found = await response.json();
    if (response.status >= 400 && response.status < 500) throw new Refused(String(found.detail || response.status));
    if (!response.ok || !Array.isArray(found.passages)) throw new Error(String(response.status));
    return found;
  }

  #show(question, answer) {
    const settled = ["settled", "likely"].includes(answer.verdict) ? answer.verdict : "open";
    const shown = [make("p", { class: `verdict ${settled}`, part: `verdict ${settled}` }, this.#word(settled))];
    for (const note of answer.notes || []) shown.push(make("p", { part: "note", lang: "en" }, String(note.text)));
    if (answer.fallback) shown.push(make("p", { part: "note" }, this.#word("fallback")), this.#passage(answer.fallback, answer));
    if (settled === "open" || !answer.passages.length) shown.push(make("p", { part: "note" }, this.#word(answer.passages.length ? "nearest" : "none")));
    shown.push(...answer.passages.map((passage) => this.#passage(passage, answer)));
    const more = this.#address("", { q: question, lang: this.#language() });
    shown.push(make("p", {}, make("a", { href: more, part: "link more" }, this.#word("more"))));
    this.#answer.replaceChildren(...shown);
    this.#say(`${this.#word(settled)}. ${this.#word("passages", answer.passages.length)}`, "unseen");
  }

  #passage(passage, answer) {
    const lang = passage.language;
    const spoken = passage.layer === "rulebook" ? lang : answer.language; // of the citation
    const address = this.#page(passage.url);
    const note = (text, language) => text && make("p", { part: "note", lang: language }, String(text));
    return make(
      "figure", { part: "passage" },
      note(passage.only_in && this.#word("only", passage.only_in)),
      note(passage.superseded && this.#word("replaced")),
      note(passage.before, lang), // what a ruling was asked, too: its answer may be a bare "no"
      make("blockquote", { part: "quote", lang, cite: address }, ...this.#marked(passage)),
      note(passage.repaired && `${this.#word("repaired")} ${passage.repaired}`, lang),
      make("figcaption", { part: "citation", lang: spoken }, address ? make("a", { href: address, part: "link" }, passage.label) : passage.label),
    );
  }

  /** The words of a passage, what answers marked. */
  #marked({ display, marks }) {
    const points = [...display], parts = []; // offsets count code points
    let at = 0;
    for (const [from, to] of marks || []) {
      parts.push(points.slice(at, from).join(""), make("mark", { part: "mark" }, points.slice(from, to).join("")));
      at = to;
    }
    return [...parts, points.slice(at).join("")];
  }

  #address(path, values) {
    const address = new URL(path, this.#server());
    const scope = { edition: this.getAttribute("edition"), game: this.getAttribute("game") };
    for (const [name, value] of Object.entries({ ...values, ...scope })) if (value) address.searchParams.set(name, value);
    return address.href;
  }

  /** A page of the service; nothing for an address elsewhere, or one that is no page. */
  #page(path) {
    const address = new URL(path, this.#server());
    return address.origin === this.#server().origin && /^https?:$/.test(address.protocol) ? address.href : "";
  }

  #server() {
    return new URL(`${this.getAttribute("server") || SERVER}/`.replace(/\/+$/, "/"), document.baseURI);
  }

  #language() {
    const said = this.closest("[lang]")?.lang || navigator.language || "";
    const code = said.slice(0, 2).toLowerCase();
    return Object.hasOwn(WORDS, code) ? code : "en";
  }

  #word(name, value = "") {
    return WORDS[this.#language()][name].replace("{}", () => value);
  }

  #speak() {
    this.#label.textContent = this.getAttribute("label") || this.#word("label");
    this.#button.textContent = this.#word("ask");
    for (const each of [this.#button, this.#status, this.#answer]) each.lang = this.#language();
  }

  #say(text, kind = "") {
    this.#status.textContent = text;
    this.#status.className = kind;
    this.#answer.setAttribute("aria-busy", String(text === this.#word("looking")));
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, detail }));
  }
}

if (!customElements.get("regula-ask")) customElements.define("regula-ask", RegulaAsk);
