import assert from 'node:assert/strict';
import test from 'node:test';
import { formatAddress } from '../../address.ts';
import { encodeCountry } from '../../country-code.ts';
import { knownGood } from '../../data-files/data-files.ts';
import type { Drive } from '../../feeds/feed.ts';
import { Dataset } from '../../file/read.ts';
import { type Content, encodeContent, encodeDataset } from '../../file/write.ts';
import { fromBigInt } from '../../prefix.ts';
import { ranges, sampleInput, source } from '../../test/sample-dataset.ts';
import { compile } from '../compile.ts';
import type { CompileInput, Overlay, RangeSource } from '../input/compile-input.ts';
import { checkResult, type PreviousVersion } from './check-result.ts';

/** Five /8s: 0.1% of them are 83,886 addresses. */
const EMBEDDED = sampleInput({
  routes: [1, 2, 3, 4, 5].map((octet) => [`${octet}.0.0.0/8`, 64500 + octet, `Network ${octet}`]),
  countries: [
    ['1.0.0.0/8', 'DE'],
    ['2.0.0.0/8', 'FR'],
    ['3.0.0.0-5.255.255.255', 'US'],
  ],
});

function list(
  id: string,
  drive: Drive,
  prefixes: readonly string[],
  more: Partial<Overlay> = {},
): Overlay {
  const rows = ranges(prefixes.map((prefix) => [prefix, 0]));
  return { source: source(id), drives: [drive], ranges: rows, statements: [{}], ...more };
}

function countries(
  id: string,
  rows: readonly (readonly [range: string, country: string])[],
): RangeSource {
  return {
    source: source(id),
    ranges: ranges(rows.map(([range, country]) => [range, encodeCountry(country)])),
  };
}

/** The first `count` /24s of 1.0.0.0/8. */
function blocks(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `1.${i >> 8}.${i & 255}.0/24`);
}

function contentOf(changes: Partial<CompileInput>): Content {
  return encodeContent(compile({ ...EMBEDDED, ...changes }));
}

function versionOf(content: Content): PreviousVersion {
  const file = encodeDataset(content, 1, new Date(0));
  return { ...content.meta, bytes: file.length, open: () => new Dataset(file) };
}

function check(content: Content, previous: PreviousVersion | undefined) {
  return checkResult(content, new Dataset(encodeDataset(content, 1, new Date(0))), previous);
}

/** `what before → after by sources`, for changes of IPv4 and of files. */
function stopped(
  before: Partial<CompileInput> | undefined,
  after: Partial<CompileInput>,
): string[] {
  const previous = before === undefined ? undefined : versionOf(contentOf(before));
  return check(contentOf(after), previous).map(({ measure, before: from, after: to, sources }) => {
    const what = 'name' in measure ? measure.name : measure.kind;
    return `${what} ${from} → ${to} by ${sources.map(({ id, space }) => `${id} ${space}`).join(', ')}`;
  });
}

const tor = (count: number) => list('tor-exits', 'is_tor_exit', blocks(count));
const withoutThreat = (changes: readonly string[]) =>
  changes.filter((change) => !change.startsWith('threat'));

