// BM25 by postings, of index terms and of character n-grams (index/store/bm25.py, index/store/char_ngrams.py).

import { wordGrams } from "./offline-text.js";

const K1 = 1.2, B = 0.6;
const CACHED = 400; // words whose n-grams have been looked up, an array of all passages each

/** Counts of `names` in `count` texts, as they are added text by text, then `finish`ed: postings by name. */
export class Counts {
  constructor(count) {
    this.count = count;
    this.numbers = new Map();
    this.names = [];
    this.texts = [];
    this.times = [];
    this.owners = [];
  }

  number(name) {
    let number = this.numbers.get(name);
    if (number === undefined) {
      number = this.names.length;
      this.numbers.set(name, number);
      this.names.push(name);
    }
    return number;
  }

  add(number, text, times) {
    this.owners.push(number);
    this.texts.push(text);
    this.times.push(times);
  }

  /** Postings: those of name n are from `first[n]` up to `first[n + 1]`. */
  finish() {
    const first = new Uint32Array(this.names.length + 1);
    for (const owner of this.owners) first[owner + 1]++;
    for (let n = 0; n < this.names.length; n++) first[n + 1] += first[n];
    const texts = new Uint32Array(this.owners.length), times = new Uint16Array(this.owners.length);
    const next = first.slice();
    for (let i = 0; i < this.owners.length; i++) {
      const at = next[this.owners[i]]++;
      texts[at] = this.texts[i];
      times[at] = this.times[i];
    }
    this.owners = this.texts = this.times = null;
    Object.assign(this, { first, postings: texts, often: times });
    return this;
  }
}

export function lengthNorms(lengths) {
  const mean = Math.max(lengths.reduce((sum, each) => sum + each, 0) / Math.max(lengths.length, 1), 1e-12);
  return Float32Array.from(lengths, (length) => K1 * (1 - B + (B * length) / mean));
}

/** What a term is worth that `holders` of `count` texts hold. */
const rarity = (holders, count) => Math.log(1 + (count - holders + 0.5) / (holders + 0.5));

/**
 * BM25 of texts for terms. `held` says in how many of the texts of a whole index each term is, in the order of their UTF-16; `all` is the
 * number of these, 0 where that is not known: then terms are worth what they are in these texts.
 */
export class TermIndex {
  constructor(counts, held, all) {
    this.counts = counts;
    this.worth = new Float32Array(counts.names.length);
    const order = all ? counts.names.map((_, n) => n).sort((a, b) => (counts.names[a] < counts.names[b] ? -1 : 1)) : [];
    order.forEach((number, n) => (this.worth[number] = rarity(held[n], all)));
    if (!all) this.worth.forEach((_, n) => (this.worth[n] = rarity(counts.first[n + 1] - counts.first[n], counts.count)));
    const lengths = new Float64Array(counts.count);
    for (let i = 0; i < counts.postings.length; i++) lengths[counts.postings[i]] += counts.often[i];
    this.norms = lengthNorms(lengths);
  }

  /** The score of every text for `terms`. */
  scores(terms) {
    const { counts, norms } = this;
    const found = new Float32Array(counts.count);
    for (const term of terms) {
      const number = counts.numbers.get(term);
      if (number === undefined) continue;
      const start = counts.first[number], end = counts.first[number + 1];
      const worth = this.worth[number];
      for (let i = start; i < end; i++) {
        const text = counts.postings[i], often = counts.often[i];
        found[text] += (worth * often) / (often + norms[text]);
      }
    }
    return found;
  }
}

/** The same for the n-grams of words; an n-gram is looked up in the words that have it, when it is asked for. */
export class GramIndex {
  constructor(counts, held, all) {
    Object.assign(this, { counts, held, all });
    this.kept = new Map();
    const { names } = counts;
    const sizes = names.map((word) => gramCount([...word].length));
    const lengths = new Float64Array(counts.count);
    for (let word = 0; word < names.length; word++) {
      for (let i = counts.first[word]; i < counts.first[word + 1]; i++) lengths[counts.postings[i]] += sizes[word] * counts.often[i];
    }
    this.norms = lengthNorms(lengths);
    // An n-gram as five digits, with the number of a word behind it, is a whole number below 2^53: sorted, they are postings of n-grams.
    const letters = [...new Set(names.flatMap((word) => [...`<${word}>`]))].sort();
    this.alphabet = new Map(letters.map((letter, n) => [letter, n + 1]));
    this.base = this.alphabet.size + 1;
    this.wordRoom = 2 ** Math.ceil(Math.log2(names.length + 1));
    let total = 0;
    for (const size of sizes) total += size;
    const keys = new Float64Array(total);
    let at = 0;
    for (let word = 0; word < names.length; word++) {
      const letters = Array.from(`<${names[word]}>`, (letter) => this.alphabet.get(letter));
      for (let n = 3; n <= 5; n++) {
        for (let i = 0; i + n <= letters.length; i++) {
          let key = 0;
          for (let j = 0; j < 5; j++) key = key * this.base + (j < n ? letters[i + j] : 0);
          keys[at++] = key * this.wordRoom + word;
        }
      }
    }
    this.keys = keys.sort();
    this.different = new Float64Array(held.length); // the n-grams, in the order of `held`
    for (let i = 0, n = 0, last = -1; i < keys.length && n < held.length; i++) {
      const key = Math.floor(keys[i] / this.wordRoom);
      if (key !== last) this.different[n++] = last = key;
    }
  }

  #key(gram) {
    let key = 0, n = 0;
    for (const letter of gram) {
      const digit = this.alphabet.get(letter);
      if (!digit) return -1;
      key = key * this.base + digit;
      n++;
    }
    for (; n < 5; n++) key *= this.base;
    return key;
  }

  /** The score of every text for the n-grams of a folded word. */
  word(word) {
    const known = this.kept.get(word);
    if (known) return known;
    const { counts, keys, norms } = this;
    const found = new Float32Array(counts.count), often = new Uint16Array(counts.count);
    for (const gram of wordGrams(word)) {
      const key = this.#key(gram);
      if (key < 0) continue;
      often.fill(0);
      let holders = 0;
      for (let at = lowerBound(keys, key * this.wordRoom); at < keys.length && keys[at] < (key + 1) * this.wordRoom; at++) {
        const holder = keys[at] - key * this.wordRoom;
        for (let i = counts.first[holder]; i < counts.first[holder + 1]; i++) {
          const text = counts.postings[i];
          if (often[text] === 0) holders++;
          often[text] += counts.often[i];
        }
      }
      if (!holders) continue;
      const worth = this.all ? rarity(this.held[lowerBound(this.different, key)], this.all) : rarity(holders, counts.count);
      for (let text = 0; text < found.length; text++) if (often[text]) found[text] += (worth * often[text]) / (often[text] + norms[text]);
    }
    if (this.kept.size >= CACHED) this.kept.delete(this.kept.keys().next().value);
    this.kept.set(word, found);
    return found;
  }

  scores(words) {
    const found = new Float32Array(this.counts.count);
    for (const word of words) {
      const own = this.word(word);
      for (let i = 0; i < found.length; i++) found[i] += own[i];
    }
    return found;
  }
}

function gramCount(letters) {
  let count = 0;
  for (let n = 3; n <= 5; n++) count += Math.max(letters + 2 - n + 1, 0);
  return count;
}

function lowerBound(keys, value) {
  let low = 0, high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
