/**
 * What can be wrong with a term of an SPF record (RFC 7208 §4.6.1, §5, §6, §7), and its wording.
 */
import type { Fact } from './sentences.ts';

/**
 * With the kind, what its sentence is made from. Texts from the record are excerpts
 * (visible-text.ts).
 */
export type SpfFault = Fact<typeof EXPLANATIONS, 'kind'>;

const EXPLANATIONS = {
  unprintable: ({ bytes }: { bytes: readonly string[] }) =>
    `contains ${bytes.join(', ')}; only printable ASCII characters and spaces are allowed`,
  'unknown mechanism': ({ name }: { name: string }) => `"${name}" is not a mechanism`,
  'modifier as mechanism': ({ name }: { name: string }) =>
    `${name} is a modifier and is written ${name}=`,
  'repeated modifier': ({ name }: { name: string }) => `${name}= may occur only once in a record`,
  'no domain': ({ mechanism }: { mechanism: string }) => `${mechanism} needs a domain`,
  'unexpected prefix length': ({ mechanism }: { mechanism: string }) =>
    `${mechanism} takes no prefix length`,
  'no address': ({ mechanism }: { mechanism: string }) => `${mechanism} needs an address`,
  'all with argument': () => 'all takes no argument',
  'prefix length not a number': () => 'the prefix length is not a number',
  'IPv6 length after one slash': () => 'an IPv6 prefix length is written with two slashes',
  'bad prefix length': ({ version, max }: { version: 4 | 6; max: number }) =>
    `an IPv${version} prefix length is a number from 0 to ${max} without leading zeros`,
  'not an address': ({ address, version }: { address: string; version: 4 | 6 }) =>
    `"${address}" is not an IPv${version} address`,
  'empty domain': () => 'the domain is empty',
  'no top-level label': () => 'the domain must end in a dot and a top-level label, or in a macro',
  'numeric top-level label': () => 'the last label is a number; an address belongs in ip4: or ip6:',
  'unprintable macro-string': () => 'only printable ASCII characters are allowed',
  'not a macro': ({ macro }: { macro: string }) => `${macro} is not a macro`,
  'zero labels': ({ macro }: { macro: string }) =>
    `in ${macro} the number of labels must not be zero`,
  'unknown macro letter': ({ macro, letter }: { macro: string; letter: string }) =>
    `in ${macro} ${letter} is not a macro letter`,
  'explanation letter': ({ macro, letter }: { macro: string; letter: string }) =>
    `in ${macro} the letter ${letter} is allowed only in explanation texts`,
};

export function explainFault(fault: SpfFault): string {
  // The entry of a kind takes faults of that kind.
  return (EXPLANATIONS[fault.kind] as (fault: SpfFault) => string)(fault);
}
