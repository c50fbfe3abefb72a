/**
 * Every route of the API, every tool of MCP and every route of the dashboard declares what it
 * costs, and does nothing for a request that is not admitted; so do free messages of MCP and DNS.
 * What handlers work with is replaced by objects that note when they are used.
 */
import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import type { InjectOptions } from 'fastify';
import { csrfTokenOf } from '../../accounts/token.ts';
import { Admission, LOOKUPS_PER_DAY } from '../../admission/admission.ts';
import { FREE } from '../../admission/declaration.ts';
import type { RouteDependencies } from '../../api/dependencies.ts';
import { TOOLS } from '../../api/mcp/tools.ts';
import { apiRoutes } from '../../api/routes.ts';
import type { DashboardDependencies } from '../../dashboard/dependencies.ts';
import { dashboardRoutes } from '../../dashboard/routes.ts';
import { CSRF_HEADER, type RouteName, routes } from '../../dashboard/wire/contract.ts';
import { ApiError, type ErrorName } from '../../http/errors.ts';
import { AllowedClients } from '../../limits/allowed-clients.ts';
import { openLog } from '../../log/log.ts';
import { Metrics } from '../../metrics/metrics.ts';
import { createApp } from '../../process/app.ts';
import { Quota } from '../../quota/quota.ts';
import { PERMISSIONS, ROLES, type Role } from '../../vocabulary.ts';
import { MemoryLeases } from '../storage/memory-leases.ts';

let used: string[] = [];
let isOverloaded = false;

/** Anything that handlers work with: usable while routes are built, noted from then on. */
function noted(name: string): unknown {
  return new Proxy(() => {}, {
    get: (_, property) => {
      if (typeof property === 'symbol' || property === 'then') return undefined;
      used.push(`${name}.${property}`);
      return noted(`${name}.${property}`);
    },
    apply: () => noted(`${name}()`),
  });
}

const key = (id: string, more: object) => ({
  id,
  permissions: PERMISSIONS,
  tier: 'free',
  allowance: { limit: 1_000, lease: 5 },
  restrictions: undefined,
  ...more,
});
const KEYS: Readonly<Record<string, unknown>> = {
  'no permission': key('no permission', { permissions: [] }),
  'used up': key('used up', { allowance: { limit: 0, lease: 0 } }),
  good: key('good', { allowance: { limit: Number.POSITIVE_INFINITY, lease: 1 } }),
};
const sessionOf = (role: string) => ({
  token: role,
  account: { id: role, role },
  session: { id: role },
});

const nowMs = () => Date.parse('2026-11-15T12:00:00Z');
const leases = new MemoryLeases();
leases.granted.set('account:admin 2026-11-15', LOOKUPS_PER_DAY);
const admission = new Admission({
  keys: { find: async (secret: string) => KEYS[secret], findRemembered: () => undefined },
  quota: new Quota(leases),
  usage: { count: () => false, countRefused: () => {}, isFirstUse: () => false },
  overload: {
    get isOverloaded() {
      return isOverloaded;
    },
  },
  nowMs,
} as unknown as ConstructorParameters<typeof Admission>[0]);

const dependencies = {
  ...Object.fromEntries(
    [
      'storage',
      'audit',
      'live',
      'emailChecks',
      'addressSections',
      'past',
      'databases',
      'reporter',
      'prefixContents',
    ].map((name) => [name, noted(name)]),
  ),
  admission,
  accounts: {
    sessions: { find: async (token: string) => sessionOf(token) },
    links: noted('accounts.links'),
  },
  metrics: new Metrics(),
  keys: noted('keys'),
  writes: noted('writes'),
  lastUpdate: noted('lastUpdate'),
  stalls: { began: () => {}, ended: () => {}, working: () => {}, answered: () => {} },
  isStopping: () => false,
  nowMs,
  log: openLog('fatal').logger,
  trustProxy: [],
  readMode: 'data-events',
  corsOrigins: [],
  settings: { hasPublicLookups: true, updates: {}, inForce: [], pagesFolder: '/nonexistent' },
};

