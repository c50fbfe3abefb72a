import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import test from 'node:test';
import { createClient } from './client.ts';
import { sleep as sleepFor } from './retry.ts';
import { API_KEY, ok, refusal, scripted, serve } from './test/scripted-server.ts';

for (const [behaviour, reply] of [
  ['no response in time', 'hang'],
  ['a response that stops halfway', 'stall'],
] as const) {
  test(`request: ${behaviour} is a TIMEOUT`, async (t) => {
    const { client } = await scripted(t, [reply], { timeoutMs: 60, retries: 0 });
    await assert.rejects(client.ip('192.0.2.1'), {
      name: 'WhenceError',
      message: 'no response within 60 ms',
      code: 'TIMEOUT',
      status: 0,
      requestId: '',
    });
  });

  test(`request: ${behaviour} is a TIMEOUT when a signal is passed too`, async (t) => {
    const { client } = await scripted(t, [reply], { timeoutMs: 60, retries: 0 });
    await assert.rejects(client.ip('192.0.2.1', { signal: new AbortController().signal }), {
      code: 'TIMEOUT',
    });
  });
}

test('request: a closed connection is a NETWORK error with its cause', async (t) => {
  const { client } = await scripted(t, ['drop'], { retries: 0 });
  const error = await client.ip('192.0.2.1').catch((error) => error);
  assert.deepEqual([error.name, error.code, error.status], ['WhenceError', 'NETWORK', 0]);
  assert.equal(error.cause.message, 'fetch failed');
  assert.equal(error.cause.cause.code, 'UND_ERR_SOCKET');
});

test('request: a refused connection is a NETWORK error with the cause ECONNREFUSED', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: API_KEY, retries: 0 });
  const error = await client.ip('192.0.2.1').catch((error) => error);
  assert.deepEqual([error.code, error.cause.cause.code], ['NETWORK', 'ECONNREFUSED']);
});

for (const status of [301, 302, 307, 308]) {
  test(`request: a redirect (${status}) is not followed, so the key is not sent elsewhere`, async (t) => {
    const elsewhere = await serve(t, [ok()]);
    const reply = { status, headers: { Location: `${elsewhere.url}/v1/ip/192.0.2.1` } };
    const { client } = await scripted(t, [reply], { retries: 0 });
    await assert.rejects(client.ip('192.0.2.1'), { name: 'WhenceError', code: 'NETWORK' });
    assert.equal(elsewhere.requests.length, 0);
  });
}

const reason = { why: 'the user cancelled' };

test('request: an aborted signal sends nothing and rejects with its reason', async (t) => {
  const { client, requests } = await scripted(t, [ok()]);
  const signal = AbortSignal.abort(reason);
  for (const call of [
    client.ip('192.0.2.1', { signal }),
    client.batch(['192.0.2.1'], { signal }),
    client.asn(64496, { signal }),
    client.searchAsn('example', { signal }),
    client.emailDomain('example.com', { signal }),
    client.health({ signal }),
    client.ready({ signal }),
  ]) {
    assert.equal(await call.catch((error) => error), reason);
  }
  assert.equal(requests.length, 0);
});

test('request: an abort without a reason is an AbortError', async (t) => {
  const { client } = await scripted(t, [ok()]);
  await assert.rejects(client.ip('192.0.2.1', { signal: AbortSignal.abort() }), {
    name: 'AbortError',
  });
});

for (const reply of ['hang', 'stall'] as const) {
  test(`request: an abort while waiting (${reply}) rejects with the reason and is not retried`, async (t) => {
    const controller = new AbortController();
    const { client, requests } = await scripted(t, [
      () => {
        setImmediate(() => controller.abort(reason));
        return reply;
      },
    ]);
    assert.equal(
      await client.ip('192.0.2.1', { signal: controller.signal }).catch((error) => error),
      reason,
    );
    assert.equal(requests.length, 1);
  });
}

test('request: an abort during the delay before a retry ends it', async (t) => {
  const controller = new AbortController();
  const { client, requests } = await scripted(
    t,
    [refusal(503, 'OVERLOADED', 'overloaded', { 'Retry-After': '20' })],
    {
      sleep: (ms, signal) => {
        setImmediate(() => controller.abort(reason));
        return sleepFor(ms, signal);
      },
    },
  );
  assert.equal(
    await client.ip('192.0.2.1', { signal: controller.signal }).catch((error) => error),
    reason,
  );
  assert.equal(requests.length, 1);
});

test('request: the default delay before a retry ends', async (t) => {
  const { url, requests } = await serve(t, [
    refusal(503, 'OVERLOADED', 'overloaded', { 'Retry-After': '0' }),
    ok(),
  ]);
  await createClient({ baseUrl: url, apiKey: API_KEY }).ip('192.0.2.1', {
    signal: new AbortController().signal,
  });
  assert.equal(requests.length, 2);
});

test('request: no request follows a sleep that ignores the abort', async (t) => {
  const controller = new AbortController();
  const sleep = async () => controller.abort(reason);
  const { client, requests } = await scripted(t, [refusal(503, 'OVERLOADED', 'overloaded')], {
    sleep,
  });
  assert.equal(
    await client.ip('192.0.2.1', { signal: controller.signal }).catch((error) => error),
    reason,
  );
  assert.equal(requests.length, 1);
});

test('request: an abort within a batch sends no further request', async (t) => {
  const controller = new AbortController();
  const abort = () => {
    controller.abort(reason);
    return 'hang' as const;
  };
  const { client, requests } = await scripted(t, [ok({ a: {} }), abort], { batchSize: 1 });
  assert.equal(
    await client.batch(['a', 'b', 'c'], { signal: controller.signal }).catch((error) => error),
    reason,
  );
  assert.equal(requests.length, 2);
});

test('request: the fetch option is used', async () => {
  const urls: string[] = [];
  const client = createClient({
    baseUrl: 'https://whence.example',
    apiKey: API_KEY,
    fetch: async (url) => {
      urls.push(url);
      return Response.json({ data: { status: 'ok' }, meta: { processing_time_ms: 1 } });
    },
  });
  await client.health();
  assert.deepEqual(urls, ['https://whence.example/healthz']);
});
