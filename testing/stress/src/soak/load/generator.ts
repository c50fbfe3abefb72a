/**
 * Sends requests at a constant rate, whether or not the server keeps up: the latency of a request
 * starts when it is due. Ticks that this process itself misses are made up for only a little: more
 * would be a burst that no client sends.
 */
import { performance } from 'node:perf_hooks';
import { seededWords, type Words } from '@whence/testing/seeded-random';
import type { HostileKind } from '../dns/zones.ts';
import type { Fault, FreeKeyUse, LoadPlan, LoadReport } from './protocol.ts';
import { type Outcome, RawConnection } from './raw-connection.ts';
import { type PlannedRequest, RequestMix } from './request-mix.ts';

const TICK_MS = 1;
const MAX_BURST = 50;
/**
 * More than are in use at once: while the database is locked, hundreds of requests wait for
 * seconds.
 */
const MAX_CONNECTIONS = 2_000;
/**
 * A connection belongs to one worker; new ones spread the traffic over those that were started
 * later.
 */
const REQUESTS_PER_CONNECTION = 200;
/** More than any answer may take: the email check ends after 8 s. */
const ANSWER_TIMEOUT_MS = 20_000;
const HOSTILE_CHECKS = 10;
const HOSTILE_CHECK_EVERY_MS = 400;

const epochMs = () => performance.timeOrigin + performance.now();

/** Failures of the server do not count against the limit. */
const UNCOUNTED_CODES = ['DATASET_UNAVAILABLE', 'STORAGE_UNAVAILABLE', 'OVERLOADED'];

type InFlight = {
  readonly request: PlannedRequest;
  readonly dueMs: number;
  readonly connection: RawConnection;
};

export class LoadGenerator {
  readonly #plan: LoadPlan;
  readonly #random: Words;
  readonly #mix: RequestMix;
  readonly #idle: RawConnection[] = [];
  readonly #inFlight = new Set<InFlight>();
  readonly #waiting: { request: PlannedRequest; dueMs: number }[] = [];
  readonly #freeKeys: FreeKeyUse[];
  readonly #hostile: NodeJS.Timeout[] = [];
  #connections = 0;
  #timer: NodeJS.Timeout | undefined;
  #report = emptyReport();

  constructor(plan: LoadPlan) {
    this.#plan = plan;
    this.#random = seededWords(plan.seed);
    this.#mix = new RequestMix(plan, this.#random);
    this.#freeKeys = plan.keys.free.map(() => ({ counted: 0, cut: 0 }));
  }

  start(): void {
    const startedMs = performance.now();
    let dueBefore = 0;
    let tickedMs = startedMs;
    this.#timer = setInterval(() => {
      const nowMs = performance.now();
      this.#report.ownDelaysMs.push(Math.max(0, nowMs - tickedMs - TICK_MS));
      tickedMs = nowMs;
      const due = Math.floor(((nowMs - startedMs) * this.#plan.perSecond) / 1000);
      const count = Math.min(due - dueBefore, MAX_BURST);
      this.#report.skipped += due - dueBefore - count;
      dueBefore = due;
      for (let i = 0; i < count; i++) this.#send(this.#mix.next(), nowMs);
      this.#giveUpOld(nowMs);
    }, TICK_MS);
  }

  /** A few checks of one zone, beside the rest of the traffic. */
  askHostileZone(zone: HostileKind, number: number): void {
    for (let i = 0; i < HOSTILE_CHECKS; i++) {
      const send = () => this.#send(this.#mix.hostileEmail(zone, number), performance.now());
      this.#hostile.push(setTimeout(send, i * HOSTILE_CHECK_EVERY_MS));
    }
  }

  /** Sends no more; resolves when the last request has its outcome. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    for (const timer of this.#hostile) clearTimeout(timer);
    while (this.#inFlight.size + this.#waiting.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      this.#giveUpOld(performance.now());
    }
    for (const connection of this.#idle.splice(0)) connection.close();
  }

  /** What has happened since the last report. */
  takeReport(isLast: boolean): LoadReport {
    const report = {
      ...this.#report,
      isLast,
      connections: this.#connections,
      freeKeys: this.#freeKeys,
    };
    this.#report = emptyReport();
    return report;
  }

