/** Ranges that several networks share, in a dataset of 256 prefixes below 18.0.0.0/8. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Dataset } from '@whence/dataset/dataset';
import { makeMatch } from '@whence/dataset/match';
import { toBigInt } from '@whence/dataset/prefix';
import type { MailSenders } from '@whence/email/mail-senders';
import { networksOf } from './mail-networks.ts';

type Address = Parameters<Dataset['find']>[0];

const block = (address: Address) => Number((toBigInt(address) >> 16n) & 0xffn);

/** The network of each /16 by its second octet; 0 for space that is not announced. */
function datasetOf(asnOf: (octet: number) => number): Dataset {
  const find = (address: Address) =>
    asnOf(block(address)) === 0 ? 0 : makeMatch(16, block(address) + 1);
  const dataset = {
    find,
    bounds: (address: Address) => {
      const start = (toBigInt(address) >> 16n) << 16n;
      return { start, end: start + 0xffffn };
    },
    asnNumber: (match: number) => asnOf((match & 0xffffff) - 1),
    record: (_: Address, match: number) => {
      const asn = asnOf((match & 0xffffff) - 1);
      return {
        asn,
        asn_name: `Network ${asn}`,
        country: 'US',
        connection_type: 'datacenter',
        threat: { level: 'low' },
      };
    },
    threatGap: () => undefined,
  };
  // The part of a dataset that is used here.
  return dataset as unknown as Dataset;
}

const sendersOf = (range: string): MailSenders => ({
  mx: [],
  ranges: [{ range, recordOf: 'example.com' }],
  rangesLeftOut: 0,
  ipv4Addresses: 2 ** 24,
  ipv6Slash48s: 0,
  isOpenToAll: false,
  unlistedTerms: [],
  errors: [],
});

for (const [behaviour, range, asnOf, want] of [
  ['one network', '18.5.0.0/16', () => 3, [[3, 100]]],
  [
    'two networks',
    '18.4.0.0/15',
    (octet) => (octet === 4 ? 3 : 16509),
    [
      [3, 50],
      [16509, 50],
    ],
  ],
  ['partly announced', '18.4.0.0/15', (octet) => (octet === 4 ? 3 : 0), [[3, 50]]],
  [
    'very many parts, of which the first belong to another network',
    '18.0.0.0/8',
    (octet) => (octet < 16 ? 3 : 16509),
    [
      [16509, 94],
      [3, 6],
    ],
  ],
] as const satisfies readonly (readonly [
  string,
  string,
  (octet: number) => number,
  readonly (readonly [number, number])[],
])[])
  test(`mail networks: shares of a range: ${behaviour}`, async () => {
    const { senders, carriers } = await networksOf(datasetOf(asnOf), sendersOf(range));
    const [sender] = senders;
    assert.deepEqual(
      sender?.shares.map(({ asn, percent }) => [asn, percent]),
      want,
    );
    assert.deepEqual(
      [sender?.asn, sender?.asn_count, carriers[0]?.asn],
      [want[0][0], want.length, want[0][0]],
    );
  });
