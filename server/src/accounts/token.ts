/** Tokens of sessions and one-time links: 256 random bits, of which only the hash is stored. */
import { createHash, randomBytes } from 'node:crypto';

/** 43 characters of base64url. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** The token has more entropy than can be guessed, so a plain hash is enough. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** What pages send back with every change. Follows from the token and does not reveal it. */
export function csrfTokenOf(token: string): string {
  return createHash('sha256').update(`csrf ${token}`).digest('base64url');
}
