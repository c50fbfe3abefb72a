/** Messages of the MCP server as they are on the wire: versions of the protocol, limits, and hostile messages. */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { until } from '@whence/testing/until';
import { PERMISSIONS } from '../../vocabulary.ts';
import { Command } from '../command.ts';
import { startInProcess, TestFolder } from '../test-server.ts';

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
/** 60 messages in a minute are allowed for a key, so tests take several. Creating them at once is faster. */
let secrets: string[] = [];
before(async () => {
  folder.publish();
  server = await startInProcess(folder);
  const newKey = { name: 'test', tier: 'enterprise', permissions: PERMISSIONS } as const;
  secrets = await folder.withKeys(async (keys) => {
    const created = Array.from({ length: 60 }, () => keys.create(newKey, { name: 'test' }, new Date()));
    return (await Promise.all(created)).map(({ secret }) => secret);
  });
});
const nextSecret = () => secrets.pop() ?? '';
after(async () => {
  await server.close();
  folder.remove();
});

type Given = { readonly headers?: Record<string, string>; readonly body: unknown };

async function send({ headers = {}, body }: Given, secret = secrets[0] ?? '') {
  const response = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': secret, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: text === '' ? undefined : JSON.parse(text) };
}

const message = (method: string, params: object = {}, more: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
  ...more,
});
const call = (name: unknown, given: unknown) => message('tools/call', { name, arguments: given });
const LOOKUP = call('address', { ip: '8.8.8.8' });
const INITIALIZE = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };

const NEW = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const stateless = (version: unknown = NEW, more: object = { [`${META}clientCapabilities`]: {} }) => ({
  _meta: { [`${META}protocolVersion`]: version, ...more },
});
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
  ['a notification is accepted', { body: { jsonrpc: '2.0', method: 'notifications/initialized' } }, 202, undefined],
  ['a response is accepted', { body: { jsonrpc: '2.0', id: 1, result: {} } }, 202, undefined],
  ['ping is answered with nothing', { body: message('ping') }, 200, { result: {} }],
  ['an id may be a text', { body: message('ping', {}, { id: 'a-1' }) }, 200, { id: 'a-1' }],
  ['params may be absent', { body: { jsonrpc: '2.0', id: 1, method: 'ping' } }, 200, { result: {} }],
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
  ['a call without a name', { body: message('tools/call', { arguments: {} }) }, 200, { code: -32602 }],
  ['a message that is no JSON-RPC', { body: { id: 1, method: 'ping' } }, 400, { code: -32600, id: null }],
  ['a message without a method', { body: { jsonrpc: '2.0', id: 1 } }, 400, { code: -32600, id: null }],
  ['an id that is null', { body: message('ping', {}, { id: null }) }, 400, { code: -32600, id: null }],
  ['an id that is too long', { body: message('ping', {}, { id: 'x'.repeat(101) }) }, 400, { code: -32600, id: null }],
  ['parameters in a list', { body: { jsonrpc: '2.0', id: 1, method: 'ping', params: [] } }, 400, { code: -32602 }],
  [
    'discovery in the new version',
    { headers: newHeaders('server/discover'), body: message('server/discover', stateless()) },
    200,
    { resultType: 'complete' },
  ],
  ['discovery is not part of older versions', { body: message('server/discover') }, 200, { code: -32601 }],
  [
    'ping is not part of the new version',
    { headers: newHeaders('ping'), body: message('ping', stateless()) },
    404,
    { code: -32601 },
  ],
  [
    'a call in the new version',
    { headers: newHeaders('tools/call', 'dataset'), body: message('tools/call', { name: 'dataset', ...stateless() }) },
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
    { headers: newHeaders('tools/call', 'address'), body: message('tools/call', { name: 'dataset', ...stateless() }) },
    400,
    { code: -32020 },
  ],
  [
    'another method in the header',
    { headers: newHeaders('tools/call'), body: message('tools/list', stateless()) },
    400,
    { code: -32020 },
  ],
  ['no header in the new version', { body: message('tools/list', stateless()) }, 400, { code: -32020 }],
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