for (const [behaviour, before, after, want] of [
  ['nothing changed', { overlays: [tor(10)] }, { overlays: [tor(10)] }, []],
  [
    'a flag that grows beyond 3 times and by more than 0.1% of the space',
    { overlays: [tor(10)] },
    { overlays: [tor(400)] },
    ['is_tor_exit 2560 → 102400 by tor-exits 99840'],
  ],
  [
    'a flag that grows by less than 0.1% of the space',
    { overlays: [tor(10)] },
    { overlays: [tor(300)] },
    [],
  ],
  ['a flag that grows less than 3 times', { overlays: [tor(400)] }, { overlays: [tor(1100)] }, []],
  [
    'a flag that loses more than half',
    { overlays: [tor(100)] },
    { overlays: [tor(49)] },
    ['is_tor_exit 25600 → 12544 by tor-exits -13056'],
  ],
  [
    'a flag that is lost because its feed was left out',
    { overlays: [tor(100), list('drop', 'criminal_netblock', ['5.0.0.0/16'])] },
    { overlays: [list('drop', 'criminal_netblock', ['5.0.0.0/16'])] },
    [],
  ],
  [
    'a flag whose feed was left out, while another feed lost more than half of what it flags',
    { overlays: [list('a', 'is_vpn', ['1.0.0.0/20']), list('b', 'is_vpn', ['2.0.0.0/16'])] },
    { overlays: [list('b', 'is_vpn', ['2.0.0.0/18'])] },
    ['is_vpn 69632 → 16384 by b -49152, a -4096'],
  ],
  [
    'a country that turned into another one',
    { countries: [countries('users', []), ...EMBEDDED.countries] },
    { countries: [countries('users', [['1.0.0.0/8', 'RU']]), ...EMBEDDED.countries] },
    ['DE 16777216 → 0 by users -16777216', 'RU 0 → 16777216 by users 16777216'],
  ],
  [
    'a registry that has space of another one',
    {},
    {
      delegations: [
        {
          source: source('nro'),
          ranges: ranges([['2.0.0.0/8', 0]]),
          holders: [{ rir: 'LACNIC' }],
          asns: [],
        },
      ],
    },
    ['LACNIC 0 → 16777216 by nro 16777216'],
  ],
  [
    'answered space that falls by more than 2%',
    {
      routes: [
        {
          ...(EMBEDDED.routes[0] as CompileInput['routes'][number]),
          ranges: ranges([['1.0.0.0/8', 64501]]),
        },
      ],
    },
    {
      routes: [
        {
          ...(EMBEDDED.routes[0] as CompileInput['routes'][number]),
          ranges: ranges([['1.0.0.0-1.249.255.255', 64501]]),
        },
      ],
    },
    ['answered 16777216 → 16384000 by routes -393216'],
  ],
] as const satisfies readonly (readonly [
  string,
  Partial<CompileInput>,
  Partial<CompileInput>,
  readonly string[],
])[])
  test(`result: ${want.length === 0 ? 'published' : 'stopped'}: ${behaviour}`, () => {
    assert.deepEqual(withoutThreat(stopped(before, after)), want);
  });

test('result: a blocklist that covers far more than before is stopped because of its effect on the score', () => {
  const before = { overlays: [list('drop', 'criminal_netblock', ['5.0.0.0/16'])] };
  const after = { overlays: [list('drop', 'criminal_netblock', ['5.0.0.0/16', '4.0.0.0/8'])] };
  assert.deepEqual(stopped(before, after), ['threat 65536 → 16842752 by drop 16777216']);
});

test('result: a file that is more than 3 times as large is stopped', () => {
  const content = contentOf({});
  const previous = versionOf(content);
  assert.deepEqual(check(content, { ...previous, bytes: previous.bytes / 2 }), []);
  const [change] = check(content, { ...previous, bytes: Math.floor(previous.bytes / 4) });
  assert.deepEqual(
    [change?.measure.kind, change?.limit, change?.sources],
    ['bytes', 'at most 3 times', []],
  );
});

for (const [behaviour, after, want] of [
  ['a usual share of Tor exits', { overlays: [tor(20)] }, []],
  ['too many Tor exits', { overlays: [tor(400)] }, ['is_tor_exit 0 → 102400 by tor-exits 102400']],
  [
    'a tenth of all addresses with a score',
    { overlays: [list('drop', 'criminal_netblock', ['1.0.0.0/9'])] },
    ['threat 0 → 8388608 by drop 8388608'],
  ],
] as const satisfies readonly (readonly [string, Partial<CompileInput>, readonly string[]])[])
  test(`result: the first version built from feeds, with ${behaviour}`, () => {
    assert.deepEqual(stopped(undefined, after), want);
  });

/** AS3320 connects homes by the table of networks. */
const HOMES = sampleInput({
  routes: [
    ['80.128.0.0/11', 3320, 'Deutsche Telekom AG'],
    ['5.0.0.0/8', 64505, 'Network 5'],
  ],
  countries: [
    ['80.128.0.0/11', 'DE'],
    ['5.0.0.0/8', 'FR'],
  ],
});
const homeBlocks = (count: number) =>
  Array.from({ length: count }, (_, i) => `80.${128 + i}.0.0/16`);
const networkList = (id: string, drive: Drive) => ({
  source: source(id),
  drives: [drive],
  networks: new Set([3320]),
});

