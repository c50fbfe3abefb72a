/** Order and wording of the advice; corpus.full.test.ts has what its records do. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import { checkDomain, examineDomain } from '../check.ts';
import { zoneFileLine } from '../records/zone-file.ts';
import { KEYS } from '../test/dkim-keys.ts';
import { zone } from '../test/zone.ts';

const RUA = 'rua=mailto:d@example.com';

type Parts = { mx?: [number, string][]; spf?: string | string[]; dkim?: string; dmarc?: string };

/** A domain with working mail servers and the given records. */
function domainWith(
  { mx = [[10, 'mx.example.com']], spf = [], dkim, dmarc }: Parts,
  more: ZoneRecords = {},
) {
  return zone({
    'example.com': { MX: mx, TXT: [spf].flat(), A: ['192.0.2.1'] },
    'mx.example.com': { A: ['192.0.2.25'] },
    'open.example.net': { TXT: ['v=spf1 +all'] },
    ...(dkim === undefined ? {} : { 'google._domainkey.example.com': { TXT: [dkim] } }),
    ...(dmarc === undefined ? {} : { '_dmarc.example.com': { TXT: [dmarc] } }),
    ...more,
  });
}

test('advice: most points first, each with the record at its end', async () => {
  const { recommendations } = await checkDomain('example.com', {
    resolver: domainWith({ spf: 'v=spf1 mx ~all', dkim: KEYS.strong }),
  });
  assert.deepEqual(recommendations, [
    'Anyone can send mail as example.com: it has no DMARC record. Begin with p=none, which changes nothing for your mail, and tighten the policy when the reports show that it passes. Create the mailbox dmarc@example.com first, or name another: _dmarc.example.com. IN TXT "v=DMARC1; p=none; rua=mailto:dmarc@example.com"',
    '-all would be safe when reports arrive at a mailbox of yours, named in rua=.',
  ]);
});

test('advice: none when everything is at its best', async () => {
  const parts = { spf: 'v=spf1 mx -all', dkim: KEYS.strong, dmarc: `v=DMARC1; p=reject; ${RUA}` };
  assert.deepEqual(
    (await checkDomain('example.com', { resolver: domainWith(parts) })).recommendations,
    [],
  );
});

for (const [behaviour, spf] of [
  ['+all', 'v=spf1 +all'],
  ['an include of +all', 'v=spf1 include:open.example.net -all'],
  ['half of the addresses', 'v=spf1 ip4:128.0.0.0/1 -all'],
] as const)
  test(`advice: that anyone can send comes first: ${behaviour}`, async () => {
    const { report, score } = await examineDomain('example.com', { resolver: domainWith({ spf }) });
    assert.match(report.recommendations[0] ?? '', /^Anyone can send mail as example\.com: /);
    assert.equal(score.spf, 0);
  });

