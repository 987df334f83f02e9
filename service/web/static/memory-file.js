// What is kept on the device as one file: written, read with suspicion, and taken in.
// A file may come from anybody: every field is checked and copied, what is not known is dropped, and nothing of it is ever markup.

export const FORMAT = "regula-memory";
export const VERSION = 1;
export const LARGEST = 5_000_000; // bytes
const LONGEST_NOTE = 10_000;
const MOST = { passages: 2000, questions: 1000, lists: 100 };

// ``reason`` is "large", "unread" (no JSON), "foreign" (JSON of something else), "newer" (a later version of the format) or "broken";
// then ``place`` says where.
export class FileFault extends Error {
  constructor(reason, place = "") {
    super(`${reason} ${place}`);
    Object.assign(this, { reason, place });
  }
}

export const fileOf = ({ passages, questions, lists, settings }) =>
  JSON.stringify({ format: FORMAT, version: VERSION, written: new Date().toISOString(), passages, questions, lists, settings }, null, 1);

// One list with its passages, without what else is kept of them: notes go along where ``notes`` says so.
export function fileOfList(list, passages, notes) {
  const listed = passages.filter((each) => list.passages.includes(each.key));
  const shared = listed.map((each) => ({ ...each, favourite: false, groups: [], note: notes ? each.note : null }));
  return fileOf({ passages: shared, questions: [], lists: [list], settings: [] });
}

// Reading

// Each of these returns what it was given, or a copy of it, and throws where that is not as it has to be.
const text = (most, pattern = null) => (value) => {
  if (typeof value !== "string" || value.length > most || (pattern && !pattern.test(value))) throw new FileFault("broken");
  return value;
};
const oneOf = (...values) => (value) => {
  if (!values.includes(value)) throw new FileFault("broken");
  return value;
};
const maybe = (check) => (value) => (value === null || value === undefined ? null : check(value));
const many = (most, check) => (value) => {
  if (!Array.isArray(value) || value.length > most) throw new FileFault("broken");
  return value.map((each, n) => at(n, () => check(each)));
};
const fields = (checks) => (value) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new FileFault("broken");
  return Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, at(name, () => check(Object.hasOwn(value, name) ? value[name] : undefined))]));
};
function at(place, work) {
  try {
    return work();
  } catch (fault) {
    if (!(fault instanceof FileFault)) throw fault;
    const inside = fault.place && (fault.place.startsWith("[") ? fault.place : `.${fault.place}`);
    throw new FileFault(fault.reason, `${typeof place === "number" ? `[${place + 1}]` : place}${inside}`);
  }
}
const flag = oneOf(true, false);
const otherwise = (check, value) => (given) => (given === undefined ? value : check(given));

