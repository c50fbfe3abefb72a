// Advice on DMARC, one step at a time: `p=none` with reports, quarantine, reject, and only when
// nothing stands in the way (readiness.ts). What the domain inherits is answered with a record of
// its own.
import type { Arrival } from '../dmarc/destinations.ts';
import { type DmarcRecord, POLICY_LEVELS } from '../dmarc/dmarc.ts';
import { hasCode } from '../findings/finding.ts';
import {
  isPublicSuffix,
  isSuffixRecord,
  looksUnused,
  receivesMail,
} from '../readiness/mail-role.ts';
import {
  policyInForce,
  readinessOf,
  reportArrivals,
  STRICTER,
  WEAKER,
} from '../readiness/readiness.ts';
import { registrableDomain } from '../registrable-domain.ts';
import { type DmarcPolicy, MAX_POINTS } from '../report.ts';
import type { Findings, Score } from '../score/score.ts';
import { MAX_RECORD_BYTES } from '../spf/spf-record.ts';
import {
  type Advice,
  type AdviceDetails,
  type Change,
  type Draft,
  RANKS,
  txtChange,
} from './advice.ts';
import { rewriteDmarc } from './dmarc-record.ts';
import type { DmarcEdit, ReportsTo } from './dmarc-text.ts';

export function adviseDmarc(domain: string, findings: Findings, score: Score): Draft[] {
  const { dmarc } = findings;
  if (dmarc.isUnverified) {
    const detail = { part: 'DMARC', errors: dmarc.report.validation_errors } as const;
    return [{ code: 'unverified', detail, rank: MAX_POINTS.dmarc - score.dmarc }];
  }
  // What looks unused has a recipe of its own.
  const drafts = looksUnused(findings)
    ? []
    : [...adviseRecord(domain, findings), ...adviseOwnMail(domain, findings)];
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
        trials: own.raws.slice(0, MAX_TRIALS).map((text) => txtChange(`_dmarc.${domain}`, text)),
      },
    ];
  const isLong = own?.kind === 'one' && own.record.raw.length > MAX_RECORD_BYTES;
  if (own?.kind === 'too long' || isLong)
    return [{ code: 'dmarc_too_long', detail: { name: `_dmarc.${domain}`, isRead: isLong } }];
  if (own?.kind === 'one') return adviseOwn(domain, own.record, findings);
  const parent = dmarc.steps.find(({ name, kind }) => name === recordDomain && kind === 'one');
  if (parent?.kind === 'one' && parent.record.raw.length > MAX_RECORD_BYTES) return [];
  if (parent?.kind === 'one') return adviseInherited(domain, parent.name, parent.record, findings);
  const [error] = report.validation_errors;
  const reason =
    error?.code === 'no_dmarc_record' ? error.detail : { unusableParent: `_dmarc.${recordDomain}` };
  return [adviseFirst(domain, reason, findings)];
}

const MAX_TRIALS = 10;

/**
 * An alias of the same owner is changed there unless stricter: others share it. Not others (RFC
 * 1034 §3.6.2).
 */
export function dmarcChange(
  domain: string,
  text: string,
  { dmarc }: Findings,
  isStricter = true,
): Change | undefined {
  const [own] = dmarc.steps;
  if (own === undefined || text.length > MAX_RECORD_BYTES) return undefined;
  const replaces: string[] = [];
  if (own.kind === 'one') replaces.push(own.record.raw);
  if (own.kind === 'lookalike') replaces.push(own.raw);
  if (own.alias === undefined) return txtChange(`_dmarc.${domain}`, text, replaces);
  const isOurs = registrableDomain(own.alias) === registrableDomain(domain);
  if (!isOurs || isStricter || own.kind !== 'one') return undefined;
  return txtChange(own.alias, text, replaces);
}

function adviseFirst(
  domain: string,
  reason: AdviceDetails['dmarc_publish']['reason'],
  findings: Findings,
): Draft {
  const { dmarc } = findings;
  const [own] = dmarc.steps;
  const meant =
    'lookalike' in reason && reason.lookalike?.name === domain && own?.kind === 'lookalike'
      ? own.raw
      : dmarc.misplaced?.raw;
  // A public suffix that does not say so would be taken for the organization of every domain below
  // it (RFC 9989 §4.10.2).
  const isShort = meant !== undefined && meant.length <= MAX_RECORD_BYTES;
  const shortest = isPublicSuffix(domain) ? 'v=DMARC1; psd=y' : 'v=DMARC1';
  const base = isShort ? meant : shortest;
  const { text, edits } = rewriteDmarc(base, {
    policy: 'none',
    inForce: '',
    isFull: true,
    rua: ownAddress(domain, findings),
  });
  const detail = { domain, reports: reportsOf(text, edits, findings), reason, alias: own?.alias };
  return {
    code: 'dmarc_publish',
    detail,
    rank: RANKS.noPolicy,
    change: dmarcChange(domain, text, findings, false),
  };
}

/** Undefined for a record that receivers ignore; `none` for one they treat as such. */
function recordPolicy({ standing, policy }: DmarcRecord): DmarcPolicy | undefined {
  if (standing === 'void') return undefined;
  return standing === 'as none' ? 'none' : policy || 'none';
}

