/**
 * What one check may cost, over real sockets: a hostile zone must not make us send, hold, compute
 * or print without bound.
 */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import {
  type ScriptedDnsOptions,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import { checkDomain, type Examination, examineDomain } from '../check.ts';
import { defaultSelectors } from '../dkim/selectors.ts';
import { createDnsClient, type DnsClientOptions } from '../dns/resolver.ts';
import type { EmailReport } from '../report.ts';
import { MAX_REPORT_BYTES } from '../report.ts';
import { KEYS } from './dkim-keys.ts';
import {
  LONG_TXT_BYTES,
  largestReport,
  MANY_SELECTORS,
  manyIncludes,
  manyMxHosts,
  manySelectors,
  manyVictims,
} from './hostile-zones.ts';
import type { MeasuredChecks, MeasuredStalls } from './measured-checks.ts';

async function setUp(
  t: TestContext,
  records: ZoneRecords,
  server: ScriptedDnsOptions = {},
  options: DnsClientOptions = {},
) {
  const dns = await startScriptedDnsServer(records, server);
  const client = createDnsClient({ servers: [dns.address], ...options });
  t.after(() => {
    client.close();
    return dns.close();
  });
  const check = (domain: string, selectors?: readonly string[]): Promise<Examination> =>
    examineDomain(domain, { resolver: client.forCheck(domain), ...(selectors && { selectors }) });
  /** The questions that were sent, each once: an answer over 1232 bytes is asked again over TCP. */
  const questions = (under: string) =>
    new Set(
      dns.queries
        .filter(({ name }) => name.endsWith(under))
        .map(({ name, type }) => `${name} ${type}`),
    ).size;
  return { dns, client, check, questions };
}

function errorsOf({ mx, spf, dkim, dmarc }: EmailReport): string[][] {
  return [
    mx.errors,
    spf.validation_errors,
    dmarc.validation_errors,
    ...dkim.map((key) => key.validation_errors),
  ];
}

function assertSmall(report: EmailReport): void {
  const { spf, dkim, dmarc, recommendations } = report;
  for (const list of [...errorsOf(report), recommendations]) {
    assert.ok(list.length <= 20, `${list.length} entries`);
    for (const text of list) assert.ok(text.length <= 500, text);
  }
  for (const { raw } of [spf, dmarc, ...dkim])
    assert.ok(raw.length <= 4096, `${raw.length} characters`);
  const bytes = Buffer.byteLength(JSON.stringify(report));
  assert.ok(bytes < MAX_REPORT_BYTES, `${bytes} bytes`);
}

test('budgets: 100 includes of 64 kB', async (t) => {
  const { check, questions } = await setUp(t, manyIncludes('a.example', LONG_TXT_BYTES));
  const { report, findings } = await check('a.example');
  assertSmall(report);
  assert.ok(questions('') <= 200, `${questions('')} questions`);
  assert.equal(report.spf.is_valid, false);
  assert.equal(report.spf.dns_lookup_count, 100);
  assert.match(
    report.spf.validation_errors[0] ?? '',
    /^too_many_lookups: the record needs at least 100 /,
  );
  assert.match(
    report.spf.validation_errors[1] ?? '',
    /^record_too_long: the SPF record at i\d+\.a\.example has more than 16384 bytes/,
  );
  assert.match(report.spf.validation_errors[19] ?? '', /^more_errors: \d+ more are not listed$/);
  assert.equal(findings.spf.isUnverified, true, 'not all of the answers fit into the budget');
});

test('budgets: 50 selectors whose record is 64 kB of semicolons', async (t) => {
  const { check } = await setUp(t, manySelectors('b.example', LONG_TXT_BYTES));
  const { report } = await check('b.example', MANY_SELECTORS);
  assertSmall(report);
  assert.deepEqual(
    report.dkim.map(({ found, validation_errors }) => [found, validation_errors]),
    MANY_SELECTORS.map((selector) => [
      false,
      [
        `record_too_long: the DKIM record for selector "${selector}" has more than 16384 bytes and is not read`,
      ],
    ]),
  );
});

test('budgets: 50 selectors whose record is 16 kB of semicolons', async (t) => {
  const { check } = await setUp(t, manySelectors('b.example', 16_000));
  const { report } = await check('b.example', MANY_SELECTORS);
  assertSmall(report);
  const [key] = report.dkim;
  assert.deepEqual(
    [key?.found, key?.raw.length],
    [true, 1308],
    'the keys share 64 KiB for their records',
  );
  assert.equal(key?.validation_errors[0], 'malformed_tag: nothing between two semicolons');
  assert.match(key?.validation_errors.at(-1) ?? '', /^more_errors: 159\d\d more are not listed$/);
});

test('budgets: 3,300 MX hosts, each a chain of aliases', async (t) => {
  const { dns, check, questions } = await setUp(t, manyMxHosts('c.example'), { aliasSteps: 'one' });
  const { report } = await check('c.example');
  assertSmall(report);
  assert.ok(questions('') <= 200, `${questions('')} questions`);
  assert.ok(dns.queries.length <= 201, `${dns.queries.length} queries, one of them again over TCP`);
  assert.equal(report.mx.records.length, 20);
  assert.equal(report.mx.errors[0], 'too_many_mx_hosts: 3300 hosts, 20 examined');
  assert.ok(
    report.mx.errors.some((error) =>
      /^dns_budget_exhausted: \S+ A: a check asks at most 200 questions$/.test(error),
    ),
  );
  assert.ok(report.recommendations.some((text) => text.startsWith('MX could not be verified')));
});

test('budgets: a chain of nine aliases', async (t) => {
  const links = Array.from(
    { length: 9 },
    (_, i) => [`l${i}.i.example`, { CNAME: `l${i + 1}.i.example` }] as const,
  );
  const { check } = await setUp(t, {
    ...Object.fromEntries(links),
    'i.example': { MX: [[10, 'l0.i.example']] },
    'l9.i.example': { A: ['192.0.2.1'] },
  });
  const { report } = await check('i.example');
  assert.deepEqual(report.mx.errors, ['alias_too_long: l0.i.example A: more than 8 aliases']);
  assert.ok(report.recommendations.some((text) => text.startsWith('MX could not be verified')));
});

test('budgets: questions about the names of one other domain', async (t) => {
  const { check, questions } = await setUp(t, manyVictims('d.example', 'victim.example'));
  const { report } = await check('d.example');
  assert.equal(questions('.victim.example'), 40);
  assert.ok(
    report.spf.validation_errors.includes(
      'dns_budget_exhausted: h40.victim.example A: a check asks at most 40 questions about names under victim.example',
    ),
    report.spf.validation_errors.join('\n'),
  );
  assert.ok(
    report.recommendations.some((text) => /^SPF could not be verified \(h40.*\)\.$/.test(text)),
  );
});

test('budgets: all selectors of a public suffix may be asked', async (t) => {
  const { check } = await setUp(t, { 'co.uk': { A: ['192.0.2.1'] } });
  const { findings } = await check('co.uk', MANY_SELECTORS);
  assert.deepEqual(findings.dkim.failures, []);
});

test('budgets: a failure of the budget is not a failure of DNS', async (t) => {
  // Four records of 16,000 bytes for each selector: MX, TXT and _dmarc arrive when the bytes are
  // used up.
  const texts = Array.from({ length: 4 }, (_, i) => `${i}${'x'.repeat(15_000)}`);
  const records = Object.fromEntries(
    MANY_SELECTORS.map((name) => [`${name}._domainkey.e.example`, { TXT: texts }]),
  );
  const late = { delayMs: 400 };
  const { check } = await setUp(
    t,
    { ...records, 'e.example': { A: ['192.0.2.1'] } },
    { scripts: { 'e.example': late, '_dmarc.e.example': late } },
  );
  const { report, isDnsUnavailable } = await check('e.example', MANY_SELECTORS);
  assert.equal(isDnsUnavailable, false);
  assert.ok(
    report.dkim.some(({ validation_errors: [error] }) =>
      /^dns_budget_exhausted: .* 1024 KiB/.test(error ?? ''),
    ),
  );
  assert.equal(
    report.dkim.filter(({ validation_errors: [error] }) => error?.startsWith('selector_not_found'))
      .length,
    0,
  );
});

test('budgets: the largest report', async (t) => {
  const { check } = await setUp(t, largestReport('f.example'));
  const { report } = await check('f.example', MANY_SELECTORS);
  assertSmall(report);
  const bytes = Buffer.byteLength(JSON.stringify(report));
  assert.ok(bytes > 100_000, `${bytes} bytes are not much of a trial`);
});

test('budgets: the cache, over many domains', async (t) => {
  const cacheBytes = 1_000_000;
  const texts = Object.fromEntries(
    Array.from({ length: 200 }, (_, i) => [`n${i}.example`, { TXT: ['x'.repeat(15_000)] }]),
  );
  const { client } = await setUp(t, texts, {}, { cacheBytes });
  for (const name of Object.keys(texts)) {
    await client.forCheck(name).txt(name);
    assert.ok(client.cachedBytes <= cacheBytes, `${client.cachedBytes} bytes`);
  }
  assert.ok(client.cachedBytes > 0.9 * cacheBytes);
  const queriesFor = async (name: string) => {
    const resolver = client.forCheck(name);
    await resolver.txt(name);
    return resolver.queries;
  };
  assert.deepEqual(
    [await queriesFor('n199.example'), await queriesFor('n0.example')],
    [0, 1],
    'the oldest went first',
  );
});

for (const domain of [
  'a.local',
  'a.internal',
  'a.localhost',
  'a.home.arpa',
  'a.onion',
  'a.invalid',
  'a.test',
  'a.lan',
  '1.0.0.10.in-addr.arpa',
])
  test(`special-use names: ${domain} is not asked, and not found`, async (t) => {
    const { dns, check } = await setUp(t, {
      '*': { A: ['10.0.0.1'], TXT: ['internal'], MX: [[1, 'mx.internal']] },
    });
    const { report } = await check(domain);
    assert.deepEqual(dns.queries, []);
    assert.deepEqual(report.mx.errors, [
      `domain_not_found: ${domain} is a special-use name and is not looked up`,
    ]);
    assert.match(report.recommendations[0] ?? '', /is a special-use name/);
  });

test('special-use names: records that lead to them', async (t) => {
  const secret = 'v=spf1 ip4:10.9.8.7 -all';
  const { dns, check } = await setUp(t, {
    'g.example': {
      MX: [
        [1, 'mail.internal'],
        [2, 'redis'],
        [3, 'alias.g.example'],
      ],
      TXT: [
        'v=spf1 include:spf.internal include:alias.g.example a:db.corp exists:x.home.arpa -all',
      ],
    },
    'alias.g.example': { CNAME: 'secret.internal' },
    'secret.internal': { A: ['10.9.8.7'], TXT: [secret] },
    '_dmarc.g.example': { TXT: ['v=DMARC1; p=reject; rua=mailto:r@reports.internal'] },
    'google._domainkey.g.example': { CNAME: 'key.local' },
    'key.local': { TXT: ['v=DKIM1; p=secret'] },
  });
  const { report } = await check('g.example');
  const special = dns.queries.filter(({ name }) =>
    /(?:^|\.)(?:internal|corp|arpa|local|redis)$/.test(name),
  );
  assert.deepEqual(special, []);
  // The resolver follows aliases, into an internal zone too; what it finds there stays there.
  assert.doesNotMatch(JSON.stringify(report), /10\.9\.8\.7|p=secret/);
  assert.deepEqual(report.mx.errors, [
    'mx_target_missing: mail.internal is a special-use name and is not looked up',
    'mx_target_missing: redis is a special-use name and is not looked up',
    'mx_target_missing: alias.g.example is an alias of secret.internal, a special-use name that is not looked up',
  ]);
  assert.deepEqual(report.dkim, []);
});

test('budgets: hostile checks do not block the event loop', async (t) => {
  const zones = [
    manyIncludes('a.example', LONG_TXT_BYTES),
    manyIncludes('aa.example', 16_000),
    manySelectors('b.example', LONG_TXT_BYTES),
    manySelectors('bb.example', 16_000),
    manyMxHosts('c.example'),
    largestReport('f.example'),
  ];
  const dns = await startScriptedDnsServer(Object.assign({}, ...zones));
  t.after(() => dns.close());
  const checks = ['a', 'aa', 'b', 'bb', 'c', 'f'].map((name) => ({
    domain: `${name}.example`,
    ...(/b|f/.test(name) && { selectors: MANY_SELECTORS }),
  }));
  // In a process of its own: the event loop here is busy with the server. In several rounds: the
  // first one compiles the code.
  const data: MeasuredChecks = { server: dns.address, maxRounds: 15, limitMs: 50, checks };
  const child = fork(join(import.meta.dirname, 'measured-checks.js'), [JSON.stringify(data)]);
  t.after(() => child.kill());
  const [stalls] = (await once(child, 'message')) as [MeasuredStalls];
  t.diagnostic(`${stalls.map((ms) => ms.toFixed(1)).join(', ')} ms`);
  assert.ok(Math.min(...stalls) < 50, `${stalls} ms`);
});

test('budgets: an ordinary domain is far from all of them', async (t) => {
  const { client, dns } = await setUp(t, {
    'h.example': { MX: [[10, 'mx.h.example']], TXT: ['v=spf1 mx include:_spf.h.example -all'] },
    'mx.h.example': { A: ['192.0.2.1'] },
    '_spf.h.example': { TXT: ['v=spf1 ip4:192.0.2.0/24 -all'] },
    '_dmarc.h.example': { TXT: ['v=DMARC1; p=reject; rua=mailto:r@h.example'] },
  });
  const report = await checkDomain('h.example', { resolver: client.forCheck('h.example') });
  assert.deepEqual(errorsOf(report), [[], [], []]);
  assert.ok(dns.queries.length <= 60);
});

/**
 * Domains at a provider, as an administrator has them; each of the cases once took more than eighty
 * queries.
 */
const ORDINARY: ZoneRecords = {
  'example.com': {
    MX: [[1, 'aspmx.l.google.com']],
    TXT: ['v=spf1 include:_spf.google.com ~all'],
    A: ['192.0.2.1'],
  },
  'aspmx.l.google.com': { A: ['192.0.2.30'] },
  '_spf.google.com': { TXT: ['v=spf1 ip4:192.0.2.0/26 ~all'] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=none; rua=mailto:d@example.com'] },
};
const KEYED = { 'google._domainkey.example.com': { TXT: [KEYS.strong] } };

for (const [behaviour, more, scripts] of [
  ['with a key', KEYED, {}],
  ['without one', {}, {}],
  [
    'a wildcard for every name',
    { '*.example.com': { TXT: ['v=spf1 -all'], A: ['192.0.2.9'] } },
    {},
  ],
  [
    'a wildcard of every type',
    { '*.example.com': { TXT: ['x'], A: ['192.0.2.9'], MX: [[1, 'aspmx.l.google.com']] } },
    {},
  ],
  ['a wildcard alias', { '*.example.com': { CNAME: 'example.com' } }, {}],
  ['a wildcard for keys', { '*._domainkey.example.com': { TXT: [KEYS.strong] } }, {}],
  [
    'keys below a doubled name',
    { 'google._domainkey.example.com.example.com': { TXT: [KEYS.strong] } },
    {},
  ],
  [
    'other names below a doubled name',
    { 'x._domainkey.example.com.example.com': { A: ['192.0.2.1'] } },
    {},
  ],
  ['selectors that fail', KEYED, { do: 'SERVFAIL' }],
  ['selectors that are silent', KEYED, { do: 'drop' }],
  [
    'every subdomain sends',
    {
      ...KEYED,
      ...Object.fromEntries(
        ['mail', 'news', 'newsletter', 'email', 'mg', 'send', 'em', 'info'].map((label) => [
          `${label}.example.com`,
          { TXT: ['v=spf1 mx ~all'], MX: [[1, 'aspmx.l.google.com']] },
        ]),
      ),
    } as ZoneRecords,
    {},
  ],
  [
    'names that others can take over, and subdomains',
    {
      ...KEYED,
      'example.com': {
        ...ORDINARY['example.com'],
        TXT: [
          'v=spf1 include:_spf.google.com a:h.gone-a.com a:h.gone-b.com exists:%{i}.gone-c.com ~all',
        ],
      },
      'mail.example.com': { TXT: ['v=spf1 mx ~all'], MX: [[1, 'aspmx.l.google.com']] },
    } as ZoneRecords,
    {},
  ],
  [
    'a provider that SPF does not name',
    {
      ...KEYED,
      'example.com': { ...ORDINARY['example.com'], TXT: ['v=spf1 ip4:192.0.2.200 -all'] },
    } as ZoneRecords,
    {},
  ],
  [
    'five mail hosts and the includes of the provider',
    {
      ...KEYED,
      'example.com': {
        ...ORDINARY['example.com'],
        MX: [1, 2, 3, 4, 5].map((i) => [i, `alt${i}.aspmx.l.google.com`] as const),
      },
      ...Object.fromEntries(
        [1, 2, 3, 4, 5].map((i) => [`alt${i}.aspmx.l.google.com`, { A: ['192.0.2.30'] }]),
      ),
      '_spf.google.com': {
        TXT: ['v=spf1 include:_n1.google.com include:_n2.google.com include:_n3.google.com ~all'],
      },
      ...Object.fromEntries(
        [1, 2, 3].map((i) => [`_n${i}.google.com`, { TXT: ['v=spf1 ip4:192.0.2.0/26 ~all'] }]),
      ),
    } as ZoneRecords,
    {},
  ],
  [
    'reports elsewhere',
    { ...KEYED, '_dmarc.example.com': { TXT: ['v=DMARC1; p=none; rua=mailto:d@r.example.net'] } },
    {},
  ],
] as const satisfies readonly (readonly [string, ZoneRecords, object])[])
  test(`budgets: at most 60 queries, tries included: ${behaviour}`, async (t) => {
    const failing =
      Object.keys(scripts).length === 0 ? [] : defaultSelectors('example.com').slice(1);
    const { dns, check } = await setUp(
      t,
      { ...ORDINARY, ...more },
      {
        scripts: Object.fromEntries(
          failing.map((selector) => [`${selector}._domainkey.example.com`, scripts]),
        ),
      },
      { timeoutMs: 300 },
    );
    await check('example.com');
    t.diagnostic(`${dns.queries.length} queries`);
    assert.ok(dns.queries.length <= 60, `${dns.queries.length} queries`);
  });

test('budgets: a server that is down does not use up the second tries', async (t) => {
  const dead = await startScriptedDnsServer({}, { scripts: {} });
  await dead.close();
  const { dns } = await setUp(t, { ...ORDINARY, ...KEYED });
  const client = createDnsClient({ servers: [dead.address, dns.address] });
  t.after(() => client.close());
  const { report } = await examineDomain('example.com', {
    resolver: client.forCheck('example.com'),
  });
  assert.deepEqual([report.mx.is_valid, report.spf.is_valid, report.dkim.length], [true, true, 1]);
});
