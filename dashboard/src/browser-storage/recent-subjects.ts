/**
 * The subjects that an account has opened lately, the newest first. They stay in this browser, one
 * list per account, and signing out removes them: the next person at this machine must not see what
 * was looked up.
 */
import { unicodeDomain } from '../unicode-domain.ts';

const MAX_RECENT = 8;
const PREFIX = 'whence-recent:';

type Store = Pick<Storage, 'getItem' | 'setItem'>;

/** Addresses, prefixes, networks and domains. Other pages are reached by their names. */
function isSubject(path: string): boolean {
  return /^\/(?:ip|asn|domain)\/[^/]+$/.test(path) || /^\/prefix\/[^/]+\/\d+$/.test(path);
}

export function readRecent(store: Store, accountId: string): string[] {
  try {
    const paths: unknown = JSON.parse(store.getItem(PREFIX + accountId) ?? '[]');
    return Array.isArray(paths)
      ? paths.filter((path) => typeof path === 'string' && isSubject(path))
      : [];
  } catch {
    return [];
  }
}

export function addRecent(store: Store, accountId: string, path: string): void {
  if (!isSubject(path)) return;
  const others = readRecent(store, accountId).filter((recent) => recent !== path);
  try {
    store.setItem(PREFIX + accountId, JSON.stringify([path, ...others].slice(0, MAX_RECENT)));
  } catch {
    // Storage is full or disabled: there is no list then.
  }
}

/** Removes the entries of all accounts that have used this browser. */
export function clearRecent(store: Storage): void {
  const names = Array.from({ length: store.length }, (_, index) => store.key(index) ?? '');
  for (const name of names) if (name.startsWith(PREFIX)) store.removeItem(name);
}

/** The subject as it is typed: `8.8.8.8`, `192.0.2.0/24`, `AS15169`, `bücher.example`. */
export function subjectOf(path: string): string {
  const [, kind, ...rest] = path.split('/');
  const text = rest.map(decode).join('/');
  if (kind === 'domain') return unicodeDomain(text);
  return kind === 'asn' ? `AS${text}` : text;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
