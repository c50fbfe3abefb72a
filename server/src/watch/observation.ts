/**
 * What one check shows of a domain, as plain data: findings, what is published, and the parts for
 * which something did not answer.
 */
import { createHash } from 'node:crypto';
import type { Examination } from '@whence/email';
import { type Advice, formatAdvice } from '@whence/email/advice';
import { explain, type Finding, isFailure } from '@whence/email/findings';
import { policyStrength, policyWords } from '@whence/email/policy-strength';
import { cutText, excerpt, visible } from '@whence/email/visible-text';
import type { Severity } from '../vocabulary.ts';

export const PARTS = {
  mx: 'MX',
  spf: 'SPF',
  dkim: 'DKIM',
  dmarc: 'DMARC',
  mta_sts: 'MTA-STS',
  tls_rpt: 'TLS-RPT',
  dane: 'DANE',
  bimi: 'BIMI',
  dnssec: 'DNSSEC',
} as const;
export type Part = keyof typeof PARTS;
/** Whether the domain exists at all. If it does not, a check says nothing of its parts. */
const DOMAIN = 'domain';

export type ObservedFinding = {
  readonly part: Part | typeof DOMAIN;
  /** The part whose change has this consequence too. */
  readonly follows?: Part;
  readonly code: string;
  readonly subject: string;
  readonly severity: Severity;
  readonly sentence: string;
  readonly act: string;
};

/** What protects the domain, in degrees. Protection that it never had is no event. */
export const POLICIES = {
  DMARC: { part: 'dmarc', severity: 'high' },
  'DMARC of subdomains': { part: 'dmarc', severity: 'high' },
  SPF: { part: 'spf', severity: 'high' },
  'MTA-STS': { part: 'mta_sts', severity: 'high' },
  DANE: { part: 'dane', follows: 'mx', severity: 'medium' },
  DNSSEC: { part: 'dnssec', severity: 'low' },
} as const satisfies Record<string, { part: Part; follows?: Part; severity: Severity }>;
export type PolicyName = keyof typeof POLICIES;

/** A level is compared with others of the same name only. */
export type Strength = { readonly level: number; readonly words: string };

/** The lengths of Ed25519 and RSA keys say nothing of each other. */
export function isShorterKey(key: Strength, old: Strength | undefined): boolean {
  return old !== undefined && key.level < old.level && !key.words.startsWith('ed25519');
}

export type Published = {
  /** Texts by part, one record per line; empty where there is none. */
  readonly records: Readonly<Partial<Record<Part, string>>>;
  readonly policies: Readonly<Partial<Record<PolicyName, Strength>>>;
  /** Keys that verifiers use, by selector in lower case. */
  readonly keys: Readonly<Record<string, Strength>>;
};
export const NOTHING: Published = { records: {}, policies: {}, keys: {} };

export type Observation = {
  /** What this check says something about. */
  readonly answered: ReadonlySet<string>;
  /** Parts that say nothing, because something did not answer; with what did not. */
  readonly unanswered: ReadonlyMap<Part, string>;
  readonly findings: readonly ObservedFinding[];
  readonly published: Published;
  /** Selectors with a key that verifiers do not use, which is a finding. */
  readonly unusableKeys: ReadonlySet<string>;
  /** By part: a digest of what was judged, which is the same for every release. */
  readonly digests: Readonly<Record<string, string>>;
  readonly score: number;
  readonly grade: string;
  readonly policy: string;
};

/**
 * They say nothing about what is wrong; or that protection is missing which a domain may do
 * without: its loss is a weaker policy or a changed record.
 */
const LEFT_OUT: ReadonlySet<string> = new Set<Finding['code']>([
  'more_errors',
  'key_revoked',
  'no_mail_host',
  'no_mta_sts_record',
  'no_tls_rpt_record',
  'no_tlsa_record',
  'mx_not_authenticated',
  'tlsa_not_authenticated',
  'no_bimi_record',
  'bimi_declined',
  'bimi_policy_too_weak',
  'no_bimi_certificate',
  'not_authenticated',
]);
/**
 * Recommendations that are findings of their own: others act for the domain, or its mail is
 * refused.
 */
const RISKS: ReadonlySet<string> = new Set<Advice['code']>([
  'anyone_can_send',
  'takeover',
  'mail_refused_now',
]);

