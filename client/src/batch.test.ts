import assert from 'node:assert/strict';
import test from 'node:test';
import { ok, type Received, type Reply, refusal, scripted } from './test/scripted-server.ts';
import type { BatchRequest } from './wire.ts';

const submitted = ({ body }: Received) => (JSON.parse(body) as BatchRequest).ips;
/** Responds as the server does: an entry for every string, and a request id. */
const respond = (requestId: string) => (request: Received) => ({
  headers: { 'X-Request-ID': requestId, ...limits(requestId) },
  body: {
    data: Object.fromEntries(submitted(request).map((ip) => [ip, { ip }])),
    meta: { request_id: requestId, processing_time_ms: 2 },
  },
});
const limits = (remaining: string) => ({
  'X-RateLimit-Limit': '1000',
  'X-RateLimit-Remaining': remaining,
  'X-RateLimit-Reset': '1800057600',
});
const addresses = (count: number) => Array.from({ length: count }, (_, n) => `192.0.2.${n}`);

for (const [behaviour, count, options, sizes] of [
  ['250 addresses are one request', 250, {}, [250]],
  ['as many as batchSize are one request', 10, { batchSize: 10 }, [10]],
  ['one more are two', 11, { batchSize: 10 }, [10, 1]],
  ['the last request takes the rest', 7, { batchSize: 3 }, [3, 3, 1]],
] as const) {
  test(`batch: ${behaviour}`, async (t) => {
    const script = sizes.map((_, n) => respond(String(9 - n)));
    const { client, requests } = await scripted(t, script, options);
    const { data, meta, requestId, rateLimit } = await client.batch(addresses(count));
    assert.deepEqual(
      requests.map((request) => submitted(request).length),
      sizes,
    );
    assert.deepEqual([...data.keys()], addresses(count));
    const ids = sizes.map((_, n) => String(9 - n));
    assert.deepEqual(meta, { requestIds: ids, processing_time_ms: 2 * sizes.length });
    assert.deepEqual([requestId, rateLimit?.remaining], [ids.at(-1), Number(ids.at(-1))]);
  });
}

const tooLarge =
  (limit: unknown) =>
  (request: Received): Reply => ({
    status: 400,
    body: {
      data: {
        error: 'batch size exceeds limit',
        code: 'BATCH_TOO_LARGE',
        details: { limit, received: submitted(request).length },
      },
      meta: { processing_time_ms: 0 },
    },
  });

test('batch: the maximum of the key is learned from a refusal, and kept', async (t) => {
  const script = [respond('1'), tooLarge(4), ...['2', '3', '4', '5', '6'].map(respond)];
  const { client, requests } = await scripted(t, script, { batchSize: 10 });
  assert.equal((await client.batch(addresses(3))).data.size, 3);
  const { data, meta } = await client.batch([...addresses(10), ...addresses(10)]);
  assert.deepEqual([...data.keys()], addresses(10));
  assert.deepEqual(meta.requestIds, ['2', '3', '4']);
  await client.batch(addresses(5));
  assert.deepEqual(
    requests.map((request) => submitted(request).length),
    [3, 10, 4, 4, 2, 4, 1],
  );
});

for (const limit of [undefined, 0, 2.5, '4', 10, 11]) {
  test(`batch: a refusal with the limit ${limit} is thrown`, async (t) => {
    const { client, requests } = await scripted(t, [tooLarge(limit)], { batchSize: 10 });
    await assert.rejects(client.batch(addresses(10)), { code: 'BATCH_TOO_LARGE' });
    assert.equal(requests.length, 1);
  });
}

test('batch: duplicates are sent once and do not count towards the batch size', async (t) => {
  const { client, requests } = await scripted(t, [respond('1')], { batchSize: 2 });
  const { data } = await client.batch(['192.0.2.1', '192.0.2.2', '192.0.2.1', '192.0.2.2']);
  assert.deepEqual(requests.map(submitted), [['192.0.2.1', '192.0.2.2']]);
  assert.equal(data.size, 2);
});

