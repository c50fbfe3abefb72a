import assert from 'node:assert/strict';
import test from 'node:test';
import { parseAddress } from '../address.ts';
import { encodeCountry } from '../country-code.ts';
import type { Drive } from '../feeds/feed.ts';
import type { Dataset } from '../file/read.ts';
import { encodeContent } from '../file/write.ts';
import { explain } from '../lookup/evidence.ts';
import { withOverrides } from '../overrides/overlaid-dataset.ts';
import { parseOverrides } from '../overrides/overrides.ts';
import {
  contentOf,
  datasetOf,
  ranges,
  type Sample,
  sampleInput,
  source,
} from '../test/sample-dataset.ts';
import { compileBeside } from './compile.ts';
import type { CompileInput, NetworkList, Overlay } from './input/compile-input.ts';

const SAMPLE: Sample = {
  routes: [
    ['1.0.0.0/16', 64500, 'Example Widgets'],
    ['2.0.0.0/16', 64501, 'Second Network'],
    ['3.0.0.0/16', 16509, 'Amazon'],
    ['4.0.0.0/16', 7922, 'Comcast'],
    ['5.0.0.0/16', 64502, 'Fiber Broadband Internet Service'],
    ['6.0.0.0/16', 1299, 'Arelion'],
    ['2a00::/32', 64500, 'Example Widgets'],
  ],
  countries: [['1.0.0.0/16', 'DE']],
  delegated: [['1.0.0.0/16', 'AU']],
};

function overlay(
  id: string,
  drives: readonly Drive[],
  prefixes: readonly string[],
  more: Partial<Overlay> = {},
): Overlay {
  return {
    source: source(id),
    drives,
    ranges: ranges(prefixes.map((prefix) => [prefix, 0])),
    statements: [{}],
    ...more,
  };
}

function list(
  id: string,
  drives: readonly Drive[],
  asns: readonly number[],
  more: Partial<NetworkList> = {},
): NetworkList {
  return { source: source(id), drives, networks: new Set(asns), ...more };
}

function dataset(changes: Partial<CompileInput>, sample = SAMPLE): Dataset {
  return datasetOf({ ...sampleInput(sample), ...changes });
}

function answer(data: Dataset, ip: string) {
  const address = parseAddress(ip);
  if (address === undefined) throw new Error(ip);
  const match = data.find(address);
  if (match === 0) return undefined;
  const { detection, threat, ...record } = data.record(address, match);
  return { ...record, ...detection, ...threat, evidence: explain(data, address, match) };
}

type Answer = NonNullable<ReturnType<typeof answer>>;

const RELAY = { operator: 'Example Relay', isRelay: true } as const;
const RELAY_FRIENDS = {
  namesTorOperators: true,
  statements: [{ label: 'Relay Friends' }],
} as const;

/** Fields that only the evidence has. */
const NAMES: readonly string[] = [
  'crawler',
  'scanner',
  'known_good',
  'relay',
  'vpn_service',
  'tor_operator',
  'cloud_region',
];

