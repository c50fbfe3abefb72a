/**
 * Address texts, compared with an independent parser: `net.isIP` without zone ids. What is accepted
 * must also come back from its own canonical text, agree with the parser for bytes, and with the
 * URL standard on the text of IPv6 addresses.
 */
import { isIP } from 'node:net';
import {
  type Address,
  formatAddress,
  parseAddress,
  parseAddressBytes,
} from '@whence/dataset/address';
import type { Words } from '@whence/testing/seeded-random';
import { below, oneIn, pick } from '../case-random.ts';
import { mutate } from '../mutate.ts';
import { describeError, type FuzzInput, type Subject } from './subject.ts';

const SEEDS = [
  '192.0.2.1',
  '0.0.0.0',
  '255.255.255.255',
  '01.2.3.4',
  '1.2.3',
  '0x7f.1',
  '2001:db8::1',
  '2001:DB8:0:0:8:800:200C:417A',
  '::',
  '::1',
  '1::',
  '::ffff:192.0.2.1',
  '::ffff:c000:201',
  '64:ff9b::192.0.2.33',
  'fe80::1%eth0',
  '1:2:3:4:5:6:7:8',
  '1:2:3:4:5:6:192.0.2.1',
  '[2001:db8::1]',
  '192.0.2.0/24',
].map((text) => Buffer.from(text));

const WORDS = [
  '.',
  ':',
  '::',
  '%',
  '0',
  '00',
  '255',
  '256',
  'ffff',
  '10000',
  ' ',
  '/',
  '[',
  ']',
  'x',
  '١',
  '\0',
  '::ffff:',
];
const HINTS = { words: WORDS.map((word) => Buffer.from(word)), others: SEEDS, maxBytes: 64 };

export const addresses: Subject = {
  make: (random) => ({ about: 'address', bytes: Buffer.from(addressText(random)) }),
  run({ bytes }: FuzzInput) {
    const text = bytes.toString();
    try {
      return faultOf(text);
    } catch (error) {
      return describeError(error);
    }
  },
};

/** Also for the path of a request. */
export function addressText(random: Words): string {
  switch (below(random, 4)) {
    case 0:
      return Array.from({ length: 4 }, () => below(random, oneIn(random, 8) ? 400 : 256)).join('.');
    case 1:
      return groups(random);
    case 2:
      return Array.from({ length: 1 + below(random, 20) }, () => pick(random, WORDS)).join('');
    default:
      return mutate(pick(random, SEEDS), random, HINTS).toString();
  }
}

/** Groups of hexadecimal digits with a gap somewhere, now and then one too many. */
function groups(random: Words): string {
  const count = 1 + below(random, oneIn(random, 8) ? 9 : 8);
  const texts = Array.from({ length: count }, () =>
    oneIn(random, 3) ? '0' : below(random, 0x10000).toString(16),
  );
  if (count < 8 || oneIn(random, 8)) texts.splice(below(random, count + 1), 0, '');
  const text = texts.join(':');
  if (text.startsWith(':')) return `:${text}`;
  return text.endsWith(':') ? `${text}:` : text;
}

export function isAcceptable(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%');
}

function faultOf(text: string): string | undefined {
  const address = parseAddress(text);
  if ((address !== undefined) !== isAcceptable(text))
    return `accepted: ${address !== undefined}, net.isIP: ${isIP(text)}`;
  const bytes = Buffer.from(text);
  // Text outside ASCII has no bytes that an address could be made of.
  if (!isSame(parseAddressBytes(bytes, 0, bytes.length), address))
    return 'text and bytes are parsed differently';
  if (address === undefined) return undefined;
  const canonical = formatAddress(address);
  if (!isSame(parseAddress(canonical), address))
    return `its canonical text ${canonical} is another address`;
  if (address.version === 6 && new URL(`http://[${text}]`).hostname !== `[${canonical}]`)
    return `the URL standard has another canonical text than ${canonical}`;
  return undefined;
}

function isSame(a: Address | undefined, b: Address | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.version === b.version && a.w0 === b.w0 && a.w1 === b.w1 && a.w2 === b.w2 && a.w3 === b.w3
  );
}
