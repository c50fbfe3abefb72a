// JSON bodies, by Fastify's parser. A refusal names the place of the first error, which Fastify drops and V8 may omit.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';

type Done = (error: Error | null, body?: unknown) => void;

export function parseJsonBodies(scope: FastifyInstance): void {
  const parse = jsonBodyParser(scope);
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser<string>('application/json', { parseAs: 'string' }, parse);
}

/** Members named `__proto__` and `constructor` are refused, as by Fastify's default. */
export function jsonBodyParser(scope: FastifyInstance): (request: FastifyRequest, text: string, done: Done) => void {
  const parse = scope.getDefaultJsonParser('error', 'error');
  return (request, text, done) => {
    if (isTooComplex(text)) {
      const expected = `at most ${MAX_PARTS} lists, objects and members`;
      done(new ApiError('INVALID_REQUEST', { extra: { details: { path: '', expected } } }));
      return;
    }
    void parse(request, text, (error, body) => {
      const place = error === null || text === '' ? undefined : placeOfError(text);
      if (place === undefined) done(error, body);
      else done(new ApiError('INVALID_REQUEST', { extra: { details: { path: '', expected: 'JSON', ...place } } }));
    });
  };
}

/** No body of a route is nested or has many members. Parsing 256 KiB of them takes 30 ms, and of texts 1 ms. */
const MAX_PARTS = 2_000;

function isTooComplex(text: string): boolean {
  if (text.length < 4 * MAX_PARTS) return false;
  let parts = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === OPEN_LIST || code === OPEN_OBJECT || (code === COLON && text.charCodeAt(i - 1) === QUOTE)) parts++;
  }
  return parts > MAX_PARTS;
}

const [QUOTE, COLON, OPEN_LIST, OPEN_OBJECT] = [0x22, 0x3a, 0x5b, 0x7b];

/** Both from 1; a column is a UTF-16 code unit, as editors count. Undefined if the text is JSON. */
export function placeOfError(text: string): { line: number; column: number } | undefined {
  const offset = offsetOfError(text);
  if (offset === undefined) return undefined;
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', lineStart)) {
    line++;
    lineStart = end + 1;
  }
  return { line, column: offset - lineStart + 1 };
}

const SPACE = /[ \t\n\r]*/y;
/** RFC 8259 §7: a character that is not a control character, a quote or a backslash, or an escape. */
const CHARACTERS = /(?:[\x20\x21\x23-\x5b\x5d-\uffff]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
/** RFC 8259 §6, and the literals. */
const SCALAR = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;

/** The first character that cannot continue JSON, or the end of the text. A stack, because a body may be deeply nested. */
function offsetOfError(text: string): number | undefined {
  let at = 0;
  const open: ('{' | '[')[] = [];
  const skip = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    const length = pattern.exec(text)?.[0].length ?? 0;
    at += length;
    return length;
  };
  const take = (character: string): boolean => {
    skip(SPACE);
    if (text[at] !== character) return false;
    at++;
    return true;
  };
  const string = (): boolean => {
    if (!take('"')) return false;
    skip(CHARACTERS);
    if (text[at] !== '"') return false;
    at++;
    return true;
  };
  const name = (): boolean => string() && take(':');

  for (;;) {
    // A value begins here.
    if (take('{')) {
      if (!take('}')) {
        if (!name()) return at;
        open.push('{');
        continue;
      }
    } else if (take('[')) {
      if (!take(']')) {
        open.push('[');
        continue;
      }
    } else if (text[at] === '"' ? !string() : skip(SCALAR) === 0) return at;
    // A value has ended here: close what it ends, or go on to the next one.
    for (;;) {
      const container = open.at(-1);
      if (container === undefined) {
        skip(SPACE);
        return at === text.length ? undefined : at;
      }
      if (take(',')) {
        if (container === '{' && !name()) return at;
        break;
      }
      if (!take(container === '{' ? '}' : ']')) return at;
      open.pop();
    }
  }
}
