import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headlineOf } from './headline.ts';

const ok = { state: 'verified', is_valid: true } as const;
const missing = { state: 'missing', is_valid: false } as const;
const check = {
  does_exist: true,
  risk: '',
  is_finished: false,
  is_dmarc_test_mode: false,
  report: {
    domain: 'acme.example',
    dmarc: { raw: 'v=DMARC1', effective_policy: 'reject', subdomain_policy: '', percentage: 100 },
  },
  parts: { mx: ok, spf: ok, dkim: ok, dmarc: ok },
} as const;
const dmarc = (change: object) => ({
  report: { ...check.report, dmarc: { ...check.report.dmarc, ...change } },
});

for (const [behaviour, change, text, tone, risk] of [
  ['a strict policy', {}, 'Mail that pretends to be from acme.example is rejected', 'good', 'safe'],
  [
    'quarantine',
    dmarc({ effective_policy: 'quarantine' }),
    'Mail that pretends to be from acme.example is treated as spam',
    'good',
    'safe',
  ],
  [
    'p=none stops nothing',
    dmarc({ effective_policy: 'none' }),
    'Anyone can send as acme.example: failing mail is delivered',
    'bad',
    'unprotected',
  ],
  [
    'no policy',
    {
      ...dmarc({ raw: '' }),
      risk: 'anyone can send mail as this domain, because no DMARC policy is in force',
    },
    'Anyone can send as acme.example: without a DMARC policy, receivers decide about failing mail',
    'bad',
    'unprotected',
  ],
  [
    'an open SPF record comes before a strict policy',
    { risk: 'anyone can send mail as this domain, because its SPF record lets everyone send' },
    'Anyone can send as acme.example: its SPF record lets every server send',
    'bad',
    'spoofable',
  ],
  [
    'a name that others can take over comes before a strict policy',
    { risk: 'acme.example includes old.example, which does not exist: anyone can register it' },
    'acme.example includes old.example, which does not exist: anyone can register it',
    'bad',
    'spoofable',
  ],
  [
    'own mail that the policy in force quarantines',
    { risk: 'Receivers treat as spam what Zendesk sends for acme.example' },
    'Receivers treat as spam what Zendesk sends for acme.example',
    'bad',
    'mail refused',
  ],
  [
    'a part of the mail',
    dmarc({ percentage: 20 }),
    'Mail that pretends to be from acme.example is rejected in 20% of cases; the rest is delivered',
    'warn',
    'partly safe',
  ],
  [
    'subdomains without a policy',
    dmarc({ subdomain_policy: 'none' }),
    'Mail that pretends to be from acme.example is rejected, but mail from its subdomains is delivered',
    'warn',
    'partly safe',
  ],
  [
    'own mail that cannot pass',
    { parts: { mx: ok, spf: missing, dkim: missing, dmarc: ok } },
    'Mail that pretends to be from acme.example is rejected, and so may be its own: neither SPF nor DKIM is valid',
    'bad',
    'mail refused',
  ],
  [
    'DNS that did not answer is no fault',
    { parts: { mx: ok, spf: { state: 'unverified', is_valid: false }, dkim: missing, dmarc: ok } },
    'Mail that pretends to be from acme.example is rejected',
    'good',
    'safe',
  ],
  [
    'a domain without mail',
    { is_finished: true },
    'acme.example sends no mail, and its records say so',
    'good',
    'safe',
  ],
  [
    'a domain that does not exist',
    { does_exist: false },
    'acme.example does not exist in DNS',
    'bad',
    'broken',
  ],
  [
    'an unknown policy',
    { parts: { mx: ok, spf: ok, dkim: ok, dmarc: { state: 'unverified', is_valid: false } } },
    'Whether others can send as acme.example is unknown: DNS did not answer for its DMARC policy',
    'plain',
    'unknown',
  ],
] as const)
  test(`domain headline: ${behaviour}`, () => {
    assert.deepEqual(headlineOf({ ...check, ...change }), { text, tone, risk });
  });
