// Favourites, notes and the history, beside the passages of answers, entries, rulings and cards; loaded by page.js where there are any.
// All of it stays on this device (memory-store.js).
// What it holds on to, and tests may: template#memory (what is put into the page, and what is said); [data-passage] (id of a passage) with
// data-fingerprint and data-label, in or on [data-game]; what it puts there has [data-tool]: [data-star], [data-mine] with [data-list] and
// [data-write], [data-note], [data-form], [data-was-it], [data-of-question]. Of ask.js: #main (data-page="ask", data-settled), [data-answer].

const { get, say } = Regula;
const shown = new Map(); // element → what is put beside it
const recorded = new WeakSet(); // answers that are in the history
const template = get("#memory");
let store;
let page;
let ready;

// Begins to put stars beside what is on the page, and beside what comes to it.
export const attend = () => (ready ||= begin());

async function begin() {
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: template.dataset.style }));
  [store, page] = await Promise.all([import(template.dataset.store), import(template.dataset.passages)]);
  store.onChange(render);
  new MutationObserver(refresh).observe(document.body, { childList: true, subtree: true });
  refresh();
}

const tool = (name) => {
  const copied = get(`[${name}]`, template.content).cloneNode(true);
  copied.dataset.tool = "";
  return copied;
};
const fill = (text, name) => text.replace("#", () => name);

// Runs what changes something and says so; where nothing could be kept, says that.
async function keep(work) {
  try {
    const word = await work();
    if (word) say(word, true);
  } catch (fault) {
    if (!(fault instanceof store.NotKept)) throw fault;
    say(template.dataset[fault.reason], true);
    render();
  }
}

function refresh() {
  const fresh = [...document.querySelectorAll("[data-passage]")].filter((each) => !shown.has(each));
  for (const at of shown.keys()) if (!at.isConnected) shown.delete(at);
  fresh.forEach(equip);
  record();
  if (fresh.length) render();
}

// Beside a passage

function equip(at) {
  const passage = page.passageAt(at, store.keyOf, template.dataset.index);
  if (!passage.words.length || at.matches(".see, .listing")) return; // says nothing by itself
  const whole = at.closest(".entry");
  if (whole && whole !== at && shown.get(whole)?.passage.key === passage.key) return; // an entry of one passage
  const star = tool("data-star");
  const beside = { at, passage, star };
  const named = at.matches(".quote, .entry") ? passage.heading : passage.words[0]?.text.slice(0, 60);
  get(".unseen", star).append(`: ${named}`);
  star.addEventListener("click", () => keep(() => starred(beside, star.getAttribute("aria-pressed") === "false")));
  if (at.matches(".quote, .entry")) at.firstElementChild.after(star);
  else at.insertBefore(star, get("ul, p", at));
  shown.set(at, beside);
  const footer = at.dataset.answer !== undefined && get("footer", at);
  if (footer && !get("[data-feedback]", at)) {
    beside.wasIt = tool("data-was-it");
    const button = get("button", beside.wasIt);
    button.append(Object.assign(document.createElement("span"), { className: "unseen", textContent: `: ${passage.heading}` }));
    button.addEventListener("click", () => keep(() => judged(beside, button.getAttribute("aria-pressed") === "false")));
    footer.append(beside.wasIt);
  }
}

async function starred({ passage }, on) {
  await store.alterPassage({ ...passage }, (record) => (record.favourite = on));
  if (on) store.persist();
  return template.dataset[on ? "starred" : "unstarred"];
}

async function listed({ passage }) {
  const day = new Date();
  const name = fill(template.dataset.listName, day.toLocaleDateString(document.documentElement.lang, { day: "numeric", month: "long" }));
  const list = await store.toggleListed({ ...passage }, { name, day: `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}` });
  return fill(template.dataset[list.passages.includes(passage.key) ? "listed" : "unlisted"], list.name);
}
const two = (number) => String(number).padStart(2, "0");

async function noted({ passage }, text) {
  await store.alterPassage({ ...passage }, (record) => (record.note = text ? { text, changed: store.now() } : null));
  return template.dataset[text ? "noted" : "unnoted"];
}

// "This was it": noted with the question; where no history is kept, among the favourites.
async function judged({ passage }, on, quietly) {
  const { key, heading, label, url } = passage;
  const question = asked();
  const found = question && (await store.alterQuestion(question, (record) => (record.hit = on ? { key, heading, label, url } : null)));
  if (!found) return starred({ passage }, on);
  return quietly ? "" : template.dataset[on ? "hit" : "unhit"];
}

// What readers tell the server of a passage is noted here too; feedback.js says what came of it.
document.addEventListener("submit", (event) => {
  const at = event.target.closest("[data-feedback]")?.closest("[data-passage]");
  const { name, value } = event.submitter || {};
  if (!at || !shown.has(at) || (name !== "undo" && value !== "hit")) return;
  judged(shown.get(at), value === "hit", true).catch(() => undefined);
});

// What is kept, beside what it is kept of

