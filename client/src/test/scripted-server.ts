/**
 * An HTTP server on 127.0.0.1 that sends the replies of a script in order and records the requests.
 */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type Client, type ClientOptions, createClient } from '../client.ts';

export type Received = { method: string; url: string; headers: IncomingHttpHeaders; body: string };
/**
 * An object is sent as JSON. `hang` never responds, `stall` stops within the body, `drop` closes
 * the connection.
 */
export type Reply =
  | { status?: number; headers?: Record<string, string>; body?: object | string }
  | Unanswered;
type Unanswered = 'hang' | 'stall' | 'drop';
export type Script = readonly (Reply | ((request: Received) => Reply))[];

export const API_KEY = 'whence_TESTkey0123456789TESTkey0123456789';

export const ok = (data: object = {}, meta: object = {}): Reply => ({
  body: { data, meta: { processing_time_ms: 1, ...meta } },
});

export const refusal = (
  status: number,
  code: string,
  error: string,
  headers: Record<string, string> = {},
): Reply => ({
  status,
  headers,
  body: { data: { error, code }, meta: { processing_time_ms: 0 } },
});

/** A client of such a server that records its delays instead of sleeping. */
export async function scripted(
  t: TestContext,
  script: Script,
  options: Partial<ClientOptions> = {},
): Promise<{ client: Client; url: string; requests: Received[]; slept: number[] }> {
  const { url, requests } = await serve(t, script);
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
  };
  return {
    client: createClient({ baseUrl: url, apiKey: API_KEY, sleep, ...options }),
    url,
    requests,
    slept,
  };
}

export async function serve(
  t: TestContext,
  script: Script,
): Promise<{ url: string; requests: Received[] }> {
  const requests: Received[] = [];
  const server = createServer(async (incoming, outgoing) => {
    incoming.setEncoding('utf8');
    let body = '';
    for await (const piece of incoming) body += piece;
    const received = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      body,
    };
    const step = script[requests.length] ?? { status: 599, body: 'the script has no reply left' };
    requests.push(received);
    const reply = typeof step === 'function' ? step(received) : step;
    if (reply === 'hang') return;
    if (reply === 'drop') return void incoming.socket.destroy();
    if (reply === 'stall') {
      outgoing.writeHead(200, { 'content-length': '100' });
      return void outgoing.write('{"data":');
    }
    outgoing.writeHead(reply.status ?? 200, reply.headers);
    outgoing.end(typeof reply.body === 'object' ? JSON.stringify(reply.body) : reply.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
