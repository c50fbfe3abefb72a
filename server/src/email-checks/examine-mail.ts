/** One check with everything that was requested. Loaded for the first check only. */
import type { Dataset } from '@whence/dataset/internal/file/read';
import { type CheckOptions, type Examination, examineDomain } from '@whence/email/internal/check';
import type { CheckedZone } from '@whence/email/internal/reports/judge-senders';
import { findMailSenders, type MailSenders } from '@whence/email/internal/senders/mail-senders';
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
  /** What aggregate reports show about the domain, for those who may read them. */
  readonly measure?: ((zone: CheckedZone) => Promise<Measured | undefined>) | undefined;
};

/** `answer` is the report with the requested sections; `resolver` answers further questions about the same zone. */
export type Checked = Examination & {
  readonly answer: EmailAnswer;
  readonly senders?: MailSenders;
  readonly resolver: CheckOptions['resolver'];
  readonly reported?: Measured | undefined;
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
  const { transport: checkedTransport, ...records } = examination.report;
  const report = hasTransport ? examination.report : records;
  const senders = hasSenders ? await findMailSenders(domain, findings, resolver) : undefined;
  const networks = networksFrom && senders && { networks: await networksOf(networksFrom, senders) };
  const reported = await request.measure?.({ findings, resolver });
  const details = hasDetails && { details: detailsOf(examination, reported) };
  // Without sections the answer is what the specification has.
  const hasSections = hasTransport || hasSmtp || networksFrom !== undefined || hasDetails;
  const codes = hasSections && { recommendation_codes: examination.advice.map(({ code }) => code) };
  return {
    ...examination,
    ...(senders && { senders }),
    ...{ resolver, reported },
    answer: fitAnswer({ ...report, ...codes, ...networks, ...details }),
  };
}
