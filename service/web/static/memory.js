// Stars, notes and the list beside the passages of answers, entries, rulings and cards, and the history of questions; loaded by page.js.
import * as store from "./memory-store.js";

const { get, say } = Regula;
const template = get("#memory");
const told = template.dataset;
const OURS = "[data-tool]";
const shown = new Map(); // element → {passage, star, mine}
const recorded = new WeakSet(); // answers that are in the history

const plain = (text) => text.replace(/\s+/g, " ").trim();

// Runs what changes something and says what it returns; where nothing could be kept, says that. Whether it could.
export async function keep(work) {
  try {
    const word = await work();
    if (word) say(word, true);
    return true;
  } catch (fault) {
    if (!(fault instanceof store.NotKept)) throw fault;
    say(told[fault.reason], true);
    return false;
  }
}

// What is kept of the element `at`, a quotation, an entry or a block on the page of an entry, whose address is `path`.
export function passageAt(at, index, path = location.pathname) {
  const { passage, fingerprint, label } = at.dataset;
  const [layer, second] = passage.split("/");
  const beside = layer === "rulings" || layer === "cards";
  const game = beside ? second : at.closest("[data-game]").dataset.game;
  const blocks = blocksOf(at);
  const whole = at.matches(".quote, .entry") ? at.querySelector("h1, h2:not(.label), h3, .item-title") : at.closest(".part")?.querySelector("h2, h3, h4, h5, h6");
  const heading = (whole || at.ownerDocument.querySelector("h1")).cloneNode(true);
  for (const each of heading.querySelectorAll(`${OURS}, .card, .quiet, .of-game`)) each.remove();
  const link = at.dataset.answer !== undefined && get("[data-open]", at);
  const ruling = layer === "rulings" && `/${encodeURI(passage.split("#")[0])}`;
  const url = link ? link.pathname + link.hash : ruling || path + (at.matches(".wording *") ? `#${at.id}` : "");
  return {
    ...{ key: `${game} ${fingerprint}`, passage, fingerprint, label, game, heading: plain(heading.textContent), url, index, state: "same" },
    ...{ language: (blocks[0] || at).closest("[lang]").lang, words: wordsOf(blocks), kept: store.now(), favourite: false, note: null },
  };
}

// The paragraphs and bullets that a passage consists of, as they are printed.
function blocksOf(at) {
  const within = (root) => [...root.querySelectorAll("p, li")].filter((each) => !each.closest(`${OURS}, .lead-in, .warning`));
  if (at.matches(".quote")) return [...at.querySelectorAll("blockquote:not(.quote details *, .flavour)")].flatMap(within);
  if (at.matches(".entry")) return within(get(".wording", at));
  const all = within(at.closest(".wording"));
  const rest = all.slice(all.indexOf(at) + 1);
  const end = rest.findIndex((each) => each.dataset.passage || each.closest(".part") !== at.closest(".part"));
  return [at, ...(end < 0 ? rest : rest.slice(0, end))];
}

function wordsOf(blocks) {
  const words = [];
  let room = 20_000; // characters: of a chapter only its beginning
  for (const block of blocks) {
    const copied = block.cloneNode(true);
    for (const inside of copied.querySelectorAll(`ul, p, ${OURS}, .warning`)) inside.remove();
    const text = plain(copied.textContent);
    if ((room -= text.length) < 0) break;
    const role = ["void", "question", "example"].find((each) => block.classList.contains(each)) || "";
    if (text) words.push({ text, role, depth: Number(block.matches("li")) });
  }
  return words;
}

const tool = (name) => {
  const copied = get(`[${name}]`, template.content).cloneNode(true);
  copied.dataset.tool = "";
  return copied;
};

function addStar(at) {
  const passage = passageAt(at, told.index);
  const around = at.closest(".entry");
  const again = around && around !== at && shown.get(around)?.passage.key === passage.key; // an entry of one passage
  if (!passage.words.length || at.matches(".see, .listing") || again) return;
  const star = tool("data-star");
  const whole = at.matches(".quote, .entry");
  get(".unseen", star).append(`: ${whole ? passage.heading : passage.words[0].text.slice(0, 60)}`);
  star.addEventListener("click", () => keep(async () => {
    const on = star.getAttribute("aria-pressed") === "false";
    await store.alter("passages", passage, { favourite: on });
    return told[on ? "starred" : "unstarred"];
  }));
  const acts = get(".acts", at);
  if (acts) acts.append(Object.assign(document.createElement("li"), { className: "keep" })), acts.lastChild.append(star);
  else if (whole) at.firstElementChild.after(star);
  else at.insertBefore(star, get("ul, p", at));
  shown.set(at, { passage, star });
}

