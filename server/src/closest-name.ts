/** The name that was meant by a mistyped one. */

/** More changes than these, and it is no misspelling. */
const MAX_CHANGES = 5;
const MAX_SHARE = 0.4;

export function closestName(name: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, changes: editDistance(name, candidate) }))
    .filter(
      ({ candidate, changes }) =>
        changes <= Math.min(MAX_CHANGES, Math.max(1, candidate.length * MAX_SHARE)),
    )
    .sort((a, b) => a.changes - b.changes);
  return ranked[0]?.candidate ?? candidates.find((candidate) => sameWords(candidate, name));
}

/** The same words in another order, or the singular of one of them. */
function sameWords(a: string, b: string): boolean {
  const words = (name: string) =>
    name
      .split('_')
      .map((word) => word.replace(/S$/i, ''))
      .sort()
      .join();
  return words(a) === words(b);
}

/** Characters to insert, remove or replace, and neighbours to exchange. */
function editDistance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isExchanged = i > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const exchanged = isExchanged ? (before[j - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, exchanged, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
