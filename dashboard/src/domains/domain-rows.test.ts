import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CheckedDomain,
  type DomainRow,
  domainsCsv,
  firstSentence,
  gradeWords,
  matchesFilter,
  sortDomains,
} from './domain-rows.ts';

const checked = (
  domain: string,
  score: number,
  tone: CheckedDomain['risk']['tone'],
  rest: Partial<CheckedDomain> = {},
): DomainRow & { check: CheckedDomain } => ({
  domain,
  check: {
    ...{ grade: 'B', score, isFinished: false, doesExist: true, firstStep: 'Publish it', senderRules: 'met' },
    risk: { text: 'Anyone, "all"', tone, risk: tone === 'good' ? 'safe' : 'spoofable' },
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
  ['failures first, then the largest risk, then the lowest score', undefined, 'away bare weak half good'],
  ['by name', 'domain', 'away bare good half weak'],
  ['by grade, the lowest first', 'grade', 'away bare weak half good'],
  ['by sender rules', 'rules', 'away good bare half weak'],
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

for (const [behaviour, filter, want] of [
  ['a risk', { risk: 'safe' }, 'good'],
  ['a grade', { grade: 'B' }, 'good weak bare half'],
  ['a grade that none has', { grade: 'A' }, ''],
] as const)
  test(`domains: filtered by ${behaviour}`, () => {
    const names = rows.filter((row) => matchesFilter(row, filter)).map(({ domain }) => domain.replace('.example', ''));
    assert.equal(names.join(' '), want);
  });

test('domains: CSV quotes its cells and says why there is no check', () => {
  const senders = { policy: 'reject', answer: 'yes', text: '', messages: 120, passed: 118 } as const;
  const reported = checked('good.example', 90, 'good', { senders });
  assert.equal(
    domainsCsv([rows[0] as DomainRow, reported]),
    'domain,grade,score,risk,meaning,first_step,sender_rules,messages,passed,reject_safe,error\r\naway.example,,,,,,,,,,no response\r\n' +
      'good.example,B,90,safe,"Anyone, ""all""",Publish it,met,120,118,yes,\r\n',
  );
});

for (const [step, want] of [
  [
    'Anyone can send mail as a.example: +all passes. Name the servers.',
    'Anyone can send mail as a.example: +all passes.',
  ],
  ['Publish a policy: _dmarc.a.example. IN TXT "v=DMARC1; p=none"', 'Publish a policy:'],
  ['Remove it', 'Remove it'],
] as const) {
  test(`domains: the first sentence of "${step}"`, () => assert.equal(firstSentence(step), want));
}
