/** Requests as bytes: well-formed ones with odd content, and damaged ones, in one piece or in many. */
import type { Random } from '../../random.ts';
import { below, oneIn, pick } from '../case-random.ts';
import { addressText, isAcceptable } from '../libraries/addresses.ts';
import { mutate } from '../mutate.ts';
import { makeBody } from './bodies.ts';
import { framedPost } from './framing.ts';
import { extraHeaders } from './headers.ts';
import { oddTarget } from './targets.ts';

export type HttpCase = {
  readonly about: string;
  /** Sent one after the other. */
  readonly pieces: readonly Buffer[];
  /** Answers after which there is nothing to wait for; absent where it is not known. */
  readonly requests?: number;
  readonly isHead?: boolean;
  /** Of the first answer, where it is known what is right. */
  readonly statuses?: readonly number[];
};

export const HOST = 'Host: whence\r\n';
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
  '/v1/asn/15169?include_prefixes=true',
  '/v1/asn/search?q=google&limit=5',
  '/v1/email/domain/d1.mail.example/dns?selectors=google,x',
  '/v1/dataset',
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

type Strategy = (random: Random) => HttpCase;

/** Shares of the cases. */
const STRATEGIES: readonly (readonly [upTo: number, strategy: Strategy])[] = [
  [0.25, addressCase],
  [0.5, mutatedCase],
  [0.62, headerCase],
  [0.74, framingCase],
  [0.84, targetCase],
  [0.92, bodyCase],
  [0.96, methodCase],
  [1, pipelinedCase],
];
/** Sent in pieces, some byte by byte. */
const SPLIT_EVERY = 20;

/** Stands for a key and is as long as one, so that the same case is made for every key. */
const PLACEHOLDER = `whence_${'K'.repeat(36)}`;

/** `key` is a valid one. */
export function makeHttpCase(random: Random, key: string): HttpCase {
  const share = random() / 2 ** 32;
  const strategy = STRATEGIES.find(([upTo]) => share < upTo)?.[1] ?? addressCase;
  const template = strategy(random);
  const made = { ...template, pieces: template.pieces.map((piece) => insertKey(piece, key)) };
  if (!oneIn(random, SPLIT_EVERY)) return made;
  return { ...made, about: `${made.about}, split`, pieces: made.pieces.flatMap((piece) => split(piece, random)) };
}

export function request(method: string, target: string, headers: string, body = ''): Buffer {
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${headers}\r\n${body}`, 'latin1');
}

const WITH_KEY = `${HOST}X-API-Key: ${PLACEHOLDER}\r\n`;

function insertKey(piece: Buffer, key: string): Buffer {
  return Buffer.from(piece.toString('latin1').replaceAll(PLACEHOLDER, key), 'latin1');
}

/** The parser of addresses behind the path, against the same judge. */
function addressCase(random: Random): HttpCase {
  const text = addressText(random);
  const pieces = [request('GET', `/v1/ip/${encodeURIComponent(text)}`, WITH_KEY)];
  if (text === '') return { about: 'address', pieces, requests: 1 };
  return { about: 'address', pieces, requests: 1, statuses: isAcceptable(text) ? [200, 404] : [400] };
}

function mutatedCase(random: Random): HttpCase {
  const body = JSON.stringify({ ips: ['8.8.8.8', '::1'] });
  const post = `${WITH_KEY}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const plain = oneIn(random, 3)
    ? request('POST', '/v1/ip/batch', post, body)
    : request('GET', pick(random, TARGETS), WITH_KEY);
  const hints = { words: WORDS, others: [plain], maxBytes: MAX_BYTES };
  return { about: 'mutated', pieces: [mutate(plain, random, hints)] };
}

function headerCase(random: Random): HttpCase {
  const headers = extraHeaders(random, PLACEHOLDER);
  return { about: 'headers', pieces: [request('GET', pick(random, TARGETS), headers)] };
}

function framingCase(random: Random): HttpCase {
  return { about: 'framing', pieces: [framedPost(random, WITH_KEY)] };
}

function targetCase(random: Random): HttpCase {
  return { about: 'target', pieces: [request('GET', oddTarget(random), WITH_KEY)] };
}

function bodyCase(random: Random): HttpCase {
  const { body, type } = makeBody(random);
  const headers = `${WITH_KEY}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n`;
  const pieces = [Buffer.concat([request('POST', '/v1/ip/batch', headers), body])];
  return { about: 'body', pieces, requests: 1, statuses: [200, 400, 413, 415] };
}

function methodCase(random: Random): HttpCase {
  const target = pick(random, TARGETS);
  if (oneIn(random, 4)) return { about: 'HEAD', pieces: [request('HEAD', target, WITH_KEY)], isHead: true };
  const method = pick(random, METHODS);
  return { about: `method ${method}`, pieces: [request(method, target, WITH_KEY)] };
}

function pipelinedCase(random: Random): HttpCase {
  const count = 2 + below(random, 6);
  const requests = Array.from({ length: count }, () => request('GET', pick(random, TARGETS), WITH_KEY));
  if (oneIn(random, 2)) requests.push(...mutatedCase(random).pieces);
  return { about: 'pipelined', pieces: [Buffer.concat(requests)] };
}

/** Byte by byte where it is short, otherwise at a few places. */
function split(bytes: Buffer, random: Random): Buffer[] {
  if (bytes.length <= 300 && oneIn(random, 2)) return Array.from(bytes, (byte) => Buffer.from([byte]));
  const places = Array.from({ length: 1 + below(random, 4) }, () => below(random, bytes.length)).sort((a, b) => a - b);
  return [0, ...places].map((start, i) => bytes.subarray(start, places[i] ?? bytes.length));
}
