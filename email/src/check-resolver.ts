/**
 * DNS as one check sees it: no question twice, aliases followed, and an end. When the deadline passes or the signal aborts, whatever is still
 * waited for is a failure at once. The timer and the listener exist only while something is waited for, so that nothing is left
 * of a check that is over.
 */
import { type Failure, failure, followAliases, type Reply, toResolver } from './alias-chain.ts';
import type { RecordType, Resolver } from './dns.ts';
import { askableName } from './dns-name.ts';
import type { Question } from './dns-wire.ts';
import type { Seat } from './in-flight.ts';

export type CheckLimits = { readonly deadlineMs: number; readonly signal: AbortSignal | undefined };

export function createCheckResolver(
  /** A reply where one is known, or a seat among those who wait for it. */
  ask: (question: Question) => Reply | Seat<Reply>,
  { deadlineMs, signal }: CheckLimits,
): Resolver & { readonly queries: number } {
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
    const key = `${question.name} ${question.type}`;
    const known = replies.get(key);
    if (known !== undefined) return known;
    const reply = askNow(question);
    replies.set(key, reply);
    return reply;
  }

  function askNow(question: Question): Reply | Promise<Reply> {
    if (end !== undefined) return end;
    if (signal?.aborted) return failure('aborted');
    if (performance.now() >= endsAt) return failure('timeout');
    const asked = ask(question);
    if ('kind' in asked) return asked;
    if (asked.isFirst) queries++;
    return wait(asked);
  }

  function wait({ result, leave }: Seat<Reply>): Promise<Reply> {
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
        if (waiting.has(giveUp)) settle(reply);
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

  const resolver = toResolver(async (text: string, type: RecordType) => {
    const name = askableName(text);
    if (name === undefined) return { kind: 'nxdomain' };
    return followAliases(name, (asked) => {
      // An alias may name what cannot be asked, such as the root.
      const target = askableName(asked);
      return target === undefined ? { kind: 'nxdomain', aliases: [], ttl: 0 } : askOnce({ name: target, type });
    });
  });
  return {
    ...resolver,
    get queries() {
      return queries;
    },
  };
}
