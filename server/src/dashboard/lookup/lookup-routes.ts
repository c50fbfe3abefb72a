/**
 * Lookups with the session in place of a key. Where the operator allows it, single lookups need no
 * account; batches always do.
 */

import { parseAddress } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import { getOrInsert } from '@whence/dataset/get-or-insert';
import { describeCheck } from '../../email-checks/check-details.ts';
import { checkForRequest } from '../../email-checks/check-request.ts';
import { tryForRequest } from '../../email-checks/try-request.ts';
import { elapsedMs, envelope, sendJson, sendJsonData } from '../../http/envelope.ts';
import { ApiError } from '../../http/errors.ts';
import { requireIncluded } from '../../http/requests.ts';
import type { Requester } from '../../limits/cost-classes.ts';
import { BatchAnswer } from '../../lookup/batch-answer.ts';
import { DatasetWalks } from '../../lookup/dataset-walks.ts';
import type { ServedDataset } from '../../lookup/live-dataset.ts';
import {
  type AddressMatch,
  requireAsn,
  requireBatchSize,
  requireDataset,
  requireRecord,
  searchNetworks,
} from '../../lookup/lookup-requests.ts';
import { NetworkSearches } from '../../lookup/network-searches.ts';
import { requirePrefix } from '../../lookup/prefix-contents.ts';
import { WalkScratch } from '../../lookup/prefix-walk.ts';
import { historyJson } from '../../versions/past-request.ts';
import { ADDRESS_SECTIONS, INCLUDABLE_SECTIONS } from '../../vocabulary.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { forViewers, type PublicAsk, publicRoute, type Rows, route } from '../requests/ask.ts';
import { invalid } from '../requests/refusal.ts';
import type { DomainCheck } from '../wire/domains.ts';
import {
  describeAddress,
  describeAges,
  gapMemberOf,
  networkJson,
  prefixJson,
} from './dataset-answers.ts';
import { reportsFor } from './report-routes.ts';

/** Addresses of one batch. */
export const MAX_BATCH = 1_000;
/** Shorter prefixes hold more runs than a page could show. */
const MIN_LENGTH = { 4: 8, 6: 16 } as const;

