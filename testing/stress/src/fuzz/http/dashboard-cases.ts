/**
 * Requests to the dashboard from people who are signed out, a viewer and an administrator: odd
 * parameters, odd bodies, damaged heads. Sessions and ids are placeholders, so that the same case
 * is made for every data directory.
 */
import type { Words } from '@whence/testing/seeded-random';
import { below, oneIn, pick } from '../case-random.ts';
import { mutate } from '../mutate.ts';
import { makeBody } from './bodies.ts';
import { DASHBOARD_ROUTES, type DashboardRoute } from './dashboard-routes.ts';
import { csrfTokenOf, type Person, sessionOf } from './secrets.ts';
import { oddText } from './targets.ts';

/** As `HttpCase`, in whose file these are put together with the others. */
type DashboardCase = {
  readonly about: string;
  readonly chunks: readonly Buffer[];
  readonly requests?: number;
  readonly statuses?: readonly number[];
};

const VALUES = [
  'null',
  'true',
  '0',
  '-1',
  '1e999',
  '1.5',
  '""',
  '" "',
  '[]',
  '{}',
  '[null]',
  '"__proto__"',
  '{"__proto__":1}',
  '"\\ud800"',
  '"\\u0000"',
  '"=1+1"',
  '"admin"',
  '"viewer"',
  '["ip:read","ip:read"]',
];
const WORDS = [
  '\r\n',
  '%',
  '%00',
  '%2f',
  '?',
  '&',
  '=',
  ';',
  '\0',
  'Cookie: ',
  'whence_session=',
  '\xff',
].map((word) => Buffer.from(word, 'latin1'));
/** Undefined is signed out. */
const STAYING: readonly (Person | undefined)[] = ['viewer', 'admin', undefined];
const LEAVING: readonly (Person | undefined)[] = ['leaving', undefined];
const MAX_BYTES = 20_000;
const LONG_CHARACTERS = 6_000;

export function dashboardCase(random: Words): DashboardCase {
  const route = pick(random, DASHBOARD_ROUTES);
  const person = pick(random, route.endsSessions ? LEAVING : STAYING);
  const about = `dashboard ${route.method} ${route.path}, ${person ?? 'signed out'}`;
  const isOdd = oneIn(random, 2);
  const target = targetOf(route, random, isOdd);
  if (route.method !== 'GET') return { about, ...change(route, target, person, random, isOdd) };
  const bytes = Buffer.from(
    `GET ${target} HTTP/1.1\r\nHost: whence\r\n${cookieOf(person)}\r\n`,
    'latin1',
  );
  if (!oneIn(random, 5))
    return { about, chunks: [bytes], requests: 1, ...(isOdd ? {} : refusals(route, person)) };
  // Only requests that change nothing are damaged: a damaged one may end the session that later
  // cases need.
  return {
    about: `${about}, damaged`,
    chunks: [mutate(bytes, random, { words: WORDS, others: [], maxBytes: MAX_BYTES })],
  };
}

function change(
  route: DashboardRoute,
  target: string,
  person: Person | undefined,
  random: Words,
  isOddTarget: boolean,
): Omit<DashboardCase, 'about'> {
  const isCrossSite = oneIn(random, 10);
  const { body, type } =
    route.body === undefined ? { body: Buffer.alloc(0), type: '' } : bodyOf(route.body, random);
  const csrf = person === undefined ? 'none' : csrfTokenOf(person);
  const head = [
    `${route.method} ${target} HTTP/1.1`,
    'Host: whence',
    `Origin: ${isCrossSite ? 'http://other' : 'http://whence'}`,
    `X-CSRF-Token: ${oneIn(random, 10) ? 'wrong' : csrf}`,
    ...(type === '' ? [] : [`Content-Type: ${type}`]),
    `Content-Length: ${body.length}`,
  ];
  const bytes = Buffer.concat([
    Buffer.from(`${head.join('\r\n')}\r\n${cookieOf(person)}\r\n`, 'latin1'),
    body,
  ]);
  if (isCrossSite && !isOddTarget && body.length < LONG_CHARACTERS)
    return { chunks: [bytes], requests: 1, statuses: [403] };
  return { chunks: [bytes], requests: 1 };
}

/** What a person without the right must get, where nothing else is wrong with the request. */
function refusals(
  { access }: DashboardRoute,
  person: Person | undefined,
): { statuses?: readonly number[] } {
  if (access !== 'public' && person === undefined) return { statuses: [401] };
  return access === 'admin' && person === 'viewer' ? { statuses: [403] } : {};
}

function targetOf(
  { path, query = [], samples = {} }: DashboardRoute,
  random: Words,
  isOdd: boolean,
): string {
  const filled = path.replace(/:([a-z]+)/g, (_, name: string) =>
    isOdd && oneIn(random, 2) ? oddText(random) : pick(random, samples[name] ?? [name]),
  );
  const parameters = query
    .filter(() => oneIn(random, 2))
    .map((text) => {
      const [name = ''] = text.split('=');
      return isOdd && oneIn(random, 2) ? `${name}=${oddText(random)}` : text;
    });
  return parameters.length === 0 ? filled : `${filled}?${parameters.join('&')}`;
}

function bodyOf(
  sample: Readonly<Record<string, string>>,
  random: Words,
): { body: Buffer; type: string } {
  if (oneIn(random, 8)) return makeBody(random);
  const fields = new Map(Object.entries(sample));
  for (let left = below(random, 3); left > 0; left--) {
    const name = oneIn(random, 6)
      ? pick(random, ['__proto__', 'constructor', 'more'])
      : pick(random, [...fields.keys(), 'x']);
    if (oneIn(random, 4)) fields.delete(name);
    else
      fields.set(
        name,
        oneIn(random, 20)
          ? JSON.stringify('a'.repeat(below(random, LONG_CHARACTERS)))
          : pick(random, VALUES),
      );
  }
  const text = [...fields].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',');
  return { body: Buffer.from(`{${text}}`), type: 'application/json' };
}

function cookieOf(person: Person | undefined): string {
  return person === undefined ? '' : `Cookie: whence_session=${sessionOf(person)}\r\n`;
}
