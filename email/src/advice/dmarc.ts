/**
 * Advice on DMARC, in steps: no record → `p=none` with reports; none → quarantine → reject, one at a time and only when
 * SPF and DKIM work. Only the domain's own record is changed. What it inherits is answered with a record of its own.
 */
import type { DmarcRecord } from '../dmarc/dmarc.ts';
import { hasCode } from '../findings/finding.ts';
import { registrableDomain } from '../registrable-domain.ts';
import type { DmarcPolicy } from '../report/report.ts';
import { type Findings, MAX_POINTS, type Score } from '../report/score.ts';
import type { Advice, AdviceDetails, Change, Draft, ReportsTo } from './advice.ts';
import { type DmarcEdit, rewriteDmarc } from './dmarc-record.ts';
import { canReceive, sendsNoMail } from './no-mail.ts';

export function adviseDmarc(domain: string, findings: Findings, score: Score): Draft[] {
  const { dmarc } = findings;
  if (dmarc.isUnverified) {
    const detail = { part: 'DMARC', errors: dmarc.report.validation_errors } as const;
    return [{ code: 'unverified', detail, points: 0, rank: MAX_POINTS.dmarc - score.dmarc }];
  }
  return [...adviseRecord(domain, findings), ...adviseDetails(domain, findings)];
}

function adviseRecord(domain: string, findings: Findings): Draft[] {
  const { dmarc } = findings;
  const { report, recordDomain } = dmarc;
  const own = dmarc.steps[0];
  if (own?.kind === 'multiple')
    return [
      {
        code: 'dmarc_multiple',
        detail: { name: `_dmarc.${domain}` },
        points: 0,
        trials: own.raws.slice(0, MAX_TRIALS).map(changeOf(domain)),
      },
    ];
  const isLong = own?.kind === 'one' && own.record.raw.length > MAX_RECORD_BYTES;
  if (own?.kind === 'too long' || isLong)
    return [{ code: 'dmarc_too_long', detail: { name: `_dmarc.${domain}`, isRead: isLong }, points: 0 }];
  if (own?.kind === 'one') return adviseOwn(domain, own.record, findings);
  const parent = dmarc.steps.find(({ name, kind }) => name === recordDomain && kind === 'one');
  if (parent?.kind === 'one' && parent.record.raw.length > MAX_RECORD_BYTES) return [];
  if (parent?.kind === 'one') return adviseInherited(domain, parent.name, parent.record, findings);
  const [error] = report.validation_errors;
  const reason = error?.code === 'no_dmarc_record' ? error.detail : { unusableParent: `_dmarc.${recordDomain}` };
  return [adviseFirst(domain, reason, findings)];
}

const MAX_TRIALS = 10;

const changeOf =
  (domain: string) =>
  (text: string): Change => ({ record: { name: `_dmarc.${domain}`, type: 'TXT', text }, replaces: [] });

/** Not at an alias, where nothing else can be published (RFC 1034 §3.6.2), and not if it is too long to be read. */
function changeTo(domain: string, text: string, { dmarc }: Findings): { change?: Change } {
  const [own] = dmarc.steps;
  if (own === undefined || own.alias !== undefined || text.length > MAX_RECORD_BYTES) return {};
  const replaces = own.kind === 'one' ? [own.record.raw] : own.kind === 'lookalike' ? [own.raw] : [];
  return { change: { ...changeOf(domain)(text), replaces } };
}

/** Longer ones are neither rewritten nor proposed: such a record has a hundred report addresses, or is no good. */
const MAX_RECORD_BYTES = 4096;

function aliasDetail({ dmarc }: Findings): { alias?: string } {
  const alias = dmarc.steps[0]?.alias;
  return alias === undefined ? {} : { alias };
}

function adviseFirst(domain: string, reason: AdviceDetails['dmarc_publish']['reason'], findings: Findings): Draft {
  const { dmarc } = findings;
  const policy: DmarcPolicy = sendsNoMail(findings) ? 'reject' : 'none';
  const meant =
    'lookalike' in reason && reason.lookalike?.name === domain ? ownLookalike(findings) : dmarc.misplaced?.raw;
  // A public suffix that does not say so would be taken for the organization of every domain below it (RFC 9989 §4.10.2).
  const isShort = meant !== undefined && meant.length <= MAX_RECORD_BYTES;
  const base = isShort ? meant : registrableDomain(domain) === undefined ? 'v=DMARC1; psd=y' : 'v=DMARC1';
  const { text, edits } = rewriteDmarc(base, {
    policy,
    inForce: '',
    sendsNoMail: policy === 'reject',
    isFull: true,
    rua: ownAddress(domain, findings),
  });
  const detail = { domain, policy, reports: reportsOf(text, edits), reason, ...aliasDetail(findings) };
  return { code: 'dmarc_publish', detail, points: 0, ...changeTo(domain, text, findings) };
}

function ownLookalike({ dmarc }: Findings): string | undefined {
  const own = dmarc.steps[0];
  return own?.kind === 'lookalike' ? own.raw : undefined;
}

