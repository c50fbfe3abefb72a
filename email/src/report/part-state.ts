// What is known of a part of the report, in one wording everywhere. A part that DNS did not answer
// for is `unverified`: it is neither missing nor worth fewer points.
import { explainRefused, explainReportedRefusal, explainTakeover } from '../advice/advice-text.ts';
import { isSetUpForNoMail } from '../readiness/mail-role.ts';
import { judgePresent } from '../readiness/readiness.ts';
import { type DkimReport, type EmailReport, MAX_LOOKUPS } from '../report.ts';
import type { Findings } from '../score/score.ts';

export const PARTS = ['mx', 'spf', 'dkim', 'dmarc'] as const;
export type Part = (typeof PARTS)[number];

export type PartState = 'verified' | 'missing' | 'unverified' | 'not applicable';

export type PartView = {
  readonly state: PartState;
  /** Verified, and without errors. */
  readonly isValid: boolean;
  /** For a column of a table: `ok`, `~all 4/10`, `2048`, `reject`; `?` if it is unverified. */
  readonly cell: string;
  /**
   * For a line or a page, instead of the record where there is none: `missing`,
   * `could not be verified`.
   */
  readonly words: string;
};

export type PartViews = Readonly<Record<Part, PartView>>;

/** The result of the complete check, apart from the score. */
export type Verdict = {
  readonly unverified: readonly Part[];
  /**
   * How others can act for the domain, or which mail of its own is refused; `''` if there is
   * nothing of this.
   */
  readonly risk: string;
  /** Set up to send no mail: there is nothing left to do, whatever the grade. */
  readonly isFinished: boolean;
};

export function verdictOf(findings: Findings): Verdict {
  const { mx, spf, dkim, dmarc } = findings;
  const isUnverified = {
    mx: mx.state === 'unverified',
    spf: spf.isUnverified,
    dkim: dkim.isUnverified,
    dmarc: dmarc.isUnverified,
  };
  const isFinished = isSetUpForNoMail(findings);
  return {
    unverified: PARTS.filter((part) => isUnverified[part]),
    risk: riskOf(findings),
    isFinished,
  };
}

function riskOf(findings: Findings): string {
  const { mx, spf, dmarc, takeovers } = findings;
  if (mx.report.errors.some(({ code }) => code === 'domain_not_found')) return '';
  if (spf.openToAll !== undefined) return `${ANYONE}, because ${OPEN_SPF}`;
  const [takeover] = takeovers;
  if (takeover !== undefined) return explainTakeover(takeover).replace(/\.$/, '');
  const {
    refused: [refused],
    refusal,
  } = judgePresent(spf.tree.name, findings);
  if (refusal !== undefined) return explainReportedRefusal(refusal).replace(/^R/, 'r');
  if (refused !== undefined) return explainRefused(refused).replace(/^R/, 'r');
  const hasNoPolicy = !dmarc.isUnverified && (dmarc.report.record_domain === '' || dmarc.isFatal);
  return hasNoPolicy ? `${ANYONE}, because no DMARC policy is in force` : '';
}

const ANYONE = 'anyone can send mail as this domain';
const OPEN_SPF = 'its SPF record lets everyone send';

/** The grade with a question mark where a part of it is not known. */
export function gradeText(
  { grade }: Pick<EmailReport, 'grade'>,
  { unverified }: Pick<Verdict, 'unverified'>,
): string {
  return unverified.length === 0 ? grade : `${grade}?`;
}

export function partViews(report: EmailReport, verdict: Verdict): PartViews {
  const isNot = (part: Part) => verdict.unverified.includes(part);
  return {
    mx: isNot('mx') ? UNVERIFIED : viewMx(report),
    spf: isNot('spf') ? UNVERIFIED : viewSpf(report, verdict),
    dkim: isNot('dkim') ? UNVERIFIED : viewDkim(report, verdict),
    dmarc: isNot('dmarc') ? UNVERIFIED : viewDmarc(report),
  };
}

/** The errors of each part; those of a key after its selector. */
export function errorsOf({ mx, spf, dkim, dmarc }: EmailReport): Record<Part, readonly string[]> {
  const keyErrors = dkim.flatMap(({ selector, validation_errors }) =>
    validation_errors.map((error) => `${selector}: ${error}`),
  );
  return {
    mx: mx.errors,
    spf: spf.validation_errors,
    dkim: keyErrors,
    dmarc: dmarc.validation_errors,
  };
}

const UNVERIFIED: PartView = {
  state: 'unverified',
  isValid: false,
  cell: '?',
  words: 'could not be verified',
};
const MISSING: PartView = { state: 'missing', isValid: false, cell: 'missing', words: 'missing' };

function verified(isValid: boolean, cell: string, words: string = cell): PartView {
  return { state: 'verified', isValid, cell, words };
}

function viewMx({ mx }: EmailReport): PartView {
  if (mx.records.length === 0) return MISSING;
  const words = mx.records.join(', ');
  if (mx.records.length === 1 && mx.records[0] === '.' && mx.is_valid)
    return verified(true, 'null', 'takes no mail (null MX)');
  return verified(mx.is_valid, mx.is_valid ? 'ok' : 'errors', words);
}

function viewSpf({ spf }: EmailReport, { risk }: Verdict): PartView {
  if (spf.raw === '') return MISSING;
  if (risk.endsWith(OPEN_SPF)) return verified(false, 'open', spf.raw);
  const lookups = `${spf.dns_lookup_count}/${MAX_LOOKUPS}`;
  const all = spf.all_qualifier === '' ? 'errors' : `${spf.all_qualifier}all`;
  return verified(spf.is_valid, spf.is_valid ? `${all} ${lookups}` : `errors ${lookups}`, spf.raw);
}

function viewDkim({ dkim }: EmailReport, { isFinished }: Verdict): PartView {
  const published = dkim.filter((key) => key.found);
  const valid = published.filter((key) => key.is_valid);
  if (published.every(isRevoked) && isFinished)
    return {
      state: 'not applicable',
      isValid: true,
      cell: 'n/a',
      words: 'not needed, since it sends no mail',
    };
  if (published.length === 0) return { ...MISSING, words: 'no key found' };
  const words = published
    .map(({ selector, key_type, key_bits }) => `${selector} (${key_type || 'unknown'} ${key_bits})`)
    .join(', ');
  if (valid.length === 0) return verified(false, 'errors', words);
  const bits = Math.max(
    ...valid.map(({ key_type, key_bits }) => (key_type === 'rsa' ? key_bits : 0)),
  );
  return verified(true, bits === 0 ? 'ed25519' : String(bits), words);
}

function isRevoked({ key_bits, is_valid }: DkimReport): boolean {
  return !is_valid && key_bits === 0;
}

function viewDmarc({ dmarc }: EmailReport): PartView {
  if (dmarc.raw === '') return MISSING;
  const words = dmarc.inherited ? `from ${dmarc.record_domain}: ${dmarc.raw}` : dmarc.raw;
  if (dmarc.policy === '') return verified(false, 'errors', words);
  const share = dmarc.partial_rollout ? ` ${dmarc.percentage}%` : '';
  return verified(dmarc.is_valid, `${dmarc.effective_policy}${share}`, words);
}
