/**
 * A mix of requests on every connection, as an application sends them: 80% lookups, 10% with
 * `explain`, 5% networks, 3% batches of 100, 2% errors. The peer has the same routes: our
 * dataset as MMDB, and our answers for networks in a Map.
 */
import { print } from '@whence/testing/console-report';
import type { Server } from '@whence/testing/whence-program';
import type { Row } from '../report.ts';
import {
  compareCosts,
  type LoadCandidate,
  type LoadResult,
  measureInterleaved,
  printResults,
} from './interleaved-load.ts';
import { type Setup, startPeer } from './setup.ts';
import type { Load } from './wrk.ts';

const CONNECTIONS = 32;
const BATCH = 100;
const NETWORKS = 200;
const ERROR_SHARE = 0.02;
const GOAL = 2;

export async function compareMixed(setup: Setup, whence: Server): Promise<Row[]> {
  const { processes, ourMmdb, addresses, key, save } = setup;
  const networks = await askNetworks(whence, setup);
  const batches = Array.from({ length: addresses.length / BATCH }, (_, i) =>
    JSON.stringify({ ips: addresses.slice(i * BATCH, (i + 1) * BATCH) }),
  );
  const load: Load = {
    script: 'mixed-workload.lua',
    scriptArguments: [
      save('addresses', addresses),
      save('1-keys', [key]),
      save('networks', [...networks.keys()]),
      save('batches-of-100', batches),
    ],
    connections: CONNECTIONS,
    errorShare: ERROR_SHARE,
  };
  const answers = save('network-answers', [JSON.stringify([...networks])]);
  const maxmind = await startPeer(processes, 'fastify-maxmind', ourMmdb, answers);
  const candidates: LoadCandidate[] = [
    { name: 'whence', server: whence, load },
    { name: 'fastify + maxmind', server: maxmind, load },
  ];
  print(`mixed requests, ${CONNECTIONS} connections`);
  const results = await measureInterleaved(processes, candidates);
  printResults(candidates, results);
  await maxmind.stop();
  const [ours, theirs] = results as [LoadResult, LoadResult];
  return [compareCosts('mixed / fastify + maxmind', ours, theirs, GOAL)];
}

/** Networks of some of the addresses, with our answers, which the peer sends as objects. */
async function askNetworks(
  { url }: Server,
  { addresses, key }: Setup,
): Promise<Map<string, unknown>> {
  const networks = new Map<string, unknown>();
  const ask = async (path: string) => {
    const response = await fetch(url + path, { headers: { 'X-API-Key': key } });
    const { data } = (await response.json()) as { data: { asn?: number | string } };
    if (response.status !== 200) throw new Error(`status ${response.status} for ${path}`);
    return data;
  };
  for (const address of addresses) {
    if (networks.size === NETWORKS) break;
    const number = String((await ask(`/v1/ip/${address}`)).asn ?? '').replace(/\D/g, '');
    if (number !== '' && !networks.has(number))
      networks.set(number, await ask(`/v1/asn/${number}`));
  }
  return networks;
}
