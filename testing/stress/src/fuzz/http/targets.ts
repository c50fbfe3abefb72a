/** Request targets (RFC 9112 §3.2): other forms, odd encodings, far too long. */
import type { Words } from '@whence/testing/seeded-random';
import { below, oneIn, pick } from '../case-random.ts';

const TARGETS = [
  '*',
  '',
  '/',
  '//',
  '///v1/ip/8.8.8.8',
  '/v1',
  '/v1/',
  '/v1/ip',
  '/v1/ip/',
  '/v1//ip/8.8.8.8',
  '/v1/./ip/8.8.8.8',
  '/v1/x/../ip/8.8.8.8',
  '/V1/IP/8.8.8.8',
  'v1/ip/8.8.8.8',
  'http://whence/v1/ip/8.8.8.8',
  'http://other:99/healthz',
  'https://',
  'whence:80',
  '/v1/ip/8.8.8.8#fragment',
  '/v1/ip/8.8.8.8;a=b',
  '/v1/ip/8.8.8.8?',
  '/v1/ip/8.8.8.8??explain=true',
  '/v1/ip/8.8.8.8?explain',
  '/v1/ip/8.8.8.8?explain=true&explain=false',
  '/v1/ip/8.8.8.8?__proto__=1&constructor=2',
  '/v1/ip/8.8.8.8?include=',
  '/v1/ip/8.8.8.8?include=,privacy',
  '/v1/ip/8.8.8.8?version=0',
  '/v1/ip/8.8.8.8?version=1&at=2026-01-01',
  '/v1/ip/8.8.8.8?at=2026-02-30',
  '/v1/ip/8.8.8/history',
  '/v1/prefix/8.8.8.8',
  '/v1/prefix/0.0.0.0/0',
  '/v1/prefix/::/0',
  '/v1/prefix/8.8.8.8/33',
  '/v1/prefix/8.8.8.8%2f24',
  '/v1/asn/search',
  '/v1/asn/search?q=',
  '/v1/asn/search?q=%20',
  '/v1/asn/search?q=a&limit=0',
  '/v1/asn/search?q=a&limit=1e3',
  '/v1/asn/search?q=a&limit=99999999999999999999',
  '/v1/asn/-1',
  '/v1/asn/AS15169',
  '/v1/asn/4294967296',
  '/v1/email/domain//dns',
  '/v1/email/domain/%20/dns',
  '/v1/email/domain/xn--/dns',
  '/v1/email/domain/\xe4.example/dns',
  '/v1/email/domain/d1.mail.example/dns?selectors=,,,',
  '/v1/email/domain/d1.mail.example',
  '/v1/decide',
  '/v1/decide?ip=',
  '/v1/decide?ip=8.8.8.8&ip=1.1.1.1&set=default',
  '/v1/decide?ip=8.8.8.8&host=%00&path=%zz&method=',
  '/v1/decide?ip=8.8.8.8&set=__proto__&explain=true',
  '/v1/databases',
  '/v1/databases/',
  '/v1/databases/..%2f..%2fwhence.sqlite',
  '/v1/databases/constructor?version=1',
  '/v1/lists/.txt',
  '/v1/lists/tor',
  '/v1/lists/__proto__.json',
  '/docs/',
  '/favicon.ico',
  '/metrics',
];

const ENCODINGS = [
  '%',
  '%0',
  '%00',
  '%zz',
  '%2f',
  '%2e%2e',
  '/../',
  '//',
  ';a=b',
  '%252f',
  '%5c',
  '%25',
  '%2500',
  '%c0%af',
  '%ff',
  '%u0041',
  '+',
  '\t',
  '"',
  '<',
  '\\',
  '^',
  '|',
  '\x7f',
  '\xc3\xa9',
  '\xff',
];
const PARAMETERS = [
  '/v1/ip/{}',
  '/v1/asn/{}',
  '/v1/asn/search?q={}',
  '/v1/asn/search?q=a&limit={}',
  '/v1/email/domain/{}/dns',
  '/v1/email/domain/d1.mail.example/dns?selectors={}',
  '/v1/decide?ip=8.8.8.8&host={}',
  '/v1/decide?ip=8.8.8.8&host=admin.example{}',
  '/v1/decide?ip=8.8.8.8&path=/{}',
  '/v1/decide?ip=8.8.8.8&path=/admin{}&set=allowing',
  '/{}',
];

export function oddTarget(random: Words): string {
  if (oneIn(random, 3)) return pick(random, TARGETS);
  const text = oddText(random);
  return pick(random, PARAMETERS).replace('{}', () => text);
}

/** In place of a parameter. */
export function oddText(random: Words): string {
  return Array.from({ length: 1 + below(random, 5) }, () => chunk(random)).join('');
}

function chunk(random: Words): string {
  if (oneIn(random, 12))
    return pick(random, ['a', '1', '%41', 'a,', 'a.', ':', '&q=']).repeat(below(random, 9_000));
  if (oneIn(random, 2)) return pick(random, ENCODINGS);
  return pick(random, [
    '8.8.8.8',
    'google',
    'd1.mail.example',
    '15169',
    '::',
    '-',
    '_',
    '..',
    'é',
    '0',
  ]);
}
