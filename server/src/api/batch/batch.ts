/** `POST /v1/ip/batch`: many addresses in one request. A body in the plain form is read without a string per address. */
import { parseAddressBytes } from '@whence/dataset/address';
import type { Match } from '@whence/dataset/format';
import type { Dataset } from '@whence/dataset/read';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type AddressSections, requireLocal } from '../../address/sections.ts';
import { elapsedMs, sendJson } from '../../http/envelope.ts';
import { TIERS } from '../../keys/tiers.ts';
import { BatchAnswer } from '../../lookup/batch-answer.ts';
import type { LiveDataset } from '../../lookup/live-dataset.ts';
import { requireBatchSize, requireDataset } from '../../lookup/lookup-requests.ts';
import type { NetworkCounts } from '../../usage/networks.ts';
import { forEachText, MAX_TEXTS, PlainBody, recognisePlainBody } from './plain-body.ts';

/** The body as the parser below returns it, validated by the schema. */
type BatchRequest = FastifyRequest<{ Body: PlainBody | { ips: string[]; include?: string[] } }>;

/** Room for a thousand records of common size. A larger answer gets a larger buffer. */
const BUFFER_BYTES = 1 << 19;
/** Buffers kept for later batches: as many as are usually in flight at once. */
const KEPT_BUFFERS = 16;

/** A body in the plain form stays bytes; any other body is parsed by Fastify's default JSON parser. */
export function parseBatchBodies(scope: FastifyInstance): void {
  const parseJson = scope.getDefaultJsonParser('error', 'error');
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const plain = recognisePlainBody(bytes);
    if (plain === undefined) void parseJson(request, bytes.toString(), done);
    else done(null, plain);
  });
}

export function postBatch(live: LiveDataset, networks: NetworkCounts, addressSections: AddressSections) {
  const buffers: Buffer[] = [];
  return (request: BatchRequest, reply: FastifyReply): FastifyReply => {
    const { body } = request;
    const isPlain = body instanceof PlainBody;
    const received = isPlain ? body.count : body.ips.length;
    const included = requireLocal(isPlain ? undefined : body.include);
    requireBatchSize(received, TIERS[request.key?.tier ?? 'free'].batchSize);
    const { dataset } = requireDataset(live);
    const buffer = buffers.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
    const answer = new BatchAnswer(dataset, networks, buffer, addressSections.localJson(dataset, included));
    if (isPlain) addPlainTexts(answer, dataset, body);
    else answer.addTexts(body.ips);
    const bytes = answer.finish(request.id, elapsedMs(request));
    reply.raw.once('close', () => {
      if (buffers.length < KEPT_BUFFERS && answer.buffer.length === BUFFER_BYTES) buffers.push(answer.buffer);
    });
    return sendJson(reply, bytes);
  };
}

/** Matches of a batch. One for all calls, because no call waits. */
const matches = new Uint32Array(MAX_TEXTS);

function addPlainTexts(answer: BatchAnswer, dataset: Dataset, body: PlainBody): void {
  const { bytes, count, texts } = body;
  const { starts, ends, isIpv4, words } = texts;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  dataset.findAllIpv4(words, count, matches);
  forEachText(body, (text) => {
    const start = starts[text] as number;
    const end = ends[text] as number;
    if (isIpv4[text] === 1) answer.addIpv4(bytes, view, start, end, words[text] as number, matches[text] as Match);
    else answer.add(bytes, start - 1, end + 1, parseAddressBytes(bytes, start, end));
  });
}
