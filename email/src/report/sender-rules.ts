// What Google and Yahoo (since 2024-02) and Microsoft (since 2025-05) ask of domains with 5,000
// messages a day, as far as DNS shows it. Not reverse names, TLS, complaints and a way to
// unsubscribe.

import { dnsFailure, type Finding, isFailure, judged } from '../findings/finding.ts';
import { looksUnused } from '../readiness/mail-role.ts';
import { judgePresent } from '../readiness/readiness.ts';
import type { SenderRulesReport } from '../report.ts';
import type { Findings } from '../score/score.ts';

type State = SenderRulesReport['google'];

export function senderRules(findings: Findings): SenderRulesReport<Finding> {
  if (looksUnused(findings)) return rulesOf('not_applicable', []);
  const missing = [
    ...spfRule(findings),
    ...dkimRule(findings),
    ...dmarcRule(findings),
    ...refusals(findings),
  ];
  if (missing.length === 0) return rulesOf('met', []);
  return rulesOf(missing.every(isFailure) ? 'unverified' : 'not_met', missing);
}

/** All three ask for the same records. */
function rulesOf(state: State, missing: Finding[]): SenderRulesReport<Finding> {
  return { google: state, yahoo: state, microsoft: state, ...judged(missing) };
}

function spfRule({ spf }: Findings): Finding[] {
  if (spf.isUnverified) return failureIn(spf.report.validation_errors, 'SPF');
  return spf.report.is_valid && spf.openToAll === undefined
    ? []
    : [{ code: 'sender_needs_spf', detail: {} }];
}

function dkimRule({ dkim }: Findings): Finding[] {
  if (dkim.isUnverified) return failureIn(dkim.failures, 'DKIM');
  return dkim.report.some(({ is_valid }) => is_valid)
    ? []
    : [{ code: 'sender_needs_dkim', detail: {} }];
}

function dmarcRule({ dmarc }: Findings): Finding[] {
  if (dmarc.isUnverified) return failureIn(dmarc.report.validation_errors, 'DMARC');
  const isInForce = dmarc.report.record_domain !== '' && !dmarc.isFatal;
  return isInForce ? [] : [{ code: 'sender_needs_dmarc', detail: {} }];
}

/** Mail that receivers refuse does not reach them either. */
function refusals(findings: Findings): Finding[] {
  const { refused } = judgePresent(findings.spf.tree.name, findings);
  return refused.map(({ service }) => ({ code: 'mail_refused_now', detail: { service } }));
}

function failureIn(errors: readonly Finding[], name: string): Finding[] {
  const failure = errors.find(isFailure);
  return [
    failure ?? dnsFailure(name, 'TXT', { code: 'dns_temporary_failure', reason: 'no answer' }),
  ];
}

/** In one line, for a domain whose owner sends to many. */
export function senderRulesText({ google, validation_errors }: SenderRulesReport): string {
  const who = 'Google, Yahoo (2024) and Microsoft (2025)';
  if (google === 'not_applicable') return 'not applicable, since it seems to send no mail';
  if (google === 'met') return `met for ${who}, as far as DNS shows`;
  const missing = validation_errors.map((error) => error.replace(/^[a-z_]+: /, '')).join('; ');
  return google === 'unverified'
    ? `could not be verified (${missing})`
    : `not met for ${who}: ${missing}`;
}
