/**
 * What is different in every data directory: keys, sessions, ids. Cases have placeholders of the
 * same length instead, so that the same case is made for each, and a failure can be printed.
 */

/**
 * `leaving` is a viewer whose sessions may end: those of the others are needed until the last case.
 */
export const PEOPLE = ['viewer', 'admin', 'leaving'] as const;
export type Person = (typeof PEOPLE)[number];

/** By placeholder. */
export type Secrets = Readonly<Record<string, string>>;

export const API_KEY = `whence_${'K'.repeat(36)}`;
/** Each may send 60 free messages in a minute to the MCP endpoint. */
export const MCP_KEYS = Array.from({ length: 40 }, (_, i) => `whence_MCP-${i}-`.padEnd(43, 'M'));
export const sessionOf = (person: Person) => `SESSION-${person}-`.padEnd(43, 'S');
export const csrfTokenOf = (person: Person) => `CSRF-${person}-`.padEnd(43, 'C');
/** Ids of the account `leaving`, and of a key that may be revoked. */
export const ACCOUNT_ID = 'ACCOUNT-ID'.padEnd(16, 'A');
export const KEY_ID = 'KEY-ID'.padEnd(16, 'I');

export function insertSecrets(chunk: Buffer, secrets: Secrets): Buffer {
  let text = chunk.toString('latin1');
  for (const [placeholder, secret] of Object.entries(secrets))
    text = text.replaceAll(placeholder, secret);
  return Buffer.from(text, 'latin1');
}

export function hideSecrets(text: string, secrets: Secrets): string {
  let hidden = text;
  for (const [placeholder, secret] of Object.entries(secrets))
    hidden = hidden.replaceAll(secret, placeholder);
  return hidden;
}
