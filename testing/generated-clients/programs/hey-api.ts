/**
 * Calls every endpoint through the client that @hey-api/openapi-ts generates, and reads the answers
 * by their types. The test compiles it and runs it with the address of a server and a key.
 */
import assert from 'node:assert/strict';
import { createClient } from '../dist/hey-api/client/index.ts';
import {
  checkEmailDomain,
  getAsn,
  getDataset,
  getHealth,
  getIp,
  getOwnIp,
  getPrefix,
  getReadiness,
  lookUpBatch,
  searchAsn,
} from '../dist/hey-api/sdk.gen.ts';
import type { BatchEntry, Evidence, IpRecord } from '../dist/hey-api/types.gen.ts';

const [, , baseUrl = '', key = ''] = process.argv;
const client = createClient({ baseUrl, auth: key, headers: { 'X-Forwarded-For': '8.8.8.8' } });
const required = { client, throwOnError: true } as const;

const health: 'ok' = (await getHealth(required)).data.data.status;
assert.equal(health, 'ok');

const { data: readiness } = (await getReadiness(required)).data;
const version: number = readiness.dataset_version;
assert.equal(readiness.checks.dataset, 'ok');

const found = (
  await getIp({
    ...required,
    path: { ip: '8.8.8.8' },
    query: { explain: true, include: ['routing', 'privacy'] },
  })
).data;
const record: IpRecord = found.data;
const evidence: Evidence[] = record.evidence ?? [];
assert.ok(evidence.some(({ field, value }) => field === 'asn' && value === record.asn));
assert.equal(record.routing?.origins[0]?.asn, record.asn);
const isDatacenter: boolean = record.detection.is_datacenter;
assert.equal(isDatacenter, record.connection_type === 'datacenter');
assert.equal(found.meta.dataset_version, version);

const own: IpRecord = (await getOwnIp(required)).data.data;
assert.equal(own.ip, '8.8.8.8');

const batch = (
  await lookUpBatch({
    ...required,
    body: { ips: ['8.8.8.8', '10.0.0.1', 'x'], include: ['privacy'] },
  })
).data.data;
const codeOf = (entry: BatchEntry | undefined): 'INVALID_IP' | 'NOT_FOUND' | undefined =>
  entry !== undefined && 'error' in entry ? entry.code : undefined;
assert.deepEqual(
  ['8.8.8.8', '10.0.0.1', 'x'].map((ip) => codeOf(batch[ip])),
  [undefined, 'NOT_FOUND', 'INVALID_IP'],
);

const content = (await getPrefix({ ...required, path: { cidr: '8.8.8.0/24' } })).data.data;
const share: number | undefined = content.parts[0]?.share;
assert.equal(share, 1);

const network = (
  await getAsn({ ...required, path: { asn: '15169' }, query: { include_prefixes: true } })
).data.data;
assert.equal(network.prefixes?.ipv4.length, network.prefix_count.ipv4);

const search = (await searchAsn({ ...required, query: { q: 'google', limit: 1 } })).data.data;
assert.deepEqual([search.limit, search.results.length], [1, 1]);

const report = (
  await checkEmailDomain({
    ...required,
    path: { domain: 'example.com' },
    query: { selectors: ['a', 'b'], include: ['transport', 'networks'] },
  })
).data.data;
const policy: 'none' | 'quarantine' | 'reject' = report.dmarc.effective_policy;
assert.equal(policy, 'none');
assert.deepEqual(
  report.dkim.map(({ selector }) => selector),
  ['a', 'b'],
);
assert.equal(report.transport?.mta_sts.found, false);
assert.deepEqual(report.networks?.carriers, []);

const dataset = (await getDataset(required)).data.data;
const torFrom: 'feeds' | 'tables' | 'none' = dataset.flag_sources.is_tor_exit.from;
assert.ok(torFrom !== 'none');
assert.equal(dataset.version, version);

// Refusals: the code narrows the type of the details.
const refused = await getIp({
  client,
  path: { ip: '8.8.8.8' },
  query: { explain: true, include: [] },
});
assert.equal(refused.error, undefined);
const { error } = await getIp({ client, path: { ip: 'nonsense' } });
assert.equal(error?.data.code, 'INVALID_IP');
const { error: missing } = await getIp({
  client,
  path: { ip: '10.0.0.1' },
  query: { explain: true },
});
const rfc = missing?.data.error === 'no data found for IP' ? missing.data.details?.rfc : undefined;
assert.equal(rfc, 'RFC 1918');
const { error: unknown } = await getIp({
  client: createClient({ baseUrl }),
  path: { ip: '8.8.8.8' },
});
assert.equal(unknown?.data.code, 'UNAUTHORIZED');
console.log('every endpoint answered');
