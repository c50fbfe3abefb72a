/**
 * Every record that is proposed for a domain of the corpus is applied to its zone, and the check
 * run again: what an administrator pastes must not lower the score, weaken a policy or break the
 * zone file.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { ZoneEntry, ZoneRecords } from '@whence/testing/servers/zone-literal';
import { decode, encode } from 'dns-packet';
import * as zoneFile from 'dns-zonefile';
import fc from 'fast-check';
import { type Examination, examineDomain } from '../check.ts';
import { unsignedServices } from '../readiness/readiness.ts';
import { parseTagList, tagValue } from '../records/tag-list.ts';
import { type ProposedRecord, stringsOf, zoneFileLine } from '../records/zone-file.ts';
import { registrableDomain } from '../registrable-domain.ts';
import type { DmarcPolicy } from '../report.ts';
import { coversAll } from '../spf/passing.ts';
import { KEYS } from '../test/dkim-keys.ts';
import { zone } from '../test/zone.ts';
import { assertNothingTaken, publish, standings } from '../test/zone-model.ts';
import { MISTAKEN_ZONES } from '../test/zones/mistakes.ts';
import { PASTED_ZONES, SMALLER_ZONES } from '../test/zones/pasted.ts';
import { PROVIDER_ZONES } from '../test/zones/providers.ts';
import { STEPS } from '../test/zones/steps.ts';
import { UNUSED_ZONES } from '../test/zones/unused.ts';
import { WILDCARD_ZONES } from '../test/zones/wildcards.ts';
import type { CorpusCase } from '../test/zones/world.ts';
import type { Advice, Change } from './advice.ts';
import { formatAdvice } from './advice.ts';

// The module has a default export, but its types declare named ones.
const { parse } = (zoneFile as unknown as { default: typeof zoneFile }).default;

const CORPUS: readonly CorpusCase[] = [
  ...STEPS,
  ...PROVIDER_ZONES,
  ...WILDCARD_ZONES,
  ...MISTAKEN_ZONES,
  ...UNUSED_ZONES,
  ...PASTED_ZONES,
  ...SMALLER_ZONES,
];

const examine = (domain: string, records: ZoneRecords) =>
  examineDomain(domain, { resolver: zone(records) });

function changesOf({ advice }: Examination): { change: Change; points: number }[] {
  return advice.flatMap(({ change, points }) => (change === undefined ? [] : [{ change, points }]));
}

/** The record of a line, as an independent reader of zone files sees it. */
function readLine(line: string): ProposedRecord {
  const { mx = [], txt = [] } = parse(`$ORIGIN elsewhere.example.\n$TTL 3600\n${line}\n`);
  assert.equal(mx.length + txt.length, 1, line);
  const [host] = mx;
  if (host !== undefined)
    return {
      name: bare(host.name),
      type: 'MX',
      preference: Number(host.preference),
      exchange: bare(host.host),
    };
  const strings = [...(txt[0]?.txt ?? '').matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) =>
    withoutEscapes(quoted),
  );
  for (const string of strings)
    assert.ok(string.length <= 255, `${string.length} bytes in a string`);
  return { name: bare(txt[0]?.name ?? ''), type: 'TXT', text: strings.join('') };
}

/** Absolute names end in a dot. The reader leaves others as they are, so they would show here. */
function bare(name: string): string {
  assert.ok(name.endsWith('.'), name);
  return name === '.' ? name : name.slice(0, -1);
}

function withoutEscapes(text: string): string {
  return text.replace(/\\(\d{3}|.)/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number(code)) : code,
  );
}

/** As it goes over the wire: a codec refuses a string that is too long. */
function assertFitsMessage(record: ProposedRecord): void {
  const { name } = record;
  const answer =
    record.type === 'MX'
      ? {
          type: record.type,
          name,
          data: { preference: record.preference, exchange: record.exchange },
        }
      : {
          type: record.type,
          name,
          data: stringsOf(record.text).map((text) => Buffer.from(text, 'latin1')),
        };
  assert.equal(decode(encode({ type: 'response', answers: [answer] })).answers?.length, 1);
}

