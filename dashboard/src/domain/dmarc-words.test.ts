import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dmarcInWords } from './dmarc-words.ts';

const strict = {
  raw: 'v=DMARC1; p=reject',
  policy: 'reject',
  subdomain_policy: 'reject',
  effective_policy: 'reject',
  percentage: 100,
  aggregate_report_uris: ['mailto:dmarc@example.com'],
  forensic_report_uris: [],
  dkim_alignment: 's',
  spf_alignment: 'r',
  inherited: false,
  record_domain: 'example.com',
} as const;
type Change = Partial<Parameters<typeof dmarcInWords>[0]>;

for (const [behaviour, change, sentence] of [
  ['reject, subdomains too', {}, 'Mail that fails is rejected, including mail from subdomains.'],
  [
    'another policy for subdomains',
    { subdomain_policy: 'none' },
    'Mail that fails is rejected; mail from subdomains is delivered normally.',
  ],
  [
    'a partial rollout',
    { percentage: 20 },
    '20% of the mail that fails is rejected, including mail from subdomains.',
  ],
  ['mixed alignment', {}, 'DKIM must match the domain exactly, SPF may match with a subdomain.'],
  ['where reports go', {}, 'Daily reports go to dmarc@example.com.'],
  ['no reports', { aggregate_report_uris: [] }, 'No reports are sent, so failures go unnoticed.'],
  [
    'an inherited policy names its domain',
    { inherited: true },
    'The policy is inherited from example.com.',
  ],
  [
    'no record',
    { raw: '' },
    'There is no policy: each receiver decides what to do with mail that fails.',
  ],
] as const satisfies readonly (readonly [string, Change, string])[]) {
  test(`dmarc in words: ${behaviour}`, () => {
    const words = dmarcInWords({
      ...strict,
      aggregate_report_uris: [...strict.aggregate_report_uris],
      forensic_report_uris: [],
      ...(change as Change),
    });
    assert.ok(words.includes(sentence), words.join('\n'));
  });
}