const { app } = await createApp(dependencies as unknown as Parameters<typeof createApp>[0]);
const api = apiRoutes(dependencies as unknown as RouteDependencies);
const table = dashboardRoutes(dependencies as unknown as DashboardDependencies);
await app.ready();

beforeEach(() => {
  used = [];
  isOverloaded = false;
});

test('admission: a route that declares nothing is not registered', async () => {
  const { app: other } = await createApp(
    dependencies as unknown as Parameters<typeof createApp>[0],
  );
  assert.throws(
    () => other.get('/new', () => ({})),
    /GET \/new declares neither access, count nor cost/,
  );
});

type Refusal = [status: number, code: string];
type RefusalText = (error: ApiError) => string;

async function expectRefusal(
  sent: InjectOptions,
  [status, code]: Refusal,
  text?: RefusalText,
): Promise<void> {
  const { statusCode, payload } = await app.inject(sent);
  if (text !== undefined) {
    assert.deepEqual(
      [statusCode, payload, used],
      [status, text(new ApiError(code as ErrorName)), []],
    );
    return;
  }
  assert.deepEqual([statusCode, JSON.parse(payload).data?.code, used], [status, code, []]);
}

const withKey = (secret: string | undefined) =>
  secret === undefined ? {} : { 'x-api-key': secret };
const KEY_REFUSALS: [why: string, secret: string | undefined, Refusal][] = [
  ['while the server is overloaded', 'used up', [503, 'OVERLOADED']],
  ['without a key', undefined, [401, 'UNAUTHORIZED']],
  ['with an unknown key', 'unknown', [401, 'UNAUTHORIZED']],
  ['without the permission', 'no permission', [403, 'FORBIDDEN']],
  ['over the daily limit', 'used up', [429, 'RATE_LIMIT_EXCEEDED']],
];

for (const { method, url, declaration, refusalText } of api) {
  const path = url.replace(/:\w+/g, '1');
  for (const [why, secret, refusal] of KEY_REFUSALS)
    test(`admission: ${method} ${url} does nothing ${why}`, async () => {
      isOverloaded = refusal[1] === 'OVERLOADED';
      // A body that is not read: it would be refused for what it is.
      const payload = method === 'POST' ? { payload: 'x'.repeat(300_000) } : {};
      await expectRefusal(
        // Nor is the unknown parameter.
        { method: method as 'GET', url: `${path}?explan=1`, headers: withKey(secret), ...payload },
        refusal,
        refusalText,
      );
    });
  test(`admission: ${method} ${url} declares a permission, what it counts and what it costs`, () => {
    const { access, counts, costs } = declaration;
    assert.ok(PERMISSIONS.includes(access) && counts !== undefined && costs.length > 0);
  });
}

/** The routes of SPEC.md: a client that was written against it alone is never refused. */
const SPECIFIED = new Set([
  '/v1/ip/:ip',
  '/v1/ip/batch',
  '/v1/asn/:asn',
  '/v1/asn/search',
  '/v1/email/domain/:domain/dns',
]);
const OTHER_PROGRAMS = /^\/(?:geoip|app)\//;

