/**
 * The MCP server with the official client, over HTTP with a key.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { startInProcess, TestFolder } from '../test-server.ts';
import {
  type CallResult,
  clientFor,
  type Era,
  MCP_ZONE,
  testTransport,
  textOf,
} from './mcp-transport.ts';

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let dns: ScriptedDnsServer;
let secret = '';
before(async () => {
  folder.publish();
  dns = await startScriptedDnsServer(MCP_ZONE);
  server = await startInProcess(folder, undefined, {
    WHENCE_DNS_SERVERS: dns.address,
    WHENCE_CORS_ORIGINS: 'https://app.example.com',
    WHENCE_PUBLIC_URL: 'https://whence.example.com',
  });
  ({ secret } = await folder.createKey());
});
after(async () => {
  await server.close();
  await dns.close();
  folder.remove();
});

async function overHttp(headers: Record<string, string>, era: Era = 'legacy'): Promise<Client> {
  const client = clientFor(era);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

testTransport('HTTP, 2025', () => overHttp({ 'X-API-Key': secret }));
testTransport('HTTP, 2026', () => overHttp({ Authorization: `Bearer ${secret}` }, 'modern'));

test('mcp: results conform to the schemas that the tools state', async () => {
  const client = await overHttp({ 'X-API-Key': secret });
  const { tools } = await client.listTools();
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
  for (const [name, given] of [
    ['address', { ip: '8.8.8.8', explain: true, include: ['routing', 'hostname'] }],
    ['domain', { domain: 'example.com', include: ['transport', 'networks'], explain: true }],
    ['batch', { ips: ['8.8.8.8', 'x'] }],
    ['search', { query: 'google' }],
    ['dataset', {}],
    ['dataset', { explain: true }],
    ['network', { asn: '15169', prefixes: 5 }],
  ] as const) {
    const { structuredContent } = await client.callTool({ name, arguments: given });
    const { outputSchema = {} } = tools.find((tool) => tool.name === name) ?? {};
    const validate = ajv.compile(outputSchema as object);
    assert.ok(validate(structuredContent), `${name}: ${ajv.errorsText(validate.errors)}`);
  }
  await client.close();
});

const page = readFileSync(join(import.meta.dirname, '../../../../docs/mcp.md'), 'utf8');

test('mcp page: the table has the tools and their arguments', async () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (`[^|]*`) \|/gm)].map(([, name, given = '']) => [
    name,
    given.replaceAll('`', '').split(', '),
  ]);
  const client = await overHttp({ 'X-API-Key': secret });
  const { tools } = await client.listTools();
  assert.deepEqual(
    rows,
    tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties ?? {})]),
  );
  await client.close();
});

test('mcp page: a client connects with the configuration of a server that is shown', async () => {
  const [, json = ''] = [...page.matchAll(/^```json\n(.*?)^```$/gms)][1] ?? [];
  const remote = JSON.parse(json).mcpServers.whence;
  const headers = { 'X-API-Key': remote.headers['X-API-Key'].replace('whence_…', secret) };
  const client = clientFor('legacy');
  const url = new URL(new URL(remote.url).pathname, server.url);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  assert.equal((await client.listTools()).tools.length, 6);
  await client.close();
});

const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'address', arguments: { ip: '8.8.8.8' } },
};
const post = (headers: Record<string, string>, body: string = JSON.stringify(CALL)) =>
  fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  });

for (const [behaviour, headers, body, status, code] of [
  ['without a key', {}, '{', 401, 'UNAUTHORIZED'],
  ['with an unknown key', { 'X-API-Key': `whence_${'a'.repeat(43)}` }, '{', 401, 'UNAUTHORIZED'],
  ['with another bearer token', { Authorization: 'Bearer x' }, '{', 401, 'UNAUTHORIZED'],
  ['from another page', { Origin: 'https://evil.example' }, undefined, 403, 'FORBIDDEN'],
  ['from a page that has the name of this host', { Origin: 'SELF' }, undefined, 403, 'FORBIDDEN'],
  ['that is no JSON', {}, '{', 400, 'INVALID_REQUEST'],
  ['that is a list of messages', {}, JSON.stringify([CALL]), 400, 'INVALID_REQUEST'],
  [
    'that is too large',
    {},
    JSON.stringify({ ...CALL, more: 'x'.repeat(300_000) }),
    413,
    'PAYLOAD_TOO_LARGE',
  ],
  ['of another type', { 'Content-Type': 'text/plain' }, 'x', 415, 'UNSUPPORTED_MEDIA_TYPE'],
] as const)
  test(`mcp: a request ${behaviour} is refused in the envelope with ${status}`, async () => {
    const isKeyed = status !== 401;
    const own = 'Origin' in headers && headers.Origin === 'SELF' ? { Origin: server.url } : headers;
    const response = await post({ ...(isKeyed && { 'X-API-Key': secret }), ...own }, body);
    assert.equal(response.status, status);
    const { data, meta } = (await response.json()) as {
      data: { code: string; details?: { expected: string } };
      meta: object;
    };
    assert.equal(data.code, code);
    if (status === 400) assert.equal(data.details?.expected, 'one JSON-RPC 2.0 object');
    assert.ok('processing_time_ms' in meta);
  });

for (const origin of ['https://app.example.com', 'https://whence.example.com'])
  test(`mcp: a page of ${origin}, which is configured, is answered`, async () => {
    assert.equal((await post({ 'X-API-Key': secret, Origin: origin })).status, 200);
  });

for (const method of ['GET', 'DELETE', 'PUT'])
  test(`mcp: ${method}, for streams and sessions, is refused with the method that there is`, async () => {
    const response = await fetch(`${server.url}/mcp`, { method, headers: { 'X-API-Key': secret } });
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST']);
  });

test('mcp: a call is charged as the request of the API, other messages are not', async () => {
  const key = await folder.createKey({ tier: 'free' });
  const remaining = async () => {
    const response = await fetch(`${server.url}/v1/ip/8.8.8.8`, {
      headers: { 'X-API-Key': key.secret },
    });
    return Number(response.headers.get('x-ratelimit-remaining'));
  };
  const start = await remaining();
  const client = await overHttp({ 'X-API-Key': key.secret });
  await client.listTools();
  assert.equal(await remaining(), start - 1);
  await client.callTool({ name: 'address', arguments: { ip: '8.8.8.8' } });
  await client.callTool({ name: 'batch', arguments: { ips: ['8.8.8.8', '1.0.0.1'] } });
  assert.equal(await remaining(), start - 4);
  const tooMany = Array.from({ length: 11 }, (_, i) => `1.0.0.${i}`);
  const refused = await client.callTool({ name: 'batch', arguments: { ips: tooMany } });
  assert.match(
    textOf(refused),
    /^batch size exceeds limit \(BATCH_TOO_LARGE\): \{"limit":10,"received":11\}$/,
  );
  await client.close();
});

test('mcp: a key needs the permission of the request', async () => {
  const key = await folder.createKey({ permissions: ['asn:read'] });
  const client = await overHttp({ 'X-API-Key': key.secret });
  const refused = await client.callTool({ name: 'address', arguments: { ip: '8.8.8.8' } });
  assert.deepEqual(
    [refused.isError, textOf(refused)],
    [true, 'forbidden (FORBIDDEN): {"required":"ip:read"}'],
  );
  assert.notEqual(
    (await client.callTool({ name: 'search', arguments: { query: 'google' } })).isError,
    true,
  );
  await client.close();
});

test('mcp: a key that is allowed from other networks only is refused', async () => {
  const key = await folder.createKey({ allowedNetworks: ['192.0.2.0/24'] });
  assert.equal((await post({ 'X-API-Key': key.secret })).status, 401);
});

test('mcp: a limit that is reached is an error of the tool that says when to try again', async () => {
  const key = await folder.createKey({ requestsPerSecond: 1 });
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => post({ 'X-API-Key': key.secret })),
  );
  const results = await Promise.all(
    answers.map(async (answer) => ((await answer.json()) as { result: CallResult }).result),
  );
  const refused = results.filter(({ isError }) => isError === true);
  assert.ok(refused.length > 0);
  for (const answer of refused)
    assert.match(textOf(answer), /^rate limit exceeded \(RATE_LIMIT_EXCEEDED\); try again in 1 s$/);
});
