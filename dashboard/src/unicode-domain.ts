/**
 * A domain as people write it: `bücher.example` for `xn--bcher-kva.example`. Browsers encode such
 * names and do not decode them.
 */

/** A name that a browser would encode differently is shown as DNS has it. */
export function unicodeDomain(domain: string): string {
  if (!domain.includes(PREFIX)) return domain;
  const written = domain.split('.').map(decodeLabel).join('.');
  return encoded(written) === domain ? written : domain;
}

/** shop2.example before shop10.example. */
export const compareDomains = new Intl.Collator('en', { numeric: true }).compare;

const PREFIX = 'xn--';

function encoded(name: string): string | undefined {
  return URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : undefined;
}

// RFC 3492 §5.
const BASE = 36;
const LEAST_THRESHOLD = 1;
const LARGEST_THRESHOLD = 26;
const SKEW = 38;
const DAMPING = 700;
const FIRST_BIAS = 72;
const FIRST_CODE_POINT = 0x80;
const LAST_CODE_POINT = 0x10ffff;

/** RFC 3492 §6.2. */
function decodeLabel(label: string): string {
  if (!label.startsWith(PREFIX)) return label;
  const text = label.slice(PREFIX.length);
  const hyphen = text.lastIndexOf('-');
  const characters = [...text.slice(0, Math.max(0, hyphen))];
  let codePoint = FIRST_CODE_POINT;
  let position = 0;
  let bias = FIRST_BIAS;
  for (let at = hyphen + 1; at < text.length; ) {
    const before = position;
    let weight = 1;
    for (let k = BASE; ; k += BASE) {
      const digit = digitOf(text.charAt(at++));
      if (digit === undefined) return label;
      position += digit * weight;
      const threshold = Math.min(Math.max(k - bias, LEAST_THRESHOLD), LARGEST_THRESHOLD);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const length = characters.length + 1;
    bias = adaptBias(position - before, length, before === 0);
    codePoint += Math.floor(position / length);
    if (codePoint > LAST_CODE_POINT) return label;
    position %= length;
    characters.splice(position++, 0, String.fromCodePoint(codePoint));
  }
  return characters.join('');
}

/** `a` to `z` are 0 to 25, `0` to `9` are 26 to 35. */
function digitOf(letter: string): number | undefined {
  const value = Number.parseInt(letter, BASE);
  if (Number.isNaN(value)) return undefined;
  return value < 10 ? value + 26 : value - 10;
}

/** RFC 3492 §6.1. */
function adaptBias(added: number, length: number, isFirst: boolean): number {
  let delta = Math.floor(added / (isFirst ? DAMPING : 2));
  delta += Math.floor(delta / length);
  let bias = 0;
  while (delta > ((BASE - LEAST_THRESHOLD) * LARGEST_THRESHOLD) / 2) {
    delta = Math.floor(delta / (BASE - LEAST_THRESHOLD));
    bias += BASE;
  }
  return bias + Math.floor((BASE * delta) / (delta + SKEW));
}
