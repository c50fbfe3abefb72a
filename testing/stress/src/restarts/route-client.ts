/**
 * A client that sends one request after the other, with a kept connection, to the first of its
 * servers that accepts one. A connection that is refused is no loss: nothing was sent. A request
 * that was sent and gets no answer, or another status than its route has, is one.
 */
import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Route } from './routes.ts';

const PAUSE_MS = 5;
/** More than a server takes to stop and to start. */
const ANSWER_TIMEOUT_MS = 30_000;

export class RouteClient {
  readonly name: string;
  readonly route: Route;
  /** What happened to each request that was lost. */
  readonly losses: string[] = [];
  answered = 0;
  readonly #ports: readonly number[];
  readonly #key: string;
  readonly #ended: Promise<void>;
  #isStopping = false;

  constructor(
    name: string,
    route: Route,
    ports: readonly number[],
    key: string,
    signal: AbortSignal,
  ) {
    this.name = name;
    this.route = route;
    this.#ports = ports;
    this.#key = key;
    this.#ended = this.#run(signal);
  }

  stop(): Promise<void> {
    this.#isStopping = true;
    return this.#ended;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let at = 0;
    while (!this.#isStopping && !signal.aborted) {
      const port = this.#ports[at % this.#ports.length] as number;
      // The next one if this one does not accept connections.
      if (!(await this.#ask(agent, port))) at++;
      await delay(PAUSE_MS);
    }
    agent.destroy();
  }

  /** False if the server did not accept a connection. */
  async #ask(agent: Agent, port: number): Promise<boolean> {
    const { method, path, body = '', status } = this.route;
    const headers = {
      'X-API-Key': this.#key,
      ...(body !== '' && { 'Content-Type': 'application/json' }),
    };
    const sent = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers,
      agent,
      timeout: ANSWER_TIMEOUT_MS,
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.end(body);
    try {
      const received = await statusOf(sent);
      if (received === status) this.answered++;
      else this.#lose(port, `status ${received}`);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ECONNREFUSED') return false;
      this.#lose(port, `${message}${sent.reusedSocket ? ' on a kept connection' : ''}`);
    }
    return true;
  }

  #lose(port: number, why: string): void {
    const { method, path } = this.route;
    this.losses.push(`${new Date().toISOString()} ${this.name} ${port}: ${method} ${path}: ${why}`);
  }
}

async function statusOf(sent: ClientRequest): Promise<number | undefined> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const ended = once(response, 'end');
  response.resume();
  await ended;
  return response.statusCode;
}
