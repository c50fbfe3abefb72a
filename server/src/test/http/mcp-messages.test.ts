/**
 * Messages of the MCP server as they are on the wire: versions of the protocol, and limits.
 */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { startInProcess, TestFolder } from '../test-server.ts';
import { call, INITIALIZE, LOOKUP, META, message, NEW, stateless } from './mcp-messages.ts';

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let secret = '';
before(async () => {
  folder.publish();
  server = await startInProcess(folder);
  secret = await newSecret();
});
after(async () => {
  await server.close();
  folder.remove();
});

/** 60 messages in a minute are allowed for a key. */
const newSecret = async () => (await folder.createKey()).secret;

type Given = { readonly headers?: Record<string, string>; readonly body: unknown };

async function send({ headers = {}, body }: Given, key = secret) {
  const response = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': key, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text === '' ? undefined : JSON.parse(text),
  };
}

const newHeaders = (method: string, name?: string) => ({
  'MCP-Protocol-Version': NEW,
  'Mcp-Method': method,
  ...(name === undefined ? {} : { 'Mcp-Name': name }),
});

for (const [requested, agreed] of [
  ['2025-11-25', '2025-11-25'],
  ['2025-06-18', '2025-06-18'],
  ['2025-03-26', '2025-03-26'],
  ['2024-11-05', '2024-11-05'],
  ['2024-10-07', '2024-10-07'],
  [NEW, '2025-11-25'],
  ['1999-01-01', '2025-11-25'],
] as const)
  test(`mcp messages: initialize with ${requested} agrees on ${agreed}`, async () => {
    const { status, headers, json } = await send({
      headers: { Accept: 'application/json' },
      body: message('initialize', { ...INITIALIZE, protocolVersion: requested }),
    });
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(json.result.protocolVersion, agreed);
    assert.deepEqual(json.result.capabilities, { tools: {} });
    assert.equal(json.result.serverInfo.name, 'whence');
  });

for (const [behaviour, given, status, want] of [
  [
    'a notification is accepted',
    { body: { jsonrpc: '2.0', method: 'notifications/initialized' } },
    202,
    undefined,
  ],
  ['a response is accepted', { body: { jsonrpc: '2.0', id: 1, result: {} } }, 202, undefined],
  ['ping is answered with nothing', { body: message('ping') }, 200, { result: {} }],
  ['an id may be a text', { body: message('ping', {}, { id: 'a-1' }) }, 200, { id: 'a-1' }],
  [
    'params may be absent',
    { body: { jsonrpc: '2.0', id: 1, method: 'ping' } },
    200,
    { result: {} },
  ],
  ['an unknown method is an error', { body: message('resources/list') }, 200, { code: -32601 }],
  [
    'a version that the server knows in the header',
    { headers: { 'MCP-Protocol-Version': '2025-06-18' }, body: message('ping') },
    200,
    { result: {} },
  ],
  [
    'a version that it does not know in the header',
    { headers: { 'MCP-Protocol-Version': '2025-01-01' }, body: message('ping') },
    400,
    { code: -32000 },
  ],
  ['initialize without its parameters', { body: message('initialize', {}) }, 200, { code: -32602 }],
  [
    'a call without a name',
    { body: message('tools/call', { arguments: {} }) },
    200,
    { code: -32602 },
  ],
  [
    'a message that is no JSON-RPC',
    { body: { id: 1, method: 'ping' } },
    400,
    { code: -32600, id: null },
  ],
  [
    'a message without a method',
    { body: { jsonrpc: '2.0', id: 1 } },
    400,
    { code: -32600, id: null },
  ],
  [
    'an id that is null',
    { body: message('ping', {}, { id: null }) },
    400,
    { code: -32600, id: null },
  ],
  [
    'an id that is too long',
    { body: message('ping', {}, { id: 'x'.repeat(101) }) },
    400,
    { code: -32600, id: null },
  ],
  [
    'parameters in a list',
    { body: { jsonrpc: '2.0', id: 1, method: 'ping', params: [] } },
    400,
    { code: -32602 },
  ],
  [
    'discovery in the new version',
    { headers: newHeaders('server/discover'), body: message('server/discover', stateless()) },
    200,
    { resultType: 'complete' },
  ],
  [
    'discovery is not part of older versions',
    { body: message('server/discover') },
    200,
    { code: -32601 },
  ],
  [
    'ping is not part of the new version',
    { headers: newHeaders('ping'), body: message('ping', stateless()) },
    404,
    { code: -32601 },
  ],
  [
    'a call in the new version',
    {
      headers: newHeaders('tools/call', 'dataset'),
      body: message('tools/call', { name: 'dataset', ...stateless() }),
    },
    200,
    { resultType: 'complete' },
  ],
  [
    'its name in Base64',
    {
      headers: newHeaders('tools/call', '=?base64?ZGF0YXNldA==?='),
      body: message('tools/call', { name: 'dataset', ...stateless() }),
    },
    200,
    { resultType: 'complete' },
  ],
  [
    'another name in the header',
    {
      headers: newHeaders('tools/call', 'address'),
      body: message('tools/call', { name: 'dataset', ...stateless() }),
    },
    400,
    { code: -32020 },
  ],
  [
    'another method in the header',
    { headers: newHeaders('tools/call'), body: message('tools/list', stateless()) },
    400,
    { code: -32020 },
  ],
  [
    'no header in the new version',
    { body: message('tools/list', stateless()) },
    400,
    { code: -32020 },
  ],
  [
    'the new version only in the header',
    { headers: newHeaders('tools/list'), body: message('tools/list') },
    400,
    { code: -32602 },
  ],
  [
    'initialize in the new version',
    { headers: newHeaders('initialize'), body: message('initialize', INITIALIZE) },
    400,
    { code: -32020 },
  ],
  [
    'a later version',
    {
      headers: { ...newHeaders('tools/list'), 'MCP-Protocol-Version': '2027-01-01' },
      body: message('tools/list', stateless('2027-01-01')),
    },
    400,
    { code: -32022 },
  ],
  [
    'the new version without capabilities',
    { headers: newHeaders('tools/list'), body: message('tools/list', stateless(NEW, {})) },
    400,
    { code: -32602 },
  ],
] as const)
  test(`mcp messages: ${behaviour}`, async () => {
    const answer = await send(given);
    assert.equal(answer.status, status, answer.text);
    if (want === undefined) return assert.equal(answer.text, '');
    const { id, error, result } = answer.json;
    if ('code' in want) assert.equal(error?.code, want.code, answer.text);
    if ('result' in want) assert.deepEqual(result, want.result);
    if ('resultType' in want) {
      assert.equal(result.resultType, want.resultType);
      assert.equal(result._meta[`${META}serverInfo`].name, 'whence');
    }
    assert.equal(id, 'id' in want ? want.id : 1);
  });

