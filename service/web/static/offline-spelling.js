// The known word that a misspelt one is meant for (glossary/fuzzy.py).

const SHORTEST = 5, TWO_SLIPS = 9, LONGEST = 60;

export class Speller {
  constructor(words, folder) {
    this.folder = folder;
    this.known = new Map();
    for (const word of words) this.known.set(folder.foldUmlauts(word), word);
    this.byStart = new Map();
    for (const word of [...this.known.keys()].sort()) {
      if (word.length < SHORTEST) continue;
      for (let length = word.length - 2; length <= word.length + 2; length++) {
        const key = `${word[0]}${length}`;
        if (!this.byStart.has(key)) this.byStart.set(key, []);
        this.byStart.get(key).push(word);
      }
    }
  }

  nearest(word) {
    const written = this.folder.foldUmlauts(word);
    if (written.length < SHORTEST || written.length > LONGEST) return null;
    let most = written.length >= TWO_SLIPS ? 2 : 1;
    for (const first of new Set(written.slice(0, 2))) {
      let found = null;
      for (const like of this.byStart.get(`${first}${written.length}`) ?? []) {
        const slips = distance(written, like, most);
        if (slips <= most && (found === null || slips < found[0])) found = [slips, like];
        if (found && found[0] === 0) break;
      }
      if (found) return this.known.get(found[1]);
    }
    return null;
  }
}

/** How many letters were left out, put in, exchanged or swapped; more than `most` where it is more. */
function distance(one, other, most) {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let before = [], last = Array.from({ length: other.length + 1 }, (_, n) => n);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= other.length; j++) {
      let cost = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) cost = Math.min(cost, before[j - 2] + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least > most) return most + 1;
    [before, last] = [last, row];
  }
  return last[other.length];
}