for (const [behaviour, changes, ip, want] of [
  [
    'a VPN list',
    { overlays: [overlay('x4b-vpn', ['is_vpn'], ['1.0.7.0/24'])] },
    '1.0.7.9',
    { is_vpn: true, score: 15, level: 'low', prefix: '1.0.0.0/16' },
  ],
  [
    'an address next to a listed prefix is not flagged',
    { overlays: [overlay('x4b-vpn', ['is_vpn'], ['1.0.7.0/24'])] },
    '1.0.8.9',
    { is_vpn: false, score: 0 },
  ],
  [
    'a proxy',
    { overlays: [overlay('proxies', ['is_proxy'], ['1.0.7.7'])] },
    '1.0.7.7',
    { is_proxy: true, score: 35, level: 'medium' },
  ],
  [
    'a Tor exit',
    { overlays: [overlay('tor-exits', ['is_tor_exit'], ['1.0.7.7'])] },
    '1.0.7.7',
    { is_tor_exit: true, score: 45 },
  ],
  [
    'a cloud, its region and its country',
    {
      overlays: [
        overlay('aws', ['cloud_provider', 'country'], ['1.0.7.0/24'], {
          provider: 'AWS',
          statements: [{ country: 'JP' }],
        }),
      ],
    },
    '1.0.7.7',
    {
      cloud_provider: 'AWS',
      is_datacenter: true,
      connection_type: 'datacenter',
      country: 'JP',
      score: 0,
      explanation: undefined,
    },
  ],
  [
    'a service of the owner of a cloud is not for rent, also where the list of the cloud has it',
    {
      overlays: [
        overlay('azure', ['cloud_provider'], ['1.0.7.0/24'], { provider: 'Azure' }),
        overlay('own-services', ['cloud_provider'], ['1.0.7.0/25'], {}),
      ],
    },
    '1.0.7.7',
    { connection_type: 'datacenter', cloud_provider: undefined },
  ],
  [
    'a cloud range inside a residential network is a datacenter',
    { overlays: [overlay('aws', ['cloud_provider'], ['4.0.7.0/24'], { provider: 'AWS' })] },
    '4.0.7.7',
    { is_datacenter: true, is_residential: false },
  ],
  [
    'a crawler in a cloud keeps the cloud provider',
    { overlays: [overlay('crawler', ['is_ai_crawler'], ['3.0.7.0/24'], { company: 'OpenAI' })] },
    '3.0.7.7',
    { is_ai_crawler: true, ai_company: 'OpenAI', is_datacenter: true, cloud_provider: 'AWS' },
  ],
  [
    'a crawler of a search engine is not an AI crawler',
    {
      overlays: [overlay('crawler-google', ['crawler'], ['3.0.7.0/24'], { crawler: 'Googlebot' })],
    },
    '3.0.7.7',
    { is_ai_crawler: false, ai_company: undefined, is_datacenter: true, score: 0 },
  ],
  [
    'a privacy relay is not a VPN and adds nothing to the score',
    { overlays: [overlay('relay', ['is_vpn'], ['1.0.7.0/24'], RELAY)] },
    '1.0.7.7',
    { is_vpn: false, score: 0, explanation: undefined },
  ],
  [
    'a privacy relay over IPv6 is not a VPN',
    {
      overlays: [
        overlay('x4b-vpn', ['is_vpn'], ['2a00::/48']),
        overlay('relay', ['is_vpn'], ['2a00::/64'], RELAY),
      ],
    },
    '2a00::7',
    { is_vpn: false, score: 0 },
  ],
  [
    'an address next to the relay keeps what a list says',
    {
      overlays: [
        overlay('x4b-vpn', ['is_vpn'], ['2a00::/48']),
        overlay('relay', ['is_vpn'], ['2a00::/64'], RELAY),
      ],
    },
    '2a00:0:0:1::7',
    { is_vpn: true, score: 15 },
  ],
  [
    'reports about a privacy relay add no points',
    {
      overlays: [
        overlay('relay', ['is_vpn'], ['1.0.7.0/24'], RELAY),
        overlay('reports', ['blocklist'], ['1.0.7.7'], { statements: [{ lists: 4 }] }),
      ],
    },
    '1.0.7.7',
    {
      score: 0,
      explanation: undefined,
    },
  ],
  [
    'a privacy relay on hijacked space keeps the points of the hijack',
    {
      overlays: [
        overlay('relay', ['is_vpn'], ['1.0.7.0/24'], RELAY),
        overlay('drop', ['criminal_netblock'], ['1.0.0.0/16']),
      ],
    },
    '1.0.7.7',
    { score: 90 },
  ],
  [
    'a Tor exit on a VPN list is counted once',
    {
      overlays: [
        overlay('tor-exits', ['is_tor_exit'], ['1.0.7.7']),
        overlay('x4b-vpn', ['is_vpn'], ['1.0.7.0/24']),
      ],
    },
    '1.0.7.7',
    {
      is_tor_exit: true,
      is_vpn: false,
      score: 45,
      explanation: ['Tor exit (tor-exits, 2026-11-01): +45'],
    },
  ],
  [
    'a generic VPN list does not make a VPN of a CDN',
    {
      overlays: [
        overlay('bunny', ['cloud_provider'], ['1.0.7.7'], { provider: 'Bunny' }),
        overlay('x4b-vpn', ['is_vpn'], ['1.0.7.7'], { isGeneric: true }),
      ],
    },
    '1.0.7.7',
    { is_vpn: false, score: 0, cloud_provider: 'Bunny' },
  ],
  [
    'a generic VPN list names servers in other clouds',
    {
      overlays: [
        overlay('aws', ['cloud_provider'], ['1.0.7.7'], { provider: 'AWS' }),
        overlay('x4b-vpn', ['is_vpn'], ['1.0.7.7'], { isGeneric: true }),
      ],
    },
    '1.0.7.7',
    { is_vpn: true, score: 15 },
  ],
  [
    'a list that contains another one adds nothing to it',
    {
      overlays: [
        overlay('drop', ['criminal_netblock'], ['1.0.7.0/24']),
        overlay('et-block', ['blocklist'], ['1.0.7.0/24', '1.0.8.0/24'], {
          statements: [{ lists: 1 }],
          contains: ['drop'],
        }),
      ],
    },
    '1.0.7.7',
    { score: 90, explanation: ['criminal netblock (drop, 2026-11-01): +90'] },
  ],
  [
    'a list that contains another one counts for what only it has',
    {
      overlays: [
        overlay('drop', ['criminal_netblock'], ['1.0.7.0/24']),
        overlay('et-block', ['blocklist'], ['1.0.8.0/24'], { contains: ['drop'] }),
      ],
    },
    '1.0.8.7',
    { score: 15 },
  ],
  [
    'an aggregate counts for the lists that are not counted already',
    {
      overlays: [
        overlay('drop', ['criminal_netblock'], ['1.0.7.0/24']),
        overlay('aggregate', ['blocklist'], ['1.0.7.0/24'], {
          statements: [{ lists: 2 }],
          contains: ['drop'],
        }),
      ],
    },
    '1.0.7.7',
    {
      score: 100,
      explanation: [
        'criminal netblock (drop, 2026-11-01): +90',
        'on a blocklist (aggregate, 2026-11-01): +15',
      ],
    },
  ],
  [
    'reports about the NAT of a mobile network stay below 50 and are explained',
    {
      networkLists: [list('types', ['connection_type'], [64500], { type: 'mobile' })],
      overlays: [overlay('reports', ['blocklist'], ['1.0.7.7'], { statements: [{ lists: 5 }] })],
    },
    '1.0.7.7',
    {
      is_mobile: true,
      score: 49,
      level: 'medium',
      explanation: [
        'on 5 blocklists, limited because many people share the address (reports, 2026-11-01): +49',
      ],
    },
  ],
  [
    'a phone has an IPv6 address of its own, so its reports count',
    {
      networkLists: [list('types', ['connection_type'], [64500], { type: 'mobile' })],
      overlays: [overlay('reports', ['blocklist'], ['2a00::7'], { statements: [{ lists: 5 }] })],
    },
    '2a00::7',
    { is_mobile: true, score: 80 },
  ],
  [
    'a criminal netblock in a mobile network keeps its points',
    {
      networkLists: [list('types', ['connection_type'], [64500], { type: 'mobile' })],
      overlays: [overlay('drop', ['criminal_netblock'], ['1.0.7.0/24'])],
    },
    '1.0.7.7',
    { is_mobile: true, score: 90 },
  ],
  [
    'a crawler that its operator publishes stays low',
    {
      overlays: [
        overlay('crawler-google', ['crawler'], ['3.0.7.0/24'], { crawler: 'Googlebot' }),
        overlay('reports', ['blocklist'], ['3.0.7.7'], { statements: [{ lists: 3 }] }),
      ],
    },
    '3.0.7.7',
    {
      score: 24,
      level: 'low',
      explanation: [
        'on 3 blocklists, limited because a crawler uses the address (reports, 2026-11-01): +24',
      ],
    },
  ],
  [
    'a known service stays low, whatever lists say',
    {
      overlays: [
        overlay('known-good', ['known_good'], ['1.0.7.0/24'], {
          statements: [{ label: 'Example Monitor' }],
        }),
        overlay('drop', ['criminal_netblock'], ['1.0.7.0/24']),
        overlay('reports', ['blocklist'], ['1.0.7.7'], { statements: [{ lists: 5 }] }),
      ],
    },
    '1.0.7.7',
    {
      score: 24,
      level: 'low',
      explanation: [
        'criminal netblock, limited because Example Monitor uses the address (drop, 2026-11-01): +24',
      ],
    },
  ],
  [
    'a research scanner is at most medium, and named',
    {
      overlays: [
        overlay('scanners', ['scanner'], ['1.0.7.0/24'], {
          statements: [{ label: 'Example Scans' }],
        }),
        overlay('reports', ['blocklist'], ['1.0.7.7'], { statements: [{ lists: 5 }] }),
      ],
    },
    '1.0.7.7',
    {
      score: 49,
      level: 'medium',
      explanation: [
        'on 5 blocklists, limited because Example Scans scans from the address (reports, 2026-11-01): +49',
      ],
    },
  ],
  [
    'a scanner that no list reports has no points',
    {
      overlays: [
        overlay('scanner-list', ['scanner'], ['1.0.7.0/24'], { operator: 'Example Scans' }),
      ],
    },
    '1.0.7.7',
    { score: 0, explanation: undefined },
  ],
  [
    'a list of scanners without names says nothing',
    {
      overlays: [
        overlay('scanner-list', ['scanner'], ['1.0.7.0/24']),
        overlay('reports', ['blocklist'], ['1.0.7.7'], { statements: [{ lists: 5 }] }),
      ],
    },
    '1.0.7.7',
    { score: 80 },
  ],
  [
    'a Tor exit that is reported for what its users did is at most medium',
    {
      overlays: [
        overlay('tor-exits', ['is_tor_exit'], ['1.0.7.7']),
        overlay('reports', ['blocklist'], ['1.0.7.7'], { statements: [{ lists: 5 }] }),
      ],
    },
    '1.0.7.7',
    {
      is_tor_exit: true,
      score: 49,
      explanation: [
        'on 5 blocklists, limited because many people share the exit (reports, 2026-11-01): +49',
      ],
    },
  ],
  [
    'a Tor exit in a criminal netblock keeps its points',
    {
      overlays: [
        overlay('tor-exits', ['is_tor_exit'], ['1.0.7.7']),
        overlay('drop', ['criminal_netblock'], ['1.0.7.0/24']),
      ],
    },
    '1.0.7.7',
    { is_tor_exit: true, score: 100 },
  ],
  [
    'a privacy relay on another VPN list is not a VPN',
    {
      overlays: [
        overlay('x4b-vpn', ['is_vpn'], ['1.0.7.0/24']),
        overlay('relay', ['is_vpn'], ['1.0.7.0/24'], RELAY),
      ],
    },
    '1.0.7.7',
    { is_vpn: false, score: 0, explanation: undefined },
  ],
  [
    'a list of hosting prefixes comes before a rule on names',
    { overlays: [overlay('x4b-datacenter', ['is_datacenter'], ['5.0.7.0/24'])] },
    '5.0.7.7',
    { connection_type: 'datacenter' },
  ],
  [
    'a list of hosting prefixes does not overrule the hand-written table',
    { overlays: [overlay('x4b-datacenter', ['is_datacenter'], ['4.0.7.0/24'])] },
    '4.0.7.7',
    { connection_type: 'residential' },
  ],
  [
    'a list of hosting prefixes finds the data centres of a carrier',
    { overlays: [overlay('x4b-datacenter', ['is_datacenter'], ['6.0.7.0/24'])] },
    '6.0.7.7',
    { connection_type: 'datacenter' },
  ],
  [
    'a list of hosting networks does not make a carrier a data centre',
    { networkLists: [list('bad-asn', ['is_datacenter'], [1299])] },
    '6.0.0.1',
    { connection_type: 'business', is_datacenter: false },
  ],
  [
    'addresses of another kind than their network, before a hosting list',
    {
      overlays: [
        overlay('address-types', ['connection_type'], ['4.0.7.0/24'], {
          statements: [{ type: 'mobile' }],
        }),
        overlay('x4b-datacenter', ['is_datacenter'], ['4.0.7.0/24']),
      ],
    },
    '4.0.7.7',
    { connection_type: 'mobile', is_mobile: true },
  ],
  [
    'networks on a hosting list',
    { networkLists: [list('bad-asn', ['is_datacenter'], [64500])] },
    '1.0.0.1',
    { is_datacenter: true, score: 0, explanation: undefined },
  ],
  [
    'networks on a list of one connection type',
    { networkLists: [list('bgptools-mobile', ['connection_type'], [64500], { type: 'mobile' })] },
    '1.0.0.1',
    { is_mobile: true },
  ],
  [
    'of two lists of connection types the first decides',
    {
      networkLists: [
        list('isp-list', ['connection_type'], [64500], { type: 'education' }),
        list('other-list', ['connection_type'], [64500], { type: 'mobile' }),
      ],
    },
    '1.0.0.1',
    { connection_type: 'education' },
  ],
  [
    'a list of connection types comes before a list of hosting networks',
    {
      networkLists: [
        list('bad-asn', ['is_datacenter'], [64500]),
        list('isp-list', ['connection_type'], [64500], { type: 'education' }),
      ],
    },
    '1.0.0.1',
    { connection_type: 'education' },
  ],
  [
    'the hand-written table comes before every list',
    { networkLists: [list('isp-list', ['connection_type'], [7922], { type: 'education' })] },
    '4.0.0.1',
    { connection_type: 'residential' },
  ],
  [
    'networks of a VPN',
    { networkLists: [list('bgptools-vpn', ['is_vpn'], [64500])] },
    '1.0.0.1',
    { is_vpn: true, score: 15 },
  ],
  [
    'networks of criminal operators',
    { networkLists: [list('asn-drop', ['criminal_netblock'], [64500])] },
    '1.0.0.1',
    { score: 90, level: 'critical' },
  ],
  [
    'a criminal netblock with the number of its listing',
    {
      overlays: [
        overlay('drop', ['criminal_netblock'], ['1.0.8.0/22'], {
          statements: [{ label: 'SBL256894' }],
        }),
      ],
    },
    '1.0.9.1',
    { score: 90, explanation: ['criminal netblock SBL256894 (drop, 2026-11-01): +90'] },
  ],
  [
    'lists add up, and every contribution is explained',
    {
      overlays: [
        overlay('proxies', ['is_proxy'], ['3.0.7.7']),
        overlay('blocklist-de', ['blocklist'], ['3.0.7.7']),
        overlay('cins', ['blocklist'], ['3.0.7.0/24']),
        overlay('ipsum', ['blocklist'], ['3.0.7.7'], { statements: [{ lists: 4 }] }),
      ],
    },
    '3.0.7.7',
    {
      score: 100,
      level: 'critical',
      explanation: [
        'public proxy (proxies, 2026-11-01): +35',
        'on 4 blocklists (ipsum, 2026-11-01): +35',
        'on a blocklist (blocklist-de, 2026-11-01): +15',
        'on a blocklist (cins, 2026-11-01): +15',
      ],
    },
  ],
  [
    'a bogon on a blocklist',
    { overlays: [overlay('firehol', ['blocklist'], ['10.0.0.0/8', '1.0.7.7'])] },
    '10.1.2.3',
    undefined,
  ],
] as const satisfies readonly (readonly [
  string,
  Partial<CompileInput>,
  string,
  object | undefined,
])[]) {
  test(`compile: ${behaviour}`, () => {
    const got = answer(dataset(changes), ip);
    if (want === undefined) assert.equal(got, undefined);
    else assert.deepEqual(pick(got, want), want);
  });
}

