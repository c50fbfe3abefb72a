/** What a change of records would break, whatever the score does. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import { examineDomain } from '../check.ts';
import { changeRecords } from '../dns/changed-zone.ts';
import { parseRecordLines } from '../dns/record-lines.ts';
import { zone } from '../test/zone.ts';
import { judgeChange } from './judge-change.ts';

const KEY = 'v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';
const READY: ZoneRecords = {
  'example.com': { MX: [[10, 'mx.example.com']], TXT: ['v=spf1 mx include:spf.example.net ~all'] },
  'mx.example.com': { A: ['192.0.2.25'] },
  'spf.example.net': { TXT: ['v=spf1 ip4:198.51.100.0/24 -all'] },
  'default._domainkey.example.com': { TXT: [KEY] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=none; rua=mailto:d@example.com'] },
};
const { '_dmarc.example.com': _, ...NO_POLICY } = READY;
const { 'default._domainkey.example.com': __, ...NO_KEY } = READY;
const MAILCHIMP: ZoneRecords = {
  ...READY,
  'example.com': { MX: [[10, 'mx.example.com']], TXT: ['v=spf1 mx include:servers.mcsv.net ~all'] },
  'servers.mcsv.net': { TXT: ['v=spf1 ip4:205.201.128.0/20 -all'] },
};
const STRICT: ZoneRecords = {
  ...READY,
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject; rua=mailto:d@example.com'] },
};
const SUBDOMAIN: ZoneRecords = {
  ...READY,
  'mail.example.com': { MX: [[10, 'mx.example.com']], TXT: ['v=spf1 mx -all'] },
};
const NONE_LOST = { ipv4Addresses: 0, ipv6Slash48s: 0 };
const reports = 'rua=mailto:d@example.com';

for (const [behaviour, records, file, want] of [
  [
    'the next step of a domain that is ready',
    READY,
    `_dmarc TXT "v=DMARC1; p=quarantine; ${reports}"`,
    [],
  ],
  ['a step is skipped', READY, `_dmarc TXT "v=DMARC1; p=reject; ${reports}"`, ['step_skipped']],
  [
    'a first policy that is strict',
    NO_POLICY,
    `_dmarc TXT "v=DMARC1; p=reject; ${reports}"`,
    ['step_skipped', 'step_skipped'],
  ],
  [
    'a service that does not sign, under a strict policy',
    { ...STRICT, 'servers.mcsv.net': { TXT: ['v=spf1 ip4:205.201.128.0/20 -all'] } },
    '@ TXT "v=spf1 mx include:spf.example.net include:servers.mcsv.net ~all"',
    ['mail_refused_now'],
  ],
  ['a first policy of none', NO_POLICY, `_dmarc TXT "v=DMARC1; p=none; ${reports}"`, []],
  [
    'a step without a key',
    NO_KEY,
    `_dmarc TXT "v=DMARC1; p=quarantine; ${reports}"`,
    ['step_skipped'],
  ],
  [
    'a step although a service does not sign',
    MAILCHIMP,
    `_dmarc TXT "v=DMARC1; p=quarantine; ${reports}"`,
    ['step_skipped'],
  ],
  [
    '-all although a service does not sign',
    MAILCHIMP,
    '@ TXT "v=spf1 mx include:servers.mcsv.net -all"',
    ['step_skipped'],
  ],
  ['-all of a domain that is ready', READY, '@ TXT "v=spf1 mx include:spf.example.net -all"', []],
  [
    'reports that are lost with a stricter policy',
    READY,
    '_dmarc TXT "v=DMARC1; p=quarantine"',
    ['step_skipped', 'reports_lost'],
  ],
  [
    'reports to a domain that does not take them',
    READY,
    '_dmarc TXT "v=DMARC1; p=none; rua=mailto:d@example.net"',
    ['reports_lost'],
  ],
  [
    'a policy that is weaker',
    STRICT,
    `_dmarc TXT "v=DMARC1; p=none; ${reports}"`,
    ['policy_weaker'],
  ],
  ['a policy that is removed', STRICT, '_dmarc TXT ""', ['reports_lost', 'policy_weaker']],
  ['no server may send', READY, '@ TXT "v=spf1 ~all"', ['senders_lost']],
  ['a service that may no longer send', MAILCHIMP, '@ TXT "v=spf1 mx ~all"', ['senders_lost']],
  ['everyone may send', READY, '@ TXT "v=spf1 +all"', ['anyone_can_send']],
  ['a record that is not valid', READY, '@ TXT "v=spf1 mx ip4:300.0.0.1 ~all"', ['spf_invalid']],
  ['two records', READY, '@ TXT "v=spf1 mx ~all"\n@ TXT "v=spf1 a ~all"', ['spf_invalid']],
  [
    'an include that anyone can register',
    READY,
    '@ TXT "v=spf1 mx include:spf.example.net include:spf.free.org ~all"',
    ['takeover', 'spf_invalid'],
  ],
  [
    'an MX host that anyone can register',
    READY,
    '@ MX 10 mx.free.org.',
    ['reports_lost', 'takeover', 'mail_lost'],
  ],
  ['a key that is revoked', READY, 'default._domainkey TXT "v=DKIM1; p="', ['keys_lost']],
  ['a null MX', READY, '@ MX 0 .', ['reports_lost', 'mail_lost']],
  ['another MX host', READY, '@ MX 5 mx.example.com.', []],
  [
    'a domain that is set up to send no mail',
    { 'example.com': { A: ['192.0.2.1'] } },
    '@ MX 0 .\n@ TXT "v=spf1 -all"\n_dmarc TXT "v=DMARC1; p=reject"',
    [],
  ],
  [
    'a subdomain that sends',
    SUBDOMAIN,
    `_dmarc TXT "v=DMARC1; p=quarantine; ${reports}"`,
    ['subdomains_refused'],
  ],
] as readonly (readonly [string, ZoneRecords, string, string[]])[])
  test(`a tried change: ${behaviour}`, async () => {
    const before = await examineDomain('example.com', { resolver: zone(records) });
    const { records: tried, fault } = parseRecordLines(file, 'example.com');
    assert.equal(fault, undefined);
    const resolver = changeRecords('example.com', zone(records), { records: tried }, before);
    const after = await examineDomain('example.com', { resolver });
    const risks = judgeChange('example.com', before, after, NONE_LOST);
    assert.deepEqual(
      risks.map(({ code }) => code),
      want,
      JSON.stringify(risks, null, 1),
    );
  });

test('a tried change: what would be safe later is named', async () => {
  const before = await examineDomain('example.com', { resolver: zone(MAILCHIMP) });
  const tried = { dmarc: `v=DMARC1; p=quarantine; ${reports}` };
  const after = await examineDomain('example.com', {
    resolver: changeRecords('example.com', zone(MAILCHIMP), tried),
  });
  const [risk] = judgeChange('example.com', before, after, NONE_LOST);
  assert.match(risk?.text ?? '', /^p=quarantine would be safe when Mailchimp signs as you/);
});
