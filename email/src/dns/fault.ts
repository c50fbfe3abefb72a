// Why a resolver answers SERVFAIL: signatures that do not validate, or silent servers. With
// checking disabled (the CD bit, RFC 4035 §3.2.2) it answers in the first case.
import type { RecordType, Resolver } from './answer.ts';

export type DnsFault = 'signatures' | 'servers';

/**
 * Asks what failed once more: another question may fail for another reason. Undefined without
 * SERVFAIL.
 */
export async function findFault(
  questions: readonly FailedQuestion[],
  resolver: Resolver,
): Promise<DnsFault | undefined> {
  const failed = questions.find(({ reason }) => reason === 'SERVFAIL');
  if (failed === undefined || resolver.unchecked === undefined) return undefined;
  const answer = await resolver.unchecked(failed.name, failed.type);
  return answer.kind === 'failure' ? 'servers' : 'signatures';
}

type FailedQuestion = {
  readonly name: string;
  readonly type: RecordType;
  readonly reason: string;
};

/** Why nothing is known about a domain; the last two are not about it. */
export type DnsOutage = DnsFault | 'resolver' | 'refused';

/**
 * `resolver`: another name fails too. `refused`: REFUSED to this client. Undefined where no server
 * answers.
 */
export async function findOutage(
  questions: readonly FailedQuestion[],
  resolver: Resolver,
): Promise<DnsOutage | undefined> {
  const failed = questions.find(({ reason }) => reason === 'SERVFAIL');
  if (failed === undefined)
    return questions.some(({ reason }) => reason === 'REFUSED') ? 'refused' : undefined;
  const fault = await findFault(questions, resolver);
  if (fault !== 'servers') return fault;
  // Another name below the same top-level domain, which has an answer whether it exists or not.
  // Names of one label are not asked for.
  const other = `nic.${failed.name.slice(failed.name.lastIndexOf('.') + 1)}`;
  return (await resolver.txt(other)).kind === 'failure' ? 'resolver' : 'servers';
}