for (const [behaviour, before, after, want] of [
  [
    'a list of VPNs that names a third of it',
    undefined,
    { overlays: [list('vpns', 'is_vpn', homeBlocks(11))] },
    ['is_vpn'],
  ],
  [
    'a list of VPNs that names a tenth of it',
    undefined,
    { overlays: [list('vpns', 'is_vpn', homeBlocks(3))] },
    [],
  ],
  [
    'a list of hosting prefixes that names all of it',
    undefined,
    { overlays: [list('hosts', 'is_datacenter', homeBlocks(32))] },
    [],
  ],
  [
    "a cloud's list that names all of it",
    undefined,
    { overlays: [list('cloud', 'cloud_provider', homeBlocks(32), { provider: 'Example' })] },
    ['is_datacenter'],
  ],
  [
    'a list of VPN networks that names it',
    undefined,
    { networkLists: [networkList('vpn-networks', 'is_vpn')] },
    ['is_vpn'],
  ],
  [
    'a list of criminal networks that names it',
    undefined,
    { networkLists: [networkList('asn-drop', 'criminal_netblock')] },
    ['threat'],
  ],
  [
    'the same list as in the version before, which was accepted',
    { overlays: [list('vpns', 'is_vpn', homeBlocks(11))] },
    { overlays: [list('vpns', 'is_vpn', homeBlocks(12))] },
    [],
  ],
  [
    'a list that named few of its addresses in the version before',
    { overlays: [list('vpns', 'is_vpn', homeBlocks(7))] },
    { overlays: [list('vpns', 'is_vpn', homeBlocks(12))] },
    ['is_vpn'],
  ],
] as const satisfies readonly (readonly [
  string,
  Partial<CompileInput> | undefined,
  Partial<CompileInput>,
  readonly string[],
])[])
  test(`result: an access network and ${behaviour}: ${want.length === 0 ? 'published' : 'stopped'}`, () => {
    const content = (changes: Partial<CompileInput>) =>
      encodeContent(compile({ ...HOMES, ...changes }));
    const previous = before === undefined ? undefined : versionOf(content(before));
    const homes = check(content(after), previous).filter(
      ({ measure }) => measure.kind === 'access network',
    );
    assert.deepEqual(
      homes.map(({ measure }) => measure.kind === 'access network' && measure.name),
      want,
    );
    for (const { measure, sources } of homes) {
      assert.equal(measure.kind === 'access network' && measure.asn, 3320);
      assert.equal(sources.length, 1);
      assert.ok((sources[0]?.space ?? 0) > 0);
    }
  });

test('result: the first version built from feeds, with one country nearly everywhere', () => {
  const everywhere = {
    countries: [countries('users', [['1.0.0.0-5.255.255.255', 'RU']]), ...EMBEDDED.countries],
  };
  assert.deepEqual(stopped(undefined, everywhere), ['RU 0 → 83886080 by users 83886080']);
});

test('result: without the file of the previous version the causes are unknown', () => {
  const previous = { ...versionOf(contentOf({ overlays: [tor(10)] })), open: () => undefined };
  const [change] = check(contentOf({ overlays: [tor(400)] }), previous);
  assert.deepEqual(
    [change?.after, change?.sources],
    [102400, [{ id: 'tor-exits', space: 102400 }]],
  );
});

/** A row of known-good.csv of which the dataset itself does not know that it is one. */
for (const [behaviour, drive, want] of [
  [
    'a list of proxies',
    'is_proxy',
    ['is_proxy 0 → 1 by listed 1', 'threat.score 0 → 1 by listed 1'],
  ],
  ['a list of VPN servers', 'is_vpn', ['is_vpn 0 → 1 by listed 1']],
  ['a list of criminal netblocks', 'criminal_netblock', ['threat.score 0 → 1 by listed 1']],
  ['a list of datacenters', 'is_datacenter', []],
] as const)
  test(`result: ${want.length === 0 ? 'published' : 'stopped'}: ${behaviour} that names a known service`, () => {
    const { prefix } =
      knownGood.rows.find(
        ({ prefix: { version, start, end } }) => version === 4 && start === end,
      ) ?? assert.fail();
    const ip = formatAddress(fromBigInt(prefix.start, 4));
    const { routes } = sampleInput({ routes: [[`${ip}/32`, 64501, 'Network']] });
    assert.deepEqual(stopped(undefined, { routes, overlays: [list('listed', drive, [ip])] }), want);
    const named = list('known', 'known_good', [ip], { operator: 'Example Monitor' });
    assert.deepEqual(
      stopped(undefined, { routes, overlays: [list('listed', drive, [ip]), named] }),
      [],
    );
  });
