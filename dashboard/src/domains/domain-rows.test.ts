import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CheckedDomain, type DomainRow, domainsCsv, gradeWords, sortDomains } from './domain-rows.ts';

const checked = (
  domain: string,
  score: number,
  tone: CheckedDomain['risk']['tone'],
  rest: Partial<CheckedDomain> = {},
): DomainRow & { check: CheckedDomain } => ({
  domain,
  check: {
    ...{ grade: 'B', score, isFinished: false, doesExist: true, firstStep: 'Publish it', senderRules: 'met' },
    risk: { text: 'Anyone, "all"', tone },
    ...rest,
  },
});

const rows: DomainRow[] = [
  { domain: 'away.example', refusal: 'no response' },
  checked('good.example', 90, 'good'),
  checked('weak.example', 40, 'bad', { senderRules: 'missing' }),
  checked('bare.example', 10, 'bad'),
  checked('half.example', 60, 'warn'),
];

for (const [behaviour, sort, want] of [
  ['the largest risk first, then the lowest score', undefined, 'bare weak half good away'],
  ['by name', 'domain', 'away bare good half weak'],
  ['by grade, the lowest first', 'grade', 'bare weak half good away'],
  ['by sender rules', 'rules', 'good bare half weak away'],
] as const)
  test(`domains: ${behaviour}`, () => {
    const names = sortDomains(rows, sort).map(({ domain }) => domain.replace('.example', ''));
    assert.equal(names.join(' '), want);
  });

for (const [behaviour, rest, want] of [
  ['a grade with its points', {}, 'B, 70'],
  ['no letter for a domain that sends no mail', { isFinished: true }, 'sends no mail'],
  ['nothing for one that does not exist', { doesExist: false }, ''],
] as const)
  test(`domains: ${behaviour}`, () => assert.equal(gradeWords(checked('a.example', 70, 'good', rest).check), want));

test('domains: CSV quotes its cells and says why there is no check', () => {
  assert.equal(
    domainsCsv([rows[0] as DomainRow, rows[1] as DomainRow]),
    'domain,grade,score,risk,first_step,sender_rules,error\r\naway.example,,,,,,no response\r\n' +
      'good.example,B,90,"Anyone, ""all""",Publish it,met,\r\n',
  );
});
