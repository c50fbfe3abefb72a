/**
 * A batch whose body is read as bytes, at the socket or behind Node's parser, gets the answer of
 * one that is parsed.
 */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { recogniseSimpleBody } from '../../api/batch/simple-body.ts';
import { startInProcess, TestFolder } from '../test-server.ts';
import { BatchClient, compareBatches, fastPathBatches, SEED } from './compared-batches.ts';

const BODIES = 200;

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let key: string;

before(async () => {
  folder.publish();
  server = await startInProcess(folder);
  key = (await folder.createKey()).secret;
});
after(async () => {
  await server.close();
  folder.remove();
});

test(`batch: ${BODIES} generated bodies get the same answer as bytes and parsed (seed ${SEED})`, () =>
  compareBatches(BODIES));

test('batch: at the socket, requests are counted and limited as elsewhere', async () => {
  const { secret } = await folder.createKey({ tier: 'free' });
  const client = new BatchClient(server, key);
  const before = fastPathBatches(server);
  const statuses: Record<number, number> = {};
  for (let i = 0; i < 1_050; i++) {
    const { status, headers } = await client.post(Buffer.from('{"ips":["8.8.8.8"]}'), secret);
    if (status === 200) assert.equal(headers['x-ratelimit-remaining'], `${999 - i}`);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  client.close();
  assert.deepEqual(statuses, { 200: 1_000, 429: 50 });
  assert.ok(
    fastPathBatches(server) - before > 500,
    `${fastPathBatches(server) - before} were answered at the socket`,
  );
});

for (const [behaviour, attributes, body, want] of [
  ['without the permission', { permissions: ['ip:read'] }, '{"ips":["8.8.8.8"]}', 403],
  [
    'with more addresses than the tier allows',
    { tier: 'free' },
    JSON.stringify({ ips: Array(101).fill('::') }),
    400,
  ],
] as const)
  test(`batch: a key ${behaviour} is refused on a connection whose batches are answered at the socket`, async () => {
    const { secret } = await folder.createKey({ ...attributes } as { tier: 'free' });
    const client = new BatchClient(server, key);
    for (let i = 0; i < 3; i++) await client.post(Buffer.from('{"ips":["8.8.8.8"]}'));
    for (let i = 0; i < 3; i++)
      assert.equal((await client.post(Buffer.from(body), secret)).status, want);
    client.close();
  });

for (const [behaviour, body, count] of [
  ['as JSON.stringify writes it', '{"ips":["8.8.8.8","::1"]}', 2],
  ['as json.dumps writes it', '{"ips": ["8.8.8.8", "::1"]}', 2],
  ['white space everywhere', ' {\n\t"ips" :\r[ "8.8.8.8" ,\n"" ] } \n', 2],
  ['a text twice counts twice', '{"ips":["8.8.8.8","8.8.8.8"]}', 2],
  ['any visible ASCII', '{"ips":["[{,:}] \'~"]}', 1],
  ['an empty list', '{"ips":[]}', undefined],
  ['an escape', '{"ips":["8.8.8.8\\u0031"]}', undefined],
  ['above ASCII', '{"ips":["8.8.8.8é"]}', undefined],
  ['a control character', '{"ips":["8.8.8.8\n"]}', undefined],
  ['another member', '{"ips":["8.8.8.8"],"a":1}', undefined],
  ['a member twice', '{"ips":["8.8.8.8"],"ips":[]}', undefined],
  ['a comma at the end', '{"ips":["8.8.8.8",]}', undefined],
  ['no text', '{"ips":["8.8.8.8",7]}', undefined],
  ['text behind the object', '{"ips":["8.8.8.8"]}x', undefined],
  ['cut off in a text', '{"ips":["8.8.8.8', undefined],
  ['cut off behind a text', '{"ips":["8.8.8.8"', undefined],
  ['cut off behind the list', '{"ips":["8.8.8.8"]', undefined],
  ['a byte order mark', '\ufeff{"ips":["8.8.8.8"]}', undefined],
  ['nothing', '', undefined],
] as const) {
  test(`batch, simple form: ${behaviour}`, () =>
    assert.equal(recogniseSimpleBody(Buffer.from(body))?.count, count, JSON.stringify(body)));
}

test('batch: an object that looks like our own is refused like any other', async () => {
  const client = new BatchClient(server, key);
  for (const body of ['{"bytes":"","count":1}', '{"bytes":[1],"count":1,"ips":7}', 'null', '7']) {
    const { status, text } = await client.post(Buffer.from(body));
    assert.equal(status, 400, text);
  }
  client.close();
});
