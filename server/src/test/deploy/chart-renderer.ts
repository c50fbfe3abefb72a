/**
 * Renders templates of a Helm chart, as far as ours use the template language: if, with, range, variables, pipes and the
 * functions below. Anything else is an error, so that a template which this renders is one that Helm renders.
 */
import { stringify } from 'yaml';

type Scope = { readonly dot: unknown; readonly root: unknown; readonly variables: ReadonlyMap<string, unknown> };
type Piece = { readonly text: string } | { readonly action: string };

const FUNCTIONS: Readonly<Record<string, (...args: never[]) => unknown>> = {
  add: (...numbers: number[]) => numbers.reduce((sum, number) => sum + number),
  and: (...values: unknown[]) => values.find((value) => !isTrue(value)) ?? values.at(-1),
  default: (fallback: unknown, value: unknown) => (isTrue(value) ? value : fallback),
  eq: (a: unknown, b: unknown) => a === b,
  fail: (message: string) => {
    throw new Error(message);
  },
  gt: (a: number, b: number) => a > b,
  int: Number,
  mul: (...numbers: number[]) => numbers.reduce((product, number) => product * number),
  nindent: (columns: number, text: string) => `\n${text.replace(/^/gm, ' '.repeat(columns))}`,
  not: (value: unknown) => !isTrue(value),
  printf: (format: string, ...values: unknown[]) => format.replace(/%[sd]/g, () => String(values.shift())),
  quote: (value: unknown) => JSON.stringify(String(value)),
  toYaml: (value: unknown) => stringify(value).trimEnd(),
};

export function renderTemplate(template: string, root: Readonly<Record<string, unknown>>): string {
  const pieces = piecesOf(template);
  const text = render(pieces, { dot: root, root, variables: new Map() });
  if (pieces.length > 0) throw new Error('an end without a beginning');
  return text;
}

/** `{{-` and `-}}` remove the white space beside them. */
function piecesOf(template: string): Piece[] {
  const parts = template.split(/\{\{(-?)((?:[^}"]|"[^"]*")*?)(-?)\}\}/);
  const pieces: Piece[] = [];
  for (let i = 0; i < parts.length; i += 4) {
    let text = parts[i] ?? '';
    if (i > 0 && parts[i - 1] === '-') text = text.trimStart();
    if (parts[i + 1] === '-') text = text.trimEnd();
    pieces.push({ text });
    const action = parts[i + 2]?.trim();
    if (action !== undefined && !action.startsWith('/*')) pieces.push({ action });
  }
  return pieces;
}

/** Consumes pieces up to the `end` of the block. */
function render(pieces: Piece[], scope: Scope): string {
  let output = '';
  let { variables } = scope;
  for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
    if ('text' in piece) {
      output += piece.text;
      continue;
    }
    const { action } = piece;
    const inner = { ...scope, variables };
    const [, keyword, rest = ''] = /^(if|with|range|end|else)\b\s*(.*)$/s.exec(action) ?? [];
    const [, name = '', value = ''] = /^(\$\w+) := (.*)$/s.exec(action) ?? [];
    if (keyword === 'end') return output;
    if (keyword === 'else') throw new Error('else is not supported');
    if (keyword !== undefined) output += renderBlock(keyword, rest, pieces, inner);
    else if (name !== '') variables = new Map([...variables, [name, evaluate(value, inner)]]);
    else output += String(evaluate(action, inner));
  }
  return output;
}

function renderBlock(keyword: string, rest: string, pieces: Piece[], scope: Scope): string {
  const [, key = '', item = '', list = rest] = /^(\$\w+), (\$\w+) := (.*)$/s.exec(rest) ?? [];
  const value = evaluate(list, scope);
  if (keyword === 'range') {
    const rendered = Object.entries(value as object).map(([name, one]) =>
      render([...pieces], { ...scope, dot: one, variables: new Map([...scope.variables, [key, name], [item, one]]) }),
    );
    skipBlock(pieces);
    return rendered.join('');
  }
  if (isTrue(value)) return render(pieces, keyword === 'with' ? { ...scope, dot: value } : scope);
  skipBlock(pieces);
  return '';
}

function skipBlock(pieces: Piece[]): void {
  let depth = 1;
  while (depth > 0) {
    const piece = pieces.shift();
    if (piece === undefined) throw new Error('a block without an end');
    if (!('action' in piece)) continue;
    if (/^(if|with|range)\b/.test(piece.action)) depth++;
    if (piece.action === 'end') depth--;
  }
}

/** A pipe: each function gets the value before it as its last argument. */
function evaluate(expression: string, scope: Scope): unknown {
  const tokens = expression.match(/"(?:[^"\\]|\\.)*"|[()|]|[^\s()|]+/g) ?? [];
  const value = pipe(tokens, scope);
  if (tokens.length > 0) throw new Error(`unexpected ${tokens.join(' ')} in ${expression}`);
  return value;
}

function pipe(tokens: string[], scope: Scope): unknown {
  let value = call(tokens, scope, []);
  while (tokens[0] === '|') {
    tokens.shift();
    value = call(tokens, scope, [value]);
  }
  return value;
}

function call(tokens: string[], scope: Scope, last: readonly unknown[]): unknown {
  const name = tokens[0] ?? '';
  const found = FUNCTIONS[name] as ((...args: unknown[]) => unknown) | undefined;
  if (found === undefined) {
    if (last.length > 0) throw new Error(`${name} is not a function`);
    return operand(tokens, scope);
  }
  tokens.shift();
  const args: unknown[] = [];
  while (tokens.length > 0 && tokens[0] !== '|' && tokens[0] !== ')') args.push(operand(tokens, scope));
  return found(...args, ...last);
}

function operand(tokens: string[], scope: Scope): unknown {
  const token = tokens.shift() ?? '';
  if (token === '(') {
    const value = pipe(tokens, scope);
    if (tokens.shift() !== ')') throw new Error('a parenthesis is not closed');
    return value;
  }
  if (token.startsWith('"')) return JSON.parse(token);
  if (/^\d+$/.test(token)) return Number(token);
  if (token.startsWith('$') && scope.variables.has(token)) return scope.variables.get(token);
  if (token === '.') return scope.dot;
  if (!/^(\.\w+)+$/.test(token)) throw new Error(`${token} is not supported`);
  return token
    .slice(1)
    .split('.')
    .reduce<unknown>((value, name) => {
      if (typeof value !== 'object' || value === null || !(name in value)) throw new Error(`there is no ${token}`);
      return (value as Record<string, unknown>)[name];
    }, scope.dot);
}

/** As templates see it: empty strings, lists, objects and 0 are false. */
function isTrue(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}
