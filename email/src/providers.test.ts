import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { providerOf, providerSelectors } from './providers.ts';

const NAMES = /^(?:[a-z0-9_.-]+(?: |$))*$/;

for (const [behaviour, mx, spf, want] of [
  ['by MX', ['mx.zoho.eu'], [], ['zmail', 'zoho']],
  [
    'by the name that SPF includes',
    [],
    ['v=spf1 include:_spf.mail.hostinger.com ~all'],
    ['hostingermail-a', 'hostingermail-b', 'hostingermail-c'],
  ],
  [
    'in a record that is written wrongly',
    [],
    ['v=spf1 include=_spf.mx.cloudflare.net'],
    ['cf2024-1'],
  ],
  [
    'of a HubSpot account',
    [],
    ['v=spf1 include:1234567.spf04.hubspotemail.net ~all'],
    ['hs1-1234567', 'hs2-1234567'],
  ],
  [
    'each once',
    ['mxa.mailgun.org', 'mxb.mailgun.org'],
    ['v=spf1 include:mailgun.org'],
    ['pic', 'mailo', 'k1'],
  ],
  ['none for others', ['mx.example.com'], ['v=spf1 include:spf.example.net'], []],
  ['not for a name that only ends alike', ['mx.notzoho.eu'], ['v=spf1 include:xmailgun.org'], []],
] as const)
  test(`providers: selectors ${behaviour}`, () =>
    assert.deepEqual(providerSelectors(mx, spf), want));

test('providers: an instance in a cloud is not its mail service', () => {
  assert.equal(providerOf('ec2-192-0-2-1.compute.amazonaws.com'), undefined);
  assert.equal(providerOf('inbound-smtp.eu-west-1.amazonaws.com')?.name, 'Amazon SES');
});

test('providers: every row of the table has its cells, with values that are known, a source and a date', () => {
  const [header = '', ...rows] = readFileSync(
    new URL('../data/providers.csv', import.meta.url),
    'utf8',
  )
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const allowed: Readonly<Record<string, RegExp>> = {
    name: /^\S.*$/,
    role: /^(?:mailbox|gateway|service)$/,
    mx: NAMES,
    includes: NAMES,
    spf_also: NAMES,
    selectors: /^(?:[a-z0-9_-]+\*?(?: |$))*$/,
    selector_kind: /^(?:fixed|rotating|changeable|own)?$/,
    key_hosts: NAMES,
    needs_spf: /^(?:yes|no)?$/,
    aligns: /^(?:yes|no)?$/,
    accounts: NAMES,
    // They stand within a sentence.
    setup: /^(?:[a-z].*[^.;])?$/,
    normal: /^(?:\S.*[^.;])?$/,
    source: /^[a-z0-9.-]+\.[a-z]+/,
    as_of: /^\d{4}-\d\d-\d\d$/,
  };
  assert.deepEqual([...header], Object.keys(allowed));
  assert.ok(rows.length > 40);
  const names = new Set<string>();
  for (const cells of rows) {
    assert.equal(cells.length, header.length, cells.join(','));
    for (const [at, pattern] of Object.values(allowed).entries())
      assert.match(cells[at] ?? '', pattern, cells[0]);
    names.add(cells[0] ?? '');
    // A service whose mail passes only with a signature has to be set up somewhere.
    if (cells[9] === 'no') assert.notEqual(cells[11], '', cells[0]);
    if (/fixed|rotating/.test(cells[6] ?? '')) assert.notEqual(cells[5], '', cells[0]);
  }
  assert.equal(names.size, rows.length);
});
