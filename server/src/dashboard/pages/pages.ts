/**
 * The pages: files from the build of the dashboard. They are read once and sent from memory,
 * compressed on first use: at the start, or when they are there, because `npm start` builds them
 * while the server starts. Only files that were read are served, so no path leads out of the
 * folder. Files under `/assets/` have a hash in their name and never change; the page itself is
 * never cached.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FREE } from '../../admission/declaration.ts';
import { StaticDocument } from '../../http/static-document.ts';
import { pathOf } from '../../http/unknown-routes.ts';
import type { DashboardSettings } from '../dependencies.ts';
import { isBehindTls } from '../requests/origin.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const FOREVER = 'public, max-age=31536000, immutable';

/** Paths under these prefixes come from programs, and get JSON regardless of `Accept`. */
const NO_PAGES = /^\/(v1|dashboard|healthz|readyz|openapi\.json|metrics|assets|mcp)(\/|$)/;

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>Whence</title>
<h1>The dashboard is not built yet</h1><p>The API works. <code>npm start</code> builds the dashboard within a minute, and this page reloads until then.
Otherwise run <code>npm run build</code>.</p></html>`;

type PageFile = {
  readonly document: StaticDocument;
  readonly type: string;
  readonly caching: string;
};

export async function registerPages(
  scope: FastifyInstance,
  { pagesFolder, publicUrl }: DashboardSettings,
): Promise<void> {
  let files = readFiles(pagesFolder);
  const options = {
    schema: { hide: true } as object,
    config: { name: 'pages', declaration: FREE, unknownParameters: 'ignored' as const },
  };

  const fileOf = (path: string) => (path === '/index.html' ? undefined : files.get(path));
  scope.pages.includes = (request) => {
    const path = pathOf(request.url);
    return fileOf(path) !== undefined || (!NO_PAGES.test(path) && acceptsPage(request, path));
  };

  scope.get('/*', options, async (request, reply) => {
    if (files.size === 0) files = readFiles(pagesFolder);
    const file = fileOf(pathOf(request.url));
    if (file !== undefined) return send(request, reply, file);
    reply.header('Vary', 'Accept');
    if (!scope.pages.includes(request)) throw scope.refusalOf(request);
    const page = files.get('/index.html');
    if (page === undefined) {
      const reply503 = reply.code(503).headers(pageHeaders(isBehindTls(request, publicUrl)));
      return reply503.type('text/html; charset=utf-8').send(NOT_BUILT);
    }
    return send(request, reply, page);
  });

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    file: PageFile,
  ): Promise<FastifyReply> {
    reply.headers(pageHeaders(isBehindTls(request, publicUrl)));
    return file.document.send(request, reply, file);
  }
}

function readFiles(folder: string): Map<string, PageFile> {
  const files = new Map<string, PageFile>();
  if (!existsSync(join(folder, 'index.html'))) return files;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    const url = `/${relative(folder, path).split(sep).join('/')}`;
    const caching = url.startsWith('/assets/') ? FOREVER : 'no-cache';
    files.set(url, { document: new StaticDocument(bytes), type, caching });
  }
  return files;
}

/** Typed into a browser or given to `curl` by a person, whatever the client accepts. */
const FOR_PEOPLE = new Set(['/', '/docs', '/docs/']);
const JSON_TYPE = /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
/** A weight of 0: not acceptable (RFC 9110, 12.4.2). */
const REFUSED = /;\s*q=0(?:\.0{0,3})?\s*$/i;

/**
 * Other pages are sent only to clients that name `text/html`; a program that accepts everything
 * gets JSON.
 */
function acceptsPage({ headers: { accept = '*/*' } }: FastifyRequest, path: string): boolean {
  const ranges = accept.split(',').filter((range) => !REFUSED.test(range));
  if (ranges.some((range) => range.toLowerCase().includes('text/html'))) return true;
  return FOR_PEOPLE.has(path) && !ranges.every((range) => JSON_TYPE.test(range));
}

/**
 * Without `unsafe-inline`: styles are files, and what pages set through the CSSOM is not
 * restricted.
 */
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

/**
 * Security headers of pages: own files only, no frames, no browser features, no Referer to other
 * sites.
 */
const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  // For browsers that do not know frame-ancestors.
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Permissions-Policy':
    'camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** One year; only over TLS, because the browser would refuse plain HTTP afterwards. */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000';

function pageHeaders(isSecure: boolean): Record<string, string> {
  return isSecure
    ? { ...HEADERS, 'Strict-Transport-Security': STRICT_TRANSPORT_SECURITY }
    : HEADERS;
}
