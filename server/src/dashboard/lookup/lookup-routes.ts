/**
 * Lookups with the session in place of a key. Where the operator allows it, single lookups need no account; batches
 * always do.
 */
import { parseAddress } from '@whence/dataset/address';
import { checkForRequest, tryForRequest } from '../../email-checks/check-request.ts';
import { elapsedMs, envelope, sendJson, sendJsonData } from '../../http/envelope.ts';
import { ApiError } from '../../http/errors.ts';
import { disconnectSignal } from '../../http/requests.ts';
import { clientNetwork } from '../../limits/client.ts';
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
import { describeAddress, describeNetwork, describePrefix, parsePrefixRequest } from './dataset-answers.ts';
import { LookupLimits, MAX_BATCH, usageIdOf } from './lookup-limits.ts';
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

export function lookupRoutes(dependencies: DashboardDependencies): Rows<Names> {
  const { live, networks, settings, addressSections, rpki, past } = dependencies;
  const access = settings.hasPublicLookups ? 'public' : 'viewer';
  const limits = new LookupLimits(dependencies);
  const walks = new DatasetWalks();
  const summaries = new PrefixSummaries(walks);
  const fairnessKeyOf = ({ session, client }: Pick<PublicAsk<Names>, 'session' | 'client'>) =>
    session === undefined ? clientNetwork(client.address) : usageIdOf(session.account.id);
  const requesterOf = (ask: Pick<PublicAsk<Names>, 'session' | 'client' | 'reply'>) => ({
    fairnessKey: fairnessKeyOf(ask),
    signal: disconnectSignal(ask.reply),
  });
  const describeSections = (
    { dataset, supplement }: ServedDataset,
    found: FoundRecord,
    included: string,
    requester: ReturnType<typeof requesterOf>,
  ) => addressSections.describe({ dataset, supplement, ...found }, addressSections.parse(included), requester);

  return {
    lookUpIp: {
      access,
      handler: async (ask: PublicAsk<'lookUpIp'>) => {
        await limits.charge(ask, 'ip');
        const { request, reply, params, session, now } = ask;
        const served = requireDataset(live);
        const found = requireRecord(served, params.ip);
        networks.count(served.dataset, found.address);
        const {
          routing = { origins: [] },
          privacy,
          location,
        } = await describeSections(served, found, 'routing,privacy,location', requesterOf(ask));
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
      handler: async (ask: PublicAsk<'lookUpHostname'>) => {
        await limits.charge(ask, 'ip');
        const served = requireDataset(live);
        const found = requireRecord(served, ask.params.ip);
        const { hostname = {} } = await describeSections(served, found, 'hostname', requesterOf(ask));
        return { hostname, asked_at: ask.now.toISOString() };
      },
    },
    lookUpRegistration: {
      // A registry answers one request per second, and its terms forbid collecting what it says: not for the public.
      access: 'viewer',
      handler: async (ask) => {
        await limits.charge(ask, 'ip');
        const served = requireDataset(live);
        const found = requireRecord(served, ask.params.ip);
        const { registration } = await describeSections(served, found, 'registration', requesterOf(ask));
        return { ...(registration && { registration }), asked_at: ask.now.toISOString() };
      },
    },
    lookUpHistory: {
      // One thread reads earlier versions, for the API too: not for the public.
      access: 'viewer',
      handler: async (ask) => {
        await limits.charge(ask, 'ip_history');
        const served = requireDataset(live);
        const address = parseAddress(ask.params.ip);
        if (address === undefined) throw new ApiError('INVALID_IP');
        const json = await historyJson(past, served, address, requesterOf(ask));
        return sendJsonData(ask.request, ask.reply, Buffer.from(json));
      },
    },
    lookUpPrefix: {
      access,
      handler: async (ask: PublicAsk<'lookUpPrefix'>) => {
        await limits.charge(ask, 'prefix');
        const { dataset } = requireDataset(live);
        const asked = { summaries, fairnessKey: fairnessKeyOf(ask) };
        return describePrefix(dataset, parsePrefixRequest(ask.params), asked, ask.now);
      },
    },
    lookUpAsn: {
      access,
      handler: async (ask: PublicAsk<'lookUpAsn'>) => {
        await limits.charge(ask, 'asn');
        const { served, record } = requireAsn(live, ask.params.asn);
        return describeNetwork(served, record, { walks, fairnessKey: fairnessKeyOf(ask) }, rpki);
      },
    },
    searchAsn: {
      access,
      handler: async (ask: PublicAsk<'searchAsn'>) => {
        await limits.charge(ask, 'asn_search');
        return searchNetworks(live, ask.query);
      },
    },
    mapPrefix: {
      access,
      handler: async (ask: PublicAsk<'mapPrefix'>) => {
        await limits.charge(ask, 'prefix');
        const { dataset } = requireDataset(live);
        const { range, length } = parsePrefixRequest(ask.params);
        const subject = `map of IPv${range.version} ${range.start}/${length}`;
        return walks.run(dataset, subject, fairnessKeyOf(ask), (giveWay) => mapPrefix(dataset, range, length, giveWay));
      },
    },
    mapAsn: {
      access,
      handler: async (ask: PublicAsk<'mapAsn'>) => {
        await limits.charge(ask, 'asn');
        const { served, record } = requireAsn(live, ask.params.asn);
        const { dataset } = served;
        const { ipv4 } = dataset.prefixesOf(record.asn);
        return walks.run(dataset, `map AS${record.asn}`, fairnessKeyOf(ask), (giveWay) =>
          mapNetwork(dataset, record.asn, ipv4, giveWay),
        );
      },
    },
    checkDomain: {
      access,
      handler: async (ask: PublicAsk<'checkDomain'>) => {
        await limits.charge(ask, 'email');
        const { params, query } = ask;
        const checked = await checkForRequest(dependencies, params.domain, query, requesterOf(ask));
        // Loaded for the first check, not before the server listens.
        const { describeExamination } = await import('./domain-report.ts');
        return describeExamination(checked);
      },
    },
    tryDomain: {
      access: 'viewer',
      handler: async (ask) => {
        await limits.charge(ask, 'email');
        const trial = await tryForRequest(dependencies, ask.params.domain, ask.body, requesterOf(ask));
        const { describeTrial } = await import('./domain-trial.ts');
        return describeTrial(trial);
      },
    },
    lookUpBatch: {
      access: 'viewer',
      handler: async (ask) => {
        await limits.charge(ask, 'batch');
        const { request, reply, body } = ask;
        requireBatchSize(body.ips.length, MAX_BATCH);
        const answer = new BatchAnswer(requireDataset(live).dataset, networks);
        answer.addTexts(body.ips);
        return sendJson(reply, answer.finish(request.id, elapsedMs(request)));
      },
    },
  };
}