/**
 * 9.0.0.0/16 is a hosting network by its name; the list names two servers in each of its first
 * /24s.
 */
const HOSTING = sampleInput({ routes: [['9.0.0.0/16', 64530, 'Example Hosting']] });
const SERVERS = overlay('servers', ['is_vpn'], ['9.0.1.1', '9.0.1.2'], {
  isGeneric: true,
  operator: 'Example VPN',
});
const WIDE = overlay('wide', ['is_vpn'], ['9.0.1.0/24'], { isGeneric: true });
const MONITOR = overlay('monitor', ['known_good'], ['9.0.1.7', '9.0.1.1'], {
  operator: 'Example Monitor',
});
const SCANS = overlay('scans', ['scanner'], ['9.0.1.7', '9.0.1.1'], { operator: 'Example Scans' });
const INFERRED = 'is_vpn true, neighbour of 2 listed servers';
const OVERRULED = 'is_vpn false, what names the address itself comes first';
const NETWORK = list('vpn-asns', ['is_vpn'], [64530]);

for (const [behaviour, changes, ip, want] of [
  [
    'a neighbour of listed servers is one, and says so',
    { overlays: [SERVERS] },
    '9.0.1.7',
    [INFERRED],
  ],
  [
    'a known service next to listed servers is none',
    { overlays: [SERVERS, MONITOR] },
    '9.0.1.7',
    [OVERRULED],
  ],
  [
    'a scanner next to listed servers is none',
    { overlays: [SERVERS, SCANS] },
    '9.0.1.7',
    [OVERRULED],
  ],
  [
    'a scanner in a listed block is none',
    { overlays: [SERVERS, WIDE, SCANS] },
    '9.0.1.7',
    [OVERRULED, OVERRULED],
  ],
  [
    'a crawler in a network of a VPN is none',
    {
      networkLists: [NETWORK],
      overlays: [overlay('bot', ['crawler'], ['9.0.1.7'], { crawler: 'Examplebot' })],
    },
    '9.0.1.7',
    [OVERRULED],
  ],
  [
    'a node of a CDN in a network of a VPN is none',
    {
      networkLists: [NETWORK],
      overlays: [overlay('cdn', ['cloud_provider'], ['9.0.1.7'], { provider: 'Bunny' })],
    },
    '9.0.1.7',
    [OVERRULED],
  ],
  [
    'a scanner that the list names is one',
    { overlays: [SERVERS, SCANS] },
    '9.0.1.1',
    ['is_vpn true'],
  ],
  [
    'a known service that the list names is none',
    { overlays: [SERVERS, MONITOR] },
    '9.0.1.1',
    [OVERRULED],
  ],
] as const satisfies readonly (readonly [
  string,
  Partial<CompileInput>,
  string,
  readonly string[],
])[])
  test(`compile: VPN: ${behaviour}`, () => {
    const got = answer(datasetOf({ ...HOSTING, ...changes }), ip);
    const rows = got?.evidence.filter(({ field }) => field === 'is_vpn');
    assert.deepEqual(
      rows?.map(({ field, value, note }) => [`${field} ${value}`, note].filter(Boolean).join(', ')),
      want,
    );
    const isFlagged = want[0]?.startsWith('is_vpn true');
    assert.equal(got?.is_vpn, isFlagged);
    const reason =
      want[0] === INFERRED ? 'VPN, neighbour of 2 listed servers' : 'VPN operator Example VPN';
    assert.deepEqual(
      got?.explanation,
      isFlagged ? [`${reason} (servers, 2026-11-01): +15`] : undefined,
    );
  });

