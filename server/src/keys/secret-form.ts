// `whence_`, 30 random base62 characters, 6 of CRC-32 over those before. The dashboard imports this
// file: no imports.

export const SECRET_PREFIX = 'whence_';
export const RANDOM_CHARACTERS = 30;
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECKSUM_CHARACTERS = 6;
const WHOLE = /(?<![0-9A-Za-z])whence_[0-9A-Za-z]{36}(?![0-9A-Za-z])/g;
/** More of a secret than is ever shown: its beginning is searched for, this is not. */
const PART = /whence_[0-9A-Za-z]{8}/i;

export function isWellFormed(secret: string): boolean {
  return (
    secret.length === SECRET_PREFIX.length + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS &&
    findSecret(secret) !== undefined
  );
}

/** The first complete key in a text such as a line of a log or a shell script. */
export function findSecret(text: string): string | undefined {
  return text
    .match(WHOLE)
    ?.find((secret) => secret.endsWith(checksum(secret.slice(0, -CHECKSUM_CHARACTERS))));
}

/** Also a part of one, or one that was mistyped. */
export function holdsSecret(text: string): boolean {
  return PART.test(text);
}

/** How a key is shown once it has been created: `whence_ab12…wxyz`. */
export function maskSecret(secret: string): string {
  return `${secret.slice(0, SECRET_PREFIX.length + 4)}…${secret.slice(-4)}`;
}

export function checksum(body: string): string {
  let value = crc32(body);
  let text = '';
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    text = BASE62[value % 62] + text;
    value = Math.floor(value / 62);
  }
  return text;
}

/** CRC-32 as in zlib, of ASCII; browsers have none. */
function crc32(text: string): number {
  let value = ~0;
  for (let i = 0; i < text.length; i++) {
    value ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return ~value >>> 0;
}
