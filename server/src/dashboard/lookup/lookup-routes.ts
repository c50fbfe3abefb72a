/**
 * Lookups with the session in place of a key. Where the operator allows it, single lookups need no account; batches
 * always do.
 */
import { checkForRequest } from '../../email-checks/check-request.ts';
import { elapsedMs, envelope, sendJson } from '../../http/envelope.ts';
import { disconnectSignal } from '../../http/requests.ts';
import { clientNetwork } from '../../limits/client.ts';
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
import { object } from '../requests/schemas.ts';
import { describeAddress, describeNetwork, describePrefix, parsePrefixRequest } from './dataset-answers.ts';
import { LookupLimits, MAX_BATCH, usageIdOf } from './lookup-limits.ts';

type Names = 'lookUpIp' | 'lookUpPrefix' | 'lookUpAsn' | 'searchAsn' | 'checkDomain' | 'lookUpBatch';

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
