import { isSpecialUse } from './special-use.ts';

/**
 * Lower case, no final dot. Undefined for special use and for what no question can carry (RFC 1035
 * §2.3.4).
 */
export function askableName(name: string): string | undefined {
  const bare = name.endsWith('.') ? name.slice(0, -1) : name;
  return isSpecialUse(bare) ? undefined : encodableName(bare);
}

/** Which names a question can lead to. */
export type Askable = (name: string) => string | undefined;

/**
 * The name in `arpa` of one address, and aliases in the same reverse zone (RFC 2317 §4), but no
 * internal one.
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
  return name.split('.').every((label) => label.length > 0 && label.length <= 63)
    ? name.toLowerCase()
    : undefined;
}