const KEY = /^[^\s/]{1,200} [0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]{5,15}Z$|^$/;
// An address within this site: of an entry, a ruling or a card, or of a question.
const PAGE = /^\/(e|rulings|cards)\/[^\s\\]*$/;
const QUESTION = /^\/\?[^\s\\#]*$/;
const note = maybe(fields({ text: text(LONGEST_NOTE), changed: text(30, TIME) }));
const place = maybe(fields({ key: text(220, KEY), heading: text(500), label: text(1000), url: text(2000, PAGE) }));

const PASSAGE = fields({
  key: text(220, KEY),
  passage: text(500),
  fingerprint: text(12, /^[0-9a-f]{12}$/),
  label: text(1000),
  game: text(200, /^[^\s/]+$/),
  heading: text(500),
  url: text(2000, PAGE),
  language: text(35, /^[A-Za-z0-9-]*$/),
  layer: oneOf("rulebook", "rulings", "cards"),
  words: many(2000, fields({ text: text(20_000), depth: oneOf(0, 1, 2, 3, 4, 5, 6, 7, 8), role: oneOf("", "void", "question", "example") })),
  index: text(200),
  state: otherwise(oneOf("same", "changed", "moved", "gone"), "same"),
  kept: text(30, TIME),
  favourite: flag,
  groups: many(20, text(60, /^[^,]+$/)),
  note,
});
const ASKED = fields({
  key: text(20_000),
  question: text(2000),
  before: otherwise(text(20_000), ""),
  address: text(60_000, QUESTION),
  scope: text(200),
  scopeName: text(500),
  settled: oneOf("", "settled", "likely", "open"),
  first: place,
  hit: place,
  note,
  time: text(30, TIME),
});
const LIST = fields({
  id: text(60, /^[\w-]+$/),
  name: text(120),
  day: text(10, /^(\d{4}-\d\d-\d\d)?$/),
  passages: many(300, text(220, KEY)),
  changed: text(30, TIME),
});
const SETTING = fields({ name: oneOf("history"), value: oneOf("on", "off") });

// Returns what the text of a file says. Throws a `FileFault`; then nothing of it is of use.
export function readFile(content) {
  if (content.length > LARGEST) throw new FileFault("large");
  let value;
  try {
    value = JSON.parse(content);
  } catch {
    throw new FileFault("unread");
  }
  if (value?.format !== FORMAT || !Number.isInteger(value.version) || value.version < 1) throw new FileFault("foreign");
  if (value.version > VERSION) throw new FileFault("newer");
  const { passages, questions, lists, settings } = fields({
    passages: many(MOST.passages, PASSAGE),
    questions: otherwise(many(MOST.questions, ASKED), []),
    lists: otherwise(many(MOST.lists, LIST), []),
    settings: otherwise((all) => many(10, SETTING)(all.filter((each) => each?.name === "history")), []),
  })(value);
  const known = new Set(passages.map((each) => each.key));
  passages.forEach((each, n) => {
    if (each.key !== `${each.game} ${each.fingerprint}`) throw new FileFault("broken", `passages[${n + 1}].key`);
  });
  for (const list of lists) list.passages = [...new Set(list.passages)].filter((key) => known.has(key));
  return { passages, questions, lists, settings };
}

// Taking in

const byKey = (all, name) => new Map(all.map((each) => [each[name], each]));
const later = (one, other) => (one > other ? one : other);

function mergedNote(mine, theirs) {
  if (!mine || !theirs) return mine || theirs;
  const [newer, older] = mine.changed >= theirs.changed ? [mine, theirs] : [theirs, mine];
  if (newer.text.includes(older.text)) return newer;
  return { text: `${newer.text}\n\n${older.text}`.slice(0, LONGEST_NOTE), changed: newer.changed };
}

const mergedPassage = (mine, theirs) => ({
  ...(mine.kept >= theirs.kept ? mine : theirs),
  favourite: mine.favourite || theirs.favourite,
  groups: [...new Set([...mine.groups, ...theirs.groups])].slice(0, 20),
  note: mergedNote(mine.note, theirs.note),
});
const mergedQuestion = (mine, theirs) => ({
  ...(mine.time >= theirs.time ? mine : theirs),
  hit: mine.hit || theirs.hit,
  note: mergedNote(mine.note, theirs.note),
});
const mergedList = (mine, theirs) => ({
  ...(mine.changed >= theirs.changed ? mine : theirs),
  passages: [...new Set([...mine.passages, ...theirs.passages])].slice(0, 300),
  changed: later(mine.changed, theirs.changed),
});

// Returns ``kept`` with what ``file`` has and without loss: of two notes on the same words both stay.
export function merged(kept, file) {
  const join = (name, key, both) => {
    const all = byKey(kept[name], key);
    for (const each of file[name]) all.set(each[key], all.has(each[key]) ? both(all.get(each[key]), each) : each);
    return [...all.values()];
  };
  return {
    passages: join("passages", "key", mergedPassage),
    questions: join("questions", "key", mergedQuestion),
    lists: join("lists", "id", mergedList),
    settings: kept.settings,
  };
}
