/**
 * Lookups with the session in place of a key. Where the operator allows it, single lookups need no account; batches
 * always do.
 */
import { parseAddress } from '@whence/dataset/address';
import { checkForRequest, tryForRequest } from '../../email-checks/check-request.ts';
import { elapsedMs, envelope, sendJson, sendJsonData } from '../../http/envelope.ts';
import { ApiError } from '../../http/errors.ts';
import type { Requester } from '../../limits/cost-classes.ts';
import { mapNetwork, mapPrefix } from '../../lookup/address-map.ts';
import { BatchAnswer } from '../../lookup/batch-answer.ts';
import { DatasetWalks } from '../../lookup/dataset-walks.ts';
import type { ServedDataset } from '../../lookup/live-dataset.ts';
import {
  type FoundRecord,
  requireAsn,
  requireBatchSize,
  requireDataset,
  requireRecord,
  searchNetworks,
} from '../../lookup/lookup-requests.ts';
import { historyJson } from '../../versions/past-request.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import type { PublicAsk, Rows } from '../requests/ask.ts';
import { describeAddress, describePrefix, networkJson, parsePrefixRequest } from './dataset-answers.ts';
import { PrefixSummaries } from './prefix-summaries.ts';

type Names =
  | 'lookUpIp'
  | 'lookUpHostname'
  | 'lookUpRegistration'
  | 'lookUpHistory'
  | 'lookUpPrefix'
  | 'lookUpAsn'
  | 'searchAsn'
  | 'mapPrefix'
  | 'mapAsn'
  | 'checkDomain'
  | 'tryDomain'
  | 'lookUpBatch';

/** Addresses of one batch. */
export const MAX_BATCH = 1_000;