function adviseOwn(domain: string, record: DmarcRecord, findings: Findings): Draft[] {
  const { dmarc, subdomains } = findings;
  const isReady = readinessOf(domain, findings).obstacles.length === 0;
  const arrivals = reportArrivals(domain, findings);
  const current = recordPolicy(record);
  const policy = nextPolicy(current, record, isReady, findings);
  // Without `pct` and `t=y` the same policy is stricter. What a share of the mail had cannot be
  // written with `sp`.
  const isWhole = isReady && policy !== 'none' && policy === current && isPartial(record);
  const isStricter = current !== undefined && (policy !== current || isWhole);
  let present = current;
  if (isWhole) present = record.isTestMode || record.percentage === 0 ? WEAKER[policy] : undefined;
  const keeps =
    isStricter &&
    findings.reported === undefined &&
    present !== undefined &&
    subdomains.sending.length > 0
      ? { policy: present, names: subdomains.sending }
      : undefined;
  const { text, edits } = rewriteDmarc(record.raw, {
    policy,
    inForce: current ?? '',
    subdomains: isSuffixRecord(domain, record)
      ? { policy: record.subdomainPolicy || 'none', names: [] }
      : keeps,
    isFull: isReady || policy === 'none',
    isNonexistentRefused: isReady && policy !== 'none' && policy === current,
    rua: ownAddress(domain, findings),
    // Some receivers use no more than two. While it is not known whether an address works, another
    // is not added.
    isRuaAdded:
      arrivals.length === 1 &&
      arrivals.every(({ arrival }) => !['arrives', 'unknown'].includes(arrival.kind)),
  });
  const drafts: Draft[] = [];
  const reports = reportsOf(text, edits, findings);
  const isWorthwhile = edits.some((edit) => edit.kind !== 'dropped' || edit.why === 'wrong');
  if (isWorthwhile || !dmarc.report.is_valid) {
    const detail = { name: `_dmarc.${domain}`, edits, reports, alias: dmarc.steps[0]?.alias };
    const rank = current === undefined ? RANKS.noPolicy : undefined;
    const change = dmarcChange(domain, text, findings, isStricter);
    drafts.push({ code: 'dmarc_change', detail, rank, change });
  }
  if (reports === 'nowhere' && !isWorthwhile && policy !== 'reject')
    drafts.push({ code: 'dmarc_reports_elsewhere', detail: { domain } });
  return drafts;
}

/**
 * Without a gain the inherited record does as well, unless reports are what a stricter policy waits
 * for.
 */
function adviseInherited(
  domain: string,
  parent: string,
  record: DmarcRecord,
  findings: Findings,
): Draft[] {
  const { dmarc } = findings;
  const { effective_policy: inherited } = dmarc.report;
  const { obstacles } = readinessOf(domain, findings);
  const isReady = obstacles.length === 0;
  const current = record.standing === 'void' ? undefined : inherited;
  const policy = nextPolicy(current, record, isReady, findings);
  const { text, edits } = rewriteDmarc(record.raw, {
    policy,
    inForce: current ?? '',
    isFull: isReady || policy === 'none',
    rua: ownAddress(domain, findings),
    below: {
      subdomains: record.subdomainPolicy || 'none',
      nonexistent: record.nonexistentPolicy || 'none',
      // The reports of a public suffix go to its registry.
      isReportingKept: !isSuffixRecord(parent, record),
    },
  });
  const reports = reportsOf(text, edits, findings);
  const detail = {
    domain,
    parent,
    inherited,
    isPartial: isPartial(record),
    policy,
    reports,
    alias: dmarc.steps[0]?.alias,
  };
  const change = dmarcChange(domain, text, findings);
  const isFirstReport =
    obstacles.length === 1 && obstacles[0]?.code === 'no_reports' && reports === 'domain';
  // Below a public suffix the owner has no reports at all without a record of its own.
  const isNeeded = isFirstReport && (inherited !== 'reject' || isSuffixRecord(parent, record));
  const onlyWith = isNeeded ? 'record' : 'points';
  return change === undefined ? [] : [{ code: 'dmarc_own', detail, change, onlyWith }];
}

/** With neither SPF nor DKIM a strict policy is used on the owner's own mail. */
function adviseOwnMail(domain: string, { spf, dkim, dmarc }: Findings): Draft[] {
  const { effective_policy: policy } = dmarc.report;
  const isUnknown = spf.isUnverified || dkim.isUnverified;
  const hasKey = dkim.report.some(({ is_valid }) => is_valid);
  if (policy === 'none' || isUnknown || hasKey) return [];
  const inForce = policyInForce(dmarc);
  if (spf.report.is_valid)
    return inForce === 'none'
      ? []
      : [{ code: 'dmarc_spf_alone', detail: { domain, policy: inForce } }];
  return [{ code: 'dmarc_refuses_own', detail: { domain, policy }, rank: RANKS.byWildcard }];
}

