/** Rules for the attributes of a key that people may change, in the forms in which they are stored and shown. */
import { formatAddress } from '@whence/dataset/address';
import { formatPrefix, parseCidr } from '@whence/dataset/prefix';
import { isDay } from '../quota/day.ts';
import { InvalidKey } from './key.ts';
import { maskSecrets } from './secret.ts';

const MAX_NOTE_CHARACTERS = 500;
const MAX_NETWORKS = 50;
const MAX_REQUESTS_PER_SECOND = 100_000;
const NETWORKS = '/allowed_networks';
/** Farther away than this is a typing error. */
const MAX_YEARS = 100;

/** Undefined for an empty text. */
export function parseNote(text: string): string | undefined {
  const note = text.trim().replaceAll('\r\n', '\n');
  if (maskSecrets(note) !== note) throw new InvalidKey('a note must not hold a key', '/note');
  if (note.length > MAX_NOTE_CHARACTERS || /[^\P{Cc}\n]/u.test(note)) {
    throw new InvalidKey(
      `a note has at most ${MAX_NOTE_CHARACTERS} characters, none of them a control character other than a line break`,
      '/note',
    );
  }
  return note === '' ? undefined : note;
}

/** In canonical form, each once; undefined for an empty list, which allows any client. */
export function parseNetworks(texts: readonly string[]): string[] | undefined {
  const networks = [...new Set(texts.map(parseNetwork))];
  if (networks.length > MAX_NETWORKS) throw new InvalidKey(`at most ${MAX_NETWORKS} networks`, NETWORKS);
  return networks.length === 0 ? undefined : networks;
}

function parseNetwork(text: string): string {
  const cidr = parseCidr(text.trim());
  if (cidr === undefined)
    throw new InvalidKey(
      `${JSON.stringify(text.trim())} is neither an address nor a prefix such as 192.0.2.0/24 or 2001:db8::/32`,
      NETWORKS,
    );
  const network = formatPrefix(cidr.address, cidr.length);
  // More likely a wrong length than meant: 192.0.2.7/24 allows 256 addresses.
  if (network !== `${formatAddress(cidr.address)}/${cidr.length}`)
    throw new InvalidKey(`${text.trim()} has bits behind its length; the network is ${network}`, NETWORKS);
  return network;
}

export function parseRequestsPerSecond(value: number): number {
  if (!Number.isInteger(value) || value < 1 || value > MAX_REQUESTS_PER_SECOND)
    throw new InvalidKey(
      `requests per second are a whole number from 1 to ${MAX_REQUESTS_PER_SECOND}`,
      '/requests_per_second',
    );
  return value;
}

const TIME_RULE = 'a time in the future, such as 2026-12-31, 2026-12-31T18:00:00Z or 90d';
const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time, a day (its beginning in UTC), or a period from now on: minutes, hours or days. */
export function parseTime(text: string, now: Date): Date {
  const [, count, unit = ''] = /^([1-9][0-9]{0,5})([mhd])$/.exec(text.trim()) ?? [];
  const ms = count === undefined ? isoTime(text.trim()) : now.getTime() + Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  if (!(ms > now.getTime() && ms < now.getTime() + MAX_YEARS * 366 * 86_400_000))
    throw new InvalidKey(TIME_RULE, '/expires_at');
  return new Date(ms);
}

/** NaN for other texts, also for a time without a zone, which machines would read differently. */
function isoTime(text: string): number {
  const [, day = ''] =
    /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/.exec(text) ?? [];
  return isDay(day) ? Date.parse(text) : Number.NaN;
}