const TAKEOVER_PARTS = {
  include: 'spf',
  'SPF host': 'spf',
  'MX host': 'mx',
  'DKIM selector': 'dkim',
  'DMARC alias': 'dmarc',
  'report host': 'dmarc',
  'policy host': 'mta_sts',
} as const;

const MAX_SUBJECT = 100;
const MAX_RECORD = 4_096;
const KEY_LEVELS = { ed25519: 2_048, rsa: 0, '': 0 } as const;
const SPF_LEVELS = { '-': 3, '~': 2, '?': 1, '+': 0, '': 0 } as const;
const MTA_STS_LEVELS = { enforce: 2, testing: 1, none: 0, '': 0 } as const;

export function observe(examination: Examination): Observation {
  const { report, findings, advice } = examination;
  const problems = problemsOf(examination);
  const unanswered = unansweredParts(examination, problems);
  const gone = findings.mx.report.errors.find(({ code }) => code === 'domain_not_found');
  const digests = digestsOf(examination);
  const common = {
    unanswered,
    digests,
    score: report.domain_auth_score,
    grade: report.grade,
    policy: findings.dmarc.isUnverified ? '' : report.dmarc.effective_policy,
  };
  if (gone !== undefined) {
    const [act] = advice;
    return {
      ...common,
      unanswered: new Map(),
      answered: new Set([DOMAIN]),
      findings: [
        {
          part: DOMAIN,
          code: gone.code,
          subject: '',
          severity: 'high',
          sentence: explain(gone),
          act: act === undefined ? '' : formatAdvice(act),
        },
      ],
      published: NOTHING,
      unusableKeys: new Set(),
    };
  }
  const answered = Object.keys(PARTS).filter((part) => !unanswered.has(part as Part));
  return {
    ...common,
    answered: new Set(unanswered.has('mx') ? answered : [DOMAIN, ...answered]),
    findings: [...observedFindings(examination, problems), ...observedRisks(advice)],
    published: publishedBy(examination),
    // One that is replaced is revoked, and stays so.
    unusableKeys: new Set(
      findings.dkim.keys
        .filter(({ report, isRevoked }) => report.found && !report.is_valid && !isRevoked)
        .map(({ report }) => report.selector.toLowerCase()),
    ),
  };
}

/** As it is compared: order, case and blanks are no change. */
export function comparable(record: string): string {
  return record
    .toLowerCase()
    .split('\n')
    .map((line) =>
      line
        .replace(/\s+/g, ' ')
        .replace(/ ?; ?/g, ';')
        .replace(/;$|^ | $/g, ''),
    )
    .sort()
    .join('\n');
}

type Problems = { readonly part: Part; readonly selector?: string; readonly list: Finding[] };

function problemsOf({ findings, transport }: Examination): Problems[] {
  const { mx, spf, dkim, dmarc } = findings;
  return [
    { part: 'mx', list: mx.report.errors },
    { part: 'spf', list: spf.report.validation_errors },
    { part: 'dkim', list: dkim.failures },
    ...dkim.report.map(({ selector, validation_errors: list }) => ({
      part: 'dkim' as const,
      selector,
      list,
    })),
    { part: 'dmarc', list: dmarc.report.validation_errors },
    { part: 'mta_sts', list: transport?.mta_sts.validation_errors ?? [] },
    { part: 'tls_rpt', list: transport?.tls_rpt.validation_errors ?? [] },
    { part: 'dane', list: transport?.dane.validation_errors ?? [] },
    { part: 'bimi', list: transport?.bimi.validation_errors ?? [] },
    { part: 'dnssec', list: transport?.dnssec.validation_errors ?? [] },
  ];
}

function unansweredParts(
  { isDnsUnavailable }: Examination,
  problems: readonly Problems[],
): Map<Part, string> {
  const unanswered = new Map<Part, string>();
  for (const { part, list } of problems) {
    const failure = list.find(hasNoAnswer);
    if (failure !== undefined) unanswered.set(part, explain(failure));
  }
  if (isDnsUnavailable)
    for (const { part } of problems)
      unanswered.set(part, unanswered.get('mx') ?? 'DNS does not answer');
  return unanswered;
}

/** A policy server that refuses the request, or sends something else, has answered. */
const HAS_ANSWERED = /certificate|TLS|HTTP|^the server/;

export function hasNoAnswer(finding: Finding): boolean {
  if (isFailure(finding)) return true;
  if (finding.code !== 'policy_not_fetched') return false;
  const { url, reason } = finding.detail;
  // The name of the host says nothing.
  return !HAS_ANSWERED.test(reason.replaceAll(new URL(url).hostname, ''));
}

