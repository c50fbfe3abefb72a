import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transportState } from './transport-state.ts';

for (const [behaviour, is_valid, errors, want] of [
  ['a valid record', true, [], 'valid'],
  ['no BIMI record is no error', false, ['no_bimi_record: there is none'], 'not set up'],
  ['BIMI that the owner declines is no error', false, ['bimi_declined: no logo'], 'not set up'],
  ['no MTA-STS record is no error', false, ['no_mta_sts_record: there is none'], 'not set up'],
  ['no TLS-RPT record is no error', false, ['no_tls_rpt_record: there is none'], 'not set up'],
  [
    'hosts without TLSA records are no error',
    false,
    ['no_tlsa_record: mx1', 'no_tlsa_record: mx2'],
    'not set up',
  ],
  ['a zone without DNSSEC is no error', false, ['not_authenticated: it is not'], 'not set up'],
  ['a record with a mistake is one', false, ['bad_bimi_uri: not https'], 'invalid'],
  [
    'a mistake beside something missing is one',
    false,
    ['no_tlsa_record: mx1', 'tlsa_unusable: mx2'],
    'invalid',
  ],
  ['DNS that did not answer is unknown', false, ['dns_temporary_failure: SERVFAIL'], 'unverified'],
  ['a domain without mail needs none', false, ['no_mail_host: it takes no mail'], 'not applicable'],
] as const)
  test(`transport: ${behaviour}`, () =>
    assert.equal(transportState({ is_valid, validation_errors: errors }), want));
