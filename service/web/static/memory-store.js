// What is kept on this device, in IndexedDB, and the file that it is exported to. Nothing of it is ever sent.
// "passages": by key, the game and the fingerprint of the words; one stays while it is a favourite, has a note or is on the list, where
// `listed` is its place. "questions": by key, where and what was asked. "settings": by name, {name, value}. "lists" are of older versions.

const STORES = { passages: "key", questions: "key", lists: "id", settings: "name" };
const MOST_QUESTIONS = 200; // without a note; the oldest go

// `reason`: "full", "forbidden" (a private window, storage switched off) or "newer" (another version of this site has written).
export class NotKept extends Error {
  constructor(fault) {
    super(String(fault));
    this.reason = { QuotaExceededError: "full", VersionError: "newer" }[fault?.name] || "forbidden";
  }
}

const channel = new BroadcastChannel("regula-memory");
const listeners = [];
channel.onmessage = () => listeners.forEach((each) => each());
export const onChange = (listener) => listeners.push(listener); // in this tab or another one

const answered = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

// Calls `work` with all that is kept, as a Map for each store, and writes what it sets and deletes there: all of it or nothing.
async function within(mode, work) {
  let database, transaction;
  try {
    const asked = indexedDB.open("regula", 1);
    asked.onupgradeneeded = () => Object.entries(STORES).forEach(([name, keyPath]) => asked.result.createObjectStore(name, { keyPath }));
    database = await answered(asked);
    transaction = database.transaction(Object.keys(STORES), mode);
    const ended = new Promise((resolve) => Object.assign(transaction, { oncomplete: resolve, onabort: resolve }));
    const kept = {};
    for (const [name, key] of Object.entries(STORES)) {
      kept[name] = new Map((await answered(transaction.objectStore(name).getAll())).map((each) => [each[key], each]));
    }
    const before = Object.fromEntries(Object.entries(kept).map(([name, records]) => [name, new Map(records)]));
    joinLists(kept);
    const found = work(kept);
    for (const [name, records] of mode === "readwrite" ? Object.entries(kept) : []) {
      const stored = transaction.objectStore(name);
      for (const [key, record] of records) if (before[name].get(key) !== record) stored.put(record);
      for (const key of before[name].keys()) if (!records.has(key)) stored.delete(key);
    }
    await ended;
    if (transaction.error) throw transaction.error;
    return found;
  } catch (fault) {
    if (!transaction?.error) transaction?.abort();
    throw new NotKept(fault);
  } finally {
    database?.close();
  }
}

// Older versions of this site had several lists: their passages are on the one that there is now.
function joinLists({ passages, lists }) {
  const keys = [...lists.values()].flatMap((list) => list.passages);
  keys.forEach((key, place) => passages.has(key) && passages.set(key, { ...passages.get(key), listed: place }));
  lists.clear();
}

export const read = () => within("readonly", (kept) => kept);

export async function change(work) {
  await within("readwrite", (kept) => {
    work(kept);
    for (const [key, { favourite, note, listed }] of kept.passages) if (!favourite && !note && listed == null) kept.passages.delete(key);
    const old = newestFirst(kept.questions, "time").filter((each) => !each.note);
    for (const { key } of old.slice(MOST_QUESTIONS)) kept.questions.delete(key);
  });
  channel.postMessage("changed");
  channel.onmessage();
}

// Changes `fields` of what is kept of a passage or question; `fresh` is what there is to keep where it is not kept yet.
export const alter = (store, fresh, fields) =>
  change((kept) => void kept[store].set(fresh.key, { ...fresh, ...kept[store].get(fresh.key), ...(fields.call ? fields(kept) : fields) }));
export const now = () => new Date().toISOString();
export const newestFirst = (records, field) => [...records.values()].sort((a, b) => (a[field] < b[field] ? 1 : -1));
export const listOf = ({ passages }) => [...passages.values()].filter((each) => each.listed != null).sort((a, b) => a.listed - b.listed);
export const toggleListed = (passage) =>
  alter("passages", passage, (kept) => ({ listed: kept.passages.get(passage.key)?.listed == null ? (listOf(kept).at(-1)?.listed ?? 0) + 1 : null }));

// The file

const FORMAT = { format: "regula-memory", version: 1 };
const LARGEST = 5_000_000; // characters
// What a file has to be like: its texts, lists and records of the same sort as these, "/" an address within this site. It may come from
// anybody; what it says is shown as text, never as markup.
const NOTE = { text: "", changed: "" };
const PLACE = { heading: "", label: "", url: "/" };
const LIKE = {
  passages: [{ ...PLACE, key: "", passage: "", fingerprint: "", game: "", language: "", index: "", kept: "", words: [{ text: "", role: "" }], note: NOTE }],
  questions: [{ key: "", question: "", address: "/", scopeName: "", settled: "", time: "", first: PLACE, hit: PLACE, note: NOTE }],
  lists: [{ id: "", passages: [""] }],
};

function isLike(value, sample) {
  if (Array.isArray(sample)) return Array.isArray(value) && value.length <= 2000 && value.every((each) => each && isLike(each, sample[0]));
  if (typeof sample === "object") return !value || Object.entries(sample).every(([name, each]) => isLike(value[name], each));
  return typeof value === "string" && (sample !== "/" || /^\/(?![/\\])[^\s\\]*$/.test(value));
}

export function fileOf(kept) {
  const records = Object.keys(LIKE).map((name) => [name, [...kept[name].values()]]);
  return JSON.stringify({ ...FORMAT, written: now(), ...Object.fromEntries(records) }, null, 1);
}

// What `content` says, a Map for each store. Throws with the message "large", "newer" (a later version of the format) or "unread".
export function readFile(content) {
  if (content.length > LARGEST) throw new Error("large");
  let file;
  try {
    file = JSON.parse(content);
  } catch {
    throw new Error("unread");
  }
  if (file?.format === FORMAT.format && file.version > FORMAT.version) throw new Error("newer");
  const unfit = file?.format !== FORMAT.format || !isLike(file, LIKE) || file.passages.some((each) => each.key !== `${each.game} ${each.fingerprint}`);
  if (unfit) throw new Error("unread");
  const found = Object.fromEntries(Object.keys(LIKE).map((name) => [name, new Map(file[name].map((each) => [each[STORES[name]], each]))]));
  joinLists(found);
  return found;
}

// Adds what `file` has; of two notes on the same words both stay.
export const merge = (file) =>
  change((kept) => {
    for (const name of ["passages", "questions"]) {
      for (const [key, theirs] of file[name]) {
        const mine = kept[name].get(key) || theirs;
        const more = theirs.note && mine.note && !mine.note.text.includes(theirs.note.text) ? `\n\n${theirs.note.text}` : "";
        const note = mine.note ? { ...mine.note, text: mine.note.text + more } : theirs.note;
        kept[name].set(key, { ...theirs, ...mine, note, favourite: mine.favourite || theirs.favourite, listed: mine.listed ?? theirs.listed });
      }
    }
  });
