/**
 * Advice on DKIM. A key cannot be proposed, since only the mail server has the other half; a
 * repaired record can.
 */
import { type PublishedKey, parseDkimKey } from '../dkim/dkim.ts';
import type { Answer } from '../dns/answer.ts';
import { isKeyOf, type Provider, providerOf, providerOfKey } from '../providers.ts';
import { looksUnused } from '../readiness/mail-role.ts';
import { namedServices } from '../readiness/readiness.ts';
import { type PastedMistake, repairCharacters } from '../records/pasted-text.ts';
import { parseTagList } from '../records/tag-list.ts';
import { MAX_POINTS } from '../report.ts';
import { type Findings, type Score, STRONG_RSA_BITS } from '../score/score.ts';
import { type Change, type Draft, txtChange } from './advice.ts';

export function adviseDkim(
  domain: string,
  findings: Findings,
  score: Score,
  apex: Answer<string>,
): Draft[] {
  const { dkim } = findings;
  const points = MAX_POINTS.dkim - score.dkim;
  const drafts: Draft[] = [];
  if (dkim.isUnverified)
    drafts.push({
      code: 'unverified',
      detail: { part: 'DKIM', errors: dkim.failures },
      rank: points,
    });
  else if (!looksUnused(findings)) drafts.push(...adviseKeys(domain, findings, points));
  // Without this a report would not tell a selector that was not answered for from one that has no
  // key.
  if (!dkim.isUnverified && dkim.failures.length > 0)
    drafts.push({
      code: 'unverified',
      detail: { part: 'DKIM', errors: dkim.failures, isPartial: true },
    });
  const valid = dkim.keys.filter(({ report }) => report.is_valid);
  drafts.push(...valid.flatMap((key) => adviseKey(nameOf(key, domain), key)));
  if (apex.kind === 'found' && apex.records.some((text) => APEX_KEY.test(text)))
    drafts.push({ code: 'dkim_at_apex', detail: { domain } });
  // A wildcard that revokes every key is right for a domain that signs no mail.
  const isRevokedAltogether = dkim.keys.length > 0 && dkim.keys.every(({ isRevoked }) => isRevoked);
  if (dkim.isWildcard && !isRevokedAltogether)
    drafts.push({ code: 'dkim_wildcard', detail: { domain } });
  return drafts;
}

/** What was meant as a key, at the domain itself. */
const APEX_KEY = /^\W{0,9}v\s*=\s*DKIM1\b|^\W{0,9}k\s*=\s*(?:rsa|ed25519)\s*;/i;

function adviseKeys(domain: string, findings: Findings, points: number): Draft[] {
  const { dkim } = findings;
  const published = dkim.keys.filter(({ report }) => report.found);
  const valid = published.filter(({ report }) => report.is_valid);
  // A key is revoked when another replaces it, and stays so.
  const broken = published.filter(({ report, isRevoked }) => !report.is_valid && !isRevoked);
  const named = (key: PublishedKey) => ({
    name: nameOf(key, domain),
    errors: key.report.validation_errors,
  });
  if (published.length === 0 && dkim.dangling.length > 0)
    return [
      {
        code: 'dkim_dangling',
        detail: { selectors: dkim.dangling, places: placesOf(findings) },
        points,
      },
    ];
  const [unread] = dkim.unread.slice(0, MAX_REPAIRS).flatMap((key) => repairOf(key, domain));
  if (published.length === 0 && unread !== undefined) return [unread];
  if (published.length === 0 && dkim.doubledNames.length > 0)
    return [{ code: 'dkim_doubled', detail: { domain, names: dkim.doubledNames }, points }];
  if (published.length === 0)
    return [
      {
        code: 'dkim_publish',
        detail: { domain, isDefaultMode: dkim.isDefaultMode, places: placesOf(findings) },
        points,
      },
    ];
  const beside = dkim.dangling
    .filter(({ target }) => !isBeforeRotation(target, valid))
    .map(({ name, target }): Draft => {
      const { name: provider = '', setup = '' } = providerOfKey(target) ?? {};
      return { code: 'dkim_dangling_beside', detail: { name, target, provider, setup } };
    });
  if (valid.length === 0 && broken.length === 0) {
    const names = published.map((key) => nameOf(key, domain));
    return [
      { code: 'dkim_revoked', detail: { domain, names, places: placesOf(findings) }, points },
      ...beside,
    ];
  }
  if (valid.length === 0) {
    // One key is enough for the points.
    const [repair] = broken.slice(0, MAX_REPAIRS).flatMap((key) => repairOf(key, domain));
    return [
      repair ?? { code: 'dkim_faults', detail: { keys: broken.map(named) }, points },
      ...beside,
    ];
  }
  const short = valid
    .filter(isShort)
    .map((key) => ({ name: nameOf(key, domain), bits: key.report.key_bits }));
  const drafts: Draft[] = [];
  if (short.length === valid.length)
    drafts.push({ code: 'dkim_short', detail: { keys: short }, points });
  else if (short.length > 0) drafts.push({ code: 'dkim_short_beside', detail: { keys: short } });
  for (const key of broken) drafts.push({ code: 'dkim_unusable_beside', detail: named(key) });
  if (valid.every(({ report }) => report.key_type === 'ed25519'))
    drafts.push({ code: 'dkim_only_ed25519', detail: {} });
  return [...drafts, ...beside];
}

/**
 * The providers of the domain by its aliases, MX hosts and SPF terms, where it is known how DKIM is
 * switched on there.
 */
function placesOf({ mx, spf, dkim }: Findings): Provider[] {
  const hosts = mx.report.records.map(providerOf);
  const seen = [
    ...dkim.dangling.map(({ target }) => providerOfKey(target)),
    ...hosts,
    ...namedServices(spf.tree),
  ];
  const documented = seen.filter(
    (provider) => provider !== undefined && provider.setup !== '',
  ) as Provider[];
  return [...new Set(documented)].slice(0, MAX_PLACES);
}

