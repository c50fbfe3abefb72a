// DKIM keys (RFC 6376 §3.6, RFC 8301, RFC 8463): the TXT records of selectors. A key that no
// verifier will use is found all the same; `is_valid` is false then.
import { type Answer, aliasOf, type Resolver } from '../dns/answer.ts';
import { MAX_TXT_BYTES } from '../dns/budget.ts';
import { dnsFailure, type Finding, isFailure, limitFindings } from '../findings/finding.ts';
import {
  colonList,
  parseTagList,
  type TagList,
  tagListErrors,
  tagValue,
} from '../records/tag-list.ts';
import type { DkimReport } from '../report.ts';
import { excerpt } from '../visible-text.ts';
import { isCutOff, rsaModulusBits } from './der.ts';
import { defaultSelectors, isSelector, tidySelectors } from './selectors.ts';

type DkimKey = {
  report: DkimReport<Finding>;
  /** `t=y`: verifiers are asked to treat signed mail as unsigned. */
  isTesting: boolean;
  isRevoked: boolean;
  hasMissingPadding: boolean;
  /** There are other TXT records at the same name, which are not DKIM keys. */
  hasExtraTxt: boolean;
};

/**
 * `alias`: the selector is an alias of this name. `isByWildcard`: a wildcard's record; the name
 * does not exist.
 */
export type PublishedKey = DkimKey & {
  alias: string | undefined;
  isByWildcard: boolean;
  /** All TXT records at the name. */
  texts: readonly string[];
};

/** A selector that is an alias of a name without a TXT record. */
type DanglingSelector = { readonly name: string; readonly target: string };

export type DkimFindings = {
  report: DkimReport<Finding>[];
  /** The keys of the report, in the same order. */
  keys: PublishedKey[];
  /**
   * Default mode: a question failed and no valid key was found. Explicit mode: a question failed.
   */
  isUnverified: boolean;
  /** For each selector whose question failed. */
  failures: Finding[];
  isWildcard: boolean;
  isDefaultMode: boolean;
  /** In lower case. */
  queriedSelectors: readonly string[];
  dangling: readonly DanglingSelector[];
  /** Default mode: names with TXT records that are not read as keys. */
  unread: readonly PublishedKey[];
  /** No key was found, but these names have one: `google._domainkey.example.com.example.com`. */
  doubledNames: string[];
};

type DkimOptions = {
  readonly requested?: readonly string[] | undefined;
  /** More selectors to try beside the common ones; known when the MX and SPF records are. */
  readonly more?: Promise<readonly string[]>;
  /** A random selector that is not published: an answer to it is a wildcard. */
  readonly sentinel: string;
};

