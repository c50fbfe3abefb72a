import { isSpecialUse } from './special-use.ts';

/**
 * The name as it is asked: lower case, no final dot. Undefined for a special-use name, and for one that no question can
 * carry and that therefore cannot exist: an empty label, one of more than 63 bytes, more than 253 in total (RFC 1035
 * §2.3.4), or anything but visible ASCII, since names come as A-labels. SPF macros produce names with `_ : / + %`;
 * those are legal.
 */
export function askableName(name: string): string | undefined {
  const bare = name.endsWith('.') ? name.slice(0, -1) : name;
  if (bare.length > 253 || !/^[\x21-\x7e]+$/.test(bare) || isSpecialUse(bare)) return undefined;
  return bare.split('.').every((label) => label.length > 0 && label.length <= 63) ? bare.toLowerCase() : undefined;
}