test('compile: networks that a thread describes make the same dataset', async () => {
  const input = {
    ...sampleInput(SAMPLE),
    networkLists: [
      list('hosting', ['is_datacenter'], [64501]),
      list('vpn', ['is_vpn'], [64502], { operator: 'Example VPN' }),
      list('criminal', ['criminal_netblock'], [64500]),
    ],
  };
  const { meta } = encodeContent(await compileBeside(input, () => {}));
  assert.deepEqual(meta, contentOf(input).meta);
});

test('compile: an overlay that changes no record divides no interval', () => {
  const input = sampleInput(SAMPLE);
  const silent = overlay('silent', [], ['1.0.0.0/24', '1.0.5.0/24']);
  const intervals = (overlays: readonly Overlay[]) =>
    contentOf({ ...input, overlays }).meta.counts.ipv4_intervals;
  assert.equal(intervals([...input.overlays, silent]), intervals(input.overlays));
});

test('compile: a known service has no flag from any list, and points below medium', () => {
  const lists = (['is_tor_exit', 'is_proxy', 'is_vpn', 'criminal_netblock'] as const).map((drive) =>
    overlay(drive, [drive], ['9.0.1.7']),
  );
  const { is_tor_exit, is_proxy, is_vpn, score } =
    answer(datasetOf({ ...HOSTING, overlays: [MONITOR, ...lists] }), '9.0.1.7') ?? {};
  assert.deepEqual([is_tor_exit, is_proxy, is_vpn, score], [false, false, false, 24]);
});

