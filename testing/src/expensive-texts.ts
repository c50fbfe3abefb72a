/**
 * Searches the texts that a field of a request may hold for one that is expensive to answer: every
 * piece repeated to the full length, with another character at the end, with another number in
 * each; then the most expensive pieces combined.
 */

/** `start` is needed to reach the analysis; pieces with `#` are numbered. */
export type SearchedField = {
  readonly start?: string;
  readonly maxLength: number;
  readonly pieces: readonly string[];
};

export type Expensive = { readonly cost: number; readonly text: string; readonly made: string };

/** For any grammar: what separates, quotes, escapes, nests or repeats. */
const ANY_GRAMMAR = [
  ...'a1.,;:=/%"\'\\([{@!-+*?#~\t\n\r \u00e9\ud83d',
  'a.',
  'a,',
  'a ',
  'a=',
  '1.',
  '::',
  '%25',
  '%C3',
  '../',
  '#.',
  'x#,',
];
/** A run that the end of the text breaks off is what a pattern is tried on again and again. */
const ENDS = ['', 'x', '!', '\n'];
const COMBINED = 3;

export async function searchExpensive(
  { start = '', maxLength, pieces }: SearchedField,
  costOf: (text: string, made: string) => Promise<number>,
): Promise<Expensive> {
  const found: (Expensive & { readonly piece: string })[] = [];
  const tryText = async (piece: string, text: string, made: string) => {
    found.push({ piece, text, made, cost: await costOf(text, made) });
  };
  for (const [i, piece] of [...pieces, ...ANY_GRAMMAR].entries()) {
    const end = ENDS[i % ENDS.length] ?? '';
    await tryText(piece, repeat(start, piece, maxLength), `${JSON.stringify(piece)} repeated`);
    await tryText(
      piece,
      repeat(start, piece, maxLength - 1) + end,
      `${JSON.stringify(piece)}, then ${JSON.stringify(end)}`,
    );
  }
  const dearest = found.sort((a, b) => b.cost - a.cost).slice(0, COMBINED);
  for (const { piece } of dearest)
    for (const { piece: other } of dearest) {
      const half = repeat(start, piece, (start.length + maxLength) / 2);
      await tryText(
        piece,
        repeat(half, other, maxLength),
        `${JSON.stringify(piece)}, then ${JSON.stringify(other)}`,
      );
      await tryText(
        piece,
        repeat(start, piece + other, maxLength),
        `${JSON.stringify(piece + other)} repeated`,
      );
    }
  const [worst] = found.sort((a, b) => b.cost - a.cost);
  if (worst === undefined) throw new Error('no text was tried');
  return worst;
}

/** As often as it fits. `#` is a number that is another each time. */
export function repeat(start: string, piece: string, maxLength: number): string {
  let text = start;
  for (let i = 0; text.length <= maxLength; i++) {
    const next = text + piece.replaceAll('#', String(i % 250));
    if (next.length > maxLength) break;
    text = next;
  }
  return text;
}
