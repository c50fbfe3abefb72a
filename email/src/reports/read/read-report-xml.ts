/**
 * Reads the XML of an aggregate report, a chunk at a time: RFC 9990 and RFC 7489 appendix C, and
 * what receivers make of them. Letter case, namespaces, the declaration and unknown elements do not
 * matter. There are no entities beyond those of XML itself, because a document type declaration is
 * refused.
 */
import { isIP } from 'node:net';
import { TextDecoder } from 'node:util';
import { Parser } from 'htmlparser2';
import { normalizeDomain } from '../../domain-name.ts';
import { isDkimAligned, isSpfAligned } from '../alignment.ts';
import { type AggregateReport, POLICY_TAGS, type ReportRow } from '../report.ts';
import { Unreadable } from './unreadable.ts';

const MAX_ROWS = 200_000;
/** More than any mail flow of one address to one receiver; sums of a million rows stay exact. */
const MAX_COUNT = 1_000_000_000;
const MAX_DEPTH = 20;
/** Characters of a text; longer ones are cut. */
const MAX_TEXT = 1_000;
/** Results of a row (RFC 9990 asks for no more than 100), and reasons. */
const MAX_RESULTS = 100;
const ANOTHER_REPORT = /<(?:[\w.-]{1,20}:)?feedback[\s>]/i;
/** Characters of its beginning that may stand in the chunk before. */
const MAX_TAG = 30;

type Texts = Record<string, string>;

export class ReportXml {
  readonly #parser: Parser;
  readonly #open: string[] = [];
  readonly #facts: Texts = {};
  readonly #rows: ReportRow[] = [];
  #decoder: LenientDecoder | undefined;
  #text = '';
  #isComplete = false;
  /** Characters so far, and how many of them the report has. */
  #decoded = 0;
  #length = 0;
  /** The last characters of what stands behind it. */
  #rest = '';
  #isEnded = false;
  #wrappers = 0;
  /** Texts of the current record, and of the part of it that may occur several times. */
  #row: Texts = {};
  #part: Texts = {};
  #parts: { dkim: Texts[]; spf: Texts[]; reason: Texts[] } = { dkim: [], spf: [], reason: [] };
  /** Results and reasons by content: most rows have the same. */
  readonly #known = new Map<string, unknown>();

