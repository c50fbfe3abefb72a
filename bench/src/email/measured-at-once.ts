/**
 * Child process of the benchmark: many checks at the same time over one client, in several rounds.
 * Prints answers, times, memory and what stays open.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { examineDomain } from '@whence/email';
import { createDnsClient } from '@whence/email/resolver';
import { AT_ONCE, listedDomain, listedGrade } from './zone.ts';

export type AtOnceRound = {
  readonly right: number;
  readonly wallMs: number;
  readonly fastestMs: number;
  readonly slowestMs: number;
  readonly cpuMs: number;
  /** Without second tries. */
  readonly queries: number;
  readonly socketsAtPeak: number;
  /** Sockets and timers still open after all answers, before the client is closed. */
  readonly leftOpen: readonly string[];
};

export type AtOnceMeasure = {
  readonly rounds: readonly AtOnceRound[];
  readonly residentBytes: readonly number[];
};

const [server = '', rounds = '1'] = process.argv.slice(2);
const residentBytes = [settledMemory()];
const measured: AtOnceRound[] = [];
for (let round = 0; round < Number(rounds); round++) {
  measured.push(await runRound());
  residentBytes.push(settledMemory());
}
const measure: AtOnceMeasure = { rounds: measured, residentBytes };
process.stdout.write(JSON.stringify(measure));

async function runRound(): Promise<AtOnceRound> {
  const client = createDnsClient({ servers: [server] });
  let socketsAtPeak = 0;
  const watch = setInterval(() => {
    socketsAtPeak = Math.max(
      socketsAtPeak,
      openResources().filter((name) => name !== 'Timeout').length,
    );
  }, 10);
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  const checks = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, i) => {
      const resolver = client.forCheck(listedDomain(i));
      const { report } = await examineDomain(listedDomain(i), { resolver });
      const ms = performance.now() - started;
      return { isRight: report.grade === listedGrade(i), ms, queries: resolver.queries };
    }),
  );
  const wallMs = performance.now() - started;
  const cpu = process.cpuUsage(cpuBefore);
  clearInterval(watch);
  await sleep(1); // a socket is closed in the next turn
  const leftOpen = openResources();
  client.close();
  return {
    right: checks.filter(({ isRight }) => isRight).length,
    wallMs,
    fastestMs: Math.min(...checks.map(({ ms }) => ms)),
    slowestMs: Math.max(...checks.map(({ ms }) => ms)),
    cpuMs: (cpu.user + cpu.system) / 1000,
    queries: checks.reduce((sum, { queries }) => sum + queries, 0),
    socketsAtPeak,
    leftOpen,
  };
}

/** Without the pipes to the parent. */
function openResources(): string[] {
  return process.getActiveResourcesInfo().filter((name) => /UDP|TCP|Timeout/i.test(name));
}

function settledMemory(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}
