/**
 * The whole check: MX, SPF, DKIM and DMARC are asked and judged in parallel; score and recommendations follow from the
 * results.
 */
import { randomBytes } from 'node:crypto';
import type { Advice } from './advice/advice.ts';
import { advise } from './advice/advise.ts';
import { checkDkim } from './dkim/dkim.ts';
import { checkDmarc } from './dmarc/check.ts';
import type { Answer, Resolver } from './dns/answer.ts';
import { type Finding, hasCode } from './findings/finding.ts';
import { checkMx } from './mx/mx.ts';
import { renderReport } from './report/render-report.ts';
import type { EmailReport, TransportReport } from './report/report.ts';
import { type Findings, type Score, score } from './report/score.ts';
import { checkSpf, type ReadRecords } from './spf/lookups.ts';
import { checkTransport, type TransportOptions } from './transport/check-transport.ts';
import { renderTransport } from './transport/render-transport.ts';

export type CheckOptions = {
  resolver: Resolver;
  /** DKIM selectors to report on, found or not. Default: the common ones are tried, and those found are reported. */
  selectors?: readonly string[];
  /** Checks MTA-STS, TLS-RPT, DANE, BIMI and DNSSEC too. */
  transport?: TransportOptions;
};

export type Examination = {
  report: EmailReport;
  findings: Findings;
  score: Score;
  advice: Advice[];
  /** MX, TXT and _dmarc all failed: this says nothing about the domain, only about DNS. */
  isDnsUnavailable: boolean;
  /** If it was asked for. */
  transport?: TransportReport<Finding>;
};

/** `domain` as normalizeDomain returns it. */
export async function checkDomain(domain: string, options: CheckOptions): Promise<EmailReport> {
  return (await examineDomain(domain, options)).report;
}

/** The check with all of its findings, for callers that show more than the report. */
export async function examineDomain(
  domain: string,
  { resolver, selectors, transport: transportOptions }: CheckOptions,
): Promise<Examination> {
  // No domain publishes this selector: if it has an answer, a wildcard answers for every selector.
  const sentinel = `whence-${randomBytes(8).toString('hex')}`;
  const mxAnswer = resolver.mx(domain);
  const txtAnswer = resolver.txt(domain);
  const domainState = Promise.all([mxAnswer, txtAnswer]).then(stateOf);
  const spfRecords: ReadRecords = new Map();
  const mxFindings = mxAnswer.then((answer) => checkMx(domain, answer, resolver));
  const dmarcFindings = checkDmarc(domain, resolver, domainState, txtAnswer);
  const [mx, spf, dkim, dmarc, transport] = await Promise.all([
    mxFindings,
    txtAnswer.then((answer) => checkSpf(domain, answer, resolver, spfRecords)),
    checkDkim(domain, selectors, resolver, sentinel),
    dmarcFindings,
    transportOptions &&
      checkTransport(
        {
          domain,
          resolver,
          mxAnswer,
          txtAnswer,
          mx: mxFindings,
          dmarc: dmarcFindings.then(({ report: dmarcReport }) => dmarcReport),
        },
        transportOptions,
      ),
  ]);
  const findings = { mx, spf, dkim, dmarc };
  const points = score(findings);
  const apex = await txtAnswer;
  const advice = await advise({ domain, findings, score: points, apex, resolver, spfRecords });
  const report = renderReport(domain, findings, points, advice);
  const isDnsUnavailable =
    isTemporaryFailure(await mxAnswer) &&
    isTemporaryFailure(apex) &&
    hasCode(dmarc.report.validation_errors, 'dns_temporary_failure');
  const examination = { report, findings, score: points, advice, isDnsUnavailable };
  if (transport === undefined) return examination;
  return { ...examination, report: { ...report, transport: renderTransport(transport) }, transport };
}

/** Unlike a used-up budget, which is about the domain. */
function isTemporaryFailure(answer: Answer<unknown>): boolean {
  return answer.kind === 'failure' && answer.code === 'dns_temporary_failure';
}

/**
 * RFC 8020: a name that does not exist for one type exists for none. A dangling alias does exist (RFC 9989 appendix
 * A.4).
 */
function stateOf(answers: readonly Answer<unknown>[]): 'exists' | 'nxdomain' | 'unknown' {
  if (answers.some(({ kind }) => kind === 'found' || kind === 'nodata')) return 'exists';
  const missing = answers.find((answer) => answer.kind === 'nxdomain');
  if (missing === undefined) return 'unknown';
  return missing.alias === undefined ? 'nxdomain' : 'exists';
}
