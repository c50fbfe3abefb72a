/** What can be wrong with a term of an SPF record (RFC 7208 §4.6.1, §5, §6, §7), and its wording. */

/** The detail of each kind. Texts from the record are excerpts (visible-text.ts). */
type FaultDetails = {
  unprintable: { bytes: readonly string[] };
  'unknown mechanism': { name: string };
  'modifier as mechanism': { name: string };
  'repeated modifier': { name: string };
  'no domain': { mechanism: string };
  'unexpected prefix length': { mechanism: string };
  'no address': { mechanism: string };
  'all with argument': NoDetail;
  'prefix length not a number': NoDetail;
  'IPv6 length after one slash': NoDetail;
  'bad prefix length': { version: 4 | 6; max: number };
  'not an address': { address: string; version: 4 | 6 };
  'empty domain': NoDetail;
  'no top-level label': NoDetail;
  'numeric top-level label': NoDetail;
  'unprintable macro-string': NoDetail;
  'not a macro': { macro: string };
  'zero labels': { macro: string };
  'unknown macro letter': { macro: string; letter: string };
  'explanation letter': { macro: string; letter: string };
};
type NoDetail = object;
type Kind = keyof FaultDetails;

export type SpfFault = { readonly [K in Kind]: { readonly kind: K } & Readonly<FaultDetails[K]> }[Kind];

const EXPLANATIONS: { readonly [K in Kind]: (detail: FaultDetails[K]) => string } = {
  unprintable: ({ bytes }) => `contains ${bytes.join(', ')}; only printable ASCII characters and spaces are allowed`,
  'unknown mechanism': ({ name }) => `"${name}" is not a mechanism`,
  'modifier as mechanism': ({ name }) => `${name} is a modifier and is written ${name}=`,
  'repeated modifier': ({ name }) => `${name}= may occur only once in a record`,
  'no domain': ({ mechanism }) => `${mechanism} needs a domain`,
  'unexpected prefix length': ({ mechanism }) => `${mechanism} takes no prefix length`,
  'no address': ({ mechanism }) => `${mechanism} needs an address`,
  'all with argument': () => 'all takes no argument',
  'prefix length not a number': () => 'the prefix length is not a number',
  'IPv6 length after one slash': () => 'an IPv6 prefix length is written with two slashes',
  'bad prefix length': ({ version, max }) =>
    `an IPv${version} prefix length is a number from 0 to ${max} without leading zeros`,
  'not an address': ({ address, version }) => `"${address}" is not an IPv${version} address`,
  'empty domain': () => 'the domain is empty',
  'no top-level label': () => 'the domain must end in a dot and a top-level label, or in a macro',
  'numeric top-level label': () => 'the last label is a number; an address belongs in ip4: or ip6:',
  'unprintable macro-string': () => 'only printable ASCII characters are allowed',
  'not a macro': ({ macro }) => `${macro} is not a macro`,
  'zero labels': ({ macro }) => `in ${macro} the number of labels must not be zero`,
  'unknown macro letter': ({ macro, letter }) => `in ${macro} ${letter} is not a macro letter`,
  'explanation letter': ({ macro, letter }) => `in ${macro} the letter ${letter} is allowed only in explanation texts`,
};

export function explainFault(fault: SpfFault): string {
  // The entry of a kind takes faults of that kind.
  return (EXPLANATIONS[fault.kind] as (fault: SpfFault) => string)(fault);
}
