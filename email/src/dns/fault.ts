/**
 * Why a resolver answers SERVFAIL: because the signatures of the zone do not validate, or because its servers do not
 * answer. A resolver does not say which (without RFC 8914), but with checking disabled (the CD bit, RFC 4035 §3.2.2) it
 * answers in the first case.
 */
import { type Answer, isTemporaryFailure, type Resolver } from './answer.ts';

export type DnsFault = 'signatures' | 'servers';

/** One more question, and only if the resolver can ask without validation. */
export async function findFault(
  name: string,
  answers: readonly Answer<unknown>[],
  resolver: Resolver,
): Promise<DnsFault | undefined> {
  const isServfail = answers.some((answer) => isTemporaryFailure(answer) && answer.reason === 'SERVFAIL');
  if (!isServfail || resolver.unchecked === undefined) return undefined;
  const answer = await resolver.unchecked(name);
  return answer.kind === 'failure' ? 'servers' : 'signatures';
}
