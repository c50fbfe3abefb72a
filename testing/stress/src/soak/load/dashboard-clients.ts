/**
 * Signed-in people who ask for what costs most: a year of statistics as a file, and summaries of /8
 * prefixes.
 */
import { get, type IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { DashboardSession } from '@whence/testing/dashboard-session';
import type { Fault } from './protocol.ts';

const DAY_MS = 86_400_000;
const EXPORTED_DAYS = 365;
/** Summaries that are asked for at once. */
const SUMMARIES = 30;
/** Prefixes with many networks in them. */
const FIRST_OCTETS = [45, 103, 185, 2, 80, 193];
const SUMMARY_TIMEOUT_MS = 20_000;
const EXPORT_TIMEOUT_MS = 60_000;
const KEPT_CHARACTERS = 2_000;

const epochMs = () => performance.timeOrigin + performance.now();

type Answer = { readonly status: number; readonly lines: number; readonly start: string };

export class DashboardClients {
  readonly #port: number;
  readonly #session: DashboardSession;
  readonly #exportedRows: number;
  readonly #clients: Promise<void>[] = [];
  readonly faults: Fault[] = [];
  #exports = 0;
  /** Complete answers. */
  readonly answers = { export: 0, summary: 0 };

  /** `exportedRows`: what an export has at least. */
  constructor(port: number, session: DashboardSession, exportedRows: number) {
    this.#port = port;
    this.#session = session;
    this.#exportedRows = exportedRows;
  }

  exportUsage(): void {
    const format = this.#exports++ % 2 === 0 ? 'csv' : 'ndjson';
    const day = (before: number) =>
      new Date(Date.now() - before * DAY_MS).toISOString().slice(0, 10);
    const target = `/dashboard/api/usage/export?format=${format}&from=${day(EXPORTED_DAYS)}&to=${day(0)}`;
    this.#start('export', target, EXPORT_TIMEOUT_MS, ({ lines }) => lines >= this.#exportedRows);
  }

  summarizePrefixes(): void {
    for (let i = 0; i < SUMMARIES; i++) {
      const target = `/dashboard/api/lookup/prefix/${FIRST_OCTETS[i % FIRST_OCTETS.length]}.0.0.0/8`;
      this.#start('summary', target, SUMMARY_TIMEOUT_MS, () => true);
    }
  }

  async settle(): Promise<void> {
    await Promise.all(this.#clients);
  }

  #start(
    kind: 'export' | 'summary',
    target: string,
    timeoutMs: number,
    isComplete: (answer: Answer) => boolean,
  ): void {
    const sentAtMs = epochMs();
    const fault = (outcome: Fault['outcome']) => {
      const about = { request: kind, detail: target, isSilentZone: false };
      this.faults.push({ ...about, sentAtMs, endedAtMs: epochMs(), outcome });
    };
    const asked = this.#ask(target, timeoutMs).then(
      (answer) => {
        const code = /"code":"([A-Z_]+)"/.exec(answer.start)?.[1] ?? '';
        if (answer.status !== 200) fault({ kind: 'refused', status: answer.status, code });
        else if (!isComplete(answer)) fault({ kind: 'cut', reason: `only ${answer.lines} lines` });
        else this.answers[kind]++;
      },
      (error: NodeJS.ErrnoException) => {
        const isUnanswered = error.name === 'AbortError' || error.name === 'TimeoutError';
        fault(
          isUnanswered
            ? { kind: 'unanswered' }
            : { kind: 'cut', reason: error.code ?? error.message },
        );
      },
    );
    this.#clients.push(asked);
  }

  /**
   * Reads the whole answer and keeps its beginning. A connection of its own: one that is kept may
   * just be closing.
   */
  async #ask(path: string, timeoutMs: number): Promise<Answer> {
    const headers = { Cookie: this.#session.cookie, Accept: 'application/json' };
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get({ host: '127.0.0.1', port: this.#port, path, headers, agent: false, signal }, resolve).on(
        'error',
        reject,
      );
    });
    let lines = 0;
    let start = '';
    for await (const chunk of response as AsyncIterable<Buffer>) {
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
      if (start.length < KEPT_CHARACTERS) start += chunk.toString('latin1', 0, KEPT_CHARACTERS);
    }
    return { status: response.statusCode ?? 0, lines, start };
  }
}
