/**
 * The text of an API key: `whence_`, 30 random base62 characters, 6 base62 characters of CRC-32 over what stands before
 * them. The checksum lets a typo be refused without asking storage; it is no protection, the 178 random bits are.
 */
import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Every key starts with it. */
export const SECRET_PREFIX = 'whence_';
const RANDOM_CHARACTERS = 30;
const CHECKSUM_CHARACTERS = 6;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = SECRET_PREFIX.length + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS;

export function makeSecret(): string {
  let body = SECRET_PREFIX;
  for (let i = 0; i < RANDOM_CHARACTERS; i++) body += BASE62[randomInt(62)];
  return body + checksum(body);
}

export function isWellFormed(secret: string): boolean {
  if (secret.length !== LENGTH || !/^whence_[0-9A-Za-z]+$/.test(secret)) return false;
  return secret.endsWith(checksum(secret.slice(0, -CHECKSUM_CHARACTERS)));
}

/** What is stored. The secret has more entropy than any guesser has time, so a plain hash is enough. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** How a key is shown once it has been created: `whence_ab12…wxyz`. */
export function maskSecret(secret: string): string {
  return `${secret.slice(0, SECRET_PREFIX.length + 4)}…${secret.slice(-4)}`;
}

/** Also one that was cut off or mistyped. Ids are short and have neither capitals nor the prefix. */
export function looksLikeSecret(text: string): boolean {
  return text.includes(SECRET_PREFIX) || !/^[0-9a-z_-]{0,20}$/.test(text);
}

/** For messages that quote what a person has typed: secrets in it are masked. */
export function maskSecrets(text: string): string {
  return text.replace(/whence_[0-9A-Za-z]{12,}/gi, maskSecret);
}

function checksum(body: string): string {
  let value = crc32(body);
  let text = '';
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    text = BASE62[value % 62] + text;
    value = Math.floor(value / 62);
  }
  return text;
}
