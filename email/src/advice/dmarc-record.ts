// A new DMARC record made from a present one: every tag that is right stays as written, and each
// edit is listed.
import { type DmarcRecord, POLICY_LEVELS, parseDmarc } from '../dmarc/dmarc.ts';
import { parseReportUris } from '../dmarc/report-uris.ts';
import { repairCharacters } from '../records/pasted-text.ts';
import { parseTagList, type Tag, tagValue } from '../records/tag-list.ts';
import type { DmarcPolicy } from '../report.ts';
import { excerpt } from '../visible-text.ts';
import type { DmarcEdit } from './dmarc-text.ts';

export type DmarcWish = {
  readonly policy: DmarcPolicy;
  readonly inForce: DmarcPolicy | '';
  readonly sendsNoMail?: true;
  /**
   * What names below have now, if it has to stay; `names` are those that need it, if they are
   * known.
   */
  readonly subdomains?:
    | { readonly policy: DmarcPolicy; readonly names: readonly string[] }
    | undefined;
  /** Whether `pct` and `t=y` may go, which makes the policy stricter. */
  readonly isFull: boolean;
  /** Whether names that do not exist get `np=reject`, if they have less than the domain. */
  readonly isNonexistentRefused?: boolean;
  /**
   * The address for reports if there is none, or with `isRuaAdded` beside those that do not work.
   */
  readonly rua?: string | undefined;
  readonly isRuaAdded?: boolean;
  /**
   * For an own record made from an inherited one: what names below had until now. `psd` belongs to
   * the other name.
   */
  readonly below?: {
    readonly subdomains: DmarcPolicy;
    readonly nonexistent: DmarcPolicy;
    readonly isReportingKept: boolean;
  };
};

/** `raw` is a DMARC record or what was meant as one. */
export function rewriteDmarc(raw: string, wish: DmarcWish): { text: string; edits: DmarcEdit[] } {
  const edits: DmarcEdit[] = [];
  const { text: clean, mistakes } = repairCharacters(raw);
  if (mistakes.length > 0) edits.push({ kind: 'characters', mistakes });
  const begun = withVersion(clean);
  if (begun !== clean) edits.push({ kind: 'beginning' });
  const present = begun.replace(GLUED_POLICY, '$1; ').replace(UNSEPARATED, '$1; ');
  if (present !== begun) edits.push({ kind: 'separated tags' });
  const list = parseTagList(present, 'lowered');
  const record = parseDmarc(present);
  const published = excerpt(tagValue(list, 'p') ?? '');
  const { policy: to, inForce, sendsNoMail = false } = wish;
  if (published.toLowerCase() !== to || inForce !== to)
    edits.push({ kind: 'policy', published, inForce, to, sendsNoMail });
  for (const tag of list.duplicates.slice(0, MAX_REPEATED))
    edits.push({ kind: 'repeated', tag: excerpt(tag) });

  const wrongTags = wrongTagsOf(record);
  const tags = ['v=DMARC1', `p=${wish.policy}`];
  const names = new Set(['v', 'p']);
  for (const tag of list.tags) {
    if (names.has(tag.name)) continue;
    names.add(tag.name);
    const kept = keepTag(
      tag,
      wish,
      wrongTags.has(tag.name) || isRepeatedPolicy(tag, list.duplicates),
      edits,
    );
    if (kept !== undefined) tags.push(kept);
  }
  if (wish.below !== undefined) tags.push(...policiesBelow(wish.policy, wish.below));
  if (wish.subdomains !== undefined && wish.subdomains.policy !== wish.policy && !names.has('sp')) {
    edits.push({ kind: 'subdomains kept', ...wish.subdomains });
    tags.push(`sp=${wish.subdomains.policy}`);
  } else if (
    wish.below === undefined &&
    !names.has('sp') &&
    inForce !== '' &&
    (inForce !== to || edits.some(({ kind }) => kind === 'full'))
  )
    edits.push({ kind: 'subdomains too' });
  const isNonexistentOpen =
    record.standing === 'as published' &&
    POLICY_LEVELS[record.nonexistentPolicy || 'none'] < POLICY_LEVELS[to];
  if (wish.isNonexistentRefused === true && isNonexistentOpen && !names.has('np')) {
    edits.push({ kind: 'nonexistent' });
    tags.push('np=reject');
  }
  const strays = wish.below?.isReportingKept === false ? [] : strayAddresses(list.malformed, edits);
  if (strays.length > 0) addReports(tags, strays);
  else if (
    wish.rua !== undefined &&
    (wish.isRuaAdded === true || !tags.some(isRua)) &&
    !hasAddress(tags, wish.rua)
  ) {
    edits.push({ kind: 'rua added', isBeside: tags.some(isRua) });
    addReports(tags, [wish.rua]);
  }
  return { text: tags.join('; '), edits };
}