for (const [behaviour, parts, sentence] of [
  [
    'no stricter policy before SPF and DKIM work',
    { spf: 'v=spf1 mx -all', dmarc: `v=DMARC1; p=none; ${RUA}` },
    'p=quarantine would be safe when a DKIM key is found.',
  ],
  [
    'a short key',
    { spf: 'v=spf1 mx -all', dkim: KEYS.weak, dmarc: `v=DMARC1; p=reject; ${RUA}` },
    'Replace the short DKIM key with one of 2048 bits: google._domainkey.example.com (1024 bits).',
  ],
  [
    'no all',
    { spf: 'v=spf1 mx', dkim: KEYS.strong, dmarc: `v=DMARC1; p=reject; ${RUA}` },
    'The SPF record says nothing about servers that it does not list. End it with ~all, so that receivers suspect their mail: example.com. IN TXT "v=spf1 mx ~all"',
  ],
  [
    'a domain that is set up to send no mail is finished',
    { mx: [[0, '.']], spf: 'v=spf1 -all', dmarc: `v=DMARC1; p=reject; ${RUA}` },
    'This domain is set up to send no mail: there is nothing to fix. The 30 points of DKIM are for domains that sign mail, so its score cannot exceed 70.',
  ],
  [
    'a null MX beside a sending SPF',
    {
      mx: [[0, '.']],
      spf: 'v=spf1 a -all',
      dkim: KEYS.strong,
      dmarc: `v=DMARC1; p=reject; ${RUA}`,
    },
    'example.com publishes a null MX (it receives no mail) but an SPF record that lets servers send and a DKIM key: bounces and replies cannot be delivered. If it sends no mail, its SPF record is v=spf1 -all.',
  ],
  [
    'terms after all',
    {
      spf: 'v=spf1 mx -all include:b.example ip4:192.0.2.1',
      dkim: KEYS.strong,
      dmarc: `v=DMARC1; p=reject; ${RUA}`,
    },
    'Receivers ignore what the SPF record has after all: "include:b.example", "ip4:192.0.2.1". Move it before all if those servers may send, or remove it: example.com. IN TXT "v=spf1 mx -all"',
  ],
  [
    'a DMARC record at the apex',
    { spf: ['v=spf1 mx -all', `v=DMARC1; p=reject; ${RUA}`], dkim: KEYS.strong },
    'Anyone can send mail as example.com: no DMARC policy is in force, because a DMARC record was found at example.com instead of _dmarc.example.com, where receivers look. Begin with p=none, which changes nothing for your mail, and tighten the policy when the reports show that it passes: _dmarc.example.com. IN TXT "v=DMARC1; p=none; rua=mailto:d@example.com"',
  ],
  [
    'a DMARC record without the semicolon',
    { spf: 'v=spf1 mx -all', dkim: KEYS.strong, dmarc: `v=DMARC1 p=reject; ${RUA}` },
    'Anyone can send mail as example.com: no DMARC policy is in force, because "v=DMARC1 p=reject; rua=mailto:d@example.com" at _dmarc.example.com lacks the semicolon after v=DMARC1. Begin with p=none, which changes nothing for your mail, and tighten the policy when the reports show that it passes: _dmarc.example.com. IN TXT "v=DMARC1; p=none; rua=mailto:d@example.com"',
  ],
  [
    'an SPF record in quotation marks',
    { spf: '"v=spf1 mx -all"', dkim: KEYS.strong, dmarc: `v=DMARC1; p=reject; ${RUA}` },
    'The SPF record has no effect: receivers do not read the TXT record \'"v=spf1 mx -all"\' of example.com as SPF, because it begins with a quotation mark. It has quotation marks, which only a zone file needs. Correct it: example.com. IN TXT "v=spf1 mx ~all"',
  ],
] as const satisfies readonly (readonly [string, Parts, string])[])
  test(`advice: ${behaviour}`, async () => {
    const { recommendations } = await checkDomain('example.com', {
      resolver: domainWith(parts as Parts),
    });
    assert.ok(recommendations.includes(sentence), recommendations.join('\n'));
  });

test('advice: a wildcard that revokes every key is not criticised where no mail is sent', async () => {
  const parked = {
    mx: [[0, '.']] as [number, string][],
    spf: 'v=spf1 -all',
    dmarc: `v=DMARC1; p=reject; ${RUA}`,
  };
  const resolver = domainWith(parked, { '*._domainkey.example.com': { TXT: ['v=DKIM1; p='] } });
  const { advice } = await examineDomain('example.com', { resolver });
  assert.deepEqual(
    advice.map(({ code }) => code),
    ['no_mail_finished', 'dmarc_reports_lost'],
  );
});

test('advice: a record that does not fit into a recommendation is in the advice', async () => {
  const spf = `v=spf1 ${Array.from({ length: 40 }, (_, i) => `ip4:192.0.2.${i}`).join(' ')} ~all`;
  const parts = { spf, dkim: KEYS.strong, dmarc: `v=DMARC1; p=reject; ${RUA}` };
  const { advice, report } = await examineDomain('example.com', { resolver: domainWith(parts) });
  const shown = report.recommendations.find((text) =>
    text.startsWith('When every server that sends as example.com'),
  );
  assert.ok(shown !== undefined && !shown.includes(' IN TXT '), shown);
  const change = advice.find(({ code }) => code === 'spf_harden')?.change;
  assert.ok(change && zoneFileLine(change.record).endsWith(' -all"'));
});

test('advice: where no policy is about to be stricter, nothing is asked that the check has not asked', async () => {
  const resolver = domainWith({
    spf: 'v=spf1 mx a ~all',
    dkim: KEYS.strong,
    dmarc: `v=DMARC1; p=reject; ${RUA}`,
  });
  await checkDomain('example.com', { resolver });
  const others = resolver.asked.filter((question) => !/_domainkey|^whence-/.test(question));
  assert.deepEqual(others.sort(), [
    '_dmarc.com TXT',
    '_dmarc.example.com TXT',
    'example.com A',
    'example.com MX',
    'example.com TXT',
    'mx.example.com A',
  ]);
});