function observedFindings(
  { findings, advice, transport }: Examination,
  problems: readonly Problems[],
): ObservedFinding[] {
  const severities = severityOfParts(findings, transport);
  return problems.flatMap(({ part, selector, list }) =>
    list
      .filter((finding) => !hasNoAnswer(finding) && !LEFT_OUT.has(finding.code))
      .map((finding) => ({
        part,
        // An MX host that the policy does not name.
        ...(finding.code === 'policy_without_host' && { follows: 'mx' as const }),
        code: finding.code,
        subject: excerpt(selector ?? subjectOf(finding) ?? PARTS[part], MAX_SUBJECT),
        severity: severities[part],
        sentence: `${PARTS[part]}${selector === undefined ? '' : ` key of selector ${selector}`}: ${explain(finding)}`,
        act: actOf(part, advice, transport, selector),
      })),
  );
}

/** What a finding is about beside its record: a host, or a name that the record refers to. */
function subjectOf({ code, detail }: Finding): string | undefined {
  // All faults of one record are one event.
  if (code === 'syntax_error') return undefined;
  // Details have different fields, which are all plain data.
  const { host, term } = detail as { readonly host?: unknown; readonly term?: unknown };
  const subject = host ?? term;
  return typeof subject === 'string' && subject !== '' ? subject : undefined;
}

function observedRisks(advice: readonly Advice[]): ObservedFinding[] {
  return advice
    .filter(({ code }) => RISKS.has(code))
    .map((risk) => {
      const part = partOfRisk(risk);
      // What is wrong comes first, then what to do.
      const [sentence = '', ...own] = formatAdvice(risk).split(/(?<=\.) /);
      const act = adviceFor(part, advice)?.replace(`${sentence} `, '') ?? own.join(' ');
      return {
        part,
        ...(risk.code === 'mail_refused_now' && { follows: 'spf' as const }),
        code: risk.code,
        subject: riskSubject(risk),
        severity: 'high',
        sentence,
        act,
      };
    });
}

/** Where it is repaired. */
function partOfRisk({ code, detail }: Advice): Part {
  if (code === 'takeover') return TAKEOVER_PARTS[detail.kind];
  return code === 'mail_refused_now' ? 'dmarc' : 'spf';
}

function riskSubject({ code, detail }: Advice): string {
  if (code === 'takeover') return detail.name;
  return code === 'mail_refused_now' ? detail.service : PARTS.spf;
}

/** `high`: others can act for the domain, or mail does not arrive. */
function severityOfParts(
  { mx, spf, dkim, dmarc }: Examination['findings'],
  transport: Examination['transport'],
): Record<Part, Severity> {
  const isHigh = (condition: boolean): Severity => (condition ? 'high' : 'medium');
  return {
    mx: isHigh(mx.state === 'none' || mx.state === 'unusable'),
    spf: isHigh(!spf.report.is_valid),
    dkim: isHigh(!dkim.report.some(({ is_valid }) => is_valid)),
    dmarc: isHigh(dmarc.isFatal || dmarc.report.record_domain === ''),
    // Without a mode it is not known what senders still hold to.
    mta_sts: isHigh(!['testing', 'none'].includes(transport?.mta_sts.mode ?? '')),
    tls_rpt: 'low',
    dane: 'medium',
    bimi: 'low',
    dnssec: 'low',
  };
}

const ADVICE_OF: Readonly<Partial<Record<Part, RegExp>>> = {
  mx: /^(?:mx_|apex_alias|no_mail)/,
  spf: /^(?:anyone_can_send|spf_|no_mail)/,
  dkim: /^dkim_/,
  dmarc: /^(?:dmarc_|not_ready|no_mail)/,
};

function adviceFor(part: Part, advice: readonly Advice[], selector = ''): string | undefined {
  return (
    advice
      .filter(({ code }) => ADVICE_OF[part]?.test(code))
      .map(formatAdvice)
      // That of another key would mislead.
      .find((text) => selector === '' || text.includes(`${selector}._domainkey`))
  );
}

function actOf(
  part: Part,
  advice: readonly Advice[],
  transport: Examination['transport'],
  selector = '',
): string {
  const ours = adviceFor(part, advice, selector);
  if (ours !== undefined) return ours;
  const ofTransport =
    part === 'mta_sts' || part === 'tls_rpt' ? transport?.[part].recommendations[0] : undefined;
  if (ofTransport !== undefined)
    return [ofTransport.text, ofTransport.record].filter((text) => text !== '').join(' ');
  return REPAIRS[part] ?? `Correct what is published for ${PARTS[part]}.`;
}

