/**
 * What a check of a domain means for its owner, in one sentence: who can send as the domain, and
 * what happens to it.
 */
import type { DomainCheck } from '@whence/server/dashboard-wire/domains';
import { unicodeDomain } from '../unicode-domain.ts';

const RISKS = [
  'broken',
  'spoofable',
  'unprotected',
  'mail refused',
  'partly safe',
  'unknown',
  'safe',
] as const;

/** `risk` is the same in two words. */
export type Headline = {
  readonly text: string;
  readonly tone: 'plain' | 'good' | 'warn' | 'bad';
  readonly risk: (typeof RISKS)[number];
};

type Subject = Pick<DomainCheck, 'does_exist' | 'risk' | 'is_finished' | 'is_dmarc_test_mode'> & {
  readonly report: {
    readonly domain: string;
    readonly dmarc: Pick<
      DomainCheck['report']['dmarc'],
      'raw' | 'effective_policy' | 'subdomain_policy' | 'percentage'
    >;
  };
  readonly parts: {
    readonly [Part in keyof DomainCheck['parts']]: Pick<
      DomainCheck['parts'][Part],
      'state' | 'is_valid'
    >;
  };
};

export function headlineOf({
  does_exist,
  risk,
  is_finished,
  is_dmarc_test_mode,
  report,
  parts,
}: Subject): Headline {
  const { dmarc } = report;
  const domain = unicodeDomain(report.domain);
  if (!does_exist) return { text: `${domain} does not exist in DNS`, tone: 'bad', risk: 'broken' };
  if (is_finished)
    return { text: `${domain} sends no mail, and its records say so`, tone: 'good', risk: 'safe' };
  if (parts.dmarc.state === 'unverified')
    return {
      text: `Whether others can send as ${domain} is unknown: DNS did not answer for its DMARC policy`,
      tone: 'plain',
      risk: 'unknown',
    };
  // The server knows of open SPF records, which DMARC does not stop.
  if (risk.endsWith('its SPF record lets everyone send'))
    return {
      text: `Anyone can send as ${domain}: its SPF record lets every server send`,
      tone: 'bad',
      risk: 'spoofable',
    };
  if (risk !== '' && !risk.startsWith('anyone can send'))
    return {
      text: risk,
      tone: 'bad',
      risk: /refuse|reject|treat as spam/.test(risk) ? 'mail refused' : 'spoofable',
    };
  if (dmarc.raw === '' || risk !== '')
    return {
      text: `Anyone can send as ${domain}: without a DMARC policy, receivers decide about failing mail`,
      tone: 'bad',
      risk: 'unprotected',
    };
  if (dmarc.effective_policy === 'none')
    return {
      text: `Anyone can send as ${domain}: failing mail is delivered`,
      tone: 'bad',
      risk: 'unprotected',
    };
  if (is_dmarc_test_mode)
    return {
      text: `Mail that pretends to be from ${domain} is only partly stopped: the policy is in test mode`,
      tone: 'warn',
      risk: 'partly safe',
    };
  return policyHeadline(report, parts);
}

function policyHeadline(
  { domain, dmarc }: Subject['report'],
  { spf, dkim }: Subject['parts'],
): Headline {
  const { effective_policy, subdomain_policy, percentage } = dmarc;
  const effect = effective_policy === 'reject' ? 'rejected' : 'treated as spam';
  const start = `Mail that pretends to be from ${unicodeDomain(domain)} is ${effect}`;
  if (percentage < 100)
    return {
      text: `${start} in ${percentage}% of cases; the rest is delivered`,
      tone: 'warn',
      risk: 'partly safe',
    };
  if (!spf.is_valid && !dkim.is_valid && spf.state !== 'unverified' && dkim.state !== 'unverified')
    return {
      text: `${start}, and so may be its own: neither SPF nor DKIM is valid`,
      tone: 'bad',
      risk: 'mail refused',
    };
  if (subdomain_policy === 'none')
    return {
      text: `${start}, but mail from its subdomains is delivered`,
      tone: 'warn',
      risk: 'partly safe',
    };
  return { text: start, tone: 'good', risk: 'safe' };
}
