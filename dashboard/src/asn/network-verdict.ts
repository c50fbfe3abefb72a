/**
 * One or two sentences about a network: what it is, whose and where, how large, and what is inside.
 */
import type { AsnRecord, ConnectionType } from '@whence/client/wire';
import { FLAG_FACTS } from '@whence/dataset/record';
import type { PrefixKind, RpkiState } from '@whence/server/dashboard-wire/lookups';
import { type Contents, contentWords, INSIDE } from '../format/contents.ts';
import { countryInSentence } from '../format/names.ts';
import { count, formatNumber, formatOneDigit } from '../format/number.ts';

const KINDS: Readonly<Record<ConnectionType, string>> = {
  residential: 'Access network',
  mobile: 'Mobile network',
  datacenter: 'Datacenter network',
  education: 'Education network',
  business: 'Business network',
};

type Subject = Pick<
  AsnRecord,
  'asn_name' | 'country' | 'connection_type' | 'is_announced' | 'address_count' | 'prefix_count'
>;

export function networkVerdict(
  record: Subject,
  prefixes: Prefixes,
  contents: Contents & { readonly is_sample: boolean },
  rpki?: readonly (RpkiState | null)[],
): string {
  const { asn_name, country, connection_type, is_announced, address_count, prefix_count } = record;
  const where = country === 'ZZ' ? '' : ` in ${countryInSentence(country)}`;
  const what = `${KINDS[connection_type]} of ${asn_name}${where}`;
  if (!is_announced) return `${what}. It announces no prefix in this dataset.`;
  const sizes = [
    ...(address_count.ipv4 === 0
      ? []
      : [
          `${wordedNumber(address_count.ipv4)} IPv4 address${address_count.ipv4 === 1 ? '' : 'es'}`,
        ]),
    ...(prefix_count.ipv6 === 0 ? [] : [count(prefix_count.ipv6, 'IPv6 prefix', 'IPv6 prefixes')]),
  ];
  const inside = insideWords(contents, prefixes, prefix_count.ipv4);
  return `${what}, ${sizes.join(' and ')}${rpkiWords(rpki)}.${inside}`;
}

/**
 * `; 98% of its prefixes are valid by RPKI, 2 invalid`. Nothing without ROA data. Rounded down:
 * 100% are all.
 */
function rpkiWords(all: readonly (RpkiState | null)[] = []): string {
  // Without a state: the prefix is not what is announced.
  const states = all.filter((state) => state !== null);
  if (states.length === 0) return '';
  const amount = (state: RpkiState) => states.filter((other) => other === state).length;
  const valid = `${Math.floor((100 * amount('valid')) / states.length)}% of its prefixes are valid by RPKI`;
  const invalid = amount('invalid');
  return `; ${valid}${invalid === 0 ? '' : `, ${formatNumber(invalid)} invalid`}`;
}

type Prefixes = { readonly kinds: readonly PrefixKind[]; readonly of: readonly number[] };

/**
 * ` Inside: 160 Tor exits, 57 critical; in IPv6 Tor exits in 3 prefixes.` IPv6 addresses are not
 * counted, and where no IPv4 address has a flag, prefixes are: ` Tor exits in 3 prefixes, AI
 * crawlers in 1.`
 */
function insideWords(
  contents: Contents & { readonly is_sample: boolean },
  { kinds, of }: Prefixes,
  ipv4Prefixes: number,
): string {
  const content = contentWords(contents);
  const words = flagWords(kinds, content === '' ? of : of.slice(ipv4Prefixes));
  if (content === '')
    return words === '' ? '' : ` ${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
  const ipv6 = words === '' ? '' : `; in IPv6 ${words}`;
  return ` ${contents.is_sample ? 'In a sample of its prefixes' : 'Inside'}: ${content}${ipv6}.`;
}

/**
 * Flags that at least one address of a prefix has: `Tor exits in 3 prefixes, VPN addresses in 1`.
 */
function flagWords(kinds: readonly PrefixKind[], of: readonly number[]): string {
  return INSIDE.map((flag) => ({
    flag,
    amount: of.filter((kind) => kinds[kind]?.flags.includes(flag)).length,
  }))
    .filter(({ amount }) => amount > 0)
    .map(({ flag, amount }, index) => {
      const prefixes = index === 0 ? count(amount, 'prefix', 'prefixes') : formatNumber(amount);
      return `${FLAG_FACTS[flag].many} in ${prefixes}`;
    })
    .join(', ');
}

/** `33 million`: in a sentence the size matters, not its digits. The record has them. */
function wordedNumber(value: number): string {
  if (value < 1_000_000) return formatNumber(value);
  const millions = value / 1_000_000;
  return `${millions < 10 ? formatOneDigit(millions) : formatNumber(millions)} million`;
}
