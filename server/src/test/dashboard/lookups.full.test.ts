/** Look-ups, dataset, traffic and health in the dashboard, over HTTP. */

import assert from 'node:assert/strict';
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { until } from '@whence/testing/until';
import type { DataAges } from '../../dashboard/wire/dataset.ts';
import { dayOfMs } from '../../day.ts';
import { openTestStorage } from '../storage/engines.ts';
import { SAMPLE, startInProcess, TestFolder } from '../test-server.ts';
import { DashboardClient, signedInAs } from './dashboard-client.ts';

/** The first trial gets no answer: two tries, and two without validation. */
const LAME_AT_FIRST = {
  scripts: {
    'lame.example': [
      ...Array.from({ length: 4 }, () => ({ do: 'SERVFAIL' as const })),
      { do: 'answer' as const },
    ],
  },
};
/** An hour ago: payloads of another day are not used. */
const ROAS_WRITTEN = new Date(Math.floor(Date.now() / 1000) * 1000 - 3_600_000);
const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let dns: ScriptedDnsServer;
let admin: DashboardClient;
let viewer: DashboardClient;

before(async () => {
  folder.publish({ ...SAMPLE, tor: [] });
  folder.publish();
  dns = await startScriptedDnsServer(
    {
      'example.com': { TXT: ['v=spf1 include:spf.example.net -all'] },
      'spf.example.net': { TXT: ['v=spf1 a:nothing.example.net -all'] },
      'google.example.net': { TXT: ['v=spf1 ip4:8.8.8.0/24 -all'] },
      'flaky.example': { TXT: ['v=spf1 include:lame.example -all'], MX: [[0, '.']] },
      'lame.example': { TXT: ['v=spf1 ip4:8.8.8.0/24 -all'] },
      '8.8.8.8.in-addr.arpa': { PTR: ['dns.google.example'] },
      'dns.google.example': { A: ['8.8.8.8'] },
      '9.8.8.8.in-addr.arpa': { fail: 'SERVFAIL' },
    },
    LAME_AT_FIRST,
  );
  const vrps = join(folder.dataDir, 'vrps.json');
  writeFileSync(vrps, JSON.stringify({ roas: [{ asn: 15169, prefix: '8.8.8.0/24' }] }));
  utimesSync(vrps, ROAS_WRITTEN, ROAS_WRITTEN);
  server = await startInProcess(folder, undefined, {
    WHENCE_DNS_SERVERS: dns.address,
    WHENCE_RPKI: vrps,
  });
  admin = await signedInAs(folder, server.url, 'Ada', 'admin');
  viewer = await signedInAs(folder, server.url, 'Vera', 'viewer');
});
after(async () => {
  await server.close();
  await dns.close();
  folder.remove();
});

