// Answers simple batches at the socket: Node's HTTP server and Fastify take a fifth of the time of
// 1,000 addresses. What cannot be answered with 200 at once is left to Node, uncounted.
import { randomUUID } from 'node:crypto';
import { JSON_TYPE } from '../../http/envelope.ts';
import type { Key } from '../../keys/key.ts';
import { TIERS } from '../../keys/tiers.ts';
import { BatchAnswer } from '../../lookup/batch-answer.ts';
import { addSimpleTexts, BATCH } from '../batch/batch.ts';
import { releaseBatchBuffer, takeBatchBuffer } from '../batch/batch-buffers.ts';
import { MAX_TEXTS, recogniseSimpleBody, type SimpleBody, Texts } from '../batch/simple-body.ts';
import type { FastPath } from './admitted-route.ts';
import type { FastPathAnswers } from './connections.ts';

/**
 * Room for the head, which is written right before the body once the length of the body is known.
 */
const HEAD_BYTES = 1024;
/**
 * Addresses per turn of the event loop: about ten milliseconds on a slow core, which other requests
 * may wait for.
 */
const MAX_IN_TURN = 4_000;

export function fastPathBatches({
  admission,
  live,
  metrics,
  clients,
  texts,
  nowMs,
}: FastPath): FastPathAnswers {
  /** Addresses that were looked up in this turn of the event loop. */
  let inTurn = 0;
  const countInTurn = (count: number) => {
    if (inTurn === 0)
      setImmediate(() => {
        inTurn = 0;
      });
    inTurn += count;
  };
  /** Texts of the batch that is being answered: nothing waits. */
  const submitted = new Texts(Number.POSITIVE_INFINITY);

  const answer: FastPathAnswers['answer'] = (bytes, request, connection, mayWait) => {
    const startedMs = performance.now();
    const served = live.current;
    // What a client does not read of an answer is counted only where Node has the connection.
    if (mayWait || served === undefined || !request.hasSecret) return undefined;
    let body: SimpleBody | undefined;
    const accepts = (key: Key) => {
      if (!key.permissions.includes(BATCH.access)) return false;
      body = recogniseSimpleBody(bytes.subarray(request.bodyStart, request.bodyEnd), submitted);
      if (body === undefined || body.count > Math.min(MAX_TEXTS, TIERS[key.tier].batchSize))
        return false;
      // Many that arrive at once wait on Node's path for turns of their own.
      return inTurn + body.count <= MAX_IN_TURN;
    };
    const askedMs = nowMs();
    const secret = connection.secretOf(bytes, request);
    const client = () => clients.clientOf(bytes, connection);
    const charged = admission.admit(
      { kind: 'key', secret, client, waits: 'never', accepts },
      BATCH,
      askedMs,
    );
    if (charged === undefined || charged instanceof Promise || charged.limit === undefined)
      return undefined;
    if (body === undefined) return undefined;
    countInTurn(body.count);
    const batch = new BatchAnswer(served.dataset, { buffer: takeBatchBuffer(), start: HEAD_BYTES });
    addSimpleTexts(batch, served.dataset, body);
    const id = randomUUID();
    const elapsedMs = performance.now() - startedMs;
    const { length } = batch.finish(id, Math.floor(elapsedMs));
    const head = texts.head(
      { status: 200, id, type: JSON_TYPE, rate: charged, fields: [] },
      length,
      askedMs,
    );
    const start = HEAD_BYTES - head.length;
    batch.buffer.write(head, start, 'latin1');
    metrics.fastPathBatches++;
    metrics.count(BATCH.counts, 200, elapsedMs / 1000);
    if (admission.countAnswer(charged.key, BATCH.counts, 200, askedMs))
      admission.recordClient(charged.key, client());
    return batch.buffer.subarray(start, HEAD_BYTES + length);
  };

  return { answer, release: releaseBatchBuffer };
}
