/**
 * `POST /v1/ip/batch`: many addresses in one request. A body in the plain form is read as bytes and answered in bytes;
 * with a string per address and JSON.stringify over objects it would take four times as long.
 */
import { parseAddress, parseAddressBytes } from '@whence/dataset/address';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { elapsedMs, sendJson } from '../../http/envelope.ts';
import { ApiError } from '../../http/errors.ts';
import { TIERS } from '../../keys/tiers.ts';
import type { LiveDataset } from '../../lookup/live-dataset.ts';
import type { NetworkCounts } from '../../usage/networks.ts';
import { requireDataset } from '../ip.ts';
import { BatchAnswer } from './batch-answer.ts';
import { forEachText, PlainBody, recognisePlainBody } from './plain-body.ts';

/** As the parser below leaves it, and the schema has checked it. */
type BatchRequest = FastifyRequest<{ Body: PlainBody | { ips: string[] } }>;

/** Room for a thousand records of common size. A larger answer gets a larger buffer. */
const BUFFER_BYTES = 1 << 19;
/** Buffers kept for the next batch: as many as are usually being sent at once. */
const KEPT_BUFFERS = 16;

/** In the scope of the route: a body in the plain form stays as it is, any other is parsed as everywhere. */
export function parseBatchBodies(scope: FastifyInstance): void {
  const parseJson = scope.getDefaultJsonParser('error', 'error');
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const plain = recognisePlainBody(bytes);
    if (plain === undefined) void parseJson(request, bytes.toString(), done);
    else done(null, plain);
  });
}

export function postBatch(live: LiveDataset, networks: NetworkCounts) {
  const buffers: Buffer[] = [];
  return (request: BatchRequest, reply: FastifyReply): FastifyReply => {
    const { body } = request;
    const isPlain = body instanceof PlainBody;
    const received = isPlain ? body.count : body.ips.length;
    const { batchSize } = TIERS[request.key?.tier ?? 'free'];
    if (received > batchSize) {
      throw new ApiError('BATCH_TOO_LARGE', { extra: { details: { limit: batchSize, received } } });
    }
    const { dataset } = requireDataset(live);
    const answer = new BatchAnswer(dataset, networks, buffers.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES));
    if (isPlain) addTexts(answer, body);
    else addStrings(answer, body.ips);
    const bytes = answer.finish(request.id, elapsedMs(request));
    reply.raw.once('close', () => {
      if (buffers.length < KEPT_BUFFERS && answer.buffer.length === BUFFER_BYTES) buffers.push(answer.buffer);
    });
    return sendJson(reply, bytes);
  };
}

function addTexts(answer: BatchAnswer, body: PlainBody): void {
  const { bytes } = body;
  forEachText(body, (start, end) => answer.add(bytes, start - 1, end + 1, parseAddressBytes(bytes, start, end)));
}

function addStrings(answer: BatchAnswer, ips: readonly string[]): void {
  for (const ip of new Set(ips)) {
    const json = Buffer.from(JSON.stringify(ip));
    answer.add(json, 0, json.length, parseAddress(ip));
  }
}
