/**
 * Advice on DMARC, in steps: no record → `p=none` with reports; none → quarantine → reject, one at a time, and only when
 * SPF and DKIM work and reports have shown the owner what they refuse. Only the domain's own record is changed. What it
 * inherits is answered with a record of its own.
 */
import type { DmarcRecord } from '../dmarc/dmarc.ts';
import { hasCode } from '../findings/finding.ts';
import type { DmarcPolicy } from '../report/report.ts';
import { type Findings, MAX_POINTS, type Score } from '../report/score.ts';
import { type Advice, type AdviceDetails, type Change, type Draft, RANKS, type ReportsTo } from './advice.ts';
import { type DmarcEdit, rewriteDmarc } from './dmarc-record.ts';
import { canReceive, isPublicSuffix, looksUnused } from './mail-role.ts';
import { MAX_RECORD_BYTES } from './spf-record.ts';

export function adviseDmarc(domain: string, findings: Findings, score: Score): Draft[] {
  const { dmarc } = findings;
  if (dmarc.isUnverified) {
    const detail = { part: 'DMARC', errors: dmarc.report.validation_errors } as const;
    return [{ code: 'unverified', detail, points: 0, rank: MAX_POINTS.dmarc - score.dmarc }];
  }
  // What looks unused has a recipe of its own.
  const drafts = looksUnused(findings) ? [] : [...adviseRecord(domain, findings), ...adviseOwnMail(domain, findings)];
  return [...drafts, ...adviseDetails(domain, findings)];
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
export function dmarcChange(domain: string, text: string, { dmarc }: Findings): Change | undefined {
  const [own] = dmarc.steps;
  if (own === undefined || own.alias !== undefined || text.length > MAX_RECORD_BYTES) return undefined;
  const replaces = own.kind === 'one' ? [own.record.raw] : own.kind === 'lookalike' ? [own.raw] : [];
  return { ...changeOf(domain)(text), replaces };
}

function changeTo(domain: string, text: string, findings: Findings): { change?: Change } {
  const change = dmarcChange(domain, text, findings);
  return change === undefined ? {} : { change };
}

function aliasDetail({ dmarc }: Findings): { alias?: string } {
  const alias = dmarc.steps[0]?.alias;
  return alias === undefined ? {} : { alias };
}

function adviseFirst(domain: string, reason: AdviceDetails['dmarc_publish']['reason'], findings: Findings): Draft {
  const { dmarc } = findings;
  const meant =
    'lookalike' in reason && reason.lookalike?.name === domain ? ownLookalike(findings) : dmarc.misplaced?.raw;
  // A public suffix that does not say so would be taken for the organization of every domain below it (RFC 9989 §4.10.2).
  const isShort = meant !== undefined && meant.length <= MAX_RECORD_BYTES;
  const base = isShort ? meant : isPublicSuffix(domain) ? 'v=DMARC1; psd=y' : 'v=DMARC1';
  const { text, edits } = rewriteDmarc(base, {
    policy: 'none',
    inForce: '',
    sendsNoMail: false,
    isFull: true,
    rua: ownAddress(domain, findings),
  });
  const detail = { domain, reports: reportsOf(text, edits), reason, ...aliasDetail(findings) };
  return { code: 'dmarc_publish', detail, points: 0, rank: RANKS.noPolicy, ...changeTo(domain, text, findings) };
}

function ownLookalike({ dmarc }: Findings): string | undefined {
  const own = dmarc.steps[0];
  return own?.kind === 'lookalike' ? own.raw : undefined;
}

function adviseOwn(domain: string, record: DmarcRecord, findings: Findings): Draft[] {
  const isReady = isReadyFor(findings);
  const hasReports = reachesOwner(domain, record, findings);
  const current =
    record.standing === 'void' ? undefined : record.standing === 'as none' ? 'none' : record.policy || 'none';
  const policy = nextPolicy(current, record, isReady && hasReports);
  const { text, edits } = rewriteDmarc(record.raw, {
    policy,
    inForce: current ?? '',
    sendsNoMail: false,
    subdomains: isSuffixRecord(domain, record) ? record.subdomainPolicy || 'none' : undefined,
    isFull: (isReady && hasReports) || policy === 'none',
    rua: ownAddress(domain, findings),
    // While it is not known whether an address works, another is not added.
    isRuaAdded: !hasReports && findings.dmarc.unverifiedDestinations.length === 0,
  });
  const drafts: Draft[] = [];
  const reports = reportsOf(text, edits);
  const isWorthwhile = edits.some((edit) => edit.kind !== 'dropped' || edit.why === 'wrong');
  if (isWorthwhile || !findings.dmarc.report.is_valid) {
    const detail = { name: `_dmarc.${domain}`, edits, reports, ...aliasDetail(findings) };
    const rank = current === undefined ? { rank: RANKS.noPolicy } : {};
    drafts.push({ code: 'dmarc_change', detail, points: 0, ...rank, ...changeTo(domain, text, findings) });
  }
  if (policy === current && policy !== 'reject' && !isReady)
    drafts.push({ code: 'dmarc_prepare', detail: { policy }, points: 0 });
  else if (reports === 'nowhere' && !isWorthwhile && policy !== 'reject')
    drafts.push({ code: 'dmarc_reports_elsewhere', detail: { domain }, points: 0 });
  return drafts;
}

/** Without a gain the inherited record does as well, unless reports are what a stricter policy waits for. */
function adviseInherited(domain: string, parent: string, record: DmarcRecord, findings: Findings): Draft[] {
  const { effective_policy: inherited } = findings.dmarc.report;
  const isReady = isReadyFor(findings);
  const isOfSuffix = isSuffixRecord(parent, record);
  // The reports of a public suffix go to its registry.
  const hasReports = !isOfSuffix && reachesOwner(domain, record, findings);
  const current = record.standing === 'void' ? undefined : inherited;
  const policy = nextPolicy(current, record, isReady && hasReports);
  const { text, edits } = rewriteDmarc(record.raw, {
    policy,
    inForce: current ?? '',
    sendsNoMail: false,
    isFull: (isReady && hasReports) || policy === 'none',
    rua: ownAddress(domain, findings),
    below: {
      subdomains: record.subdomainPolicy || 'none',
      nonexistent: record.nonexistentPolicy || 'none',
      isReportingKept: !isOfSuffix,
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
  const isFirstReport = isReady && !hasReports && reports === 'domain' && inherited !== 'reject';
  const drafts: Draft[] = [];
  if (change !== undefined)
    drafts.push({ code: 'dmarc_own', detail, points: 0, change, onlyWith: isFirstReport ? 'record' : 'points' });
  if (policy === current && policy !== 'reject' && !isReady)
    drafts.push({ code: 'dmarc_prepare', detail: { policy }, points: 0 });
  return drafts;
}

/** With neither SPF nor DKIM a strict policy is used on the owner's own mail. */
function adviseOwnMail(domain: string, { spf, dkim, dmarc }: Findings): Draft[] {
  const { effective_policy: policy } = dmarc.report;
  const isUnknown = spf.isUnverified || dkim.isUnverified;
  const canPass = spf.report.is_valid || dkim.report.some(({ is_valid }) => is_valid);
  if (policy === 'none' || isUnknown || canPass) return [];
  return [{ code: 'dmarc_refuses_own', detail: { domain, policy }, points: 0, rank: RANKS.byWildcard }];
}

function isSuffixRecord(name: string, { psd }: DmarcRecord): boolean {
  return psd === 'y' || isPublicSuffix(name);
}

/** A stricter policy would lose mail while SPF or DKIM do not pass, and protects nothing while SPF lets everyone pass. */
function isReadyFor({ spf, dkim }: Findings): boolean {
  const isSpfReady = spf.report.is_valid && spf.opening === undefined;
  return isSpfReady && dkim.report.some(({ is_valid }) => is_valid);
}

/** Whether reports go to an address that takes them. */
function reachesOwner(domain: string, { aggregateUris }: DmarcRecord, findings: Findings): boolean {
  const { unauthorizedDestinations, unverifiedDestinations } = findings.dmarc;
  return aggregateUris.some(({ uri, host }) => {
    const isRefused = unauthorizedDestinations.some((refused) => refused.uri === uri);
    if (isRefused || unverifiedDestinations.includes(uri) || !/^mailto:/i.test(uri)) return false;
    return host !== domain || canReceive(findings);
  });
}

const STRICTER = { none: 'quarantine', quarantine: 'reject', reject: 'reject' } as const;

/**
 * One step, or none. `current` is undefined if no policy is in force. A policy for a part of the mail is first made one
 * for all of it.
 */
function nextPolicy(current: DmarcPolicy | undefined, record: DmarcRecord, maySharpen: boolean): DmarcPolicy {
  if (current === undefined) return 'none';
  if (!maySharpen || (current !== 'none' && isPartial(record))) return current;
  return STRICTER[current];
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
  const [own] = dmarc.steps;
  if (own?.kind === 'none' && own.alias !== undefined && dmarc.isOwnAliasMissing)
    add('dmarc_dangling', { name: `_dmarc.${domain}`, target: own.alias });
  if (dmarc.modelsDisagree) add('dmarc_models', { name: `_dmarc.${recordDomain}`, domain });
  return drafts;
}
