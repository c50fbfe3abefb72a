/**
 * A report in the form in which it is stored. Ids are hashes of content, so that processes need not
 * agree on numbers, and a repeated report finds its own row. Rows are pages of JSON: threads pass
 * them on, and storage takes them, without an object for each.
 */

import { createHash } from 'node:crypto';
import type {
  AggregateReport,
  ReportRow,
  ReportShape,
  UnprovenReason,
} from '@whence/email/reports';
import { ownSignatures } from '@whence/email/reports/alignment';
import { DAY_MS } from '../day.ts';

/**
 * `file`: a person imported it; `key`: it was posted; `message`: it came in a message that had to
 * prove itself.
 */
export type Arrival = {
  readonly arrived: 'file' | 'key' | 'message';
  /** The id of the key, if one was used. */
  readonly arrivedFrom: string;
  /** SHA-256 of the XML or JSON, in hexadecimal. */
  readonly digest: string;
  /** Why the reporter is not proven; absent if it is. */
  readonly unproven?: UnprovenReason | undefined;
};

export type PreparedReport = Omit<AggregateReport, 'rows' | 'policy' | 'begin' | 'end'> &
  Arrival & {
    readonly id: number;
    /** Reports of the same reporter and address, id, domain and period. */
    readonly keyId: number;
    readonly domainId: number;
    /** Days since 1970: that of the middle of the period. */
    readonly day: number;
    readonly beginMs: number;
    readonly endMs: number;
    readonly policy: string;
    readonly rowCount: number;
    readonly messages: number;
    readonly passed: number;
    readonly isUsable: boolean;
    /** JSON: see `ShapeColumns`. */
    readonly shapes: string;
    /**
     * JSON lists of `[hash of the shape, address, messages]`: of addresses with any mail that
     * passed or was signed as the domain.
     */
    readonly rows: readonly string[];
    /** The same for all other addresses; there may be a flood of them. */
    readonly others: { readonly rows: number; readonly pages: readonly string[] };
    /** JSON lists of `[hash of the shape, network, messages, addresses]`: see `report-flood`. */
    readonly sums: readonly string[];
  };

export type StoredRow = readonly [shape: number, address: string, messages: number];
export type SummedRow = readonly [
  shape: number,
  network: string,
  messages: number,
  addresses: number,
];
export type ShapeColumns = readonly [
  hash: number,
  headerFrom: string,
  envelopeFrom: string,
  disposition: string,
  spfPassed: number,
  dkimPassed: number,
  spf: string,
  dkim: string,
  reasons: string,
  messages: number,
];

const DAY_SECONDS = DAY_MS / 1000;
const MAX_PERIOD_SECONDS = 2 * DAY_SECONDS;
/** Some hundred kilobytes: a statement that others wait for takes milliseconds. */
const ROWS_PER_PAGE = 5_000;
/** The column has four bytes. No receiver gets as much from one address in a day. */
const MAX_MESSAGES = 2 ** 31 - 1;

type Shape = {
  readonly hash: number;
  readonly columns: readonly (string | number)[];
  /** Passed, or has a signature with our `d=`. */
  readonly isOurs: boolean;
  readonly counts: Map<string, number>;
};

export function prepareReport(
  report: AggregateReport,
  arrival: Arrival,
  nowMs: number,
): PreparedReport {
  const { rows, policy, begin, end, ...named } = report;
  const shapes = sumByShape(rows);
  const all: StoredRow[] = shapes.flatMap(({ hash, counts }) =>
    [...counts].map(([address, messages]): StoredRow => [hash, address, messages]),
  );
  const ofOurs = shapes.filter(({ isOurs }) => isOurs);
  const sources = new Set(ofOurs.flatMap(({ counts }) => [...counts.keys()]));
  const known = all.filter(([, address]) => sources.has(address));
  const others = all.filter(([, address]) => !sources.has(address));
  const { reporter, reporterEmail, reportId, domain } = named;
  // The address is what a message proves: a copy under another one is another report.
  const key = [reporter, reporterEmail, reportId, domain, begin, end];
  return {
    ...named,
    ...arrival,
    id: hashOf([...key, ...all.flat()]),
    keyId: hashOf(key),
    domainId: domainIdOf(domain),
    day: middleDay(begin, end),
    beginMs: begin * 1000,
    endMs: end * 1000,
    policy: JSON.stringify(policy),
    rowCount: all.length,
    messages: messagesOf(all),
    passed: rows.reduce((sum, row) => sum + (row.spfPassed || row.dkimPassed ? row.count : 0), 0),
    isUsable: isUsablePeriod(begin, end, nowMs),
    shapes: JSON.stringify(shapes.map(columnsOf)),
    rows: pagesOf(known),
    others: { rows: others.length, pages: pagesOf(others) },
    sums: [],
  };
}

