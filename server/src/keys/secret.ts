/**
 * The text of an API key. The checksum refuses typos without storage; the 178 random bits are the
 * protection.
 */
import { createHash, randomInt } from 'node:crypto';
import { BASE62, checksum, maskSecret, RANDOM_CHARACTERS, SECRET_PREFIX } from './secret-form.ts';

export function makeSecret(): string {
  let body = SECRET_PREFIX;
  for (let i = 0; i < RANDOM_CHARACTERS; i++) body += BASE62[randomInt(62)];
  return body + checksum(body);
}

/**
 * What is stored. The secret has more entropy than any guesser has time, so a plain hash is enough.
 */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/**
 * Also one that was cut off or mistyped. Ids are short and have neither capitals nor the prefix.
 */
export function looksLikeSecret(text: string): boolean {
  return text.includes(SECRET_PREFIX) || !/^[0-9a-z_-]{0,20}$/.test(text);
}

/** For messages that quote what a person has typed: secrets in it are masked. */
export function maskSecrets(text: string): string {
  return text.replace(/whence_[0-9A-Za-z]{12,}/gi, maskSecret);
}
