import assert from 'node:assert/strict';
import test from 'node:test';
import { parseRetryAfter, retryDelayMs, sleep } from './retry.ts';
import { ok, type Reply, refusal, scripted } from './test/scripted-server.ts';
import { WhenceError } from './whence-error.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const first = { method: 'GET', attempts: 1, maxDelayMs: 30_000, random: 0.5 } as const;
const failure = (status: number, code: string, retryAfterMs?: number) =>
  new WhenceError('', {
    status,
    code,
    requestId: '',
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
const busy = failure(503, 'OVERLOADED');

for (const [behaviour, error, circumstances, want] of [
  ['an exceeded rate limit is retried', failure(429, 'RATE_LIMIT_EXCEEDED'), {}, 125],
  ['an overloaded server is retried', busy, {}, 125],
  ['a 503 of a proxy is retried', failure(503, 'BAD_RESPONSE'), {}, 125],
  ['a refused batch is retried', busy, { method: 'POST' }, 125],
  ['a GET without a response is retried', failure(0, 'NETWORK'), {}, 125],
  ['a GET that timed out is retried', failure(0, 'TIMEOUT'), {}, 125],
  [
    'a batch without a response is not retried',
    failure(0, 'NETWORK'),
    { method: 'POST' },
    undefined,
  ],
  ['a batch that timed out is not retried', failure(0, 'TIMEOUT'), { method: 'POST' }, undefined],
  ['NOT_READY is not retried', failure(503, 'NOT_READY'), {}, undefined],
  ['an internal error is not retried', failure(500, 'INTERNAL'), {}, undefined],
  ['a wrong key is not retried', failure(401, 'UNAUTHORIZED'), {}, undefined],
  ['a response of another service is not retried', failure(200, 'BAD_RESPONSE'), {}, undefined],
  ['a bad gateway is not retried', failure(502, 'BAD_RESPONSE'), {}, undefined],
  ['the delay doubles', busy, { attempts: 2 }, 250],
  ['and doubles again', busy, { attempts: 3 }, 500],
  ['jitter may be 0', busy, { random: 0 }, 0],
  ['jitter stays below the limit', busy, { random: 0.9999 }, 249],
  ['the delay stays below maxDelayMs', busy, { attempts: 60, random: 0.9999 }, 29_997],
  [
    'Retry-After takes precedence over the backoff',
    failure(503, 'OVERLOADED', 7000),
    { attempts: 3 },
    7000,
  ],
  ['Retry-After may be 0', failure(503, 'OVERLOADED', 0), {}, 0],
  [
    'Retry-After of maxDelayMs is waited for',
    failure(429, 'RATE_LIMIT_EXCEEDED', 30_000),
    {},
    30_000,
  ],
  [
    'a longer Retry-After is not waited for',
    failure(429, 'RATE_LIMIT_EXCEEDED', 30_001),
    {},
    undefined,
  ],
] as const) {
  test(`retry: ${behaviour}`, () =>
    assert.equal(retryDelayMs(error, { ...first, ...circumstances }), want));
}

for (const [behaviour, header, want] of [
  ['seconds', '120', 120_000],
  ['zero seconds', '0', 0],
  ['spaces around seconds', ' 3 ', 3000],
  ['a date', 'Sun, 15 Nov 2026 12:00:30 GMT', 30_000],
  ['a date in the past', 'Sun, 15 Nov 2026 11:00:00 GMT', 0],
  ['a date in RFC 850 form', 'Sunday, 15-Nov-26 12:00:30 GMT', 30_000],
  ['a date in asctime form', 'Sun Nov 15 12:00:30 2026', 30_000],
  ['no header', null, undefined],
  ['an empty value', '', undefined],
  ['a fraction', '1.5', undefined],
  ['a negative number', '-1', undefined],
  ['an ISO 8601 date', '2026-11-15T12:00:30Z', undefined],
  ['a word', 'Sunday', undefined],
] as const) {
  test(`retry: Retry-After: ${behaviour}`, () => assert.equal(parseRetryAfter(header, NOW), want));
}

const overloaded = refusal(503, 'OVERLOADED', 'overloaded');
const asks = (seconds: string): Reply =>
  refusal(429, 'RATE_LIMIT_EXCEEDED', 'rate limit exceeded', { 'Retry-After': seconds });

test('retry: the response of a later attempt is returned', async (t) => {
  const { client, requests, slept } = await scripted(t, [
    asks('1'),
    asks('2'),
    ok({ ip: '192.0.2.1' }),
  ]);
  assert.equal((await client.ip('192.0.2.1')).data.ip, '192.0.2.1');
  assert.deepEqual([requests.length, slept], [3, [1000, 2000]]);
});

test('retry: a date is relative to the clock that was passed in', async (t) => {
  const { client, slept } = await scripted(t, [asks('Sun, 15 Nov 2026 12:00:09 GMT'), ok()], {
    now: () => NOW,
  });
  await client.ip('192.0.2.1');
  assert.deepEqual(slept, [9000]);
});

test('retry: two retries by default, each delay within its limit, then the last error', async (t) => {
  const { client, requests, slept } = await scripted(t, [overloaded, overloaded, asks('5')]);
  await assert.rejects(client.ip('192.0.2.1'), { code: 'RATE_LIMIT_EXCEEDED', retryAfterMs: 5000 });
  assert.equal(requests.length, 3);
  const [one = -1, two = -1, ...more] = slept;
  assert.ok(one >= 0 && one < 250 && two >= 0 && two < 500 && more.length === 0, `slept ${slept}`);
});

test('retry: retries: 0 disables them', async (t) => {
  const { client, requests } = await scripted(t, [overloaded], { retries: 0 });
  await assert.rejects(client.ip('192.0.2.1'), { code: 'OVERLOADED' });
  assert.equal(requests.length, 1);
});

test('retry: an exhausted daily quota is reported immediately', async (t) => {
  const { client, requests, slept } = await scripted(t, [asks('43200')]);
  await assert.rejects(client.ip('192.0.2.1'), {
    status: 429,
    code: 'RATE_LIMIT_EXCEEDED',
    retryAfterMs: 43_200_000,
  });
  assert.deepEqual([requests.length, slept], [1, []]);
});

test('retry: maxRetryDelayMs allows longer delays', async (t) => {
  const { client, slept } = await scripted(t, [asks('60'), ok()], { maxRetryDelayMs: 60_000 });
  await client.ip('192.0.2.1');
  assert.deepEqual(slept, [60_000]);
});

for (const [behaviour, reply, timeoutMs, code] of [
  ['closes the connection', 'drop', 10_000, 'NETWORK'],
  ['does not respond', 'hang', 2_000, 'TIMEOUT'],
] as const) {
  test(`retry: a GET is retried if the server ${behaviour}`, async (t) => {
    const { client, requests } = await scripted(t, [reply, ok({ ip: '192.0.2.1' })], { timeoutMs });
    assert.equal((await client.ip('192.0.2.1')).data.ip, '192.0.2.1');
    assert.equal(requests.length, 2);
  });

  test(`retry: a batch is not retried if the server ${behaviour}`, async (t) => {
    const { client, requests } = await scripted(t, [reply], { timeoutMs });
    await assert.rejects(client.batch(['192.0.2.1']), { code });
    assert.equal(requests.length, 1);
  });
}

test('sleep: resolves after the delay, not before', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let isOver = false;
  const over = sleep(1000, new AbortController().signal).then(() => {
    isOver = true;
  });
  t.mock.timers.tick(999);
  await Promise.resolve();
  assert.equal(isOver, false);
  t.mock.timers.tick(1);
  await over;
});

test('sleep: an abort rejects with the reason and clears the timer', async () => {
  const timers = () =>
    process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
  const before = timers();
  const controller = new AbortController();
  const reason = { why: 'the user cancelled' };
  const pending = sleep(600_000, controller.signal).catch((error) => error);
  assert.equal(timers(), before + 1);
  controller.abort(reason);
  assert.equal(await pending, reason);
  assert.equal(timers(), before);
});