function adviseOwn(domain: string, record: DmarcRecord, findings: Findings): Draft[] {
  const isReady = isReadyFor(findings);
  const current =
    record.standing === 'void' ? undefined : record.standing === 'as none' ? 'none' : record.policy || 'none';
  const policy = nextPolicy(current, record, findings);
  const isFull = isReady || policy === 'none';
  const { text, edits } = rewriteDmarc(record.raw, {
    policy,
    inForce: current ?? '',
    sendsNoMail: sendsNoMail(findings),
    subdomains: isPublicSuffix(domain, record) ? record.subdomainPolicy || 'none' : undefined,
    isFull,
    rua: ownAddress(domain, findings),
  });
  const drafts: Draft[] = [];
  const reports = reportsOf(text, edits);
  const isWorthwhile = edits.some((edit) => edit.kind !== 'dropped' || edit.why === 'wrong');
  if (isWorthwhile || !findings.dmarc.report.is_valid) {
    const detail = { name: `_dmarc.${domain}`, edits, reports, ...aliasDetail(findings) };
    drafts.push({ code: 'dmarc_change', detail, points: 0, ...changeTo(domain, text, findings) });
  }
  if (policy === current && policy !== 'reject' && !isReady)
    drafts.push({ code: 'dmarc_prepare', detail: { policy }, points: 0 });
  else if (reports === 'nowhere' && !isWorthwhile)
    drafts.push({ code: 'dmarc_reports_elsewhere', detail: { domain }, points: 0 });
  return drafts;
}

/** Without a gain the inherited record does as well. */
function adviseInherited(domain: string, parent: string, record: DmarcRecord, findings: Findings): Draft[] {
  const { effective_policy: inherited } = findings.dmarc.report;
  const isReady = isReadyFor(findings);
  const current = record.standing === 'void' ? undefined : inherited;
  const policy = nextPolicy(current, record, findings);
  const { text, edits } = rewriteDmarc(record.raw, {
    policy,
    inForce: current ?? '',
    sendsNoMail: sendsNoMail(findings),
    isFull: isReady || policy === 'none',
    rua: ownAddress(domain, findings),
    below: {
      subdomains: record.subdomainPolicy || 'none',
      nonexistent: record.nonexistentPolicy || 'none',
      isReportingKept: !isPublicSuffix(parent, record),
    },
  });
  const reports = reportsOf(text, edits);
  const detail = {
    domain,
    parent,
    inherited,
    isPartial: isPartial(record),
    policy,
    reports,
    ...aliasDetail(findings),
  };
  const { change } = changeTo(domain, text, findings);
  const drafts: Draft[] = [];
  if (change !== undefined) drafts.push({ code: 'dmarc_own', detail, points: 0, change, isOnlyForPoints: true });
  if (policy === current && policy !== 'reject' && !isReady)
    drafts.push({ code: 'dmarc_prepare', detail: { policy }, points: 0 });
  return drafts;
}

function isPublicSuffix(name: string, { psd }: DmarcRecord): boolean {
  return psd === 'y' || registrableDomain(name) === undefined;
}

/** A stricter policy would lose mail while SPF or DKIM do not pass. */
function isReadyFor(findings: Findings): boolean {
  const { spf, dkim } = findings;
  return sendsNoMail(findings) || (spf.report.is_valid && dkim.report.some(({ is_valid }) => is_valid));
}

const STRICTER = { none: 'quarantine', quarantine: 'reject', reject: 'reject' } as const;

/**
 * One step, or none. `current` is undefined if no policy is in force. A policy for a part of the mail is first made one
 * for all of it, and without reports it is not known whether mail passes: they come first.
 */
function nextPolicy(current: DmarcPolicy | undefined, record: DmarcRecord, findings: Findings): DmarcPolicy {
  if (sendsNoMail(findings)) return 'reject';
  if (current === undefined) return 'none';
  if (!isReadyFor(findings) || (current !== 'none' && isPartial(record))) return current;
  const isBlind = current === 'none' && record.aggregateUris.length === 0 && canReceive(findings);
  return isBlind ? current : STRICTER[current];
}

function isPartial({ percentage, isTestMode }: DmarcRecord): boolean {
  return percentage < 100 || isTestMode;
}

function ownAddress(domain: string, findings: Findings): string | undefined {
  return canReceive(findings) ? `mailto:dmarc@${domain}` : undefined;
}

function reportsOf(text: string, edits: readonly DmarcEdit[]): ReportsTo {
  if (edits.some(({ kind }) => kind === 'rua added')) return 'domain';
  return /;\s*rua\s*=/i.test(text) ? 'same' : 'nowhere';
}

function adviseDetails(domain: string, { dmarc }: Findings): Draft[] {
  const { report, recordDomain, misplaced } = dmarc;
  const drafts: Draft[] = [];
  const add = <Code extends Advice['code']>(code: Code, detail: AdviceDetails[Code]) =>
    drafts.push({ code, detail, points: 0 } as Draft);
  if (misplaced !== undefined && !hasCode(report.validation_errors, 'no_dmarc_record'))
    add('dmarc_misplaced_beside', { name: misplaced.name, domain });
  if (dmarc.subdomainPolicyIsWeaker && recordDomain === domain)
    add('dmarc_subdomains', { policy: report.subdomain_policy, recordDomain, hasNp: /;\s*np\s*=/i.test(report.raw) });
  for (const { uri, host, name } of dmarc.unauthorizedDestinations) add('dmarc_unauthorized', { uri, host, name });
  for (const uri of dmarc.unverifiedDestinations) add('dmarc_unverified_destination', { uri });
  if (dmarc.historicTags.length > 0 && recordDomain === domain) add('dmarc_historic', { tags: dmarc.historicTags });
  if (dmarc.modelsDisagree) add('dmarc_models', { name: `_dmarc.${recordDomain}`, domain });
  return drafts;
}
