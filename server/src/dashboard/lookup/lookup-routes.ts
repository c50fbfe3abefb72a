/**
 * Lookups with the session in place of a key. Where the operator allows it, single lookups need no account; batches
 * always do.
 */
import { checkForRequest, tryForRequest } from '../../email-checks/check-request.ts';
import { elapsedMs, envelope, sendJson } from '../../http/envelope.ts';
import { disconnectSignal } from '../../http/requests.ts';
import { clientNetwork } from '../../limits/client.ts';
import { mapNetwork, mapPrefix } from '../../lookup/address-map.ts';
import { BatchAnswer } from '../../lookup/batch-answer.ts';
import { DatasetWalks } from '../../lookup/dataset-walks.ts';
import {
  requireAsn,
  requireBatchSize,
  requireDataset,
  requireRecord,
  searchNetworks,
} from '../../lookup/lookup-requests.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import type { PublicAsk, Rows } from '../requests/ask.ts';
import { object, text } from '../requests/schemas.ts';
import { describeAddress, describeNetwork, describePrefix, parsePrefixRequest } from './dataset-answers.ts';
import { LookupLimits, MAX_BATCH, usageIdOf } from './lookup-limits.ts';

type Names =
  | 'lookUpIp'
  | 'lookUpPrefix'
  | 'lookUpAsn'
  | 'searchAsn'
  | 'mapPrefix'
  | 'mapAsn'
  | 'checkDomain'
  | 'tryDomain'
  | 'lookUpBatch';

/** Longer TXT records are not read by a check either. */
const MAX_RECORD_CHARACTERS = 16 * 1024;
const MAX_SELECTOR_CHARACTERS = 253;

export function lookupRoutes(dependencies: DashboardDependencies): Rows<Names> {
  const { live, networks, settings } = dependencies;
  const access = settings.hasPublicLookups ? 'public' : 'viewer';
  const limits = new LookupLimits(dependencies);
  const walks = new DatasetWalks();
  const fairnessKeyOf = ({ session, client }: Pick<PublicAsk<Names>, 'session' | 'client'>) =>
    session === undefined ? clientNetwork(client.address) : usageIdOf(session.account.id);

  return {
    lookUpIp: {
      access,
      handler: async (ask: PublicAsk<'lookUpIp'>) => {
        await limits.charge(ask, 'ip');
        const { request, reply, params, now } = ask;
        const served = requireDataset(live);
        const found = requireRecord(served, params.ip);
        networks.count(served.dataset, found.address);
        const meta = { request_id: request.id, dataset_version: served.version };
        return reply.send(envelope(request, describeAddress(served.dataset, found, now), meta));
      },
    },
    lookUpPrefix: {
      access,
      handler: async (ask: PublicAsk<'lookUpPrefix'>) => {
        await limits.charge(ask, 'prefix');
        const { dataset } = requireDataset(live);
        const walker = { walks, fairnessKey: fairnessKeyOf(ask) };
        return describePrefix(dataset, parsePrefixRequest(ask.params), walker, ask.now);
      },
    },
    lookUpAsn: {
      access,
      handler: async (ask: PublicAsk<'lookUpAsn'>) => {
        await limits.charge(ask, 'asn');
        const { served, record } = requireAsn(live, ask.params.asn);
        return describeNetwork(served, record, { walks, fairnessKey: fairnessKeyOf(ask) });
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
        const { reply, params, query } = ask;
        const requester = { fairnessKey: fairnessKeyOf(ask), signal: disconnectSignal(reply) };
        const checked = await checkForRequest(dependencies, params.domain, query, requester);
        // Loaded for the first check, not before the server listens.
        const { describeExamination } = await import('./domain-report.ts');
        return describeExamination(checked);
      },
    },
    tryDomain: {
      access: 'viewer',
      bodySchema: object(
        {},
        {
          spf: text(MAX_RECORD_CHARACTERS),
          dmarc: text(MAX_RECORD_CHARACTERS),
          dkim: object({ selector: text(MAX_SELECTOR_CHARACTERS), text: text(MAX_RECORD_CHARACTERS) }),
          selectors: text(MAX_RECORD_CHARACTERS),
        },
      ),
      handler: async (ask) => {
        await limits.charge(ask, 'email');
        const requester = { fairnessKey: fairnessKeyOf(ask), signal: disconnectSignal(ask.reply) };
        const trial = await tryForRequest(dependencies, ask.params.domain, ask.body, requester);
        const { describeTrial } = await import('./domain-trial.ts');
        return describeTrial(trial);
      },
    },
    lookUpBatch: {
      access: 'viewer',
      bodySchema: object({ ips: { type: 'array', items: { type: 'string' }, minItems: 1 } }),
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
