// What is kept on this device, in IndexedDB: unlike localStorage it has room for the words of many passages, changes of two tabs at once do
// not overwrite each other, and a change is made whole or not at all. Nothing of it is ever sent.
//
// "passages": by key, the game and the fingerprint of the words; "questions": by key, where and what was asked; "lists": by id;
// "settings": by name, {name, value}.

const NAME = "regula";
const VERSION = 1;
export const STORES = ["passages", "questions", "lists", "settings"];
export const MOST_QUESTIONS = 200; // without a note; the oldest go
export const LONGEST_NOTE = 10_000;

// ``reason`` is "full", "forbidden" (a private window, storage switched off) or "newer" (another version of this site has written).
export class NotKept extends Error {
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

const reasonOf = (fault) => ({ QuotaExceededError: "full", VersionError: "newer" })[fault?.name] || "forbidden";

let opened;

function open() {
  opened ||= new Promise((resolve, reject) => {
    const asked = indexedDB.open(NAME, VERSION);
    asked.onupgradeneeded = () => {
      const database = asked.result;
      database.createObjectStore("passages", { keyPath: "key" }).createIndex("passage", "passage");
      database.createObjectStore("questions", { keyPath: "key" });
      database.createObjectStore("lists", { keyPath: "id" });
      database.createObjectStore("settings", { keyPath: "name" });
    };
    asked.onsuccess = () => {
      asked.result.onversionchange = () => {
        asked.result.close(); // a newer page in another tab waits for it
        opened = null;
      };
      asked.result.onclose = () => (opened = null);
      resolve(asked.result);
    };
    asked.onerror = () => reject(asked.error);
  }).catch((fault) => {
    opened = null;
    throw new NotKept(reasonOf(fault));
  });
  return opened;
}

const promised = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

// Runs ``work`` in one transaction over all that is kept; ``work`` gets the stores by name and `promised`. Raises `NotKept`: then
// everything is as it was.
async function within(mode, work) {
  const database = await open();
  let result;
  let ended;
  try {
    const transaction = database.transaction(STORES, mode);
    ended = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    ended.catch(() => undefined);
    try {
      result = await work(Object.fromEntries(STORES.map((name) => [name, transaction.objectStore(name)])), promised);
    } catch (fault) {
      transaction.abort();
      throw fault;
    }
    await ended;
  } catch (fault) {
    throw fault instanceof NotKept ? fault : new NotKept(reasonOf(fault));
  }
  return result;
}

export const read = (work) => within("readonly", work);

export async function change(work) {
  const result = await within("readwrite", work);
  tell();
  return result;
}

// Other tabs

const channel = "BroadcastChannel" in globalThis ? new BroadcastChannel("regula-memory") : null;
const listeners = new Set();
const tell = () => {
  channel?.postMessage("changed");
  listeners.forEach((each) => each());
};
if (channel) channel.onmessage = () => listeners.forEach((each) => each());
export const onChange = (listener) => listeners.add(listener);

// Passages

export const keyOf = (game, fingerprint) => `${game} ${fingerprint}`;
const isKept = (passage, lists) => passage.favourite || passage.note || lists.some((list) => list.passages.includes(passage.key));

// Changes what is kept of a passage: ``alter`` gets its record, the ``fresh`` one where there is none. One that is neither a favourite nor
// noted nor on a list is forgotten. Returns the record.
export function alterPassage(fresh, alter) {
  return change(async ({ passages, lists }, got) => {
    const record = (await got(passages.get(fresh.key))) || fresh;
    alter(record);
    if (isKept(record, await got(lists.getAll()))) await got(passages.put(record));
    else await got(passages.delete(record.key));
    return record;
  });
}

// Puts a passage on a list or takes it off: the list with this ``id``, else the one used last, else a new one called ``name``.
// Returns the list.
export function toggleListed(fresh, { id = null, name, day }) {
  return change(async ({ passages, lists, settings }, got) => {
    const all = await got(lists.getAll());
    const used = id || (await got(settings.get("list")))?.value;
    const list = all.find((each) => each.id === used) || { id: newId(), name, day, passages: [], changed: "" };
    const on = !list.passages.includes(fresh.key);
    list.passages = on ? [...list.passages, fresh.key] : list.passages.filter((key) => key !== fresh.key);
    list.changed = now();
    await got(lists.put(list));
    await got(settings.put({ name: "list", value: list.id }));
    const others = [...all.filter((each) => each.id !== list.id), list];
    const record = (await got(passages.get(fresh.key))) || fresh;
    if (isKept(record, others)) await got(passages.put(record));
    else await got(passages.delete(record.key));
    return list;
  });
}

// Forgets the passages among ``keys`` that nothing keeps any more; within a change.
export async function forgetUnkept({ passages, lists }, got, keys) {
  const all = await got(lists.getAll());
  for (const key of keys) {
    const record = await got(passages.get(key));
    if (record && !isKept(record, all)) await got(passages.delete(key));
  }
}

// Questions

export const questionKey = (scope, question) => `${scope} ${question.trim().replace(/\s+/g, " ").toLowerCase()}`;

// Changes what is kept of a question; none is kept where the history is switched off, unless ``always``. Returns the record or null.
export function alterQuestion(fresh, alter, always = false) {
  return change(async ({ questions, settings }, got) => {
    if (!always && (await got(settings.get("history")))?.value === "off") return null;
    const record = { ...fresh, ...(await got(questions.get(fresh.key))) };
    alter(record);
    await got(questions.put(record));
    const old = (await got(questions.getAll())).filter((each) => !each.note).sort((a, b) => (a.time < b.time ? 1 : -1));
    for (const each of old.slice(MOST_QUESTIONS)) await got(questions.delete(each.key));
    return record;
  });
}

export const now = () => new Date().toISOString();
export const newId = () => (crypto.randomUUID ? crypto.randomUUID() : `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`);

// Asks the browser not to throw away what is kept when it needs room; what it answers changes nothing here.
export const persist = () => navigator.storage?.persist?.().catch(() => undefined);

// All that is kept

export const everything = () =>
  read(async (stores, got) => Object.fromEntries(await Promise.all(STORES.map(async (name) => [name, await got(stores[name].getAll())]))));

// Puts what ``make`` makes of all that is kept in its place, whole or not at all.
export const replaceEverything = (make) =>
  change(async (stores, got) => {
    const kept = {};
    for (const name of STORES) kept[name] = await got(stores[name].getAll());
    const made = make(kept);
    for (const name of STORES) {
      await got(stores[name].clear());
      for (const each of made[name]) await got(stores[name].put(each));
    }
  });
