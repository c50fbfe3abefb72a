/** Replicas of `wh serve` on one PostgreSQL, each behind a network of its own. */

import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { until } from '@whence/testing/until';
import { ask } from '../http/requests.ts';
import { ServerProcess, TestFolder } from '../test-server.ts';
import { NetworkProxy } from './network-proxy.ts';

export class Replica {
  readonly folder: TestFolder;
  readonly #network: NetworkProxy | undefined;
  readonly server: ServerProcess;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 20 });

  private constructor(folder: TestFolder, server: ServerProcess, network?: NetworkProxy) {
    this.folder = folder;
    this.server = server;
    this.#network = network;
  }

  /** A server that was started without a network of its own. */
  static of(folder: TestFolder, server: ServerProcess): Replica {
    return new Replica(folder, server);
  }

  static async start(
    databaseUrl: string,
    environment: Record<string, string> = {},
    delayMs = 0,
  ): Promise<Replica> {
    const network = await NetworkProxy.start(databaseUrl, delayMs);
    const folder = new TestFolder(network.url(databaseUrl));
    folder.publish();
    const server = await ServerProcess.start(folder, { WHENCE_FIRST_KEY: 'off', ...environment });
    return new Replica(folder, server, network);
  }

  get network(): NetworkProxy {
    if (this.#network === undefined) throw new Error('the server has no network of its own');
    return this.#network;
  }

  get lookup(): string {
    return `${this.server.url}/v1/ip/8.8.8.8`;
  }

  async status(secret: string): Promise<number> {
    return (await ask(this.lookup, secret, this.#agent)).status;
  }

  /** Status and code of a refusal. */
  async refusal(secret: string): Promise<[number, string]> {
    const { status, text } = await ask(this.lookup, secret, this.#agent);
    return [status, JSON.parse(text).data.code];
  }

  /** Sends `count` requests, 20 at a time, and counts the answers by status. */
  async statuses(secret: string, count: number): Promise<Record<number, number>> {
    const counts: Record<number, number> = {};
    let left = count;
    const client = async () => {
      while (left-- > 0) {
        const status = await this.status(secret);
        counts[status] = (counts[status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: 20 }, client));
    return counts;
  }

  async ready(): Promise<[number, string]> {
    const { status, text } = await ask(`${this.server.url}/readyz`, '', this.#agent);
    return [status, JSON.parse(text).data.checks.storage];
  }

  async until(state: string): Promise<void> {
    await until(`storage is ${state}`, async () => (await this.ready())[1] === state);
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    await this.#network?.set('works');
    assert.ok((await this.server.stop('SIGKILL')) === null);
    await this.#network?.stop();
    this.folder.remove();
  }
}
