import assert from 'node:assert/strict';
import test from 'node:test';
import { formatFinding } from '../findings/finding.ts';
import { allowsHost, parseMtaStsPolicy } from './mta-sts-policy.ts';

const FULL =
  'version: STSv1\r\nmode: enforce\r\nmx: mail.example.com\r\nmx: *.Example.net\r\nmax_age: 604800\r\n';

test('mta-sts policy: mode, age and hosts are read, with CRLF or LF', () => {
  const want = {
    mode: 'enforce',
    max_age: 604_800,
    mx: ['mail.example.com', '*.example.net'],
    errors: [],
  };
  assert.deepEqual(parseMtaStsPolicy(FULL), want);
  assert.deepEqual(parseMtaStsPolicy(FULL.replaceAll('\r', '')), want);
});

for (const [behaviour, text, want] of [
  [
    'unknown fields and order do not matter',
    `x: y\nmax_age: 1\nmx: a.example\nmode: testing\nversion: STSv1`,
    [],
  ],
  ['of a repeated field the first counts', `${FULL}mode: nonsense\nmax_age: no\n`, []],
  ['mode none needs no host', 'version: STSv1\nmode: none\nmax_age: 86400\n', []],
  [
    'an empty policy lacks everything',
    '',
    [
      'the policy has no version',
      'the policy has no mode',
      'the policy has no max_age',
      'the policy has no mx',
    ],
  ],
  ['another version', FULL.replace('STSv1', 'STSv2'), ['version: STSv2 is not STSv1']],
  [
    'another mode',
    FULL.replace('enforce', 'Enforce'),
    ['mode: Enforce is not enforce, testing or none'],
  ],
  [
    'too old an age',
    FULL.replace('604800', '31557601'),
    ['max_age: 31557601 is not a number from 0 to 31557600'],
  ],
  ['no number', FULL.replace('604800', '1w'), ['max_age: 1w is not a number from 0 to 31557600']],
  [
    'a wildcard inside',
    FULL.replace('mail.', 'mail.*.'),
    ['mx: mail.*.example.com is not a host name, or one that begins with *.'],
  ],
  [
    'a page of HTML',
    '<html>\n<title>404: not found</title>',
    [
      'the policy has no version',
      'the policy has no mode',
      'the policy has no max_age',
      'the policy has no mx',
    ],
  ],
] as const)
  test(`mta-sts policy: ${behaviour}`, () => {
    const { errors } = parseMtaStsPolicy(text);
    assert.deepEqual(
      errors.map(formatFinding),
      want.map((sentence) => `bad_mta_sts_policy: ${sentence}`),
    );
  });

for (const [pattern, host, want] of [
  ['mail.example.com', 'mail.example.com', true],
  ['mail.example.com', 'mx.mail.example.com', false],
  ['*.example.com', 'mail.example.com', true],
  ['*.example.com', 'a.mail.example.com', false],
  ['*.example.com', 'example.com', false],
] as const)
  test(`mta-sts policy: ${pattern} ${want ? 'allows' : 'does not allow'} ${host}`, () =>
    assert.equal(allowsHost([pattern], host), want));

test('mta-sts policy: a long list of errors is cut', () => {
  const { errors } = parseMtaStsPolicy(`${FULL}${'mx: -\n'.repeat(9_000)}`);
  assert.deepEqual(
    [errors.length, errors.at(-1)],
    [20, { code: 'more_errors', detail: { count: 8_981 } }],
  );
});
