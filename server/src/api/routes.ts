/** Every route of the API that takes a key: path, declaration, schema, handler. */
import type { FastifyReply, FastifySchema, RouteOptions } from 'fastify';
import type { AddressSections } from '../address/sections.ts';
import type { Admission } from '../admission/admission.ts';
import type { KeyDeclaration } from '../admission/declaration.ts';
import type { Turns } from '../admission/turns.ts';
import type { EmailChecks } from '../email-checks/email-checks.ts';
import type { ParameterOf, RequestOf, Schema } from '../http/json-schema.ts';
import { DatasetWalks } from '../lookup/dataset-walks.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { PrefixContents } from '../lookup/prefix-contents.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { NetworkCounts } from '../usage/networks.ts';
import type { DatasetDiffs } from '../versions/dataset-diffs.ts';
import type { PastLookups } from '../versions/past-lookups.ts';
import { getAsn, searchAsn } from './asn.ts';
import { BATCH, postBatch } from './batch/batch.ts';
import { getDataset, getDatasetDiff } from './dataset.ts';
import { getEmailDomain } from './email.ts';
import { getIp, getOwnIp, IP_LOOKUP } from './ip.ts';
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
  readonly declaration: KeyDeclaration;
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
  readonly admission: Admission;
  readonly live: LiveDataset;
  readonly emailChecks: EmailChecks;
  readonly addressSections: AddressSections;
  readonly datasetDiffs: DatasetDiffs;
  readonly past: PastLookups;
  readonly metrics: Metrics;
  readonly networks: NetworkCounts;
  readonly turns: Turns;
  readonly nowMs: () => number;
};

/** What the handlers use. */
export type RouteDependencies = Omit<ApiDependencies, 'admission'>;

export function apiRoutes(dependencies: RouteDependencies): ApiRoute[] {
  const { live, emailChecks, datasetDiffs, past, networks, turns, nowMs } = dependencies;
  const walks = new DatasetWalks();
  const prefix = {
    declaration: { access: 'ip:read', counts: 'prefix', costs: ['scan'] },
    handler: getPrefix(live, new PrefixContents(walks), dependencies.addressSections),
  } as const;
  return [
    route({
      method: 'GET',
      url: '/v1/ip/:ip',
      declaration: IP_LOOKUP,
      schema: ipSchema,
      handler: getIp(dependencies),
    }),
    route({
      method: 'GET',
      url: '/v1/ip/me',
      declaration: IP_LOOKUP,
      schema: ownIpSchema,
      handler: getOwnIp(dependencies),
    }),
    route({
      method: 'GET',
      url: '/v1/ip/:ip/history',
      declaration: { access: 'ip:read', counts: 'ip_history', costs: ['past_version'] },
      schema: ipHistorySchema,
      handler: getIpHistory(live, past),
    }),
    route({
      method: 'POST',
      url: '/v1/ip/batch',
      declaration: BATCH,
      schema: batchSchema,
      handler: postBatch(live, networks, dependencies.addressSections, turns),
    }),
    route({ ...prefix, method: 'GET', url: '/v1/prefix/:cidr', schema: prefixSchema }),
    route({ ...prefix, method: 'GET', url: '/v1/prefix/:cidr/:length', schema: splitPrefixSchema }),
    route({
      method: 'GET',
      url: '/v1/asn/:asn',
      declaration: { access: 'asn:read', counts: 'asn', costs: ['lookup', 'scan'] },
      schema: asnSchema,
      handler: getAsn(live, dependencies.addressSections, walks),
    }),
    route({
      method: 'GET',
      url: '/v1/asn/search',
      declaration: { access: 'asn:read', counts: 'asn_search', costs: ['search'] },
      schema: asnSearchSchema,
      handler: searchAsn(live),
    }),
    route({
      method: 'GET',
      url: '/v1/email/domain/:domain/dns',
      declaration: { access: 'email:read', counts: 'email', costs: ['email_check'] },
      schema: emailDomainSchema,
      handler: getEmailDomain(emailChecks, live),
    }),
    route({
      method: 'GET',
      url: '/v1/dataset',
      declaration: { access: 'ip:read', counts: 'dataset', costs: ['lookup'] },
      schema: datasetSchema,
      handler: getDataset(live, nowMs),
    }),
    route({
      method: 'GET',
      url: '/v1/dataset/diff',
      declaration: { access: 'ip:read', counts: 'dataset_diff', costs: ['comparison'] },
      schema: datasetDiffSchema,
      handler: getDatasetDiff(live, datasetDiffs),
    }),
  ];
}