test('compile: evidence says why a list adds no points', () => {
  const reports = overlay('reports', ['blocklist'], ['9.0.1.7'], { statements: [{ lists: 4 }] });
  const data = datasetOf({
    ...HOSTING,
    overlays: [overlay('relay', ['is_vpn'], ['9.0.1.7'], RELAY), reports],
  });
  const rows = answer(data, '9.0.1.7')?.evidence.filter(({ field }) => field.startsWith('threat'));
  assert.deepEqual(
    rows?.map(({ field, value, note }) => [field, value, note]),
    [['threat.score', 0, 'limited because many people share the address']],
  );
});

test('compile: evidence of a contribution names the list, its points and what it listed', () => {
  const data = dataset({ overlays: [overlay('cins', ['blocklist'], ['1.0.7.0/24'])] });
  const rows = answer(data, '1.0.7.7')?.evidence.filter(({ field }) => field === 'threat.score');
  assert.deepEqual(rows, [
    { field: 'threat.score', value: 15, source: 'cins', prefix: '1.0.7.0/24', as_of: '2026-11-01' },
  ]);
});

for (const [behaviour, changes, ip, want] of [
  [
    'the crawler of a search engine',
    {
      overlays: [overlay('crawler-google', ['crawler'], ['3.0.7.0/24'], { crawler: 'Googlebot' })],
    },
    '3.0.7.7',
    [['crawler', 'Googlebot', 'crawler-google', '3.0.7.0/24']],
  ],
  [
    'every AI crawler of a shared range',
    {
      overlays: [
        overlay('gptbot', ['is_ai_crawler'], ['3.0.7.0/24'], {
          company: 'OpenAI',
          crawler: 'GPTBot',
        }),
        overlay('searchbot', ['is_ai_crawler'], ['3.0.7.0/25'], {
          company: 'OpenAI',
          crawler: 'OAI-SearchBot',
        }),
      ],
    },
    '3.0.7.7',
    [
      ['crawler', 'GPTBot', 'gptbot', '3.0.7.0/24'],
      ['crawler', 'OAI-SearchBot', 'searchbot', '3.0.7.0/25'],
    ],
  ],
  [
    'a scanner and a known service',
    {
      overlays: [
        overlay('scanners', ['scanner'], ['1.0.7.0/24'], {
          statements: [{ label: 'Example Scans' }],
        }),
        overlay('monitor', ['known_good'], ['1.0.7.0/25'], { operator: 'Example Monitor' }),
      ],
    },
    '1.0.7.7',
    [
      ['scanner', 'Example Scans', 'scanners', '1.0.7.0/24'],
      ['known_good', 'Example Monitor', 'monitor', '1.0.7.0/25'],
    ],
  ],
  [
    'the relay that the address belongs to',
    { overlays: [overlay('relay', ['is_vpn'], ['1.0.7.0/24'], RELAY)] },
    '1.0.7.7',
    [['relay', 'Example Relay', 'relay', '1.0.7.0/24']],
  ],
  [
    'the service of a VPN list, once per list that knows it',
    {
      overlays: [
        overlay('vpn-example', ['is_vpn'], ['1.0.7.0/24'], { operator: 'Example VPN' }),
        overlay('x4b-vpn', ['is_vpn'], ['1.0.0.0/17']),
      ],
    },
    '1.0.7.7',
    [['vpn_service', 'Example VPN', 'vpn-example', '1.0.7.0/24']],
  ],
  [
    'the service whose list of networks has the network',
    { networkLists: [{ ...list('vpn-asns', ['is_vpn'], [64500]), operator: 'Example VPN' }] },
    '1.0.7.7',
    [['vpn_service', 'Example VPN', 'vpn-asns', '1.0.0.0/16']],
  ],
  [
    'the operator of a Tor exit',
    { overlays: [overlay('tor', ['is_tor_exit'], ['1.0.7.7'], RELAY_FRIENDS)] },
    '1.0.7.7',
    [['tor_operator', 'Relay Friends', 'tor', '1.0.7.7/32']],
  ],
  [
    'the operator of an exit by another source than the one that lists it',
    {
      overlays: [
        overlay('tor-exits', ['is_tor_exit'], ['1.0.7.7']),
        overlay('tor-blocks', [], ['1.0.7.0/28'], RELAY_FRIENDS),
      ],
    },
    '1.0.7.7',
    [['tor_operator', 'Relay Friends', 'tor-blocks', '1.0.7.7/32']],
  ],
  [
    'no operator where there is no exit',
    { overlays: [overlay('tor-blocks', [], ['1.0.7.0/28'], RELAY_FRIENDS)] },
    '1.0.7.7',
    [],
  ],
  [
    'the region of a cloud',
    {
      overlays: [
        overlay('cloud', ['cloud_provider', 'country'], ['1.0.7.0/24'], {
          provider: 'Example Cloud',
          statements: [{ country: 'DE', region: 'eu-central-1' }],
        }),
      ],
    },
    '1.0.7.7',
    [['cloud_region', 'eu-central-1', 'cloud', '1.0.7.0/24']],
  ],
] as const satisfies readonly (readonly [string, Partial<CompileInput>, string, unknown])[]) {
  test(`compile: evidence names ${behaviour}`, () => {
    const rows = answer(dataset(changes), ip)?.evidence.filter(({ field }) =>
      NAMES.includes(field),
    );
    assert.deepEqual(
      rows?.map(({ field, value, source: from, prefix }) => [field, value, from, prefix]),
      want,
    );
  });
}