function assertOnlyOwn(domain: string, { record }: Change): void {
  assert.ok(
    record.name === domain || record.name.endsWith(`.${domain}`),
    `${record.name} is not of ${domain}`,
  );
}

/**
 * Networks that passed SPF before pass after it; unless everyone did, or the domain declares that
 * it sends no mail.
 */
function assertSendersKept(before: Examination, after: Examination, line: string): void {
  const { spf } = before.findings;
  const isDeclared = / "v=spf1 -all"$/.test(line);
  if (spf.openToAll !== undefined || spf.isUnverified || !spf.report.is_valid || isDeclared) return;
  assert.ok(coversAll(after.findings.spf.passing, spf.passing), `a sender fails after ${line}`);
}

/** What a stricter step needs, however readiness.ts decides it. */
function assertSafeStep(before: Examination, { record }: Change, maySendNothing: boolean): void {
  const { dmarc, spf } = before.report;
  const policy = tagValue(
    parseTagList(record.type === 'TXT' ? record.text : '', 'lowered'),
    'p',
  ) as DmarcPolicy;
  const isPolicy =
    record.name.startsWith('_dmarc.') && LEVELS[policy] > LEVELS[dmarc.effective_policy];
  // A DMARC record may end with it too, in a tag that is copied from a record of the parent.
  const isSpf = record.type === 'TXT' && /^v=spf1 /.test(record.text);
  const isHardened =
    isSpf && / -all$/.test(record.text) && spf.is_valid && spf.all_qualifier === '~';
  if (maySendNothing || (!isPolicy && !isHardened)) return;
  const { destinations } = before.findings.dmarc;
  assert.ok(
    destinations.rua.some(({ arrival }) => arrival.kind === 'arrives'),
    'no report arrives',
  );
  assert.deepEqual(unsignedServices(before.findings), [], 'a service cannot pass');
}

/** What a record may say, whatever it gains. */
function assertCareful(domain: string, before: Examination, { record }: Change): void {
  const { mx, spf, dkim } = before.findings;
  const hasNoMx = mx.state === 'none' || mx.state === 'implicit';
  if (record.type === 'MX') {
    assert.ok(record.exchange === '.' || record.exchange === domain, 'no host is invented');
    assert.ok(hasNoMx, 'there are MX records');
    return;
  }
  const { raw } = before.report.spf;
  const hasKey = dkim.report.some(({ is_valid }) => is_valid);
  const isUnknown = dkim.isUnverified || spf.isUnverified;
  const listsNone =
    /^(?:v=spf1 (?:[-~?]all|mx -all))?$/.test(raw) && (mx.state === 'null' || !raw.includes('mx'));
  const maySendNothing = !hasKey && !isUnknown && (mx.state === 'null' || hasNoMx) && listsNone;
  assertSafeStep(before, { record, replaces: [] }, maySendNothing);
  if (record.name === `_dmarc.${domain}`) {
    const list = parseTagList(record.text, 'lowered');
    const policy = tagValue(list, 'p');
    const { dmarc } = before.report;
    if (dmarc.raw === '')
      assert.equal(policy, maySendNothing ? 'reject' : 'none', 'a first record');
    const isStricter = LEVELS[policy as DmarcPolicy] > LEVELS[dmarc.effective_policy];
    if (isStricter && !maySendNothing)
      assert.ok(!dmarc.no_visibility, `stricter without reports: ${record.text}`);
    const rua = tagValue(list, 'rua') ?? '';
    if (rua.includes(`dmarc@${domain}`)) assert.match(mx.state, /^(?:valid|partly|implicit)$/);
    for (const { name, raw: tag } of ownRightTags(before))
      assert.ok(record.text.includes(tag), `${name} is dropped: ${record.text}`);
  }
  const usesMx = /(?:^| )mx(?: |$)/i;
  if (record.name !== domain) return;
  if (
    usesMx.test(record.text) &&
    !spf.records.concat(spf.lookalike ?? '').some((text) => usesMx.test(text))
  )
    assert.ok(
      before.report.mx.records.every(
        (host) => registrableDomain(host) === registrableDomain(domain),
      ),
      'mx for hosts of another owner',
    );
  const isSilent = before.report.spf.mechanisms[0] === '-all';
  if (record.text === 'v=spf1 -all')
    assert.ok(maySendNothing || isSilent, 'no server may send any more');
}

