// Words as the index has them: folded, divided, in n-grams, hashed (index/analysis.py, glossary/normalization.py).

const WORD = /[\p{L}\p{N}]+(?:\.\p{Nd}+)*/gu;
const TOKEN = /[\p{L}\p{N}]+/gu;
const SURROGATE = /[\ud800-\udfff]/;
const SHORT = 3, LONG = 5; // characters of an n-gram

/** Folding with the letters that are typed out: {"ä": "ae", …}. */
export class Folder {
  constructor(typedOut) {
    this.letters = Object.entries(typedOut);
    const umlauts = this.letters.filter(([letter, typed]) => letter.normalize("NFD")[0] === typed[0]).map(([, typed]) => typed);
    this.umlaut = umlauts.length ? new RegExp(`(?<![aeqou])(?:${umlauts.join("|")})`, "g") : null;
  }

  /** Small letters without umlauts and accents. */
  fold(text) {
    let folded = text.normalize("NFC").toLowerCase();
    for (const [letter, typed] of this.letters) folded = folded.replaceAll(letter, typed);
    return folded.normalize("NFD").replace(/\p{Mn}/gu, "");
  }

  /** The same, with umlauts that were typed out or left out as one. */
  foldUmlauts(text) {
    const folded = this.fold(text);
    return this.umlaut ? folded.replace(this.umlaut, (typed) => typed[0]) : folded;
  }

  /** The folded words of a text, rule numbers whole. */
  words(text) {
    return this.fold(text).match(WORD) ?? [];
  }

  plain(text) {
    return this.words(text).join(" ");
  }
}

export function writtenWords(text) {
  return text.match(WORD) ?? [];
}

/** The words of a text with their places; hyphens and apostrophes divide. */
export function tokenize(text) {
  return Array.from(text.matchAll(TOKEN), (match) => ({ text: match[0], start: match.index, end: match.index + match[0].length }));
}

export function wordGrams(word) {
  const framed = `<${word}>`, found = [];
  if (SURROGATE.test(word)) {
    const letters = [...framed];
    for (let n = SHORT; n <= LONG; n++) for (let i = 0; i + n <= letters.length; i++) found.push(letters.slice(i, i + n).join(""));
    return found;
  }
  for (let n = SHORT; n <= LONG; n++) for (let i = 0; i + n <= framed.length; i++) found.push(framed.slice(i, i + n));
  return found;
}

const CRC = new Uint32Array(256).map((_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  return c;
});
const encoder = new TextEncoder();

export function crc32(text) {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) return crcOfBytes(encoder.encode(text));
    crc = (crc >>> 8) ^ CRC[(crc ^ code) & 255];
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function crcOfBytes(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ CRC[(crc ^ byte) & 255];
  return (crc ^ 0xffffffff) >>> 0;
}
