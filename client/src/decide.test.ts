import assert from 'node:assert/strict';
import test from 'node:test';
import type { DecisionRequest } from './client.ts';
import { type Reply, refusal, scripted } from './test/scripted-server.ts';

const decided = (
  status: number,
  headers: Record<string, string>,
  body: object | string = '',
): Reply => ({
  status,
  headers: { 'X-Request-ID': 'r1', ...headers },
  body,
});
const KNOWN = {
  'X-Whence-Country': 'DE',
  'X-Whence-Asn': '64496',
  'X-Whence-Type': 'hosting',
  'X-Whence-Score': '45',
};

for (const [behaviour, reply, data] of [
  [
    'allow by the default',
    decided(204, { 'X-Whence-Decision': 'allow' }),
    { decision: 'allow', flags: [] },
  ],
  [
    'observe, with what is known',
    decided(204, {
      'X-Whence-Decision': 'observe',
      'X-Whence-Rule': 'no-tor',
      ...KNOWN,
      'X-Whence-Flags': 'tor,proxy',
    }),
    {
      decision: 'observe',
      rule: 'no-tor',
      country: 'DE',
      asn: 64496,
      type: 'hosting',
      flags: ['tor', 'proxy'],
      score: 45,
    },
  ],
  [
    'deny is an answer, with the status and the text of its rule',
    decided(403, { 'X-Whence-Decision': 'deny', 'X-Whence-Rule': 'no-tor' }, 'not from here\n'),
    { decision: 'deny', rule: 'no-tor', flags: [], status: 403, text: 'not from here' },
  ],
  [
    'deny with a status that would be tried again',
    decided(429, { 'X-Whence-Decision': 'deny' }),
    { decision: 'deny', flags: [], status: 429, text: '' },
  ],
] as const) {
  test(`decide: ${behaviour}`, async (t) => {
    const { client, requests } = await scripted(t, [reply]);
    assert.deepEqual(await client.decide(), { data, requestId: 'r1' });
    assert.deepEqual([requests.length, requests[0]?.url], [1, '/v1/decide']);
  });
}

test('decide: every parameter is sent, and explain adds the explanation', async (t) => {
  const explanation = { decision: 'deny', rule: 'no-tor', not_known: ['vpn'] };
  const headers = { 'X-Whence-Decision': 'deny', 'X-Whence-Rule': 'no-tor' };
  const body = { data: explanation, meta: { processing_time_ms: 1 } };
  const { client, requests } = await scripted(t, [decided(200, headers, body)]);
  const asked: DecisionRequest = {
    ip: '192.0.2.1',
    host: 'shop.example',
    path: '/a?b=c&ip=x',
    method: 'GET',
    set: 'login',
  };
  const { data } = await client.decide({ ...asked, explain: true });
  assert.deepEqual(data, { decision: 'deny', rule: 'no-tor', flags: [], explanation });
  const parameters = new URL(requests[0]?.url ?? '', 'http://x').searchParams;
  assert.deepEqual(Object.fromEntries(parameters), { ...asked, explain: 'true' });
});

for (const [behaviour, reply, error] of [
  [
    'a key without the permission',
    refusal(403, 'FORBIDDEN', 'no permission'),
    { status: 403, code: 'FORBIDDEN' },
  ],
  [
    'an unknown set',
    refusal(404, 'RULE_SET_NOT_FOUND', 'none'),
    { status: 404, code: 'RULE_SET_NOT_FOUND' },
  ],
  ['a page of a proxy', { status: 403, body: '<html>' }, { status: 403, code: 'BAD_RESPONSE' }],
  ['an empty answer of a proxy', { status: 204 }, { status: 204, code: 'BAD_RESPONSE' }],
] as const) {
  test(`decide: ${behaviour} is an error`, async (t) => {
    const { client } = await scripted(t, [reply]);
    await assert.rejects(client.decide({ ip: '192.0.2.1' }), { name: 'WhenceError', ...error });
  });
}