const LEVELS: Readonly<Record<DmarcPolicy, number>> = { none: 0, quarantine: 1, reject: 2 };

/** The tags of the present own record that B.7 wants to stay. */
function ownRightTags({ report }: Examination) {
  if (report.dmarc.inherited || !report.dmarc.is_valid) return [];
  const right = ['sp', 'np', 'adkim', 'aspf', 'fo', 'rua', 'ruf', 'psd'];
  return parseTagList(report.dmarc.raw, 'lowered').tags.filter(({ name }) => right.includes(name));
}

function assertWellFormed(domain: string, before: Examination): void {
  for (const advice of before.advice) {
    const text = formatAdvice(advice);
    assert.ok(text.length <= 500 && !text.includes('undefined'), text);
    if (advice.change === undefined) continue;
    const line = zoneFileLine(advice.change.record);
    assert.ok(text.endsWith(line) || line.length > 350, text);
    assert.deepEqual(readLine(line), advice.change.record);
    assertFitsMessage(advice.change.record);
    assertOnlyOwn(domain, advice.change);
    assertCareful(domain, before, advice.change);
  }
  const names = changesOf(before).map(
    ({ change }) => `${change.record.name} ${change.record.type}`,
  );
  assert.equal(
    new Set(names).size,
    names.length,
    `two proposals for one record: ${names.join(', ')}`,
  );
}

/** Publishes one record, and checks that it does what was shown and takes nothing away. */
async function step(
  domain: string,
  records: ZoneRecords,
  before: Examination,
  { change, points }: Step,
) {
  const line = zoneFileLine(change.record);
  const changed = publish(records, change);
  const after = await examine(domain, changed);
  assert.equal(
    after.score.total - before.score.total,
    points,
    `${line}: ${JSON.stringify(after.score)}`,
  );
  assert.ok(points >= 0, line);
  assert.equal(
    after.findings.spf.openToAll !== undefined && before.findings.spf.openToAll === undefined,
    false,
    line,
  );
  assertSendersKept(before, after, line);
  assertNothingTaken(await standings(domain, records), await standings(domain, changed), line);
  return { changed, after };
}

type Step = { readonly change: Change; readonly points: number };

/** Publishes each record alone. Returns the zone with the first of them, and its examination. */
async function tryEach(domain: string, records: ZoneRecords, before: Examination) {
  assertWellFormed(domain, before);
  const results = [];
  for (const proposed of changesOf(before))
    results.push(await step(domain, records, before, proposed));
  return results[0];
}

/**
 * Publishes the first record of the list until there is none, and each of the others alone on the
 * way.
 */
async function follow(
  domain: string,
  records: ZoneRecords,
): Promise<{ scores: number[]; last: Examination }> {
  let current = records;
  let examination = await examine(domain, current);
  const start = examination.score.total;
  for (let taken = 0; ; taken++) {
    const first = await tryEach(domain, current, examination);
    if (first === undefined) return { scores: [start, examination.score.total], last: examination };
    assert.ok(taken < 12, `no end: ${formatAdvice(examination.advice[0] as Advice)}`);
    ({ changed: current, after: examination } = first);
  }
}

for (const { behaviour, domain = 'example.com', records, scores } of CORPUS)
  test(`advice, each record alone and all in order: ${behaviour}`, async () => {
    const followed = await follow(domain, records);
    if (scores !== undefined)
      assert.deepEqual(followed.scores, scores, JSON.stringify(followed.last.advice, null, 1));
  });

for (const { behaviour, records, want, sentence } of PASTED_ZONES)
  test(`advice: ${behaviour}`, async () => {
    const { advice } = await examine('example.com', records);
    const texts = advice.map((one) => formatAdvice(one)).join('\n');
    assert.match(texts, sentence);
    const proposed = advice.flatMap(({ change }) =>
      change?.record.type === 'TXT' ? [change.record.text] : [],
    );
    if (want === '') assert.deepEqual(proposed, []);
    else assert.ok(proposed.includes(want), `${proposed.join('\n')}\n${texts}`);
  });

