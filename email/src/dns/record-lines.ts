// Records as `dig` and our recommendations print them, one on each line:
//
//   name [TTL] [IN] TYPE value
//
// Only the types that mail depends on are accepted. What else a zone file may contain ($ORIGIN,
// parentheses, lines without a name) is refused, and the message quotes the line.
import { isIP } from 'node:net';
import type { MxHost } from './answer.ts';

/** `name` in lower case without a final dot; bytes of `text` are Latin-1 characters. */
export type DnsRecord = { readonly name: string } & (
  | { readonly type: 'TXT'; readonly text: string }
  | ({ readonly type: 'MX' } & MxHost)
  | { readonly type: 'CNAME' | 'A' | 'AAAA'; readonly value: string }
);

type RecordLines = {
  readonly records: readonly DnsRecord[];
  /** What was read otherwise than it is written, or not read. */
  readonly notes: readonly string[];
  /** The first line that is no record. */
  readonly fault?: { readonly line: number; readonly expected: string };
};

const MAX_RECORDS = 500;
const MAX_NOTES = 10;
/** RFC 1035 §3.3. */
const MAX_STRING_BYTES = 255;
const READ_TYPES = ['TXT', 'MX', 'CNAME', 'A', 'AAAA'] as const;
type ReadType = (typeof READ_TYPES)[number];

const LINE = /^(\S+)[ \t]+(?:\d+[smhdw]?[ \t]+)?(?:IN[ \t]+)?([A-Z][A-Z0-9-]*)(?:[ \t]+(.*))?$/i;
/** RFC 1035 §5.1 lets a line begin with TTL, class and type, if the line above has the name. */
const WITHOUT_NAME = /^(?:IN|\d+[smhdw]?)[ \t]/i;
const STRING = /"((?:[^"\\]|\\.)*)"/g;
const STRINGS = /^((?:"(?:[^"\\]|\\.)*"[ \t]*)+)(?:;.*)?$/;

/** Names have to be in `domain`, and are relative to it if they do not end in a dot. */
export function parseRecordLines(text: string, domain: string): RecordLines {
  const notes: string[] = [];
  const records: DnsRecord[] = [];
  const lines = Buffer.from(text, 'utf8').toString('latin1').split('\n');
  for (const [i, untrimmed] of lines.entries()) {
    const line = untrimmed.trim();
    if (line === '' || line.startsWith(';')) continue;
    try {
      const record = readLine(line, domain, (note) => notes.push(`line ${i + 1}: ${note}`));
      if (record !== undefined) records.push(record);
      if (records.length > MAX_RECORDS) throw new Fault(`at most ${MAX_RECORDS} records`);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { records: [], notes: [], fault: { line: i + 1, expected: error.message } };
    }
  }
  return { records, notes: notes.slice(0, MAX_NOTES) };
}

/** Whether a text is a record with its name and type, not the text of a record. */
export function looksLikeRecordLine(text: string): boolean {
  // Not \s, which would go on over the next lines from each of them.
  const isLine = /^[ \t]*\S+[ \t]+(?:\d+[smhdw]?[ \t]+)?(?:IN[ \t]+)?(?:TXT|MX|CNAME)[ \t]/im;
  return !/^\s*"?v\s*=/i.test(text) && isLine.test(text);
}

/** The message says what was expected. */
class Fault extends Error {}

function readLine(
  line: string,
  domain: string,
  note: (text: string) => void,
): DnsRecord | undefined {
  const [, written = '', typeText = '', value = ''] = LINE.exec(line) ?? [];
  if (written === '' || written.startsWith('$') || WITHOUT_NAME.test(line))
    throw new Fault('a name, then a type such as TXT or MX, then its value, on each line');
  const name = nameOf(written, domain, note);
  if (name !== domain && !name.endsWith(`.${domain}`))
    throw new Fault(`names in ${domain}, not ${name}`);
  const type = READ_TYPES.find((candidate) => candidate === typeText.toUpperCase());
  if (type === undefined) {
    note(`records of type ${typeText.toUpperCase()} are not read`);
    return undefined;
  }
  return recordOf(name, type, value, (target) => nameOf(target, domain, note));
}

function nameOf(text: string, domain: string, note: (text: string) => void): string {
  const written = text.toLowerCase();
  if (written === '@') return domain;
  const isComplete = written === domain || written.endsWith(`.${domain}`);
  if (isComplete)
    note(`${written} lacks its final dot; a server would publish ${written}.${domain}`);
  let name = `${written}.${domain}`;
  if (isComplete) name = written;
  else if (written.endsWith('.')) name = written.slice(0, -1);
  if (!/^(?=.{1,253}$)(?:[\x21-\x2d\x2f-\x7e]{1,63}(?:\.(?!$)|$))+$/.test(name))
    throw new Fault('a name in ASCII');
  return name;
}

function recordOf(
  name: string,
  type: ReadType,
  value: string,
  targetOf: (text: string) => string,
): DnsRecord {
  if (type === 'TXT') return { name, type, text: textOf(value) };
  const words = value
    .replace(/;.*/, '')
    .trim()
    .split(/[ \t]+/);
  const [first = '', second] = words;
  if (type === 'MX') {
    if (words.length !== 2 || !/^\d{1,5}$/.test(first) || Number(first) > 65_535)
      throw new Fault('a preference and a host after MX, such as 10 mx.example.com.');
    const exchange = second === '.' ? '.' : targetOf(second ?? '');
    return { name, type, preference: Number(first), exchange };
  }
  const isSingle = words.length === 1 && first !== '';
  if (type === 'CNAME') {
    if (!isSingle) throw new Fault('one name after CNAME');
    return { name, type, value: targetOf(first) };
  }
  const family = type === 'A' ? 4 : 6;
  if (!isSingle || isIP(first) !== family || first.includes('%'))
    throw new Fault(`one IPv${family} address after ${type}`);
  return { name, type, value: first };
}

/** RFC 1035 §3.3.14: one or more strings. Receivers join them. */
function textOf(value: string): string {
  const [, quoted] = STRINGS.exec(value) ?? [];
  if (quoted === undefined)
    throw new Fault('a text in quotation marks after TXT, such as "v=spf1 -all"');
  const strings = [...quoted.matchAll(STRING)].map(([, string = '']) => unescaped(string));
  const long = strings.find((string) => string.length > MAX_STRING_BYTES);
  if (long !== undefined)
    throw new Fault(`strings of at most ${MAX_STRING_BYTES} bytes, not ${long.length}: "…" "…"`);
  return strings.join('');
}

/** `\"` is a character as it is, `\232` a byte. */
function unescaped(text: string): string {
  return text.replace(/\\(\d{3}|.)/gs, (_, escaped: string) => {
    if (!/^\d/.test(escaped)) return escaped;
    const byte = Number(escaped);
    if (escaped.length < 3 || byte > 255)
      throw new Fault('a number from 000 to 255 after a backslash');
    return String.fromCharCode(byte);
  });
}
