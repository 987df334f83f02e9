// The page of what is kept on this device: the list, favourites and notes, questions, export and import. Loaded as a module.
// What is kept may come from a file of anybody: it is put into the page as text alone.
import { keep, passageAt, showNote } from "./memory.js";
import * as store from "./memory-store.js";

const { get } = Regula;
const root = get("#kept");
const told = root.dataset;
const trouble = get("#kept-trouble");
let kept;

const complain = (text) => Object.assign(trouble, { textContent: text, hidden: !text });
const fill = (text, ...values) => values.reduce((filled, value, n) => filled.replace(`#${n + 1}`, () => value), text);
const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const searched = ({ heading, label, words, note, groups = [] }) => folded([heading, label, ...words.map((each) => each.text), note?.text, ...groups].join(" "));

async function show() {
  if (get(".note-form[open]", root)) return; // somebody is writing; shown when that is done
  kept = await store.read();
  const wanted = folded(get("#search-kept").value).split(/\s+/);
  const starred = store.newestFirst(kept.passages, "kept").filter((each) => each.favourite || each.note);
  const focus = focused();
  fillList("#listed", store.listOf(kept).map(passageItem));
  fillList("#starred", starred.filter((each) => wanted.every((word) => searched(each).includes(word))).map(passageItem));
  fillList("#asked-list", store.newestFirst(kept.questions, "time").map(questionItem));
  get("#keep-history").checked = kept.settings.get("history")?.value !== "off";
  focus?.();
}

// What is unfolded of a list stays so.
function fillList(name, items) {
  const list = get(name);
  const open = [...list.children].filter((each) => get("details", each).open).map((each) => each.dataset.key);
  for (const item of items) get("details", item).open = open.includes(item.dataset.key);
  list.replaceChildren(...items);
  list.previousElementSibling.hidden = items.length > 0; // says that it is empty
}

// Where the focus is in a list, as a function that puts it there again once the list has been filled anew.
function focused() {
  const at = document.activeElement.closest("[data-key] [data-do]");
  if (!at) return null;
  const list = at.closest(".kept-list");
  const { key } = at.closest("[data-key]").dataset;
  return () => {
    const item = [...list.children].find((each) => each.dataset.key === key);
    const again = item && (get(`[data-do="${at.dataset.do}"]:not(:disabled)`, item) || get("button[data-do]:not(:disabled)", item));
    (again || get("h2", list.closest("section"))).focus();
  };
}

const put = (element, values) => Object.assign(element, values);

function itemOf(template, records, record, name) {
  const item = get(template).content.firstElementChild.cloneNode(true);
  item.dataset.key = record.key;
  for (const each of item.querySelectorAll("[data-do]")) each.append(put(document.createElement("span"), { className: "unseen", textContent: `: ${name}` }));
  showNote(item, record.note, (note) => store.alter(records, record, { note }));
  return item;
}

function passageItem(record, place, { length }) {
  const item = itemOf("#kept-passage", "passages", record, record.heading);
  const state = told.games.split(" ").includes(record.game) ? record.state : "unloaded";
  const line = ({ text, depth, role }) => put(document.createElement("p"), { className: `${role}${depth ? " bullet" : ""}`, textContent: text });
  const does = (name) => get(`[data-do="${name}"]`, item);
  put(get("h3 a", item), { href: record.url, textContent: record.heading, lang: record.language });
  put(get(".state", item), { hidden: state === "same", textContent: told[state] || "" });
  put(get("blockquote", item), { lang: record.language }).append(...record.words.map(line));
  put(get("cite", item), { textContent: record.label, lang: record.language });
  does("up").disabled = place === 0;
  does("down").disabled = place === length - 1;
  does("take").hidden = !["changed", "moved"].includes(state);
  does("list").setAttribute("aria-pressed", String(record.listed != null));
  return item;
}

function questionItem(record) {
  const item = itemOf("#kept-question", "questions", record, record.question);
  const [link, first] = item.querySelectorAll("a");
  const place = record.hit || record.first;
  const time = new Date(record.time).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  put(link, { href: record.address, textContent: record.question });
  get("[data-about]", item).textContent = [(record.before || "").replaceAll("\n", " · "), time, record.scopeName, told[record.settled]].filter(Boolean).join(" · ");
  put(first, place ? { href: place.url, textContent: `${place.heading} (${place.label})` } : { hidden: true });
  return item;
}

// What the buttons of items do, by [data-do]; each returns what to say.
const does = {
  up: (record) => move(record, -1),
  down: (record) => move(record, 1),
  list: (record) => store.toggleListed(record).then(() => told.saved),
  remove: (record) => store.alter("passages", record, { favourite: false }).then(() => told.removed),
  forget: (record) => store.change(({ questions }) => questions.delete(record.key)).then(() => told.removed),
  take: renew,
};
root.addEventListener("click", ({ target }) => {
  const button = target.closest("button[data-do]");
  const key = button?.closest("[data-key]").dataset.key;
  if (button) keep(() => does[button.dataset.do](kept.passages.get(key) || kept.questions.get(key)));
});

