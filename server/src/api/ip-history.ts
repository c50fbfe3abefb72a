/** `GET /v1/ip/{ip}/history`: how the record of an address changed from version to version. */
import { parseAddress } from '@whence/dataset/address';
import type { FastifyReply } from 'fastify';
import { sendJsonData } from '../http/envelope.ts';
import { ApiError } from '../http/errors.ts';
import type { RequestOf } from '../http/json-schema.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { requireDataset } from '../lookup/lookup-requests.ts';
import type { PastLookups } from '../versions/past-lookups.ts';
import { historyJson } from '../versions/past-request.ts';
import { requesterOf } from './admit.ts';
import type { ipHistorySchema } from './schemas/ip-history.ts';

export function getIpHistory(live: LiveDataset, past: PastLookups) {
  return async (request: RequestOf<typeof ipHistorySchema>, reply: FastifyReply) => {
    const served = requireDataset(live);
    const address = parseAddress(request.params.ip);
    if (address === undefined) throw new ApiError('INVALID_IP');
    const json = await historyJson(past, served, address, requesterOf(request, reply));
    return sendJsonData(request, reply, Buffer.from(json));
  };
}
