/**
 * `GET /v1/ip/{ip}` compared with what could be used instead: a Fastify route with a constant,
 * Fastify with npm maxmind, Go with maxminddb-golang, nginx with geoip2, the last three on an
 * export of our dataset. By processor time per request: on a machine with other load, requests per
 * second say more about the load.
 */
import { print } from '@whence/testing/console-report';
import { SERVER_CORE } from '@whence/testing/pinned-processes';
import { findProgram } from '@whence/testing/programs';
import type { Server } from '@whence/testing/whence-program';
import type { Row } from '../report.ts';
import {
  compareCosts,
  type LoadCandidate,
  type LoadResult,
  measureInterleaved,
  printResults,
} from './interleaved-load.ts';
import { buildGoPeer, goMissing } from './peers/go-maxminddb.ts';
import { nginxGeoip2, nginxGeoip2Missing } from './peers/nginx-geoip2.ts';
import { PRO_KEYS, type Setup, startPeer } from './setup.ts';
import type { Load } from './wrk.ts';

const CONNECTIONS = 32;
/** The server returns leases of idle keys after two seconds, and checks once a second. */
const LEASE_RETURN_MS = 3_500;
const SAMPLE = 500;
const GOALS = { constant: 1.5, maxmind: 2.5, go: 1.2 };

export function ipLoad(setup: Setup, keys: readonly string[]): Load {
  return getLoad(setup, 'lookups', setup.addresses.map(lookupOf), keys);
}

const lookupOf = (address: string) => `/v1/ip/${address}`;

/** The name is that of a file. A line is a target, and header fields after tabs. */
export function getLoad(
  { save }: Setup,
  name: string,
  lines: readonly string[],
  keys: readonly string[],
  connections = CONNECTIONS,
): Load {
  const scriptArguments = [save(name, lines), save(`${keys.length}-keys`, keys)];
  return { script: 'get-requests.lua', scriptArguments, connections };
}

type Peer = { readonly name: string; readonly server: Server; readonly goal?: number };

export async function compareIp(
  setup: Setup,
  whence: Server,
): Promise<{ perSecond: number; rows: Row[] }> {
  const { processes, key, proKeys } = setup;
  const { bytes } = await sampleAnswers(whence, setup);
  const peers = await startPeers(setup, bytes);
  const load = ipLoad(setup, [key]);
  const pro = ipLoad(setup, proKeys);
  const candidates: LoadCandidate[] = [
    { name: 'whence', server: whence, load },
    { name: `whence, ${PRO_KEYS} pro keys`, server: whence, load: pro, settleMs: LEASE_RETURN_MS },
    ...peers.map(({ name, server }) => ({ name, server, load })),
  ];
  print(`GET /v1/ip/{ip}, ${CONNECTIONS} connections, ${bytes} bytes per body`);
  const results = await measureInterleaved(processes, candidates);
  printResults(candidates, results);
  print(`  ${(await sampleAnswers(whence, setup)).hitPercent.toFixed(0)}% from the answer cache`);
  await Promise.all(peers.map(({ server }) => server.stop()));

  const [one, many, ...theirs] = results as [LoadResult, LoadResult, ...LoadResult[]];
  const rows = peers.map(({ name, goal }, i) =>
    compareCosts(`ip / ${name}`, one, theirs[i] as LoadResult, goal),
  );
  const constant = theirs[0] as LoadResult;
  return {
    perSecond: one.perSecond,
    rows: [
      ...rows,
      compareCosts(`ip, ${PRO_KEYS} pro keys / fastify constant`, many, constant, GOALS.constant),
    ],
  };
}

async function startPeers({ processes, folder, ourMmdb }: Setup, bytes: number): Promise<Peer[]> {
  const constant = await startPeer(processes, 'fastify-constant', String(bytes));
  const maxmind = await startPeer(processes, 'fastify-maxmind', ourMmdb);
  const peers: Peer[] = [
    { name: 'fastify constant', server: constant, goal: GOALS.constant },
    { name: 'fastify + maxmind', server: maxmind, goal: GOALS.maxmind },
  ];
  const withoutGo = goMissing();
  if (withoutGo !== undefined) print(withoutGo);
  else {
    const environment = { GOMAXPROCS: '1' };
    const { firstLine, ...started } = await processes.startProgram(
      SERVER_CORE,
      buildGoPeer(folder),
      [ourMmdb],
      environment,
    );
    const server = { ...started, url: `http://127.0.0.1:${Number(firstLine)}` };
    peers.push({ name: 'go + maxminddb', server, goal: GOALS.go });
  }
  const withoutNginx = nginxGeoip2Missing();
  if (withoutNginx !== undefined) print(withoutNginx);
  else {
    const { args, port } = await nginxGeoip2(folder, ourMmdb);
    const url = `http://127.0.0.1:${port}`;
    const started = await processes.startSilent(
      SERVER_CORE,
      findProgram('nginx') ?? '',
      args,
      `${url}/v1/ip/8.8.8.8`,
    );
    peers.push({ name: 'nginx + geoip2', server: { ...started, url } });
  }
  return peers;
}

/**
 * The average size of an answer and the share of cache hits. Addresses are random, so the last ones
 * are a fair sample.
 */
async function sampleAnswers({ url }: Server, { addresses, key }: Setup) {
  let characters = 0;
  let hits = 0;
  for (const address of addresses.slice(-SAMPLE)) {
    const response = await fetch(`${url}/v1/ip/${address}`, { headers: { 'X-API-Key': key } });
    if (response.status !== 200) throw new Error(`status ${response.status} for ${address}`);
    if (response.headers.get('X-Cache-Status') === 'HIT') hits++;
    characters += (await response.text()).length;
  }
  return { bytes: Math.round(characters / SAMPLE), hitPercent: (100 * hits) / SAMPLE };
}
