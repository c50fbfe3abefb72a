/**
 * What protects mail on its way to the domain: MTA-STS, TLS-RPT, DANE and DNSSEC; and BIMI. Asked
 * at the same time.
 */
import type { Answer, MxHost, Resolver } from '../dns/answer.ts';
import {
  dnsFailure,
  type Finding,
  type FindingCode,
  hasCode,
  judged,
} from '../findings/finding.ts';
import type { MxFindings } from '../mx/mx.ts';
import type { DmarcReport, DnssecReport, TransportReport } from '../report.ts';
import { checkBimi } from './bimi.ts';
import { checkDane } from './dane.ts';
import { checkMtaSts, type MtaStsOptions } from './mta-sts.ts';
import { checkTlsRpt } from './tls-rpt.ts';

export type TransportOptions = MtaStsOptions;

type TransportInput = {
  readonly domain: string;
  readonly resolver: Resolver;
  readonly mxAnswer: Promise<Answer<MxHost>>;
  readonly txtAnswer: Promise<Answer<string>>;
  readonly mx: Promise<MxFindings>;
  readonly dmarc: Promise<DmarcReport<Finding>>;
};

/**
 * What DNS shows by itself. Recommendations and rules for senders follow from this and the rest of
 * the report.
 */
export type CheckedTransport = Omit<TransportReport<Finding>, 'sender_rules'>;

export async function checkTransport(
  { domain, resolver, mxAnswer, txtAnswer, mx, dmarc }: TransportInput,
  options: TransportOptions,
): Promise<CheckedTransport> {
  const hosts = mx.then((findings) => deliveryHosts(domain, findings));
  const [mta_sts, tls_rpt, dane, bimi, dnssec] = await Promise.all([
    // Two rounds of questions and a connection: it does not wait for the addresses of the MX hosts.
    mxAnswer.then((answer) => checkMtaSts(domain, namedHosts(answer), resolver, options)),
    checkTlsRpt(domain, resolver),
    hosts.then(async (mailHosts) =>
      mailHosts.length > 0
        ? checkDane(domain, await mxAnswer, mailHosts, resolver)
        : noHosts(domain, await mxAnswer),
    ),
    checkBimi(domain, resolver, dmarc),
    Promise.all([mxAnswer, txtAnswer]).then((answers) => checkDnssec(domain, answers)),
  ]);
  // A domain that takes no mail lacks neither.
  const isWithoutMail = hasCode(dane.validation_errors, 'no_mail_host');
  const needless = <Part extends { validation_errors: Finding[] }>(
    part: Part,
    missing: FindingCode,
  ): Part =>
    isWithoutMail && hasCode(part.validation_errors, missing)
      ? { ...part, validation_errors: [{ code: 'no_mail_host', detail: { domain } }] }
      : part;
  return {
    mta_sts: needless(mta_sts, 'no_mta_sts_record'),
    tls_rpt: needless(tls_rpt, 'no_tls_rpt_record'),
    dane,
    bimi,
    dnssec,
  };
}

/** As many as checkMx examines. */
const MAX_HOSTS = 20;

function namedHosts(answer: Answer<MxHost>): string[] {
  if (answer.kind !== 'found') return [];
  const sorted = [...answer.records].sort((a, b) => a.preference - b.preference);
  return [...new Set(sorted.map(({ exchange }) => exchange))]
    .filter((host) => host !== '.')
    .slice(0, MAX_HOSTS);
}

/** RFC 5321 §5.1: without MX records, the domain is its own mail host. */
function deliveryHosts(domain: string, { report, state }: MxFindings): string[] {
  return state === 'implicit' ? [domain] : report.records.filter((host) => host !== '.');
}

function noHosts(domain: string, mx: Answer<MxHost>): TransportReport<Finding>['dane'] {
  const error: Finding =
    mx.kind === 'failure'
      ? dnsFailure(domain, 'MX', mx)
      : { code: 'no_mail_host', detail: { domain } };
  const is_authenticated = mx.kind !== 'failure' && mx.isAuthenticated === true;
  return { is_authenticated, hosts: [], ...judged([error]) };
}

function checkDnssec(
  domain: string,
  [mx, txt]: readonly [Answer<unknown>, Answer<unknown>],
): DnssecReport<Finding> {
  const answered = [mx, txt].filter((answer) => answer.kind !== 'failure');
  const is_authenticated =
    answered.length > 0 && answered.every((answer) => answer.isAuthenticated === true);
  if (is_authenticated) return { is_authenticated, ...judged([]) };
  const error: Finding =
    answered.length === 0 && mx.kind === 'failure'
      ? dnsFailure(domain, 'MX', mx)
      : { code: 'not_authenticated', detail: { domain } };
  return { is_authenticated, ...judged([error]) };
}
