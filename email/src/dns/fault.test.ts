import assert from 'node:assert/strict';
import test from 'node:test';
import { startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import type { ZoneEntry } from '@whence/testing/servers/zone-literal';
import { examineDomain } from '../check.ts';
import { zone } from '../test/zone.ts';
import { createDnsClient } from './resolver.ts';

for (const [behaviour, entry, fault, sentence] of [
  [
    'wrong signatures',
    { TXT: ['v=spf1 -all'], isBogus: true },
    'signatures',
    /signatures of the zone do not validate/,
  ],
  [
    'servers that do not answer',
    { fail: 'SERVFAIL' },
    'servers',
    /name servers of the zone do not answer/,
  ],
  ['a timeout tells nothing', { fail: 'timeout' }, undefined, /could not be verified/],
  ['no failure', { TXT: ['v=spf1 -all'] }, undefined, undefined],
] as const satisfies readonly (readonly [
  string,
  ZoneEntry,
  string | undefined,
  RegExp | undefined,
])[])
  test(`dns fault: ${behaviour}`, async () => {
    const { dnsFault, report } = await examineDomain('example.com', {
      resolver: zone({ 'example.com': entry }),
    });
    assert.equal(dnsFault, fault);
    if (sentence !== undefined) assert.match(report.recommendations.join('\n'), sentence);
  });

for (const [behaviour, fails, other, fault] of [
  ['the domain alone', 'SERVFAIL', { TXT: [] }, 'servers'],
  ['another name too', 'SERVFAIL', { fail: 'SERVFAIL' }, 'resolver'],
  ['a resolver that refuses', 'REFUSED', { fail: 'REFUSED' }, 'refused'],
] as const)
  test(`dns fault: ${behaviour}`, async () => {
    const resolver = zone({ 'example.com': { fail: fails }, 'nic.com': { ...other } as ZoneEntry });
    assert.equal((await examineDomain('example.com', { resolver })).dnsFault, fault);
  });

test('dns fault: the question without validation has the CD bit, and is asked once', async (t) => {
  const server = await startScriptedDnsServer({
    'example.com': { TXT: ['v=spf1 -all'], isBogus: true },
  });
  t.after(() => server.close());
  const client = createDnsClient({ servers: [server.address], tries: 1 });
  t.after(() => client.close());
  const { dnsFault } = await examineDomain('example.com', {
    resolver: client.forCheck('example.com'),
  });
  assert.equal(dnsFault, 'signatures');
  assert.equal(
    server.queries.filter(({ name, type }) => name === 'example.com' && type === 'TXT').length,
    2,
  );
});
