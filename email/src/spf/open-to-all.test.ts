import assert from 'node:assert/strict';
import test from 'node:test';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import { zone } from '../test/zone.ts';
import { checkSpf } from './lookups.ts';

async function openingOf(record: string, more: ZoneRecords = {}) {
  const resolver = zone({ 'example.com': { TXT: [record] }, ...more });
  return (await checkSpf('example.com', await resolver.txt('example.com'), resolver)).openToAll;
}

const OPEN = { 'open.example.net': { TXT: ['v=spf1 +all'] } };
const HOST = { 'host.example.net': { A: ['192.0.2.1'] } };
const quarters = (prefix: string, ...starts: string[]) =>
  starts.map((start) => `${prefix}:${start}/2`).join(' ');

for (const [behaviour, record, more, want] of [
  ['+all', 'v=spf1 mx +all', {}, '+all'],
  ['all alone', 'v=spf1 all', {}, 'all'],
  ['all addresses of IPv4', 'v=spf1 ip4:0.0.0.0/0 -all', {}, 'ip4:0.0.0.0/0'],
  ['all addresses of IPv6', 'v=spf1 ip6:::/0 -all', {}, 'ip6:::/0'],
  [
    'a host with all addresses around it',
    'v=spf1 a:host.example.net/0 -all',
    HOST,
    'a:host.example.net/0',
  ],
  ['of a host that does not exist', 'v=spf1 a:gone.example.net/0 -all', {}, undefined],
  ['an include', 'v=spf1 include:open.example.net -all', OPEN, 'include:open.example.net'],
  [
    'an include in an include',
    'v=spf1 include:a.example.net -all',
    { ...OPEN, 'a.example.net': { TXT: ['v=spf1 include:open.example.net -all'] } },
    'include:a.example.net',
  ],
  ['a redirect', 'v=spf1 redirect=open.example.net', OPEN, 'redirect=open.example.net'],
  ['not an include that fails', 'v=spf1 -include:open.example.net ~all', OPEN, undefined],
  ['not a neutral all', 'v=spf1 mx ?all', {}, undefined],
  ['not what is after all', 'v=spf1 -all ip4:0.0.0.0/0', {}, undefined],
  ['not a range that fails', 'v=spf1 -ip4:0.0.0.0/0 ~all', {}, undefined],
  [
    'half of IPv4 in pieces',
    `v=spf1 ${quarters('ip4', '0.0.0.0', '128.0.0.0')} -all`,
    {},
    '4: 50%',
  ],
  [
    'pieces that overlap count once',
    `v=spf1 ${quarters('ip4', '0.0.0.0', '0.0.0.0')} -all`,
    {},
    undefined,
  ],
  [
    'pieces in several records',
    `v=spf1 ${quarters('ip4', '0.0.0.0', '64.0.0.0')} include:b.example.net -all`,
    { 'b.example.net': { TXT: [`v=spf1 ${quarters('ip4', '128.0.0.0')}`] } },
    '4: 75%',
  ],
  ['a little less than half', 'v=spf1 ip4:0.0.0.0/2 ip4:64.0.0.0/3 -all', {}, undefined],
  ['half of the global addresses of IPv6', 'v=spf1 ip6:2000::/4 -all', {}, '6: 50%'],
  ['a large network of IPv6', 'v=spf1 ip6:2a00::/12 -all', {}, undefined],
] as const satisfies readonly (readonly [string, string, ZoneRecords, string | undefined])[])
  test(`spf openToAll: ${behaviour}`, async () => {
    const openToAll = await openingOf(record, more);
    const shown =
      openToAll?.kind === 'networks'
        ? `${openToAll.version}: ${openToAll.percent}%`
        : openToAll?.ownTerm;
    assert.equal(shown, want);
  });
