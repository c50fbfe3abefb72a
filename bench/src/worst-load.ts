/**
 * Keeps thirty requests of one kind in flight. A thread of its own: reading their answers must not
 * delay the measured client.
 */
import { Agent, type RequestOptions, request } from 'node:http';
import { workerData } from 'node:worker_threads';
import { repeat } from '@whence/testing/expensive-texts';

const AT_ONCE = 30;
/** Networks with thousands of prefixes, and prefixes with many records. */
const NETWORKS = [4134, 174, 7018, 3549, 16509, 3356];
const OCTETS = [45, 103, 185, 2, 80, 193];

type Question = { readonly path: string; readonly body?: string };

const ADDRESSES = Array.from(
  { length: 1_000 },
  (_, i) => `${((i * 37) % 223) + 1}.${(i * 91) % 256}.${i % 256}.1`,
);
const INCLUDE = ['routing', 'privacy', 'location'];
const pick = (list: readonly number[], i: number) => list[i % list.length];
const call = (name: string, given: object): Question => ({
  path: '/mcp',
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given },
  }),
});

/** Texts that the search of costs.full.test found to be expensive, one field each. */
const TRIED = [
  { spf: repeat('v=spf1 ', 'a:h#.example ', 16 * 1024) },
  { spf: repeat('v=spf1 ', 'ip4:#.#.1.0/24 ', 16 * 1024) },
  { zone: repeat('@ TXT "v=spf1 " ', '"a" ', 64 * 1024) },
  { mx: repeat('', 'h#.example\n', 16 * 1024) },
];

export const ROUTES: Readonly<Record<string, (i: number) => Question>> = {
  'ip, explained': () => ({ path: `/v1/ip/8.8.8.8?explain=true&include=${INCLUDE}` }),
  'batch of 1,000': () => ({ path: '/v1/ip/batch', body: JSON.stringify({ ips: ADDRESSES }) }),
  'batch with sections': () => ({
    path: '/v1/ip/batch',
    body: JSON.stringify({ ips: ADDRESSES, include: INCLUDE }),
  }),
  prefix: (i) => ({ path: `/v1/prefix/${pick(OCTETS, i)}.0.0.0/8` }),
  'asn with prefixes': (i) => ({ path: `/v1/asn/${pick(NETWORKS, i)}?include_prefixes=true` }),
  'records to try': (i) => ({
    path: '/v1/email/domain/example.com/try',
    body: JSON.stringify(TRIED[i % TRIED.length]),
  }),
  search: () => ({ path: '/v1/asn/search?q=e&limit=100' }),
  'tool batch': () => call('batch', { ips: ADDRESSES }),
  'tool network': (i) => call('network', { asn: pick(NETWORKS, i), prefixes: 1_000 }),
  'page of a network': (i) => ({ path: `/dashboard/api/lookup/asn/${pick(NETWORKS, i)}` }),
  'page of a prefix': (i) => ({ path: `/dashboard/api/lookup/prefix/${pick(OCTETS, i)}.0.0.0/8` }),
};

export type Load = {
  readonly port: number;
  readonly key: string;
  readonly route: string;
  readonly durationMs: number;
};

// The main thread imports the names of the routes.
if (workerData !== null) await keepInFlight(workerData as Load);

async function keepInFlight({ port, key, route, durationMs }: Load): Promise<void> {
  const questionOf = ROUTES[route];
  if (questionOf === undefined) throw new Error(`no route ${route}`);
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const untilMs = performance.now() + durationMs;
  let asked = 0;
  const keepAsking = async () => {
    while (performance.now() < untilMs) {
      const i = asked++;
      const { path, body } = questionOf(i);
      const headers = {
        'X-API-Key': key,
        'Content-Type': 'application/json',
        'X-Forwarded-For': `198.18.${(i >> 8) & 255}.${i & 255}`,
      };
      await ask({ agent, port, path, headers, method: body === undefined ? 'GET' : 'POST' }, body);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, keepAsking));
  agent.destroy();
}

export function ask(options: RequestOptions, body?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', ...options }, (response) =>
      response.resume().on('end', resolve).on('error', reject),
    )
      .on('error', reject)
      .end(body);
  });
}
