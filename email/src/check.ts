// The whole check: MX, SPF, DKIM and DMARC in parallel; score and recommendations follow from the
// results.
import type { Advice } from './advice/advice.ts';
import { advise } from './advice/advise.ts';
import { findTakeovers } from './advice/dangling.ts';
import { findMissingProvider } from './advice/spf-senders.ts';
import { checkDkim } from './dkim/dkim.ts';
import { checkDmarc, type DmarcFindings } from './dmarc/check.ts';
import { withoutWildcardAlias } from './dmarc/discovery.ts';
import { countQuestions } from './dns/alias-chain.ts';
import { type Answer, isTemporaryFailure, type MxHost, type Resolver } from './dns/answer.ts';
import { MAX_RETRIES, MAX_USUAL_QUESTIONS } from './dns/budget.ts';
import { type DnsOutage, findOutage } from './dns/fault.ts';
import { findWildcard, newSentinel } from './dns/wildcard.ts';
import { type Finding, hasCode } from './findings/finding.ts';
import { checkMx } from './mx/mx.ts';
import { readPolicies } from './policies/find-policies.ts';
import { providerSelectors, spfTexts } from './providers.ts';
import { dependsOnSubdomains, findSubdomains } from './readiness/subdomains.ts';
import { renderReport } from './report/render-report.ts';
import { senderRules } from './report/sender-rules.ts';
import type { EmailReport, ReportedVerdict, TransportReport } from './report.ts';
import { type Findings, NO_SUBDOMAINS, type Score, score } from './score/score.ts';
import type { ReadRecords } from './spf/lookups.ts';
import { withRecommendations } from './transport/advice.ts';
import {
  type CheckedTransport,
  checkTransport,
  type TransportOptions,
} from './transport/check-transport.ts';
import { renderTransport } from './transport/render-transport.ts';

export type { DnsOutage } from './dns/fault.ts';
export type { MailHost } from './mx/mx.ts';
export type { SpfNode } from './spf/lookups.ts';

export type CheckOptions = {
  resolver: Resolver;
  /**
   * DKIM selectors to report on, found or not. Default: the common ones are tried, and those found
   * are reported.
   */
  selectors?: readonly string[];
  moreSelectors?: readonly string[];
  /** Checks MTA-STS, TLS-RPT, DANE, BIMI and DNSSEC too. */
  transport?: TransportOptions;
  /** A label that no zone has, if two checks are to ask the same questions. Default: a new one. */
  sentinel?: string;
};

export type Examination = {
  report: EmailReport;
  findings: Findings;
  score: Score;
  advice: Advice[];
  /** MX, TXT and _dmarc all failed: this says nothing about the domain, only about DNS. */
  isDnsUnavailable: boolean;
  /** The domain exists only because a wildcard answers for it. */
  isByWildcard: boolean;
  /** Why DNS failed for the domain, if it did and that is known. */
  dnsFault: DnsOutage | undefined;
  transport?: TransportReport<Finding>;
  /** The same check, with what its owner's reports show. The check itself knows nothing of them. */
  withReports(reported: ReportedVerdict): Promise<Examination>;
};

/** `domain` as normalizeDomain returns it. */
export async function checkDomain(domain: string, options: CheckOptions): Promise<EmailReport> {
  return (await examineDomain(domain, options)).report;
}

/** MX hosts whose provider is looked up. A zone can name thousands. */
const MAX_MX_HOSTS = 20;

/** The check with all of its findings, for callers that show more than the report. */
export async function examineDomain(domain: string, options: CheckOptions): Promise<Examination> {
  const sentinel = options.sentinel ?? newSentinel();
  const counted = countQuestions(options.resolver);
  const { resolver } = counted;
  const { parts, wildcard, transport, spfRecords, answers } = await readParts(domain, resolver, {
    ...options,
    sentinel,
  });
  // One after the other: subdomains are looked at with what the others leave.
  const missing = await findMissingProvider(parts, resolver);
  const takeovers = await findTakeovers(
    domain,
    parts,
    transport && missingPolicyHost(transport),
    resolver,
  );
  const retries = hasFailed(parts) ? MAX_RETRIES + 2 : 0;
  const questions = MAX_USUAL_QUESTIONS - counted.count - retries;
  const subdomains = dependsOnSubdomains(domain, parts)
    ? await findSubdomains(domain, { questions, sentinel }, resolver)
    : NO_SUBDOMAINS;
  const findings = { ...parts, takeovers, subdomains };
  const points = score(findings);
  const examined = {
    domain,
    findings,
    score: points,
    apex: answers.txt,
    resolver,
    spfRecords,
    wildcard,
    missing,
  };
  const advice = await advise(examined);
  const report = renderReport(domain, findings, points, advice);
  const examination: Examination = {
    report,
    findings,
    score: points,
    advice,
    isDnsUnavailable:
      isTemporaryFailure(answers.mx) &&
      isTemporaryFailure(answers.txt) &&
      hasCode(parts.dmarc.report.validation_errors, 'dns_temporary_failure'),
    isByWildcard: wildcard.answersForDomain === 'yes',
    dnsFault: await findOutage(failedQuestions(domain, answers), resolver),
    async withReports(reported) {
      const completed = { ...findings, reported };
      const advised = await advise({ ...examined, findings: completed });
      const rendered = renderReport(domain, completed, points, advised);
      return {
        ...this,
        findings: completed,
        advice: advised,
        report: { ...this.report, ...rendered },
      };
    },
  };
  if (transport === undefined) return examination;
  const advised = await withRecommendations({ domain, findings, transport, resolver, wildcard });
  const whole = { ...advised, sender_rules: senderRules(findings) };
  return {
    ...examination,
    report: { ...report, transport: renderTransport(whole) },
    transport: whole,
  };
}

