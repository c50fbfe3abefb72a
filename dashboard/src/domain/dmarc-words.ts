/** A DMARC policy in sentences. */
import type { DmarcPolicy, DmarcReport } from '@whence/client/wire';

const EFFECTS: Record<DmarcPolicy, string> = {
  none: 'delivered normally',
  quarantine: 'treated as suspicious, usually as spam',
  reject: 'rejected',
};

type Policy = Pick<
  DmarcReport,
  | 'raw'
  | 'policy'
  | 'subdomain_policy'
  | 'effective_policy'
  | 'percentage'
  | 'aggregate_report_uris'
  | 'forensic_report_uris'
  | 'dkim_alignment'
  | 'spf_alignment'
  | 'inherited'
  | 'record_domain'
>;

export function dmarcInWords(report: Policy, isTestMode = false): string[] {
  if (report.raw === '') {
    return ['There is no policy: each receiver decides what to do with mail that fails.'];
  }
  return [
    ...(report.inherited ? [`The policy is inherited from ${report.record_domain}.`] : []),
    effect(report),
    ...(isTestMode
      ? ['The record is in test mode (t=y): receivers apply the next weaker policy.']
      : []),
    alignment(report),
    reports(report),
  ];
}

function effect({
  effective_policy,
  policy,
  subdomain_policy,
  percentage,
  inherited,
}: Policy): string {
  const share =
    percentage < 100 && effective_policy !== 'none' ? `${percentage}% of the mail` : 'Mail';
  const main = `${share} that fails is ${EFFECTS[effective_policy]}`;
  if (inherited || subdomain_policy === '') return `${main}.`;
  if (subdomain_policy === policy) return `${main}, including mail from subdomains.`;
  return `${main}; mail from subdomains is ${EFFECTS[subdomain_policy]}.`;
}

function alignment({ dkim_alignment, spf_alignment }: Policy): string {
  if (dkim_alignment === 's' && spf_alignment === 's') {
    return 'DKIM and SPF must match the domain exactly (strict alignment).';
  }
  if (dkim_alignment === 'r' && spf_alignment === 'r') {
    return 'DKIM and SPF may match with a subdomain (relaxed alignment).';
  }
  const [strict, relaxed] = dkim_alignment === 's' ? ['DKIM', 'SPF'] : ['SPF', 'DKIM'];
  return `${strict} must match the domain exactly, ${relaxed} may match with a subdomain.`;
}

function reports({
  aggregate_report_uris: aggregate,
  forensic_report_uris: forensic,
}: Policy): string {
  if (aggregate.length === 0) return 'No reports are sent, so failures go unnoticed.';
  const single = forensic.length === 0 ? '' : ` Failure reports go to ${list(forensic)}.`;
  return `Daily reports go to ${list(aggregate)}.${single}`;
}

function list(uris: readonly string[]): string {
  return uris.map((uri) => uri.replace(/^mailto:/i, '')).join(', ');
}