export function lookupRoutes(dependencies: DashboardDependencies): Rows<Names> {
  const { live, networks, settings, addressSections, rpki, past, turns } = dependencies;
  const access = settings.hasPublicLookups ? 'public' : 'viewer';
  const walks = new DatasetWalks();
  const summaries = new PrefixSummaries(walks);
  const describeSections = (
    { dataset, supplement }: ServedDataset,
    found: FoundRecord,
    included: string,
    requester: Requester,
  ) => addressSections.describe({ dataset, supplement, ...found }, addressSections.parse(included), requester);

  return {
    lookUpIp: {
      access,
      charge: { counts: 'ip', costs: ['lookup'] },
      handler: async (ask: PublicAsk<'lookUpIp'>) => {
        const { request, reply, params, session, now } = ask;
        const served = requireDataset(live);
        const found = requireRecord(served, params.ip);
        networks.count(served.dataset, found.address);
        const {
          routing = { origins: [] },
          privacy,
          location,
        } = await describeSections(served, found, 'routing,privacy,location', ask.requester);
        const extras = {
          routing,
          ...(privacy && { privacy }),
          ...(location && { location }),
          ...(rpki?.table && rpki.asOf && { rpki_as_of: rpki.asOf.toISOString() }),
          has_registration: session !== undefined && addressSections.has('registration'),
        };
        const meta = { request_id: request.id, dataset_version: served.version };
        return reply.send(envelope(request, describeAddress(served, found, extras, now), meta));
      },
    },
    lookUpHostname: {
      access,
      charge: { counts: 'ip', costs: ['hostname'] },
      handler: async (ask: PublicAsk<'lookUpHostname'>) => {
        const served = requireDataset(live);
        const found = requireRecord(served, ask.params.ip);
        const { hostname = {} } = await describeSections(served, found, 'hostname', ask.requester);
        return { hostname, asked_at: ask.now.toISOString() };
      },
    },
    lookUpRegistration: {
      // A registry answers one request per second, and its terms forbid collecting what it says: not for the public.
      access: 'viewer',
      charge: { counts: 'ip', costs: ['registration'] },
      handler: async (ask) => {
        const served = requireDataset(live);
        const found = requireRecord(served, ask.params.ip);
        const { registration } = await describeSections(served, found, 'registration', ask.requester);
        return { ...(registration && { registration }), asked_at: ask.now.toISOString() };
      },
    },
    lookUpHistory: {
      // One thread reads earlier versions, for the API too: not for the public.
      access: 'viewer',
      charge: { counts: 'ip_history', costs: ['past_version'] },
      handler: async (ask) => {
        const served = requireDataset(live);
        const address = parseAddress(ask.params.ip);
        if (address === undefined) throw new ApiError('INVALID_IP');
        const json = await historyJson(past, served, address, ask.requester);
        return sendJsonData(ask.request, ask.reply, Buffer.from(json));
      },
    },
    lookUpPrefix: {
      access,
      charge: { counts: 'prefix', costs: ['scan'] },
      handler: async (ask: PublicAsk<'lookUpPrefix'>) => {
        const { dataset } = requireDataset(live);
        return describePrefix(
          dataset,
          parsePrefixRequest(ask.params),
          { summaries, requester: ask.requester },
          ask.now,
        );
      },
    },
    lookUpAsn: {
      access,
      charge: { counts: 'asn', costs: ['scan'] },
      handler: async (ask: PublicAsk<'lookUpAsn'>) => {
        const { served, record } = requireAsn(live, ask.params.asn);
        const json = await networkJson(served, record, { walks, requester: ask.requester }, rpki);
        return sendJsonData(ask.request, ask.reply, json);
      },
    },
    searchAsn: {
      access,
      charge: { counts: 'asn_search', costs: ['search'] },
      handler: async (ask: PublicAsk<'searchAsn'>) => {
        return searchNetworks(live, ask.query);
      },
    },
    mapPrefix: {
      access,
      charge: { counts: 'prefix', costs: ['scan'] },
      handler: async (ask: PublicAsk<'mapPrefix'>) => {
        const { dataset } = requireDataset(live);
        const { range, length } = parsePrefixRequest(ask.params);
        const subject = `map of IPv${range.version} ${range.start}/${length}`;
        return walks.run(dataset, subject, ask.requester, (giveWay) => mapPrefix(dataset, range, length, giveWay));
      },
    },
    mapAsn: {
      access,
      charge: { counts: 'asn', costs: ['scan'] },
      handler: async (ask: PublicAsk<'mapAsn'>) => {
        const { served, record } = requireAsn(live, ask.params.asn);
        const { dataset } = served;
        return walks.run(dataset, `map AS${record.asn}`, ask.requester, (giveWay) =>
          mapNetwork(dataset, record.asn, dataset.prefixesOf(record.asn).ipv4, giveWay),
        );
      },
    },
    checkDomain: {
      access,
      charge: { counts: 'email', costs: ['email_check'] },
      handler: async (ask: PublicAsk<'checkDomain'>) => {
        const { params, query } = ask;
        const checked = await checkForRequest(dependencies, params.domain, query, ask.requester);
        // Loaded for the first check, not before the server listens.
        const { describeExamination } = await import('./domain-report.ts');
        return describeExamination(checked);
      },
    },
    tryDomain: {
      access: 'viewer',
      charge: { counts: 'email', costs: ['email_check'] },
      handler: async (ask) => {
        const trial = await tryForRequest(dependencies, ask.params.domain, ask.body, ask.requester);
        const { describeTrial } = await import('./domain-trial.ts');
        return describeTrial(trial);
      },
    },
    lookUpBatch: {
      access: 'viewer',
      charge: { counts: 'batch', costs: ['batch', 'turn'] },
      handler: async (ask) => {
        const { request, reply, body } = ask;
        requireBatchSize(body.ips.length, MAX_BATCH);
        const { dataset } = requireDataset(live);
        const bytes = await turns.run(ask.requester, () => {
          const answer = new BatchAnswer(dataset, networks);
          answer.addTexts(body.ips);
          return answer.finish(request.id, elapsedMs(request));
        });
        return sendJson(reply, bytes);
      },
    },
  };
}
