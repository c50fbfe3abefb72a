// Points per part. The maxima are of the specification, the levels below them ours
// (docs/email-score.md).
import type { DkimFindings } from '../dkim/dkim.ts';
import type { DmarcFindings } from '../dmarc/check.ts';
import type { MxFindings } from '../mx/mx.ts';
import type { Grade, ReportedVerdict } from '../report.ts';
import type { SpfFindings } from '../spf/lookups.ts';

export type Findings = {
  mx: MxFindings;
  spf: SpfFindings;
  dkim: DkimFindings;
  dmarc: DmarcFindings;
  takeovers: readonly Takeover[];
  subdomains: Subdomains;
  /** Added to a check for those who may read reports. */
  reported?: ReportedVerdict;
};

/** `name` has the reference: the domain of a record, or an alias. `target` does not exist. */
export type DanglingName = {
  readonly kind:
    | 'include'
    | 'SPF host'
    | 'MX host'
    | 'DKIM selector'
    | 'DMARC alias'
    | 'report host'
    | 'policy host';
  readonly name: string;
  readonly target: string;
  /** The records refer to `name`, which is an alias of `target`. */
  readonly isAlias?: boolean;
};

/**
 * A name that records refer to and that another owner can have, because `registrable` is not
 * registered.
 */
export type Takeover = DanglingName & { readonly registrable: string };

/** Subdomains without a policy of their own that send mail, among those that were looked at. */
export type Subdomains = {
  readonly queried: readonly string[];
  readonly sending: readonly string[];
};

export const NO_SUBDOMAINS: Subdomains = { queried: [], sending: [] };
export type Score = {
  mx: number;
  spf: number;
  dkim: number;
  dmarc: number;
  total: number;
  grade: Grade;
};

export const STRONG_RSA_BITS = 2048;

export function score({ mx, spf, dkim, dmarc }: Findings): Score {
  const parts = {
    mx: scoreMx(mx),
    spf: scoreSpf(spf),
    dkim: scoreDkim(dkim),
    dmarc: scoreDmarc(dmarc),
  };
  const total = parts.mx + parts.spf + parts.dkim + parts.dmarc;
  return { ...parts, total, grade: gradeOf(total) };
}

function gradeOf(total: number): Grade {
  if (total >= 90) return 'A';
  if (total >= 75) return 'B';
  if (total >= 55) return 'C';
  return total >= 35 ? 'D' : 'F';
}

function scoreMx({ state }: MxFindings): number {
  if (state === 'valid' || state === 'null') return 10;
  return state === 'partly' ? 5 : 0;
}

/** A record that lets everyone pass is worth nothing, however it ends. */
function scoreSpf({ report, isUnverified, isOnlyOverLimits, openToAll }: SpfFindings): number {
  if (isUnverified || openToAll !== undefined) return 0;
  const { is_valid, all_qualifier } = report;
  if (!is_valid)
    return isOnlyOverLimits && (all_qualifier === '-' || all_qualifier === '~') ? 5 : 0;
  return { '-': 25, '~': 20, '?': 10, '+': 0, '': 0 }[all_qualifier];
}

function scoreDkim({ report }: DkimFindings): number {
  const valid = report.filter(({ is_valid }) => is_valid);
  if (valid.some(({ key_type, key_bits }) => key_type === 'ed25519' || key_bits >= STRONG_RSA_BITS))
    return 30;
  return valid.length > 0 ? 20 : 0;
}

/**
 * RFC 7489 §6.6.4: mail that `pct` does not select is one level lower; with `t=y` all is (RFC 9989
 * §4.7).
 */
function scoreDmarc({
  report,
  isUnverified,
  isFatal,
  hasNonFatalErrors,
  isTestMode,
}: DmarcFindings): number {
  if (isUnverified || isFatal || report.record_domain === '') return 0;
  const share = isTestMode ? 0 : report.percentage;
  const between = (lower: number, full: number) =>
    lower + Math.floor(((full - lower) * share) / 100);
  const none = report.no_visibility ? 5 : 10;
  const points = { reject: between(25, 35), quarantine: between(10, 25), none }[
    report.effective_policy
  ];
  return Math.max(0, points - (hasNonFatalErrors ? 5 : 0));
}
