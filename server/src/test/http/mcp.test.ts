/** The MCP server with the official client: over HTTP with a key, and over standard input of `wh mcp`. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before, describe } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type ScriptedDnsServer, startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Command } from '../command.ts';
import { bin, startInProcess, TestFolder } from '../test-server.ts';

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let dns: ScriptedDnsServer;
let secret = '';
before(async () => {
  folder.publish();
  dns = await startScriptedDnsServer({ 'example.com': { TXT: ['v=spf1 -all'] } });
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

type Era = 'legacy' | 'modern';
const INFO = { name: 'test', version: '1.0.0' };
const clientFor = (era: Era) =>
  new Client(INFO, era === 'modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {});

async function overHttp(headers: Record<string, string>, era: Era = 'legacy'): Promise<Client> {
  const client = clientFor(era);
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } }));
  return client;
}

async function overStdio(era: Era): Promise<Client> {
  const client = clientFor(era);
  const env = { ...folder.environment, WHENCE_DNS_SERVERS: dns.address, PATH: process.env['PATH'] ?? '' };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [bin, 'mcp'], env }));
  return client;
}

type CallResult = { readonly isError?: boolean; readonly content: unknown };
const textOf = ({ content }: { content: unknown }) => (content as { text: string }[])[0]?.text ?? '';

for (const [transport, connect] of [
  ['HTTP, 2025', () => overHttp({ 'X-API-Key': secret })],
  ['HTTP, 2026', () => overHttp({ Authorization: `Bearer ${secret}` }, 'modern')],
  ['standard input, 2025', () => overStdio('legacy')],
  ['standard input, 2026', () => overStdio('modern')],
] as const)
  describe(`mcp over ${transport}`, () => {
    let client: Client;
    before(async () => {
      client = await connect();
    });
    after(() => client.close());

    test('the tools only read, and have schemas', async () => {
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['address', 'batch', 'network', 'search', 'domain', 'dataset'],
      );
      for (const { annotations, outputSchema, description } of tools) {
        assert.equal(annotations?.readOnlyHint, true);
        assert.ok(outputSchema && description);
      }
    });

    for (const [name, given, want] of [
      ['address', { ip: '8.8.8.8' }, { asn: 15169, prefix: '8.8.8.0/24', flags: ['is_datacenter'] }],
      ['address', { ip: '1.0.9.9', include: ['privacy'] }, { privacy: { kind: 'tor' } }],
      ['network', { asn: 'AS15169', prefixes: 1 }, { asn_name: 'Google LLC', prefix_count: { ipv4: 1, ipv6: 1 } }],
      ['network', { asn: 15169 }, { asn: 15169, asn_name: 'Google LLC' }],
      ['search', { query: 15169 }, { total: 1 }],
      ['search', { query: 'google' }, { total: 1 }],
      [
        'domain',
        { domain: 'example.com' },
        { domain: 'example.com', dkim: [], spf: { record: 'v=spf1 -all', errors: [] } },
      ],
      ['dataset', {}, { version: 1, prefixes: { ipv4: 4, ipv6: 1 } }],
    ] as const)
      test(`${name} ${JSON.stringify(given)}`, async () => {
        const result = await client.callTool({ name, arguments: given });
        assert.notEqual(result.isError, true, textOf(result));
        const structured = result.structuredContent as Record<string, unknown>;
        assert.deepEqual(JSON.parse(textOf(result)), structured);
        for (const [field, value] of Object.entries(want)) assert.deepEqual(structured[field], value, field);
      });

    test('a batch has an entry for every text, with its error where there is no record', async () => {
      const { structuredContent } = await client.callTool({
        name: 'batch',
        arguments: {
          ips: [
            '8.8.8.8',
            '10.0.0.1',
            'x',
            '3.0.0.1',
            '9.0.0.1',
            '1.0.0.1',
            '1.0.0.2',
            '1.0.0.3',
            '1.0.0.4',
            '1.0.0.5',
            '1.0.0.6',
          ],
        },
      });
      const { results } = structuredContent as { results: { query: string; code?: string; asn?: number }[] };
      assert.equal(results.length, 11);
      assert.deepEqual(
        results.slice(0, 3).map(({ query, code, asn }) => [query, code ?? asn]),
        [
          ['8.8.8.8', 15169],
          ['10.0.0.1', 'NOT_FOUND'],
          ['x', 'INVALID_IP'],
        ],
      );
    });

    test('evidence is there on request only', async () => {
      const ask = async (explain: boolean) =>
        (await client.callTool({ name: 'address', arguments: { ip: '8.8.8.8', explain } })).structuredContent;
      assert.equal('evidence' in ((await ask(false)) as object), false);
      const { evidence } = (await ask(true)) as { evidence: { field: string; source: string }[] };
      assert.ok(evidence.some(({ field }) => field === 'country'));
    });

    for (const [behaviour, name, given, message] of [
      ['an invalid address', 'address', { ip: 'nonsense' }, /^invalid IP address \(INVALID_IP\)$/],
      [
        'a private address',
        'address',
        { ip: '10.0.0.1', explain: true },
        /^no data found for IP \(NOT_FOUND\): .*RFC 1918/,
      ],
      ['half of a surrogate pair', 'address', { ip: '\ud800' }, /INVALID_IP/],
      ['a path in the argument', 'address', { ip: '../asn/15169' }, /INVALID_IP/],
      ['a missing argument', 'address', {}, /^the argument ip is missing; the arguments are ip, explain, include$/],
      ['an argument of the wrong type', 'address', { ip: 8 }, /^the argument ip is invalid/],
      ['an unknown argument', 'search', { query: 'google', limits: 1 }, /^the arguments are query, limit$/],
      ['an unknown network', 'network', { asn: '1' }, /NOT_FOUND/],
    ] as const)
      test(`${behaviour} is an error of the tool with a readable message`, async () => {
        const result = await client.callTool({ name, arguments: given });
        assert.equal(result.isError, true);
        assert.match(textOf(result), message);
      });

    test('an unknown tool is an error of the protocol', async () => {
      await assert.rejects(client.callTool({ name: 'weather', arguments: {} }), /there is no tool weather/);
    });
  });

test('mcp: results conform to the schemas that the tools state', async () => {
  const client = await overHttp({ 'X-API-Key': secret });
  const { tools } = await client.listTools();
  const ajv = new Ajv2020({ strict: false });
  for (const [name, given] of [
    ['address', { ip: '8.8.8.8', explain: true, include: ['routing', 'hostname'] }],
    ['domain', { domain: 'example.com', include: ['transport', 'networks'], explain: true }],
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

test('mcp page: clients connect with the configurations shown', async () => {
  const [local, remote] = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(
    ([, json = '']) => JSON.parse(json).mcpServers.whence,
  );
  assert.deepEqual([local.command, Object.keys(local.env)], ['wh', ['WHENCE_DATA_DIR']]);
  const stdio = clientFor('legacy');
  const env = { WHENCE_DATA_DIR: folder.dataDir };
  await stdio.connect(new StdioClientTransport({ command: process.execPath, args: [bin, ...local.args], env }));
  assert.equal((await stdio.listTools()).tools.length, 6);
  await stdio.close();
  const headers = { 'X-API-Key': remote.headers['X-API-Key'].replace('whence_…', secret) };
  const http = clientFor('legacy');
  const url = new URL(new URL(remote.url).pathname, server.url);
  await http.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  assert.equal((await http.listTools()).tools.length, 6);
  await http.close();
});

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'address', arguments: { ip: '8.8.8.8' } } };
const post = (headers: Record<string, string>, body: string = JSON.stringify(CALL)) =>
  fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
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
  ['that is too large', {}, JSON.stringify({ ...CALL, more: 'x'.repeat(300_000) }), 413, 'PAYLOAD_TOO_LARGE'],
  ['of another type', { 'Content-Type': 'text/plain' }, 'x', 415, 'UNSUPPORTED_MEDIA_TYPE'],
] as const)
  test(`mcp: a request ${behaviour} is refused in the envelope with ${status}`, async () => {
    const isKeyed = status !== 401;
    const own = 'Origin' in headers && headers.Origin === 'SELF' ? { Origin: server.url } : headers;
    const response = await post({ ...(isKeyed && { 'X-API-Key': secret }), ...own }, body);
    assert.equal(response.status, status);
    const { data, meta } = (await response.json()) as { data: { code: string }; meta: object };
    assert.equal(data.code, code);
    assert.ok('processing_time_ms' in meta);
  });

for (const origin of ['https://app.example.com', 'https://whence.example.com'])
  test(`mcp: a page of ${origin}, which is configured, is answered`, async () => {
    assert.equal((await post({ 'X-API-Key': secret, Origin: origin })).status, 200);
  });

for (const method of ['GET', 'DELETE'])
  test(`mcp: ${method}, for streams and sessions, is refused with the method that there is`, async () => {
    const response = await fetch(`${server.url}/mcp`, { method, headers: { 'X-API-Key': secret } });
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST']);
  });

test('mcp: a call is charged as the request of the API, other messages are not', async () => {
  const key = await folder.createKey({ tier: 'free' });
  const remaining = async () => {
    const response = await fetch(`${server.url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': key.secret } });
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
  assert.match(textOf(refused), /^batch size exceeds limit \(BATCH_TOO_LARGE\): \{"limit":10,"received":11\}$/);
  await client.close();
});

test('mcp: a key needs the permission of the request', async () => {
  const key = await folder.createKey({ permissions: ['asn:read'] });
  const client = await overHttp({ 'X-API-Key': key.secret });
  const refused = await client.callTool({ name: 'address', arguments: { ip: '8.8.8.8' } });
  assert.deepEqual([refused.isError, textOf(refused)], [true, 'forbidden (FORBIDDEN): {"required":"ip:read"}']);
  assert.notEqual((await client.callTool({ name: 'search', arguments: { query: 'google' } })).isError, true);
  await client.close();
});

test('mcp: a key that is allowed from other networks only is refused', async () => {
  const key = await folder.createKey({ allowedNetworks: ['192.0.2.0/24'] });
  assert.equal((await post({ 'X-API-Key': key.secret })).status, 401);
});

test('mcp: a limit that is reached is an error of the tool that says when to try again', async () => {
  const key = await folder.createKey({ requestsPerSecond: 1 });
  const answers = await Promise.all(Array.from({ length: 5 }, () => post({ 'X-API-Key': key.secret })));
  const results = await Promise.all(
    answers.map(async (answer) => ((await answer.json()) as { result: CallResult }).result),
  );
  const refused = results.filter(({ isError }) => isError === true);
  assert.ok(refused.length > 0);
  for (const answer of refused)
    assert.match(textOf(answer), /^rate limit exceeded \(RATE_LIMIT_EXCEEDED\); try again in 1 s$/);
});

test('mcp: without a dataset, the command says how to build one', async () => {
  const empty = new TestFolder();
  const { code, stdout, stderr } = await new Command(['mcp'], empty.environment).ended;
  empty.remove();
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /there is no dataset in .*; build one with: npx wh dataset build/);
});

test('mcp: the command ends with its input, and writes messages of the protocol only', async () => {
  const program = new Command(['mcp'], folder.environment, { stdio: ['pipe', 'pipe', 'pipe'] });
  program.child.stdin?.write(
    `not a message\n${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: INFO } })}\n`,
  );
  await program.printed(/"serverInfo"/);
  program.child.stdin?.end();
  const { code, stdout } = await program.ended;
  assert.equal(code, 0);
  for (const line of stdout.trim().split('\n')) assert.equal(JSON.parse(line).jsonrpc, '2.0');
});
