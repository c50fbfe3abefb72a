// The records for a domain that sends no mail: a null MX (RFC 7505), an SPF record without senders,
// and `p=reject`. Proposed where nothing shows that the domain sends or receives mail.
import { hasCode } from '../findings/finding.ts';
import {
  isPublicSuffix,
  isSetUpForNoMail,
  looksUnused,
  sendsNoMail,
} from '../readiness/mail-role.ts';
import { policyInForce } from '../readiness/readiness.ts';
import type { Findings } from '../score/score.ts';
import { isOnlyMinusAll } from '../spf/spf-record.ts';
import { type AdviceDetails, type Change, type Draft, RANKS, txtChange } from './advice.ts';
import { dmarcChange } from './dmarc.ts';
import { rewriteDmarc } from './dmarc-record.ts';
import { mxChange } from './mx.ts';

export function adviseNoMail(domain: string, findings: Findings): Draft[] {
  if (!looksUnused(findings)) return [];
  if (isSetUpForNoMail(findings)) return [{ code: 'no_mail_finished', detail: {} }];
  const { mx, spf } = findings;
  const changes = [
    { record: 'null MX', change: mx.state === 'null' ? undefined : mxChange(domain, 0, '.') },
    {
      record: 'SPF',
      change: isOnlyMinusAll(spf.report.raw)
        ? undefined
        : txtChange(domain, 'v=spf1 -all', spf.records),
    },
    { record: 'DMARC', change: policyChange(domain, findings) },
  ] as const;
  const missing = changes.flatMap(({ record, change }) => (change === undefined ? [] : [record]));
  const about = {
    domain,
    missing,
    isDeclared: sendsNoMail(findings),
    isPublicSuffix: isPublicSuffix(domain),
    mailGoesTo: mx.state === 'implicit' ? 'own address' : 'nowhere',
    sending: findings.subdomains.sending,
    policy: policyInForce(findings.dmarc),
    alias: spf.alias,
  } as const;
  return changes.flatMap(({ record, change }, i) => {
    if (change === undefined) return [];
    const detail: AdviceDetails['no_mail'] = { ...about, record };
    // Nothing can be published at an alias (RFC 1034 §3.6.2), but below one.
    const isPossible = spf.alias === undefined || record === 'DMARC';
    const draft = { code: 'no_mail', detail, rank: RANKS.noMail - i } as const;
    if (isPossible) return [{ ...draft, change }];
    return record === missing[0] ? [draft] : [];
  });
}

/**
 * Undefined if receivers refuse all mail already, or the record is not one that can be rewritten.
 */
function policyChange(domain: string, findings: Findings): Change | undefined {
  const { dmarc, reported } = findings;
  // Reports show mail of the domain, or not enough to say that there is none.
  if (reported !== undefined && reported.answer !== 'yes') return undefined;
  const { effective_policy, percentage, is_valid, inherited } = dmarc.report;
  const isWhole = effective_policy === 'reject' && percentage === 100 && !dmarc.isTestMode;
  if (dmarc.isUnverified || (isWhole && (is_valid || inherited))) return undefined;
  const [own] = dmarc.steps;
  if (own?.kind === 'multiple' || own?.kind === 'too long') return undefined;
  const parent = dmarc.steps.find(
    ({ name, kind }) => name === dmarc.recordDomain && kind === 'one',
  );
  const isSuffix = isPublicSuffix(domain);
  let raw = isSuffix ? 'v=DMARC1; psd=y' : 'v=DMARC1';
  if (own?.kind === 'one') raw = own.record.raw;
  if (own?.kind === 'lookalike') raw = own.raw;
  const below =
    own?.kind !== 'one' && parent?.kind === 'one' && !isSuffix
      ? {
          subdomains: parent.record.subdomainPolicy || ('none' as const),
          nonexistent: parent.record.nonexistentPolicy || ('none' as const),
          isReportingKept: false,
        }
      : undefined;
  const current =
    own?.kind === 'one' && own.record.standing === 'as published' ? own.record.subdomainPolicy : '';
  const { text } = rewriteDmarc(raw, {
    policy: 'reject',
    inForce: hasCode(dmarc.report.validation_errors, 'no_dmarc_record') ? '' : effective_policy,
    sendsNoMail: true,
    isFull: true,
    // A public suffix must not decide for the domains below it, nor a domain for those of its own
    // that send.
    ...((isSuffix || findings.subdomains.sending.length > 0) && {
      subdomains: { policy: current || ('none' as const), names: findings.subdomains.sending },
    }),
    ...(below !== undefined && { below }),
  });
  return dmarcChange(domain, text, findings);
}