const REPAIRS: Readonly<Partial<Record<Part, string>>> = {
  mta_sts:
    'Serve a valid policy over HTTPS from the host mta-sts of the domain; when the policy changes, change id= of the record too.',
  dane: 'Publish TLSA records that match the certificate of the MX host, or remove them.',
};

function publishedBy({ findings, report, transport }: Examination): Published {
  const { mx, spf, dkim, dmarc } = findings;
  const hosts = mx.hosts.map(({ preference, host }) => `${preference} ${host}`);
  return {
    records: {
      mx: recordText(mx.state === 'null' ? ['0 .'] : hosts),
      spf: recordText(spf.records),
      dmarc: recordText([dmarc.report.raw]),
      mta_sts: recordText([transport?.mta_sts.raw ?? '']),
      tls_rpt: recordText([transport?.tls_rpt.raw ?? '']),
      bimi: recordText([transport?.bimi.raw ?? '']),
    },
    policies: policiesOf(findings, report, transport),
    keys: Object.fromEntries(
      dkim.report
        .filter(({ is_valid, selector }) => is_valid && selector !== '*')
        .map(({ selector, key_type, key_bits }) => [
          selector.toLowerCase(),
          {
            level: KEY_LEVELS[key_type] || key_bits,
            words: `${key_type} key of ${key_bits} bits`,
          },
        ]),
    ),
  };
}

function policiesOf(
  { spf, dmarc }: Examination['findings'],
  report: Examination['report'],
  transport: Examination['transport'],
): Published['policies'] {
  const { own, subdomains } = policyStrength(report.dmarc);
  const all = spf.openToAll === undefined ? spf.report.all_qualifier : '+';
  const mode = transport?.mta_sts.mode ?? '';
  const hosts = transport?.dane.hosts ?? [];
  const isProtected = hosts.length > 0 && hosts.every((host) => host.is_authenticated);
  const isSigned = transport?.dnssec.is_authenticated === true;
  return {
    DMARC: { level: own, words: policyWords(report.dmarc) },
    'DMARC of subdomains': { level: subdomains, words: dmarc.report.subdomain_policy || 'none' },
    SPF: { level: SPF_LEVELS[all], words: all === '' ? 'no all' : `${all}all` },
    'MTA-STS': { level: MTA_STS_LEVELS[mode], words: mode || 'no policy' },
    DANE: {
      level: isProtected ? 1 : 0,
      words: isProtected ? 'authenticated records of every MX host' : 'not of every MX host',
    },
    DNSSEC: { level: isSigned ? 1 : 0, words: isSigned ? 'authenticated' : 'not authenticated' },
  };
}

/** A line for each; long ones are compared and shown by their beginning. */
function recordText(records: readonly string[]): string {
  return cutText(records.map(visible).join('\n'), MAX_RECORD);
}

function digestsOf({ findings, transport }: Examination): Record<string, string> {
  const { mx, spf, dkim, dmarc } = findings;
  const judged = {
    [DOMAIN]: mx.state,
    mx: mx.hosts,
    spf: [spf.records, spf.tree],
    dkim: dkim.report,
    dmarc: dmarc.report,
    ...transport,
  };
  return Object.fromEntries(
    Object.entries(judged).map(([part, facts]) => {
      const hash = createHash('sha256').update(JSON.stringify(facts, onlyFacts) ?? '');
      return [part, hash.digest('base64url').slice(0, 16)];
    }),
  );
}

/** What is published. The rest of a report is made of it, by rules that a release can change. */
const FACTS: ReadonlySet<string> = new Set([
  'host',
  'preference',
  'addresses',
  'name',
  'via',
  'raw',
  'children',
  'selector',
  'record_domain',
  'location',
  'mode',
  'max_age',
  'mx',
  'hosts',
  'records',
  'is_authenticated',
]);

/** A replacer of `JSON.stringify`. Name servers rotate addresses. */
function onlyFacts(name: string, value: unknown): unknown {
  const isEntry = /^\d*$/.test(name);
  if (!isEntry && !FACTS.has(name)) return undefined;
  return name === 'addresses' && Array.isArray(value) ? value.toSorted() : value;
}
