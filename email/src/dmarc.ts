/**
 * One DMARC record (RFC 9989 §4.7): its tags as values, defaults where they are absent or malformed, and everything that is wrong with
 * it. `pct`, `ri` and `rf` were dropped since RFC 7489; older receivers still obey them, so they are still read.
 */
import { parseReportUris, type ReportUri } from './dmarc-report-uris.ts';
import type { DmarcPolicy } from './report.ts';
import { colonList, parseTagList, quote, type Tag, type TagList, tagListErrors, tagValue } from './tag-list.ts';

export type DmarcRecord = {
  raw: string;
  /** As written, in order, names in lower case, unknown ones too. */
  tags: readonly Tag[];
  /** `p`; `none` if it is unusable and the record stands as none; otherwise `''`. The two others likewise, if absent like the one before. */
  policy: DmarcPolicy | '';
  subdomainPolicy: DmarcPolicy | '';
  nonexistentPolicy: DmarcPolicy | '';
  /**
   * RFC 9989 §4.10.1: with an unusable `p`, `sp` or `np` the record is taken for p=none if it asks for reports, so that its owner hears of
   * it, and for no record at all if it does not.
   */
  standing: 'as published' | 'as none' | 'void';
  percentage: number;
  aggregateUris: readonly ReportUri[];
  forensicUris: readonly ReportUri[];
  dkimAlignment: 'r' | 's';
  spfAlignment: 'r' | 's';
  failureOptions: string;
  reportInterval: number;
  /** `t=y`: receivers are asked to apply the policy one level lower. */
  isTestMode: boolean;
  /** Whether the name is a public suffix: yes, no, or unsaid. */
  psd: 'y' | 'n' | 'u';
  /** Those of pct, rf and ri that are there. */
  historicTags: string[];
  errors: string[];
  /** Errors that leave the policy in force: all but those of `p`, `sp` and `np`. */
  hasNonFatalErrors: boolean;
};

export type Selection =
  /** `lookalike`: a record that was meant for one, but does not begin with exactly v=DMARC1. */
  | { readonly kind: 'none'; readonly lookalike?: string }
  | { readonly kind: 'one'; readonly raw: string }
  | { readonly kind: 'multiple'; readonly raws: readonly string[] };

/** RFC 9989 §4.10: text that is no DMARC record is dropped without a word, and of several records none counts. */
export function selectDmarc(txt: readonly string[]): Selection {
  const raws = txt.filter((text) => DMARC_RECORD.test(text));
  const [raw] = raws;
  if (raws.length > 1) return { kind: 'multiple', raws };
  if (raw !== undefined) return { kind: 'one', raw };
  const lookalike = txt.find((text) => LOOKALIKE.test(text));
  return lookalike === undefined ? { kind: 'none' } : { kind: 'none', lookalike };
}

