// DNS for one check: sends no query twice, follows aliases, and ends with the deadline or the
// signal. Timer and listener exist only while a question is pending, so a finished check leaves
// nothing behind.
import { followAliases, toResolver } from './alias-chain.ts';
import {
  type Answer,
  type CheckResolver,
  type Failure,
  failure,
  type RecordType,
  type Reply,
} from './answer.ts';
import type { CheckBudget } from './budget.ts';
import type { Waiter } from './in-flight.ts';
import { askableFrom, askableName } from './name.ts';
import { keyOf, type Question } from './wire.ts';

type CheckLimits = {
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  readonly budget: CheckBudget;
};

export function createCheckResolver(
  ask: (question: Question, mayRetry: () => boolean) => Waiter<Reply>,
  { deadlineMs, signal, budget }: CheckLimits,
): CheckResolver {
  const endsAt = performance.now() + deadlineMs;
  const replies = new Map<string, Reply | Promise<Reply>>();
  const waiting = new Set<(reply: Failure) => void>();
  let timer: NodeJS.Timeout | undefined;
  let queries = 0;
  let end: Failure | undefined;

  const endWith = (reason: string) => {
    end = failure(reason);
    for (const giveUp of [...waiting]) giveUp(end);
  };
  const onDeadline = () => endWith('timeout');
  const onAbort = () => endWith('aborted');

  function askOnce(question: Question): Reply | Promise<Reply> {
    const key = keyOf(question);
    const earlier = replies.get(key);
    if (earlier !== undefined) return earlier;
    const reply = askNow(question);
    replies.set(key, reply);
    return reply;
  }

  function askNow(question: Question): Reply | Promise<Reply> {
    if (end !== undefined) return end;
    if (signal?.aborted) return failure('aborted');
    if (performance.now() >= endsAt) return failure('timeout');
    const refusal = budget.spendQuestion(question.name);
    if (refusal !== undefined) return refusal;
    const waiter = ask(question, () => budget.spendRetry());
    if (waiter.isFirst) queries++;
    return wait(waiter);
  }

  function wait({ result, leave }: Waiter<Reply>): Promise<Reply> {
    return new Promise((resolve) => {
      const settle = (reply: Reply) => {
        waiting.delete(giveUp);
        if (waiting.size === 0) disarm();
        resolve(reply);
      };
      const giveUp = (reply: Failure) => {
        leave();
        settle(reply);
      };
      if (waiting.size === 0) arm();
      waiting.add(giveUp);
      void result.then((reply) => {
        if (waiting.has(giveUp)) settle(budget.hold(reply));
      });
    });
  }

  function arm(): void {
    timer = setTimeout(onDeadline, endsAt - performance.now());
    signal?.addEventListener('abort', onAbort, { once: true });
  }

  function disarm(): void {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }

  async function resolve(
    text: string,
    type: RecordType,
    how: { readonly isUnchecked?: true } = {},
  ) {
    const askable = type === 'PTR' ? askableFrom(text) : askableName;
    const name = askable(text);
    if (name === undefined) return { kind: 'nxdomain' } as const;
    const ask = (alias: string): Reply | Promise<Reply> => {
      // An alias may lead to a name that cannot be asked, such as the root.
      const target = askable(alias);
      return target === undefined
        ? { kind: 'nxdomain', aliases: [], ttl: 0 }
        : askOnce({ name: target, type, ...how });
    };
    return followAliases(name, ask, askable);
  }

  return {
    ...toResolver(resolve),
    // The records of PTR and TXT answers are texts.
    ptr: (name) => resolve(name, 'PTR') as Promise<Answer<string>>,
    unchecked: (name, type) => resolve(name, type, { isUnchecked: true }),
    get queries() {
      return queries;
    },
  };
}
