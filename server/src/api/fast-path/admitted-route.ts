// A route on the fast path: admission, answer and counts without Node's request object. Waits only
// for storage: for a key that is no longer vouched for, or for a lease.
import type { Admission, Admitted, Charge, KeyRequester } from '../../admission/admission.ts';
import type { KeyDeclaration } from '../../admission/declaration.ts';
import { ApiError } from '../../http/errors.ts';
import type { Key } from '../../keys/key.ts';
import type { LiveDataset, ServedDataset } from '../../lookup/live-dataset.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { FastPathClients } from './clients.ts';
import type { FastPathAnswers, FastPathConnection } from './connections.ts';
import type { RecognisedRequest } from './recognised-request.ts';
import type { TextAnswers } from './text-answer.ts';

// An answer without a key has a refusal: the type does not say so, because people have answers
// without one.
const NOT_ADMITTED = new ApiError('UNAUTHORIZED');

export type FastPath = {
  readonly admission: Admission;
  readonly live: Pick<LiveDataset, 'current'>;
  readonly metrics: Metrics;
  readonly clients: FastPathClients;
  readonly texts: TextAnswers;
  readonly nowMs: () => number;
};

export type FastPathRoute<Question> = {
  readonly declaration: KeyDeclaration;
  /** The bytes are those of the request only during the call. */
  read(bytes: Buffer, request: RecognisedRequest, connection: FastPathConnection): Question;
  /** Called once the request is admitted. */
  answer(
    question: Question,
    served: ServedDataset,
    charged: Charge,
    elapsedMs: number,
    nowMs: number,
  ): { readonly answer: Buffer; readonly status: number } | ApiError;
};

/**
 * What is kept of a request while it waits: its bytes and `RecognisedRequest` are used for the next
 * one.
 */
type WaitingRequest<Question> = KeyRequester & {
  readonly question: Question;
  readonly served: ServedDataset;
  readonly connection: FastPathConnection;
  /** Not read once the request has waited. */
  readonly bytes: Buffer;
  /** Once it was computed. */
  knownClient: string | undefined;
  readonly startedMs: number;
  readonly nowMs: number;
};

export function answerAdmitted<Question>(
  { admission, live, metrics, clients, texts, nowMs }: FastPath,
  { declaration, read, answer }: FastPathRoute<Question>,
): FastPathAnswers['answer'] {
  const { counts } = declaration;

  return (bytes, request, connection, mayWait) => {
    // Without a dataset Node's path refuses the request and refunds it.
    const served = live.current;
    if (served === undefined) return undefined;
    const waiting: WaitingRequest<Question> = {
      kind: 'key',
      secret: request.hasSecret ? connection.secretOf(bytes, request) : undefined,
      client: clientOf,
      waits: mayWait ? 'for known keys' : 'never',
      question: read(bytes, request, connection),
      served,
      connection,
      bytes,
      knownClient: undefined,
      startedMs: performance.now(),
      nowMs: nowMs(),
    };
    const admitted = admission.admit(waiting, declaration, waiting.nowMs);
    if (!(admitted instanceof Promise)) return admitted && finish(waiting, admitted);
    waiting.client();
    return admitted.then((late) => late && finish(waiting, late));
  };

  /**
   * A function that all requests share: one for each of them would cost as much as the rest of its
   * object.
   */
  function clientOf(this: WaitingRequest<Question>): string {
    this.knownClient ??= clients.clientOf(this.bytes, this.connection);
    return this.knownClient;
  }

  function finish(request: WaitingRequest<Question>, admitted: Admitted): Buffer {
    if (admitted.limit === undefined) return refuse(request, admitted.refusal ?? NOT_ADMITTED);
    if (admitted.refusal !== undefined) return refuse(request, admitted.refusal, admitted);
    const { question, served, startedMs } = request;
    const waitedMs = performance.now() - startedMs;
    const answered = answer(question, served, admitted, Math.floor(waitedMs), request.nowMs);
    if (answered instanceof ApiError) {
      // A fault of the server is refunded, as on Node's path.
      const charged = answered.row.status >= 500 ? refunded(admitted) : admitted;
      return refuse(request, answered, charged);
    }
    count(request, admitted.key, answered.status, performance.now() - startedMs);
    return answered.answer;
  }

  function refunded(spent: Charge): Charge {
    const remaining =
      spent.chargedDay === undefined ? undefined : admission.refund(spent.key, spent.chargedDay);
    return remaining === undefined ? spent : { ...spent, remaining };
  }

  function refuse(request: WaitingRequest<Question>, error: ApiError, charged?: Charge): Buffer {
    const elapsedMs = performance.now() - request.startedMs;
    count(request, charged?.key, error.row.status, elapsedMs, error.code);
    return texts.refuse(error, charged, Math.floor(elapsedMs), request.nowMs);
  }

  function count(
    request: WaitingRequest<Question>,
    key: Key | undefined,
    status: number,
    elapsedMs: number,
    code?: string,
  ): void {
    metrics.fastPathLookups++;
    metrics.count(counts, status, elapsedMs / 1000, code);
    const isFirst = admission.countAnswer(key, counts, status, request.nowMs, code);
    if (isFirst && key !== undefined) admission.recordClient(key, request.client());
  }
}