const MAX_PLACES = 2;

/** The alias waits for the key that replaces the present one. */
function isBeforeRotation(target: string, valid: readonly PublishedKey[]): boolean {
  const provider = providerOfKey(target);
  if (provider?.selectorKind !== 'rotating') return false;
  return valid.some(({ report, alias }) => isKeyOf(provider, report.selector, alias));
}

/** RFC 8301 §3.2: verifiers need not support longer ones. */
const MAX_SUPPORTED_BITS = 4096;

function isShort({ report }: PublishedKey): boolean {
  return report.key_type === 'rsa' && report.key_bits < STRONG_RSA_BITS;
}

function nameOf({ report }: PublishedKey, domain: string): string {
  return `${report.selector}._domainkey.${domain}`;
}

function adviseKey(name: string, key: PublishedKey): Draft[] {
  const drafts: Draft[] = [];
  const { report, isTesting, hasMissingPadding, hasExtraTxt } = key;
  const { change } = repairChange(name, key);
  if (isTesting) drafts.push({ code: 'dkim_testing', detail: { name }, change });
  if (report.key_bits > MAX_SUPPORTED_BITS)
    drafts.push({ code: 'dkim_long', detail: { name, bits: report.key_bits } });
  // One record puts both right.
  if (hasMissingPadding)
    drafts.push({ code: 'dkim_padding', detail: { name }, change: isTesting ? undefined : change });
  if (hasExtraTxt) drafts.push({ code: 'dkim_extra_txt', detail: { name } });
  return drafts;
}

/** A record that only the tags around the key, or the way it was pasted, make unusable. */
function repairOf(key: PublishedKey, domain: string): Draft[] {
  const name = nameOf(key, domain);
  const { change, mistakes } = repairChange(name, key);
  if (change === undefined) return [];
  const detail = { name, errors: key.report.validation_errors, mistakes };
  return [{ code: 'dkim_repair', detail, change }];
}

type KeyRepair = { readonly change?: Change; readonly mistakes: readonly PastedMistake[] };

// Not for an alias or a wildcard, and only if the new record is a valid key. A short key is
// replaced, not published again.
function repairChange(
  name: string,
  { report, alias, isByWildcard, texts }: PublishedKey,
): KeyRepair {
  const none: KeyRepair = { mistakes: [] };
  if (alias !== undefined || isByWildcard || report.selector === '*') return none;
  for (const { text: raw, mistakes: before } of keyTexts(report.raw, texts)) {
    if (raw.length > MAX_KEY_BYTES) continue;
    const { text: clean, mistakes } = repairCharacters(raw);
    for (const { text, mistake } of repairedKeys(clean)) {
      const repaired = {
        ...parseDkimKey(report.selector, [text]),
        alias,
        isByWildcard,
        texts: [text],
      };
      const { is_valid, key_bits } = repaired.report;
      const isSame = report.key_bits === 0 || report.key_bits === key_bits;
      if (!is_valid || isShort(repaired) || !isSame || (text === report.raw && texts.length === 1))
        continue;
      const replaces = before.length > 0 ? texts : [raw];
      return {
        change: txtChange(name.toLowerCase(), text, replaces),
        mistakes: [...before, ...mistakes, ...mistake],
      };
    }
  }
  return none;
}

/** The record, or two that belong together: one has the beginning, the other the rest. */
function keyTexts(
  raw: string,
  texts: readonly string[],
): { text: string; mistakes: PastedMistake[] }[] {
  if (texts.length === 1) return texts.map((text) => ({ text, mistakes: [] }));
  const isBeginning = (text: string) => /^\W{0,9}[vkp]\s*=/i.test(text);
  const [first = '', second = ''] = [...texts].sort(
    (a, b) => Number(isBeginning(b)) - Number(isBeginning(a)),
  );
  if (texts.length !== 2 || isBeginning(second)) return [];
  return raw === '' || raw === first
    ? [{ text: first + second, mistakes: ['two records that are one'] }]
    : [];
}

const MAX_KEY_BYTES = 4096;
/** Each is parsed once more. */
const MAX_REPAIRS = 5;

// The record as verifiers require it, without repeated tags and `t=y`. Blanks in a key may have
// been plus signs, which a web form has taken for blanks.
function repairedKeys(raw: string): { text: string; mistake: PastedMistake[] }[] {
  const lowered = raw.replace(
    /(^|;)(\s*)([A-Z]+)(\s*=)/g,
    (_, start, blank, name: string, equals) => `${start}${blank}${name.toLowerCase()}${equals}`,
  );
  const upper: PastedMistake[] = /(?:^|;)\s*[A-Z]+\s*=/.test(raw) ? ['tags in upper case'] : [];
  const plain = { text: repairedKey(lowered, ''), mistake: upper };
  const withPlus = repairedKey(lowered, '+');
  return withPlus === plain.text
    ? [plain]
    : [plain, { text: withPlus, mistake: [...upper, 'blanks for plus signs'] }];
}

function repairedKey(raw: string, blank: '' | '+'): string {
  const { tags } = parseTagList(raw);
  const names = new Set(['v']);
  const kept = tags.flatMap(({ name, value, raw: written }) => {
    if (names.has(name)) return [];
    names.add(name);
    if (name === 'p') return [`p=${padded(value.replace(/\s/g, blank))}`];
    if (name === 'k') return [`k=${value.toLowerCase()}`];
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
  const digits = base64.replace(/(?<!=)=+$/, '');
  return digits + '='.repeat((4 - (digits.length % 4)) % 4);
}
