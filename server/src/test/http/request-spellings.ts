/**
 * Hosts and paths in many spellings, and how programs behind a proxy read them. Strings have one
 * character per byte.
 */
import assert from 'node:assert/strict';
import { parseAddress } from '@whence/dataset/address';
import { seededRandom } from '@whence/testing/seeded-random';
import { Decider, factsOf } from '../../rules/decide.ts';
import { parseRules } from '../../rules/parse-rules.ts';

const PROTECTED_HOST = 'admin.example.com';
const PROTECTED_PATHS = ['/secret', '/caf\xc3\xa9'];

type Pick = <T>(items: readonly T[]) => T;

/** Rules under which none of these may pass that a program reads as protected. */
export const SPELLING_RULES = `
  - { name: secret, if: { private: true, paths: [/secret, /café] }, then: deny }
  - { name: admin, if: { private: true, hosts: ${PROTECTED_HOST} }, then: deny }`;

const STARTS = [
  '',
  '/',
  '//',
  '/.',
  '/./',
  '/x/..',
  '/x/../',
  '/x/%2e%2e/',
  '/x/.%2E/',
  '/%2e/',
  '/%2f',
  '/%5c',
  '/x%2f..%2f',
];
const MORE_STARTS = [
  '/%FF%2f..%2f',
  '/x;p=1/../',
  '/x/..;/',
  '/..;/',
  '/x\\..\\',
  '/\\',
  '/%252e%252e/',
  '/x/%252e%252e%252f',
];
const NAMES = [
  'secret',
  'SECRET',
  'Secret',
  '%73ecret',
  's%65cret',
  '%53ECRET',
  '%2573ecret',
  'secre%74',
  's;x/../secret',
];
const MORE_NAMES = [
  'caf\xc3\xa9',
  'caf%C3%A9',
  'caf%c3%a9',
  'CAF%C3%89',
  'caf%25C3%25A9',
  'cafe%CC%81',
  'secret%00',
  'secret\0',
];
const ENDS = [
  '',
  '/',
  '/x.txt',
  ';a=b',
  ';a/x',
  '?',
  '?x=1',
  '#',
  '%23',
  '%3f',
  '%3Fx',
  '/.',
  '/..',
  '/../secret',
  '/%2e%2e/',
  '//x',
];
const MORE_ENDS = [
  '\\x',
  '%5cx',
  '%20',
  '%',
  '%zz',
  '%2',
  `/${'x'.repeat(3_000)}`,
  `?${'x'.repeat(7_000)}`,
  '%00',
  '\xff',
  '%ff',
];
const OTHERS = [
  'x',
  '..',
  '.',
  '%2e%2e',
  '%2f',
  '%252f',
  ';',
  'public',
  '',
  '%FF',
  '\\',
  '%5C',
  '\xc3',
];

const HOST_STARTS = ['', ' ', 'x@', 'x.'];
const HOST_NAMES = [
  'admin.example.com',
  'ADMIN.Example.COM',
  'admin.example\xe3\x80\x82com',
  '\xef\xbd\x81dmin.example.com',
  '%61dmin.example.com',
];
const HOST_ENDS = [
  '',
  ':',
  ':80',
  ':000080',
  ':99999',
  ':x',
  '.',
  '..',
  '.:80',
  ' ',
  ',',
  ',x',
  '/',
  '/x',
  '#',
  '?',
  '\\',
  '\0',
  ':80:80',
];

/** One part differs from the plain spelling, then two. */
export function pathSpellings(): string[] {
  const starts = ['/', ...STARTS, ...MORE_STARTS];
  const names = [...NAMES, ...MORE_NAMES];
  const ends = [...ENDS, ...MORE_ENDS];
  return [
    ...names.map((name) => `/${name}`),
    ...starts.flatMap((start) =>
      ['secret', '%73ecret', 'caf\xc3\xa9'].map((name) => `${start}${name}`),
    ),
    ...ends.flatMap((end) =>
      ['/secret', '/x/..%2fsecret', '/caf%C3%A9'].map((path) => `${path}${end}`),
    ),
    'http://app.example.com/secret',
    'http://app.example.com//secret',
    'HTTP://x/%73ecret',
  ];
}

export const hostSpellings = () => [
  ...HOST_STARTS.flatMap((start) => HOST_NAMES.map((name) => `${start}${name}`)),
  ...HOST_NAMES.flatMap((name) => HOST_ENDS.map((end) => `${name}${end}`)),
];