test('mcp messages: 60 in a minute that are no calls, and then calls only', async () => {
  const secret = await newSecret();
  const ask = (body: unknown) => send({ body }, secret);
  const free = [
    message('ping'),
    message('tools/list'),
    message('initialize', INITIALIZE),
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    message('other'),
    call('weather', {}),
    call('address', { ip: true }),
    'no JSON',
    [LOOKUP],
    message('ping', { more: 'x'.repeat(9_000) }),
  ];
  for (let round = 0; round < 6; round++)
    for (const body of free) assert.notEqual((await ask(body)).status, 429);
  for (const body of free) {
    const { status, headers, json } = await ask(body);
    assert.deepEqual([status, json.data.code], [429, 'RATE_LIMIT_EXCEEDED']);
    const seconds = Number(headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 60, `${seconds}`);
  }
  assert.equal((await ask(LOOKUP)).json.result.structuredContent.asn, 15169);
  assert.equal(
    (await send({ body: message('ping') }, await newSecret())).status,
    200,
    'another key',
  );
});

test('mcp messages: others than calls count for the requests per second of their key, not for its day', async () => {
  const { secret } = await folder.createKey({ requestsPerSecond: 1, tier: 'free' });
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => send({ body: message('ping') }, secret)),
  );
  const refused = answers.filter(({ status }) => status === 429);
  assert.ok(refused.length > 0);
  for (const { headers, json } of refused)
    assert.deepEqual([json.data.code, headers.get('retry-after')], ['RATE_LIMIT_EXCEEDED', '1']);
});

test('mcp messages: a key over its daily limit may list the tools, and its calls are refused', async () => {
  const { secret } = await folder.createKey({ dailyLimit: 1 });
  const headers = { 'X-API-Key': secret };
  const ask = () => fetch(`${server.url}/v1/ip/8.8.8.8`, { headers });
  assert.equal((await ask()).status, 200);
  assert.equal((await ask()).status, 429);
  assert.equal((await send({ body: message('tools/list') }, secret)).status, 200);
  const { result } = (await send({ body: LOOKUP }, secret)).json;
  assert.equal(result.isError, true);
  assert.match(
    result.content[0].text,
    /^rate limit exceeded \(RATE_LIMIT_EXCEEDED\); try again in \d+ s$/,
  );
});

for (const [behaviour, change] of [
  ['paused', { pausedAt: new Date(0) }],
  ['expired', { expiresAt: new Date(1) }],
  ['for another network', { allowedNetworks: ['192.0.2.0/24'] }],
] as const)
  test(`mcp messages: a key that is ${behaviour} is refused before the message is read`, async () => {
    const {
      key: { id },
      secret,
    } = await folder.createKey();
    await folder.withKeys((keys) => keys.change(id, change, { name: 'test' }, new Date()));
    for (const body of [message('tools/list'), LOOKUP, 'no JSON'])
      assert.equal((await send({ body }, secret)).status, 401);
  });
