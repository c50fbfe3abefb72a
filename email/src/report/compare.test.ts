import assert from 'node:assert/strict';
import test from 'node:test';
import { examineDomain } from '../check.ts';
import { zone } from '../dns/zone.ts';
import type { ZoneRecords } from '../dns/zone-records.ts';
import { KEYS } from '../test/dkim-keys.ts';
import { compareReports } from './compare.ts';
import { evidenceOf } from './evidence.ts';
import type { ReportChange } from './report-change.ts';

const BEFORE: ZoneRecords = {
  'example.com': { MX: [[10, 'aspmx.l.google.com']], TXT: ['v=spf1 include:spf.example.net ip4:192.0.2.0/24 -all'] },
  'aspmx.l.google.com': { A: ['192.0.2.30'] },
  'mx.zoho.eu': { A: ['192.0.2.31'] },
  'spf.example.net': { TXT: ['v=spf1 ip4:198.51.100.0/24 ~all'] },
  'google._domainkey.example.com': { TXT: [KEYS.strong] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject; rua=mailto:d@example.com'] },
};

async function reportOf(records: ZoneRecords) {
  const { report, findings } = await examineDomain('example.com', { resolver: zone(records) });
  return { ...report, evidence: evidenceOf('example.com', findings) };
}

async function changesWith(more: ZoneRecords): Promise<ReportChange[]> {
  return compareReports(await reportOf(BEFORE), await reportOf({ ...BEFORE, ...more }));
}

const lineOf = (change: ReportChange) =>
  'what' in change
    ? [change.what, ...('value' in change ? [change.value] : [change.from, change.to]), change.why ?? ''].join(' | ')
    : change.kind;

for (const [behaviour, more, line] of [
  [
    'an include that became open to everyone',
    { 'spf.example.net': { TXT: ['v=spf1 +all'] } },
    /^who may send \| the servers that are listed \| everyone \| Anyone can now send/,
  ],
  [
    'an include whose range grew',
    { 'spf.example.net': { TXT: ['v=spf1 ip4:198.0.0.0/8 ~all'] } },
    /^what include:spf\.example\.net lets send \| 256 IPv4 addresses \| 16,777,216 IPv4 addresses \| Many more servers/,
  ],
  [
    'an include that leads nowhere',
    { 'spf.example.net': {} },
    /^name that does not exist \| spf\.example\.net \| .*another owner can register it/,
  ],
  [
    'another provider',
    { 'example.com': { ...BEFORE['example.com'], MX: [[10, 'mx.zoho.eu']] } },
    /^provider \| Google \| Zoho \(eu\) \| Mail for the domain is now received elsewhere/,
  ],
  [
    'a key that was added',
    { 's1._domainkey.example.com': { TXT: [KEYS.weak] } },
    /^key \| s1, rsa 1024, fingerprint [0-9a-f]{16} \| The owner of this key can sign/,
  ],
  [
    'a key that was removed',
    { 'google._domainkey.example.com': {} },
    /^key \| google, rsa 2048, fingerprint [0-9a-f]{16} \| Mail that is signed with this key/,
  ],
  [
    'a weaker policy',
    { '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject; pct=10; rua=mailto:d@example.com'] } },
    /^policy in force \| reject \| reject for 10 % \| Receivers refuse less/,
  ],
  [
    'a policy in test mode',
    { '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject; t=y; rua=mailto:d@example.com'] } },
    /^policy in force \| reject \| reject in test mode \(t=y\) \| Receivers refuse less/,
  ],
  [
    'two policies',
    { '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject', 'v=DMARC1; p=none'] } },
    /^policy in force \| reject \| no policy \| Receivers refuse less/,
  ],
  [
    'a weaker policy for names that do not exist',
    { '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject; np=none; rua=mailto:d@example.com'] } },
    /^policy for names that do not exist \| none \| Others can send as subdomains/,
  ],
  [
    'reports that go nowhere',
    { '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject'] } },
    /^report address \| mailto:d@example\.com \| Reports no longer go to this address/,
  ],
  [
    'a key in test mode',
    { 'google._domainkey.example.com': { TXT: [`${KEYS.strong}; t=y`] } },
    /^key google \| in use \| in test mode \(t=y\) \| Receivers are asked to treat mail with this key as not signed/,
  ],
  [
    'another key under its selector',
    { 'google._domainkey.example.com': { TXT: [KEYS.weak] } },
    /^key \| google, rsa 2048, fingerprint [0-9a-f]{16} \| Mail that is signed with this key/,
  ],
  [
    '~all after -all',
    { 'example.com': { ...BEFORE['example.com'], TXT: ['v=spf1 include:spf.example.net ip4:192.0.2.0/24 ~all'] } },
    /^record \| v=spf1 .* -all \| v=spf1 .* ~all \| Receivers are told less/,
  ],
  [
    'a weaker policy for subdomains',
    { '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject; sp=none; rua=mailto:d@example.com'] } },
    /^policy for subdomains \| reject \| none \| Others can send as subdomains/,
  ],
  [
    'reports that go to another address',
    { '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject; rua=mailto:x@example.com'] } },
    /^report address \| mailto:x@example\.com \| Reports name every server/,
  ],
] as const satisfies readonly (readonly [string, ZoneRecords, RegExp])[])
  test(`compare: ${behaviour}`, async () => {
    const lines = (await changesWith(more)).map(lineOf);
    assert.ok(
      lines.some((text) => line.test(text)),
      lines.join('\n'),
    );
  });

test('compare: nothing has changed', async () => assert.deepEqual(await changesWith({}), []));

test('compare: a key that moved to another selector is the same key', async () => {
  const changes = await changesWith({
    'google._domainkey.example.com': {},
    's1._domainkey.example.com': { TXT: [KEYS.strong] },
  });
  assert.deepEqual(changes.filter(({ kind }) => kind !== 'score').map(lineOf), []);
});

for (const [behaviour, more, parts] of [
  ['an include', { 'spf.example.net': { fail: 'SERVFAIL' } }, ['spf']],
  ['a selector', { 'google._domainkey.example.com': { fail: 'timeout' } }, ['dkim']],
  ['a selector beside a key', { 's2._domainkey.example.com': { fail: 'timeout' } }, ['dkim']],
  ['the policy', { '_dmarc.example.com': { fail: 'SERVFAIL' } }, ['dmarc']],
  ['the MX host', { 'aspmx.l.google.com': { fail: 'SERVFAIL' } }, ['mx']],
] as const satisfies readonly (readonly [string, ZoneRecords, readonly string[]])[])
  test(`compare: a failure of DNS is not a change: ${behaviour}`, async () => {
    const changes = await changesWith(more);
    assert.deepEqual(
      changes.map((change) => [change.kind, 'part' in change ? change.part : '']),
      parts.map((part) => ['unverified', part]),
    );
    const back = compareReports(await reportOf({ ...BEFORE, ...more }), await reportOf(BEFORE));
    assert.deepEqual(back, []);
  });

test('compare: reports without evidence are compared by what they have', async () => {
  const { evidence: _, ...before } = await reportOf(BEFORE);
  const { evidence: __, ...now } = await reportOf({ ...BEFORE, '_dmarc.example.com': { TXT: ['v=DMARC1; p=none'] } });
  assert.equal(compareReports(before, now)[1]?.kind, 'changed');
});
