// Lines of a zone file (RFC 1035 §5.1) as administrators paste them, of the types that mail depends on.
import type { MxHost } from './answer.ts';

/** `name` in lower case without a final dot; bytes of `text` are Latin-1 characters. */
export type MasterRecord = { readonly name: string } & (
  | { readonly type: 'TXT'; readonly text: string }
  | ({ readonly type: 'MX' } & MxHost)
  | { readonly type: 'CNAME' | 'A' | 'AAAA'; readonly value: string }
);

type MasterFile = {
  readonly records: readonly MasterRecord[];
  /** What was read otherwise than it is written, or not read. */
  readonly notes: readonly string[];
  /** The first line that is none of a zone file. */
  readonly fault?: { readonly line: number; readonly expected: string };
};

const MAX_RECORDS = 500;
const MAX_NOTES = 10;
/** RFC 1035 §3.3. */
const MAX_STRING_BYTES = 255;
const READ_TYPES = ['TXT', 'MX', 'CNAME', 'A', 'AAAA'] as const;
type ReadType = (typeof READ_TYPES)[number];

/** `domain` is the first origin, and names have to be in it. */
export function parseMasterFile(text: string, domain: string): MasterFile {
  const notes: string[] = [];
  const records: MasterRecord[] = [];
  let [origin, owner] = [domain, domain];
  try {
    for (const { line, isIndented, words } of entriesOf(Buffer.from(text, 'utf8').toString('latin1'))) {
      const [first = NO_WORD, ...rest] = words;
      if (first.text.startsWith('$') && !first.isQuoted) {
        if (/^\$TTL$/i.test(first.text)) continue;
        if (!/^\$ORIGIN$/i.test(first.text) || rest.length !== 1) throw new Fault(line, '$ORIGIN NAME or $TTL SECONDS');
        origin = nameOf(rest[0]?.text ?? '', origin, domain, line, notes);
        continue;
      }
      if (!isIndented) owner = nameOf(first.text, origin, domain, line, notes);
      const [type = NO_WORD, ...data] = withoutTtlAndClass(isIndented ? words : rest, line);
      const known = READ_TYPES.find((candidate) => candidate === type.text.toUpperCase());
      if (known === undefined && !/^[A-Z][A-Z0-9-]*$/i.test(type.text))
        throw new Fault(line, 'a name, then a type such as TXT or MX');
      if (owner !== domain && !owner.endsWith(`.${domain}`)) throw new Fault(line, `names in ${domain}, not ${owner}`);
      if (known === undefined) notes.push(`line ${line}: records of type ${type.text.toUpperCase()} are not read`);
      else records.push(recordOf(owner, known, data, { line, origin, domain, notes }));
      if (records.length > MAX_RECORDS) throw new Fault(line, `at most ${MAX_RECORDS} records`);
    }
    return { records, notes: notes.slice(0, MAX_NOTES) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { records: [], notes: [], fault: { line: error.line, expected: error.message } };
  }
}

/** Whether a text is a line of a zone file, not the text of a record. */
export function looksLikeMasterFile(text: string): boolean {
  // Not \s, which would go on over the next lines from each of them.
  const isLine = /^[ \t]*\S+[ \t]+(?:\d\w*[ \t]+)?(?:IN[ \t]+)?(?:\d\w*[ \t]+)?(?:TXT|MX|CNAME)[ \t(]/im;
  return !/^\s*"?v\s*=/i.test(text) && (isLine.test(text) || /^\s*\$(?:ORIGIN|TTL)\b/i.test(text));
}

class Fault extends Error {
  readonly line: number;
  constructor(line: number, expected: string) {
    super(expected);
    this.line = line;
  }
}

type Word = { readonly text: string; readonly isQuoted: boolean };
type Entry = { readonly line: number; readonly isIndented: boolean; readonly words: readonly Word[] };
const NO_WORD: Word = { text: '', isQuoted: false };

/** One for each line that is not empty; parentheses join lines. */
function* entriesOf(text: string): Generator<Entry> {
  let words: Word[] = [];
  let [line, start, depth] = [1, 1, 0];
  let isIndented = false;
  const finish = (): Entry[] => {
    const entry = { line: start, isIndented, words };
    words = [];
    return entry.words.length === 0 ? [] : [entry];
  };
  // A quoted string, a word, or one character with a meaning of its own.
  const pattern = /"((?:[^"\\\n]|\\[^\n])*)("?)|;[^\n]*|[()\n]|[ \t\r]+|(?:[^\s"();\\]|\\[^\n])+|\\/g;
  let isLineStart = true;
  for (const [token, quoted, close] of text.matchAll(pattern)) {
    if (token === '\n') {
      if (depth === 0) yield* finish();
      line++;
      isLineStart = depth === 0;
      continue;
    }
    if (isLineStart) [isIndented, start] = [/^[ \t\r]/.test(token), line];
    isLineStart = false;
    if (token === '(') depth++;
    else if (token === ')') {
      if (--depth < 0) throw new Fault(line, 'a parenthesis that is opened before it is closed');
    } else if (quoted !== undefined) {
      if (close === '') throw new Fault(line, 'a closing quotation mark in the same line');
      words.push({ text: unescaped(quoted, line), isQuoted: true });
    } else if (token.trim() !== '' && !token.startsWith(';')) words.push({ text: token, isQuoted: false });
  }
  if (depth > 0) throw new Fault(start, 'a closing parenthesis');
  yield* finish();
}