async function render() {
  const all = [...shown.values()];
  const question = asked();
  let kept;
  try {
    kept = await store.read(async ({ passages, lists, questions, settings }, got) => {
      const records = await Promise.all(all.map(({ passage }) => got(passages.get(passage.key))));
      const before = await Promise.all(all.map(({ passage }) => got(passages.index("passage").get(passage.passage))));
      const list = (await got(settings.get("list")))?.value;
      const found = list && (await got(lists.get(list)));
      return { records, before, list: found, question: question && (await got(questions.get(question.key))) };
    });
  } catch (fault) {
    if (!(fault instanceof store.NotKept)) throw fault;
    return; // stars say so when they are pressed
  }
  all.forEach((beside, n) => {
    const { records, before, list } = kept;
    const record = records[n];
    const old = !record && before[n]?.game === beside.passage.game && before[n].note ? before[n] : null;
    const hit = Boolean(kept.question?.hit && kept.question.hit.key === beside.passage.key);
    beside.star.setAttribute("aria-pressed", String(Boolean(record?.favourite)));
    if (beside.wasIt) get("button", beside.wasIt).setAttribute("aria-pressed", String(hit));
    showNote(beside, (record || old)?.note, Boolean(old));
    showMine(beside, Boolean(record || hit), list, record?.note);
  });
  if (question) showQuestion(kept.question);
}

// Puts ``element`` in its place beside ``at``: behind its words and before what is inside them.
function place(at, element) {
  if (at.matches(".quote")) {
    const words = [...at.querySelectorAll("blockquote")].filter((each) => !each.closest("details")).pop();
    words.after(element);
  } else if (at.matches(".entry")) get("header", at).append(element);
  else if (at.matches("li")) at.insertBefore(element, get("ul, p:not([data-tool])", at));
  else at.after(element);
}

function showNote(beside, note, changed) {
  if (!note) {
    beside.note?.remove();
    return void (beside.note = null);
  }
  if (!beside.note) place(beside.at, (beside.note = tool("data-note")));
  get(".my-note-text", beside.note).textContent = note.text;
  get(".my-note-changed", beside.note).hidden = !changed;
}

function showMine(beside, on, list, note) {
  if (!on) {
    beside.mine?.remove();
    return void (beside.mine = null);
  }
  if (!beside.mine) {
    beside.mine = tool("data-mine");
    get("[data-list]", beside.mine).addEventListener("click", () => keep(() => listed(beside)));
    get("[data-write]", beside.mine).addEventListener("click", () => write(beside.mine, beside.noteText, (text) => noted(beside, text)));
    if (beside.note) beside.note.after(beside.mine);
    else place(beside.at, beside.mine);
  }
  beside.noteText = note?.text || "";
  const button = get("[data-list]", beside.mine);
  button.textContent = list ? fill(template.dataset.listed, list.name) : template.dataset.listNew;
  button.setAttribute("aria-pressed", String(Boolean(list?.passages.includes(beside.passage.key))));
}

// A field for a note in the place of ``row``; what is written goes to ``done``.
function write(row, text, done) {
  const form = tool("data-form");
  const field = get("textarea", form);
  const back = () => {
    form.replaceWith(row);
    get("[data-write]", row).focus();
  };
  field.value = text;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    event.stopPropagation();
    await keep(async () => {
      const word = await done(field.value.trim().slice(0, store.LONGEST_NOTE));
      back();
      return word;
    });
  });
  get("[data-cancel]", form).addEventListener("click", back);
  row.replaceWith(form);
  field.focus();
}

// Questions

// What was asked on this page; null where nothing was.
function asked() {
  const main = get("#main");
  const at = new URLSearchParams(main?.dataset.address?.replace(/^[^?]*/, "") ?? location.search);
  const question = at.get("q")?.trim();
  if (main?.dataset.page !== "ask" || !question) return null;
  for (const name of ["k", "in"]) at.delete(name);
  const before = at.get("context") || ""; // the questions that it was read with
  const scope = at.get("edition") || at.get("game") || "";
  const first = get("[data-answer]", main);
  const seen = first && shown.get(first)?.passage;
  return {
    key: store.questionKey([scope, before].filter(Boolean).join("\n"), question),
    question,
    before,
    address: `/?${at}`,
    scope,
    scopeName: [...(get("#in")?.options || [])].find((each) => each.value === scope)?.text || scope,
    settled: main.dataset.settled || "",
    first: seen ? { key: seen.key, heading: seen.heading, label: seen.label, url: seen.url } : null,
    hit: null,
    note: null,
    time: store.now(),
  };
}

function record() {
  const main = get("#main");
  const question = asked();
  if (!question || recorded.has(main) || !main.dataset.settled) return;
  recorded.add(main);
  const { time, settled, first, address, scopeName } = question;
  const alter = (kept) => Object.assign(kept, { time, settled, first, address, scopeName });
  store.alterQuestion(question, alter).catch(() => undefined); // where nothing can be kept, stars say so
}

const ofQuestion = { row: null, note: null };

function showQuestion(kept) {
  const main = get("#main");
  if (!ofQuestion.row?.isConnected && !get("[data-form]", main)) {
    ofQuestion.row = tool("data-of-question");
    const done = async (text) => {
      await store.alterQuestion(asked(), (record) => (record.note = text ? { text, changed: store.now() } : null), true);
      return template.dataset[text ? "noted" : "unnoted"];
    };
    get("[data-write]", ofQuestion.row).addEventListener("click", () => write(ofQuestion.row, ofQuestion.text, done));
    main.append(ofQuestion.row);
  }
  ofQuestion.text = kept?.note?.text || "";
  ofQuestion.note?.remove();
  if (!kept?.note) return;
  ofQuestion.note = tool("data-note");
  get(".my-note-text", ofQuestion.note).textContent = kept.note.text;
  main.insertBefore(ofQuestion.note, [...main.children].find((each) => each.matches("section, article, p")) || null);
}
