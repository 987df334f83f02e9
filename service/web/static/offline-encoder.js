// The built-in encoder: words and n-grams hashed into vectors of three bits a value (index/encoding/encoder.py).

import { half } from "./offline-pack.js";
import { crc32, wordGrams } from "./offline-text.js";

const CACHED = 16_000; // words whose vectors are kept, 1 kB each: all that a game has in its phrasings

export class Encoder {
  /** `parts` are its fragments in the order of their rows. */
  constructor(parts, folder) {
    this.folder = folder;
    this.dimensions = parts[0].header.dimensions;
    this.levels = Float32Array.from(parts[0].header.levels);
    this.codes = parts.map((part) => part.arrays.codes);
    this.scales = parts.map((part) => Float32Array.from(part.arrays.scales, half));
    this.rows = this.scales[0].length;
    this.buckets = this.rows * parts.length;
    this.scaled = new Float32Array(8);
    this.kept = new Map();
    this.exact = new Map();
  }

  /** Takes the vectors of frequent words from a fragment, which are more exact than those of `parts`. */
  know({ header, arrays }) {
    const words = header.words ? header.words.split(" ") : [];
    words.forEach((word, n) => this.exact.set(word, [arrays, n]));
  }

  /** The sum of the vectors of a folded word and of its n-grams. */
  word(word) {
    const known = this.kept.get(word);
    if (known) return known;
    const sum = new Float32Array(this.dimensions), exact = this.exact.get(word);
    if (exact) {
      const [{ vectors, steps }, n] = exact;
      for (let i = 0; i < sum.length; i++) sum[i] = steps[n] * vectors[n * sum.length + i];
    } else if (!word) this.#add(0, sum);
    else {
      this.#add(crc32(`=${word}=`) % this.buckets, sum);
      if (word.length > 1) for (const gram of wordGrams(word)) this.#add(crc32(gram) % this.buckets, sum);
    }
    if (this.kept.size >= CACHED) this.kept.delete(this.kept.keys().next().value);
    this.kept.set(word, sum);
    return sum;
  }

  /** Adds the vector of a bucket: eight values in three bytes, each one of eight levels. */
  #add(bucket, sum) {
    const part = Math.floor(bucket / this.rows), row = bucket % this.rows;
    const codes = this.codes[part], { levels, scaled } = this, scale = this.scales[part][row];
    for (let level = 0; level < 8; level++) scaled[level] = scale * levels[level];
    let at = (row * this.dimensions * 3) / 8;
    for (let i = 0; i < this.dimensions; i += 8, at += 3) {
      const eight = codes[at] | (codes[at + 1] << 8) | (codes[at + 2] << 16);
      sum[i] += scaled[eight & 7];
      sum[i + 1] += scaled[(eight >> 3) & 7];
      sum[i + 2] += scaled[(eight >> 6) & 7];
      sum[i + 3] += scaled[(eight >> 9) & 7];
      sum[i + 4] += scaled[(eight >> 12) & 7];
      sum[i + 5] += scaled[(eight >> 15) & 7];
      sum[i + 6] += scaled[(eight >> 18) & 7];
      sum[i + 7] += scaled[(eight >> 21) & 7];
    }
  }

  /** The unit vector of a text. */
  text(text) {
    return this.words(this.folder.words(text));
  }

  words(words) {
    const sum = new Float32Array(this.dimensions);
    for (const word of words.length ? words : [""]) add(sum, this.word(word), 1);
    return normalise(sum);
  }
}

export function add(sum, vector, times) {
  for (let i = 0; i < sum.length; i++) sum[i] += times * vector[i];
}

export function dot(one, other) {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += one[i] * other[i];
  return sum;
}

export function norm(vector) {
  return Math.max(Math.sqrt(dot(vector, vector)), 1e-12);
}

export function normalise(vector) {
  const length = norm(vector);
  for (let i = 0; i < vector.length; i++) vector[i] /= length;
  return vector;
}
