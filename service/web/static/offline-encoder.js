// The built-in encoder: words and n-grams hashed into vectors of three bits a value (index/encoding/encoder.py).

import { half } from "./offline-pack.js";
import { crc32, wordGrams } from "./offline-text.js";

const CACHED = 4000; // words whose vectors are kept, 1 kB each

export class Encoder {
  /** `parts` are its fragments in the order of their rows. */
  constructor(parts, folder) {
    this.folder = folder;
    this.dimensions = parts[0].header.dimensions;
    this.levels = Float32Array.from(parts[0].header.levels);
    this.codes = parts.map((part) => part.arrays.codes);
    this.scales = parts.map((part) => part.arrays.scales);
    this.rows = this.scales[0].length;
    this.buckets = this.rows * parts.length;
    this.kept = new Map();
  }

  /** The sum of the vectors of a folded word and of its n-grams. */
  word(word) {
    const known = this.kept.get(word);
    if (known) return known;
    const sum = new Float32Array(this.dimensions);
    if (!word) this.#add(0, sum);
    else {
      this.#add(crc32(`=${word}=`) % this.buckets, sum);
      if ([...word].length > 1) for (const gram of wordGrams(word)) this.#add(crc32(gram) % this.buckets, sum);
    }
    if (this.kept.size >= CACHED) this.kept.delete(this.kept.keys().next().value);
    this.kept.set(word, sum);
    return sum;
  }

  #add(bucket, sum) {
    const part = Math.floor(bucket / this.rows), row = bucket % this.rows;
    const codes = this.codes[part], { levels } = this;
    const plane = this.dimensions / 8, scale = half(this.scales[part][row]);
    let at = row * plane * 3;
    for (let byte = 0; byte < plane; byte++, at++) {
      const low = codes[at], middle = codes[at + plane], high = codes[at + 2 * plane];
      const base = byte * 8;
      for (let bit = 0; bit < 8; bit++) {
        sum[base + bit] += scale * levels[((low >> bit) & 1) | (((middle >> bit) & 1) << 1) | (((high >> bit) & 1) << 2)];
      }
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
