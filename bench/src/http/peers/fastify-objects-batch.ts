/**
 * Peer: a batch with our dataset, objects and JSON.stringify; no key, no counting. Argument: the
 * data directory.
 *
 * `Dataset.record` parses JSON on every call. For a fair comparison the peer caches the parsed
 * parts, like a program that keeps its records in memory.
 */
import { formatAddress, parseAddress } from '@whence/dataset/address';
import { prefixLength } from '@whence/dataset/match';
import { formatPrefix } from '@whence/dataset/prefix';
import { openCurrent } from '@whence/dataset/versions';
import Fastify from 'fastify';
import { listen } from './peer-server.ts';

const dataset = openCurrent(process.argv[2] ?? '');
if (dataset === undefined) throw new Error(`there is no dataset in ${process.argv[2]}`);

const names = new Map<number, string>();
const attributeSets = new Map<number, object>();

function lookUp(text: string): object {
  const address = parseAddress(text);
  if (address === undefined || dataset === undefined) return { error: 'invalid IP address' };
  const match = dataset.find(address);
  if (match === 0) return { error: 'no data found for IP' };
  const asn = dataset.asnNumber(match);
  const set = dataset.attributesOf(match);
  return {
    ip: formatAddress(address),
    prefix: formatPrefix(address, prefixLength(match)),
    asn,
    asn_name: cached(names, asn, () => dataset.asn(asn)?.asn_name ?? ''),
    ...cached(attributeSets, set, () => dataset.attributes(set)),
  };
}

function cached<T>(cache: Map<number, T>, number: number, make: () => T): T {
  let value = cache.get(number);
  if (value === undefined) {
    value = make();
    cache.set(number, value);
  }
  return value;
}

const app = Fastify();
app.post<{ Body: { ips: string[] } }>('/v1/ip/batch', (request, reply) => {
  const data: Record<string, object> = {};
  for (const ip of request.body.ips) data[ip] = lookUp(ip);
  return reply.type('application/json; charset=utf-8').send(JSON.stringify({ data }));
});
await listen(app);
