/**
 * Lets pages of other origins call the API from a browser. Off unless origins are named: a key in a page can be read by
 * every visitor, so this is the operator's decision. No cookies are involved.
 */
import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

const EXPOSED_HEADERS = [
  'X-Request-ID',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Cache-Status',
  'Retry-After',
];
const PREFLIGHT_SECONDS = 3600;

/** `origins` as browsers send them, or `*` for all. */
export async function allowOrigins(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  await app.register(cors, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'POST'],
    allowedHeaders: ['X-API-Key', 'Content-Type'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: false,
  });
}
