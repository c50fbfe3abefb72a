// Mistakes that come with pasting a record. Its characters are bytes (Latin-1): one of UTF-8 is two
// or three of them.

export type PastedMistake = keyof typeof WORDS;

/** What stands for what: in UTF-8, and for no-break spaces also in Latin-1. */
const REPLACEMENTS: readonly (readonly [mistake: PastedMistake, pattern: RegExp, by: string])[] = [
  ['HTML entities', /&(?:nbsp|#160|#xa0);/gi, ' '],
  ['HTML entities', /&(?:quot|#34|#x22|ldquo|rdquo);/gi, '"'],
  ['HTML entities', /&(?:#59|#x3b|semi);/gi, ';'],
  ['HTML entities', /&(?:#43|#x2b|plus);/gi, '+'],
  ['HTML entities', /&(?:ndash|mdash|minus);/gi, '-'],
  ['HTML entities', /&amp;/gi, '&'],
  // U+00A0, U+2000 to U+200A, U+202F, U+205F, U+3000.
  [
    'no-break spaces',
    /\xc2\xa0|\xe2\x80[\x80-\x8a\xaf]|\xe2\x81\x9f|\xe3\x80\x80|(?<![\xc2-\xf4][\x80-\xbf]?)\xa0/g,
    ' ',
  ],
  // U+200B to U+200F, U+2060, U+FEFF, U+00AD.
  ['invisible characters', /\xe2\x80[\x8b-\x8f]|\xe2\x81\xa0|\xef\xbb\xbf|\xc2\xad/g, ''],
  // U+2010 to U+2015, U+2212, U+FE58, U+FF0D.
  ['typographic dashes', /\xe2\x80[\x90-\x95]|\xe2\x88\x92|\xef\xb9\x98|\xef\xbc\x8d/g, '-'],
  // U+02DC, U+223C, U+301C; U+FF5E is a full-width character.
  ['typographic tildes', /\xcb\x9c|\xe2\x88\xbc|\xe3\x80\x9c|&(?:tilde|sim);/g, '~'],
  // U+2018 to U+201F, U+2032, U+2033, U+00AB, U+00BB.
  ['quotation marks', /\xe2\x80[\x98-\x9f\xb2\xb3]|\xc2[\xab\xbb]/g, '"'],
  ['backslashes', /\\(?=[;"'\s]|$)/g, ''],
];

/** U+FF01 to U+FF5E are the printable characters of ASCII. */
const FULL_WIDTH = /\xef(?:\xbc([\x81-\xbf])|\xbd([\x80-\x9e]))/g;
/**
 * `example.com. 3600 IN TXT "…"`. Bounded, because a hostile record can have any number of blanks.
 */
const ZONE_LINE =
  /^"?(?:\S{1,255}[ \t]{1,20})?(?:\d{1,9}[smhdw]?[ \t]{1,20})?(?:IN[ \t]{1,20})?(?:TXT|SPF)[ \t]{1,20}(?="?[ \t]{0,9}v[ \t]{0,9}=)/i;
/** Longer texts are not repaired. */
const MAX_CHARACTERS = 4096;

/**
 * The text as it was meant, and what was wrong with its characters. Quotation marks are in no
 * record of mail.
 */
export function repairCharacters(raw: string): {
  readonly text: string;
  readonly mistakes: readonly PastedMistake[];
} {
  if (raw.length > MAX_CHARACTERS) return { text: raw, mistakes: [] };
  const mistakes = new Set<PastedMistake>();
  const replace = (
    text: string,
    mistake: PastedMistake,
    pattern: RegExp,
    by: string | ((...found: string[]) => string),
  ) => {
    const changed = typeof by === 'string' ? text.replace(pattern, by) : text.replace(pattern, by);
    if (changed !== text) mistakes.add(mistake);
    return changed;
  };
  let text = raw;
  for (const [mistake, pattern, by] of REPLACEMENTS) text = replace(text, mistake, pattern, by);
  text = replace(text, 'full-width characters', FULL_WIDTH, (_, low, high) =>
    String.fromCharCode(
      low === undefined
        ? (high ?? '').charCodeAt(0) - 0x80 + 0x60
        : low.charCodeAt(0) - 0x81 + 0x21,
    ),
  );
  text = replace(text.trim(), 'the line of a zone file', ZONE_LINE, '');
  // Strings of a zone file are joined with nothing between them.
  text = replace(text, 'quotation marks', /"[ \t]+"/g, '');
  text = replace(text, 'quotation marks', /"/g, '');
  return { text: text.trim(), mistakes: [...mistakes] };
}

const WORDS = {
  'no-break spaces': 'no-break spaces where blanks belong',
  'invisible characters': 'invisible characters',
  'typographic dashes': 'typographic dashes where a hyphen belongs',
  'typographic tildes': 'a typographic tilde',
  'quotation marks': 'quotation marks, which only a zone file needs',
  backslashes: 'backslashes, which only a zone file needs',
  'HTML entities': 'HTML entities such as &quot;',
  'full-width characters': 'full-width characters',
  'the line of a zone file': 'the name and type of a line of a zone file',
  'blanks for plus signs': 'blanks in the key where plus signs were',
  'tags in upper case': 'tags in upper case, which are other tags',
  'two records that are one': 'its second part in a TXT record of its own',
};

export function explainMistakes(mistakes: readonly PastedMistake[]): string {
  return mistakes.length === 0
    ? ''
    : ` It has ${mistakes.map((mistake) => WORDS[mistake]).join(', and ')}.`;
}
