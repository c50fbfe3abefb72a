/**
 * What a person decides about a sender. Facts of reports stay as they came; only the class of
 * failing mail follows it.
 */
import { SENDER_DECISIONS, type SenderDecision } from '@whence/email/reports';
import type { Actor, AuditLog } from '../audit/audit-log.ts';
import type { SendersAnswer } from './judgement.ts';

/** `undecided` takes a decision back. */
export const DECISION_CHOICES = [...SENDER_DECISIONS, 'undecided'] as const;
export type DecisionChoice = (typeof DECISION_CHOICES)[number];

type DecisionStore = {
  decide(
    domain: string,
    service: string,
    decision: SenderDecision | undefined,
    by: string,
    at: Date,
  ): Promise<unknown>;
  decisions(domain: string): Promise<readonly { readonly service: string }[]>;
};

/**
 * `service` is the id of a sender or of its part, or its name. False if it is not among the senders
 * of the reports, nor in a reason of the verdict, which may be about mail before the period, nor
 * decided already: a misspelt name would have no effect, and storage keeps no more decisions than
 * there are senders.
 */
export async function decideSender(
  { reports, audit }: { readonly reports: DecisionStore; readonly audit: AuditLog },
  actor: Actor,
  { domain, services, verdict }: Pick<SendersAnswer, 'domain' | 'services' | 'verdict'>,
  { service, decision }: { readonly service: string; readonly decision: DecisionChoice },
  now: Date,
): Promise<boolean> {
  const named = service.trim().toLowerCase();
  const found = services.find(({ id, name }) => [id, name.toLowerCase()].includes(named));
  const parts = [...services.flatMap(({ accounts }) => accounts), ...verdict.reasons];
  const isKnown =
    parts.some(({ id }) => id === named) ||
    (await reports.decisions(domain)).some((earlier) => earlier.service === named);
  if (found === undefined && !isKnown) return false;
  const decided = found?.id ?? named;
  await reports.decide(
    domain,
    decided,
    decision === 'undecided' ? undefined : decision,
    actor.name,
    now,
  );
  const details = { service: decided, decision };
  await audit.record(
    actor,
    'domain.sender_decided',
    { kind: 'domain', name: domain },
    now,
    details,
  );
  return true;
}
