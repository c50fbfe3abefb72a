// One DMARC record (RFC 9989 §4.7): its tags, with defaults where absent or malformed, and what is
// wrong. RFC 9989 dropped `pct`, `ri` and `rf` of RFC 7489; older receivers still obey them, so
// they are still read.
import type { Answer } from '../dns/answer.ts';
import { MAX_TXT_BYTES } from '../dns/budget.ts';
import { type Finding, FindingList, limitFindings } from '../findings/finding.ts';
import type { BadUriKind, LookalikeFault, TagRule } from '../findings/finding-text.ts';
import {
  colonList,
  parseTagList,
  type TagList,
  tagListErrors,
  tagValue,
} from '../records/tag-list.ts';
import type { DmarcPolicy } from '../report.ts';
import { excerpt } from '../visible-text.ts';
import { parseReportUris, type ReportUri } from './report-uris.ts';

export type DmarcRecord = {
  raw: string;
  /**
   * `p`; if unusable `none` where the record stands as none, else `''`. The next two default to the
   * one before.
   */
  policy: DmarcPolicy | '';
  subdomainPolicy: DmarcPolicy | '';
  nonexistentPolicy: DmarcPolicy | '';
  /**
   * RFC 9989 §4.10.1: with an unusable policy, treated as p=none if it has a report address, else
   * ignored.
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
  /** Whether the name is a public suffix: yes, no, unspecified. */
  psd: 'y' | 'n' | 'u';
  /** Which of pct, rf and ri are present. */
  historicTags: string[];
  errors: Finding[];
  /** Errors that leave the policy in force: all but those of `p`, `sp` and `np`. */
  hasNonFatalErrors: boolean;
};

/** A stricter policy has a higher level. */
export const POLICY_LEVELS: Readonly<Record<DmarcPolicy | '', number>> = {
  '': 0,
  none: 0,
  quarantine: 1,
  reject: 2,
};

type Selection =
  /** `lookalike`: a record that was meant to be one, but does not begin with exactly v=DMARC1. */
  | { readonly kind: 'none'; readonly lookalike?: string }
  | { readonly kind: 'one'; readonly raw: string }
  /** One record, of more than MAX_TXT_BYTES. */
  | { readonly kind: 'too long'; readonly raw: string }
  | { readonly kind: 'multiple'; readonly raws: readonly string[] };

/**
 * RFC 9989 §4.10: other TXT records are ignored; if there are several DMARC records, none is used.
 */
export function selectDmarc(txt: readonly string[]): Selection {
  const raws = txt.filter((text) => DMARC_RECORD.test(text));
  const [raw] = raws;
  if (raws.length > 1) return { kind: 'multiple', raws };
  if (raw !== undefined) return { kind: raw.length > MAX_TXT_BYTES ? 'too long' : 'one', raw };
  const lookalike = txt.find((text) => LOOKALIKE.test(text));
  return lookalike === undefined ? { kind: 'none' } : { kind: 'none', lookalike };
}

/**
 * RFC 9989 §4.8: v must come first, with nothing before it. Its value is the only case-sensitive
 * one.
 */
