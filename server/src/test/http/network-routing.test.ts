/** RPKI states of networks and of parts of prefixes, over HTTP. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { createClient } from '@whence/client';
import { until } from '@whence/testing/until';
import { startInProcess, TestFolder } from '../test-server.ts';

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let plain: Awaited<ReturnType<typeof startInProcess>>;
let secret = '';
before(async () => {
  folder.publish();
  const path = join(folder.dataDir, 'vrps.json');
  const roas = [
    { asn: 15169, prefix: '8.8.8.0/24', maxLength: 24 },
    { asn: 64999, prefix: '2001:4860::/32', maxLength: 32 },
  ];
  writeFileSync(path, JSON.stringify({ roas }));
  server = await startInProcess(folder, undefined, { WHENCE_RPKI: path });
  plain = await startInProcess(folder);
  ({ secret } = await folder.createKey());
  await until(
    'the file is read',
    async () => (await ask('/v1/asn/15169?include=routing')).data.routing !== undefined,
  );
});
after(async () => {
  await server.close();
  await plain.close();
  folder.remove();
});

async function ask(path: string, { url } = server) {
  const response = await fetch(url + path, { headers: { 'X-API-Key': secret } });
  return { status: response.status, ...JSON.parse(await response.text()) };
}

for (const [behaviour, asn, rpki] of [
  ['one valid and one invalid prefix', 15169, { valid: 1, invalid: 1, not_found: 0, derived: 0 }],
  ['no ROA', 16509, { valid: 0, invalid: 0, not_found: 1, derived: 0 }],
] as const) {
  test(`network routing: ${behaviour}`, async () => {
    const { data: record } = await ask(`/v1/asn/${asn}`);
    const { status, data, meta } = await ask(`/v1/asn/${asn}?include=routing`);
    assert.deepEqual([status, data], [200, { ...record, routing: { rpki } }]);
    assert.deepEqual(Object.keys(meta), ['processing_time_ms']);
  });
}

test('network routing: with prefixes', async () => {
  const { data } = await ask('/v1/asn/15169?include=routing&include_prefixes=true');
  assert.deepEqual(Object.keys(data).slice(-2), ['routing', 'prefixes']);
  assert.equal(data.prefixes.ipv4.length, 1);
});

test('network routing: without ROA data it is absent', async () => {
  assert.deepEqual(
    (await ask('/v1/asn/15169?include=routing', plain)).data,
    (await ask('/v1/asn/15169', plain)).data,
  );
});

for (const include of ['privacy', 'Routing', 'routing,x']) {
  test(`network routing: include=${include} is refused`, async () => {
    const { status, data } = await ask(`/v1/asn/15169?include=${include}`);
    assert.deepEqual(
      [status, data.code, data.details],
      [400, 'INVALID_INCLUDE', { allowed: ['routing'] }],
    );
  });
}

test('network routing: an empty include adds nothing', async () => {
  assert.deepEqual((await ask('/v1/asn/15169?include=')).data, (await ask('/v1/asn/15169')).data);
});

test('network routing: the client asks for it', async () => {
  const client = createClient({ baseUrl: server.url, apiKey: secret });
  const { data } = await client.asn(15169, { include: ['routing'] });
  assert.deepEqual(data.routing, { rpki: { valid: 1, invalid: 1, not_found: 0, derived: 0 } });
});

test('network routing: parts of a prefix have the state of their network, where ROA data is configured', async () => {
  const partOf = async (cidr: string, from = server) =>
    (await ask(`/v1/prefix/${cidr}`, from)).data.parts[0];
  assert.equal((await partOf('8.8.8.0/24')).rpki, 'valid');
  assert.equal((await partOf('2001:4860::/32')).rpki, 'invalid');
  assert.equal((await partOf('3.0.0.0/8')).rpki, 'not_found');
  assert.equal('rpki' in (await partOf('8.8.8.0/24', plain)), false);
});
