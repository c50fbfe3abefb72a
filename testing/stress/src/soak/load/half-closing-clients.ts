/**
 * Clients that send a few requests and end their half of the connection, as `nc -N` does: they must
 * get every answer.
 */
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { splitAnswers } from '../../fuzz/http/answers.ts';
import type { Fault } from './protocol.ts';

const TIMEOUT_MS = 20_000;
const epochMs = () => performance.timeOrigin + performance.now();

export class HalfClosingClients {
  readonly #port: number;
  readonly #request: Buffer;
  readonly #wanted: readonly number[];
  readonly #clients: Promise<void>[] = [];
  readonly faults: Fault[] = [];
  answered = 0;

  constructor(port: number, key: string, address: string) {
    this.#port = port;
    const get = (target: string, headers: string) =>
      `GET ${target} HTTP/1.1\r\nHost: whence\r\n${headers}\r\n`;
    const withKey = `X-API-Key: ${key}\r\n`;
    // A lookup on each path of the server, a longer answer, and one without a key.
    const requests: readonly (readonly [bytes: string, status: number])[] = [
      [get(`/v1/ip/${address}`, withKey), 200],
      [get(`/v1/ip/${address}?explain=true`, withKey), 200],
      [get('/v1/dataset', withKey), 200],
      [get('/v1/nothing', ''), 404],
    ];
    this.#request = Buffer.from(requests.map(([bytes]) => bytes).join(''));
    this.#wanted = requests.map(([, status]) => status);
  }

  open(): void {
    this.#clients.push(this.#exchange());
  }

  async settle(): Promise<void> {
    await Promise.all(this.#clients);
  }

  async #exchange(): Promise<void> {
    const sentAtMs = epochMs();
    const { bytes, reason } = await this.#send();
    const statuses = splitAnswers(bytes, false).answers.map(({ status }) => status);
    this.answered += statuses.length;
    const wrong = statuses.findIndex((status, i) => status !== this.#wanted[i]);
    if (wrong < 0 && statuses.length === this.#wanted.length) return;
    let outcome: Fault['outcome'] =
      reason === TIMED_OUT ? { kind: 'unanswered' } : { kind: 'cut', reason };
    if (wrong >= 0)
      outcome = { kind: 'refused', status: statuses[wrong] ?? 0, code: refusalCode(bytes) };
    const detail = `${statuses.length} of ${this.#wanted.length} answers`;
    this.faults.push({
      request: 'half-closed',
      detail,
      isSilentZone: false,
      sentAtMs,
      endedAtMs: epochMs(),
      outcome,
    });
  }

  #send(): Promise<{ bytes: Buffer; reason: string }> {
    return new Promise((resolve) => {
      const received: Buffer[] = [];
      let reason = 'closed';
      const socket = connect({ port: this.#port, host: '127.0.0.1' });
      const timer = setTimeout(() => {
        reason = TIMED_OUT;
        socket.destroy();
      }, TIMEOUT_MS);
      socket.on('data', (chunk) => received.push(chunk));
      socket.on('error', (error: NodeJS.ErrnoException) => {
        reason = error.code ?? error.message;
      });
      socket.on('close', () => {
        clearTimeout(timer);
        resolve({ bytes: Buffer.concat(received), reason });
      });
      socket.end(this.#request);
    });
  }
}

const TIMED_OUT = 'timed out';

function refusalCode(bytes: Buffer): string {
  return /"code":"([A-Z_]+)"/.exec(bytes.toString('latin1'))?.[1] ?? '';
}
