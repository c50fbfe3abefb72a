import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markTerms, splitError } from './spf-terms.ts';

const raw =
  'v=spf1 include:_spf.example.net exists:%{i}.x ip4:192.0.2.0/33 redirect=b.example ~all';

test('spf terms: each has its kind', () => {
  assert.deepEqual(
    markTerms(raw, []).terms.map(({ kind }) => kind),
    ['version', 'mechanism', 'mechanism', 'mechanism', 'modifier', 'all'],
  );
});

test('spf terms: ?all is told from an end that decides', () => {
  assert.equal(markTerms('v=spf1 mx ?all', []).terms.at(-1)?.kind, 'neutral');
});

test('spf terms: an error belongs to the term it names, other errors to the record', () => {
  const atTerm = 'syntax_error: "ip4:192.0.2.0/33" at character 55: the length is at most 32';
  const atRecord = 'too_many_lookups: the record needs 12 DNS lookups, and receivers stop at 10';
  const { terms, others } = markTerms(raw, [atTerm, atRecord]);
  assert.deepEqual(terms.find(({ errors }) => errors.length > 0)?.text, 'ip4:192.0.2.0/33');
  assert.deepEqual(others, [atRecord]);
});

test('spf terms: code and explanation are split', () => {
  assert.deepEqual(splitError('loop: a > b: a'), { code: 'loop', text: 'a > b: a' });
});
