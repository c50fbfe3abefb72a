import assert from 'node:assert/strict';
import test from 'node:test';
import { providerOf, providerSelectors } from './providers.ts';

for (const [behaviour, mx, spf, want] of [
  ['by MX', ['mx.zoho.eu'], [], ['zmail', 'zoho']],
  [
    'by the name that SPF includes',
    [],
    ['v=spf1 include:_spf.mail.hostinger.com ~all'],
    ['hostingermail-a', 'hostingermail-b', 'hostingermail-c'],
  ],
  ['in a record that is written wrongly', [], ['v=spf1 include=_spf.mx.cloudflare.net'], ['cf2024-1']],
  ['of a HubSpot account', [], ['v=spf1 include:1234567.spf04.hubspotemail.net ~all'], ['hs1-1234567', 'hs2-1234567']],
  ['each once', ['mxa.mailgun.org', 'mxb.mailgun.org'], ['v=spf1 include:mailgun.org'], ['pic', 'mailo', 'k1']],
  ['none for others', ['mx.example.com'], ['v=spf1 include:spf.example.net'], []],
  ['not for a name that only ends alike', ['mx.notzoho.eu'], ['v=spf1 include:xmailgun.org'], []],
] as const)
  test(`providers: selectors ${behaviour}`, () => assert.deepEqual(providerSelectors(mx, spf), want));

test('providers: an instance in a cloud is not its mail service', () => {
  assert.equal(providerOf('ec2-192-0-2-1.compute.amazonaws.com'), undefined);
  assert.equal(providerOf('inbound-smtp.eu-west-1.amazonaws.com')?.name, 'Amazon SES');
});
