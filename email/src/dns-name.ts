/**
 * The form in which a name is asked: lower case, no final dot. `undefined` for what no question can carry, and so cannot exist: an empty
 * label, one of more than 63 bytes, more than 253 in all (RFC 1035 §2.3.4), and anything but visible ASCII, since names
 * come in A-label form. SPF macros make names with `_ : / + %`; those are legal.
 */
export function askableName(name: string): string | undefined {
  const bare = name.endsWith('.') ? name.slice(0, -1) : name;
  if (bare.length > 253 || !/^[\x21-\x7e]+$/.test(bare)) return undefined;
  return bare.split('.').every((label) => label.length > 0 && label.length <= 63) ? bare.toLowerCase() : undefined;
}
