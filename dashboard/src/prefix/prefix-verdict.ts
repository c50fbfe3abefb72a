/** One or two sentences about a prefix: how large, whose, where, and what is in it. */
import type { PrefixSummary } from '@whence/server/dashboard-wire/lookups';
import { unlistedWords } from '../format/blocklists.ts';
import { contentWords } from '../format/contents.ts';
import { countryInSentence } from '../format/names.ts';
import { count, formatNumber } from '../format/number.ts';

const UNITS = {
  addresses: ['address', 'addresses'],
  slash64s: ['/64 prefix', '/64 prefixes'],
} as const;
/** From this share on, a type or a country is that of the prefix. */
const MOST = 0.9;

type Subject = Pick<
  PrefixSummary,
  | 'unit'
  | 'size'
  | 'announced'
  | 'connection_types'
  | 'countries'
  | 'networks'
  | 'flags'
  | 'threat_levels'
  | 'limits'
>;

export function prefixVerdict(summary: Subject, nowMs: number): string {
  const { unit, size, announced, connection_types, countries, networks, limits } = summary;
  const [singular, plural] = UNITS[unit];
  if (announced === 0) return `${count(size, singular, plural)}, none of them announced.`;
  const of = size === announced ? '' : ` of ${formatNumber(size)}`;
  const type = most(connection_types, announced);
  const words = (
    unit === 'addresses' && type !== undefined
      ? [`${type} ${singular}`, `${type} ${plural}`]
      : [singular, plural]
  ) as [string, string];
  const country = most(countries, announced);
  const where =
    country === undefined || country === 'ZZ' ? '' : ` in ${countryInSentence(country)}`;
  const content = contentWords(summary);
  const rest = content === '' ? unlistedWords(limits, nowMs) : `: ${content}`;
  const text = `${formatNumber(announced)}${of} ${announced === 1 && of === '' ? words[0] : words[1]}${ownerWords(networks, announced)}${where}${rest}`;
  return text.endsWith('.') ? text : `${text}.`;
}

/** The list has the largest networks only: then it does not cover what is announced. */
function ownerWords(networks: PrefixSummary['networks'], announced: number): string {
  const [first, ...others] = networks;
  if (first === undefined) return '';
  if (others.length === 0) return ` of ${first.asn_name}`;
  const listed = networks.reduce((sum, { addresses }) => sum + addresses, 0);
  const amount = `${listed < announced ? 'more than ' : ''}${networks.length} networks`;
  const isMost = first.addresses * 2 > announced;
  return ` of ${amount}${isMost ? `, most of ${first.asn_name}` : ''}`;
}

function most<Value extends string>(
  shares: readonly { value: Value; addresses: number }[],
  announced: number,
): Value | undefined {
  return shares.find(({ addresses }) => addresses >= announced * MOST)?.value;
}
