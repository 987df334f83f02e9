// The passages of a pack: their texts, postings, vectors, phrasings, and where they stand (index/offline/group_fragments.py).

import { Counts, GramIndex, TermIndex } from "./offline-bm25.js";
import { add, dot, norm } from "./offline-encoder.js";

/** All passages of a pack, numbered from 0, edition after edition. */
export class Passages {
  /** `editions` are those of the manifest, `fragments` all that were read, by name. */
  constructor(editions, fragments, encoder) {
    this.encoder = encoder;
    this.editions = [];
    this.contents = [];
    this.editionOf = [];
    this.groups = [];
    for (const listed of editions) {
      const edition = { ...listed, ...fragments.get(listed.id).header, number: this.editions.length, start: this.contents.length };
      this.editions.push(edition);
      for (const name of edition.groups) {
        const { header, arrays } = fragments.get(name);
        this.groups.push({ start: this.contents.length, words: split(header.vocabulary), terms: split(header.term_vocabulary), arrays });
        for (const passage of header.passages) {
          this.contents.push(passage);
          this.editionOf.push(edition.number);
        }
      }
      edition.end = this.contents.length;
    }
    this.count = this.contents.length;
    this.#index(fragments.get("rarity"));
    this.#entries();
    this.warmed = this.normed = 0;
    this.norms = new Float32Array(this.phrasingFirst[this.count]);
  }