  #send(request: PlannedRequest, dueMs: number): void {
    const connection = this.#freeConnection();
    if (connection === undefined) {
      this.#waiting.push({ request, dueMs });
      return;
    }
    this.#report.sent++;
    const sentAtMs = epochMs();
    const inFlight = { request, dueMs, connection };
    this.#inFlight.add(inFlight);
    connection.send(request.bytes, (outcome) => {
      this.#inFlight.delete(inFlight);
      this.#record(request, dueMs, sentAtMs, outcome);
      this.#release(connection);
    });
  }

  #freeConnection(): RawConnection | undefined {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle === undefined) break;
      if (!idle.isOver) return idle;
    }
    if (this.#connections >= MAX_CONNECTIONS) return undefined;
    this.#connections++;
    return new RawConnection(this.#plan.port, () => {
      this.#connections--;
    });
  }

  #release(connection: RawConnection): void {
    if (connection.answered > REQUESTS_PER_CONNECTION + (this.#random() % REQUESTS_PER_CONNECTION))
      connection.close();
    if (!connection.isOver) this.#idle.push(connection);
    this.#sendWaiting();
  }

  /** What has waited for too long is not sent any more. */
  #sendWaiting(): void {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { request, dueMs } = next;
      if (performance.now() - dueMs < ANSWER_TIMEOUT_MS) {
        this.#send(request, dueMs);
        return;
      }
      this.#fault(request, performance.timeOrigin + dueMs, { kind: 'unanswered' });
    }
  }

  #giveUpOld(nowMs: number): void {
    // In the order in which they were sent.
    for (const { dueMs, connection } of this.#inFlight) {
      if (nowMs - dueMs < ANSWER_TIMEOUT_MS) return;
      connection.close(UNANSWERED);
    }
  }

  #record(request: PlannedRequest, dueMs: number, sentAtMs: number, outcome: Outcome): void {
    const { kind, tier, freeKey } = request;
    const use = freeKey === undefined ? undefined : this.#freeKeys[freeKey];
    if (outcome.kind === 'cut') {
      if (use !== undefined) use.cut++;
      const isUnanswered = outcome.reason === UNANSWERED;
      this.#fault(request, sentAtMs, isUnanswered ? { kind: 'unanswered' } : outcome);
      return;
    }
    const { status, body } = outcome;
    const name = `${tier ?? 'no key'} ${kind} ${status}`;
    this.#report.answers[name] = (this.#report.answers[name] ?? 0) + 1;
    if (kind === 'lookup' && status === 200) {
      this.#report.lookups.sentAtMs.push(sentAtMs);
      this.#report.lookups.latencyMs.push(performance.now() - dueMs);
      this.#report.lookups.hasLimit.push(tier !== 'enterprise');
      this.#report.lookups.datasetVersion.push(Number(/"dataset_version":(\d+)/.exec(body)?.[1]));
    }
    const code = status < 400 ? '' : (/"code":"([A-Z_]+)"/.exec(body)?.[1] ?? '');
    if (use !== undefined && ![401, 429, 500].includes(status) && !UNCOUNTED_CODES.includes(code))
      use.counted++;
    if (!request.statuses.includes(status))
      this.#fault(request, sentAtMs, { kind: 'refused', status, code });
  }

  #fault(
    { kind, tier, detail, isSilentZone = false }: PlannedRequest,
    sentAtMs: number,
    outcome: Fault['outcome'],
  ) {
    const about = { request: kind, ...(tier && { tier }), detail, isSilentZone };
    this.#report.faults.push({ ...about, sentAtMs, endedAtMs: epochMs(), outcome });
  }
}

/** The reason of a connection that was closed because its answer did not come. */
const UNANSWERED = 'unanswered';

function emptyReport() {
  return {
    sent: 0,
    skipped: 0,
    answers: {} as Record<string, number>,
    lookups: {
      sentAtMs: [] as number[],
      latencyMs: [] as number[],
      datasetVersion: [] as number[],
      hasLimit: [] as boolean[],
    },
    faults: [] as Fault[],
    ownDelaysMs: [] as number[],
  };
}
