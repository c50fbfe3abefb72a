/**
 * A static host for tests: a folder on a loopback socket, with ETag and ranges; a test can
 * intercept requests.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

type Seen = { path: string; headers: IncomingMessage['headers']; status: number };

export class FolderHost {
  readonly folder: string;
  readonly seen: Seen[] = [];
  /** Returns true when it answers the request itself. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  readonly #server = createServer((request, response) => this.#answer(request, response));

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async start(folder: string): Promise<FolderHost> {
    const host = new FolderHost(folder);
    host.#server.listen(0, '127.0.0.1');
    await once(host.#server, 'listening');
    return host;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The requests since the last call, as `path status`. */
  requests(): string[] {
    return this.seen.splice(0).map(({ path, status }) => `${path} ${status}`);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '';
    response.on('close', () =>
      this.seen.push({ path, headers: request.headers, status: response.statusCode }),
    );
    if (this.intercept(request, response)) return;
    const file = join(this.folder, path);
    if (!existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    const bytes = readFileSync(file);
    const etag = `"${createHash('sha256').update(bytes).digest('hex')}"`;
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else if (from >= bytes.length) response.writeHead(416).end();
    else if (from > 0)
      response
        .writeHead(206, { 'Content-Range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` })
        .end(bytes.subarray(from));
    else response.writeHead(200, { ETag: etag, 'Content-Length': bytes.length }).end(bytes);
  }
}
