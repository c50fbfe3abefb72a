/**
 * A case that broke a promise, and how it is shown. Bytes are printed as a JSON string, one
 * character per byte.
 */

export type FuzzFailure = {
  readonly domain: string;
  readonly index: number;
  readonly about: string;
  readonly what: string;
  /** The input, shortened where possible, as Latin-1. */
  readonly input: string;
};

const SHOWN_CHARACTERS = 300;

export function formatFailure(
  { domain, index, about, what, input }: FuzzFailure,
  seed: number,
): string {
  const shown = asciiJson(input.slice(0, SHOWN_CHARACTERS));
  const rest = input.length > SHOWN_CHARACTERS ? ` … ${input.length} bytes` : '';
  return `--seed ${seed} --domain ${domain} --first ${index} --count 1  (${about}): ${what}\n    ${shown}${rest}`;
}

/**
 * Failures with the same cause: errors by kind and place, others by their words without times and
 * long numbers.
 */
export function signatureOf({ domain, about, what }: Omit<FuzzFailure, 'input' | 'index'>): string {
  const cause =
    /threw \S+ at .*?\([^)]*\)/.exec(what)?.[0] ??
    what.replace(/"[^"]*"/g, '""').replace(/\d+(?= ms)|\d{4,}/g, 'N');
  // Sent in chunks or read from a file, it is the same failure.
  return `${domain} ${about.replace(/, split$| file$/, '')} ${cause}`;
}

function asciiJson(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