/** JSON of about `bytes` bytes. */
const SHAPES = {
  'many members': (bytes: number) => `{${Array.from({ length: bytes / 8 }, (_, i) => `"${i.toString(36)}":1`).join()}}`,
  'deep objects': (bytes: number) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`,
  'deep lists': (bytes: number) => `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`,
  'a long list': (bytes: number) => `[${'1,'.repeat(bytes / 2)}1]`,
  'many objects': (bytes: number) => `[${'{},'.repeat(bytes / 3)}{}]`,
  'a long text': (bytes: number) => `"${'x'.repeat(bytes)}"`,
  'control characters': (bytes: number) => `"${'\\u0001'.repeat(bytes / 6)}"`,
};
/** `VALUE` is replaced by the JSON of a shape, `METHOD` by the method. */
const PLACES: Readonly<Record<string, unknown>> = {
  'the message': 'VALUE',
  'another member': message('METHOD', INITIALIZE, { more: 'VALUE' }),
  jsonrpc: message('METHOD', INITIALIZE, { jsonrpc: 'VALUE' }),
  id: message('METHOD', INITIALIZE, { id: 'VALUE' }),
  method: { ...message('VALUE', INITIALIZE), more: 'METHOD' },
  params: { ...message('METHOD'), params: 'VALUE' },
  'params._meta': message('METHOD', { ...INITIALIZE, _meta: 'VALUE' }),
  'the version': message('METHOD', stateless('VALUE')),
  'the capabilities': message('METHOD', stateless(NEW, { [`${META}clientCapabilities`]: 'VALUE' })),
  protocolVersion: message('METHOD', { ...INITIALIZE, protocolVersion: 'VALUE' }),
  'clientInfo.icons': message('METHOD', { ...INITIALIZE, clientInfo: { icons: 'VALUE' } }),
  'the name of the tool': { ...call('VALUE', {}), more: 'METHOD' },
  'the arguments': call('address', 'VALUE'),
  'an address': call('address', { ip: 'VALUE' }),
  'a list to include': call('address', { ip: '8.8.8.8', include: 'VALUE' }),
  'the addresses': call('batch', { ips: 'VALUE' }),
  'a network': call('network', { asn: 'VALUE' }),
  'a query': call('search', { query: 'VALUE' }),
  selectors: call('domain', { domain: 'example.com', selectors: 'VALUE' }),
};
const METHODS = [
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
  'server/discover',
  'notifications/cancelled',
  'other',
];

for (const bytes of [5_000, 250_000])
  test(`mcp messages: hostile ones of ${bytes} bytes are answered with one short error, or as without them`, async () => {
    for (const [place, template] of Object.entries(PLACES)) {
      const secret = nextSecret();
      const cases = Object.entries(SHAPES).flatMap(([shape, make]) =>
        // The method makes no difference to calls, which have theirs.
        METHODS.filter((method) => JSON.stringify(template).includes('METHOD') || method === 'tools/call').map(
          (method) => ({
            about: `${place}: ${shape} in ${method}`,
            body: JSON.stringify(template).replace('METHOD', method).replace('"VALUE"', make(bytes)),
          }),
        ),
      );
      for (const { about, body } of cases) {
        const { status, text, json } = await send({ body }, secret);
        assert.ok(status < 500, `${about}: ${status} ${text}`);
        const isListed = json?.result?.tools !== undefined;
        assert.ok(text.length <= (isListed ? 64_000 : 1_000), `${about}: ${text.length} bytes`);
        if (json?.error !== undefined || json?.data?.error !== undefined)
          assert.ok(text.length <= 500, `${about}: ${text}`);
      }
    }
  });

test('mcp messages: 60 in a minute that are no calls, and then calls only', async () => {
  const secret = nextSecret();
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
  for (let round = 0; round < 6; round++) for (const body of free) assert.notEqual((await ask(body)).status, 429);
  for (const body of free) {
    const { status, headers, json } = await ask(body);
    assert.deepEqual([status, json.data.code], [429, 'RATE_LIMIT_EXCEEDED']);
    const seconds = Number(headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 60, `${seconds}`);
  }
  assert.equal((await ask(LOOKUP)).json.result.structuredContent.asn, 15169);
  assert.equal((await send({ body: message('ping') }, nextSecret())).status, 200, 'another key');
});

test('mcp messages: others than calls count for the requests per second of their key, not for its day', async () => {
  const { secret } = await folder.createKey({ requestsPerSecond: 1, tier: 'free' });
  const answers = await Promise.all(Array.from({ length: 5 }, () => send({ body: message('ping') }, secret)));
  const refused = answers.filter(({ status }) => status === 429);
  assert.ok(refused.length > 0);
  for (const { headers, json } of refused)
    assert.deepEqual([json.data.code, headers.get('retry-after')], ['RATE_LIMIT_EXCEEDED', '1']);
});

test('mcp messages: a key over its daily limit may list the tools, and its calls are refused', async () => {
  const { secret } = await folder.createKey({ tier: 'free' });
  const headers = { 'X-API-Key': secret };
  const ask = () => fetch(`${server.url}/v1/ip/8.8.8.8`, { headers });
  for (let left = 1_000; left > 0; left--) await (await ask()).text();
  assert.equal((await ask()).status, 429);
  assert.equal((await send({ body: message('tools/list') }, secret)).status, 200);
  const { result } = (await send({ body: LOOKUP }, secret)).json;
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /^rate limit exceeded \(RATE_LIMIT_EXCEEDED\); try again in \d+ s$/);
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

/** The answers of `wh mcp` to these lines, by id. */
async function answersTo(lines: readonly (string | object)[], isDone: (output: string) => boolean) {
  const program = new Command(['mcp'], folder.environment, { stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  program.child.stdout?.on('data', (text) => {
    output += text;
  });
  for (const line of lines) program.child.stdin?.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  await until('the answers', () => isDone(output));
  program.child.stdin?.end();
  const { code, stderr } = await program.ended;
  assert.deepEqual([code, stderr], [0, '']);
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('mcp messages: standard input has the same answers, one line each, and nothing else is written', async () => {
  const hostile = message('initialize', { ...INITIALIZE, clientInfo: { icons: new Array(100_000).fill(1) } });
  const answers = await answersTo(
    [
      'no JSON',
      '',
      [LOOKUP],
      hostile,
      `{"jsonrpc":"2.0","id":"long","method":"${'x'.repeat(1_000_000)}"}`,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      message('tools/call', { name: 'address', arguments: { ip: '8.8.8.8' } }, { id: 'call' }),
      message('tools/list', stateless(), { id: 'list' }),
    ],
    (output) => output.includes('"call"') && output.includes('"list"'),
  );
  assert.deepEqual(
    answers.slice(0, 4).map(({ id, error }) => [id, error.code]),
    [
      [null, -32700],
      [null, -32600],
      [null, -32600],
      [null, -32600],
    ],
  );
  assert.equal(answers.find(({ id }) => id === 'call').result.structuredContent.asn, 15169);
  assert.equal(answers.find(({ id }) => id === 'list').result.tools.length, 6);
  assert.equal(answers.length, 6);
});

test('mcp messages: calls that wait when standard input ends are answered', async () => {
  const program = new Command(['mcp'], folder.environment, { stdio: ['pipe', 'pipe', 'pipe'] });
  program.child.stdin?.end(JSON.stringify(LOOKUP));
  const { code, stdout } = await program.ended;
  assert.equal(code, 0);
  assert.equal(JSON.parse(stdout).result.structuredContent.asn, 15169);
});