/** Asks for all selectors at once, and for more when they are known. */
export async function checkDkim(
  domain: string,
  resolver: Resolver,
  { requested = [], more = Promise.resolve([]), sentinel }: DkimOptions,
): Promise<DkimFindings> {
  const named = tidySelectors(requested);
  const isDefaultMode = named.length === 0;
  const common = isDefaultMode ? defaultSelectors(domain) : named;
  // Each key is parsed when its answer arrives, not all of them at the end: that would block the
  // event loop.
  const ask = async (selector: string) => {
    const answer = await askKey(selector, domain, resolver);
    return { answer, key: keyOf(selector, domain, answer) };
  };
  const askMore = async () => {
    const others = tidySelectors([...common, ...(isDefaultMode ? await more : [])]).slice(
      common.length,
    );
    return Promise.all(others.filter(isSelector).map(ask));
  };
  const [sentinelAnswer, first, others] = await Promise.all([
    askKey(sentinel, domain, resolver),
    Promise.all(common.map(ask)),
    askMore(),
  ]);
  const answered = [...first, ...others];

  // As sets: servers return the records of a name in any order, and each of them once (RFC 2181
  // §5).
  const wildcard = new Set(textsOf(sentinelAnswer));
  for (const { key } of answered)
    key.isByWildcard =
      wildcard.size > 0 &&
      key.texts.length === wildcard.size &&
      key.texts.every((text) => wildcard.has(text));
  const failures = answered.flatMap(({ key }) => key.report.validation_errors.filter(isFailure));
  // RFC 6376 §6.1.2 warns of wildcards: forty selectors with the same text are one finding, not
  // forty.
  const keys = isDefaultMode
    ? [
        ...answered.filter(({ key }) => !key.isByWildcard).map(({ key }) => key),
        keyOf('*', domain, sentinelAnswer),
      ].filter(({ report }) => report.found)
    : answered.map(({ key }) => key);
  const hasValidKey = keys.some(({ report }) => report.is_valid);
  const isNoneFound = failures.length === 0 && keys.every(({ report }) => !report.found);
  return {
    report: keys.map(({ report }) => report),
    keys,
    isUnverified: failures.length > 0 && !(isDefaultMode && hasValidKey),
    failures,
    isWildcard: wildcard.size > 0,
    isDefaultMode,
    queriedSelectors: answered.map(({ key }) => key.report.selector.toLowerCase()),
    dangling: answered.flatMap(({ answer, key }) => {
      const target = answer.kind === 'found' ? undefined : aliasOf(answer);
      // A wildcard alias makes every selector one.
      if (target === undefined || target === aliasOf(sentinelAnswer)) return [];
      return [{ name: keyName(key.report.selector, domain), target }];
    }),
    unread: isDefaultMode
      ? answered
          .map(({ key }) => key)
          .filter(
            ({ report, texts, isByWildcard }) => !report.found && texts.length > 0 && !isByWildcard,
          )
      : [],
    doubledNames: isNoneFound
      ? await findDoubledNames(domain, [...others, ...first], sentinel, resolver)
      : [],
  };
}

// A panel that adds the domain to a name that ends in it. Two questions tell whether anything is
// below the doubled name; only then some selectors are queried.
async function findDoubledNames(
  domain: string,
  queried: readonly { readonly key: PublishedKey }[],
  sentinel: string,
  resolver: Resolver,
): Promise<string[]> {
  const doubled = `${domain}.${domain}`;
  const parent = await resolver.txt(`_domainkey.${doubled}`);
  // A name that nothing is published at has no TXT record: what answers is a wildcard.
  if (parent.kind !== 'nodata' || parent.alias !== undefined) return [];
  if ((await askKey(sentinel, doubled, resolver)).kind !== 'nxdomain') return [];
  const selectors = queried.map(({ key }) => key.report.selector).slice(0, MAX_DOUBLED);
  const hasKey = async (selector: string) =>
    parseDkimKey(selector, textsOf(await askKey(selector, doubled, resolver))).report.found;
  const hasKeys = await Promise.all(selectors.map(hasKey));
  return selectors.filter((_, i) => hasKeys[i]).map((selector) => keyName(selector, doubled));
}

/** Selectors that are queried below a doubled name: the rest of a check's usual budget. */
const MAX_DOUBLED = 8;

/** The key in the TXT records at a selector's name, each with its strings joined. */
export function parseDkimKey(selector: string, txt: readonly string[]): DkimKey {
  const readable = txt.filter((raw) => raw.length <= MAX_TXT_BYTES).slice(0, MAX_RECORDS);
  const records = readable
    .map((raw) => ({ raw, list: parseTagList(raw) }))
    .filter(({ list }) => isDkimShaped(list));
  const [first, ...more] = records;
  const named = { selector: excerpt(selector) };
  if (txt.length === 0) return noKey(selector, { code: 'selector_not_found', detail: named });
  const hasTooLong = txt.some((raw) => raw.length > MAX_TXT_BYTES);
  const tooLong: Finding = { code: 'record_too_long', detail: { record: 'DKIM', ...named } };
  if (first === undefined)
    return noKey(selector, hasTooLong ? tooLong : { code: 'txt_not_dkim', detail: named });

  const { raw, list } = first;
  const errors: Finding[] = hasTooLong ? [tooLong] : [];
  // RFC 6376 §3.6.2.2: with several records the result is undefined. Verifiers use any one of them,
  // or none.
  if (more.length > 0)
    errors.push({
      code: 'multiple_records',
      detail: { record: 'DKIM', ...named, count: records.length },
    });
  errors.push(...tagListErrors(list), ...versionErrors(list));
  const material = readMaterial(list, raw.length);
  errors.push(...material.errors, ...usageErrors(list));
  const flags = colonList(tagValue(list, 't') ?? '');
  return {
    report: {
      selector,
      found: true,
      raw,
      key_type: material.type,
      key_bits: material.bits,
      is_valid: errors.length === 0,
      validation_errors: limitFindings(errors),
    },
    isTesting: flags.includes('y'),
    isRevoked: tagValue(list, 'p') === '',
    hasMissingPadding: material.hasMissingPadding,
    hasExtraTxt: records.length < readable.length,
  };
}

