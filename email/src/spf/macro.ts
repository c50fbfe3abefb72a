// Macro strings and domain-specs, RFC 7208 §7: names in SPF terms that a receiver completes with
// values from the mail.
//
//     macro-expand = "%{" letter [digits] ["r"] *delimiter "}"  /  "%%"  /  "%_"  /  "%-"
//     domain-spec  = macro-string ( "." toplabel ["."]  /  macro-expand )
//
// Without a mail, only the domain (`d`) and the sender's domain (`o`) have a value.
import type { SpfFault } from '../findings/spf-fault.ts';
import { excerpt } from '../visible-text.ts';

type MacroPart =
  | { readonly kind: 'literal'; readonly text: string }
  /** `%%`, `%_` or `%-`; `text` is what it stands for. */
  | { readonly kind: 'escape'; readonly text: string }
  | {
      readonly kind: 'macro';
      readonly letter: string;
      /** How many right-hand labels to keep; 0 keeps all. */
      readonly labels: number;
      readonly isReversed: boolean;
      readonly delimiters: string;
      /** Written in upper case: the value is URL-escaped (§7.3). */
      readonly isEscaped: boolean;
    };

/** `faults` is empty if the text is a macro-string. */
type MacroString = { readonly parts: readonly MacroPart[]; readonly faults: readonly SpfFault[] };

export function parseMacroString(text: string): MacroString {
  const parts: MacroPart[] = [];
  const faults: SpfFault[] = [];
  for (const [piece, letter, digits = '', reverse = '', delimiters = ''] of text.matchAll(PIECES)) {
    if (letter !== undefined) {
      const fault = macroFault(piece, letter, digits);
      if (fault !== undefined) faults.push(fault);
      else parts.push(macro(letter, Number(digits), reverse !== '', delimiters));
    } else if (!piece.startsWith('%')) {
      if (UNPRINTABLE.test(piece)) faults.push({ kind: 'unprintable macro-string' });
      parts.push({ kind: 'literal', text: piece });
    } else {
      const escaped = ESCAPES[piece];
      if (escaped === undefined)
        faults.push({ kind: 'not a macro', macro: excerpt(piece, MAX_QUOTED) });
      else parts.push({ kind: 'escape', text: escaped });
    }
  }
  return { parts, faults };
}

/** Why the text is not a domain-spec; empty if it is one. */
export function domainSpecFaults(spec: string): readonly SpfFault[] {
  if (spec === '') return [{ kind: 'empty domain' }];
  const { parts, faults } = parseMacroString(spec);
  if (faults.length > 0) return faults;
  const last = parts.at(-1);
  if (last?.kind !== 'literal') return [];
  const label = TOP_LABEL.exec(last.text)?.[1];
  if (label === undefined) return [{ kind: 'no top-level label' }];
  return ALL_DIGITS.test(label) ? [{ kind: 'numeric top-level label' }] : [];
}

/**
 * Undefined if it depends on the mail. In an include `%{d}` is the included domain, `%{o}` the
 * sender's (§7.2).
 */
export function expandForDomain(
  spec: string,
  domain: string,
  senderDomain: string = domain,
): string | undefined {
  const { parts, faults } = parseMacroString(spec);
  if (faults.length > 0) return undefined;
  let name = '';
  for (const part of parts) {
    if (part.kind !== 'macro') name += part.text;
    else if (part.letter === 'd') name += transform(domain, part);
    else if (part.letter === 'o') name += transform(senderDomain, part);
    else return undefined;
    // Only the end counts, and a term may repeat a macro thousands of times.
    if (name.length > 4 * MAX_NAME) name = name.slice(-2 * MAX_NAME);
  }
  return dropLabels(name.endsWith('.') ? name.slice(0, -1) : name);
}

export function usesMacro(spec: string, letter: string): boolean {
  if (!spec.includes('%')) return false;
  return parseMacroString(spec).parts.some(
    (part) => part.kind === 'macro' && part.letter === letter,
  );
}

// In this order they match any text: a macro, an attempt at one, a percent sign and the next
// character, plain text.
const PIECES = /%\{([a-z])(\d*)(r?)([.\-+,/_=]*)\}|%\{[^}]*\}?|%.?|[^%]+/gis;
const ESCAPES: Readonly<Partial<Record<string, string>>> = { '%%': '%', '%_': ' ', '%-': '%20' };
const UNPRINTABLE = /[^\x21-\x7e]/;
const LETTERS = 'slodipvh';
// §7.2: c, r and t are allowed only in the text that exp= refers to, not in a record.
const EXPLANATION_LETTERS = 'crt';
const TOP_LABEL = /\.([a-z\d](?:[a-z\d-]*[a-z\d])?)\.?$/i;
const ALL_DIGITS = /^\d+$/;
const MAX_NAME = 253;
/** Characters of a macro that a finding shows. */
const MAX_QUOTED = 20;

function macroFault(piece: string, letter: string, digits: string): SpfFault | undefined {
  const macro = excerpt(piece, MAX_QUOTED);
  if (EXPLANATION_LETTERS.includes(letter.toLowerCase()))
    return { kind: 'explanation letter', macro, letter };
  if (!LETTERS.includes(letter.toLowerCase()))
    return { kind: 'unknown macro letter', macro, letter };
  if (digits !== '' && Number(digits) === 0) return { kind: 'zero labels', macro };
  return undefined;
}

function macro(
  written: string,
  labels: number,
  isReversed: boolean,
  delimiters: string,
): MacroPart {
  const letter = written.toLowerCase();
  return { kind: 'macro', letter, labels, isReversed, delimiters, isEscaped: letter !== written };
}

/** §7.3: split at the delimiters, reverse, keep the right-hand labels, join with dots. */
function transform(value: string, part: MacroPart & { kind: 'macro' }): string {
  const labels = value.split(new RegExp(`[${(part.delimiters || '.').replaceAll('-', '\\-')}]`));
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
