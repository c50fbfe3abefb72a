/**
 * Messages to the MCP endpoint: valid ones, and such with a hostile value in any place: many
 * members, deep nesting, long lists and texts. 60 messages in a minute are allowed for a key, so
 * they are sent with many keys.
 */
import type { Words } from '@whence/testing/seeded-random';
import { below, oneIn, pick } from '../case-random.ts';
import { mutate } from '../mutate.ts';
import { MCP_KEYS } from './secrets.ts';
import { oddText } from './targets.ts';

/** As `HttpCase`, in whose file these are put together with the others. */
type McpCase = {
  readonly about: string;
  readonly chunks: readonly Buffer[];
  readonly requests: number;
  readonly statuses: readonly number[];
};

type Json = unknown;

const META = 'io.modelcontextprotocol/';
const NEW = '2026-07-28';
const VERSIONS = ['2025-11-25', '2025-06-18', '2024-11-05', NEW, '2027-01-01', '', 'x', '\xff'];
const CLIENT = { name: 'fuzz', version: '1', icons: [{ src: 'data:,' }] };

const CALLS: readonly Json[] = [
  { name: 'address', arguments: { ip: '8.8.8.8', explain: true, include: ['routing', 'privacy'] } },
  { name: 'batch', arguments: { ips: ['8.8.8.8', '::1', 'x'], include: ['routing'] } },
  { name: 'network', arguments: { asn: 15169, prefixes: 2 } },
  { name: 'search', arguments: { query: 'google', limit: 5 } },
  {
    name: 'domain',
    arguments: { domain: 'd1.mail.example', selectors: ['google'], include: ['transport'] },
  },
  { name: 'dataset', arguments: {} },
  { name: 'weather', arguments: {} },
];

const WORDS = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"id"',
  '"method"',
  '"tools/call"',
  '_meta',
  '\0',
].map((word) => Buffer.from(word, 'latin1'));
const MAX_BYTES = 40_000;
/** A few messages are as large as bodies may be. */
const LARGE_EVERY = 20;
const LARGE_CHARACTERS = 250_000;

export function mcpCase(random: Words): McpCase {
  const message = makeMessage(random);
  const text = Buffer.from(
    oneIn(random, 3) ? withHostileValue(message, random) : JSON.stringify(message),
  );
  const hints = { words: WORDS, others: [], maxBytes: MAX_BYTES };
  const body = oneIn(random, 5) ? mutate(text, random, hints) : text;
  const head = [
    'POST /mcp HTTP/1.1',
    'Host: whence',
    keyLine(pick(random, MCP_KEYS), random),
    `Content-Type: ${oneIn(random, 50) ? 'text/plain' : 'application/json'}`,
    ...headersOf(message, random),
    `Content-Length: ${body.length}`,
  ];
  return {
    about: `mcp ${String(message['method']).slice(0, 30)}`,
    chunks: [Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body])],
    requests: 1,
    statuses: [200, 202, 400, 404, 413, 415, 429],
  };
}

function makeMessage(random: Words): Record<string, Json> {
  const method = pick(random, [
    'initialize',
    'ping',
    'tools/list',
    'tools/call',
    'tools/call',
    'tools/call',
    'server/discover',
    'notifications/cancelled',
    'resources/list',
  ]);
  const meta = oneIn(random, 3)
    ? {
        _meta: {
          [`${META}protocolVersion`]: pick(random, VERSIONS),
          [`${META}clientCapabilities`]: {},
        },
      }
    : {};
  let params: object = {};
  if (method === 'initialize')
    params = { protocolVersion: pick(random, VERSIONS), capabilities: {}, clientInfo: CLIENT };
  if (method === 'tools/call') params = pick(random, CALLS) as object;
  return {
    jsonrpc: '2.0',
    id: pick(random, [0, 1, 'a', -1.5]),
    method,
    params: { ...params, ...meta },
  };
}

/** One member, at any depth, has a hostile value instead. */
function withHostileValue(message: Json, random: Words): string {
  const places: string[] = [];
  const visit = (value: Json, path: string) => {
    places.push(path);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value))
      visit(member, `${path}/${name.replaceAll('/', ' ')}`);
  };
  visit(message, '');
  const chosen = pick(random, places);
  const text = hostileText(
    random,
    oneIn(random, LARGE_EVERY) ? LARGE_CHARACTERS : below(random, 9_000),
  );
  const replace = (value: Json, path: string): string => {
    if (path === chosen) return text;
    if (Array.isArray(value))
      return `[${value.map((item, i) => replace(item, `${path}/${i}`)).join()}]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const members = Object.entries(value).map(
      ([name, member]) =>
        `${JSON.stringify(name)}:${replace(member, `${path}/${name.replaceAll('/', ' ')}`)}`,
    );
    return `{${members.join()}}`;
  };
  return replace(message, '');
}

function hostileText(random: Words, length: number): string {
  const times = (part: string) => part.repeat(Math.floor(length / part.length));
  return pick<() => string>(random, [
    () => `[${times('1,')}1]`,
    () => `[${times('{},')}{}]`,
    () => `{${Array.from({ length: length / 8 }, (_, i) => `"${i.toString(36)}":1`).join()}}`,
    () => `${'['.repeat(length / 2)}${']'.repeat(length / 2)}`,
    () => `${'{"a":'.repeat(length / 6)}1${'}'.repeat(length / 6)}`,
    () => JSON.stringify(times('x')),
    () => `"${times('\\u0001')}"`,
    () => `[${times('"8.8.8.8",')}"::"]`,
    () => times('9') || '0',
    () =>
      pick(random, [
        'null',
        'true',
        '1e999',
        '{"__proto__":{}}',
        '{"constructor":1}',
        '"\\ud800"',
        '-0',
      ]),
    () => JSON.stringify(oddText(random)),
  ])();
}

function keyLine(key: string, random: Words): string {
  return oneIn(random, 4) ? `Authorization: Bearer ${key}` : `X-API-Key: ${key}`;
}

/** As the message says, or as it does not. */
function headersOf(message: Record<string, Json>, random: Words): string[] {
  const params = message['params'] as { _meta?: Record<string, unknown>; name?: string };
  const version = params._meta?.[`${META}protocolVersion`];
  return [
    ...(oneIn(random, 2)
      ? [`Accept: ${pick(random, ['application/json', 'text/event-stream', '*/*', ''])}`]
      : []),
    ...(version !== undefined || oneIn(random, 4)
      ? [
          `MCP-Protocol-Version: ${oneIn(random, 6) ? pick(random, VERSIONS) : String(version ?? '2025-06-18')}`,
        ]
      : []),
    ...(version !== undefined || oneIn(random, 8)
      ? [`Mcp-Method: ${oneIn(random, 8) ? 'other' : String(message['method'])}`]
      : []),
    ...(params.name === undefined || oneIn(random, 8) ? [] : [`Mcp-Name: ${params.name}`]),
  ];
}
