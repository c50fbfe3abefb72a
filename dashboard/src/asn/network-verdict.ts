/** One or two sentences about a network: what it is, whose and where, how large, and what is inside. */
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

type Subject = Pick<AsnRecord, 'asn_name' | 'country' | 'connection_type' | 'is_announced' | 'address_count'>;

export function networkVerdict(
  record: Subject,
  prefixes: Prefixes,
  contents: Contents & { readonly is_sample: boolean },
  rpki?: readonly (RpkiState | null)[],
): string {
  const { asn_name, country, connection_type, is_announced, address_count } = record;
  const where = country === 'ZZ' ? '' : ` in ${countryInSentence(country)}`;
  const what = `${KINDS[connection_type]} of ${asn_name}${where}`;
  if (!is_announced) return `${what}. It announces no prefix in this dataset.`;
  const size = address_count.ipv4 === 0 ? 'IPv6 only' : `${wordedNumber(address_count.ipv4)} IPv4 addresses`;
  return `${what}, ${size}${rpkiWords(rpki)}.${insideWords(contents, prefixes)}`;
}

/** `; 98 % of its prefixes are valid by RPKI, 2 invalid`. Nothing without ROA data. Rounded down: 100 % are all. */
function rpkiWords(all: readonly (RpkiState | null)[] = []): string {
  // Without a state: the prefix is not what is announced.
  const states = all.filter((state) => state !== null);
  if (states.length === 0) return '';
  const amount = (state: RpkiState) => states.filter((one) => one === state).length;
  const valid = `${Math.floor((100 * amount('valid')) / states.length)} % of its prefixes are valid by RPKI`;
  const invalid = amount('invalid');
  return `; ${valid}${invalid === 0 ? '' : `, ${formatNumber(invalid)} invalid`}`;
}

type Prefixes = { readonly kinds: readonly PrefixKind[]; readonly of: readonly number[] };

/** ` Inside: 160 Tor exits, 57 critical.` IPv6 addresses are not counted: ` Tor exits in 3 prefixes, AI crawlers in 1.` */
function insideWords(contents: Contents & { readonly is_sample: boolean }, { kinds, of }: Prefixes): string {
  const content = contentWords(contents);
  if (content !== '') return ` ${contents.is_sample ? 'In a sample of its prefixes' : 'Inside'}: ${content}.`;
  const parts = INSIDE.flatMap((flag) => {
    const amount = of.filter((kind) => kinds[kind]?.flags.includes(flag)).length;
    return amount === 0 ? [] : [{ words: FLAG_FACTS[flag].many, amount }];
  });
  if (parts.length === 0) return '';
  const texts = parts.map(({ words, amount }, index) =>
    index === 0 ? `${words} in ${count(amount, 'prefix', 'prefixes')}` : `${words} in ${formatNumber(amount)}`,
  );
  const text = texts.join(', ');
  return ` ${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** `33 million`: in a sentence the size matters, not its digits. The record has them. */
function wordedNumber(value: number): string {
  if (value < 1_000_000) return formatNumber(value);
  const millions = value / 1_000_000;
  return `${millions < 10 ? formatOneDigit(millions) : formatNumber(millions)} million`;
}
