/**
 * DKIM keys (RFC 6376 §3.6, RFC 8301, RFC 8463): what the TXT records of a selector amount to, and which selectors of a domain have any.
 *
 * A key of another length, another hash or another service is still found; `is_valid` says that no verifier will use it.
 */
import { rsaModulusBits } from './der.ts';
import type { Answer, Resolver } from './dns.ts';
import type { DkimReport } from './report.ts';
import { defaultSelectors, isSelector, tidySelectors } from './selectors.ts';
import { colonList, parseTagList, quote, type TagList, tagListErrors, tagValue } from './tag-list.ts';

export type DkimKey = {
  report: DkimReport;
  /** `t=y`: verifiers are asked to treat signed mail as unsigned. */
  isTesting: boolean;
  /** `t=s`: the signing identity may not be in a subdomain. */
  isStrictIdentity: boolean;
  isRevoked: boolean;
  hasMissingPadding: boolean;
  /** Text at the same name that has nothing to do with DKIM. */
  hasExtraTxt: boolean;
};

export type DkimFindings = {
  report: DkimReport[];
  /** The keys behind the report, in the same order. */
  keys: DkimKey[];
  /** Default mode: something failed and nothing valid was found. Explicit mode: anything failed. */
  isUnverified: boolean;
  /** Selectors whose question failed. */
  failures: number;
  isWildcard: boolean;
  isDefaultMode: boolean;
};

/** Asks for all selectors at once. `sentinel` is a random name nobody publishes: what answers to it, answers to everything. */
export async function checkDkim(
  domain: string,
  requested: readonly string[] | undefined,
  resolver: Resolver,
  sentinel: string,
): Promise<DkimFindings> {
  const named = tidySelectors(requested ?? []);
  const isDefaultMode = named.length === 0;
  const ask = async (selector: string) => ({ selector, answer: await askKey(selector, domain, resolver) });
  const [{ answer: sentinelAnswer }, answered] = await Promise.all([
    ask(sentinel),
    Promise.all((isDefaultMode ? defaultSelectors(domain) : named).map(ask)),
  ]);

  const wildcard = textsOf(sentinelAnswer);
  const failures = answered.filter(({ answer }) => answer.kind === 'failure').length;
  const readKey = ({ selector, answer }: (typeof answered)[number]) => keyOf(selector, domain, answer);
  // RFC 6376 §6.1.2 warns of wildcards: forty selectors that all give the same text are one finding, not forty.
  const keys = isDefaultMode
    ? [
        ...answered.filter(({ answer }) => !isSynthesised(answer, wildcard)).map(readKey),
        parseDkimKey('*', wildcard),
      ].filter(({ report }) => report.found)
    : answered.map(readKey);
  const hasValidKey = keys.some(({ report }) => report.is_valid);
  return {
    report: keys.map(({ report }) => report),
    keys,
    isUnverified: failures > 0 && !(isDefaultMode && hasValidKey),
    failures,
    isWildcard: wildcard.length > 0,
    isDefaultMode,
  };
}

/** What the TXT records at a selector's name say, each with its strings joined. */
export function parseDkimKey(selector: string, txt: readonly string[]): DkimKey {
  const records = txt.map((raw) => ({ raw, list: parseTagList(raw) })).filter(({ list }) => isDkimShaped(list));
  const [first, ...more] = records;
  if (txt.length === 0)
    return noKey(selector, `selector_not_found: there is no TXT record for selector ${quote(selector)}`);
  if (first === undefined)
    return noKey(selector, `txt_not_dkim: the TXT record for selector ${quote(selector)} is not a DKIM key`);

  const { raw, list } = first;
  const errors: string[] = [];
  // RFC 6376 §3.6.2.2: with several records the result is undefined. Verifiers take any one of them, or give up.
  if (more.length > 0)
    errors.push(`multiple_records: selector ${quote(selector)} has ${records.length} DKIM records, not one`);
  errors.push(...tagListErrors(list), ...versionErrors(list));
  const material = readMaterial(list);
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
      validation_errors: errors,
    },
    isTesting: flags.includes('y'),
    isStrictIdentity: flags.includes('s'),
    isRevoked: tagValue(list, 'p') === '',
    hasMissingPadding: material.hasMissingPadding,
    hasExtraTxt: records.length < txt.length,
  };
}

function noKey(selector: string, error: string): DkimKey {
  return {
    report: {
      selector,
      found: false,
      raw: '',
      key_type: '',
      key_bits: 0,
      is_valid: false,
      validation_errors: [error],
    },
    isTesting: false,
    isStrictIdentity: false,
    isRevoked: false,
    hasMissingPadding: false,
    hasExtraTxt: false,
  };
}

/**
 * A key, or something meant to be one: with `p=` and no foreign version, or with a version that begins like ours. `v=dkim1` counts:
 * verifiers discard it, but its owner is helped by `bad_version`, not by being told that nothing is there.
 */
function isDkimShaped(list: TagList): boolean {
  const version = tagValue(list, 'v');
  if (version === undefined || version === 'DKIM1') return version !== undefined || tagValue(list, 'p') !== undefined;
  return list.tags[0]?.name === 'v' && version.toUpperCase().startsWith('DKIM1');
}

