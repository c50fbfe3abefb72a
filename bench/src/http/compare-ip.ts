/** `GET /v1/ip/{ip}` next to a Fastify route that does nothing and two that look the address up with npm maxmind: for the country, and for all that we say. */
import { type Row, say } from '../report.ts';
import { compareResults, describeResult, type LoadContestant, runLoadContest } from './load-contest.ts';
import { type Server, startPeer } from './whence-server.ts';
import { PRO_KEYS, type Workplace } from './workplace.ts';
import type { Load } from './wrk.ts';

const CONNECTIONS = 32;
/** Leases of idle keys are given back after two seconds, and that is looked for once a second. */
const GIVEN_BACK_MS = 3_500;
const SAMPLE = 500;
const GOALS = { constant: 0.95, maxmind: 1.4 };

export function ipLoad({ addresses, save }: Workplace, keys: readonly string[]): Load {
  const scriptArguments = [save('addresses', addresses), save(`${keys.length}-keys`, keys)];
  return { script: 'ip-requests.lua', scriptArguments, connections: CONNECTIONS };
}

export async function compareIp(workplace: Workplace, whence: Server): Promise<{ perSecond: number; rows: Row[] }> {
  const { processes, ourMmdb, key, proKeys } = workplace;
  const { bytes } = await sampleAnswers(whence, workplace);
  const constant = await startPeer(processes, 'fastify-constant', String(bytes));
  const withHeaders = await startPeer(processes, 'fastify-constant', String(bytes), 'headers');
  const maxmind = await startPeer(processes, 'fastify-maxmind');
  const sameContent = await startPeer(processes, 'fastify-maxmind', ourMmdb);
  const load = ipLoad(workplace, [key]);
  const contestants: LoadContestant[] = [
    { name: 'whence', server: whence, load },
    { name: `whence, ${PRO_KEYS} pro keys`, server: whence, load: ipLoad(workplace, proKeys), settleMs: GIVEN_BACK_MS },
    { name: 'fastify constant', server: constant, load },
    { name: 'fastify constant, our headers', server: withHeaders, load },
    { name: 'fastify + maxmind', server: maxmind, load },
    { name: 'fastify + maxmind, our content', server: sameContent, load },
  ];
  say(`GET /v1/ip/{ip}, ${CONNECTIONS} connections, ${bytes} bytes a body`);
  const results = await runLoadContest(processes, contestants);
  results.forEach((result, i) => {
    say(`  ${contestants[i]?.name}: ${describeResult(result)}`);
  });
  say(`  ${(await sampleAnswers(whence, workplace)).hitPercent.toFixed(0)} % from the cache of answers`);
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

/** The size of a usual answer, and how many come from the cache. Addresses were drawn at random, so the last are as good as any. */
async function sampleAnswers({ url }: Server, { addresses, key }: Workplace) {
  let characters = 0;
  let hits = 0;
  for (const address of addresses.slice(-SAMPLE)) {
    const response = await fetch(`${url}/v1/ip/${address}`, { headers: { 'X-API-Key': key } });
    if (response.status !== 200) throw new Error(`${address} was answered ${response.status}`);
    if (response.headers.get('X-Cache-Status') === 'HIT') hits++;
    characters += (await response.text()).length;
  }
  return { bytes: Math.round(characters / SAMPLE), hitPercent: (100 * hits) / SAMPLE };
}
