/** Advice on DKIM. A key cannot be proposed, since only the mail server has the other half; a repaired record can. */
import { type PublishedKey, parseDkimKey } from '../dkim/dkim.ts';
import { hasCode } from '../findings/finding.ts';
import { type Findings, MAX_POINTS, type Score, STRONG_RSA_BITS } from '../report/score.ts';
import { parseTagList } from '../tag-list.ts';
import type { Change, Draft } from './advice.ts';
import { looksUnused } from './mail-role.ts';

export function adviseDkim(domain: string, findings: Findings, score: Score): Draft[] {
  const { dkim } = findings;
  const points = MAX_POINTS.dkim - score.dkim;
  const drafts: Draft[] = [];
  if (dkim.isUnverified)
    drafts.push({ code: 'unverified', detail: { part: 'DKIM', errors: dkim.failures }, points: 0, rank: points });
  else if (!looksUnused(findings)) drafts.push(...adviseKeys(domain, findings, points));
  // Without this a report would not tell a selector that was not answered for from one that has no key.
  if (!dkim.isUnverified && dkim.failures.length > 0)
    drafts.push({ code: 'unverified', detail: { part: 'DKIM', errors: dkim.failures, isPartial: true }, points: 0 });
  const valid = dkim.keys.filter(({ report }) => report.is_valid);
  drafts.push(...valid.flatMap((key) => adviseKey(nameOf(key, domain), key)));
  // A wildcard that revokes every key is right for a domain that signs no mail.
  if (dkim.isWildcard && !isRevokedAltogether(findings))
    drafts.push({ code: 'dkim_wildcard', detail: { domain }, points: 0 });
  return drafts;
}

function adviseKeys(domain: string, findings: Findings, points: number): Draft[] {
  const { dkim } = findings;
  const found = dkim.keys.filter(({ report }) => report.found);
  const valid = found.filter(({ report }) => report.is_valid);
  // A key is revoked when another replaces it, and stays so.
  const broken = found.filter(({ report, isRevoked }) => !report.is_valid && !isRevoked);
  const named = (key: PublishedKey) => ({ name: nameOf(key, domain), errors: key.report.validation_errors });
  if (found.length === 0 && dkim.dangling.length > 0)
    return [{ code: 'dkim_dangling', detail: { selectors: dkim.dangling }, points }];
  if (found.length === 0 && dkim.doubledNames.length > 0)
    return [{ code: 'dkim_doubled', detail: { domain, names: dkim.doubledNames }, points }];
  if (found.length === 0)
    return [{ code: 'dkim_publish', detail: { domain, isDefaultMode: dkim.isDefaultMode }, points }];
  const beside = dkim.dangling.map(
    (selector): Draft => ({ code: 'dkim_dangling_beside', detail: selector, points: 0 }),
  );
  if (valid.length === 0 && broken.length === 0) {
    const names = found.map((key) => nameOf(key, domain));
    return [{ code: 'dkim_revoked', detail: { domain, names }, points }, ...beside];
  }
  if (valid.length === 0) {
    // One key is enough for the points.
    const [repair] = broken.slice(0, MAX_REPAIRS).flatMap((key) => repairOf(key, domain));
    return [repair ?? { code: 'dkim_faults', detail: { keys: broken.map(named) }, points }, ...beside];
  }
  const short = valid.filter(isShort).map((key) => ({ name: nameOf(key, domain), bits: key.report.key_bits }));
  const drafts: Draft[] = [];
  if (short.length === valid.length) drafts.push({ code: 'dkim_short', detail: { keys: short }, points });
  else if (short.length > 0) drafts.push({ code: 'dkim_short_beside', detail: { keys: short }, points: 0 });
  for (const key of broken) drafts.push({ code: 'dkim_unusable_beside', detail: named(key), points: 0 });
  if (valid.every(({ report }) => report.key_type === 'ed25519'))
    drafts.push({ code: 'dkim_only_ed25519', detail: {}, points: 0 });
  return [...drafts, ...beside];
}