function noKey(selector: string, error: Finding): DkimKey {
  const absent = { found: false, raw: '', key_type: '', key_bits: 0, is_valid: false } as const;
  return {
    report: { selector, ...absent, validation_errors: [error] },
    isTesting: false,
    isRevoked: false,
    hasMissingPadding: false,
    hasExtraTxt: false,
  };
}

// It has `p=` and no other version, or a version like DKIM1. Verifiers discard `v=dkim1`, but
// `bad_version` tells the owner more than "not found" would.
function isDkimShaped(list: TagList): boolean {
  const version = tagValue(list, 'v');
  if (version === undefined || version === 'DKIM1')
    return version !== undefined || tagValue(list, 'p') !== undefined;
  return list.tags[0]?.name === 'v' && version.toUpperCase().startsWith('DKIM1');
}

/** RFC 6376 §3.6.1: v= is optional; if present it must be the first tag, with the value DKIM1. */
function versionErrors(list: TagList): Finding[] {
  const version = tagValue(list, 'v');
  if (version === undefined) return [];
  if (version !== 'DKIM1')
    return [{ code: 'bad_version', detail: { kind: 'other', version: excerpt(version) } }];
  return list.tags[0]?.name === 'v' ? [] : [{ code: 'bad_version', detail: { kind: 'not first' } }];
}

type Material = {
  type: DkimReport['key_type'];
  bits: number;
  hasMissingPadding: boolean;
  errors: Finding[];
};

function readMaterial(list: TagList, rawLength: number): Material {
  const named = tagValue(list, 'k') ?? 'rsa';
  const type = named === 'rsa' || named === 'ed25519' ? named : '';
  const errors: Finding[] =
    type === '' ? [{ code: 'unknown_key_type', detail: { type: excerpt(named) } }] : [];
  const unread: Material = { type, bits: 0, hasMissingPadding: false, errors };

  const p = tagValue(list, 'p');
  if (p === undefined) errors.push({ code: 'bad_key_data', detail: { kind: 'no p' } });
  // RFC 6376 §3.6.1: an empty p= means that the key was revoked.
  else if (p === '') errors.push({ code: 'key_revoked', detail: {} });
  if (!p || type === '') return unread;

  const decoded = decodeBase64(p);
  const isPem = p.includes('-----');
  // A key that is cut in the middle of four characters is not base64 any more.
  const start =
    decoded?.bytes ?? (/^[A-Za-z0-9+/\s]+$/.test(p) ? Buffer.from(p, 'base64') : new Uint8Array());
  if (type === 'rsa' && isCutOff(start)) {
    const detail = { kind: 'cut off', characters: rawLength } as const;
    return { ...unread, errors: [{ code: 'bad_key_data', detail }] };
  }
  if (decoded === undefined)
    return { ...unread, errors: [{ code: 'bad_base64', detail: isPem ? { isPem } : {} }] };
  const { bytes, hasMissingPadding } = decoded;
  return {
    type,
    hasMissingPadding,
    ...(type === 'rsa' ? measureRsa(bytes) : measureEd25519(bytes)),
  };
}

