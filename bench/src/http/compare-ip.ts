/**
 * `GET /v1/ip/{ip}` compared with Fastify routes: a constant, npm maxmind with the country, npm maxmind with our
 * content.
 */
import { type Row, say } from '../report.ts';
import { compareResults, describeResult, type LoadCandidate, measureInterleaved } from './interleaved-load.ts';
import { PRO_KEYS, type Setup } from './setup.ts';
import { type Server, startPeer } from './whence-server.ts';
import type { Load } from './wrk.ts';

const CONNECTIONS = 32;
/** The server returns leases of idle keys after two seconds, and checks once a second. */
const LEASE_RETURN_MS = 3_500;
const SAMPLE = 500;
const GOALS = { constant: 0.95, maxmind: 1.4 };

export function ipLoad({ addresses, save }: Setup, keys: readonly string[]): Load {
  const scriptArguments = [save('addresses', addresses), save(`${keys.length}-keys`, keys)];
  return { script: 'ip-requests.lua', scriptArguments, connections: CONNECTIONS };
}

export async function compareIp(setup: Setup, whence: Server): Promise<{ perSecond: number; rows: Row[] }> {
  const { processes, ourMmdb, key, proKeys } = setup;
  const { bytes } = await sampleAnswers(whence, setup);
  const constant = await startPeer(processes, 'fastify-constant', String(bytes));
  const withHeaders = await startPeer(processes, 'fastify-constant', String(bytes), 'headers');
  const maxmind = await startPeer(processes, 'fastify-maxmind');
  const sameContent = await startPeer(processes, 'fastify-maxmind', ourMmdb);
  const load = ipLoad(setup, [key]);
  const candidates: LoadCandidate[] = [
    { name: 'whence', server: whence, load },
    { name: `whence, ${PRO_KEYS} pro keys`, server: whence, load: ipLoad(setup, proKeys), settleMs: LEASE_RETURN_MS },
    { name: 'fastify constant', server: constant, load },
    { name: 'fastify constant, our headers', server: withHeaders, load },
    { name: 'fastify + maxmind', server: maxmind, load },
    { name: 'fastify + maxmind, our content', server: sameContent, load },
  ];
  say(`GET /v1/ip/{ip}, ${CONNECTIONS} connections, ${bytes} bytes per body`);
  const results = await measureInterleaved(processes, candidates);
  results.forEach((result, i) => {
    say(`  ${candidates[i]?.name}: ${describeResult(result)}`);
  });
  say(`  ${(await sampleAnswers(whence, setup)).hitPercent.toFixed(0)} % from the answer cache`);
  await Promise.all([constant, withHeaders, maxmind, sameContent].map((peer) => peer.stop()));

  const [one, many, nothing, headersOnly, lookup, fullLookup] = results;
  return {
    perSecond: one?.perSecond ?? 0,
    rows: [
      compareResults('ip / fastify constant', one, nothing, GOALS.constant),
      compareResults('ip / fastify constant, our headers', one, headersOnly, GOALS.constant),
      compareResults('ip / fastify + maxmind', one, lookup, GOALS.maxmind),
      compareResults('ip / fastify + maxmind, our content', one, fullLookup, GOALS.maxmind),
      compareResults(`ip, ${PRO_KEYS} pro keys / fastify constant`, many, nothing, GOALS.constant),
      compareResults(`ip, ${PRO_KEYS} pro keys / fastify + maxmind`, many, lookup, GOALS.maxmind),
      compareResults(`ip, ${PRO_KEYS} pro keys / fastify + maxmind, our content`, many, fullLookup, GOALS.maxmind),
    ],
  };
}

/**
 * The average size of an answer and the share of cache hits. Addresses are random, so the last ones are a fair sample.
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
