/**
 * Child process: sends lookups at a constant rate, whether or not the server keeps up, until
 * SIGTERM; then writes the latency of each response to a file. Arguments: server URL, key, file of
 * addresses, requests per second, result file.
 *
 * wrk sends a request after the previous response: while the server is paused it sends nothing, and
 * a pause of one second counts as one slow request per connection. Here the latency of a request
 * starts when it is due, even if all connections are busy. Ticks that this process itself misses
 * are not made up for: that would be a burst no client has sent. The first two seconds are not
 * counted, because code is not yet optimised and connections are being opened; a line is printed
 * after them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { performance } from 'node:perf_hooks';

export type SteadyResult = {
  readonly latenciesMs: readonly number[];
  readonly seconds: number;
  /**
   * How late each tick of this process was: the delay of a client on this machine that is not due
   * to the server.
   */
  readonly ownDelaysMs: readonly number[];
  readonly failures: readonly string[];
  /** Requests without a response: more were sent than this machine can answer. */
  readonly unanswered: number;
};

/**
 * Enough that requests do not wait for a connection while the server is paused for a few
 * milliseconds.
 */
const CONNECTIONS = 16;
const TICK_MS = 1;
const SETTLE_MS = 2_000;
const MAX_BURST = CONNECTIONS;
/** How long to wait for outstanding responses after SIGTERM. */
const DRAIN_MS = 5_000;

const [url = '', key = '', addressFile = '', perSecond = '', resultFile = ''] =
  process.argv.slice(2);
const addresses = readFileSync(addressFile, 'utf8').split('\n');
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
const latenciesMs: number[] = [];
const ownDelaysMs: number[] = [];
const failures: string[] = [];
/** Counted requests only. */
let sentCount = 0;
let next = 0;
let isCounting = false;

function send(dueMs: number): void {
  const address = addresses[next++ % addresses.length];
  const isCounted = isCounting;
  if (isCounted) sentCount++;
  const sent = request(`${url}/v1/ip/${address}`, { agent, headers: { 'X-API-Key': key } });
  sent.on('error', (error) => failures.push(error.message));
  sent.once('response', (response: IncomingMessage) => {
    response.resume();
    response.once('end', () => {
      if (response.statusCode !== 200)
        failures.push(`status ${response.statusCode} for ${address}`);
      else if (isCounted) latenciesMs.push(performance.now() - dueMs);
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
  for (let i = Math.min(due - dueBefore, MAX_BURST); i > 0; i--) send(now);
  dueBefore = due;
  if (isCounting) ownDelaysMs.push(Math.max(0, now - tickedMs - TICK_MS));
  tickedMs = now;
}, TICK_MS);

setTimeout(() => {
  isCounting = true;
  countedFromMs = performance.now();
  process.stdout.write('counting\n');
}, SETTLE_MS);

process.once('SIGTERM', () => {
  clearInterval(timer);
  const stoppedMs = performance.now();
  const finishing = setInterval(() => {
    const unanswered = sentCount - latenciesMs.length - failures.length;
    if (unanswered > 0 && performance.now() - stoppedMs < DRAIN_MS) return;
    clearInterval(finishing);
    const result: SteadyResult = {
      latenciesMs,
      ownDelaysMs,
      seconds: (stoppedMs - countedFromMs) / 1000,
      failures,
      unanswered,
    };
    writeFileSync(resultFile, JSON.stringify(result));
    agent.destroy();
  }, TICK_MS);
});
