/**
 * Lets pages of configured origins call the API. Off by default: every visitor of a page can read
 * the key in it.
 */
import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

const EXPOSED_HEADERS = [
  'X-Request-ID',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Cache-Status',
  'X-Ignored-Parameters',
  'Retry-After',
];
const PREFLIGHT_SECONDS = 3600;

/**
 * As @fastify/cors sets them: a cache must not give the response to another origin (RFC 9110
 * §12.5.5).
 */
export function headersWithoutOrigin(origins: readonly string[]): Readonly<Record<string, string>> {
  if (origins.length === 0) return {};
  const allowed = origins.includes('*')
    ? { 'Access-Control-Allow-Origin': '*' }
    : { Vary: 'Origin' };
  return { ...allowed, 'Access-Control-Expose-Headers': EXPOSED_HEADERS.join(', ') };
}

/** `origins` as browsers send them, or `*` for all. */
export async function allowOrigins(
  app: FastifyInstance,
  origins: readonly string[],
): Promise<void> {
  if (origins.length === 0) return;
  await app.register(cors, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'POST'],
    // The last four are sent by MCP clients.
    allowedHeaders: [
      'X-API-Key',
      'Content-Type',
      'Authorization',
      'Mcp-Protocol-Version',
      'Mcp-Method',
      'Mcp-Name',
    ],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: false,
  });
}
