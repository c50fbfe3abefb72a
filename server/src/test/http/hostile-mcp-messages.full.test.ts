/** Hostile messages to the MCP server: every member, of every shape. */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { PERMISSIONS } from '../../vocabulary.ts';
import { startInProcess, TestFolder } from '../test-server.ts';
import { call, INITIALIZE, META, message, NEW, stateless } from './mcp-messages.ts';

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
before(async () => {
  folder.publish();
  server = await startInProcess(folder);
});
after(async () => {
  await server.close();
  folder.remove();
});

async function send(body: string, secret: string) {
  const response = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': secret },
    body,
  });
  const text = await response.text();
  return { status: response.status, text, json: text === '' ? undefined : JSON.parse(text) };
}

/** JSON of about `bytes` bytes. */
const SHAPES = {
  'many members': (bytes: number) =>
    `{${Array.from({ length: bytes / 8 }, (_, i) => `"${i.toString(36)}":1`).join()}}`,
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
      // 60 messages in a minute are allowed for a key.
      const { secret } = await folder.createKey({ permissions: PERMISSIONS });
      const cases = Object.entries(SHAPES).flatMap(([shape, make]) =>
        // The method makes no difference to calls, which have theirs.
        METHODS.filter(
          (method) => JSON.stringify(template).includes('METHOD') || method === 'tools/call',
        ).map((method) => ({
          about: `${place}: ${shape} in ${method}`,
          body: JSON.stringify(template).replace('METHOD', method).replace('"VALUE"', make(bytes)),
        })),
      );
      for (const { about, body } of cases) {
        const { status, text, json } = await send(body, secret);
        assert.ok(status < 500, `${about}: ${status} ${text}`);
        const isListed = json?.result?.tools !== undefined;
        assert.ok(text.length <= (isListed ? 64_000 : 1_000), `${about}: ${text.length} bytes`);
        if (json?.error !== undefined || json?.data?.error !== undefined)
          assert.ok(text.length <= 500, `${about}: ${text}`);
      }
    }
  });
