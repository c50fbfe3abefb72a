/**
 * `POST /v1/ip/batch` compared with JSON.stringify over objects, from our dataset and from npm
 * maxmind.
 */
import assert from 'node:assert/strict';
import { formatCount, print } from '@whence/testing/console-report';
import type { Server } from '@whence/testing/whence-program';
import { formatRate, type Row } from '../report.ts';
import {
  compareCosts,
  type LoadCandidate,
  type LoadResult,
  measureInterleaved,
  perCpuSecond,
  printResults,
} from './interleaved-load.ts';
import { type Setup, startPeer } from './setup.ts';
import type { Load } from './wrk.ts';

const CONNECTIONS = 8;
const BATCH = 1_000;
const GOALS = { objects: 6, maxmind: 5, perSecond: 1_200_000 };

export async function compareBatch(setup: Setup, whence: Server): Promise<Row[]> {
  const { processes, dataDir, ourMmdb, addresses, key, save } = setup;
  const bodies = Array.from({ length: addresses.length / BATCH }, (_, i) =>
    JSON.stringify({ ips: addresses.slice(i * BATCH, (i + 1) * BATCH) }),
  );
  const scriptArguments = [save('batches', bodies), save('1-keys', [key])];
  const load: Load = { script: 'batch-requests.lua', scriptArguments, connections: CONNECTIONS };
  const objects = await startPeer(processes, 'fastify-objects-batch', dataDir);
  const sameContent = await startPeer(processes, 'fastify-maxmind', ourMmdb);
  const candidates: LoadCandidate[] = [
    { name: 'whence', server: whence, load },
    { name: 'fastify, objects', server: objects, load },
    { name: 'fastify + maxmind', server: sameContent, load },
  ];
  const answers = await Promise.all(
    candidates.map(({ server }) => askOnce(server, key, bodies[0] ?? '')),
  );
  const sizes = answers.map(
    (text, i) => `${candidates[i]?.name} ${formatCount(text.length)} bytes`,
  );
  print(
    `POST /v1/ip/batch, ${formatCount(BATCH)} addresses, ${CONNECTIONS} connections; ${sizes.join(', ')}`,
  );
  // The peer with our dataset must return the same answers.
  assert.deepEqual(dataOf(answers[1]), dataOf(answers[0]));

  const results = await measureInterleaved(processes, candidates);
  printResults(candidates, results, BATCH);
  await Promise.all([objects, sameContent].map((peer) => peer.stop()));
  const [ours, naive, theirs] = results as [LoadResult, LoadResult, LoadResult];
  const perSecond = perCpuSecond(ours) * BATCH;
  return [
    {
      measure: 'batch, addresses per core',
      ours: formatRate(perSecond),
      goal: `≥ ${formatRate(GOALS.perSecond)}`,
      isReached: perSecond >= GOALS.perSecond,
    },
    compareCosts('batch / fastify, objects', ours, naive, GOALS.objects, BATCH),
    compareCosts('batch / fastify + maxmind', ours, theirs, GOALS.maxmind, BATCH),
  ];
}

async function askOnce({ url }: Server, key: string, body: string): Promise<string> {
  const headers = { 'Content-Type': 'application/json', 'X-API-Key': key };
  const response = await fetch(`${url}/v1/ip/batch`, { method: 'POST', headers, body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text}`);
  return text;
}

const dataOf = (text = '') => (JSON.parse(text) as { data: unknown }).data;
