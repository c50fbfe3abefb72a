/** Lists of addresses that are one JSON document, or JSON in a page, as providers publish them. */
import type { Content } from '../../../io/content.ts';
import { parsePrefix } from '../../../prefix.ts';
import type { PrefixList } from '../../parsed.ts';
import { dayOfText } from '../feed-day.ts';
import { jsonDocument, listMember, member, requiredList, textMember } from '../json-value.ts';
import { PrefixListBuilder } from '../prefix-list.ts';

/** Adds what the document says to the list. Returns the text that has its date, if there is one. */
type ReadDocument = (
  document: unknown,
  list: PrefixListBuilder,
  what: string,
) => string | undefined;

const jsonFormat =
  (what: string, readDocument: ReadDocument) =>
  (content: Content): PrefixList => {
    const list = new PrefixListBuilder();
    const dated = readDocument(jsonDocument(content, what), list, what);
    return list.finish(dayOfText(dated ?? ''));
  };

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * AWS `ip-ranges.json`. A zone (`network_border_group`) may be in another country than its region.
 */
export const parseAwsJson = jsonFormat('an AWS ip-ranges file', (document, list, what) => {
  for (const [listName, prefixName] of [
    ['prefixes', 'ip_prefix'],
    ['ipv6_prefixes', 'ipv6_prefix'],
  ] as const)
    for (const entry of requiredList(document, listName, what))
      list.add(textMember(entry, prefixName), awsPlace(entry));
  return textMember(document, 'createDate');
});

function awsPlace(entry: unknown): string {
  const region = textMember(entry, 'region');
  const zone = textMember(entry, 'network_border_group');
  if (region === 'GLOBAL') return '';
  return zone.startsWith(`${region}-`) ? zone : region;
}

/**
 * Azure's service tags: `AzureCloud.<region>`, whose label is the region, and `AzureCloud`. Others
 * are subsets.
 */
export const parseAzureTags = jsonFormat('an Azure service tags file', (document, list, what) => {
  const tags = requiredList(document, 'values', what).filter(
    (tag) => azureRegion(tag) !== undefined,
  );
  if (tags.length === 0) throw new Error(`not ${what}: no tag "${AZURE}"`);
  const inRegions = new Set<unknown>();
  for (const tag of tags.sort(regionsFirst)) {
    const region = azureRegion(tag) ?? '';
    const prefixes = listMember(member(tag, 'properties'), 'addressPrefixes');
    if (prefixes === undefined) list.skip();
    for (const prefix of prefixes ?? []) {
      if (region !== '') inRegions.add(prefix);
      else if (inRegions.has(prefix)) continue;
      list.add(textOf(prefix), region);
    }
  }
  return undefined;
});

const AZURE = 'AzureCloud';

/** Empty for all of Azure, undefined for tags that are not used. */
function azureRegion(tag: unknown): string | undefined {
  const name = textMember(tag, 'name');
  if (name === AZURE) return '';
  return name.startsWith(`${AZURE}.`) ? name.slice(AZURE.length + 1) : undefined;
}

function regionsFirst(a: unknown, b: unknown): number {
  return Number(azureRegion(a) === '') - Number(azureRegion(b) === '');
}

/** Fastly's public list: `{"addresses":["192.0.2.0/24"],"ipv6_addresses":["2001:db8::/32"]}`. */
export const parseFastlyJson = jsonFormat("Fastly's list of addresses", (document, list, what) => {
  for (const key of ['addresses', 'ipv6_addresses'])
    for (const prefix of requiredList(document, key, what)) list.add(textOf(prefix));
  return undefined;
});

// GitHub's `/meta`: lists from which GitHub itself answers or calls. Those that run programs of
// customers (`actions`,
// `codespaces`) are ranges of clouds, whose own lists are more exact.
export const parseGithubMeta = jsonFormat("GitHub's meta document", (document, list, what) => {
  const lists = GITHUB_LISTS.map((key) => listMember(document, key)).filter(
    (prefix) => prefix !== undefined,
  );
  if (lists.length === 0)
    throw new Error(`not ${what}: none of the lists ${GITHUB_LISTS.join(', ')}`);
  for (const prefix of lists.flat()) list.add(textOf(prefix));
  return undefined;
});

const GITHUB_LISTS = [
  'hooks',
  'web',
  'api',
  'git',
  'packages',
  'pages',
  'importer',
  'github_enterprise_importer',
  'dependabot',
  'copilot',
];

/**
 * Google's format, also of crawlers: `{"creationTime":…,"prefixes":[{"ipv4Prefix":…,"scope":…}]}`;
 * label: `scope`.
 */