const DMARC_RECORD = /^[vV][ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/;
/** Also an HTML entity, or the beginning of a line of a zone file, before it. */
const LOOKALIKE =
  /^(?:&#?\w{2,6};|[\w.@-]{0,255}[ \t]+(?:\d{1,9}[ \t]+)?(?:IN[ \t]+)?TXT[ \t]+)?\W{0,9}v[ \t]*=[ \t]*dmarc/i;
const NO_SEMICOLON = /^[vV][ \t]*=[ \t]*DMARC1[ \t,]+[a-z]/;

export function lookalikeFault(raw: string): LookalikeFault {
  return NO_SEMICOLON.test(raw) ? 'no semicolon' : 'beginning';
}

export function findDmarcLookalike(answer: Answer<string>): string | undefined {
  return answer.kind === 'found' ? answer.records.find((text) => LOOKALIKE.test(text)) : undefined;
}

/** Parses any text. `selectDmarc` decides whether it is a DMARC record. */
export function parseDmarc(raw: string): DmarcRecord {
  const list = parseTagList(raw, 'lowered');
  const values = new ValueReader(list);
  const aggregateUris = values.uris('rua');
  const forensicUris = values.uris('ruf');

  const p = readPolicy(list, 'p');
  const sp = readPolicy(list, 'sp');
  const np = readPolicy(list, 'np');
  const isBroken = p === undefined || [p, sp, np].includes('unusable');
  const brokenStanding = aggregateUris.length > 0 ? 'as none' : 'void';
  const standing = isBroken ? brokenStanding : 'as published';
  const fallback = standing === 'as none' ? 'none' : '';
  const policy = p === undefined || p === 'unusable' ? fallback : p;
  const subdomainPolicy = sp === 'unusable' ? fallback : (sp ?? policy);
  const nonexistentPolicy = np === 'unusable' ? fallback : (np ?? subdomainPolicy);

  const record = {
    raw,
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
    !values.errors.isEmpty ||
    list.malformed.length > 0 ||
    list.duplicates.some((name) => !isPolicyTag(name));
  return {
    ...record,
    errors: limitFindings([
      ...tagListErrors(list),
      ...policyErrors(list),
      ...values.errors.toArray(),
    ]),
    hasNonFatalErrors: isLesser,
  };
}

/** RFC 7489 §6.3; RFC 9989 appendix A.6 has the reasons for dropping them. */
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

/** A repeated policy tag is unusable: receivers do not agree on which one counts. */
function readPolicy(list: TagList, name: string): PolicyTag {
  const value = tagValue(list, name)?.toLowerCase();
  if (value === undefined) return undefined;
  return isPolicy(value) && !list.duplicates.includes(name) ? value : 'unusable';
}

function policyErrors(list: TagList): Finding[] {
  const errors = new FindingList();
  if (tagValue(list, 'p') === undefined) errors.add({ code: 'missing_policy', detail: {} });
  for (const { name, value } of list.tags) {
    if (!isPolicyTag(name) || isPolicy(value.toLowerCase())) continue;
    const detail = { tag: name, value: excerpt(value) };
    if (name === 'p') errors.add({ code: 'bad_policy', detail });
    else if (name === 'sp') errors.add({ code: 'bad_subdomain_policy', detail });
    else errors.add({ code: 'bad_tag_value', detail: { ...detail, expected: 'policy' } });
  }
  return errors.toArray();
}

/**
 * RFC 9989 §4.8: a syntax error in another tag concerns that tag alone, and its default is used.
 */
class ValueReader {
  readonly errors = new FindingList();
  readonly #list: TagList;

  constructor(list: TagList) {
    this.#list = list;
  }

  /** RFC 9989 §4.8: values other than DMARC1 are case-insensitive. */
  oneOf<T extends string>(name: string, allowed: readonly T[], byDefault: T): T {
    const value = tagValue(this.#list, name);
    if (value === undefined) return byDefault;
    const match = allowed.find((word) => word === value.toLowerCase());
    if (match === undefined) this.#refuse(name, value, { oneOf: allowed });
    return match ?? byDefault;
  }

  integer(name: string, max: number, byDefault: number): number {
    const value = tagValue(this.#list, name);
    if (value === undefined) return byDefault;
    const number = /^[0-9]{1,10}$/.test(value) ? Number(value) : Number.NaN;
    if (number <= max) return number;
    this.#refuse(name, value, { numberUpTo: max });
    return byDefault;
  }

  /** RFC 9989 §4.8 dmarc-fo: 0 or 1, not both, and d and s, each at most once, in any order. */
  failureOptions(): string {
    const value = tagValue(this.#list, 'fo');
    if (value === undefined) return '0';
    const options = colonList(value.toLowerCase());
    const isUnique =
      new Set(options).size === options.length && !(options.includes('0') && options.includes('1'));
    if (isUnique && options.every((option) => /^[01ds]$/.test(option))) return value;
    this.#refuse('fo', value, 'failure options');
    return '0';
  }

  uris(name: string): ReportUri[] {
    const value = tagValue(this.#list, name);
    if (value === undefined) return [];
    const { uris, bad, unread } = parseReportUris(value);
    for (const item of bad) {
      const detail = { tag: name, item: excerpt(item), kind: uriFault(item) };
      this.errors.add({ code: 'bad_report_uri', detail });
    }
    if (unread > 0)
      this.errors.add({ code: 'bad_report_uri', detail: { tag: name, kind: 'too many', unread } });
    return uris;
  }

  #refuse(tag: string, value: string, expected: TagRule): void {
    this.errors.add({ code: 'bad_tag_value', detail: { tag, value: excerpt(value), expected } });
  }
}

function uriFault(item: string): BadUriKind {
  if (item === '') return 'empty';
  return item.includes(':') ? 'not a URI' : 'no scheme';
}
