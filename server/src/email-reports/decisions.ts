/** What a person decides about a sender. Facts of reports stay as they came; only the class of failing mail follows it. */
import { SENDER_DECISIONS, type SenderDecision } from '@whence/email/internal/reports/report';
import type { Actor, AuditLog } from '../audit/audit-log.ts';

/** `undecided` takes a decision back. */
export const DECISION_CHOICES = [...SENDER_DECISIONS, 'undecided'] as const;
export type DecisionChoice = (typeof DECISION_CHOICES)[number];

type DecisionStore = {
  decide(domain: string, service: string, decision: SenderDecision | undefined, by: string, at: Date): Promise<unknown>;
};

/** `service` is the id of a sender. */
export async function decideSender(
  { reports, audit }: { readonly reports: DecisionStore; readonly audit: AuditLog },
  actor: Actor,
  {
    domain,
    service,
    decision,
  }: { readonly domain: string; readonly service: string; readonly decision: DecisionChoice },
  now: Date,
): Promise<void> {
  await reports.decide(domain, service, decision === 'undecided' ? undefined : decision, actor.name, now);
  await audit.record(actor, 'domain.sender_decided', { kind: 'domain', name: domain }, now, { service, decision });
}
