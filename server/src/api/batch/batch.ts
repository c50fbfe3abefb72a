/**
 * `POST /v1/ip/batch`: many addresses in one request. A body in the simple form is read without a
 * string per address.
 */
import { parseAddressBytes } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import type { Match } from '@whence/dataset/match';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type AddressSections, parseLocalInclude } from '../../address/sections.ts';
import type { KeyDeclaration } from '../../admission/declaration.ts';
import { elapsedMs, sendJson } from '../../http/envelope.ts';
import { jsonBodyParser } from '../../http/json-body.ts';
import type { ValueOf } from '../../http/json-schema.ts';
import { TIERS } from '../../keys/tiers.ts';
import { BatchAnswer } from '../../lookup/batch-answer.ts';
import type { EventLoopSlices } from '../../lookup/event-loop-slices.ts';
import type { LiveDataset } from '../../lookup/live-dataset.ts';
import { requireBatchSize, requireDataset } from '../../lookup/lookup-requests.ts';
import { requesterOf } from '../admit.ts';
import type { batchSchema } from '../schemas/ip.ts';
import { releaseBatchBuffer, takeBatchBuffer } from './batch-buffers.ts';
import { forEachText, MAX_TEXTS, recogniseSimpleBody, SimpleBody } from './simple-body.ts';

export const BATCH: KeyDeclaration = {
  access: 'ip:batch',
  counts: 'batch',
  costs: ['batch', 'turn'],
};
/** A batch with more addresses, or with more of each, waits for its turn. */
const AT_ONCE = 50;

type BatchRequest = FastifyRequest<{ Body: SimpleBody | ValueOf<typeof batchSchema.body> }>;

/** A body in the simple form stays bytes; any other body is parsed as everywhere. */
export function parseBatchBodies(scope: FastifyInstance): void {
  const parseJson = jsonBodyParser(scope);
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (request, bytes, done) => {
      const simple = recogniseSimpleBody(bytes);
      if (simple === undefined) parseJson(request, bytes.toString(), done);
      else done(null, simple);
    },
  );
}

export function postBatch(
  live: LiveDataset,
  addressSections: AddressSections,
  slices: EventLoopSlices,
) {
  return async (request: BatchRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { body } = request;
    const isSimple = body instanceof SimpleBody;
    const received = isSimple ? body.count : body.ips.length;
    const included = parseLocalInclude(isSimple ? undefined : body.include);
    requireBatchSize(received, TIERS[request.key?.tier ?? 'free'].batchSize);
    const served = requireDataset(live);
    const { dataset } = served;
    const lookUp = () => {
      const membersOf = addressSections.localJson(dataset, included);
      const answer = new BatchAnswer(dataset, { buffer: takeBatchBuffer(), membersOf });
      if (isSimple) addSimpleTexts(answer, dataset, body);
      else answer.addTexts(body.ips);
      return answer.finish(request.id, elapsedMs(request));
    };
    const isSmall = received <= AT_ONCE && included.size === 0;
    const bytes = isSmall ? lookUp() : await slices.run(requesterOf(request, reply), lookUp);
    reply.raw.once('close', () => releaseBatchBuffer(bytes));
    return sendJson(reply, bytes);
  };
}

/** Matches of a batch. One for all calls, because no call waits. */
const matches = new Uint32Array(MAX_TEXTS);

export function addSimpleTexts(answer: BatchAnswer, dataset: Dataset, body: SimpleBody): void {
  const { bytes, count, texts } = body;
  const { starts, ends, isIpv4, words } = texts;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  dataset.findAllIpv4(words, count, matches);
  forEachText(body, (text) => {
    const start = starts[text] as number;
    const end = ends[text] as number;
    if (isIpv4[text] === 1)
      answer.addIpv4(bytes, view, start, end, words[text] as number, matches[text] as Match);
    else answer.add(bytes, start - 1, end + 1, parseAddressBytes(bytes, start, end));
  });
}
