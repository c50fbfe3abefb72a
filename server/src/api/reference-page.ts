/**
 * `/docs`: the OpenAPI document as a page, by Scalar. Its script is sent from here: the page asks no other host for
 * anything. Scalar inserts style elements, so this page alone has a policy that allows them.
 */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FREE } from '../admission/declaration.ts';
import { FRAME_STYLES, PAGE, START_SCRIPT, THEME_SCRIPT } from './reference-frame.ts';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
} as const;

type Script = { readonly bytes: Buffer; readonly etag: string; readonly compressed: Buffer };

export function registerReference(app: FastifyInstance): void {
  const options = { schema: { hide: true } as object, config: { name: 'docs', declaration: FREE } };
  let scalar: Promise<Script> | undefined;

  app.get('/docs', options, (_request, reply) => send(reply, 'text/html', PAGE));
  app.get('/docs/start.js', options, (_request, reply) => send(reply, 'text/javascript', START_SCRIPT));
  app.get('/docs/theme.js', options, (_request, reply) => send(reply, 'text/javascript', THEME_SCRIPT));
  app.get('/docs/frame.css', options, (_request, reply) => send(reply, 'text/css', FRAME_STYLES));
  app.get('/docs/scalar.js', options, async (request, reply) => {
    scalar ??= readScalar();
    return sendScript(request, reply, await scalar);
  });
}

function send(reply: FastifyReply, type: string, text: string | Buffer): FastifyReply {
  return reply.headers(HEADERS).header('Content-Type', `${type}; charset=utf-8`).send(text);
}

function sendScript({ headers }: FastifyRequest, reply: FastifyReply, script: Script): FastifyReply {
  reply.header('ETag', script.etag).header('Vary', 'Accept-Encoding');
  if (headers['if-none-match'] === script.etag) return reply.headers(HEADERS).code(304).send();
  if (!/\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(headers['accept-encoding'] ?? ''))) {
    return send(reply, 'text/javascript', script.bytes);
  }
  return send(reply.header('Content-Encoding', 'gzip'), 'text/javascript', script.compressed);
}

/** What Scalar shows in the empty field for a key: a joke in base64, which looks like a key. */
const PLACEHOLDER = 'QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT';

/** The packed server has a copy, because the npm package brings 20 MB of dependencies that the script does not need. */
const COPY = new URL('../../reference/scalar.js', import.meta.url);

/** On the first request: 3.5 MB that most servers are never asked for. */
async function readScalar(): Promise<Script> {
  const path = existsSync(COPY)
    ? COPY
    : new URL('js/standalone.js', import.meta.resolve('@scalar/fastify-api-reference'));
  const script = await readFile(path, 'utf8');
  const bytes = Buffer.from(script.replaceAll(PLACEHOLDER, 'API key'));
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { bytes, etag, compressed: await promisify(gzip)(bytes, { level: constants.Z_DEFAULT_COMPRESSION }) };
}
