/**
 * A report in the form in which it is stored. Ids are hashes of content, so that processes need not agree on numbers, a
 * repeated report finds its own row, and a copy of the database has the same ones. Rows are packed into pages, as base64:
 * threads pass them on without an object for each, and both engines have texts.
 */
import { createHash } from 'node:crypto';
import { packRows } from '@whence/email/internal/reports/packed-rows';
import type { AggregateReport, ReportShape } from '@whence/email/internal/reports/report';

/** `file`: a person imported it; `key`: it was posted; `message`: it came in a message that had to prove itself. */
export type Arrival = {
  readonly arrived: 'file' | 'key' | 'message';
  /** The id of the key, if one was used. */
  readonly arrivedFrom: string;
  /** SHA-256 of the XML, in hexadecimal. */
  readonly digest: string;
  readonly isProven: boolean;
};

export type PreparedReport = Omit<AggregateReport, 'rows' | 'policy' | 'begin' | 'end'> &
  Arrival & {
    readonly id: number;
    /** Reports of the same reporter, id, domain and period. */
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
    /** `[[id, content], …]`, by id. */
    readonly shapes: string;
    /** See `packRows`. */
    readonly pages: readonly string[];
  };

const DAY_SECONDS = 86_400;
const MAX_PERIOD_SECONDS = 2 * DAY_SECONDS;

export function prepareReport(report: AggregateReport, arrival: Arrival, nowMs: number): PreparedReport {
  const { rows, policy, begin, end, ...named } = report;
  const shapes = new Map<string, { id: number; counts: Map<string, number> }>();
  let [messages, passed] = [0, 0];
  for (const row of rows) {
    const content = encodeShape(row);
    let shape = shapes.get(content);
    if (shape === undefined) {
      shape = { id: hashOf(content), counts: new Map() };
      shapes.set(content, shape);
    }
    shape.counts.set(row.address, (shape.counts.get(row.address) ?? 0) + row.count);
    messages += row.count;
    if (row.spfPassed || row.dkimPassed) passed += row.count;
  }
  // In order, so that the same rows have the same id.
  const ordered = [...shapes].sort(([, a], [, b]) => a.id - b.id);
  const pages = packRows(ordered.map(([, shape]) => shape)).map((page) => page.toString('base64'));
  const { reporter, reportId, domain } = named;
  const key = [reporter, reportId, domain, begin, end];
  return {
    ...named,
    ...arrival,
    id: hashOf(...key, ...pages),
    keyId: hashOf(...key),
    domainId: domainIdOf(domain),
    day: Math.floor((begin + end) / 2 / DAY_SECONDS),
    beginMs: begin * 1000,
    endMs: end * 1000,
    policy: JSON.stringify(policy),
    rowCount: ordered.reduce((sum, [, { counts }]) => sum + counts.size, 0),
    messages,
    passed,
    isUsable: end - begin <= MAX_PERIOD_SECONDS && end * 1000 <= nowMs + DAY_SECONDS * 1000,
    shapes: JSON.stringify(ordered.map(([content, { id }]) => [id, content])),
    pages,
  };
}

export const domainIdOf = (domain: string) => hashOf(domain);

/** 53 bits, which are a number in JavaScript and in both engines. */
function hashOf(...parts: readonly (string | number)[]): number {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest();
  return bytes.readUIntBE(0, 6) * 32 + (bytes.readUInt8(6) & 31);
}

type Encoded = readonly [
  disposition: string,
  passed: number,
  headerFrom: string,
  envelopeFrom: string,
  spf: readonly (readonly [domain: string, scope: string, result: string])[],
  dkim: readonly (readonly [domain: string, selector: string, result: string])[],
  reasons: readonly (readonly [type: string, comment: string])[],
];
const [SPF_PASSED, DKIM_PASSED] = [1, 2];

function encodeShape(shape: ReportShape): string {
  const { disposition, spfPassed, dkimPassed, headerFrom, envelopeFrom, spf, dkim, reasons } = shape;
  return JSON.stringify([
    disposition,
    (spfPassed ? SPF_PASSED : 0) + (dkimPassed ? DKIM_PASSED : 0),
    headerFrom,
    envelopeFrom,
    spf.map(({ domain, scope, result }) => [domain, scope, result]),
    dkim.map(({ domain, selector, result }) => [domain, selector, result]),
    reasons.map(({ type, comment }) => [type, comment]),
  ] satisfies Encoded);
}

export function decodeShape(content: string): ReportShape {
  const [disposition, passed, headerFrom, envelopeFrom, spf, dkim, reasons] = JSON.parse(content) as Encoded;
  return {
    disposition,
    spfPassed: (passed & SPF_PASSED) !== 0,
    dkimPassed: (passed & DKIM_PASSED) !== 0,
    headerFrom,
    envelopeFrom,
    spf: spf.map(([domain, scope, result]) => ({ domain, scope, result })),
    dkim: dkim.map(([domain, selector, result]) => ({ domain, selector, result })),
    reasons: reasons.map(([type, comment]) => ({ type, comment })),
  };
}