function wrongTagsOf({ errors }: DmarcRecord): Set<string> {
  const names = new Set<string>();
  for (const { code, detail } of errors)
    if (code === 'bad_tag_value' || code === 'bad_subdomain_policy') names.add(detail.tag);
  return names;
}

function isRua(tag: string): boolean {
  return /^rua[ \t]*=/i.test(tag);
}

function hasAddress(tags: readonly string[], uri: string): boolean {
  return tags.some((tag) => isRua(tag) && tag.toLowerCase().includes(uri.toLowerCase()));
}

function addReports(tags: string[], uris: readonly string[]): void {
  const at = tags.findIndex(isRua);
  if (at < 0) tags.push(`rua=${uris.join(',')}`);
  else tags[at] = `${tags[at]},${uris.join(',')}`;
}

/**
 * Addresses after a semicolon where a comma belongs: `rua=mailto:a@b.example; mailto:c@d.example`.
 */
function strayAddresses(malformed: readonly string[], edits: DmarcEdit[]): string[] {
  const uris: string[] = [];
  for (const text of malformed.slice(0, MAX_ADDRESSES)) {
    if (text === '') continue;
    const uri = repairAddress(text);
    const from = excerpt(text);
    if (uri === undefined) edits.push({ kind: 'dropped', tag: from, why: 'wrong' });
    else {
      uris.push(uri);
      edits.push(
        uri === text
          ? { kind: 'separated addresses', tag: 'rua' }
          : { kind: 'repaired address', tag: 'rua', from, to: uri },
      );
    }
  }
  return uris;
}

