import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkVerdict } from './network-verdict.ts';

const record = {
  asn_name: 'Example AG',
  country: 'DE',
  connection_type: 'residential',
  is_announced: true,
  address_count: { ipv4: 33_400_000 },
  prefix_count: { ipv4: 4, ipv6: 0 },
} as const;
const NOTHING = { flags: [], threat_levels: [], is_sample: false };
const plain = { connection_type: 'residential', country: 'DE', flags: [] } as const;
const exits = {
  connection_type: 'datacenter',
  country: 'DE',
  flags: ['is_tor_exit', 'is_vpn'],
} as const;

for (const [behaviour, states, want] of [
  ['all valid', ['valid', 'valid'], '; 100% of its prefixes are valid by RPKI.'],
  [
    'some without a ROA',
    ['valid', 'valid', 'not_found'],
    '; 66% of its prefixes are valid by RPKI.',
  ],
  ['one invalid', ['valid', 'invalid'], '; 50% of its prefixes are valid by RPKI, 1 invalid.'],
  ['no prefix', [], '.'],
] as const) {
  test(`network verdict: RPKI, ${behaviour}`, () => {
    const text = networkVerdict(record, { kinds: [], of: [] }, NOTHING, states);
    assert.equal(text, `Access network of Example AG in Germany, 33 million IPv4 addresses${want}`);
  });
}

for (const [behaviour, change, kinds, of, want] of [
  [
    'an access network',
    {},
    [plain],
    [0, 0],
    'Access network of Example AG in Germany, 33 million IPv4 addresses.',
  ],
  [
    'a small one',
    { connection_type: 'datacenter', address_count: { ipv4: 512 } },
    [plain],
    [0],
    'Datacenter network of Example AG in Germany, 512 IPv4 addresses.',
  ],
  [
    'one of some millions',
    { address_count: { ipv4: 2_482_176 } },
    [plain],
    [0],
    'Access network of Example AG in Germany, 2.5 million IPv4 addresses.',
  ],
  [
    'an unknown country',
    { country: 'ZZ' },
    [],
    [],
    'Access network of Example AG, 33 million IPv4 addresses.',
  ],
  [
    'one of IPv6 only',
    { address_count: { ipv4: 0 }, prefix_count: { ipv4: 0, ipv6: 1 } },
    [plain],
    [0],
    'Access network of Example AG in Germany, 1 IPv6 prefix.',
  ],
  [
    'one of both families',
    { prefix_count: { ipv4: 4, ipv6: 1_200 } },
    [plain],
    [0],
    'Access network of Example AG in Germany, 33 million IPv4 addresses and 1,200 IPv6 prefixes.',
  ],
  [
    'one that announces nothing',
    { is_announced: false },
    [],
    [],
    'Access network of Example AG in Germany. It announces no prefix in this dataset.',
  ],
  [
    'what is inside, prefixes that were not examined left out',
    {},
    [plain, exits],
    [0, 1, 1, -1],
    'Access network of Example AG in Germany, 33 million IPv4 addresses. Tor exits in 2 prefixes, VPN addresses in 2.',
  ],
] as const) {
  test(`network verdict: ${behaviour}`, () => {
    const prefixes = { kinds: kinds.map((kind) => ({ ...kind, flags: [...kind.flags] })), of };
    assert.equal(networkVerdict({ ...record, ...change }, prefixes, NOTHING), want);
  });
}

for (const [behaviour, is_sample, of, want] of [
  ['addresses are counted', false, [0], 'Inside: 1 Tor exit, 57 critical.'],
  ['a sample is called that', true, [0], 'In a sample of its prefixes: 1 Tor exit, 57 critical.'],
  [
    'and prefixes of IPv6',
    false,
    [0, 0, -1, 0, 0, -1, 0],
    'Inside: 1 Tor exit, 57 critical; in IPv6 Tor exits in 2 prefixes, VPN addresses in 2.',
  ],
] as const) {
  test(`network verdict: ${behaviour}`, () => {
    const flags = [{ value: 'is_tor_exit', addresses: 1 }] as const;
    const threat_levels = [{ value: 'critical', addresses: 57 }] as const;
    const text = networkVerdict(
      record,
      { kinds: [exits].map((kind) => ({ ...kind, flags: [...kind.flags] })), of },
      { flags, threat_levels, is_sample },
    );
    assert.equal(
      text,
      `Access network of Example AG in Germany, 33 million IPv4 addresses. ${want}`,
    );
  });
}