  constructor() {
    this.#parser = new Parser(
      {
        onprocessinginstruction: (name) => {
          if (/^!doctype/i.test(name)) throw new Unreadable('doctype');
        },
        onopentagname: (name) => this.#begin(localName(name)),
        ontext: (text) => {
          if (this.#text.length < MAX_TEXT) this.#text += text;
        },
        onclosetag: (name) => {
          // At the end of the text the parser closes what is open.
          if (!this.#isEnded) this.#end(localName(name));
        },
      },
      { xmlMode: true },
    );
  }

  write(bytes: Uint8Array): void {
    this.#decoder ??= new LenientDecoder(bytes);
    const text = this.#decoder.decode(bytes);
    const before = this.#decoded;
    this.#decoded += text.length;
    // The parser keeps every element that is open, and takes longer the more there are.
    if (!this.#isComplete) this.#parser.write(text);
    if (this.#isComplete) this.#readRest(text.slice(Math.max(0, this.#length - before)));
  }

  /** What mail systems add does not matter; another report would be lost. */
  #readRest(text: string): void {
    const rest = this.#rest + text;
    if (ANOTHER_REPORT.test(rest)) throw new Unreadable('several_reports');
    this.#rest = rest.slice(-MAX_TAG);
  }

  /** Throws if it is not an aggregate report, or not a whole one. */
  end(): AggregateReport {
    this.#isEnded = true;
    this.#parser.end();
    if (!this.#isComplete)
      throw new Unreadable(this.#open.length === 0 ? 'no_report' : 'broken_xml');
    const fact = (path: string) => this.#facts[path] ?? '';
    const begin = parseTime(fact('date_range/begin'));
    const end = parseTime(fact('date_range/end'));
    if (begin === undefined || end === undefined || end < begin) throw new Unreadable('bad_period');
    const domain = normalizeDomain(fact('policy_published/domain'));
    if (domain === undefined) throw new Unreadable('bad_domain');
    const policy = POLICY_TAGS.map((name) => [
      name,
      fact(`policy_published/${name}`).toLowerCase(),
    ]);
    return {
      reporter: fact('report_metadata/org_name'),
      reporterEmail: fact('report_metadata/email'),
      reportId: fact('report_metadata/report_id'),
      domain,
      begin,
      end,
      policy: Object.fromEntries(policy) as AggregateReport['policy'],
      rows: this.#rows,
    };
  }

  #begin(name: string): void {
    if (this.#isComplete) return;
    if (this.#open.length >= MAX_DEPTH) throw new Unreadable('broken_xml');
    // Some receivers have an element around it, and do not close that.
    if (this.#open.length === 0 && name !== 'feedback') {
      if (++this.#wrappers > MAX_DEPTH) throw new Unreadable('no_report');
      return;
    }
    const parent = this.#open.at(-1);
    this.#open.push(name);
    this.#text = '';
    if (name === 'record') {
      this.#row = {};
      this.#parts = { dkim: [], spf: [], reason: [] };
    } else if (parent === 'auth_results' || name === 'reason') this.#part = {};
  }

  #end(name: string): void {
    if (this.#isComplete || this.#open.length === 0) return;
    if (this.#open.pop() !== name) throw new Unreadable('broken_xml');
    const parent = this.#open.at(-1) ?? '';
    const text = this.#text;
    this.#text = '';
    if (parent === '') {
      this.#isComplete = true;
      this.#length = this.#parser.endIndex + 1;
      this.#parser.pause();
    } else if (name === 'record') this.#endRow();
    else if (parent === 'auth_results' || name === 'reason') this.#endPart(name);
    else if (this.#open[1] !== 'record') this.#facts[`${parent}/${name}`] ??= tidy(text);
    else if (parent === 'reason' || this.#open[2] === 'auth_results')
      this.#part[name] ??= tidy(text);
    else this.#row[`${parent}/${name}`] ??= tidy(text);
  }

  #endPart(name: string): void {
    if (name !== 'dkim' && name !== 'spf' && name !== 'reason') return;
    const parts = this.#parts[name];
    if (parts.length < MAX_RESULTS) parts.push(this.#part);
  }

  #endRow(): void {
    const row = (path: string) => this.#row[path] ?? '';
    const word = (path: string) => row(path).toLowerCase();
    const count = parseCount(row('row/count'));
    if (count === 0) return;
    const address = canonicalAddress(row('row/source_ip'));
    if (address === undefined) throw new Unreadable('bad_address');
    if (this.#rows.length >= MAX_ROWS) throw new Unreadable('too_many_rows');
    const { dkim, spf, reason } = this.#parts;
    // A reporter that leaves a name out means the domain of the policy.
    const fact = (path: string) => this.#facts[`policy_published/${path}`] ?? '';
    const shape = {
      headerFrom: domainText(row('identifiers/header_from') || fact('domain')),
      envelopeFrom: domainText(row('identifiers/envelope_from')),
      reasons: this.#shared(
        reason.map(({ type = '', comment = '' }) => ({ type: type.toLowerCase(), comment })),
      ),
      spf: this.#shared(
        spf.map(({ domain = '', scope = '', result = '' }) => ({
          domain: domainText(domain),
          scope: scope.toLowerCase(),
          result: result.toLowerCase(),
        })),
      ),
      dkim: this.#shared(
        dkim.map(({ domain = '', selector = '', result = '' }) => ({
          domain: domainText(domain),
          selector,
          result: result.toLowerCase(),
        })),
      ),
    };
    const modeOf = (tag: 'adkim' | 'aspf') => (fact(tag).toLowerCase() === 's' ? 's' : 'r');
    const evaluated = (name: 'dkim' | 'spf') => {
      const result = word(`policy_evaluated/${name}`);
      return result === '' ? undefined : result === 'pass';
    };
    this.#rows.push({
      address,
      count,
      disposition: word('policy_evaluated/disposition'),
      spfPassed: evaluated('spf') ?? isSpfAligned(shape, modeOf('aspf')),
      dkimPassed: evaluated('dkim') ?? isDkimAligned(shape, modeOf('adkim')),
      ...shape,
    });
  }

  #shared<T>(value: T): T {
    const text = JSON.stringify(value);
    const known = this.#known.get(text);
    if (known === undefined) this.#known.set(text, value);
    return (known ?? value) as T;
  }
}

/** By the byte order mark, or the first character. The name in the declaration is often wrong. */
/** Some declare an encoding that they do not use: what is no UTF-8 is ISO-8859-1. */
class LenientDecoder {
  #decoder: TextDecoder;

  constructor([first, second]: Uint8Array) {
    if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0))
      this.#decoder = new TextDecoder('utf-16le');
    else if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c))
      this.#decoder = new TextDecoder('utf-16be');
    else this.#decoder = new TextDecoder('utf-8', { fatal: true });
  }

  decode(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes, { stream: true });
    } catch {
      this.#decoder = new TextDecoder('windows-1252');
      return this.#decoder.decode(bytes, { stream: true });
    }
  }
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1).toLowerCase();

/** What a database cannot store is replaced. */
export const tidy = (text: string) =>
  text
    .slice(0, MAX_TEXT)
    .trim()
    .replace(/\0|\p{Cs}/gu, '\ufffd');

/** Some write the whole address, or U-labels. */
function domainText(text: string): string {
  const name = text.slice(text.lastIndexOf('@') + 1).replace(/\.?>?$/, '');
  return (NON_ASCII.test(name) && normalizeDomain(name)) || name.toLowerCase();
}

const NON_ASCII = /[^\0-\x7f]/;

function parseCount(text: string): number {
  const count = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(count <= MAX_COUNT)) throw new Unreadable('bad_count');
  return count;
}

/** Seconds or, with 12 digits and more, milliseconds since 1970; or a date. */
function parseTime(text: string): number | undefined {
  if (/^\d{1,13}(?:\.\d+)?$/.test(text))
    return Math.floor(Number(text) / (/^\d{12}/.test(text) ? 1_000 : 1));
  const ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return ms >= 0 ? Math.floor(ms / 1000) : undefined;
}

/** RFC 5952; an IPv4-mapped address is that IPv4 address. */
function canonicalAddress(written: string): string | undefined {
  const text = written.replace(/^\[|\]$/g, '');
  const version = isIP(text);
  if (version !== 6) return version === 4 ? text : undefined;
  // A zone has no meaning elsewhere, and is not part of the host of a URL.
  if (text.includes('%')) return undefined;
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return canonical;
  const bytes = [high, low].flatMap((group) => {
    const number = Number.parseInt(group, 16);
    return [number >> 8, number & 255];
  });
  return bytes.join('.');
}
