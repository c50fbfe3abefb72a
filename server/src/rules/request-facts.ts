// Host and path of a request as rules compare them. Programs read a path differently: they decode
// it twice, drop `;parameters`, take `\` for `/`, or keep empty segments. A rule that denies matches
// if any of these spellings does, one that allows only if all do. Strings have one character per
// byte, as Node's headers.
import { domainToASCII, domainToUnicode } from 'node:url';
import { formatAddress, parseAddress } from '@whence/dataset/address';

/**
 * Most hosts are written like this. Names that end with a digit may be addresses, and A-labels
 * invalid.
 */
const NORMAL_HOST = /^(?!.*xn--)(?:[a-z0-9_-]+\.)*[a-z][a-z_-]*$/;

/**
 * A parser of URLs reads these as an IPv4 address: `127.1`, `2130706433` and `0x7f.1` are
 * 127.0.0.1.
 */
const NUMERIC_HOST = /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/;

/**
 * Without port and final dot, in lower case, A-labels. Undefined if it is not a host name or an
 * address.
 *
 * Characters are checked before any parser sees them: a URL parser ends a host at `/`, `?`, `#` or
 * `\`, removes tabs, decodes `%77` and reads `127.1` as an address. What a parser would rewrite
 * into another name is not that name.
 */
export function normalizeHost(bytes: string): string | undefined {
  if (NORMAL_HOST.test(bytes)) return bytes;
  const [, literal, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::[0-9]*)?$/.exec(textOf(bytes)) ?? [];
  if (literal !== undefined) {
    const address = parseAddress(literal);
    return address?.version === 6 ? `[${formatAddress(address)}]` : undefined;
  }
  const labels = name.replace(/\.$/, '').split('.').map(normalizeLabel);
  if (labels.includes(undefined)) return undefined;
  const host = labels.join('.');
  return !NUMERIC_HOST.test(host) || parseAddress(host)?.version === 4 ? host : undefined;
}

function normalizeLabel(label: string): string | undefined {
  if (!/^[a-z0-9_\p{L}\p{M}\p{N}-]+$/iu.test(label)) return undefined;
  // U+212A and U+0130 fold to `k` and `i`: programs differ in the name that is meant.
  if (Array.from(label).some((letter) => letter > '\x7f' && /[\0-\x7f]/.test(fold(letter))))
    return undefined;
  const folded = fold(label);
  if (folded.startsWith('xn--')) return isEncoded(folded) ? folded : undefined;
  if (/^[a-z0-9_-]+$/.test(folded)) return folded;
  const ascii = toAscii(folded);
  // UTS 46 maps some characters to others (`ｗ` to `w`) and removes some: such a label is another
  // spelling.
  return domainToUnicode(ascii) === folded ? ascii : undefined;
}

/** Whether an A-label is what its letters are encoded as: `xn--www-` would be another `www`. */
function isEncoded(label: string): boolean {
  const [letters = ''] = domainToUnicode(`${label}.example`).split('.');
  return /[^\0-\x7f]/.test(letters) && toAscii(letters) === label;
}

/** As part of a name, because a label alone could be read as a number. */
const toAscii = (label: string) => domainToASCII(`${label}.example`).split('.')[0] ?? '';

/** All ways to read a path; none if it is unusable. */
export type PathSpellings = {
  readonly exact: readonly string[];
  /** For comparisons that ignore case: file systems and routers of applications may. */
  readonly folded: readonly string[];
};

const UNUSABLE: PathSpellings = { exact: [], folded: [] };

/** What may give a path more than one spelling, or none. */
const ODD_PATH = /^[^/]|[%\\;#]|\/[/.]|[^\u0020-\u007e]/;
/**
 * `http://host/path`, the absolute form of a request. WHATWG URLs also read `//host/path` and
 * `/\host/path` as host and path.
 */
const ORIGIN = /^(?:[a-z][a-z0-9+.-]*:)?[/\\]{2,}[^/\\]*/i;
/**
 * What programs remove, or read as another character: control characters, `%u0061`, and characters
 * in more bytes than UTF-8 allows, such as C0 AF for `/`.
 */
const AMBIGUOUS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they make a path unusable
  /[\x00-\x1f\x7f]|%u[0-9a-fA-F]{4}|[\xc0\xc1][\x80-\xbf]|\xe0[\x80-\x9f][\x80-\xbf]|\xf0[\x80-\x8f]/;
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
  // Some programs end a path at `#`, some take it for a character.
  let readings = new Set([path, path.split('#', 1)[0] ?? '', path.replace(ORIGIN, '')]);
  for (let decodings = 0; ; decodings++) {
    // A parser of URLs resolves `%2e%2e` while `%2f` is still a character.
    for (const reading of [...readings]) readings.add(reading.replaceAll(/%2e/gi, '.'));
    for (const reading of [...readings]) readings.add(reading.replaceAll(/;[^/]*/g, ''));
    if (readings.size * path.length > MAX_SPELLED_BYTES) return UNUSABLE;
    readings = new Set([...readings].flatMap(resolutionsOf));
    for (const reading of readings) spellings.add(reading);
    if (spellings.size * path.length > MAX_SPELLED_BYTES) return UNUSABLE;
    const decoded = new Set([...readings].map(decode));
    if ([...decoded].every((reading) => readings.has(reading))) break;
    if (decodings === MAX_DECODINGS) return UNUSABLE;
    readings = decoded;
  }
  if ([...spellings].some((spelling) => AMBIGUOUS.test(spelling))) return UNUSABLE;
  const exact = [...spellings].map(textOf);
  return { exact, folded: [...new Set(exact.map(fold))] };
}

/** The path of a rule: without query, decoded once, without empty and dot segments. */
export function normalizePath(text: string): string {
  const [path = ''] = bytesOf(text).split(/[?#]/, 1);
  return textOf(resolve(decode(path).replaceAll('\\', '/'), true));
}

export const fold = (text: string) => text.normalize('NFC').toLowerCase();

/** A text as a string with one character per byte of its UTF-8 form. */
export const bytesOf = (text: string) =>
  /^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text).toString('latin1');

const textOf = (bytes: string) =>
  /^[\0-\x7f]*$/.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString();

const ESCAPE = /%([0-9A-Fa-f]{2})/g;
const decode = (path: string) =>
  path.replaceAll(ESCAPE, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

// Only what must be escaped in a request (RFC 3986 §2): spaces, quotes, letters outside ASCII. It
// has one reading.
function decodeUnwritable(path: string): string {
  return path.replaceAll(ESCAPE, (escaped) => {
    const byte = decode(escaped);
    return /[!-~]/.test(byte) && !/["<>^`{|}]/.test(byte) ? escaped : byte;
  });
}

/**
 * With `\` as a character or as `/`, with empty segments as segments or dropped, with dot segments
 * kept or resolved.
 */
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
