/** Every route of the API that takes a key: path, name in metrics and statistics, permission, schema, handler. */
import type { FastifyReply, FastifySchema, RouteOptions } from 'fastify';
import type { AddressSections } from '../address/sections.ts';
import type { EmailChecks } from '../email-checks/email-checks.ts';
import type { ParameterOf, RequestOf, Schema } from '../http/json-schema.ts';
import type { KnownKeys } from '../keys/known-keys.ts';
import type { Overload } from '../limits/overload.ts';
import type { RequestRates } from '../limits/request-rates.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { PrefixContents } from '../lookup/prefix-contents.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Quota } from '../quota/quota.ts';
import type { NetworkCounts } from '../usage/networks.ts';
import type { Usage } from '../usage/usage.ts';
import type { DatasetDiffs } from '../versions/dataset-diffs.ts';
import type { PastLookups } from '../versions/past-lookups.ts';
import type { Permission } from '../vocabulary.ts';
import { getAsn, searchAsn } from './asn.ts';
import { postBatch } from './batch/batch.ts';
import { getDataset, getDatasetDiff } from './dataset.ts';
import { getEmailDomain } from './email.ts';
import { getIp, getOwnIp } from './ip.ts';
import { getIpHistory } from './ip-history.ts';
import { getPrefix } from './prefix.ts';
import { asnSchema, asnSearchSchema } from './schemas/asn.ts';
import { datasetSchema } from './schemas/dataset.ts';
import { datasetDiffSchema } from './schemas/dataset-diff.ts';
import { emailDomainSchema } from './schemas/email.ts';
import { batchSchema, ipSchema, ownIpSchema } from './schemas/ip.ts';
import { ipHistorySchema } from './schemas/ip-history.ts';
import { prefixSchema, splitPrefixSchema } from './schemas/prefix.ts';

type ApiRoute = Pick<RouteOptions, 'method' | 'url' | 'schema'> & {
  readonly name: string;
  readonly permission: Permission;
  readonly handler: (request: never, reply: never) => unknown;
};

/** A route whose schema names the parameters of its path, and whose handler takes what the schema describes. */
const route = <
  Url extends string,
  S extends FastifySchema & { readonly params?: Schema<{ [Name in ParameterOf<Url>]: string }> },
>(
  row: ApiRoute & {
    readonly url: Url;
    readonly schema: S;
    readonly handler: (request: RequestOf<NoInfer<S>>, reply: FastifyReply) => unknown;
  },
): ApiRoute => row;

/** What the API is built from. */
export type ApiDependencies = {
  readonly keys: KnownKeys;
  readonly quota: Quota;
  readonly rates: RequestRates;
  readonly usage: Usage;
  readonly overload: Overload;
  readonly live: LiveDataset;
  readonly emailChecks: EmailChecks;
  readonly addressSections: AddressSections;
  readonly datasetDiffs: DatasetDiffs;
  readonly past: PastLookups;
  readonly metrics: Metrics;
  readonly networks: NetworkCounts;
  readonly nowMs: () => number;
};

/** What the handlers use; the rest is for keys and limits. */
export type RouteDependencies = Pick<
  ApiDependencies,
  'live' | 'emailChecks' | 'addressSections' | 'datasetDiffs' | 'past' | 'metrics' | 'networks' | 'nowMs'
>;

export function apiRoutes(dependencies: RouteDependencies): ApiRoute[] {
  const { live, emailChecks, datasetDiffs, past, networks, nowMs } = dependencies;
  const prefix = {
    name: 'prefix',
    permission: 'ip:read',
    handler: getPrefix(live, new PrefixContents(), dependencies.addressSections),
  } as const;
  return [
    route({
      method: 'GET',
      url: '/v1/ip/:ip',
      name: 'ip',
      permission: 'ip:read',
      schema: ipSchema,
      handler: getIp(dependencies),
    }),
    route({
      method: 'GET',
      url: '/v1/ip/me',
      name: 'ip',
      permission: 'ip:read',
      schema: ownIpSchema,
      handler: getOwnIp(dependencies),
    }),
    route({
      method: 'GET',
      url: '/v1/ip/:ip/history',
      name: 'ip_history',
      permission: 'ip:read',
      schema: ipHistorySchema,
      handler: getIpHistory(live, past),
    }),
    route({
      method: 'POST',
      url: '/v1/ip/batch',
      name: 'batch',
      permission: 'ip:batch',
      schema: batchSchema,
      handler: postBatch(live, networks, dependencies.addressSections),
    }),
    route({ ...prefix, method: 'GET', url: '/v1/prefix/:cidr', schema: prefixSchema }),
    route({ ...prefix, method: 'GET', url: '/v1/prefix/:cidr/:length', schema: splitPrefixSchema }),
    route({
      method: 'GET',
      url: '/v1/asn/:asn',
      name: 'asn',
      permission: 'asn:read',
      schema: asnSchema,
      handler: getAsn(live, dependencies.addressSections),
    }),
    route({
      method: 'GET',
      url: '/v1/asn/search',
      name: 'asn_search',
      permission: 'asn:read',
      schema: asnSearchSchema,
      handler: searchAsn(live),
    }),
    route({
      method: 'GET',
      url: '/v1/email/domain/:domain/dns',
      name: 'email',
      permission: 'email:read',
      schema: emailDomainSchema,
      handler: getEmailDomain(emailChecks, live),
    }),
    route({
      method: 'GET',
      url: '/v1/dataset',
      name: 'dataset',
      permission: 'ip:read',
      schema: datasetSchema,
      handler: getDataset(live, nowMs),
    }),
    route({
      method: 'GET',
      url: '/v1/dataset/diff',
      name: 'dataset_diff',
      permission: 'ip:read',
      schema: datasetDiffSchema,
      handler: getDatasetDiff(live, datasetDiffs),
    }),
  ];
}