function randomPath(pick: Pick): string {
  const part = () => pick([...STARTS, ...MORE_STARTS, ...OTHERS.map((other) => `/${other}`)]);
  const starts = Array.from({ length: pick([0, 1, 1, 2, 3]) }, part).join('');
  const name = pick([...NAMES, ...NAMES, ...MORE_NAMES, ...OTHERS]);
  const ends = Array.from({ length: pick([0, 0, 1, 2]) }, () => pick([...ENDS, ...MORE_ENDS])).join(
    '',
  );
  return `${starts}${pick(['/', '/', '', '%2f', '\\'])}${name}${ends}`;
}

const randomHost = (pick: Pick) =>
  `${pick(HOST_STARTS)}${pick(HOST_NAMES)}${pick(HOST_ENDS)}${pick(['', ...HOST_ENDS])}`;

const decode = (path: string) =>
  path.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

function resolveDots(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

/** The path of a request target, which may have a scheme and a host. */
const pathOf = (target: string) =>
  (target.replace(/^https?:\/\/[^/?#]*/i, '') || '/').split(/[?#]/, 1)[0] ?? '';

function urlOf(target: string): URL | undefined {
  try {
    return new URL(Buffer.from(target, 'latin1').toString(), 'http://app.example.com');
  } catch {
    return undefined;
  }
}

/** Programs, by what they do with a path. */
const READINGS: Readonly<Record<string, (target: string) => string>> = {
  'compares prefixes': (target) => target,
  'compares prefixes of the path': pathOf,
  'serves files': (target) => resolveDots(decode(pathOf(target))),
  'resolves, then decodes': (target) => decode(resolveDots(pathOf(target))),
  'decodes twice': (target) => resolveDots(decode(decode(pathOf(target)))),
  'drops parameters': (target) => resolveDots(decode(pathOf(target).replaceAll(/;[^/]*/g, ''))),
  'takes a backslash for a slash': (target) =>
    resolveDots(decode(pathOf(target)).replaceAll('\\', '/')),
  'parses a URL': (target) => decode(urlOf(target)?.pathname ?? '/'),
};

/** Without what a file system or a C string ends a name at, and without regard to case. */
const startsWith = (path: string, start: string) =>
  Buffer.from(path, 'latin1')
    .toString()
    .normalize('NFC')
    .toLowerCase()
    .startsWith(Buffer.from(start, 'latin1').toString());

/** The first program that would serve something protected. */
export const protectedFor = (target: string): string | undefined =>
  Object.keys(READINGS).find((name) =>
    PROTECTED_PATHS.some((path) => startsWith(READINGS[name]?.(target) ?? '', path)),
  );

/** Programs whose every reading of the path is below `start`, with case. */
const isBelow = (target: string, start: string) =>
  Object.values(READINGS).every((read) => `${read(pathOf(target))}/`.startsWith(start));

/** Whether a program takes it for the protected host. */
export function isProtectedHost(host: string): boolean {
  const name = host.trim().replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  return name === PROTECTED_HOST;
}

/**
 * Decides about random spellings, each in a set that denies what is protected and in one that
 * allows what is public.
 */
export function decideRandomSpellings(
  count: number,
  seed: number,
): { protectedOnes: number; publicOnes: number } {
  const random = seededRandom(seed);
  const pick: Pick = (items) =>
    items[Math.floor(random() * items.length)] as (typeof items)[number];
  const deciderOf = (text: string) => {
    const set = parseRules(text).sets.get('default');
    assert.ok(set);
    return new Decider(set);
  };
  const denying = deciderOf(`sets:\n default:\n  default: allow\n  rules:${SPELLING_RULES}`);
  const allowing = deciderOf(`sets: {default: {default: deny, rules: [
      {name: a, if: {private: true, paths: /public}, then: allow}, {name: b, if: {private: true}, then: deny}]}}`);
  const address = parseAddress('10.0.0.1');
  assert.ok(address);
  const found = { protectedOnes: 0, publicOnes: 0 };
  for (let i = 0; i < count; i++) {
    const host = random() < 0.3 ? randomHost(pick) : 'app.example.com';
    const path = randomPath(pick);
    const facts = factsOf({ address, host, path, method: 'GET' }, undefined);
    const reading = protectedFor(path) ?? (isProtectedHost(host) ? 'host' : undefined);
    const about = JSON.stringify({ i, host, path, reading });
    if (reading !== undefined) {
      found.protectedOnes++;
      assert.equal(denying.decide(facts).decision, 'deny', about);
    }
    if (allowing.decide(facts).decision === 'allow') {
      found.publicOnes++;
      assert.ok(isBelow(path, '/public'), about);
    }
  }
  return found;
}