const MAX_REPEATED = 10;
const HISTORIC = ['pct', 'rf', 'ri'];
/** What needs an escape in a zone file, and stands in no tag on purpose. */
const ODD = /["\\]|[^\x20-\x7e]/;

/** Which of a repeated `sp` or `np` holds is not known; other tags stay as they are first. */
function isRepeatedPolicy({ name }: Tag, duplicates: readonly string[]): boolean {
  return (name === 'sp' || name === 'np') && duplicates.includes(name);
}

function keepTag(
  { name, value, raw }: Tag,
  wish: DmarcWish,
  isWrong: boolean,
  edits: DmarcEdit[],
): string | undefined {
  if (wish.below !== undefined && (name === 'sp' || name === 'np' || name === 'psd'))
    return undefined;
  if ((name === 'rua' || name === 'ruf') && wish.below?.isReportingKept === false) return undefined;
  const isPartial =
    (name === 'pct' && Number(value) < 100) || (name === 't' && value.toLowerCase() === 'y');
  if (isPartial && !isWrong) {
    if (!wish.isFull) return raw;
    edits.push({ kind: wish.policy === 'none' ? 'idle' : 'full', tag: excerpt(raw) });
    return undefined;
  }
  const options = name === 'fo' && isWrong ? repairedOptions(value) : '';
  if (options !== '') {
    edits.push({ kind: 'repaired options', from: excerpt(value), to: options });
    return `fo=${options}`;
  }
  if (isWrong || ODD.test(raw) || HISTORIC.includes(name)) {
    edits.push({
      kind: 'dropped',
      tag: excerpt(raw),
      why: HISTORIC.includes(name) && !isWrong ? 'historic' : 'wrong',
    });
    return undefined;
  }
  return name === 'rua' || name === 'ruf' ? keepAddresses(name, value, raw, edits) : raw;
}

/** RFC 9989 §4.8: 0 and 1 exclude each other; 1 asks for more reports, so it is what was meant. */
function repairedOptions(value: string): string {
  const options = new Set(value.toLowerCase().match(/[01ds]/g));
  if (options.has('1')) options.delete('0');
  return /^[01ds:,;\s]*$/i.test(value) ? [...options].join(':') : '';
}

/** `sp` and `np` only where they say something else than what is used without them. */
function policiesBelow(
  policy: DmarcPolicy,
  { subdomains, nonexistent }: NonNullable<DmarcWish['below']>,
): string[] {
  return [
    ...(subdomains === policy ? [] : [`sp=${subdomains}`]),
    ...(nonexistent === subdomains ? [] : [`np=${nonexistent}`]),
  ];
}

function keepAddresses(
  tag: string,
  value: string,
  raw: string,
  edits: DmarcEdit[],
): string | undefined {
  if (parseReportUris(value).bad.length === 0) return raw;
  const uris: string[] = [];
  for (const item of value.split(/[\s,;]+/).slice(0, MAX_ADDRESSES)) {
    if (item === '') continue;
    const uri = repairAddress(item);
    if (uri === undefined) edits.push({ kind: 'dropped address', tag, item: excerpt(item) });
    else {
      uris.push(uri);
      if (uri !== item) edits.push({ kind: 'repaired address', tag, from: excerpt(item), to: uri });
    }
  }
  if (/[^\s,]\s+[^\s,]/.test(value)) edits.push({ kind: 'separated addresses', tag });
  return uris.length === 0 ? undefined : `${tag}=${uris.join(',')}`;
}

const MAX_ADDRESSES = 100;

/**
 * `a@b.example`, `mailto://a@b.example`, `mailto:<a@b.example>` and the like; undefined if it is
 * not an address.
 */
function repairAddress(item: string): string | undefined {
  if (isReportUri(item)) return item;
  const address = item.replace(/^mailto:?\/*/i, '').replace(/^[<"']+|(?<![>"'.])[>"'.]+$/g, '');
  const uri = `mailto:${address.replaceAll('!', '%21')}`;
  return address.includes('@') && isReportUri(uri) ? uri : undefined;
}

function isReportUri(text: string): boolean {
  return parseReportUris(text).uris.length === 1;
}

/** A lookalike with its beginning put right, and semicolons where there were blanks or commas. */
function withVersion(raw: string): string {
  if (/^[vV][ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/.test(raw)) return raw;
  // At the end also the bytes of a typographic quotation mark.
  const rest = raw
    .replace(/^\W{0,9}v[ \t]*=[ \t]*dmarc\d*[\s;,]*/i, '')
    .replace(/(?<!["'\s\x80-\xff])["'\s\x80-\xff]+$/, '');
  return `v=DMARC1; ${rest.replace(TAG_AFTER_BLANK, '; ')}`;
}

/** Strings that were joined without the semicolon between them: `p=rejectrua=mailto:…`. */
const GLUED_POLICY =
  /(p[ \t]*=[ \t]*(?:none|quarantine|reject))(?=(?:sp|np|rua|ruf|adkim|aspf|fo|pct|ri|rf)[ \t]*=)/i;
/** A blank where the semicolon belongs: `p=none rua=mailto:…`. */
const UNSEPARATED =
  /([^;\s,])[ \t,]+(?=(?:p|sp|np|rua|ruf|adkim|aspf|fo|pct|ri|rf|psd|t)[ \t]*=)/gi;
const TAG_AFTER_BLANK = /[;,\s]+(?=(?:p|sp|np|rua|ruf|adkim|aspf|fo|pct|ri|rf|psd|t)[ \t]*=)/gi;
