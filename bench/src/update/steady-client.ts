/**
 * Child of the benchmark: asks for addresses at a constant rate, whether the server keeps up or not, until it gets SIGTERM; then writes to a file how many
 * milliseconds each answer took. Arguments: address of the server, key, file of addresses, requests per second, file for the result.
 *
 * wrk asks again when it has its answer: while the server stands still it asks nothing, and a pause of a second counts as one slow request for each
 * connection. Here the clock of a request starts when it is due, also if all connections are busy. What this process itself slept through is
 * not made up for: that would be a burst that nobody sent. The first two seconds, while its own code is slow and its connections are opened, do
 * not count; it prints a line when they are over.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { performance } from 'node:perf_hooks';

export type SteadyResult = {
  readonly latenciesMs: readonly number[];
  readonly seconds: number;
  /** How late this process itself was at each of its ticks: what a caller on the same machine waits for besides the server. */
  readonly ownDelaysMs: readonly number[];
  readonly failures: readonly string[];
};

const CONNECTIONS = 4;
const TICK_MS = 1;
const SETTLE_MS = 2_000;
const MAX_BURST = 2 * CONNECTIONS;
/** For the answers that are still to come when it is told to stop. */
const LAST_ANSWERS_MS = 5_000;

const [url = '', key = '', addressFile = '', perSecond = '', resultFile = ''] = process.argv.slice(2);
const addresses = readFileSync(addressFile, 'utf8').split('\n');
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
const latenciesMs: number[] = [];
const ownDelaysMs: number[] = [];
const failures: string[] = [];
/** Of those that count. */
let asked = 0;
let next = 0;
let isCounting = false;

function ask(dueMs: number): void {
  const address = addresses[next++ % addresses.length];
  const counts = isCounting;
  if (counts) asked++;
  const sent = request(`${url}/v1/ip/${address}`, { agent, headers: { 'X-API-Key': key } });
  sent.on('error', (error) => failures.push(error.message));
  sent.once('response', (response: IncomingMessage) => {
    response.resume();
    response.once('end', () => {
      if (response.statusCode !== 200) failures.push(`${address} was answered ${response.statusCode}`);
      else if (counts) latenciesMs.push(performance.now() - dueMs);
    });
  });
  sent.end();
}

const started = performance.now();
let countedFromMs = started;
let dueBefore = 0;
let tickedMs = started;
const timer = setInterval(() => {
  const now = performance.now();
  const due = Math.floor(((now - started) * Number(perSecond)) / 1000);
  for (let i = Math.min(due - dueBefore, MAX_BURST); i > 0; i--) ask(now);
  dueBefore = due;
  if (isCounting) ownDelaysMs.push(Math.max(0, now - tickedMs - TICK_MS));
  tickedMs = now;
}, TICK_MS);

setTimeout(() => {
  isCounting = true;
  countedFromMs = performance.now();
  process.stdout.write('asking\n');
}, SETTLE_MS);

process.once('SIGTERM', () => {
  clearInterval(timer);
  const stoppedMs = performance.now();
  const finishing = setInterval(() => {
    const unanswered = asked - latenciesMs.length - failures.length;
    if (unanswered > 0 && performance.now() - stoppedMs < LAST_ANSWERS_MS) return;
    clearInterval(finishing);
    if (unanswered > 0) failures.push(`${unanswered} requests were not answered within ${LAST_ANSWERS_MS} ms`);
    const result: SteadyResult = { latenciesMs, ownDelaysMs, seconds: (stoppedMs - countedFromMs) / 1000, failures };
    writeFileSync(resultFile, JSON.stringify(result));
    agent.destroy();
  }, TICK_MS);
});