/** RFC 8301 §3.2: verifiers must not consider signatures of shorter keys valid. */
const MIN_RSA_BITS = 1024;
const ED25519_BYTES = 32;
/** TXT records at one name that are looked at; one is right, two are an error. */
const MAX_RECORDS = 100;

type Measure = Pick<Material, 'bits' | 'errors'>;

function measureRsa(bytes: Uint8Array): Measure {
  const bits = rsaModulusBits(bytes);
  if (bits === undefined) {
    const kind = bytes.length === ED25519_BYTES ? 'Ed25519 key under rsa' : 'not RSA';
    return { bits: 0, errors: [{ code: 'bad_key_data', detail: { kind } }] };
  }
  if (bits >= MIN_RSA_BITS) return { bits, errors: [] };
  return { bits, errors: [{ code: 'key_too_short', detail: { bits, limit: MIN_RSA_BITS } }] };
}

/**
 * RFC 8463 §4.2: the 32 bytes themselves, not wrapped in a SubjectPublicKeyInfo as RSA keys are.
 */
function measureEd25519(bytes: Uint8Array): Measure {
  if (bytes.length === ED25519_BYTES) return { bits: 256, errors: [] };
  return {
    bits: 0,
    errors: [{ code: 'bad_key_data', detail: { kind: 'not Ed25519', bytes: bytes.length } }],
  };
}

/**
 * RFC 6376 §3.6.1 h= and s=, RFC 8301 §3.1: verifiers do not use a key for mail unless it allows
 * sha256 and email.
 */
function usageErrors(list: TagList): Finding[] {
  const hashes = tagValue(list, 'h');
  const services = tagValue(list, 's');
  const errors: Finding[] = [];
  if (hashes !== undefined && !colonList(hashes).includes('sha256'))
    errors.push({ code: 'hash_not_sha256', detail: { hashes: excerpt(hashes) } });
  if (
    services !== undefined &&
    !colonList(services).some((service) => service === '*' || service === 'email')
  )
    errors.push({ code: 'service_not_email', detail: { services: excerpt(services) } });
  return errors;
}

/**
 * RFC 6376 §2.10: white space is allowed anywhere. Verifiers accept missing padding; so do we, with
 * advice.
 */
function decodeBase64(text: string): { bytes: Uint8Array; hasMissingPadding: boolean } | undefined {
  const [, digits, padding] =
    /^([A-Za-z0-9+/]+)(={0,2})$/.exec(text.replace(/[ \t\r\n]/g, '')) ?? [];
  if (digits === undefined || padding === undefined || digits.length % 4 === 1) return undefined;
  const wanted = (4 - (digits.length % 4)) % 4;
  if (padding.length > wanted) return undefined;
  return { bytes: Buffer.from(digits, 'base64'), hasMissingPadding: padding.length < wanted };
}

/** A text that cannot be a selector has no record, and is not asked. */
async function askKey(
  selector: string,
  domain: string,
  resolver: Resolver,
): Promise<Answer<string>> {
  return isSelector(selector) ? resolver.txt(keyName(selector, domain)) : { kind: 'nxdomain' };
}

function keyOf(selector: string, domain: string, answer: Answer<string>): PublishedKey {
  const alias = aliasOf(answer);
  const origin = { alias, isByWildcard: false, texts: textsOf(answer) };
  if (answer.kind === 'failure')
    return { ...noKey(selector, dnsFailure(keyName(selector, domain), 'TXT', answer)), ...origin };
  if (answer.kind !== 'found' && alias !== undefined) {
    const detail = { selector: excerpt(selector), alias };
    return { ...noKey(selector, { code: 'selector_not_found', detail }), ...origin };
  }
  return { ...parseDkimKey(selector, textsOf(answer)), ...origin };
}

function keyName(selector: string, domain: string): string {
  return `${selector.toLowerCase()}._domainkey.${domain}`;
}

function textsOf(answer: Answer<string>): readonly string[] {
  return answer.kind === 'found' ? answer.records : [];
}
