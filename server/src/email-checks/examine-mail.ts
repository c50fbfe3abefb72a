/** One check with everything that was requested. Loaded for the first check only. */
import type { Dataset } from '@whence/dataset/dataset';
import { type CheckOptions, type Examination, examineDomain } from '@whence/email';
import { findMailSenders, type MailSenders } from '@whence/email/mail-senders';
import type { TransportReport } from '@whence/email/report';
import type { TlsVerdict } from '@whence/email/reports/tls-verdict';
import { withTlsVerdict } from '@whence/email/reports/tls-zone';
import type { Requester } from '../limits/cost-classes.ts';
import { detailsOf, type Measured } from './check-details.ts';
import { type EmailAnswer, fitAnswer } from './fit-answer.ts';
import { networksOf } from './mail-networks.ts';
import { type PolicyNetwork, policyFetcher } from './mta-sts-fetch.ts';

export type CheckRequest = Requester & {
  readonly selectors: CheckOptions['selectors'];
  /** To try beside the common ones. */
  readonly moreSelectors?: readonly string[] | undefined;
  /** Checks MTA-STS, TLS-RPT, DANE, BIMI and DNSSEC too. */
  readonly hasTransport?: boolean;
  readonly hasSmtp?: boolean;
  /** A label that no zone has, if several checks are to ask the same questions. */
  readonly sentinel?: string | undefined;
  /** Looks up in this dataset which networks carry the domain's mail. */
  readonly networksFrom?: Dataset | undefined;
  /** Finds the addresses that may send, also without a dataset. */
  readonly hasSenders?: boolean;
  readonly hasDetails?: boolean;
};

/**
 * `answer` is the report with the requested sections; `resolver` answers further questions about
 * the same zone.
 */
export type Checked = Examination & {
  readonly answer: EmailAnswer;
  readonly senders?: MailSenders;
  readonly resolver: CheckOptions['resolver'];
  readonly reported?: Measured | undefined;
  /** The same check, with what aggregate reports show about the domain. */
  withReported(reported: Measured): Promise<Checked>;
  /** The same, with what TLS reports show. */
  withTlsVerdict(verdict: TlsVerdict): Checked;
};

type Context = Omit<CheckRequest, 'fairnessKey'> & {
  readonly policyNetwork: PolicyNetwork;
  /** Time left for the whole check. */
  readonly leftMs: () => number;
};

export async function examineMail(
  domain: string,
  resolver: CheckOptions['resolver'],
  request: Context,
): Promise<Checked> {
  const {
    selectors,
    moreSelectors,
    sentinel,
    signal,
    hasTransport = false,
    hasSmtp = false,
    networksFrom,
    hasSenders = networksFrom !== undefined,
    hasDetails = false,
  } = request;
  const { policyNetwork, leftMs } = request;
  // A certificate that was seen is compared with DANE and MTA-STS.
  const transport = (hasTransport || hasSmtp) && {
    fetchPolicy: policyFetcher(policyNetwork, leftMs, signal),
    ...(policyNetwork.isReachable && { isReachable: policyNetwork.isReachable }),
  };
  const examination = await examineDomain(domain, {
    resolver,
    ...(selectors && { selectors }),
    ...(moreSelectors && { moreSelectors }),
    ...(sentinel && { sentinel }),
    ...(transport && { transport }),
  });
  const { findings } = examination;
  const senders = hasSenders ? await findMailSenders(domain, findings, resolver) : undefined;
  const networks = networksFrom && senders && { networks: await networksOf(networksFrom, senders) };
  // Without sections the answer is what the specification has.
  const hasSections = hasTransport || hasSmtp || networksFrom !== undefined || hasDetails;
  const describe = (
    examined: Examination,
    reported?: Measured,
    tlsVerdict?: TlsVerdict,
  ): Checked => {
    const { transport: checkedTransport, ...records } = examined.report;
    const shownTransport = checkedTransport && withReportedTls(checkedTransport, tlsVerdict);
    const report =
      hasTransport && shownTransport ? { ...records, transport: shownTransport } : records;
    const codes = hasSections && { recommendation_codes: examined.advice.map(({ code }) => code) };
    const details = hasDetails && { details: detailsOf(examined, reported) };
    return {
      ...examined,
      ...(senders && { senders }),
      resolver,
      reported,
      answer: fitAnswer({ ...report, ...codes, ...networks, ...details }),
      withReported: async (shown) =>
        describe(await examination.withReports(shown.verdict), shown, tlsVerdict),
      withTlsVerdict: (verdict) => describe(examined, reported, verdict),
    };
  };
  return describe(examination);
}

function withReportedTls(
  transport: TransportReport,
  verdict: TlsVerdict | undefined,
): TransportReport {
  if (verdict === undefined) return transport;
  return { ...transport, mta_sts: withTlsVerdict(transport.mta_sts, verdict) };
}
