/**
 * Macro strings and domain-specs, RFC 7208 §7: names in SPF terms that a receiver completes with facts about the mail.
 *
 *   macro-expand = "%{" letter [digits] ["r"] *delimiter "}"  /  "%%"  /  "%_"  /  "%-"
 *   domain-spec  = macro-string ( "." toplabel ["."]  /  macro-expand )
 *
 * A static check knows no mail. Only the domain (`d`) and the domain of its own senders (`o`) have a value here.
 */
export type MacroPart =
  | { readonly kind: 'literal'; readonly text: string }
  /** `%%`, `%_` or `%-`; `text` is what it stands for. */
  | { readonly kind: 'escape'; readonly text: string }
  | {
      readonly kind: 'macro';
      /** Lower case. */
      readonly letter: string;
      /** How many right-hand labels to keep; 0 keeps all. */
      readonly labels: number;
      readonly isReversed: boolean;
      readonly delimiters: string;
      /** Written in upper case: the value is URL-escaped (§7.3). */
      readonly isEscaped: boolean;
    };

/** `faults` is empty if the text is a macro-string. Each names the piece that is wrong. */
export type MacroString = { readonly parts: readonly MacroPart[]; readonly faults: readonly string[] };

export function parseMacroString(text: string): MacroString {
  const parts: MacroPart[] = [];
  const faults: string[] = [];
  for (const [piece, letter, digits = '', reverse = '', delimiters = ''] of text.matchAll(PIECES)) {
    if (letter !== undefined) {
      const fault = macroFault(letter, digits);
      if (fault !== undefined) faults.push(`in ${short(piece)} ${fault}`);
      else parts.push(macro(letter, Number(digits), reverse !== '', delimiters));
    } else if (!piece.startsWith('%')) {
      if (UNPRINTABLE.test(piece)) faults.push('only printable ASCII characters are allowed');
      parts.push({ kind: 'literal', text: piece });
    } else {
      const escaped = ESCAPES[piece];
      if (escaped === undefined) faults.push(`${short(piece)} is not a macro`);
      else parts.push({ kind: 'escape', text: escaped });
    }
  }
  return { parts, faults };
}

/** What keeps the text from being a domain-spec; empty if it is one. */
export function domainSpecFaults(spec: string): readonly string[] {
  if (spec === '') return ['the domain is empty'];
  const { parts, faults } = parseMacroString(spec);
  if (faults.length > 0) return faults;
  const last = parts.at(-1);
  if (last?.kind !== 'literal') return [];
  const label = TOP_LABEL.exec(last.text)?.[1];
  if (label === undefined) return ['the domain must end in a dot and a top-level label, or in a macro'];
  return ALL_DIGITS.test(label) ? ['the last label is a number; an address belongs in ip4: or ip6:'] : [];
}

/**
 * The name a domain-spec stands for in the record of `domain`, without a final dot; undefined if that depends on the
 * mail. Inside an include `%{d}` is the included domain while `%{o}` stays the sender's (§7.2).
 */
export function expandForDomain(spec: string, domain: string, senderDomain: string = domain): string | undefined {
  const { parts, faults } = parseMacroString(spec);
  if (faults.length > 0) return undefined;
  let name = '';
  for (const part of parts) {
    if (part.kind !== 'macro') name += part.text;
    else if (part.letter === 'd') name += transform(domain, part);
    else if (part.letter === 'o') name += transform(senderDomain, part);
    else return undefined;
  }
  return dropLabels(name.endsWith('.') ? name.slice(0, -1) : name);
}

export function usesMacro(spec: string, letter: string): boolean {
  return parseMacroString(spec).parts.some((part) => part.kind === 'macro' && part.letter === letter);
}

// In this order they cover every text: a macro, what is meant as one, a percent sign and its neighbour, plain text.
const PIECES = /%\{([a-z])(\d*)(r?)([.\-+,/_=]*)\}|%\{[^}]*\}?|%.?|[^%]+/gis;
const ESCAPES: Readonly<Partial<Record<string, string>>> = { '%%': '%', '%_': ' ', '%-': '%20' };
const UNPRINTABLE = /[^\x21-\x7e]/;
const LETTERS = 'slodipvh';
// §7.2: c, r and t are allowed in the text that exp= leads to, and nowhere in a record.
const EXPLANATION_LETTERS = 'crt';
const TOP_LABEL = /\.([a-z\d](?:[a-z\d-]*[a-z\d])?)\.?$/i;
const ALL_DIGITS = /^\d+$/;
const MAX_NAME = 253;
const MAX_SHOWN = 20;

function macroFault(letter: string, digits: string): string | undefined {
  if (EXPLANATION_LETTERS.includes(letter.toLowerCase()))
    return `the letter ${letter} is allowed only in explanation texts`;
  if (!LETTERS.includes(letter.toLowerCase())) return `${letter} is not a macro letter`;
  if (digits !== '' && Number(digits) === 0) return 'the number of labels must not be zero';
  return undefined;
}

function short(piece: string): string {
  return piece.length > MAX_SHOWN ? `${piece.slice(0, MAX_SHOWN)}…` : piece;
}

function macro(written: string, labels: number, isReversed: boolean, delimiters: string): MacroPart {
  const letter = written.toLowerCase();
  return { kind: 'macro', letter, labels, isReversed, delimiters, isEscaped: letter !== written };
}

/** §7.3: split at the delimiters, reverse, keep the right-hand labels, join with dots. */
function transform(value: string, part: MacroPart & { kind: 'macro' }): string {
  const delimiters = part.delimiters || '.';
  const labels: string[] = [''];
  for (const character of value) {
    if (delimiters.includes(character)) labels.push('');
    else labels[labels.length - 1] += character;
  }
  if (part.isReversed) labels.reverse();
  const text = (part.labels === 0 ? labels : labels.slice(-part.labels)).join('.');
  return part.isEscaped ? urlEscape(text) : text;
}

// Not encodeURIComponent: it leaves !'()* as they are, and throws on half a surrogate pair.
function urlEscape(text: string): string {
  return text.replace(
    /[^a-z\d\-._~]/gi,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** §7.3: a name over 253 characters loses labels from the left until it fits. */
function dropLabels(name: string): string {
  let rest = name;
  while (rest.length > MAX_NAME && rest.includes('.')) rest = rest.slice(rest.indexOf('.') + 1);
  return rest;
}
