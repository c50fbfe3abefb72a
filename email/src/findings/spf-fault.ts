/** What can be wrong with a term of an SPF record (RFC 7208 §4.6.1, §5, §6, §7), and its wording. */

/** Texts from the record are excerpts (excerpt.ts). */
export type SpfFault =
  | { readonly kind: 'unprintable'; readonly bytes: readonly string[] }
  | { readonly kind: 'unknown mechanism'; readonly name: string }
  | { readonly kind: 'modifier as mechanism' | 'repeated modifier'; readonly name: string }
  | { readonly kind: 'no domain' | 'unexpected prefix length' | 'no address'; readonly mechanism: string }
  | { readonly kind: 'all with argument' | 'prefix length not a number' | 'IPv6 length after one slash' }
  | { readonly kind: 'bad prefix length'; readonly version: 4 | 6; readonly max: number }
  | { readonly kind: 'not an address'; readonly address: string; readonly version: 4 | 6 }
  | { readonly kind: 'empty domain' | 'no top-level label' | 'numeric top-level label' | 'unprintable macro-string' }
  | { readonly kind: 'not a macro' | 'zero labels'; readonly macro: string }
  | {
      readonly kind: 'unknown macro letter' | 'explanation letter';
      readonly macro: string;
      readonly letter: string;
    };

export function explainFault(fault: SpfFault): string {
  switch (fault.kind) {
    case 'unprintable':
      return `contains ${fault.bytes.join(', ')}; only printable ASCII characters and spaces are allowed`;
    case 'unknown mechanism':
      return `"${fault.name}" is not a mechanism`;
    case 'modifier as mechanism':
      return `${fault.name} is a modifier and is written ${fault.name}=`;
    case 'repeated modifier':
      return `${fault.name}= may occur only once in a record`;
    case 'no domain':
      return `${fault.mechanism} needs a domain`;
    case 'unexpected prefix length':
      return `${fault.mechanism} takes no prefix length`;
    case 'no address':
      return `${fault.mechanism} needs an address`;
    case 'all with argument':
      return 'all takes no argument';
    case 'prefix length not a number':
      return 'the prefix length is not a number';
    case 'IPv6 length after one slash':
      return 'an IPv6 prefix length is written with two slashes';
    case 'bad prefix length':
      return `an IPv${fault.version} prefix length is a number from 0 to ${fault.max} without leading zeros`;
    case 'not an address':
      return `"${fault.address}" is not an IPv${fault.version} address`;
    case 'empty domain':
      return 'the domain is empty';
    case 'no top-level label':
      return 'the domain must end in a dot and a top-level label, or in a macro';
    case 'numeric top-level label':
      return 'the last label is a number; an address belongs in ip4: or ip6:';
    case 'unprintable macro-string':
      return 'only printable ASCII characters are allowed';
    case 'not a macro':
      return `${fault.macro} is not a macro`;
    case 'zero labels':
      return `in ${fault.macro} the number of labels must not be zero`;
    case 'unknown macro letter':
      return `in ${fault.macro} ${fault.letter} is not a macro letter`;
    case 'explanation letter':
      return `in ${fault.macro} the letter ${fault.letter} is allowed only in explanation texts`;
  }
}
