/** What a person decides about a sender. Facts of reports stay as they came; only the class of failing mail follows it. */
import { SENDER_DECISIONS, type SenderDecision } from '@whence/email/internal/reports/report';
import type { Actor, AuditLog } from '../audit/audit-log.ts';
import type { SendersAnswer } from './senders.ts';

/** `undecided` takes a decision back. */
export const DECISION_CHOICES = [...SENDER_DECISIONS, 'undecided'] as const;
export type DecisionChoice = (typeof DECISION_CHOICES)[number];

type DecisionStore = {
  decide(domain: string, service: string, decision: SenderDecision | undefined, by: string, at: Date): Promise<unknown>;
};

/**
 * `service` is the id of a sender or its name. False if it is not among the senders of the reports: a misspelt name would
 * have no effect, and storage keeps no more decisions than there are senders.
 */
export async function decideSender(
  { reports, audit }: { readonly reports: DecisionStore; readonly audit: AuditLog },
  actor: Actor,
  { domain, services }: Pick<SendersAnswer, 'domain' | 'services'>,
  { service, decision }: { readonly service: string; readonly decision: DecisionChoice },
  now: Date,
): Promise<boolean> {
  const named = service.trim().toLowerCase();
  const found = services.find(({ id, name }) => [id, name.toLowerCase()].includes(named));
  if (found === undefined) return false;
  await reports.decide(domain, found.id, decision === 'undecided' ? undefined : decision, actor.name, now);
  const details = { service: found.id, decision };
  await audit.record(actor, 'domain.sender_decided', { kind: 'domain', name: domain }, now, details);
  return true;
}