for (const { method, url, schema } of api) {
  const path = url.replace(/:\w+/g, '1');
  const send = async (query: string) => {
    const headers = { ...withKey('good'), 'content-type': 'application/json' };
    const sent = { method: method as 'GET', url: `${path}?${query}`, headers };
    const answer = await app.inject(method === 'POST' ? { ...sent, payload: '{' } : sent);
    const ignored = answer.headers['x-ignored-parameters'];
    const [, code] = /"code":"(\w+)"/.exec(answer.payload) ?? [];
    return { code, ignored };
  };
  const querystring = schema?.querystring as { properties?: Record<string, object> } | undefined;
  const parameters = Object.entries(querystring?.properties ?? {}) as [
    string,
    { type?: string; enum?: readonly string[] },
  ][];

  test(`query: an unknown parameter of ${method} ${url}`, async () => {
    const { code, ignored } = await send('zzz=1&=2');
    if (SPECIFIED.has(url)) assert.equal(ignored, 'zzz');
    else if (OTHER_PROGRAMS.test(url)) assert.ok(code !== 'UNKNOWN_PARAMETER');
    else assert.deepEqual([code, ignored, used], ['UNKNOWN_PARAMETER', undefined, []]);
  });
  for (const [name, { type, enum: allowed }] of parameters.filter(
    () => !OTHER_PROGRAMS.test(url),
  )) {
    test(`query: ${name} of ${method} ${url}, twice`, async () => {
      const value = allowed?.[0] ?? '1';
      const { code } = await send(`${name}=${value}&${name}=${value}`);
      if (type === 'array') assert.ok(code !== 'REPEATED_PARAMETER');
      else assert.deepEqual([code, used], ['REPEATED_PARAMETER', []]);
    });
    if (allowed !== undefined)
      test(`query: ${name} of ${method} ${url} outside of its values`, async () => {
        const { code } = await send(`${name}=1`);
        assert.deepEqual([code, used], ['INVALID_QUERY', []]);
      });
    if (type === 'boolean')
      test(`query: ${name} of ${method} ${url} is on or off`, async () => {
        for (const value of ['true', 'TRUE', '1', 'false', 'False', '0'])
          assert.ok((await send(`${name}=${value}`)).code !== 'INVALID_QUERY', value);
        used = [];
        for (const value of ['', 'yes', 'on', '2'])
          assert.deepEqual([(await send(`${name}=${value}`)).code, used], ['INVALID_QUERY', []]);
      });
  }
}

for (const [url, status] of [
  ['/healthz', 200],
  ['/mcp', 405],
  ['/openapi.json', 400],
  ['/ip', 400],
] as const)
  test(`query: ${url} with an unknown parameter is answered with ${status}`, async () =>
    assert.equal((await app.inject(`${url}?utm_source=a&utm_source=b`)).statusCode, status));

/** Arguments that are valid. */
const ARGUMENTS: Readonly<Record<string, object>> = {
  address: { ip: '8.8.8.8', include: ['hostname'] },
  batch: { ips: ['8.8.8.8'] },
  network: { asn: 15169, prefixes: 10 },
  search: { query: 'a' },
  domain: { domain: 'example.com' },
  dataset: {},
};

for (const tool of TOOLS) {
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool.name, arguments: ARGUMENTS[tool.name] },
  };
  for (const [why, secret, [status, code]] of KEY_REFUSALS)
    test(`admission: the MCP tool ${tool.name} does nothing ${why}`, async () => {
      isOverloaded = code === 'OVERLOADED';
      const headers = { ...withKey(secret), accept: 'application/json, text/event-stream' };
      const { payload } = await app.inject({ method: 'POST', url: '/mcp', headers, payload: call });
      const { result, data } = JSON.parse(payload);
      // A refusal of the request that the call makes is its result.
      if (status === 403 || status === 429)
        assert.match(result.content[0].text, new RegExp(`\\(${code}\\)`));
      else assert.equal(data.code, code);
      assert.deepEqual(used, []);
    });
  test(`admission: the MCP tool ${tool.name} is the request of the API that it counts as`, () => {
    const { method, url } = tool.requestFor((ARGUMENTS[tool.name] ?? {}) as never);
    const asked = url.split('?')[0]?.split('/') ?? [];
    const fits = (segments: string[]) =>
      segments.length === asked.length &&
      segments.every((part, i) => part.startsWith(':') || part === asked[i]);
    const found = api.filter((route) => route.method === method && fits(route.url.split('/')));
    // A literal path precedes one with parameters.
    const [exact] = found.sort((a, b) => a.url.split(':').length - b.url.split(':').length);
    assert.equal(exact?.declaration.counts, tool.counts);
  });
}

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
for (const [why, secret, refusal] of KEY_REFUSALS.filter(
  ([, , [status]]) => status === 503 || status === 401,
))
  test(`admission: a free message of MCP is refused ${why}`, () => {
    isOverloaded = refusal[1] === 'OVERLOADED';
    return expectRefusal(
      { method: 'POST', url: '/mcp', headers: withKey(secret), payload: list },
      refusal,
    );
  });
