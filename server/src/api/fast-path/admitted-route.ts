// A route on the fast path: admission, answer and counts without Node's request object. Waits only for storage: for a
// key that is no longer vouched for, or for a lease.
import type { Admitted, Charge, KeyAsker } from '../../admission/admission.ts';
import type { KeyDeclaration } from '../../admission/declaration.ts';
import { ApiError } from '../../http/errors.ts';
import type { Key } from '../../keys/key.ts';
import type { ServedDataset } from '../../lookup/live-dataset.ts';
import { basicPassword } from '../admit.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { FastPathClients } from './clients.ts';
import type { FastPathAnswers, FastPathConnection } from './connections.ts';
import type { RecognisedRequest } from './recognised-request.ts';
import { writeRefusal } from './text-answer.ts';

// An answer without a key has a refusal: the type does not say so, because people have answers without one.
const NOT_ADMITTED = new ApiError('UNAUTHORIZED');

export type FastPathDependencies = Pick<
  ApiDependencies,
  'addressSections' | 'admission' | 'databases' | 'live' | 'metrics' | 'nowMs' | 'prefixContents' | 'rules'
> & {
  readonly extraHeaders: Readonly<Record<string, string>>;
  readonly clients: FastPathClients;
};

/** For a question that Node's path answers: the request is left to it, and neither charged nor counted. */
export const NODES = Symbol("Node's");

export type FastPathRoute<Question> = {
  readonly declaration: KeyDeclaration;
  readonly refusalText?: (error: ApiError) => string;
  /** What is asked. The bytes are those of the request only during the call. */
  read(bytes: Buffer, request: RecognisedRequest, connection: FastPathConnection): Question | typeof NODES;
  /** Called once the request is admitted. Never with a file: what a route that is charged for files answers is refunded. */
  answer(
    question: Question,
    served: ServedDataset,
    charged: Charge,
    elapsedMs: number,
    nowMs: number,
  ): { readonly answer: Buffer; readonly status: number } | ApiError;
};

/** What is kept of a request while it waits: its bytes and `RecognisedRequest` are used for the next one. */
type AskedRequest<Question> = KeyAsker & {
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
  { admission, live, metrics, nowMs, extraHeaders, clients }: FastPathDependencies,
  { declaration, ...route }: FastPathRoute<Question>,
): FastPathAnswers['answer'] {
  const { counts } = declaration;

  return (bytes, request, connection, mayWait) => {
    // Without a dataset Node's path refuses the request and refunds it.
    const served = live.current;
    const question = served && route.read(bytes, request, connection);
    if (served === undefined || question === NODES) return undefined;
    const secret = request.hasSecret
      ? connection.secretOf(bytes, request)
      : basicPassword(request.authorization.textIn(bytes));
    const asked: AskedRequest<Question> = {
      kind: 'key',
      secret,
      client: clientOf,
      waits: mayWait ? 'for known keys' : 'never',
      question: question as Question,
      served,
      connection,
      bytes,
      knownClient: undefined,
      startedMs: performance.now(),
      nowMs: nowMs(),
    };
    const admitted = admission.admit(asked, declaration, asked.nowMs);
    if (!(admitted instanceof Promise)) return admitted && finish(asked, admitted);
    asked.client();
    return admitted.then((late) => late && finish(asked, late));
  };

  /** A function that all requests share: one for each of them would cost as much as the rest of its object. */
  function clientOf(this: AskedRequest<Question>): string {
    this.knownClient ??= clients.clientOf(this.bytes, this.connection);
    return this.knownClient;
  }

  function finish(asked: AskedRequest<Question>, admitted: Admitted): Buffer {
    if (admitted.limit === undefined) return refuse(asked, admitted.refusal ?? NOT_ADMITTED);
    const charged = declaration.charges === undefined ? admitted : refunded(admitted);
    if (charged.refusal !== undefined) return refuse(asked, charged.refusal, charged);
    const elapsedMs = performance.now() - asked.startedMs;
    const found = route.answer(asked.question, asked.served, charged, Math.floor(elapsedMs), asked.nowMs);
    if (found instanceof ApiError)
      // A fault of the server, as on Node's path.
      return refuse(asked, found, found.row.status >= 500 && charged === admitted ? refunded(admitted) : charged);
    count(asked, charged.key, found.status, performance.now() - asked.startedMs);
    return found.answer;
  }

  function refunded(spent: Charge): Charge {
    const remaining = spent.chargedDay === undefined ? undefined : admission.refund(spent.key, spent.chargedDay);
    return remaining === undefined ? spent : { ...spent, remaining };
  }

  function refuse(asked: AskedRequest<Question>, error: ApiError, charged?: Charge): Buffer {
    const elapsedMs = performance.now() - asked.startedMs;
    count(asked, charged?.key, error.row.status, elapsedMs, error.code);
    return writeRefusal(error, charged, Math.floor(elapsedMs), asked.nowMs, extraHeaders, route.refusalText);
  }

  function count(
    asked: AskedRequest<Question>,
    key: Key | undefined,
    status: number,
    elapsedMs: number,
    code?: string,
  ): void {
    metrics.fastPathLookups++;
    metrics.count(counts, status, elapsedMs / 1000, code);
    if (key !== undefined && admission.countAnswer(key, counts, status, asked.nowMs, code))
      admission.recordClient(key, asked.client());
  }
}