for (const [behaviour, sentence] of [
  ['psd=y at a company', /psd=y says that example\.com is a public suffix/],
  ['sp=none without np', /with np=reject/],
  [
    'np=none beside reject',
    /np=none lets others send as names below example\.com that do not exist/,
  ],
  ['t=y beside none', /without t=y, which has no effect beside p=none/],
  ['MX at localhost', /localhost is each sender's own machine/],
  ['MX hosts with IPv6 only', /have only IPv6 addresses \(mx\.example\.com\)/],
  ['a null MX and mx in SPF', /"v=spf1 -all"/],
  ['a null MX and a soft fail', /"v=spf1 -all"/],
  ['a parked domain with a soft fail and a revoked wildcard key', /"v=spf1 -all"/],
  ['a CNAME at the apex', /example\.com is an alias \(CNAME\) of host\.example\.net/],
  ['void terms beside a good one', /"v=spf1 mx -all"/],
  ['void terms before a redirect', /"v=spf1 redirect=strict\.example\.net"/],
  ['three addresses for reports', /3 addresses for reports/],
  [
    'a _dmarc that is an alias within the organization',
    /mail\.example\.com and all domains with the same alias share/,
  ],
] as const)
  test(`advice: ${behaviour}`, async () => {
    const records =
      SMALLER_ZONES.find((zoneCase) => zoneCase.behaviour === behaviour)?.records ?? {};
    assert.match(
      (await examine('example.com', records)).report.recommendations.join('\n'),
      sentence,
    );
  });

test('advice: the corpus has at least 150 zones with different names', () => {
  assert.ok(CORPUS.length >= 150, `${CORPUS.length} zones`);
  assert.equal(new Set(CORPUS.map(({ behaviour }) => behaviour)).size, CORPUS.length);
});

test('advice: what is proposed for arbitrary records is safe too', async () => {
  const words = [
    'v=spf1',
    '-all',
    '~all',
    '+all',
    'mx',
    'a',
    'include:b.example',
    'include=b.example',
    'ip4:0.0.0.0/1',
    'redirect=b.example',
    'v=DMARC1;',
    'p=none;',
    'p=reject;',
    'sp=none;',
    'np=reject;',
    'pct=30;',
    't=y;',
    'psd=y;',
    'rua=mailto:d@example.com;',
    'rua=d@b.example;',
    ';',
    '"',
  ];
  const text = fc.array(fc.constantFrom(...words), { maxLength: 7 }).map((list) => list.join(' '));
  const mx = fc.constantFrom<ZoneEntry>(
    { MX: [[10, 'mx.example.com']] },
    { MX: [[0, '.']] },
    { A: ['192.0.2.1'] },
    {},
  );
  const dmarc = fc
    .tuple(fc.constantFrom('v=DMARC1; ', 'v=DMARC1 ', ''), text)
    .map((parts) => parts.join(''));
  const domain = fc.constantFrom('example.com', 'a.example.com', 'a.gov.uk');
  await fc.assert(
    fc.asyncProperty(
      domain,
      mx,
      text,
      fc.array(dmarc, { maxLength: 2 }),
      dmarc,
      fc.option(mx),
      async (name, hosts, spf, own, parent, wildcard) => {
        const records: ZoneRecords = {
          ...(wildcard && {
            [`*.${name.slice(name.indexOf('.') + 1)}`]: { ...wildcard, TXT: [`v=spf1 ${spf}`] },
          }),
          [name]: { ...hosts, TXT: [`v=spf1 ${spf}`] },
          [`_dmarc.${name}`]: { TXT: own },
          [`_dmarc.${name.slice(name.indexOf('.') + 1)}`]: { TXT: [parent] },
          [`s1._domainkey.${name}`]: { TXT: [KEYS.strong] },
          'mx.example.com': { A: ['192.0.2.25'] },
          'b.example': { TXT: [spf] },
        };
        await tryEach(name, records, await examine(name, records));
      },
    ),
    { numRuns: 20 },
  );
});
