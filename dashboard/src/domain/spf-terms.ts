/**
 * An SPF record as its terms, each with the errors that name it; the others belong to the record as
 * a whole.
 */
type SpfTerm = {
  readonly text: string;
  /** `neutral` is `?all`, which decides nothing about other senders. */
  readonly kind: 'version' | 'mechanism' | 'modifier' | 'all' | 'neutral';
  readonly errors: readonly string[];
};
type MarkedRecord = { readonly terms: readonly SpfTerm[]; readonly others: readonly string[] };

export function markTerms(raw: string, errors: readonly string[]): MarkedRecord {
  const rest = new Set(errors);
  const terms = raw
    .split(/ +/)
    .filter((text) => text !== '')
    .map((text): SpfTerm => {
      const own = [...rest].filter((error) => error.includes(`"${text}"`));
      for (const error of own) rest.delete(error);
      return { text, kind: kindOf(text), errors: own };
    });
  return { terms, others: [...rest] };
}

function kindOf(text: string): SpfTerm['kind'] {
  if (/^v=/i.test(text)) return 'version';
  if (/^\?all$/i.test(text)) return 'neutral';
  if (/^[+\-~]?all$/i.test(text)) return 'all';
  return /^[a-z][a-z0-9_.-]*=/i.test(text) ? 'modifier' : 'mechanism';
}

/** Splits `code: explanation` of a report. */
export function splitError(error: string): { code: string; text: string } {
  const colon = error.indexOf(': ');
  return colon < 0
    ? { code: '', text: error }
    : { code: error.slice(0, colon), text: error.slice(colon + 2) };
}