for (const [behaviour, ip, want] of [
  ['the first routing table decides', '1.0.4.1', { asn: 64510, prefix: '1.0.4.0/24' }],
  ['a later routing table fills gaps', '1.0.5.1', { asn: 64500 }],
  ['a gap is answered with the part of the prefix inside it', '1.0.5.1', { prefix: '1.0.5.0/24' }],
  [
    'a prefix that no earlier table cuts is answered whole',
    '2.0.4.1',
    { asn: 64501, prefix: '2.0.0.0/16' },
  ],
] as const) {
  test(`compile: ${behaviour}`, () => {
    const input = sampleInput(SAMPLE);
    const first = {
      source: source('ris'),
      ranges: ranges([['1.0.4.0/24', 64510]]),
      otherOrigins: [],
    };
    assert.deepEqual(
      pick(answer(datasetOf({ ...input, routes: [first, ...input.routes] }), ip), want),
      want,
    );
  });
}

test('compile: other origins of a prefix are evidence', () => {
  const start = 0x01000000n;
  const input = sampleInput(SAMPLE);
  const routes = input.routes.map((route) => ({
    ...route,
    otherOrigins: [64503, 64504].map((asn) => ({ version: 4 as const, start, length: 16, asn })),
  }));
  const rows = answer(datasetOf({ ...input, routes }), '1.0.0.1')?.evidence.filter(
    ({ field }) => field === 'asn',
  );
  assert.deepEqual(
    rows?.map(({ value, prefix }) => [value, prefix]),
    [
      [64500, '1.0.0.0/16'],
      [64503, '1.0.0.0/16'],
      [64504, '1.0.0.0/16'],
    ],
  );
});