/** RFC 8301 §3.2: verifiers need not support longer ones. */
const MAX_SUPPORTED_BITS = 4096;

function isShort({ report }: PublishedKey): boolean {
  return report.key_type === 'rsa' && report.key_bits < STRONG_RSA_BITS;
}

function isRevokedAltogether({ dkim }: Findings): boolean {
  return dkim.keys.length > 0 && dkim.keys.every(({ isRevoked }) => isRevoked);
}

function nameOf({ report }: PublishedKey, domain: string): string {
  return `${report.selector}._domainkey.${domain}`;
}

function adviseKey(name: string, key: PublishedKey): Draft[] {
  const drafts: Draft[] = [];
  const { report, isTesting, hasMissingPadding, hasExtraTxt } = key;
  if (isTesting) drafts.push({ code: 'dkim_testing', detail: { name }, points: 0, ...repairChange(name, key) });
  if (report.key_bits > MAX_SUPPORTED_BITS)
    drafts.push({ code: 'dkim_long', detail: { name, bits: report.key_bits }, points: 0 });
  // One record puts both right.
  const padding = isTesting ? {} : repairChange(name, key);
  if (hasMissingPadding) drafts.push({ code: 'dkim_padding', detail: { name }, points: 0, ...padding });
  if (hasExtraTxt) drafts.push({ code: 'dkim_extra_txt', detail: { name }, points: 0 });
  return drafts;
}

/** A record that only the tags around the key make unusable. */
function repairOf(key: PublishedKey, domain: string): Draft[] {
  const name = nameOf(key, domain);
  const { change } = repairChange(name, key);
  if (change === undefined) return [];
  return [{ code: 'dkim_repair', detail: { name, errors: key.report.validation_errors }, points: 0, change }];
}

/**
 * Not for an alias, not for what a wildcard answers, and only if the new record is a valid key. A short key is replaced,
 * not published once more.
 */
function repairChange(name: string, { report, isAlias, isByWildcard }: PublishedKey): { change?: Change } {
  if (isAlias || isByWildcard || report.selector === '*' || report.raw.length > MAX_KEY_BYTES) return {};
  // Another record at the name would stay.
  if (hasCode(report.validation_errors, 'multiple_records', 'record_too_long')) return {};
  const text = repairedKey(report.raw);
  const key = parseDkimKey(report.selector, [text]);
  const repaired = { ...key, isAlias, isByWildcard };
  if (isShort(repaired)) return {};
  const isSame = repaired.report.key_bits === report.key_bits && text !== report.raw;
  if (!repaired.report.is_valid || !isSame) return {};
  return { change: { record: { name: name.toLowerCase(), type: 'TXT', text }, replaces: [report.raw] } };
}

const MAX_KEY_BYTES = 4096;
/** Each is parsed once more. */
const MAX_REPAIRS = 5;

/**
 * The version first and spelled right, the key without blanks and with its padding, no `t=y`, and no `h` or `s` that
 * excludes what verifiers require. Tags that occur again are left out.
 */
function repairedKey(raw: string): string {
  const { tags } = parseTagList(raw);
  const names = new Set(['v']);
  const kept = tags.flatMap(({ name, value, raw: written }) => {
    if (names.has(name)) return [];
    names.add(name);
    if (name === 'p') return [`p=${padded(value.replace(/\s/g, ''))}`];
    if (name === 't') {
      const flags = value.split(':').filter((flag) => flag.trim() !== 'y');
      return flags.length === 0 ? [] : [`t=${flags.join(':')}`];
    }
    if (name === 'h') return /(?:^|:)\s*sha256\s*(?:$|:)/.test(value) ? [written] : [];
    if (name === 's') return /(?:^|:)\s*(?:\*|email)\s*(?:$|:)/.test(value) ? [written] : [];
    return [written];
  });
  return ['v=DKIM1', ...kept].join('; ');
}

function padded(base64: string): string {
  const digits = base64.replace(/=+$/, '');
  return digits + '='.repeat((4 - (digits.length % 4)) % 4);
}
