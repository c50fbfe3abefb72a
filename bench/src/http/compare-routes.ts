/** Processor time of other requests, as a multiple of that of a simple lookup in the same round. */
import { type Address, parseAddress } from '@whence/dataset/address';
import { print } from '@whence/testing/console-report';
import { SERVER_CORE } from '@whence/testing/pinned-processes';
import { median } from '@whence/testing/statistics';
import { startWhence } from '@whence/testing/whence-program';
import { limitRow, type Row } from '../report.ts';
import { getLoad, ipLoad } from './compare-ip.ts';
import { type LoadCandidate, measureInterleaved, printResults } from './interleaved-load.ts';
import type { Setup } from './setup.ts';

const RULES = `sets:
  default:
    default: allow
    rules:
      - { name: office, if: { prefixes: [192.0.2.0/24, 2001:db8::/32] }, then: allow }
      - { name: login, if: { hosts: app.example.com, paths: [/login, /admin], flags: [tor_exit, vpn, proxy] }, then: deny }
      - { name: hostile, if: { min_score: 90 }, then: tag }
`;
const PROXY = [
  'X-Forwarded-Host: app.example.com',
  'X-Forwarded-Uri: /shop/cart?id=1',
  'X-Forwarded-Method: GET',
];
const NETWORKS = 200;
const NAMES = 2_000;
/** A key may have no more requests for earlier versions waiting. */
const HISTORY_CONNECTIONS = 8;
/**
 * A row is a median of few short turns: the routes are compared with a lookup in the same round.
 */
const LENGTHS = { rounds: 5, turnSeconds: 2, warmUpSeconds: 2 };

type Route = {
  readonly lines: readonly string[];
  /** Times the processor time of a lookup, on any machine. Without one the row is informative. */
  readonly goal?: number;
  readonly connections?: number;
};

export async function compareRoutes(setup: Setup): Promise<Row[]> {
  const { processes, dataDir, key, save } = setup;
  const whence = await startWhence(processes, dataDir, SERVER_CORE, {
    WHENCE_RULES: save('rules.yaml', [RULES]),
    WHENCE_TRUST_PROXY: '127.0.0.1',
  });
  const routes = Object.entries(routesOf(setup));
  const candidates: LoadCandidate[] = [
    { name: 'lookup', server: whence, load: ipLoad(setup, [key]) },
    ...routes.map(([name, { lines, connections }], i) => ({
      name,
      server: whence,
      load: getLoad(setup, `route-${i}`, lines, [key], connections),
    })),
  ];
  print('routes beside a simple lookup');
  const results = await measureInterleaved(processes, candidates, LENGTHS);
  printResults(candidates, results);
  await whence.stop();
  const [lookup, ...others] = results;
  return routes.map(([name, { goal }], i) => {
    const ratios =
      others[i]?.costs.map((cost, round) => cost / (lookup?.costs[round] ?? Number.NaN)) ?? [];
    return limitRow(`${name} / lookup`, median(ratios), goal, '×');
  });
}

function routesOf({ addresses, dataset }: Setup): Readonly<Record<string, Route>> {
  const asnOf = (ip: string) => dataset.asnNumber(dataset.find(parseAddress(ip) as Address));
  const searches = (words: readonly string[]) => words.map((word) => `/v1/asn/search?q=${word}`);
  const long = addresses.map((ip) => `/v1/prefix/${ip.replace(/\d+$/, '0')}/24`);
  const short = addresses.map((ip) => `/v1/prefix/${wide(ip)}/12`);
  return {
    'decision, asked by a proxy': {
      lines: addresses.map((ip) => ['/v1/decide', `X-Forwarded-For: ${ip}`, ...PROXY].join('\t')),
      goal: 2,
    },
    'decision, ip= and path=': {
      lines: addresses.map((ip) => `/v1/decide?ip=${ip}&path=/login`),
      goal: 2,
    },
    'ip, include=routing': {
      lines: addresses.map((ip) => `/v1/ip/${ip}?include=routing`),
      goal: 2.5,
    },
    'ip, explain=true': { lines: addresses.map((ip) => `/v1/ip/${ip}?explain=true`), goal: 2.8 },
    // On Node's path, which costs what Fastify costs.
    healthz: { lines: ['/healthz'] },
    network: { lines: addresses.slice(0, NETWORKS).map((ip) => `/v1/asn/${asnOf(ip)}`) },
    'prefix /24': { lines: long },
    'prefix /12': { lines: short },
    'search, any name': { lines: searches(namesIn(dataset)) },
    history: {
      lines: addresses.map((ip) => `/v1/ip/${ip}/history`),
      goal: 5.6,
      connections: HISTORY_CONNECTIONS,
    },
  };
}

/** Different words of at least four letters, from the names of networks of all sizes. */
function namesIn({ networks }: Setup['dataset']): string[] {
  const words = new Set<string>();
  const step = Math.floor(networks.count / (2 * NAMES));
  for (let row = 0; row < networks.count && words.size < NAMES; row += step)
    words.add(/[a-z]{4,}/.exec(networks.at(row).asn_name.toLowerCase())?.[0] ?? 'network');
  return [...words];
}

/** The first address of the /12 around this one. */
function wide(ip: string): string {
  const [first, second] = ip.split('.').map(Number);
  return `${first}.${(second ?? 0) & 0xf0}.0.0`;
}