type ApexAnswers = { readonly mx: Answer<MxHost>; readonly txt: Answer<string> };

/** The four parts and transport, all asked at once. */
async function readParts(
  domain: string,
  resolver: Resolver,
  {
    selectors,
    moreSelectors = [],
    transport: transportOptions,
    sentinel,
  }: Omit<CheckOptions, 'resolver'> & { sentinel: string },
) {
  const mxAnswer = resolver.mx(domain);
  const spfRecords: ReadRecords = new Map();
  const policies = readPolicies(domain, resolver, spfRecords);
  const txtAnswer = policies.apex;
  const domainState = Promise.all([mxAnswer, txtAnswer]).then(stateOf);
  const mxFindings = mxAnswer.then((answer) => checkMx(domain, answer, resolver));
  const dmarcFindings = checkDmarc(domain, resolver, domainState, txtAnswer, policies.dmarc);
  const providerKeys = Promise.all([mxAnswer, txtAnswer]).then(([mx, txt]) => [
    ...moreSelectors,
    ...providerSelectors(
      mx.kind === 'found' ? mx.records.slice(0, MAX_MX_HOSTS).map(({ exchange }) => exchange) : [],
      spfTexts(txt.kind === 'found' ? txt.records : []),
    ),
  ]);
  const [mx, spf, dkim, publishedDmarc, wildcard, transport] = await Promise.all([
    mxFindings,
    policies.spf,
    checkDkim(domain, resolver, { requested: selectors, more: providerKeys, sentinel }),
    dmarcFindings,
    findWildcard(domain, sentinel, { txt: txtAnswer, mx: mxAnswer }, resolver),
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
  const ownDmarc = { ...publishedDmarc, ...withoutWildcardAlias(publishedDmarc, wildcard.alias) };
  // Where SPF lets everyone pass, so does DMARC, whatever the policy is.
  const dmarc: DmarcFindings =
    spf.openToAll === undefined
      ? ownDmarc
      : { ...ownDmarc, report: { ...ownDmarc.report, strength_rating: 'weak' } };
  const answers: ApexAnswers = { mx: await mxAnswer, txt: await txtAnswer };
  const parts = { mx, spf, dkim, dmarc, takeovers: [], subdomains: NO_SUBDOMAINS };
  return { parts, wildcard, transport, spfRecords, answers };
}

function hasFailed({ mx, spf, dkim, dmarc }: Findings): boolean {
  return (
    dkim.failures.length > 0 || spf.isUnverified || dmarc.isUnverified || mx.state === 'unverified'
  );
}

function failedQuestions(domain: string, { mx, txt }: ApexAnswers) {
  return [[mx, 'MX'] as const, [txt, 'TXT'] as const].flatMap(([answer, type]) =>
    isTemporaryFailure(answer) ? [{ name: domain, type, reason: answer.reason }] : [],
  );
}

/** What the host of the MTA-STS policy is an alias of, if that does not exist. */
function missingPolicyHost({ mta_sts }: CheckedTransport): string | undefined {
  for (const { code, detail } of mta_sts.validation_errors)
    if (code === 'policy_host_missing' && typeof detail.absence === 'object')
      return detail.absence.alias;
  return undefined;
}

/**
 * RFC 8020: a name that does not exist for one type exists for none. A dangling alias does (RFC
 * 9989 A.4).
 */
function stateOf(answers: readonly Answer<unknown>[]): 'exists' | 'nxdomain' | 'unknown' {
  if (answers.some(({ kind }) => kind === 'found' || kind === 'nodata')) return 'exists';
  const missing = answers.find((answer) => answer.kind === 'nxdomain');
  if (missing === undefined) return 'unknown';
  return missing.alias === undefined ? 'nxdomain' : 'exists';
}