async function move({ key }, by) {
  const order = store.listOf(kept).map((each) => each.key);
  const [from, to] = [order.indexOf(key), order.indexOf(key) + by];
  [order[from], order[to]] = [order[to], order[from]];
  await store.change(({ passages }) => order.forEach((each, listed) => passages.set(each, { ...passages.get(each), listed })));
  return fill(told.place, to + 1, order.length);
}

// Compares with the rulebooks: fingerprints of whole games are loaded, so that the server is not told which were kept.
async function compare() {
  const outdated = [...kept.passages.values()].filter((each) => each.index !== told.index && told.games.split(" ").includes(each.game));
  for (const game of new Set(outdated.map((each) => each.game))) {
    const response = await fetch(told.fingerprints + encodeURIComponent(game));
    const { index, passages: known } = await response.json();
    const judged = outdated.filter((each) => each.game === game).map((each) => ({ ...judge(each, known), index }));
    await store.change(({ passages }) => judged.forEach(({ key, ...found }) => passages.has(key) && passages.set(key, { ...passages.get(key), ...found })));
  }
}

function judge({ key, passage, fingerprint, label, url }, known) {
  const [entry] = passage.split("#");
  const sort = (id) => `${id.includes("#")} ${id.startsWith("cards/")}`; // a passage, or all of an entry; a card
  const same = Object.keys(known).filter((id) => known[id][0] === fingerprint && sort(id) === sort(passage));
  const at = same.find((id) => id === passage) || same.find((id) => id.split("#")[0] === entry);
  if (!at && !same.length) return { key, state: Object.hasOwn(known, passage) ? "changed" : "gone" };
  if (!at) return { key, state: "moved", passage: same[0], url: addressOf(same[0]) };
  const position = known[at][1]; // the lines or the page of today, which stand behind the last comma of a citation
  return { key, state: "same", passage: at, url: at === passage ? url : addressOf(at), label: position ? label.replace(/, [^,]*$/, () => `, ${position}`) : label };
}

function addressOf(id) {
  const [entry, ordinal] = id.split("#");
  if (/^(rulings|cards)\//.test(entry)) return `/${encodeURI(entry.replace(/@[^@]*$/, ""))}`;
  return `/e/${entry}${ordinal ? `#p-${entry.slice(entry.indexOf("/") + 1)}-${ordinal}` : ""}`;
}

// Reads the words of today from the page of a passage, and keeps them in the place of those of then.
async function renew(record) {
  const response = await fetch(record.url.split("#")[0], { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const at = [...page.querySelectorAll("[data-passage]")].find((each) => each.dataset.passage === record.passage);
  if (!at) return told.notTaken;
  const { favourite, note, listed } = record;
  const fresh = { ...passageAt(at, get("#memory", page).dataset.index, new URL(response.url).pathname), favourite, note, listed };
  await store.change(({ passages }) => passages.delete(record.key) && passages.set(fresh.key, fresh));
  return told.taken;
}

// Gives a file away: by the share sheet of a phone where `title` says what it is, else as a download.
function give(content, title) {
  const file = new File([content], "regula.json", { type: "application/json" });
  if (title && matchMedia("(pointer: coarse)").matches && navigator.canShare?.({ files: [file] })) return navigator.share({ files: [file], title }).catch(() => undefined);
  Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: file.name }).click();
}

get("#export").addEventListener("click", () => give(store.fileOf(kept)));
get("#list-print").addEventListener("click", () => print());
get("#list-share").addEventListener("click", ({ target }) => {
  const shared = store.listOf(kept).map((each) => [each.key, { ...each, favourite: false, note: get("#list-notes").checked ? each.note : null }]);
  give(store.fileOf({ passages: new Map(shared), questions: new Map(), lists: new Map() }), target.textContent);
});
get("#list-clear").addEventListener("click", () => confirm(told.sureList) && keep(() => store.change(({ passages }) => passages.forEach((each, key) => passages.set(key, { ...each, listed: null }))).then(() => told.removed)));
get("#search-kept").addEventListener("input", show);
get("#keep-history").addEventListener("change", ({ target }) => {
  const value = target.checked ? "on" : "off"; // read now: show() may set the box back before the store is open
  keep(() => store.change(({ settings }) => settings.set("history", { name: "history", value })).then(() => told.saved));
});
get("#clear-history").addEventListener("click", () => confirm(told.sureHistory) &&
  keep(() => store.change(({ questions }) => questions.forEach((each, key) => each.note || questions.delete(key))).then(() => told.removed)));
get("#import").addEventListener("change", async ({ target }) => {
  try {
    const file = store.readFile(await target.files[0].text());
    complain("");
    if (confirm(fill(told.sureImport, file.passages.size, file.questions.size))) await keep(() => store.merge(file).then(() => told.imported));
  } catch ({ message }) {
    complain(`${told[message === "newer" ? "newerFile" : message] || told.unread} ${told.nothingLost}`);
  }
  target.value = "";
  await compare().catch(() => undefined);
});

try {
  await show();
  root.hidden = false;
  store.onChange(show);
  await compare();
} catch (fault) {
  if (!kept) complain(told[fault.reason] || told.forbidden);
}
get("#unscripted").hidden = true;
