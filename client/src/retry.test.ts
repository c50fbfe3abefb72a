import assert from 'node:assert/strict';
import test from 'node:test';
import { parseRetryAfter, retryDelayMs } from './retry.ts';
import { ok, type Reply, refusal, scripted } from './test/scripted-server.ts';
import { WhenceError } from './whence-error.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const first = { method: 'GET', tries: 1, maxDelayMs: 30_000, random: 0.5 } as const;
const failure = (status: number, code: string, retryAfterMs?: number) =>
  new WhenceError('', { status, code, requestId: '', ...(retryAfterMs !== undefined && { retryAfterMs }) });
const busy = failure(503, 'OVERLOADED');

for (const [behaviour, error, circumstances, want] of [
  ['a used-up limit is tried again', failure(429, 'RATE_LIMIT_EXCEEDED'), {}, 125],
  ['a busy server is tried again', busy, {}, 125],
  ['a busy proxy is tried again', failure(503, 'BAD_RESPONSE'), {}, 125],
  ['a refused batch is tried again', busy, { method: 'POST' }, 125],
  ['a GET without an answer is tried again', failure(0, 'NETWORK'), {}, 125],
  ['a GET without an answer in time is tried again', failure(0, 'TIMEOUT'), {}, 125],
  ['a batch without an answer is not', failure(0, 'NETWORK'), { method: 'POST' }, undefined],
  ['a batch without an answer in time is not', failure(0, 'TIMEOUT'), { method: 'POST' }, undefined],
  ['not being ready is an answer', failure(503, 'NOT_READY'), {}, undefined],
  ['a bug of the server is not tried again', failure(500, 'INTERNAL'), {}, undefined],
  ['a wrong key is not', failure(401, 'UNAUTHORIZED'), {}, undefined],
  ['an answer that is not Whence’s is not', failure(200, 'BAD_RESPONSE'), {}, undefined],
  ['a broken gateway is not', failure(502, 'BAD_RESPONSE'), {}, undefined],
  ['the pause doubles', busy, { tries: 2 }, 250],
  ['and doubles again', busy, { tries: 3 }, 500],
  ['jitter may be none', busy, { random: 0 }, 0],
  ['jitter stays below the limit', busy, { random: 0.9999 }, 249],
  ['the pause grows no longer than allowed', busy, { tries: 60, random: 0.9999 }, 29_997],
  ['the server’s word goes before ours', failure(503, 'OVERLOADED', 7000), { tries: 3 }, 7000],
  ['at once, if the server says so', failure(503, 'OVERLOADED', 0), {}, 0],
  ['the longest pause allowed is kept', failure(429, 'RATE_LIMIT_EXCEEDED', 30_000), {}, 30_000],
  ['a longer one is not waited for', failure(429, 'RATE_LIMIT_EXCEEDED', 30_001), {}, undefined],
] as const) {
  test(`retry: ${behaviour}`, () => assert.equal(retryDelayMs(error, { ...first, ...circumstances }), want));
}

for (const [behaviour, header, want] of [
  ['seconds', '120', 120_000],
  ['no seconds', '0', 0],
  ['blanks around seconds', ' 3 ', 3000],
  ['a date', 'Sun, 15 Nov 2026 12:00:30 GMT', 30_000],
  ['a date that has passed', 'Sun, 15 Nov 2026 11:00:00 GMT', 0],
  ['a date in the form of RFC 850', 'Sunday, 15-Nov-26 12:00:30 GMT', 30_000],
  ['a date in the form of asctime', 'Sun Nov 15 12:00:30 2026', 30_000],
  ['nothing', null, undefined],
  ['an empty header', '', undefined],
  ['a fraction', '1.5', undefined],
  ['less than nothing', '-1', undefined],
  ['a date of another kind', '2026-11-15T12:00:30Z', undefined],
  ['a word', 'Sunday', undefined],
] as const) {
  test(`retry: Retry-After with ${behaviour}`, () => assert.equal(parseRetryAfter(header, NOW), want));
}

const overloaded = refusal(503, 'OVERLOADED', 'overloaded');
const asks = (seconds: string): Reply =>
  refusal(429, 'RATE_LIMIT_EXCEEDED', 'rate limit exceeded', { 'Retry-After': seconds });

test('retry: the answer of a later try is the answer', async (t) => {
  const { client, requests, slept } = await scripted(t, [asks('1'), asks('2'), ok({ ip: '192.0.2.1' })]);
  assert.equal((await client.ip('192.0.2.1')).data.ip, '192.0.2.1');
  assert.deepEqual([requests.length, slept], [3, [1000, 2000]]);
});

test('retry: a date is counted from the clock passed in', async (t) => {
  const { client, slept } = await scripted(t, [asks('Sun, 15 Nov 2026 12:00:09 GMT'), ok()], { now: () => NOW });
  await client.ip('192.0.2.1');
  assert.deepEqual(slept, [9000]);
});

test('retry: two pauses by default, each within its limit, then the last failure', async (t) => {
  const { client, requests, slept } = await scripted(t, [overloaded, overloaded, asks('5')]);
  await assert.rejects(client.ip('192.0.2.1'), { code: 'RATE_LIMIT_EXCEEDED', retryAfterMs: 5000 });
  assert.equal(requests.length, 3);
  const [one = -1, two = -1, ...more] = slept;
  assert.ok(one >= 0 && one < 250 && two >= 0 && two < 500 && more.length === 0, `slept ${slept}`);
});

test('retry: none, if the caller wants none', async (t) => {
  const { client, requests } = await scripted(t, [overloaded], { retries: 0 });
  await assert.rejects(client.ip('192.0.2.1'), { code: 'OVERLOADED' });
  assert.equal(requests.length, 1);
});

test('retry: a used-up day is told at once', async (t) => {
  const { client, requests, slept } = await scripted(t, [asks('43200')]);
  await assert.rejects(client.ip('192.0.2.1'), { status: 429, code: 'RATE_LIMIT_EXCEEDED', retryAfterMs: 43_200_000 });
  assert.deepEqual([requests.length, slept], [1, []]);
});

test('retry: how long is too long is for the caller to say', async (t) => {
  const { client, slept } = await scripted(t, [asks('60'), ok()], { maxRetryDelayMs: 60_000 });
  await client.ip('192.0.2.1');
  assert.deepEqual(slept, [60_000]);
});

for (const [behaviour, reply, timeoutMs, code] of [
  ['hangs up', 'drop', 10_000, 'NETWORK'],
  ['is silent', 'hang', 300, 'TIMEOUT'],
] as const) {
  test(`retry: a server that ${behaviour} is asked again`, async (t) => {
    const { client, requests } = await scripted(t, [reply, ok({ ip: '192.0.2.1' })], { timeoutMs });
    assert.equal((await client.ip('192.0.2.1')).data.ip, '192.0.2.1');
    assert.equal(requests.length, 2);
  });

  test(`retry: a server that ${behaviour} is not sent a batch again`, async (t) => {
    const { client, requests } = await scripted(t, [reply], { timeoutMs });
    await assert.rejects(client.batch(['192.0.2.1']), { code });
    assert.equal(requests.length, 1);
  });
}
