/**
 * The parts of a replica that talk to storage, on connections of its own, with the timers of a real
 * one and no sockets.
 */
import { randomUUID } from 'node:crypto';
import { KnownKeys } from '../../keys/known-keys.ts';
import { Metrics } from '../../metrics/metrics.ts';
import { Quota } from '../../quota/quota.ts';
import { openStorage } from '../../storage/open-storage.ts';
import type { Storage } from '../../storage/storage.ts';
import { TrafficRecorder } from '../../usage/traffic.ts';
import { Usage } from '../../usage/usage.ts';

const HOUSEKEEPING_MS = 1_000;
const RECALLS_MS = 100;
const RENEWAL_MS = 10_000;
const REPORT_MS = 10_000;
const GRACE_MS = 60_000;

export class SimulatedReplica {
  readonly #id = randomUUID();
  readonly #storage: Storage;
  readonly #keys: KnownKeys;
  readonly #quota: Quota;
  readonly #usage: Usage;
  readonly #traffic: TrafficRecorder;
  readonly #metrics = new Metrics();
  readonly #timers: (() => void)[];
  #clients = 0;
  /** Why requests failed, and how often. */
  readonly failures = new Map<string, number>();

  static async start(location: string): Promise<SimulatedReplica> {
    return new SimulatedReplica(await openStorage(location));
  }

  private constructor(storage: Storage) {
    this.#storage = storage;
    this.#keys = new KnownKeys(storage.keys, { graceMs: GRACE_MS });
    this.#quota = new Quota(storage.leases, {
      isStorageDown: () => this.#keys.storageState !== 'ok',
    });
    this.#usage = new Usage(storage.usage);
    this.#traffic = new TrafficRecorder(this.#metrics, storage.traffic);
    this.#timers = [
      every(HOUSEKEEPING_MS, async () => {
        await this.#keys.checkStorage();
        await this.#usage.flush();
        await this.#quota.endIdle(this.nowMs());
      }),
      every(RECALLS_MS, () => this.#quota.answerRecalls()),
      every(RENEWAL_MS, () => this.#quota.renewLeases()),
      every(REPORT_MS, () => this.#report()),
    ];
  }

  nowMs(): number {
    return this.#storage.nowMs() ?? Date.now();
  }

  /**
   * A request as the API treats it: key, then quota. Answered at once where storage need not be
   * asked.
   */
  request(secret: string, nowMs: number): boolean | Promise<boolean> {
    const key = this.#keys.findRemembered(secret);
    const spent = key && this.#quota.spendAtOnce(key.id, key.allowance, nowMs);
    if (key === undefined || spent === undefined) return this.#ask(secret, nowMs);
    this.#count(key.id, 200, nowMs);
    return true;
  }

  async #ask(secret: string, nowMs: number): Promise<boolean> {
    try {
      const key = await this.#keys.find(secret, this.#newAddress());
      if (key === undefined) throw new Error('the key was not found');
      const { isAllowed } = await this.#quota.spend(key.id, key.allowance, nowMs);
      this.#count(key.id, isAllowed ? 200 : 429, nowMs);
      return isAllowed;
    } catch (error) {
      const { message } = error as Error;
      this.failures.set(message, (this.failures.get(message) ?? 0) + 1);
      return false;
    }
  }

  async stop(): Promise<void> {
    for (const stop of this.#timers) stop();
    await this.#quota.close().catch(() => {});
    this.#keys.close();
    await this.#storage.close();
  }

  #count(keyId: string, status: number, nowMs: number): void {
    this.#usage.count(keyId, 'ip', status, nowMs);
    this.#metrics.count('ip', status, 0.0001);
  }

  async #report(): Promise<void> {
    await this.#traffic.flush(this.nowMs());
    const at = new Date(this.nowMs());
    await this.#storage.processes.report({
      id: this.#id,
      host: 'simulated',
      pid: process.pid,
      startedAt: at,
      seenAt: at,
      memoryBytes: 0,
      lagMs: 0,
      datasetVersion: 1,
      rulesChecksum: '',
      overridesChecksum: '',
      settingsChecksum: '',
    });
    await this.#storage.processes.seenSince(new Date(this.nowMs() - 3 * REPORT_MS));
  }

  /** Each from another client: secrets that one address tries are throttled. */
  #newAddress(): string {
    const number = ++this.#clients;
    return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
  }
}

/**
 * Begins at a random moment, as replicas that were started at different times; a call under way is
 * not joined. Returns how to stop.
 */
function every(ms: number, work: () => Promise<void>): () => void {
  let isRunning = false;
  const runOnce = async () => {
    if (isRunning) return;
    isRunning = true;
    await work().catch(() => {});
    isRunning = false;
  };
  let interval: NodeJS.Timeout | undefined;
  const begin = setTimeout(() => {
    interval = setInterval(runOnce, ms);
  }, Math.random() * ms);
  return () => {
    clearTimeout(begin);
    clearInterval(interval);
  };
}
