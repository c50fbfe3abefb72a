/** Processor time of other requests beside a simple lookup: those on the fast path, then those on Node's path. */
import { type Address, parseAddress } from '@whence/dataset/address';
import { print } from '@whence/testing/console-report';
import { SERVER_CORE } from '@whence/testing/pinned-processes';
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
const PROXY = ['X-Forwarded-Host: app.example.com', 'X-Forwarded-Uri: /shop/cart?id=1', 'X-Forwarded-Method: GET'];
const NETWORKS = 200;
const WORDS = ['telecom', 'google', 'cloud', 'university', 'hosting', 'net', 'mobile', 'amazon'];
/** Microseconds of processor time on an idle ARM machine. */
const ANSWER_GOALS: Readonly<Record<string, number>> = {
  network: 90,
  'ip, include=routing': 90,
  'ip, explain=true': 100,
  'network search': 250,
  'prefix /24': 120,
  'prefix /12': 120,
};
/** Times the processor time of a lookup, on any machine. */
const RELATIVE_GOALS: Readonly<Record<string, number>> = {
  'decision, asked by a proxy': 2,
  'decision, ip= and path=': 2,
  healthz: 1.4,
  readyz: 1.4,
};

export async function compareRoutes(setup: Setup): Promise<Row[]> {
  const { processes, dataDir, dataset, addresses, key, save } = setup;
  const whence = await startWhence(processes, dataDir, SERVER_CORE, {
    WHENCE_RULES: save('rules.yaml', [RULES]),
    WHENCE_TRUST_PROXY: '127.0.0.1',
  });
  const asnOf = (ip: string) => dataset.asnNumber(dataset.find(parseAddress(ip) as Address));
  const routes = {
    'decision, asked by a proxy': addresses.map((ip) => ['/v1/decide', `X-Forwarded-For: ${ip}`, ...PROXY].join('\t')),
    'decision, ip= and path=': addresses.map((ip) => `/v1/decide?ip=${ip}&path=/login`),
    network: addresses.slice(0, NETWORKS).map((ip) => `/v1/asn/${asnOf(ip)}`),
    'ip, include=routing': addresses.map((ip) => `/v1/ip/${ip}?include=routing`),
    'ip, explain=true': addresses.map((ip) => `/v1/ip/${ip}?explain=true`),
    'network search': WORDS.map((word) => `/v1/asn/search?q=${word}`),
    'prefix /24': addresses.map((ip) => `/v1/prefix/${ip.replace(/\d+$/, '0')}/24`),
    'prefix /12': addresses.map((ip) => `/v1/prefix/${wide(ip)}/12`),
    healthz: ['/healthz'],
    readyz: ['/readyz'],
  };
  const names = Object.keys(routes) as (keyof typeof routes)[];
  const candidates: LoadCandidate[] = [
    { name: 'lookup', server: whence, load: ipLoad(setup, [key]) },
    ...names.map((name, i) => ({ name, server: whence, load: getLoad(setup, `route-${i}`, routes[name], [key]) })),
  ];
  print('routes beside a simple lookup');
  const results = await measureInterleaved(processes, candidates);
  printResults(candidates, results);
  await whence.stop();
  const costOf = (i: number) => results[i]?.cpuMicroseconds ?? Number.NaN;
  return names.flatMap((name, i) => {
    const limit = RELATIVE_GOALS[name];
    if (limit !== undefined) return [limitRow(`${name} / lookup`, costOf(i + 1) / costOf(0), limit, '×')];
    return [limitRow(`${name}, processor time`, costOf(i + 1), ANSWER_GOALS[name], 'µs')];
  });
}

/** The first address of the /12 around this one. */
function wide(ip: string): string {
  const [first, second] = ip.split('.').map(Number);
  return `${first}.${(second ?? 0) & 0xf0}.0.0`;
}