/** RFC 9989 §4.8: v comes first, with nothing before it, and its value is the only text here whose case matters. */
const DMARC_RECORD = /^[vV][ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/;
const LOOKALIKE = /^\W{0,9}v[ \t]*=[ \t]*dmarc/i;

/** Reads any text; whether it is a DMARC record at all is for `selectDmarc` to say. */
export function parseDmarc(raw: string): DmarcRecord {
  const list = parseTagList(raw, 'lowered');
  const values = new ValueReader(list);
  const aggregateUris = values.uris('rua');
  const forensicUris = values.uris('ruf');

  const p = readPolicy(list, 'p');
  const sp = readPolicy(list, 'sp');
  const np = readPolicy(list, 'np');
  const isBroken = p === undefined || [p, sp, np].includes('unusable');
  const standing = !isBroken ? 'as published' : aggregateUris.length > 0 ? 'as none' : 'void';
  const fallback = standing === 'as none' ? 'none' : '';
  const policy = p === undefined || p === 'unusable' ? fallback : p;
  const subdomainPolicy = sp === 'unusable' ? fallback : (sp ?? policy);
  const nonexistentPolicy = np === 'unusable' ? fallback : (np ?? subdomainPolicy);

  const record = {
    raw,
    tags: list.tags,
    policy,
    subdomainPolicy,
    nonexistentPolicy,
    standing,
    percentage: values.integer('pct', 100, 100),
    aggregateUris,
    forensicUris,
    dkimAlignment: values.oneOf('adkim', ['r', 's'], 'r'),
    spfAlignment: values.oneOf('aspf', ['r', 's'], 'r'),
    failureOptions: values.failureOptions(),
    reportInterval: values.integer('ri', 2 ** 32 - 1, 86400),
    isTestMode: values.oneOf('t', ['y', 'n'], 'n') === 'y',
    psd: values.oneOf('psd', ['y', 'n', 'u'], 'u'),
    historicTags: HISTORIC_TAGS.filter((name) => tagValue(list, name) !== undefined),
  } as const;
  const isLesser =
    values.errors.length > 0 || list.malformed.length > 0 || list.duplicates.some((name) => !isPolicyTag(name));
  return {
    ...record,
    errors: [...tagListErrors(list), ...policyErrors(list), ...values.errors],
    hasNonFatalErrors: isLesser,
  };
}

/** RFC 7489 §6.3; RFC 9989 appendix A.6 says why they went. */
const HISTORIC_TAGS = ['pct', 'rf', 'ri'];
const POLICY_TAGS = ['p', 'sp', 'np'];
const POLICIES: readonly string[] = ['none', 'quarantine', 'reject'] satisfies DmarcPolicy[];

type PolicyTag = DmarcPolicy | 'unusable' | undefined;

function isPolicyTag(name: string): boolean {
  return POLICY_TAGS.includes(name);
}

function isPolicy(text: string): text is DmarcPolicy {
  return POLICIES.includes(text);
}

/** A policy that is there twice is unusable: receivers do not agree on which of them counts. */
function readPolicy(list: TagList, name: string): PolicyTag {
  const value = tagValue(list, name)?.toLowerCase();
  if (value === undefined) return undefined;
  return isPolicy(value) && !list.duplicates.includes(name) ? value : 'unusable';
}

function policyErrors(list: TagList): string[] {
  const errors = tagValue(list, 'p') === undefined ? ['missing_policy: the record has no p= tag'] : [];
  for (const { name, value } of list.tags) {
    if (!isPolicyTag(name) || isPolicy(value.toLowerCase())) continue;
    const code = { p: 'bad_policy', sp: 'bad_subdomain_policy' }[name] ?? 'bad_tag_value';
    errors.push(`${code}: ${name}=${value.slice(0, 40)} is not none, quarantine or reject`);
  }
  return errors;
}

/** Reads the other tags. RFC 9989 §4.8: a syntax error in one of them is an error in that tag alone, and the default takes its place. */
class ValueReader {
  readonly errors: string[] = [];
  readonly #list: TagList;

  constructor(list: TagList) {
    this.#list = list;
  }

  /** The grammar of RFC 9989 §4.8 knows no case but that of DMARC1. */
  oneOf<T extends string>(name: string, allowed: readonly T[], byDefault: T): T {
    const value = tagValue(this.#list, name);
    if (value === undefined) return byDefault;
    const match = allowed.find((one) => one === value.toLowerCase());
    if (match === undefined) this.#refuse(name, value, `is not ${allowed.join(' or ')}`);
    return match ?? byDefault;
  }

  integer(name: string, max: number, byDefault: number): number {
    const value = tagValue(this.#list, name);
    if (value === undefined) return byDefault;
    const number = /^[0-9]{1,10}$/.test(value) ? Number(value) : Number.NaN;
    if (number <= max) return number;
    this.#refuse(name, value, `is not a number from 0 to ${max}`);
    return byDefault;
  }

  /** RFC 9989 §4.8 dmarc-fo: 0 or 1, not both, and d and s, each at most once, in any order. */
  failureOptions(): string {
    const value = tagValue(this.#list, 'fo');
    if (value === undefined) return '0';
    const options = colonList(value.toLowerCase());
    const isUnique = new Set(options).size === options.length && !(options.includes('0') && options.includes('1'));
    if (isUnique && options.every((option) => /^[01ds]$/.test(option))) return value;
    this.#refuse('fo', value, 'is not 0 or 1 with d or s, joined by colons');
    return '0';
  }

  uris(name: string): ReportUri[] {
    const value = tagValue(this.#list, name);
    if (value === undefined) return [];
    const { uris, bad } = parseReportUris(value);
    for (const item of bad) this.errors.push(`bad_report_uri: ${quote(item)} in ${name}= ${uriFault(item)}`);
    return uris;
  }

  #refuse(name: string, value: string, fault: string): void {
    this.errors.push(`bad_tag_value: ${name}=${value.slice(0, 40)} ${fault}`);
  }
}

function uriFault(item: string): string {
  if (item === '') return 'is an empty place in the list';
  return item.includes(':') ? 'is not a URI that reports can be sent to' : 'has no scheme, write mailto: before it';
}
