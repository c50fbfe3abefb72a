/** Variables that look like settings and are none: a mistyped name has no effect, which is not noticed until it matters. */
import { settings } from './settings.ts';

/** Variables of the commands that ask a server, of the Compose file, and of the tests. */
const OTHERS = /^WHENCE_(URL|KEY|DOMAIN|FIXTURES|TEST_\w+)$/;
/** Kubernetes gives every container the addresses of its namespace's services, one of which may be called whence. */
const SERVICE_LINK = /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?$/;
const LINK_VALUE = /^(tcp|udp|sctp):\/\//;
/** More changes than these, and it is no misspelling. */
const MAX_CHANGES = 5;
const MAX_SHARE = 0.4;

/** A sentence for each. */
export function unknownNames(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = Object.values(settings).map(({ variable }) => variable);
  const unknown = Object.entries(environment).flatMap(([name, value = '']) => {
    const isOurs = /^WHENCE_/i.test(name) && !known.includes(name) && !OTHERS.test(name);
    return isOurs && !SERVICE_LINK.test(name) && !LINK_VALUE.test(value) ? [name] : [];
  });
  return unknown.map((name) => {
    const meant = closest(name.toUpperCase(), known);
    return `${name} is not a setting and has no effect${meant === undefined ? '' : `: did you mean ${meant}?`}`;
  });
}

function closest(name: string, known: readonly string[]): string | undefined {
  const prefix = 'WHENCE_'.length;
  const ranked = known
    .map((candidate) => ({ candidate, changes: editDistance(name.slice(prefix), candidate.slice(prefix)) }))
    .filter(({ candidate, changes }) => changes <= Math.min(MAX_CHANGES, (candidate.length - prefix) * MAX_SHARE))
    .sort((a, b) => a.changes - b.changes);
  return ranked[0]?.candidate ?? known.find((candidate) => sameWords(candidate, name));
}

/** WHENCE_URL_DATABASE, or the singular of one of its words. */
function sameWords(a: string, b: string): boolean {
  const words = (name: string) =>
    name
      .split('_')
      .map((word) => word.replace(/S$/, ''))
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
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
