/** One check with all that was asked for. Loaded for the first check only. */
import { type CheckOptions, examineDomain } from '@whence/email/check';
import { findMailSenders } from '@whence/email/mail-senders';
import type { Checked, CheckRequest, EmailCheckOptions } from './email-checks.ts';
import { fitAnswer } from './fit-answer.ts';
import { networksOf } from './mail-networks.ts';
import { policyFetcher } from './mta-sts-fetch.ts';

type Asked = CheckRequest & EmailCheckOptions & { /** What is left of the time. */ readonly leftMs: () => number };

export async function examineMail(
  domain: string,
  resolver: CheckOptions['resolver'],
  { selectors, signal, hasTransport = false, networksFrom, policyNetwork = {}, leftMs }: Asked,
): Promise<Checked> {
  const transport = hasTransport && {
    fetchPolicy: policyFetcher(policyNetwork, leftMs, signal),
    ...(policyNetwork.isReachable && { isReachable: policyNetwork.isReachable }),
  };
  const examination = await examineDomain(domain, {
    resolver,
    ...(selectors && { selectors }),
    ...(transport && { transport }),
  });
  const { report, findings } = examination;
  if (networksFrom === undefined) return { ...examination, answer: fitAnswer(report) };
  const networks = await networksOf(networksFrom, await findMailSenders(domain, findings, resolver));
  return { ...examination, answer: fitAnswer({ ...report, networks }) };
}