const NOWHERE = { source: source('delegated'), ranges: ranges([]) };

const delegation = {
  source: source('nro'),
  ranges: ranges([
    ['1.0.0.0/17', 0],
    ['2.0.0.0/16', 1],
    ['2a00::/32', 1],
  ]),
  holders: [{ rir: 'LACNIC', country: 'BR' } as const, { rir: 'AFRINIC' } as const],
  asns: [
    { first: 64500, last: 64501, rir: 'RIPE', country: 'SE', registered: '2001-02-03' } as const,
  ],
};

for (const [behaviour, ip, want, from] of [
  ['the registry is that of the delegated file', '1.0.0.1', { rir: 'LACNIC' }, 'nro'],
  ['outside the file the registry is estimated', '1.0.200.1', { rir: 'APNIC' }, 'iana-tables'],
  [
    'a block without a country still has a registry',
    '2.0.0.1',
    { rir: 'AFRINIC', country: 'ZZ' },
    'nro',
  ],
  ['the registry of IPv6 is that of the delegated file', '2a00::1', { rir: 'AFRINIC' }, 'nro'],
] as const) {
  test(`compile: ${behaviour}`, () => {
    const got = answer(dataset({ delegations: [delegation] }), ip);
    assert.deepEqual(pick(got, want), want);
    assert.equal(got?.evidence.find(({ field }) => field === 'rir')?.source, from);
  });
}

test('compile: a network has the registry, country and date of the delegation of its AS number', () => {
  const { country, rir, registered } = dataset({ delegations: [delegation] }).asn(64500) ?? {};
  assert.deepEqual(
    { country, rir, registered },
    { country: 'SE', rir: 'RIPE', registered: '2001-02-03' },
  );
});

test('compile: countries that contradict the answer are evidence, after the one that decided', () => {
  const rows = (changes: Partial<CompileInput>) =>
    answer(dataset(changes), '1.0.0.1')
      ?.evidence.filter(({ field }) => field === 'country')
      .map(({ value, source: from, prefix }) => [value, from, prefix]);
  assert.deepEqual(rows({}), [
    ['DE', 'countries', '1.0.0.0/16'],
    ['AU', 'delegated', '1.0.0.0/16'],
  ]);
  assert.deepEqual(rows({ delegations: [delegation] }), [
    ['DE', 'countries', '1.0.0.0/16'],
    ['BR', 'nro', '1.0.0.0/17'],
  ]);
});

for (const [behaviour, changes, ip, country, from] of [
  ['where it is mistaken, the country of registration decides', {}, '1.0.0.1', 'AU', 'delegated'],
  [
    'without a country of registration it decides all the same',
    { delegated: NOWHERE },
    '1.0.0.1',
    'DE',
    'countries',
  ],
  ['for other networks it decides', {}, '2.0.0.1', 'DE', 'countries'],
] as const satisfies readonly (readonly [
  string,
  Partial<CompileInput>,
  string,
  string,
  string,
])[]) {
  test(`compile: a source of countries with known errors: ${behaviour}`, () => {
    const input = sampleInput({
      ...SAMPLE,
      countries: [['1.0.0.0-2.0.255.255', 'DE']],
      delegated: [['1.0.0.0-2.0.255.255', 'AU']],
    });
    const isMistaken = (asn: number, named: string) => asn === 64500 && named === 'DE';
    const countries = input.countries.map((each) => ({ ...each, isMistaken }));
    const got = answer(datasetOf({ ...input, countries, ...changes }), ip);
    assert.deepEqual(
      [got?.country, got?.evidence.find(({ field }) => field === 'country')?.source],
      [country, from],
    );
  });
}

test('compile: the country of use comes before the country of registration', () => {
  assert.equal(
    answer(dataset({ delegations: [delegation], countries: [] }), '1.0.0.1')?.country,
    'BR',
  );
  assert.equal(answer(dataset({ delegations: [delegation] }), '1.0.0.1')?.country, 'DE');
});

test('compile: the first name that is not just the handle; networks without announcements are listed', () => {
  const input = sampleInput(SAMPLE);
  const asnames = {
    source: source('asnames'),
    names: new Map([
      [64500, { name: 'WIDGETS', handle: 'WIDGETS' }],
      [64501, { name: 'Second Net of Example', handle: 'SECOND' }],
      [64511, { name: 'Quiet Network', handle: 'QUIET', country: 'CH' }],
    ]),
  };
  const data = datasetOf({ ...input, names: [asnames, ...input.names] });
  const named = [64500, 64501, 64511].map((asn) =>
    pick(data.asn(asn), { asn_name: '', handle: '', is_announced: true }),
  );
  assert.deepEqual(named, [
    { asn_name: 'Example Widgets', handle: 'WIDGETS', is_announced: true },
    { asn_name: 'Second Net of Example', handle: 'SECOND', is_announced: true },
    { asn_name: 'Quiet Network', handle: 'QUIET', is_announced: false },
  ]);
  assert.equal(data.asn(64511)?.country, 'CH');
});

