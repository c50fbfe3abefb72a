/** One check with everything that was requested. Loaded for the first check only. */
import type { Dataset } from '@whence/dataset/internal/file/read';
import { type CheckOptions, type Examination, examineDomain } from '@whence/email/internal/check';
import { findMailSenders } from '@whence/email/internal/senders/mail-senders';
import type { Requester } from '../limits/cost-classes.ts';
import { detailsOf } from './check-details.ts';
import { type EmailAnswer, fitAnswer } from './fit-answer.ts';
import { networksOf } from './mail-networks.ts';
import { type PolicyNetwork, policyFetcher } from './mta-sts-fetch.ts';

export type CheckRequest = Requester & {
  readonly selectors: CheckOptions['selectors'];
  /** To try beside the common ones. */
  readonly moreSelectors?: readonly string[] | undefined;
  /** Checks MTA-STS, TLS-RPT, DANE, BIMI and DNSSEC too. */
  readonly hasTransport?: boolean;
  /** A label that no zone has, if several checks are to ask the same questions. */
  readonly sentinel?: string | undefined;
  /** Looks up in this dataset which networks carry the domain's mail. */
  readonly networksFrom?: Dataset | undefined;
  /** Adds what the report is made from. */
  readonly hasDetails?: boolean;
};

/** `answer` is the report with the requested sections. */
export type Checked = Examination & { readonly answer: EmailAnswer };

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
    networksFrom,
    hasDetails = false,
  } = request;
  const { policyNetwork, leftMs } = request;
  const transport = hasTransport && {
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
  const { report, findings } = examination;
  const networks = networksFrom && {
    networks: await networksOf(networksFrom, await findMailSenders(domain, findings, resolver)),
  };
  const details = hasDetails && { details: detailsOf(examination) };
  return { ...examination, answer: fitAnswer({ ...report, ...networks, ...details }) };
}