/** RFC 6376 §3.6.1: v= need not be there; if it is, it is the first tag and says DKIM1, or the record is discarded. */
function versionErrors(list: TagList): string[] {
  const version = tagValue(list, 'v');
  if (version === undefined) return [];
  if (version !== 'DKIM1') return [`bad_version: v=${version.slice(0, 40)} is not v=DKIM1`];
  return list.tags[0]?.name === 'v' ? [] : ['bad_version: v=DKIM1 is not the first tag'];
}

type Material = { type: DkimReport['key_type']; bits: number; hasMissingPadding: boolean; errors: string[] };

function readMaterial(list: TagList): Material {
  const named = tagValue(list, 'k') ?? 'rsa';
  const type = named === 'rsa' || named === 'ed25519' ? named : '';
  const errors = type === '' ? [`unknown_key_type: k=${named.slice(0, 40)} is neither rsa nor ed25519`] : [];
  const unread: Material = { type, bits: 0, hasMissingPadding: false, errors };

  const p = tagValue(list, 'p');
  if (p === undefined) errors.push('bad_key_data: the record has no p= tag');
  // RFC 6376 §3.6.1: an empty p= means that the key was revoked.
  else if (p === '') errors.push('key_revoked: p= is empty');
  if (!p || type === '') return unread;

  const decoded = decodeBase64(p);
  if (decoded === undefined) return { ...unread, errors: ['bad_base64: the value of p= is not base64'] };
  const { bytes, hasMissingPadding } = decoded;
  return { type, hasMissingPadding, ...(type === 'rsa' ? measureRsa(bytes) : measureEd25519(bytes)) };
}

type Measure = Pick<Material, 'bits' | 'errors'>;

function measureRsa(bytes: Uint8Array): Measure {
  const bits = rsaModulusBits(bytes);
  if (bits === undefined) {
    const what = bytes.length === 32 ? 'has 32 bytes like an Ed25519 key, but k= says rsa' : 'is not an RSA public key';
    return { bits: 0, errors: [`bad_key_data: the value of p= ${what}`] };
  }
  // RFC 8301 §3.2: verifiers must not take signatures of shorter keys for valid.
  const errors = bits < 1024 ? [`key_too_short: the RSA key in p= has ${bits} bits, verifiers want at least 1024`] : [];
  return { bits, errors };
}

/** RFC 8463 §4.2: the 32 bytes themselves, not wrapped in a SubjectPublicKeyInfo as an RSA key is. */
function measureEd25519(bytes: Uint8Array): Measure {
  if (bytes.length === 32) return { bits: 256, errors: [] };
  return { bits: 0, errors: [`bad_key_data: an Ed25519 key has 32 bytes, the value of p= has ${bytes.length}`] };
}

/** RFC 6376 §3.6.1 h= and s=: with neither sha256 (RFC 8301 §3.1) nor mail among what the key is for, nobody will use it on mail. */
function usageErrors(list: TagList): string[] {
  const hashes = tagValue(list, 'h');
  const services = tagValue(list, 's');
  const errors: string[] = [];
  if (hashes !== undefined && !colonList(hashes).includes('sha256'))
    errors.push(`hash_not_sha256: h=${hashes.slice(0, 40)} does not allow sha256`);
  if (services !== undefined && !colonList(services).some((service) => service === '*' || service === 'email'))
    errors.push(`service_not_email: s=${services.slice(0, 40)} allows neither email nor *`);
  return errors;
}

/** White space anywhere is legal (RFC 6376 §2.10). Verifiers do without the padding at the end, so we do, and say so. */
function decodeBase64(text: string): { bytes: Uint8Array; hasMissingPadding: boolean } | undefined {
  const [, digits, padding] = /^([A-Za-z0-9+/]+)(={0,2})$/.exec(text.replace(/[ \t\r\n]/g, '')) ?? [];
  if (digits === undefined || padding === undefined || digits.length % 4 === 1) return undefined;
  const wanted = (4 - (digits.length % 4)) % 4;
  if (padding.length > wanted) return undefined;
  return { bytes: Buffer.from(digits, 'base64'), hasMissingPadding: padding.length < wanted };
}

/** What cannot be a selector is not there; nobody need be asked. */
async function askKey(selector: string, domain: string, resolver: Resolver): Promise<Answer<string>> {
  return isSelector(selector) ? resolver.txt(keyName(selector, domain)) : { kind: 'nxdomain' };
}

function keyOf(selector: string, domain: string, answer: Answer<string>): DkimKey {
  if (answer.kind === 'failure')
    return noKey(selector, `dns_temporary_failure: ${keyName(selector, domain)} TXT ${answer.reason}`);
  return parseDkimKey(selector, textsOf(answer));
}

function keyName(selector: string, domain: string): string {
  return `${selector.toLowerCase()}._domainkey.${domain}`;
}

function textsOf(answer: Answer<string>): readonly string[] {
  return answer.kind === 'found' ? answer.records : [];
}

/** Servers give the records of a name in any order. */
function isSynthesised(answer: Answer<string>, wildcard: readonly string[]): boolean {
  const texts = textsOf(answer);
  return wildcard.length > 0 && JSON.stringify([...texts].sort()) === JSON.stringify([...wildcard].sort());
}
