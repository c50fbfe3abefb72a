// Host and path of a request as rules compare them. Programs read a path differently: they decode it twice, drop
// `;parameters`, take `\` for `/`, or keep empty segments. A rule that denies matches if any of these spellings does,
// one that allows only if all do. Strings have one character per byte, as Node's headers.
import { domainToASCII } from 'node:url';
import { formatAddress, parseAddress } from '@whence/dataset/address';

/** Most hosts are written like this. Names that end with a digit may be addresses, and A-labels invalid. */
const NORMAL_HOST = /^(?!.*xn--)(?:[a-z0-9_-]+\.)*[a-z][a-z_-]*$/;

/** Without port and final dot, in lower case, A-labels. Undefined if it is not a host name or an address. */
export function normalizeHost(bytes: string): string | undefined {
  if (NORMAL_HOST.test(bytes)) return bytes;
  const [, literal, name] = /^(?:\[([^\]]*)\]|([^:]*))(?::[^:]*)?$/.exec(textOf(bytes).trim()) ?? [];
  if (literal !== undefined) {
    const address = parseAddress(literal);
    return address?.version === 6 ? `[${formatAddress(address)}]` : undefined;
  }
  const ascii = domainToASCII((name ?? '').replace(/\.$/, ''));
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(ascii) ? ascii : undefined;
}

/** All ways to read a path; none if it is unusable. */
export type PathSpellings = {
  readonly exact: readonly string[];
  /** For comparisons that ignore case: file systems and routers of applications may. */
  readonly folded: readonly string[];
};

const UNUSABLE: PathSpellings = { exact: [], folded: [] };

/** What may give a path more than one spelling, or none. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a path with NUL is unusable
const ODD_PATH = /^[^/]|[%\\;#\u0000]|\/[/.]|[^\u0020-\u007e]/;
/** Longer ones are unusable: each spelling is a copy. */
const MAX_ODD_PATH_BYTES = 2_048;
/** All spellings together. Most paths have fewer than ten. */
const MAX_SPELLED_BYTES = 16 * 1_024;
const MAX_DECODINGS = 3;

export function spellingsOf(bytes: string): PathSpellings {
  const received = bytes.split('?', 1)[0] || '/';
  if (!ODD_PATH.test(received)) return { exact: [received], folded: [fold(received)] };
  if (received.length > MAX_ODD_PATH_BYTES) return UNUSABLE;
  const path = decodeUnwritable(received);
  const spellings = new Set([path]);
  // Some programs end a path at `#`, some take it for a character. `http://host/path` is the absolute form of a request.
  let readings = new Set([path, path.split('#', 1)[0] ?? '', path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')]);
  for (let decodings = 0; ; decodings++) {
    for (const reading of [...readings]) readings.add(reading.replaceAll(/;[^/]*/g, ''));
    if (readings.size * path.length > MAX_SPELLED_BYTES) return UNUSABLE;
    readings = new Set([...readings].flatMap(resolutionsOf));
    for (const reading of readings) spellings.add(reading);
    if (spellings.size * path.length > MAX_SPELLED_BYTES) return UNUSABLE;
    const decoded = new Set([...readings].map(decode));
    if (decodings === MAX_DECODINGS || [...decoded].every((reading) => readings.has(reading))) break;
    readings = decoded;
  }
  const exact = [...spellings].map(textOf);
  return exact.some((spelling) => spelling.includes('\0'))
    ? UNUSABLE
    : { exact, folded: [...new Set(exact.map(fold))] };
}

/** The path of a rule: without query, decoded once, without empty and dot segments. */
export function normalizePath(text: string): string {
  const [path = ''] = bytesOf(text).split(/[?#]/, 1);
  return textOf(resolve(decode(path).replaceAll('\\', '/'), true));
}

export const fold = (text: string) => text.normalize('NFC').toLowerCase();

/** A text as a string with one character per byte of its UTF-8 form. */
export const bytesOf = (text: string) => (/^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text).toString('latin1'));

const textOf = (bytes: string) => (/^[\0-\x7f]*$/.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString());

const ESCAPE = /%([0-9A-Fa-f]{2})/g;
const decode = (path: string) => path.replaceAll(ESCAPE, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

// Only what must be escaped in a request (RFC 3986 §2): spaces, quotes, letters outside ASCII. It has one reading.
function decodeUnwritable(path: string): string {
  return path.replaceAll(ESCAPE, (escaped) => {
    const byte = decode(escaped);
    return /[!-~]/.test(byte) && !/["<>^`{|}]/.test(byte) ? escaped : byte;
  });
}

/** With `\` as a character or as `/`, with empty segments as segments or dropped, with dot segments kept or resolved. */
function resolutionsOf(path: string): string[] {
  const slashed = path.includes('\\') ? [path, path.replaceAll('\\', '/')] : [path];
  return slashed.flatMap((reading) =>
    reading.includes('//')
      ? [reading, reading.replaceAll(/\/+/g, '/'), resolve(reading, true), resolve(reading, false)]
      : [reading, resolve(reading, true)],
  );
}

/** Without dot segments (RFC 3986 §5.2.4). */
function resolve(path: string, mergesSlashes: boolean): string {
  const segments: string[] = [];
  const parts = path.split('/');
  const last = parts.at(-1) ?? '';
  for (const [i, part] of parts.entries()) {
    const isEnd = i === 0 || i === parts.length - 1;
    if (part === '..') segments.pop();
    else if (part === '' ? !mergesSlashes && !isEnd : part !== '.') segments.push(part);
  }
  const isFolder = segments.length > 0 && ['', '.', '..'].includes(last);
  return `/${segments.join('/')}${isFolder ? '/' : ''}`;
}