test('admission: free messages of MCP need no permission, and have a limit of their own', async () => {
  const send = {
    method: 'POST',
    url: '/mcp',
    headers: withKey('no permission'),
    payload: list,
  } as const;
  for (let i = 0; i < 60; i++) assert.equal((await app.inject(send)).statusCode, 200);
  await expectRefusal(send, [429, 'RATE_LIMIT_EXCEEDED']);
});

test('admission: DNS is answered for its networks only, while the server is overloaded too', () => {
  isOverloaded = true;
  const allowed = new AllowedClients(['192.0.2.0/24']);
  const refusalOf = (client: string) =>
    admission.admit({ kind: 'network', client, allowed }, FREE, nowMs()).refusal;
  assert.deepEqual(
    [refusalOf('192.0.2.1'), refusalOf('198.51.100.1')?.code],
    [undefined, 'UNAUTHORIZED'],
  );
});

const browser = (token: string | undefined) => ({
  origin: 'http://localhost:8080',
  host: 'localhost:8080',
  'sec-fetch-site': 'same-origin',
  [CSRF_HEADER]: token === undefined ? 'none' : csrfTokenOf(token),
  ...(token === undefined ? {} : { cookie: `whence_session=${token}` }),
});

for (const name of Object.keys(routes) as RouteName[]) {
  const { method, path } = routes[name];
  const { access, charge } = table[name];
  const ask = (token: string | undefined) => ({
    method,
    url: path.replace(/:\w+/g, '1'),
    headers: browser(token),
    remoteAddress: '192.0.2.9',
    ...(method === 'GET' ? {} : { payload: 'x'.repeat(300_000) }),
  });
  const below = access === 'public' ? undefined : ROLES[ROLES.indexOf(access as Role) - 1];
  test(`admission: the page route ${name} does nothing while the server is overloaded`, async () => {
    isOverloaded = true;
    await expectRefusal(ask('admin'), [503, 'OVERLOADED']);
  });
  if (access !== 'public')
    test(`admission: the page route ${name} does nothing without sign-in`, () =>
      expectRefusal(ask(undefined), [401, 'SIGNED_OUT']));
  if (below !== undefined)
    test(`admission: the page route ${name} does nothing for a ${below}`, () =>
      expectRefusal(ask(below), [403, 'FORBIDDEN']));
  test(`admission: the page route ${name} declares what it counts and costs`, () =>
    assert.ok(charge.counts !== undefined && charge.costs.length > 0));
  test(`query: an unknown parameter of the page route ${name}`, async () => {
    const { url, ...asked } = ask('admin');
    const { statusCode, payload } = await app.inject({ ...asked, url: `${url}?zzz=1` });
    // The daily limit of the account is used up, which comes first.
    const [status, code] =
      charge.counts === 'nothing' ? [400, 'UNKNOWN_PARAMETER'] : [429, 'RATE_LIMIT_EXCEEDED'];
    assert.deepEqual([statusCode, JSON.parse(payload).data?.code, used], [status, code, []]);
  });
  if (charge.counts === 'nothing') continue;
  test(`admission: the page route ${name} does nothing over the daily limit of an account`, () =>
    expectRefusal(ask('admin'), [429, 'RATE_LIMIT_EXCEEDED']));
  if (access === 'public')
    test(`admission: the page route ${name} does nothing for a client that asks too often`, async () => {
      const anonymous = {
        kind: 'person',
        find: () => ({ accountId: undefined, address: '192.0.2.9' }),
      } as const;
      const asked = { access: 'public', counts: 'ip', costs: ['lookup'] } as const;
      while ((await admission.admit(anonymous, asked, nowMs())).refusal === undefined);
      await expectRefusal(ask(undefined), [429, 'RATE_LIMIT_EXCEEDED']);
    });
}
