import assert from 'node:assert/strict';
import test from 'node:test';
import type { ReportShape } from '../report.ts';
import { judgedShapes } from './judged-shapes.ts';

function shape(more: Partial<ReportShape>): ReportShape {
  return {
    disposition: 'none',
    spfPassed: false,
    dkimPassed: false,
    reasons: [],
    headerFrom: 'example.com',
    envelopeFrom: '',
    spf: [],
    dkim: [],
    ...more,
  };
}

const judged = (shapes: readonly Partial<ReportShape>[]) =>
  judgedShapes(new Map(shapes.map((more, id) => [id, shape(more)])));
const mfrom = (domain: string, result: string) => ({ domain, scope: 'mfrom', result });
const signed = (domain: string, result: string, selector = 's') => ({ domain, selector, result });

for (const [behaviour, a, b, isSame] of [
  [
    'signatures of others that failed',
    { dkim: [signed('a.example', 'fail')] },
    { dkim: [signed('b.example', 'fail')] },
    true,
  ],
  [
    'signatures of the domain that failed, by their selector',
    { dkim: [signed('example.com', 'fail', 'a')] },
    { dkim: [signed('example.com', 'fail', 'b')] },
    false,
  ],
  [
    'bounce domains of one organization that passed',
    { spf: [mfrom('a.lists.example', 'pass')] },
    { spf: [mfrom('b.lists.example', 'pass')] },
    true,
  ],
  [
    'bounce domains of two organizations that passed',
    { spf: [mfrom('lists.example', 'pass')] },
    { spf: [mfrom('other.example', 'pass')] },
    false,
  ],
  [
    'accounts of a provider',
    { spf: [mfrom('u1.ct.sendgrid.net', 'pass')] },
    { spf: [mfrom('u2.ct.sendgrid.net', 'pass')] },
    false,
  ],
  [
    'comments that do not say that the mail was forwarded',
    { reasons: [{ type: 'local_policy', comment: 'a' }] },
    { reasons: [{ type: 'other', comment: 'b' }] },
    true,
  ],
  ['names in From', { headerFrom: 'a.example.com' }, { headerFrom: 'b.example.com' }, false],
  ['mail that passed', { spfPassed: true }, { spfPassed: true, disposition: 'reject' }, false],
] as const)
  test(`judged shapes: ${behaviour} are ${isSame ? 'one' : 'two'}`, () => {
    const shapes = judged([a, b]);
    assert.equal(shapes.get(0) === shapes.get(1), isSame);
  });

test('judged shapes: of invented names in From, the first thousand are told apart', () => {
  const names = Array.from({ length: 5_000 }, (_, i) => ({ headerFrom: `n${i}.example.com` }));
  const shapes = judged([...names, { headerFrom: 'shop.example.com', dkimPassed: true }]);
  const distinct = new Set([...shapes.values()].map(({ headerFrom }) => headerFrom));
  assert.equal(distinct.size, 1_002);
  assert.ok(distinct.has('shop.example.com'));
});
