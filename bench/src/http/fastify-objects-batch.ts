/**
 * Peer: a batch with our dataset as one would write it first. Objects, and JSON.stringify over the whole; no key, no counting. Argument: the
 * data directory.
 *
 * `Dataset.record` parses JSON, which is meant for one record. To be a fair peer this keeps the parsed parts, as a program would that
 * has its records in memory; what is left is putting together and writing out.
 */
import { formatAddress, parseAddress } from '@whence/dataset/address';
import { prefixLength } from '@whence/dataset/format';
import { formatPrefix } from '@whence/dataset/prefix';
import { openCurrent } from '@whence/dataset/publish';
import Fastify from 'fastify';
import { listen } from './contestant-server.ts';

const dataset = openCurrent(process.argv[2] ?? '');
if (dataset === undefined) throw new Error('there is no dataset');

const names = new Map<number, string>();
const tails = new Map<number, object>();

function lookUp(text: string): object {
  const address = parseAddress(text);
  if (address === undefined || dataset === undefined) return { error: 'invalid IP address' };
  const match = dataset.find(address);
  if (match === 0) return { error: 'no data found for IP' };
  const asn = dataset.asnNumber(match);
  const tail = dataset.tailOf(match);
  return {
    ip: formatAddress(address),
    prefix: formatPrefix(address, prefixLength(match)),
    asn,
    asn_name: remembered(names, asn, () => dataset.asn(asn)?.asn_name ?? ''),
    ...remembered(tails, tail, () => dataset.tail(tail)),
  };
}

function remembered<T>(known: Map<number, T>, number: number, make: () => T): T {
  let value = known.get(number);
  if (value === undefined) {
    value = make();
    known.set(number, value);
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