test('lookup: an address with its evidence and the credits of its sources', async () => {
  const { record, evidence, credits, limits } = await viewer.get('lookUpIp', {
    params: { ip: '8.8.8.8' },
  });
  const secret = (await folder.createKey()).secret;
  const response = await fetch(`${server.url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': secret } });
  assert.deepEqual(
    record,
    ((await response.json()) as { data: unknown }).data,
    'the record is that of the API',
  );
  assert.ok(evidence.some(({ field, licence }) => field === 'asn' && licence !== ''));
  assert.ok(credits.length > 0);
  assert.deepEqual(
    limits.unknown,
    ['is_proxy', 'is_vpn', 'blocklists', 'criminal_netblocks', 'relay'],
    'what no source of the sample knows',
  );
  assert.deepEqual(limits.dated, [], 'lasting facts of a table have no limit');
});

test('lookup: an address with the networks that announce it, by ROA data of its date', async () => {
  const get = (ip: string) => viewer.get('lookUpIp', { params: { ip } });
  await until('the ROA data is read', async () => (await get('8.8.8.8')).rpki_as_of !== undefined, {
    everyMs: 20,
  });
  const { routing, rpki_as_of, privacy } = await get('8.8.8.8');
  assert.deepEqual(routing, {
    origins: [{ asn: 15169, asn_name: 'Google LLC', rpki: 'valid' }],
    connection_type_source: 'table',
    roas: [{ asn: 15169, prefix: '8.8.8.0/24', max_length: 24 }],
  });
  assert.deepEqual([rpki_as_of, privacy], [ROAS_WRITTEN.toISOString(), undefined]);
  assert.deepEqual((await get('1.0.9.9')).privacy, { kind: 'tor' });
  const { rpki } = await viewer.get('lookUpAsn', { params: { asn: '15169' } });
  assert.deepEqual(rpki, { states: ['valid', 'not_found'], as_of: ROAS_WRITTEN.toISOString() });
});

test('lookup: an address with how its record changed over the versions that are kept', async () => {
  const { changes } = await viewer.get('lookUpHistory', { params: { ip: '1.0.9.9' } });
  assert.deepEqual(
    changes.map(({ from_version, record }) => [from_version, record?.detection.is_tor_exit]),
    [
      [2, true],
      [1, false],
    ],
  );
  assert.equal(
    (await viewer.try('lookUpHistory', { params: { ip: 'x' } })).data.code,
    'INVALID_IP',
  );
});

for (const [behaviour, ip, want] of [
  ['a confirmed name', '8.8.8.8', { name: 'dns.google.example', is_confirmed: true }],
  ['none', '8.8.8.7', {}],
  ['DNS does not answer', '8.8.8.9', { error: 'dns_temporary_failure' }],
] as const) {
  test(`lookup: the hostname of an address: ${behaviour}`, async () => {
    const { hostname, asked_at } = await viewer.get('lookUpHostname', { params: { ip } });
    assert.deepEqual(hostname, want);
    assert.ok(Date.parse(asked_at) <= Date.now());
  });
}

for (const [behaviour, ip, status, code] of [
  ['text that is no address', 'not-an-address', 400, 'INVALID_IP'],
  ['an address with a zone', 'fe80::1%eth0', 400, 'INVALID_IP'],
  ['an unannounced address', '5.5.5.5', 404, 'NOT_FOUND'],
] as const) {
  test(`lookup: ${behaviour} is refused as by the API`, async () => {
    const answer = await viewer.try('lookUpIp', { params: { ip } });
    assert.deepEqual([answer.status, answer.data.code], [status, code]);
  });
}

test('lookup: a private address says which range it is from', async () => {
  const { status, data } = await viewer.try('lookUpIp', { params: { ip: '10.0.0.1' } });
  assert.deepEqual(
    [status, data.details?.['prefix'], data.details?.['rfc']],
    [404, '10.0.0.0/8', 'RFC 1918'],
  );
});

test('lookup: a prefix with its parts, the largest first, and what they add up to', async () => {
  const summary = await viewer.get('lookUpPrefix', {
    params: { address: '1.0.8.0', length: '23' },
  });
  assert.deepEqual(
    [
      summary.prefix,
      summary.size,
      summary.announced,
      summary.covered_by?.prefix,
      summary.part_count,
    ],
    ['1.0.8.0/23', 512, 512, '1.0.0.0/16', 3],
  );
  assert.deepEqual(
    summary.parts.map(({ first, last, flags }) => [first, last, flags.includes('is_tor_exit')]),
    [
      ['1.0.8.0', '1.0.9.8', false],
      ['1.0.9.10', '1.0.9.255', false],
      ['1.0.9.9', '1.0.9.9', true],
    ],
  );
  assert.deepEqual(summary.flags.find(({ value }) => value === 'is_tor_exit')?.addresses, 1);
  assert.equal(summary.networks[0]?.addresses, 512);
});

test('lookup: a prefix that is partly announced, one of IPv6, one with host bits', async () => {
  const wide = await viewer.get('lookUpPrefix', { params: { address: '8.8.8.0', length: '23' } });
  assert.deepEqual(
    [wide.size, wide.announced, wide.covered_by, wide.parts.length],
    [512, 256, undefined, 1],
  );
  const six = await viewer.get('lookUpPrefix', {
    params: { address: '2001:4860::', length: '33' },
  });
  const pasted = await viewer.get('lookUpPrefix', { params: { address: '8.8.8.8', length: '24' } });
  assert.equal(pasted.prefix, '8.8.8.0/24');
  assert.deepEqual(
    [pasted.covered_by?.rpki, pasted.parts[0]?.rpki],
    ['valid', 'valid'],
    'by ROA data',
  );
  assert.deepEqual(
    [six.unit, six.size, six.announced, six.parts.length],
    ['slash64s', 2 ** 31, 2 ** 31, 1],
  );
});

for (const [behaviour, address, length, code] of [
  ['a length beyond the address', '8.8.8.0', '33', 'INVALID_PREFIX'],
  ['all of IPv4', '0.0.0.0', '0', 'INVALID_REQUEST'],
  ['no address', 'example.com', '24', 'INVALID_PREFIX'],
] as const) {
  test(`lookup: a prefix with ${behaviour} is refused`, async () => {
    assert.equal(
      (await viewer.try('lookUpPrefix', { params: { address, length } })).data.code,
      code,
    );
  });
}

test('lookup: a network with its prefixes and the types of its addresses', async () => {
  const network = await viewer.get('lookUpAsn', { params: { asn: 'AS15169' } });
  const { record, connection_types, countries, is_sample, prefix_kinds } = network;
  assert.deepEqual(
    [record.asn_name, record.prefixes],
    ['Google LLC', { ipv4: ['8.8.8.0/24'], ipv6: ['2001:4860::/32'] }],
  );
  assert.deepEqual(
    [connection_types, is_sample],
    [[{ value: 'datacenter', addresses: 256 }], false],
  );
  assert.deepEqual(countries, [{ value: 'US', addresses: 256 }]);
  assert.deepEqual(prefix_kinds, {
    kinds: [{ connection_type: 'datacenter', country: 'US', flags: [] }],
    of: [0, 0],
  });
  const exits = await viewer.get('lookUpAsn', { params: { asn: '64500' } });
  assert.deepEqual(
    exits.prefix_kinds.kinds[0]?.flags,
    ['is_tor_exit'],
    'a flag of one address is a flag inside',
  );
  assert.equal((await viewer.try('lookUpAsn', { params: { asn: '64499' } })).status, 404);
});

test('lookup: networks by name', async () => {
  const { results } = await viewer.get('searchAsn', { query: { q: 'EXAMPLE' } });
  assert.equal(results[0]?.asn, 64500);
  assert.equal((await viewer.try('searchAsn', { query: { q: ' ' } })).data.code, 'MISSING_QUERY');
});

test('lookup: a domain with points by part and the tree of its SPF record', async () => {
  const { report, points, advice, spf_tree } = await viewer.get('checkDomain', {
    params: { domain: 'example.com' },
  });
  const sum = Object.values(points).reduce((total, part) => total + part.points, 0);
  assert.equal(sum, report.domain_auth_score);
  assert.ok(advice.length > 0 && advice.every(({ text }) => text !== ''));
  assert.equal(spf_tree.name, 'example.com');
  assert.deepEqual(
    spf_tree.children.map(({ name, via, lookups }) => [name, via, lookups]),
    [['spf.example.net', 'include:spf.example.net', 2]],
  );
  assert.equal(
    (await viewer.try('checkDomain', { params: { domain: '192.0.2.1' } })).data.code,
    'INVALID_DOMAIN',
  );
});

test('lookup: a change of records is tried, and only names that it brings are asked of DNS', async () => {
  const params = { domain: 'example.com' };
  const { report } = await viewer.get('checkDomain', { params });
  const spf = 'v=spf1 include:google.example.net -all';
  const dmarc = 'v=DMARC1; p=reject; rua=mailto:d@example.com';
  const first = await viewer.get('tryDomain', { params, body: { dmarc } });
  assert.equal(first.before.score, report.domain_auth_score);
  assert.equal(first.after.score, report.domain_auth_score + 35);
  assert.deepEqual(first.after.points.spf, first.before.points.spf);
  assert.ok(first.vanished.some(({ part }) => part === 'dmarc'));
  assert.deepEqual(first.appeared, []);

  const asked = dns.queries.length;
  const { before, after, lookups, senders } = await viewer.get('tryDomain', {
    params,
    body: { spf, dmarc },
  });
  const brought = dns.queries.slice(asked).map(({ name, type }) => `${name} ${type}`);
  assert.deepEqual([...new Set(brought)], ['google.example.net TXT']);
  assert.deepEqual(lookups, { before: 2, after: 1, limit: 10 });
  assert.deepEqual([before.ipv4_addresses, after.ipv4_addresses], [0, 256]);
  const google = { asn: 15169, asn_name: 'Google LLC', ipv4_addresses: 256, ipv6_48s: 0 };
  assert.deepEqual(senders, { gained: [google], lost: [] });

  const broken = await viewer.get('tryDomain', {
    params,
    body: { spf: 'v=spf1 ip4:192.0.2.0/33 -all' },
  });
  assert.deepEqual(
    broken.appeared.map(({ part, text }) => [part, text.split(':', 1)[0]]),
    [['spf', 'syntax_error']],
  );
  assert.equal(dns.queries.length, asked + brought.length, 'a record without names asks nothing');
});

test('lookup: what DNS did not answer for the domain as it is does not seem repaired by a change', async () => {
  const params = { domain: 'flaky.example' };
  for (let trial = 0; trial < 2; trial++) {
    const { before, after, vanished } = await viewer.get('tryDomain', {
      params,
      body: { dmarc: 'v=DMARC1; p=reject' },
    });
    assert.deepEqual([before.points.spf, after.points.spf], trial === 0 ? [0, 0] : [25, 25]);
    assert.ok(vanished.every(({ part }) => part === 'dmarc'));
  }
});

for (const [behaviour, domain, body, status, code] of [
  ['a record that is too long', 'example.com', { spf: 'x'.repeat(16_385) }, 400, 'INVALID_REQUEST'],
  [
    'a field that does not exist',
    'example.com',
    { host: 'mail.example.com' },
    400,
    'INVALID_REQUEST',
  ],
  ['records that cannot be read', 'example.com', { zone: '@ TXT "x' }, 400, 'INVALID_REQUEST'],
  ['nothing', 'example.com', {}, 400, 'INVALID_REQUEST'],
  [
    'a key without a selector',
    'example.com',
    { dkim: { selector: '', text: 'p=' } },
    400,
    'INVALID_SELECTOR',
  ],
  [
    'two selectors for one key',
    'example.com',
    { dkim: { selector: 'a,b', text: 'p=' } },
    400,
    'INVALID_SELECTOR',
  ],
  ['text that is no domain', '192.0.2.1', { spf: '' }, 400, 'INVALID_DOMAIN'],
] as const) {
  test(`lookup: trying ${behaviour} is refused`, async () => {
    const answer = await viewer.try('tryDomain', { params: { domain }, body });
    assert.deepEqual([answer.status, answer.data.code], [status, code]);
  });
}

test('lookup: a batch has an entry for every text, also __proto__', async () => {
  const ips = ['8.8.8.8', '10.0.0.1', 'x', '__proto__', '8.8.8.8'];
  const response = await viewer.ask('lookUpBatch', { body: { ips } });
  const { data } = JSON.parse(await response.text()) as {
    data: Record<string, { code?: string; asn?: number }>;
  };
  assert.deepEqual(Object.keys(data), ['8.8.8.8', '10.0.0.1', 'x', '__proto__']);
  assert.deepEqual(
    [data['8.8.8.8']?.asn, data['10.0.0.1']?.code, data['x']?.code],
    [15169, 'NOT_FOUND', 'INVALID_IP'],
  );
  const tooMany = await viewer.try('lookUpBatch', {
    body: { ips: new Array(1_001).fill('8.8.8.8') },
  });
  assert.deepEqual([tooMany.status, tooMany.data.code], [400, 'BATCH_TOO_LARGE']);
});

test('lookup: ten thousand addresses', async () => {
  for (let i = 0; i < 10; i++) {
    const ips = Array.from({ length: 1_000 }, (_, n) => `3.${i}.${n >> 8}.${n & 255}`);
    assert.equal((await viewer.ask('lookUpBatch', { body: { ips } })).status, 200);
  }
});

test('lookup: counts for the account', async () => {
  await until('it is in the statistics of the account', async () => {
    const { counts, total } = await viewer.get('getUsage', { query: { by: 'endpoint' } });
    return counts.in_dashboard > 0 && total === 0;
  });
  assert.match(await (await admin.ask('exportUsage')).text(), /,Vera \(dashboard\),ip,2,/);
});

test('lookup: refused when the daily limit of the account is used up, for this account only', async () => {
  const busy = await signedInAs(folder, server.url, 'Busy', 'viewer');
  const session = await busy.get('getSession');
  if (session.state !== 'signed_in') assert.fail();
  const storage = await openTestStorage(folder.dataDir);
  try {
    const day = dayOfMs(server.clock.nowMs);
    const lease = { keyId: `account:${session.account.id}`, day, owner: 'test.1' };
    const limit = session.lookups_per_day;
    await storage.leases.take(lease, {
      wanted: limit - 1,
      limit,
      spent: 0,
      opened: 0,
      open: limit,
    });
    await storage.leases.end([{ ...lease, spent: limit - 1 }]);
  } finally {
    await storage.close();
  }
  assert.equal((await busy.ask('lookUpIp', { params: { ip: '8.8.8.8' } })).status, 200);
  const { status, data } = await busy.try('lookUpIp', { params: { ip: '8.8.8.8' } });
  assert.deepEqual([status, data.code], [429, 'RATE_LIMIT_EXCEEDED']);
  assert.equal((await viewer.ask('lookUpIp', { params: { ip: '8.8.8.8' } })).status, 200);
});

test('public lookups: off unless they are allowed, then throttled by address, and never in batches', async () => {
  const visitor = new DashboardClient(server.url);
  assert.equal(
    (await visitor.try('lookUpIp', { params: { ip: '8.8.8.8' } })).data.code,
    'SIGNED_OUT',
  );
  const overrides = join(folder.dataDir, 'labels.json');
  writeFileSync(
    overrides,
    JSON.stringify({ relabel: [{ prefix: '8.8.8.0/24', labels: ['watched'] }] }),
  );
  const settings = { WHENCE_PUBLIC_LOOKUPS: 'on', WHENCE_OVERRIDES: overrides };
  const open = await startInProcess(folder, undefined, settings);
  try {
    const guest = new DashboardClient(open.url);
    const state = await guest.get('getSession');
    assert.ok(state.state === 'signed_out' && state.has_public_lookups);
    const seen = await guest.get('lookUpIp', { params: { ip: '8.8.8.8' } });
    assert.deepEqual(
      [seen.record.asn, seen.labels],
      [15169, undefined],
      'labels are for people with an account',
    );
    assert.equal((await guest.get('lookUpAsn', { params: { asn: '15169' } })).record.asn, 15169);
    assert.equal(
      (await guest.try('lookUpBatch', { body: { ips: ['8.8.8.8'] } })).data.code,
      'SIGNED_OUT',
    );
    assert.equal((await guest.try('getDataset')).data.code, 'SIGNED_OUT');
    const statuses = new Set<number>();
    for (let i = 0; i < 60; i++)
      statuses.add((await guest.ask('lookUpIp', { params: { ip: '8.8.8.8' } })).status);
    assert.deepEqual([...statuses].sort(), [200, 429]);
    const client = await signedInAs(folder, open.url, 'Account beside visitors', 'viewer');
    assert.deepEqual((await client.get('lookUpIp', { params: { ip: '8.8.8.8' } })).labels, [
      'watched',
    ]);
  } finally {
    await open.close();
    rmSync(overrides);
  }
});

test('dashboard: an answer above 1 kB is compressed, unless it has a token; the ages of the data are few bytes', async () => {
  const headers = { 'Accept-Encoding': 'gzip' };
  const encodingOf = async (name: 'getDataset' | 'getSession' | 'getUpdate') =>
    (await viewer.ask(name, { headers })).headers.get('content-encoding');
  assert.deepEqual(
    [await encodingOf('getDataset'), await encodingOf('getSession'), await encodingOf('getUpdate')],
    ['gzip', null, null],
  );
  const ages = await viewer.ask('getDataAges', { headers: { 'Accept-Encoding': 'identity' } });
  const text = await ages.text();
  assert.ok(text.length < 3_000, `${text.length} bytes`);
  const { data } = JSON.parse(text) as { data: DataAges };
  assert.deepEqual([data.version, data.groups[0]?.group], [2, 'prefix']);
});

test('dataset: what is served, back to a version and forward again', async () => {
  const page = await viewer.get('getDataset');
  assert.deepEqual(
    [page.report?.version, page.report?.versions.length, page.update.outcome],
    [2, 2, 'never'],
  );
  assert.deepEqual(await admin.get('useVersion', { body: { version: 1 } }), { version: 1 });
  assert.equal((await viewer.get('getDataset')).report?.version, 1);
  assert.equal(
    (await admin.try('useVersion', { body: { version: 9 } })).data.code,
    'VERSION_NOT_FOUND',
  );
  await admin.get('useVersion', { body: { version: 2 } });
  const { entries } = await admin.get('listAudit', { query: { action: 'dataset.version_used' } });
  assert.deepEqual(
    entries.map(({ target, details }) => [target, details?.['from']]),
    [
      ['2', '1'],
      ['1', '2'],
    ],
  );
});

test('dataset: a server that pulls its datasets does not update', async () => {
  const replica = await startInProcess(folder, undefined, {
    WHENCE_DATASET_URL: 'file:///nowhere/',
  });
  try {
    const client = await signedInAs(folder, replica.url, 'Replica admin', 'admin');
    assert.equal((await client.get('getUpdate')).schedule.can_start, false);
    assert.equal((await client.try('startUpdate')).data.code, 'UPDATE_UNAVAILABLE');
  } finally {
    await replica.close();
  }
});

test('health: every process that shares the storage is listed', async () => {
  const second = await startInProcess(folder);
  try {
    const { processes, storage, dataset } = await admin.get('getHealth');
    assert.deepEqual([processes.length, processes.filter(({ is_this }) => is_this).length], [2, 1]);
    assert.ok(
      processes.every(({ memory_bytes, pid }) => memory_bytes > 1e6 && pid === process.pid),
    );
    assert.deepEqual([storage, dataset.state], [{ engine: 'SQLite', state: 'ok' }, 'ok']);
  } finally {
    await second.close();
  }
  assert.equal((await admin.get('getHealth')).processes.length, 1);
});

test('settings: all of them, with their values', async () => {
  const { settings } = await admin.get('getSettings');
  assert.equal(
    settings.find(({ variable }) => variable === 'WHENCE_DATA_DIR')?.value,
    folder.dataDir,
  );
});

test('traffic: outlives the process that counted it', async () => {
  const short = await startInProcess(folder);
  const { secret } = await folder.createKey();
  const ask = (key: string) =>
    fetch(`${short.url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': key } });
  for (let i = 0; i < 5; i++) await (await ask(secret)).arrayBuffer();
  await (await ask('wrong')).arrayBuffer();
  await short.close();
  const { hours, latency, cache, refused } = await admin.get('getTraffic');
  assert.equal(hours.length, 24);
  assert.ok((hours.at(-1)?.requests ?? 0) >= 6);
  assert.ok(
    refused.unauthorized >= 1 &&
      cache.hits >= 1 &&
      latency.p99_ms > 0 &&
      latency.p50_ms <= latency.p99_ms,
  );
  assert.ok((await admin.get('getOverview')).today.without_key);
});

test('overview: what is left of a first run, for people who can create keys', async () => {
  const newcomer = await signedInAs(folder, server.url, 'Newton', 'member');
  const { first_run, update, dataset } = await newcomer.get('getOverview');
  assert.deepEqual([first_run?.has_looked_up, first_run?.has_used_key], [false, false]);
  assert.deepEqual(
    [update.outcome, dataset?.data_as_of, dataset?.limits.unknown],
    ['never', '2026-11-01', ['is_proxy', 'is_vpn', 'blocklists', 'criminal_netblocks', 'relay']],
  );
  assert.equal((await viewer.get('getOverview')).first_run, undefined);
});

test('lookup: an account has a rate, beside its limit per day', async () => {
  const hasty = await signedInAs(folder, server.url, 'Hasty', 'viewer');
  const refused: Response[] = [];
  const lanes = Array.from({ length: 50 }, async () => {
    for (let i = 0; i < 50 && refused.length === 0; i++) {
      const response = await hasty.ask('lookUpIp', { params: { ip: '8.8.8.8' } });
      if (response.status !== 200) refused.push(response);
    }
  });
  await Promise.all(lanes);
  const [first = assert.fail('none is refused')] = refused;
  assert.deepEqual([first.status, first.headers.get('retry-after')], [429, '1']);
  assert.equal(
    ((await first.json()) as { data: { code: string } }).data.code,
    'RATE_LIMIT_EXCEEDED',
  );
  await viewer.get('lookUpIp', { params: { ip: '8.8.8.8' } });
});
