/**
 * The pages: files from the build of the dashboard. They are read once at the start and sent from memory, compressed on
 * first use. Only files that existed at the start are served, so no path leads out of the folder. Files under `/assets/` have a hash in their name and never change; the page itself is never cached.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FREE } from '../../admission/declaration.ts';
import { unknownRoute } from '../../http/unknown-routes.ts';
import type { DashboardSettings } from '../dependencies.ts';
import { compressor, type Encoding, encodingOf } from '../requests/compression.ts';
import { isBehindTls } from '../requests/origin.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const FOREVER = 'public, max-age=31536000, immutable';

/** Unknown paths under these prefixes come from programs, and get JSON regardless of `Accept`. */
const NO_PAGES = /^\/(v1|dashboard|healthz|readyz|openapi\.json|metrics|assets)(\/|$)/;

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Whence</title>
<h1>The dashboard was not built</h1><p>The API works. In a clone, <code>npm run build</code> builds the dashboard; then restart
the server.</p></html>`;

type PageFile = {
  readonly bytes: Buffer;
  readonly type: string;
  readonly etag: string;
  readonly isImmutable: boolean;
  compressed: Partial<Record<Encoding, Promise<Buffer>>>;
};

export async function registerPages(
  scope: FastifyInstance,
  { pagesFolder, publicUrl }: DashboardSettings,
): Promise<void> {
  const files = pagesFolder === undefined ? new Map<string, PageFile>() : readFiles(pagesFolder);
  const page = files.get('/index.html');
  const options = { schema: { hide: true } as object, config: { name: 'pages', declaration: FREE } };

  scope.get('/*', options, async (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const file = files.get(path);
    if (file !== undefined && path !== '/index.html') return send(request, reply, file);
    if (NO_PAGES.test(path) || !acceptsHtml(request)) throw unknownRoute(path);
    if (page === undefined) {
      const reply503 = reply.code(503).headers(pageHeaders(isBehindTls(request, publicUrl)));
      return reply503.type('text/html; charset=utf-8').send(NOT_BUILT);
    }
    return send(request, reply, page);
  });

  async function send(request: FastifyRequest, reply: FastifyReply, file: PageFile): Promise<FastifyReply> {
    reply.headers(pageHeaders(isBehindTls(request, publicUrl)));
    reply.header('Content-Type', file.type).header('ETag', file.etag).header('Vary', 'Accept-Encoding');
    reply.header('Cache-Control', file.isImmutable ? FOREVER : 'no-cache');
    if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
    const encoding = encodingOf(request);
    if (encoding === undefined) return reply.send(file.bytes);
    file.compressed[encoding] ??= compress[encoding](file.bytes);
    return reply.header('Content-Encoding', encoding).send(await file.compressed[encoding]);
  }
}

function readFiles(folder: string): Map<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    const url = `/${relative(folder, path).split(sep).join('/')}`;
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    files.set(url, { bytes, type, etag, isImmutable: url.startsWith('/assets/'), compressed: {} });
  }
  return files;
}

/** A page is sent only to clients that name `text/html`; a program that accepts everything gets JSON. */
function acceptsHtml({ headers }: FastifyRequest): boolean {
  return headers.accept?.toLowerCase().includes('text/html') === true;
}

/** Done once per file and process: level 9 of brotli takes 60 ms for 500 kB, level 11 over a second. */
const compress = compressor(9, 9);

/** Without `unsafe-inline`: styles are files, and what pages set through the CSSOM is not restricted. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Security headers of pages: own files only, no frames, no browser features, no Referer to other sites. */
const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  // For browsers that do not know frame-ancestors.
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** One year; only over TLS, because the browser would refuse plain HTTP afterwards. */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000';

function pageHeaders(isSecure: boolean): Record<string, string> {
  return isSecure ? { ...HEADERS, 'Strict-Transport-Security': STRICT_TRANSPORT_SECURITY } : HEADERS;
}
