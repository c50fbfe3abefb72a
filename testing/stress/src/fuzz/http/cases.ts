/**
 * Requests as bytes: well-formed ones with odd content, and damaged ones, in one chunk or in many.
 */
import type { Words } from '@whence/testing/seeded-random';
import { below, oneIn, pick } from '../case-random.ts';
import { addressText, isAcceptable } from '../libraries/addresses.ts';
import { mutate } from '../mutate.ts';
import { makeBody } from './bodies.ts';
import { dashboardCase } from './dashboard-cases.ts';
import { framedPost } from './framing.ts';
import { extraHeaders } from './headers.ts';
import { mcpCase } from './mcp-cases.ts';
import { API_KEY, insertSecrets, type Secrets } from './secrets.ts';
import { oddTarget } from './targets.ts';

export type HttpCase = {
  readonly about: string;
  /** Sent one after the other. */
  readonly chunks: readonly Buffer[];
  /** Answers after which there is nothing to wait for; absent where it is not known. */
  readonly requests?: number;
  readonly isHead?: boolean;
  /** Status of the first answer, where it is known what is right. */
  readonly statuses?: readonly number[];
};

/** The name under which these cases are made. */
export const HTTP_DOMAIN = 'http';

const HOST = 'Host: whence\r\n';
const METHODS = [
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'get',
  'GETT',
  'G\0T',
  '',
  'M-SEARCH',
  'QUERY',
  'PRI',
];
const TARGETS = [
  '/v1/ip/8.8.8.8',
  '/v1/ip/8.8.8.8?explain=true',
  '/v1/ip/2001:4860::8888',
  '/v1/ip/8.8.8.8?include=privacy,routing,location',
  '/v1/ip/8.8.8.8?version=1',
  '/v1/ip/8.8.8.8/history',
  '/v1/ip/me',
  '/v1/prefix/8.8.0.0/16',
  '/v1/asn/15169?include_prefixes=true',
  '/v1/asn/search?q=google&limit=5',
  '/v1/email/domain/d1.mail.example/dns?selectors=google,x',
  '/v1/dataset',
  '/mcp',
  '/healthz',
  '/readyz',
  '/nothing',
];
const WORDS = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  ' ',
  '\t',
  ':',
  '\0',
  '%',
  '%00',
  '%2f',
  '?',
  '#',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/2.0',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'X-API-Key: ',
  'Host: a\r\n',
  '0\r\n\r\n',
  '\xff\xfe',
].map((word) => Buffer.from(word, 'latin1'));
const MAX_BYTES = 40_000;

type Strategy = (random: Words) => HttpCase;

/** Shares of the cases. */
const STRATEGIES: readonly (readonly [upTo: number, strategy: Strategy])[] = [
  [0.2, addressCase],
  [0.4, mutatedCase],
  [0.5, headerCase],
  [0.6, framingCase],
  [0.68, targetCase],
  [0.75, bodyCase],
  [0.78, methodCase],
  [0.8, pipelinedCase],
  [0.88, mcpCase],
  [1, dashboardCase],
];
/** Sent in chunks, some byte by byte. */
const SPLIT_EVERY = 20;

export function makeHttpCase(random: Words, secrets: Secrets): HttpCase {
  const share = random() / 2 ** 32;
  const strategy = STRATEGIES.find(([upTo]) => share < upTo)?.[1] ?? addressCase;
  const template = strategy(random);
  const made = {
    ...template,
    chunks: template.chunks.map((chunk) => insertSecrets(chunk, secrets)),
  };
  if (!oneIn(random, SPLIT_EVERY)) return made;
  return {
    ...made,
    about: `${made.about}, split`,
    chunks: made.chunks.flatMap((chunk) => split(chunk, random)),
  };
}

function request(method: string, target: string, headers: string, body = ''): Buffer {
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${headers}\r\n${body}`, 'latin1');
}

const WITH_KEY = `${HOST}X-API-Key: ${API_KEY}\r\n`;

/** The parser of addresses behind the path, against the same reference. */
function addressCase(random: Words): HttpCase {
  const text = addressText(random);
  const chunks = [request('GET', `/v1/ip/${encodeURIComponent(text)}`, WITH_KEY)];
  if (text === '') return { about: 'address', chunks, requests: 1 };
  return {
    about: 'address',
    chunks,
    requests: 1,
    statuses: isAcceptable(text) ? [200, 404] : [400],
  };
}

function mutatedCase(random: Words): HttpCase {
  const body = JSON.stringify({ ips: ['8.8.8.8', '::1'] });
  const post = `${WITH_KEY}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const plain = oneIn(random, 3)
    ? request('POST', '/v1/ip/batch', post, body)
    : request('GET', pick(random, TARGETS), WITH_KEY);
  const hints = { words: WORDS, others: [plain], maxBytes: MAX_BYTES };
  return { about: 'mutated', chunks: [mutate(plain, random, hints)] };
}

function headerCase(random: Words): HttpCase {
  const headers = extraHeaders(random, API_KEY);
  return { about: 'headers', chunks: [request('GET', pick(random, TARGETS), headers)] };
}

function framingCase(random: Words): HttpCase {
  return { about: 'framing', chunks: [framedPost(random, WITH_KEY)] };
}

function targetCase(random: Words): HttpCase {
  return { about: 'target', chunks: [request('GET', oddTarget(random), WITH_KEY)] };
}

function bodyCase(random: Words): HttpCase {
  const { body, type } = makeBody(random);
  const headers = `${WITH_KEY}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n`;
  const chunks = [Buffer.concat([request('POST', '/v1/ip/batch', headers), body])];
  return { about: 'body', chunks, requests: 1, statuses: [200, 400, 413, 415] };
}

function methodCase(random: Words): HttpCase {
  const target = pick(random, TARGETS);
  if (oneIn(random, 4))
    return { about: 'HEAD', chunks: [request('HEAD', target, WITH_KEY)], isHead: true };
  const method = pick(random, METHODS);
  return { about: `method ${method}`, chunks: [request(method, target, WITH_KEY)] };
}

function pipelinedCase(random: Words): HttpCase {
  const count = 2 + below(random, 6);
  const requests = Array.from({ length: count }, () =>
    request('GET', pick(random, TARGETS), WITH_KEY),
  );
  if (oneIn(random, 2)) requests.push(...mutatedCase(random).chunks);
  return { about: 'pipelined', chunks: [Buffer.concat(requests)] };
}

/** Byte by byte where it is short, otherwise at a few places. */
function split(bytes: Buffer, random: Words): Buffer[] {
  if (bytes.length <= 300 && oneIn(random, 2))
    return Array.from(bytes, (byte) => Buffer.from([byte]));
  const places = Array.from({ length: 1 + below(random, 4) }, () =>
    below(random, bytes.length),
  ).sort((a, b) => a - b);
  return [0, ...places].map((start, i) => bytes.subarray(start, places[i] ?? bytes.length));
}