export const parseGoogleJson = jsonFormat(
  "a list of prefixes in Google's format",
  (document, list, what) => {
    for (const entry of requiredList(document, 'prefixes', what)) {
      const prefixes = ['ipv4Prefix', 'ipv6Prefix']
        .map((name) => textMember(entry, name))
        .filter((text) => text !== '');
      if (prefixes.length === 0) list.skip();
      for (const prefix of prefixes) list.add(prefix, textMember(entry, 'scope'));
    }
    return textMember(document, 'creationTime');
  },
);

/** Oracle Cloud's `public_ip_ranges.json`: prefixes by region, which is the label. */
export const parseOciJson = jsonFormat("Oracle's public_ip_ranges file", (document, list, what) => {
  for (const region of requiredList(document, 'regions', what)) {
    const prefixes = listMember(region, 'cidrs');
    if (prefixes === undefined) list.skip();
    for (const prefix of prefixes ?? [])
      list.add(textMember(prefix, 'cidr'), textMember(region, 'region'));
  }
  return textMember(document, 'last_updated_timestamp');
});

/**
 * Every address in a JSON document: VPN services have many structures. PIA's is one line, then a
 * signature.
 */
export function parseJsonAddresses(content: Content): PrefixList {
  return parseServerList({ ...content, text: () => withoutSignature(content.text()) });
}

const parseServerList = jsonFormat('a list of servers', (document, list, what) => {
  if (typeof document !== 'object' || document === null)
    throw new Error(`not ${what}: neither a list nor an object`);
  // A list that grows during the loop, instead of recursion: JSON may be nested deeper than the
  // call stack allows.
  const values: unknown[] = [document];
  for (const value of values) {
    if (typeof value === 'string') {
      if (parsePrefix(value) !== undefined) list.add(value);
    } else if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) values.push(inner);
    }
  }
  return undefined;
});

function withoutSignature(text: string): string {
  const end = text.indexOf('\n');
  return end > 0 && /^[A-Za-z0-9+/=\s]*$/.test(text.slice(end)) ? text.slice(0, end) : text;
}

// HTML pages with a list that is not published otherwise (Amazon's crawlers): JSON as text
// (`&quot;`), JSON in a script (`\"`), or a table. To exclude version numbers and the like, only
// these count: a quoted text that is the value of a member named like an address (`ip_prefix`,
// `cidr`, `ip`) or an element of a list that begins with one; a whole table cell.
export function parseEmbeddedJsonHtml(content: Content): PrefixList {
  const page = unescaped(content.text());
  const list = new PrefixListBuilder();
  for (const text of quotedAddresses(page)) list.add(text);
  for (const [, text = ''] of page.matchAll(CELL)) if (ADDRESS_LIKE.test(text)) list.add(text);
  const parsed = list.finish(
    dayOfText(/"creationTime"\s*:\s*"([^"]{1,40})"/.exec(page)?.[1] ?? ''),
  );
  if (parsed.records === 0)
    throw new Error('not a page with a list of addresses: none in JSON, none in a table');
  return parsed;
}

const QUOTED = /"([0-9a-f:.]{2,45}(?:\/[0-9]{1,3})?)"/gi;
const CELL = /<td\b[^<>]*>\s*(?:<[a-z]+\b[^<>]*>\s*){0,4}([0-9a-f:.]{2,45}(?:\/[0-9]{1,3})?)\s*</gi;
/**
 * Four numbers or two colons, to skip prices and decimals. PrefixListBuilder checks whether it is
 * an address.
 */
const ADDRESS_LIKE = /^[0-9]+(?:\.[0-9]+){3}|:.*:/;
const ADDRESS_MEMBER =
  /(?:^|[^\w-])(?:ip|ip[_v-]\w*|\w*[_-]ip|\w*(?:prefix|cidr|addr|subnet)\w*)"?\s*:\s*$/i;
/** The maximum distance between a value and the start of its member's name. */
const LOOK_BACK = 64;

function* quotedAddresses(page: string): Generator<string> {
  let endOfElement = -1;
  for (const { 0: quoted, 1: text = '', index } of page.matchAll(QUOTED)) {
    if (!ADDRESS_LIKE.test(text)) continue;
    const before = page.slice(Math.max(0, index - LOOK_BACK), index);
    const isNext =
      endOfElement >= 0 &&
      index - endOfElement <= LOOK_BACK &&
      /^\s*,\s*$/.test(page.slice(endOfElement, index));
    if (isNext || /\[\s*$/.test(before)) endOfElement = index + quoted.length;
    else if (!ADDRESS_MEMBER.test(before)) continue;
    yield text;
  }
}

function unescaped(page: string): string {
  return page
    .replace(/&(?:quot|#34|#x22);/gi, '"')
    .replace(/&(?:#47|#x2f|sol);/gi, '/')
    .replace(/\\u002f|\\\//gi, '/')
    .replace(/\\"/g, '"');
}
