/**
 * The steps of a route on the plain path: key, limits, permission, answer, without a request object. A request waits only
 * if storage must be asked: for a key that is no longer vouched for, or for a lease.
 */
import { type Charge, NO_KEY, OVERLOADED, UNAUTHORIZED } from '../../admission/admission.ts';
import type { KeyDeclaration } from '../../admission/declaration.ts';
import { ApiError } from '../../http/errors.ts';
import type { Key } from '../../keys/key.ts';
import { isWellFormed } from '../../keys/secret-form.ts';
import type { ServedDataset } from '../../lookup/live-dataset.ts';
import type { ApiDependencies } from '../routes.ts';
import type { PlainClients } from './plain-client.ts';
import type { PlainAnswers, PlainConnection } from './plain-connections.ts';
import type { PlainRequest } from './plain-request.ts';
import { writeRefusal } from './refusal-answer.ts';

export type PlainDependencies = Pick<
  ApiDependencies,
  'addressSections' | 'admission' | 'databases' | 'live' | 'metrics' | 'networks' | 'nowMs' | 'rules'
> & {
  /** Added to every answer. */
  readonly extraHeaders: Readonly<Record<string, string>>;
  readonly clients: PlainClients;
};

/** For a question that Node's path answers: the request is left to it, and neither charged nor counted. */
export const NODES = Symbol("Node's");

export type PlainRoute<Question> = {
  readonly declaration: KeyDeclaration;
  /** What is asked. The bytes are those of the request only during the call. */
  read(bytes: Buffer, request: PlainRequest, connection: PlainConnection): Question | typeof NODES;
  /**
   * Called once the request is admitted, with the whole milliseconds that it has taken. Never with a file: what a route that
   * is charged for files answers here is refunded.
   */
  answer(
    question: Question,
    served: ServedDataset,
    charged: Charge,
    elapsedMs: number,
    nowMs: number,
  ): { readonly answer: Buffer; readonly status: number } | ApiError;
};

/** What is kept of a request while it waits: its bytes and `PlainRequest` are used for the next one. */
type Asked<Question> = {
  readonly question: Question;
  readonly connection: PlainConnection;
  /** Not read once the request has waited. */
  readonly bytes: Buffer;
  /** Set before it waits. */
  client: string | undefined;
  readonly startedMs: number;
  readonly nowMs: number;
};

export function answerPlainly<Question>(
  { admission, live, metrics, nowMs, extraHeaders, clients }: PlainDependencies,
  { declaration, ...route }: PlainRoute<Question>,
): PlainAnswers['answer'] {
  const { keys } = admission;
  const { counts } = declaration;

  return (bytes, request, connection, mayWait) => {
    const question = route.read(bytes, request, connection);
    if (question === NODES) return undefined;
    const asked: Asked<Question> = {
      question,
      connection,
      bytes,
      client: undefined,
      startedMs: performance.now(),
      nowMs: nowMs(),
    };
    if (admission.isOverloaded) return refuse(asked, OVERLOADED);
    if (!request.hasSecret) return refuse(asked, NO_KEY);
    // Without a dataset the route refuses the request and refunds it.
    const served = live.current;
    if (served === undefined) return undefined;
    const secret = connection.secretOf(bytes, request);
    const key = keys.findRemembered(secret);
    if (mayWait) return key === undefined ? later(asked, served, secret) : charge(asked, served, key);
    // A request that has to wait may be handled again by Node, and would be counted twice for its rate.
    if (key === undefined || key.restrictions !== undefined) return undefined;
    const charged = admission.chargeAtOnce(key, declaration, asked.nowMs);
    return charged && finish(asked, served, key, charged);
  };

  function clientOf(asked: Asked<Question>): string {
    return asked.client ?? clients.clientOf(asked.bytes, asked.connection);
  }

  /** Before a request waits: its bytes are then used for another one. */
  function keepClient(asked: Asked<Question>): void {
    asked.client = clientOf(asked);
  }

  async function later(asked: Asked<Question>, served: ServedDataset, secret: string): Promise<Buffer | undefined> {
    if (!isWellFormed(secret)) return refuse(asked, UNAUTHORIZED);
    keepClient(asked);
    const key = await keys.findKnown(secret, () => clientOf(asked));
    // Never seen before: the route looks it up, and throttles guesses by client address.
    if (key === undefined) return undefined;
    return key === 'absent' ? refuse(asked, UNAUTHORIZED) : charge(asked, served, key);
  }

  function charge(asked: Asked<Question>, served: ServedDataset, key: Key): Buffer | Promise<Buffer> {
    if (key.restrictions !== undefined && !keys.admits(key, () => clientOf(asked))) return refuse(asked, UNAUTHORIZED);
    const charged = admission.charge(key, declaration, asked.nowMs);
    if (!(charged instanceof Promise)) return finish(asked, served, key, charged);
    keepClient(asked);
    return charged.then((late) => finish(asked, served, key, late));
  }

  function finish(asked: Asked<Question>, served: ServedDataset, key: Key, spent: Charge): Buffer {
    const charged = declaration.charges === undefined ? spent : refunded(key, spent);
    if (charged.refusal !== undefined) return refuse(asked, charged.refusal, key, charged);
    const elapsedMs = performance.now() - asked.startedMs;
    const found = route.answer(asked.question, served, charged, Math.floor(elapsedMs), asked.nowMs);
    if (found instanceof ApiError) return refuse(asked, found, key, charged);
    count(asked, key, found.status, elapsedMs);
    return found.answer;
  }

  function refunded(key: Key, spent: Charge): Charge {
    const remaining = spent.chargedDay === undefined ? undefined : admission.refund(key, spent.chargedDay);
    return remaining === undefined ? spent : { ...spent, remaining };
  }

  function refuse(asked: Asked<Question>, error: ApiError, key?: Key, charged?: Charge): Buffer {
    const elapsedMs = performance.now() - asked.startedMs;
    count(asked, key, error.row.status, elapsedMs, error.code);
    return writeRefusal(error, charged, Math.floor(elapsedMs), asked.nowMs, extraHeaders);
  }

  function count(asked: Asked<Question>, key: Key | undefined, status: number, elapsedMs: number, code?: string): void {
    metrics.plainLookups++;
    metrics.count(counts, status, elapsedMs / 1000, code);
    if (key !== undefined && admission.countAnswer(key, counts, status, asked.nowMs))
      admission.recordClient(key, clientOf(asked));
  }
}
