/** DKIM keys of tests. */
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';

/**
 * A public key to which there is no private one: 65537 and a number of that size, which is not made
 * of two primes. To find primes takes up to seconds.
 */
export function rsaPublicKey(bits: number, lastByte = 0xff): KeyObject {
  // Base64 of digests has every character, as that of a real key has: tests lose its plus signs.
  const digests = Array.from({ length: 8 }, (_, i) => createHash('sha512').update(`${i}`).digest());
  const modulus = Buffer.concat(digests).subarray(0, bits / 8);
  modulus[0] = 0xff;
  modulus[modulus.length - 1] = lastByte;
  const key = { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' };
  return createPublicKey({ format: 'jwk', key });
}

function rsa(bits: number): string {
  const der = rsaPublicKey(bits).export({ type: 'spki', format: 'der' });
  return `v=DKIM1; k=rsa; p=${der.toString('base64')}`;
}

export const KEYS = { strong: rsa(2048), weak: rsa(1024) };