const OVERRIDES = {
  allow: [{ prefix: '1.0.7.0/24', reason: 'our scanners' }],
  deny: [{ prefix: '1.0.7.66' }, { asn: 64501, reason: 'card testing' }],
  relabel: [
    { asn: 64502, connection_type: 'education', country: 'NZ' },
    { prefix: '3.0.9.0/24', is_vpn: true, cloud_provider: null },
    { prefix: '5.0.9.0/24', country: 'FJ' },
  ],
  networks: [
    {
      prefix: '10.0.0.0/8',
      asn: 64512,
      asn_name: 'Intranet',
      country: 'DE',
      connection_type: 'business',
    },
    { prefix: '4.0.9.0/28', asn: 64513, asn_name: 'Our Office' },
  ],
};

for (const [behaviour, ip, want] of [
  [
    'an allowed address scores 0 and the explanation keeps what was overruled',
    '1.0.7.7',
    {
      score: 0,
      level: 'low',
      explanation: [
        'allowed (overrides, 2026-11-15): 0 instead of 15: our scanners',
        'on a blocklist (cins, 2026-11-01): +15',
      ],
    },
  ],
  ['the longer prefix decides', '1.0.7.66', { score: 100, level: 'critical' }],
  [
    'a denied network',
    '2.0.0.1',
    { score: 100, explanation: ['denied (overrides, 2026-11-15): +100: card testing'] },
  ],
  ['a relabelled network', '5.0.0.1', { connection_type: 'education', country: 'NZ' }],
  [
    'a relabelled prefix inside a relabelled network',
    '5.0.9.1',
    { connection_type: 'education', country: 'FJ' },
  ],
  ['a flag is set and a name removed', '3.0.9.1', { is_vpn: true, score: 15 }],
  [
    'an own network in private space',
    '10.1.2.3',
    { asn: 64512, asn_name: 'Intranet', country: 'DE', prefix: '10.0.0.0/8' },
  ],
  ['an own network inside another network', '4.0.9.1', { asn: 64513, prefix: '4.0.9.0/28' }],
  [
    'the network around an own network keeps its prefix',
    '4.0.9.16',
    { asn: 7922, prefix: '4.0.0.0/16' },
  ],
] as const) {
  const overrides = parseOverrides(JSON.stringify(OVERRIDES), '2026-11-15');
  const data = withOverrides(
    dataset({ overlays: [overlay('cins', ['blocklist'], ['1.0.7.0/24'])] }),
    overrides,
  );
  test(`overrides: ${behaviour}`, () => assert.deepEqual(pick(answer(data, ip), want), want));
  test(`overrides: ${behaviour}: in the evidence`, () => {
    const isOverridden = answer(data, ip)?.evidence.some(
      ({ source: from }) => from === 'overrides',
    );
    assert.equal(isOverridden, ip !== '4.0.9.16');
  });
}

test('figures: what is covered, how far sources agree, what is flagged', () => {
  const input = sampleInput(SAMPLE);
  const other = {
    source: source('other'),
    ranges: ranges([
      ['1.0.0.0/17', encodeCountry('DE')],
      ['1.0.128.0/17', encodeCountry('FR')],
    ]),
  };
  const { figures } = datasetOf({
    ...input,
    countries: [...input.countries, other],
    delegations: [delegation],
    overlays: [overlay('tor', ['is_tor_exit'], ['1.0.0.1', '1.0.0.9'])],
  }).meta;
  assert.deepEqual(figures.ipv4, {
    announced: 6 * 65536,
    answered_share: 1,
    country_share: 0.16667,
    country_confirmed_share: 0.08333,
    exact_rir_share: 0.25,
    connection_type_share: 1,
    connection_type_from: { list: 0, table: 0.5, rule: 0.16667, signals: 0.33333, none: 0 },
  });
  assert.deepEqual(figures.countries, {
    DE: { ipv4_addresses: 65536, ipv6_48s: 0 },
    ZZ: { ipv4_addresses: 5 * 65536, ipv6_48s: 65536 },
  });
  assert.deepEqual(figures.registries['LACNIC'], { ipv4_addresses: 32768, ipv6_48s: 0 });
  assert.deepEqual(figures.country_agreement[0], {
    sources: ['countries', 'other'],
    ipv4_addresses: 65536,
    share: 0.5,
  });
  assert.deepEqual(figures.flags['is_tor_exit'], { records: 2, ipv4_addresses: 2, ipv6_48s: 0 });
});

function pick(got: object | undefined, want: object): Partial<Answer> {
  return Object.fromEntries(
    Object.keys(want).map((key) => [key, (got as Record<string, unknown> | undefined)?.[key]]),
  );
}

for (const [behaviour, named, source] of [
  ['by its number', [], 'scanners'],
  ['once, if its addresses are listed too', [['9.9.8.0/24', 'scanner', 'Censys']], 'scanner'],
] as const)
  test(`compile: the network of a scanner is named ${behaviour}, and limited`, () => {
    const input = sampleInput({ routes: [['9.9.8.0/23', 398_324, 'Example']], named });
    const reports = overlay('reports', ['blocklist'], ['9.9.8.0/24'], {
      statements: [{ lists: 5 }],
    });
    const { score, evidence = [] } =
      answer(datasetOf({ ...input, overlays: [...input.overlays, reports] }), '9.9.8.7') ?? {};
    assert.equal(score, 49);
    assert.deepEqual(
      evidence.filter(({ field }) => field === 'scanner').map((row) => [row.value, row.source]),
      [['Censys', source]],
    );
  });
