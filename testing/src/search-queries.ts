/**
 * Typical search queries: words of network names and prefixes of words, some with only one or two
 * characters.
 */
import type { Words } from './seeded-random.ts';

/** The names of networks, by row. */
type NetworkNames = { readonly count: number; at(row: number): { readonly asn_name: string } };

const MIN_CHARACTERS = 3;
const MAX_CHARACTERS = 12;
/** One query in SHORT_EVERY is short. */
const SHORT_EVERY = 20;

export const isShort = (query: string): boolean => query.length < MIN_CHARACTERS;

export function makeQueries(networks: NetworkNames, random: Words, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const word = drawWord(networks, random);
    if (i % SHORT_EVERY === SHORT_EVERY - 1)
      return word.slice(0, 1 + (random() % (MIN_CHARACTERS - 1)));
    const longest = Math.min(word.length, MAX_CHARACTERS);
    return word.slice(0, MIN_CHARACTERS + (random() % (longest - MIN_CHARACTERS + 1)));
  });
}

function drawWord(networks: NetworkNames, random: Words): string {
  for (;;) {
    const words = networks.at(random() % networks.count).asn_name.split(/[^\p{L}\p{N}]+/u);
    const word = words[random() % words.length] ?? '';
    if (word.length >= MIN_CHARACTERS) return word;
  }
}