export function lookupRoutes(dependencies: DashboardDependencies) {
  const { live, settings, addressSections, rpki, past, slices } = dependencies;
  const lookup: typeof publicRoute = settings.hasPublicLookups
    ? publicRoute
    : (...row) => route('viewer', ...row);
  const walks = new DatasetWalks(slices);
  const searches = new NetworkSearches();
  // One per dataset: walks run one at a time.
  const scratches = new WeakMap<Dataset, WalkScratch>();
  const scratchOf = (dataset: Dataset) =>
    getOrInsert(scratches, dataset, () => new WalkScratch(dataset));
  const describeSections = (
    { dataset }: ServedDataset,
    match: AddressMatch,
    included: readonly string[],
    requester: Requester,
  ) =>
    addressSections.describe(
      { dataset, ...match },
      requireIncluded(included, ADDRESS_SECTIONS),
      requester,
    );

  return {
    getDataAges: forViewers(({ now }) => describeAges(live.current, now)),
    lookUpIp: lookup({ counts: 'ip', costs: ['lookup'] }, async (ask) => {
      const { request, reply, params, session, now } = ask;
      const served = requireDataset(live);
      const record = requireRecord(served, params.ip);
      // Labels are the operator's own notes: not for the public.
      const labels = session === undefined ? [] : ['labels'];
      const included = ['routing', 'privacy', 'location', ...labels];
      const sections = await describeSections(served, record, included, ask.requester);
      const extras = {
        routing: { origins: [] },
        ...sections,
        ...(rpki?.table && rpki.asOf && { rpki_as_of: rpki.asOf.toISOString() }),
      };
      const meta = { request_id: request.id, dataset_version: served.version };
      return reply.send(envelope(request, describeAddress(served, record, extras, now), meta));
    }),
    lookUpHostname: lookup({ counts: 'ip', costs: ['hostname'], isPart: true }, async (ask) => {
      const served = requireDataset(live);
      const record = requireRecord(served, ask.params.ip);
      const { hostname = {} } = await describeSections(served, record, ['hostname'], ask.requester);
      return { hostname, asked_at: ask.now.toISOString() };
    }),
    // One thread reads earlier versions, for the API too: not for the public.
    lookUpHistory: route(
      'viewer',
      { counts: 'ip_history', costs: ['past_version'], isPart: true },
      async (ask) => {
        const served = requireDataset(live);
        const address = parseAddress(ask.params.ip);
        if (address === undefined) throw new ApiError('INVALID_IP');
        const json = await historyJson(past, served, address, ask.requester);
        return sendJsonData(ask.request, ask.reply, Buffer.from(json));
      },
    ),
    lookUpPrefix: lookup({ counts: 'prefix', costs: ['scan', 'turn'] }, async (ask) => {
      const { dataset } = requireDataset(live);
      const { address, length } = ask.params;
      const request = requirePrefix(`${address}/${length}`);
      const minimum = MIN_LENGTH[request.range.version];
      if (request.length < minimum) throw invalid('/length', `at least /${minimum}`);
      const walker = { walks, scratchOf, requester: ask.requester };
      const json = await prefixJson(dataset, request, walker, rpki, ask.now);
      return sendJsonData(ask.request, ask.reply, json);
    }),
    lookUpAsn: lookup({ counts: 'asn', costs: ['scan', 'turn'] }, async (ask) => {
      const { served, record } = requireAsn(live, ask.params.asn);
      const json = await networkJson(served, record, { walks, requester: ask.requester }, rpki);
      return sendJsonData(ask.request, ask.reply, json);
    }),
    searchAsn: lookup({ counts: 'asn_search', costs: ['search'] }, ({ query, requester }) =>
      searchNetworks({ live, searches }, query, requester),
    ),
    checkDomain: lookup(
      { counts: 'email', costs: ['email_check', 'smtp_probe', 'judgement'] },
      (ask) => describeDomain(dependencies, ask, ask.params.domain, ask.query),
    ),
    tryDomain: route(
      'viewer',
      { counts: 'email', costs: ['email_check', 'judgement'] },
      async (ask) => {
        const { session, params } = ask;
        const sources = {
          ...dependencies,
          ...reportsFor(dependencies, session, params.domain),
          dataset: live.current?.dataset,
        };
        return tryForRequest(sources, ask.params.domain, ask.body, ask.requester);
      },
    ),
    lookUpBatch: route('viewer', { counts: 'batch', costs: ['batch', 'turn'] }, async (ask) => {
      const { request, reply, body } = ask;
      requireBatchSize(body.ips.length, MAX_BATCH);
      const { dataset } = requireDataset(live);
      const bytes = await slices.run(ask.requester, () => {
        const answer = new BatchAnswer(dataset, { membersOf: gapMemberOf(dataset) });
        answer.addTexts(body.ips);
        return answer.finish(request.id, elapsedMs(request));
      });
      return sendJson(reply, bytes);
    }),
  } satisfies Rows;
}

async function describeDomain(
  dependencies: DashboardDependencies,
  { session, requester }: Pick<PublicAsk<'checkDomain'>, 'session' | 'requester'>,
  domain: string,
  query: PublicAsk<'checkDomain'>['query'],
): Promise<DomainCheck> {
  // Connections to mail servers are not for the public.
  const mayProbe = session !== undefined && dependencies.emailChecks.mayProbe;
  // Nor is what reports show.
  const reports = reportsFor(dependencies, session, domain);
  const checked = await checkForRequest(
    { ...dependencies, ...reports, mayProbe },
    domain,
    query,
    requester,
  );
  // Loaded for the first check, not before the server listens.
  const sections = INCLUDABLE_SECTIONS.filter((name) => name !== 'smtp' || mayProbe);
  return { report: checked.answer, ...describeCheck(checked, checked.reported), sections };
}