// The note on a passage and what can be done with one that is kept: behind its words and before what is inside them.
function addMine(at, passage) {
  const mine = tool("data-mine");
  const button = get("[data-list]", mine);
  button.addEventListener("click", () => keep(async () => {
    const word = told[button.getAttribute("aria-pressed") === "false" ? "listed" : "unlisted"];
    await store.toggleListed(passage);
    return word;
  }));
  if (at.matches(".quote")) [...at.querySelectorAll("blockquote:not(.quote details *)")].pop().after(mine);
  else if (at.matches(".entry")) get("header", at).append(mine);
  else if (at.matches("li")) at.insertBefore(mine, get("ul, p:not([data-tool] *)", at));
  else at.after(mine);
  return mine;
}

// Shows a note on a passage or question in `item`, and lets it be written; `save` gets the new one.
export function showNote(item, note, save) {
  const [form, field] = [get(".note-form", item), get(".note-form textarea", item)];
  get(".my-note", item).hidden = !note;
  get(".my-note-text", item).textContent = note?.text || "";
  if (!form.open) field.value = note?.text || "";
  get("form", form).onsubmit = async (event) => {
    event.preventDefault();
    form.open = false;
    get("summary", form).focus();
    const text = field.value.trim();
    form.open = !(await keep(() => save(text ? { text, changed: store.now() } : null).then(() => told[text ? "noted" : "unnoted"])));
  };
}

async function render() {
  const kept = await store.read().catch(() => null); // where nothing can be kept, stars say so when they are pressed
  if (!kept) return;
  for (const [at, beside] of shown) {
    const { passage, star } = beside;
    const record = kept.passages.get(passage.key);
    const old = !record && [...kept.passages.values()].find((each) => each.passage === passage.passage && each.note);
    star.setAttribute("aria-pressed", String(Boolean(record?.favourite)));
    if (!record && !old && !beside.mine) continue;
    const mine = (beside.mine ||= addMine(at, passage));
    mine.hidden = !record && !old;
    get(".my-note-changed", mine).hidden = !old;
    showNote(mine, (record || old)?.note, (note) => store.alter("passages", passage, { note }));
    get("[data-list]", mine).setAttribute("aria-pressed", String(record?.listed != null));
  }
}

// Notes the question of an answer in the history, once.
function record() {
  const main = get("#main");
  const at = new URLSearchParams(main?.dataset.address?.replace(/^[^?]*/, "") ?? location.search);
  const question = at.get("q")?.trim();
  if (main?.dataset.page !== "ask" || !question || recorded.has(main) || !(main.dataset.settled || get("[data-answer]", main))) return;
  recorded.add(main);
  for (const name of ["k", "in"]) at.delete(name);
  const before = at.get("context") || ""; // the questions that it was read with
  const scope = at.get("edition") || at.get("game") || "";
  const { key, heading, label, url } = shown.get(get("[data-answer]", main))?.passage || {};
  const asked = { key: `${[scope, before].filter(Boolean).join("\n")} ${plain(question).toLowerCase()}`, question, before, scope, hit: null, note: null };
  const scopeName = [...(get("#in")?.options || [])].find((each) => each.value === scope)?.text || scope;
  const last = { time: store.now(), settled: main.dataset.settled || "", first: key ? { key, heading, label, url } : null, address: `/?${at}`, scopeName };
  store.read().then((kept) => kept.settings.get("history")?.value !== "off" && store.alter("questions", asked, last)).catch(() => undefined);
}

function refresh() {
  const fresh = [...document.querySelectorAll("[data-passage]")].filter((each) => !shown.has(each));
  for (const at of shown.keys()) if (!at.isConnected) shown.delete(at);
  fresh.forEach(addStar);
  record();
  if (fresh.length) render();
}

document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: told.style }));
store.onChange(render);
new MutationObserver(refresh).observe(document.body, { childList: true, subtree: true });
refresh();
