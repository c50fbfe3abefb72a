/** What a check with `transport` says about TLS of a domain, for the verdict on its TLS reports. */
import { receivesMail } from '../../readiness/mail-role.ts';
import type { MtaStsReport, TransportReport } from '../../report.ts';
import type { Findings } from '../../score/score.ts';
import { hasFullDane } from '../../transport/dane.ts';
import { allowsHost } from '../../transport/mta-sts-policy.ts';
import type { TlsVerdict, TlsZone } from './tls-verdict.ts';

export function tlsZoneOf(
  domain: string,
  findings: Pick<Findings, 'mx'>,
  { mta_sts, dane }: Pick<TransportReport<unknown>, 'mta_sts' | 'dane'>,
): TlsZone {
  const hosts = hostsOf(domain, findings);
  const isNamed = (host: string) => mta_sts.mx.length === 0 || allowsHost(mta_sts.mx, host);
  return {
    hosts,
    mode: mta_sts.mode,
    unnamedHosts: (hosts ?? []).filter((host) => !isNamed(host)),
    hasDane: hasFullDane(dane),
  };
}

/** RFC 5321 §5.1: without MX records, the domain is its own mail host. */
function hostsOf(domain: string, findings: Pick<Findings, 'mx'>): string[] | undefined {
  const receives = receivesMail(findings);
  if (receives === 'unknown') return undefined;
  if (receives === 'no') return [];
  const { state, report } = findings.mx;
  return state === 'implicit' ? [domain] : report.records.filter((host) => host !== '.');
}

/** What a check advises about MTA-STS, where reports show whether it may be enforced. */
export function withTlsVerdict<Problem>(
  mtaSts: MtaStsReport<Problem>,
  { question, answer, text }: TlsVerdict,
): MtaStsReport<Problem> {
  const { mode, recommendations } = mtaSts;
  const none = { record: '', file_url: '', file: '' };
  if (question === 'keep_enforce' && answer === 'no')
    return { ...mtaSts, recommendations: [{ text: `${text}.`, ...none }, ...recommendations] };
  if (question !== 'enforce' || mode !== 'testing') return mtaSts;
  return {
    ...mtaSts,
    recommendations: recommendations.map((item) => {
      if (!item.file.includes('mode: enforce')) return item;
      return answer === 'yes'
        ? {
            ...item,
            text: `The MTA-STS policy is in testing mode, and ${text}. Publish the policy with enforce, then the record with a new id.`,
          }
        : { text: `The MTA-STS policy is in testing mode; leave it so. ${text}.`, ...none };
    }),
  };
}