/** `\"` is a character as it is, `\232` a byte. */
function unescaped(text: string, line: number): string {
  return text.replace(/\\(\d{3}|\D|\d)/gs, (_, escaped: string) => {
    if (!/^\d/.test(escaped)) return escaped;
    const byte = Number(escaped);
    if (escaped.length < 3 || byte > 255) throw new Fault(line, 'a number from 000 to 255 after a backslash');
    return String.fromCharCode(byte);
  });
}

function withoutTtlAndClass(words: readonly Word[], line: number): readonly Word[] {
  const at = words.findIndex(({ text }) => !/^(?:IN|(?=\d)(?:\d+[smhdw])*\d*)$/i.test(text));
  if (/^(?:CH|HS|CS)$/i.test(words[at]?.text ?? '')) throw new Fault(line, 'records of class IN');
  return at === -1 ? [] : words.slice(at);
}

function nameOf(text: string, origin: string, domain: string, line: number, notes: string[]): string {
  const written = unescaped(text, line).toLowerCase();
  if (written === '@') return origin;
  const isWhole = written === domain || written.endsWith(`.${domain}`);
  if (isWhole) notes.push(`line ${line}: ${written} lacks its final dot; a server would publish ${written}.${origin}`);
  const name = written.endsWith('.') ? written.slice(0, -1) : isWhole ? written : `${written}.${origin}`;
  if (!/^(?=.{1,253}$)(?:[\x21-\x2d\x2f-\x7e]{1,63}(?:\.(?!$)|$))+$/.test(name))
    throw new Fault(line, 'a name in ASCII');
  return name;
}

type LineContext = {
  readonly line: number;
  readonly origin: string;
  readonly domain: string;
  readonly notes: string[];
};

function recordOf(name: string, type: ReadType, data: readonly Word[], context: LineContext): MasterRecord {
  const { line, origin, domain, notes } = context;
  const target = (text: string) => (text === '.' ? '.' : nameOf(text, origin, domain, line, notes));
  const [first = '', second = ''] = data.map(({ text }) => text);
  switch (type) {
    case 'TXT':
      return { name, type, text: textOf(data, line, notes) };
    case 'MX':
      if (data.length !== 2 || !/^\d{1,5}$/.test(first) || Number(first) > 65_535)
        throw new Fault(line, 'a preference and a host after MX, such as 10 mx.example.com.');
      return { name, type, preference: Number(first), exchange: target(second) };
    case 'CNAME':
      if (data.length !== 1) throw new Fault(line, 'one name after CNAME');
      return { name, type, value: target(first) };
    default:
      if (data.length !== 1) throw new Fault(line, `one address after ${type}`);
      return { name, type, value: first };
  }
}

/** RFC 1035 §3.3.14: one or more strings. Receivers join them. */
function textOf(data: readonly Word[], line: number, notes: string[]): string {
  if (data.length === 0) throw new Fault(line, 'a text in quotation marks after TXT');
  if (data.length > 1 && data.some(({ isQuoted }) => !isQuoted))
    notes.push(`line ${line}: without quotation marks, each word is a string of its own, and the blanks are lost`);
  const strings = data.map(({ text, isQuoted }) => (isQuoted ? text : unescaped(text, line)));
  const long = strings.find((text) => text.length > MAX_STRING_BYTES);
  if (long !== undefined)
    throw new Fault(line, `strings of at most ${MAX_STRING_BYTES} bytes, not ${long.length}: "…" "…"`);
  return strings.join('');
}