  #index(rarity) {
    const { count, groups } = this;
    const dimensions = this.encoder.dimensions;
    this.vectors = new Int8Array(count * dimensions);
    this.steps = new Float32Array(count);
    this.phrasingFirst = new Uint32Array(count + 1);
    this.sentenceFirst = new Uint32Array(count + 1);
    this.groupOf = new Uint16Array(count);
    const words = new Counts(count), terms = new Counts(count);
    groups.forEach((group, place) => {
      const { arrays } = group;
      const ids = (group.ids = Uint32Array.from(group.words, (word) => words.number(word)));
      const times = new Uint16Array(group.words.length);
      const numbers = group.terms.map((term) => terms.number(term));
      group.phrasingStart = starts(arrays.phrasing_lengths);
      group.sentenceStart = starts(arrays.sentence_word_counts);
      this.vectors.set(arrays.vectors, group.start * dimensions);
      this.steps.set(arrays.steps, group.start);
      let word = 0, phrasing = 0, term = 0;
      for (let i = 0; i < arrays.word_counts.length; i++) {
        const passage = group.start + i, seen = [];
        const see = (id) => (times[id]++ === 0 ? seen.push(id) : 0);
        for (let n = 0; n < arrays.word_counts[i]; n++) see(arrays.words[word++]);
        const behind = phrasing + arrays.phrasing_counts[i];
        for (let at = group.phrasingStart[phrasing]; at < group.phrasingStart[behind]; at++) see(arrays.phrasing_words[at]);
        phrasing = behind;
        for (const id of seen) {
          words.add(ids[id], passage, times[id]);
          times[id] = 0;
        }
        for (let n = 0; n < arrays.term_counts[i]; n++, term++) terms.add(numbers[arrays.terms[term]], passage, arrays.term_times[term]);
        this.phrasingFirst[passage + 1] = this.phrasingFirst[passage] + arrays.phrasing_counts[i];
        this.sentenceFirst[passage + 1] = this.sentenceFirst[passage] + arrays.sentence_counts[i];
        this.groupOf[passage] = place;
      }
    });
    this.words = words.finish();
    this.grams = new GramIndex(this.words, rarity.arrays.grams, rarity.header.texts);
    this.terms = new TermIndex(terms.finish(), rarity.arrays.terms, rarity.header.texts);
  }

  /** The number of the entry of each passage, and the passages of each by its id. */
  #entries() {
    this.entryOf = new Uint32Array(this.count);
    this.ofEntry = new Map();
    this.entries = 0;
    const numbers = new Map();
    this.contents.forEach((passage, number) => {
      const id = this.entryId(number);
      if (!numbers.has(id)) {
        numbers.set(id, this.entries++);
        this.ofEntry.set(id, []);
      }
      this.entryOf[number] = numbers.get(id);
      this.ofEntry.get(id).push(number);
    });
    const longest = Math.log1p(1500); // corpus.split.LONGEST
    this.lengths = Float32Array.from(this.contents, (passage) => Math.log1p([...passage.text].length) / longest);
  }

  entryId(number) {
    return `${this.editions[this.editionOf[number]].id}/${this.contents[number].entry}`;
  }

  /** The similarity of every passage to a unit vector. */
  near(vector) {
    const { count, vectors, steps } = this, size = vector.length;
    const found = new Float32Array(count);
    for (let passage = 0, at = 0; passage < count; passage++) {
      let sum = 0;
      for (let i = 0; i < size; i++) sum += vectors[at++] * vector[i];
      found[passage] = sum * steps[passage];
    }
    return found;
  }

  /** The similarity of the nearest phrasing of each of the passages `numbers` to a unit vector; 0 without any. */
  phrasings(vector, numbers) {
    const products = new Float32Array(this.words.names.length).fill(NaN);
    const product = (word) => {
      if (Number.isNaN(products[word])) products[word] = dot(this.encoder.word(this.words.names[word]), vector);
      return products[word];
    };
    return numbers.map((passage) => {
      let best = 0;
      for (const each of this.#phrasingsOf(passage)) {
        const { group, start, end } = each, words = group.arrays.phrasing_words;
        let sum = 0;
        for (let at = start; at < end; at++) sum += product(group.ids[words[at]]);
        if (sum > 0) best = Math.max(best, sum / this.#phrasingNorm(each));
      }
      return best;
    });
  }

  /** The phrasings of a passage: their numbers, and from where to where their words are in those of the group. */
  *#phrasingsOf(passage) {
    const group = this.groups[this.groupOf[passage]], shift = this.phrasingFirst[group.start];
    for (let number = this.phrasingFirst[passage]; number < this.phrasingFirst[passage + 1]; number++) {
      yield { number, group, start: group.phrasingStart[number - shift], end: group.phrasingStart[number - shift + 1] };
    }
  }

  /** Computes for at most some milliseconds what questions would have to wait for; whether all of it is there. */
  warm(milliseconds) {
    const end = performance.now() + milliseconds, { names } = this.words;
    while (performance.now() < end) {
      if (this.warmed < names.length) this.encoder.word(names[this.warmed++]);
      else if (this.normed < this.count) for (const each of this.#phrasingsOf(this.normed++)) this.#phrasingNorm(each);
      else return true;
    }
    return false;
  }

  #phrasingNorm({ number, group, start, end }) {
    if (!this.norms[number]) {
      const sum = new Float32Array(this.encoder.dimensions);
      for (let at = start; at < end; at++) add(sum, this.encoder.word(group.words[group.arrays.phrasing_words[at]]), 1);
      this.norms[number] = norm(sum);
    }
    return this.norms[number];
  }

  /** The sentences of a passage: start, end, its cues as bits, its words. */
  sentences(passage) {
    const group = this.groups[this.groupOf[passage]], { arrays } = group;
    const shift = this.sentenceFirst[group.start];
    const found = [];
    for (let n = this.sentenceFirst[passage] - shift; n < this.sentenceFirst[passage + 1] - shift; n++) {
      const [start, end] = arrays.sentences.subarray(2 * n, 2 * n + 2);
      const words = Array.from(arrays.sentence_words.subarray(group.sentenceStart[n], group.sentenceStart[n + 1]), (id) => group.words[id]);
      found.push({ start, end, cues: arrays.sentence_cues[n], words });
    }
    return found;
  }

  /** In how many sentences of all each word is. */
  sentenceHolders() {
    if (!this.holders) {
      this.holders = new Map();
      for (const { words, arrays } of this.groups) {
        for (const id of arrays.sentence_words) this.holders.set(words[id], (this.holders.get(words[id]) ?? 0) + 1);
      }
      this.sentenceCount = this.sentenceFirst[this.count];
    }
    return this.holders;
  }

  /** A passage as an answer of the service has it, without its rank. */
  shown(number, highlights) {
    const passage = this.contents[number], edition = this.editions[this.editionOf[number]];
    const place = this.#place(number);
    const found = {
      text: passage.text,
      display: passage.display ?? passage.text,
      context: passage.context ? { ...passage.context, span: place.context } : null,
      repaired: passage.repaired ?? null,
      highlights,
      role: passage.role ?? "text",
      depth: passage.depth ?? 0,
      citation: this.citation(number),
      see_also: (passage.see_also ?? []).map(([entry, title]) => ({ entry: `${edition.id}/${entry}`, title })),
      also: [],
      layer: "rulebook",
    };
    if (passage.shown) found.shown = passage.shown;
    if (passage.applies_to) found.applies_to = { entry: `${edition.id}/${passage.applies_to[0]}`, title: passage.applies_to[1] };
    return found;
  }

  citation(number) {
    const passage = this.contents[number], edition = this.editions[this.editionOf[number]];
    const place = this.#place(number);
    const [first, last] = place.lines;
    const lines = `${edition.line} ${first}${last > first ? `–${last}` : ""}`;
    const position = place.pages.length && place.page ? `${edition.page} ${place.page}` : lines;
    return {
      label: `${edition.name}, ${passage.name}, ${position}`,
      edition: edition.id,
      game: edition.game,
      language: edition.language,
      version: edition.version,
      effective: edition.effective || null,
      entry: this.entryId(number),
      heading: passage.heading,
      kind: passage.kind,
      number: passage.number ?? null,
      page: place.page,
      url: `/e/${this.entryId(number)}`,
      source: {
        file: edition.file,
        sha256: edition.sha256,
        spans: place.spans,
        lines: place.lines,
        text_sha256: edition.text_sha256,
        pages: place.pages,
      },
    };
  }

  #place(number) {
    const edition = this.editions[this.editionOf[number]];
    const [spans, lines, page, context, pages] = edition.places[number - edition.start];
    return { spans, lines, page, context, pages: pages ?? [] };
  }
}

function split(vocabulary) {
  return vocabulary ? vocabulary.split(" ") : [];
}

function starts(lengths) {
  const found = new Uint32Array(lengths.length + 1);
  for (let i = 0; i < lengths.length; i++) found[i + 1] = found[i] + lengths[i];
  return found;
}
