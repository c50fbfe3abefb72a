/** Saved `wh email --json` or API answers: an object, an array, or an object per line. Failed checks are skipped. */
import { readFileSync } from 'node:fs';
import { isObject } from '../../http/validators.ts';
import { UsageError } from '../../terminal/exit.ts';
import type { Sink } from '../../terminal/output.ts';
import { jsonLine } from '../../terminal/printable.ts';
import { PROGRAM } from '../../terminal/program-name.ts';
import type { SavedReport } from './outcome.ts';

export function readSavedReports(path: string): SavedReport[] {
  const values = parse(path, readText(path));
  return values.flatMap((value) => {
    const data = isObject(value) && isObject(value['data']) ? value['data'] : value;
    if (isObject(data) && typeof data['error'] === 'string') return [];
    if (!isReport(data)) throw new UsageError(`${path} is not a report of ${PROGRAM} email --json`);
    return [data];
  });
}

/** The file of `--save`. A domain keeps its last report if a check fails, so that later changes are still seen. */
export class ReportFile {
  readonly #sink: Sink;
  readonly #before: Map<string, SavedReport>;

  constructor(sink: Sink, before: readonly SavedReport[] = []) {
    this.#sink = sink;
    this.#before = new Map(before.map((report) => [report.domain, report]));
  }

  /** `line` is the report as `jsonLine` writes it. */
  async add(domain: string, line: string): Promise<void> {
    this.#before.delete(domain);
    await this.#sink.write(line);
  }

  async addRemaining(): Promise<void> {
    for (const report of this.#before.values()) await this.#sink.write(jsonLine(report));
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${(error as Error).message}`);
  }
}

function parse(path: string, text: string): unknown[] {
  try {
    return [JSON.parse(text) as unknown].flat();
  } catch {
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line, i) => parseLine(line, `${path}, line ${i + 1}`));
  }
}

function parseLine(line: string, where: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new UsageError(`${where} is not JSON: ${(error as Error).message}`);
  }
}

/** What the comparison reads. A file that was edited may lack anything. */
function isReport(value: unknown): value is SavedReport {
  if (!isObject(value)) return false;
  const { domain, domain_auth_score, mx, spf, dkim, dmarc, transport, evidence } = value;
  return (
    typeof domain === 'string' &&
    typeof domain_auth_score === 'number' &&
    hasLists(mx, 'records', 'errors') &&
    hasLists(spf, 'mechanisms', 'validation_errors') &&
    Array.isArray(dkim) &&
    dkim.every((key) => hasLists(key, 'validation_errors')) &&
    hasLists(dmarc, 'aggregate_report_uris', 'forensic_report_uris', 'validation_errors') &&
    (transport === undefined || isTransport(transport)) &&
    (evidence === undefined || hasLists(evidence, 'unverified', 'spf_terms', 'dangling'))
  );
}

function isTransport(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { mta_sts, tls_rpt, dane, bimi, dnssec } = value;
  const parts = [tls_rpt, bimi, dnssec].every((part) => hasLists(part, 'validation_errors'));
  return parts && hasLists(mta_sts, 'mx', 'validation_errors') && hasLists(dane, 'hosts', 'validation_errors');
}

function hasLists(value: unknown, ...names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => Array.isArray(value[name]));
}
