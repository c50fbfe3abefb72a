/**
 * How much of the mail that fails its checks the records stop: what a change of them makes weaker.
 */
import { type DmarcRecord, POLICY_LEVELS, parseDmarc } from '../dmarc/dmarc.ts';
import type { DmarcPolicy, DmarcReport, SpfReport } from '../report.ts';

type Policy = Pick<
  DmarcReport<unknown>,
  'raw' | 'policy' | 'effective_policy' | 'subdomain_policy' | 'percentage'
>;

/** 100 is quarantine and 200 reject of all mail, -1 is no policy. */
type PolicyStrength = {
  readonly own: number;
  readonly subdomains: number;
  /**
   * Strength for names that do not exist. `np` is their policy, `''` if it is that of subdomains.
   */
  readonly nonexistent: number;
  readonly np: DmarcPolicy | '';
};

/**
 * What `pct` does not select, and all mail with `t=y`, is one level lower (RFC 7489 §6.6.4, RFC
 * 9989 §4.7).
 */
export function strengthOf(
  policy: DmarcPolicy | '',
  { percentage, isTestMode }: Pick<DmarcRecord, 'percentage' | 'isTestMode'>,
): number {
  return POLICY_LEVELS[policy] && (POLICY_LEVELS[policy] - 1) * 100 + (isTestMode ? 0 : percentage);
}

export function policyStrength(report: Policy): PolicyStrength {
  // Also for two records, or one that is void.
  if (report.policy === '') return { own: -1, subdomains: 0, nonexistent: 0, np: '' };
  const { isTestMode, nonexistentPolicy } = parseDmarc(report.raw);
  const strength = (policy: DmarcPolicy | '') =>
    strengthOf(policy, { percentage: report.percentage, isTestMode });
  return {
    own: strength(report.effective_policy),
    subdomains: strength(report.subdomain_policy),
    nonexistent: strength(nonexistentPolicy),
    np: nonexistentPolicy === report.subdomain_policy ? '' : nonexistentPolicy,
  };
}

export function policyWords(report: Policy): string {
  if (report.policy === '') return report.raw === '' ? 'no record' : 'no policy';
  const { effective_policy, percentage } = report;
  const share = percentage < 100 ? ` for ${percentage}%` : '';
  return `${effective_policy}${share}${parseDmarc(report.raw).isTestMode ? ' in test mode (t=y)' : ''}`;
}

const ALL_STRENGTH = { '-': 3, '~': 2, '?': 1, '+': 0, '': 0 } as const;

/** Whether receivers would be told less about servers that are not listed. */
export function isWeakerAll(
  before: Pick<SpfReport, 'all_qualifier'>,
  now: Pick<SpfReport, 'all_qualifier'>,
): boolean {
  return ALL_STRENGTH[now.all_qualifier] < ALL_STRENGTH[before.all_qualifier];
}
