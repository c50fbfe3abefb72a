import assert from 'node:assert/strict';
import test from 'node:test';
import { connectionError } from './connection-error.ts';

const systemError = (code: string, message: string) => Object.assign(new Error(message), { code });

for (const [code, want, isPassing] of [
  ['ENOTFOUND', 'feeds.example does not exist in DNS', false],
  [
    'EAI_AGAIN',
    'feeds.example could not be resolved; check the network and the DNS servers of this machine',
    true,
  ],
  ['ECONNREFUSED', 'feeds.example refused the connection', true],
  ['ECONNRESET', 'feeds.example closed the connection before it answered', true],
  ['ETIMEDOUT', 'feeds.example does not answer', true],
  ['EHOSTUNREACH', 'no route to feeds.example; check the network of this machine', true],
  ['ENETUNREACH', 'no route to feeds.example; check the network of this machine', true],
  [
    'EACCES',
    'this machine does not permit a connection to feeds.example; check its firewall',
    true,
  ],
  ['CERT_REVOKED', 'the certificate of feeds.example was revoked', false],
  ['CERT_SIGNATURE_FAILURE', 'the certificate of feeds.example is refused: in words', false],
  [
    'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    'the TLS handshake with feeds.example failed: in words',
    false,
  ],
  ['HPE_HEADER_OVERFLOW', 'the answer of feeds.example cannot be read as HTTP: in words', false],
  ['EMFILE', 'no connection to feeds.example: in words', true],
] as const)
  test(`connection error: ${code} in a sentence`, () => {
    const error = connectionError(systemError(code, 'in words'), 'feeds.example');
    assert.deepEqual([error.message, error.isPassing], [want, isPassing]);
    assert.equal(error.isUnresolved, code === 'ENOTFOUND' || code === 'EAI_AGAIN');
  });

test('connection error: of several addresses, the first says why', () => {
  const errors = ['ECONNREFUSED', 'ENETUNREACH'].map((code) => systemError(code, code));
  const { message } = connectionError(new AggregateError(errors), 'the proxy p.example');
  assert.equal(message, 'the proxy p.example refused the connection');
});
