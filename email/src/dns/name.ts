import { isSpecialUse } from './special-use.ts';

/**
 * The name as it is asked: lower case, no final dot. Undefined for a special-use name, and for one that no question can
 * carry and that therefore cannot exist: an empty label, one of more than 63 bytes, more than 253 in total (RFC 1035
 * §2.3.4), or anything but visible ASCII, since names come as A-labels. SPF macros produce names with `_ : / + %`;
 * those are legal.
 */
export function askableName(name: string): string | undefined {
  const bare = name.endsWith('.') ? name.slice(0, -1) : name;
  return isSpecialUse(bare) ? undefined : encodableName(bare);
}

/** Which names a question can lead to. */
export type Askable = (name: string) => string | undefined;

/**
 * For the PTR records of one address, whose name is in `arpa` and therefore not askable otherwise: that name, and aliases
 * below its parent, which belong to the same reverse zone (RFC 2317 §4). An alias into the reverse zone of an internal
 * network would show names from in there.
 */
export function askableFrom(reverseName: string): Askable {
  const own = reverseName.toLowerCase();
  const parent = own.slice(own.indexOf('.'));
  return (name) => {
    const bare = (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase();
    const isOwn = /\.(in-addr|ip6)\.arpa$/.test(own) && (bare === own || bare.endsWith(parent));
    return isOwn ? encodableName(bare) : askableName(name);
  };
}

function encodableName(name: string): string | undefined {
  if (name.length > 253 || !/^[\x21-\x7e]+$/.test(name)) return undefined;
  return name.split('.').every((label) => label.length > 0 && label.length <= 63) ? name.toLowerCase() : undefined;
}