test('batch: keys are the submitted strings, unchanged', async (t) => {
  const { client } = await scripted(t, [respond('1')]);
  const spellings = ['2001:db8::1', '2001:DB8::1', '2001:db8:0::1', ' 192.0.2.1'];
  assert.deepEqual([...(await client.batch(spellings)).data.keys()], spellings);
});

test('batch: __proto__ and constructor are ordinary keys', async (t) => {
  const names = ['__proto__', 'constructor', 'toString', ''];
  const { client, requests } = await scripted(t, [respond('1')]);
  const { data } = await client.batch(names);
  assert.deepEqual(requests.map(submitted), [names]);
  assert.deepEqual(
    [...data],
    names.map((name) => [name, { ip: name }]),
  );
});

test('batch: an invalid address is an entry, not an error', async (t) => {
  const entries = {
    x: { error: 'invalid IP address', code: 'INVALID_IP' },
    '192.0.2.1': { error: 'no data found for IP', code: 'NOT_FOUND' },
  };
  const { client } = await scripted(t, [ok(entries)]);
  const { data } = await client.batch(['x', '192.0.2.1']);
  assert.deepEqual(Object.fromEntries(data), entries);
});

for (const given of ['8.8.8.8', undefined, new Set(['8.8.8.8']), [8]] as unknown[] as string[][])
  test(`batch: ${JSON.stringify(given)} instead of an array of texts is a TypeError`, async (t) => {
    const { client, requests } = await scripted(t, []);
    await assert.rejects(client.batch(given), {
      name: 'TypeError',
      message: /^batch\(\) takes an array of addresses/,
    });
    assert.deepEqual(requests, []);
  });

test('batch: an empty list sends no request', async (t) => {
  const { client, requests } = await scripted(t, []);
  assert.deepEqual(await client.batch([]), {
    data: new Map(),
    meta: { requestIds: [], processing_time_ms: 0 },
    requestId: '',
  });
  assert.equal(requests.length, 0);
});

for (const [behaviour, data] of [
  ['lacks a submitted string', '{}'],
  ['has null for a submitted string', '{"__proto__":null}'],
  ['has a string instead of a record', '{"__proto__":"record"}'],
] as const) {
  test(`batch: a response that ${behaviour} is a BAD_RESPONSE`, async (t) => {
    const body = `{"data":${data},"meta":{"processing_time_ms":1}}`;
    const { client } = await scripted(t, [{ headers: { 'X-Request-ID': 'id-5' }, body }]);
    await assert.rejects(client.batch(['__proto__']), {
      code: 'BAD_RESPONSE',
      status: 200,
      requestId: 'id-5',
    });
  });
}

test('batch: entries that were not requested are left out', async (t) => {
  const { client } = await scripted(t, [ok({ '192.0.2.1': {}, '192.0.2.2': {} })]);
  assert.deepEqual([...(await client.batch(['192.0.2.1'])).data.keys()], ['192.0.2.1']);
});

test('batch: requests are sent one after another, and none after a failure', async (t) => {
  const script = [respond('1'), refusal(401, 'UNAUTHORIZED', 'unauthorized')];
  const { client, requests } = await scripted(t, script, { batchSize: 10 });
  await assert.rejects(client.batch(addresses(30)), { code: 'UNAUTHORIZED' });
  assert.equal(requests.length, 2);
});

test('batch: only the failed request is retried', async (t) => {
  const busy = refusal(503, 'OVERLOADED', 'overloaded', { 'Retry-After': '1' });
  const { client, requests } = await scripted(t, [respond('1'), busy, respond('2')], {
    batchSize: 1,
  });
  assert.deepEqual((await client.batch(addresses(2))).meta.requestIds, ['1', '2']);
  assert.deepEqual(requests.map(submitted), [['192.0.2.0'], ['192.0.2.1'], ['192.0.2.1']]);
});
