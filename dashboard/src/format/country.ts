const names = new Intl.DisplayNames(undefined, { type: 'region', fallback: 'none' });
const englishNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** The name in the reader's language; `ZZ` means that nothing is known. */
export function countryName(code: string): string {
  if (code === 'ZZ' || code === '') return 'unknown country';
  return nameIn(names, code);
}

/** For sentences, which are in English; with the article where English has one. */
export function countryInSentence(code: string): string {
  const name = nameIn(englishNames, code);
  return /^(?:United|Netherlands|Philippines|Maldives|Bahamas|Gambia|Seychelles|Comoros)/.test(name)
    ? `the ${name}`
    : name;
}

function nameIn(displayNames: Intl.DisplayNames, code: string): string {
  try {
    return displayNames.of(code) ?? code;
  } catch {
    return code;
  }
}