// One step, or none; where there are reports, the one that they allow. `current` is undefined if no
// policy is in force. A policy for a part of the mail is first made one for all of it.
function nextPolicy(
  current: DmarcPolicy | undefined,
  record: DmarcRecord,
  maySharpen: boolean,
  { reported }: Findings,
): DmarcPolicy {
  if (current === undefined) return 'none';
  if (maySharpen && reported !== undefined)
    return POLICY_LEVELS[reported.policy] > POLICY_LEVELS[current] ? reported.policy : current;
  if (!maySharpen || (current !== 'none' && isPartial(record))) return current;
  return STRICTER[current];
}

function isPartial({ percentage, isTestMode }: DmarcRecord): boolean {
  return percentage < 100 || isTestMode;
}

function ownAddress(domain: string, findings: Findings): string | undefined {
  return receivesMail(findings) === 'yes' ? `mailto:dmarc@${domain}` : undefined;
}

function reportsOf(text: string, edits: readonly DmarcEdit[], findings: Findings): ReportsTo {
  if (edits.some(({ kind }) => kind === 'rua added')) return 'domain';
  if (/;\s*rua\s*=/i.test(text)) return 'same';
  return receivesMail(findings) === 'unknown' ? 'unknown' : 'nowhere';
}

function adviseDetails(domain: string, findings: Findings): Draft[] {
  const { dmarc } = findings;
  const { report, recordDomain, misplaced } = dmarc;
  const drafts: Draft[] = [];
  const add = <Code extends Advice['code']>(code: Code, detail: AdviceDetails[Code]) =>
    drafts.push({ code, detail } as Draft);
  if (misplaced !== undefined && !hasCode(report.validation_errors, 'no_dmarc_record'))
    add('dmarc_misplaced_beside', { name: misplaced.name, domain });
  if (dmarc.subdomainPolicyIsWeaker && recordDomain === domain)
    add('dmarc_subdomains', { policy: report.subdomain_policy, recordDomain });
  if (dmarc.historicTags.length > 0 && recordDomain === domain)
    add('dmarc_historic', { tags: dmarc.historicTags });
  drafts.push(...adviseReports(domain, findings));
  const [own] = dmarc.steps;
  if (own?.kind === 'one' && own.record.standing === 'as published') {
    const { policy, nonexistentPolicy: np, raw } = own.record;
    if (/;\s*np\s*=/i.test(raw) && POLICY_LEVELS[np] < POLICY_LEVELS[policy])
      add('dmarc_nonexistent', { domain, np: np || 'none' });
    const parent = dmarc.steps.slice(1).find(({ kind }) => kind === 'one');
    const below =
      parent?.kind === 'one' ? parent.record.subdomainPolicy || parent.record.policy : '';
    if (parent !== undefined && POLICY_LEVELS[policy] < POLICY_LEVELS[below])
      add('dmarc_weaker_than_parent', {
        domain,
        policy: policy || 'none',
        parent: parent.name,
        inherited: below || 'none',
      });
  }
  if (own?.kind === 'one' && own.record.psd === 'y' && !isPublicSuffix(domain))
    add('dmarc_psd', { domain });
  if (own?.kind === 'none' && own.alias !== undefined && dmarc.isOwnAliasMissing)
    add('dmarc_dangling', { name: `_dmarc.${domain}`, target: own.alias });
  if (dmarc.modelsDisagree) add('dmarc_models', { name: `_dmarc.${recordDomain}`, domain });
  return drafts;
}

/**
 * What becomes of reports to each address. That of a stricter policy waits for them, so that it
 * comes before points.
 */
function adviseReports(domain: string, findings: Findings): Draft[] {
  const { dmarc } = findings;
  const used = dmarc.steps.find(({ name }) => name === dmarc.recordDomain);
  // Where a registry's reports go is not for the owner to correct.
  if (used?.kind === 'one' && used.name !== domain && isSuffixRecord(used.name, used.record))
    return [];
  const rua = reportArrivals(domain, findings);
  const isLost = (kind: Arrival['kind']) => kind !== 'arrives' && kind !== 'unknown';
  const isWaitedFor =
    dmarc.report.effective_policy !== 'reject' && rua.every(({ arrival }) => isLost(arrival.kind));
  const drafts = [
    ...new Map(
      [...rua, ...dmarc.destinations.ruf].map((address) => [address.uri, address]),
    ).values(),
  ].flatMap(({ uri, host, arrival }): Draft[] => {
    if (arrival.kind === 'arrives' || arrival.kind === 'not mail') return [];
    if (arrival.kind === 'unknown')
      return [{ code: 'dmarc_unverified_destination', detail: { uri } }];
    const rank = isWaitedFor ? RANKS.reports : undefined;
    if (arrival.kind === 'not authorized')
      return [{ code: 'dmarc_unauthorized', detail: { uri, host, name: arrival.name }, rank }];
    return [{ code: 'dmarc_reports_lost', detail: { uri, host, arrival }, rank }];
  });
  const many = rua.length > MAX_COMMON_ADDRESSES && dmarc.recordDomain === domain;
  return many ? [...drafts, { code: 'dmarc_many_reports', detail: { count: rua.length } }] : drafts;
}

/** RFC 7489 §6.2: receivers must support two. */
const MAX_COMMON_ADDRESSES = 2;