export const middleDay = (begin: number, end: number) =>
  Math.floor((begin + end) / 2 / DAY_SECONDS);

export const isUsablePeriod = (begin: number, end: number, nowMs: number) =>
  end - begin <= MAX_PERIOD_SECONDS && end * 1000 <= nowMs + DAY_MS;

/** In order, with their addresses, so that the same rows in another order have the same id. */
function sumByShape(rows: readonly ReportRow[]): Shape[] {
  const shapes = new Map<string, Shape>();
  for (const row of rows) {
    const columns = textsOf(row);
    const content = JSON.stringify(columns);
    let shape = shapes.get(content);
    if (shape === undefined) {
      const isOurs = row.spfPassed || row.dkimPassed || ownSignatures(row).length > 0;
      shape = { hash: hashOf([content]), columns, isOurs, counts: new Map() };
      shapes.set(content, shape);
    }
    const messages = (shape.counts.get(row.address) ?? 0) + row.count;
    shape.counts.set(row.address, Math.min(messages, MAX_MESSAGES));
  }
  return [...shapes.values()]
    .sort((a, b) => a.hash - b.hash)
    .map((shape) => ({
      ...shape,
      counts: new Map([...shape.counts].sort(([a], [b]) => (a < b ? -1 : 1))),
    }));
}

function columnsOf({ hash, columns, counts }: Shape): ShapeColumns {
  const messages = [...counts.values()].reduce((sum, count) => sum + count, 0);
  // The texts of `textsOf` are in the order of the columns.
  return [hash, ...columns, messages] as unknown as ShapeColumns;
}

function textsOf(row: ReportShape): readonly (string | number)[] {
  const { headerFrom, envelopeFrom, disposition, spfPassed, dkimPassed } = row;
  const spf = row.spf.map(({ domain, scope, result }) => ({ domain, scope, result }));
  const dkim = row.dkim.map(({ domain, selector, result }) => ({ domain, selector, result }));
  const reasons = row.reasons.map(({ type, comment }) => ({ type, comment }));
  return [
    storable(headerFrom),
    storable(envelopeFrom),
    storable(disposition),
    spfPassed ? 1 : 0,
    dkimPassed ? 1 : 0,
    ...[spf, dkim, reasons].map((list) => storable(JSON.stringify(list))),
  ];
}

/** PostgreSQL has no texts with NUL, or with half of a surrogate pair. */
const storable = (text: string) => text.replace(/[\0\p{Cs}]/gu, '\ufffd');

const messagesOf = (rows: readonly StoredRow[]) =>
  rows.reduce((sum, [, , messages]) => sum + messages, 0);

export function pagesOf(rows: readonly (StoredRow | SummedRow)[]): string[] {
  const pages: string[] = [];
  for (let at = 0; at < rows.length; at += ROWS_PER_PAGE)
    pages.push(JSON.stringify(rows.slice(at, at + ROWS_PER_PAGE)));
  return pages;
}

export const domainIdOf = (domain: string) => hashOf([domain]);

/** 53 bits, which are a number in JavaScript and in both engines. */
export function hashOf(parts: readonly (string | number)[]): number {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest();
  return bytes.readUIntBE(0, 6) * 32 + (bytes.readUInt8(6) & 31);
}
