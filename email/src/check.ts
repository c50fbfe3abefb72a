/** The whole check: four questions side by side, each asked and then judged as data; score and advice over the results. */
import { randomBytes } from 'node:crypto';
import { type Advice, advise } from './advice.ts';
import { checkDkim } from './dkim.ts';
import { checkDmarc } from './dmarc-discovery.ts';
import type { Answer, Resolver } from './dns.ts';
import { checkMx } from './mx.ts';
import type { EmailReport } from './report.ts';
import { type Findings, type Score, score } from './score.ts';
import { checkSpf } from './spf-lookups.ts';

export type CheckOptions = {
  resolver: Resolver;
  /** DKIM selectors to report on, found or not. Without them, the common ones are tried and those found are reported. */
  selectors?: readonly string[];
};

export type Examination = {
  report: EmailReport;
  findings: Findings;
  score: Score;
  advice: Advice[];
  /** MX, TXT and _dmarc all failed: this says nothing about the domain, only about DNS. */
  isDnsUnavailable: boolean;
};

/** `domain` as normalizeDomain returns it. */
export async function checkDomain(domain: string, options: CheckOptions): Promise<EmailReport> {
  return (await examineDomain(domain, options)).report;
}

/** The check with everything that it found out, for those who show more than the report. */
export async function examineDomain(domain: string, { resolver, selectors }: CheckOptions): Promise<Examination> {
  // A selector that nobody has published: whatever answers for it answers for every selector.
  const sentinel = `whence-${randomBytes(8).toString('hex')}`;
  const mxAnswer = resolver.mx(domain);
  const txtAnswer = resolver.txt(domain);
  const domainState = Promise.all([mxAnswer, txtAnswer]).then(stateOf);
  const [mx, spf, dkim, dmarc] = await Promise.all([
    mxAnswer.then((answer) => checkMx(domain, answer, resolver)),
    txtAnswer.then((answer) => checkSpf(domain, answer, resolver)),
    checkDkim(domain, selectors, resolver, sentinel),
    checkDmarc(domain, resolver, domainState),
  ]);
  const findings = { mx, spf, dkim, dmarc };
  const points = score(findings);
  const advice = advise(domain, findings, points);
  const report: EmailReport = {
    domain,
    domain_auth_score: points.total,
    grade: points.grade,
    mx: mx.report,
    spf: spf.report,
    dkim: dkim.report,
    dmarc: dmarc.report,
    recommendations: advice.map(({ text }) => text),
  };
  const isDnsUnavailable =
    (await mxAnswer).kind === 'failure' && (await txtAnswer).kind === 'failure' && dmarc.isUnverified;
  return { report, findings, score: points, advice, isDnsUnavailable };
}

/** RFC 8020: a name that does not exist for one type exists for none. A dangling alias exists (RFC 9989 appendix A.4). */
function stateOf(answers: readonly Answer<unknown>[]): 'exists' | 'nxdomain' | 'unknown' {
  if (answers.some(({ kind }) => kind === 'found' || kind === 'nodata')) return 'exists';
  const missing = answers.find((answer) => answer.kind === 'nxdomain');
  if (missing === undefined) return 'unknown';
  return missing.alias === undefined ? 'nxdomain' : 'exists';
}
