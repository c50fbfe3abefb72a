/**
 * Every record that is proposed for a domain of the corpus is applied to its zone, and the check run again: what an
 * administrator pastes must not lower the score, weaken a policy or break the zone file.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { decode, encode } from 'dns-packet';
import * as zoneFile from 'dns-zonefile';
import fc from 'fast-check';
import { type Examination, examineDomain } from '../check.ts';
import { checkDmarc } from '../dmarc/check.ts';
import { zone } from '../dns/zone.ts';
import { indexZone, NO_RECORDS, type ZoneEntry, type ZoneRecords } from '../dns/zone-records.ts';
import type { DmarcPolicy } from '../report/report.ts';
import { parseTagList, tagValue } from '../tag-list.ts';
import { CORPUS, type CorpusCase } from '../test/advice-corpus.ts';
import { KEYS } from '../test/dkim-keys.ts';
import type { Change } from './advice.ts';
import { formatAdvice } from './advice-text.ts';
import { type ProposedRecord, stringsOf, zoneFileLine } from './zone-file.ts';

// The module has a default export, but its types declare named ones.
const { parse } = (zoneFile as unknown as { default: typeof zoneFile }).default;

const examine = (domain: string, records: ZoneRecords) => examineDomain(domain, { resolver: zone(records) });

function changesOf({ advice }: Examination): { change: Change; points: number }[] {
  return advice.flatMap(({ change, points }) => (change === undefined ? [] : [{ change, points }]));
}

/** What a panel does with a change. */
function apply(records: ZoneRecords, { record, replaces }: Change): ZoneRecords {
  const entry = indexZone(records)(record.name) ?? NO_RECORDS;
  assert.equal(entry.CNAME, undefined, `${record.name} is an alias`);
  const text = (strings: string | readonly string[]) => [strings].flat().join('');
  const changed: ZoneEntry =
    record.type === 'MX'
      ? { ...entry, MX: [[record.preference, record.exchange]] }
      : {
          ...entry,
          TXT: [...(entry.TXT ?? []).filter((one) => !replaces.includes(text(one))), stringsOf(record.text)],
        };
  if (record.type === 'TXT')
    for (const replaced of replaces)
      assert.ok(
        (entry.TXT ?? []).some((one) => text(one) === replaced),
        `there is no ${replaced}`,
      );
  return { ...records, [record.name]: changed };
}

/** The record of a line, as an independent reader of zone files sees it. */
function readLine(line: string): ProposedRecord {
  const { mx = [], txt = [] } = parse(`$ORIGIN elsewhere.example.\n$TTL 3600\n${line}\n`);
  assert.equal(mx.length + txt.length, 1, line);
  const [host] = mx;
  if (host !== undefined)
    return { name: bare(host.name), type: 'MX', preference: Number(host.preference), exchange: bare(host.host) };
  const strings = [...(txt[0]?.txt ?? '').matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) =>
    withoutEscapes(quoted),
  );
  for (const string of strings) assert.ok(string.length <= 255, `${string.length} bytes in a string`);
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
      ? { type: record.type, name, data: { preference: record.preference, exchange: record.exchange } }
      : { type: record.type, name, data: stringsOf(record.text).map((text) => Buffer.from(text, 'latin1')) };
  assert.equal(decode(encode({ type: 'response', answers: [answer] })).answers?.length, 1);
}

const LEVELS: Readonly<Record<DmarcPolicy, number>> = { none: 0, quarantine: 1, reject: 2 };

/** For the domain, a subdomain, a name that does not exist, and the names of the zone above and below. */
async function protections(domain: string, records: ZoneRecords): Promise<Map<string, number>> {
  const isAround = (name: string) => name.endsWith(`.${domain}`) || domain.endsWith(`.${name}`);
  const around = Object.keys(records).filter((name) => !/[_*]/.test(name) && isAround(name));
  const names = new Set([domain, `existing-sub.${domain}`, `missing.${domain}`, ...around]);
  const resolver = zone({ ...records, [`existing-sub.${domain}`]: { A: ['192.0.2.77'] } });
  const policies = [...names].map(async (name) => {
    const apex = resolver.txt(name);
    const state = apex.then(({ kind }) => (kind === 'nxdomain' ? 'nxdomain' : 'exists'));
    const { report, isTestMode } = await checkDmarc(name, resolver, state, apex);
    const level = LEVELS[report.effective_policy];
    const share = isTestMode ? 0 : report.percentage / 100;
    return [name, report.raw === '' || level === 0 ? 0 : level - 1 + share] as const;
  });
  return new Map(await Promise.all(policies));
}

function assertOnlyOwn(domain: string, { record }: Change): void {
  assert.ok(record.name === domain || record.name.endsWith(`.${domain}`), `${record.name} is not of ${domain}`);
}

/** B.7 rules about what a record may say. */
function assertCareful(domain: string, before: Examination, { record }: Change): void {
  if (record.type === 'MX') {
    assert.ok(record.exchange === '.' || record.exchange === domain, 'no host is invented');
    return;
  }
  const { raw } = before.report.spf;
  const isSilent = raw === 'v=spf1 -all' || (raw === '' && before.findings.mx.state === 'null');
  if (record.name === `_dmarc.${domain}`) {
    const list = parseTagList(record.text, 'lowered');
    const policy = tagValue(list, 'p');
    if (before.report.dmarc.raw === '') assert.equal(policy, isSilent ? 'reject' : 'none', 'a first record');
    const rua = tagValue(list, 'rua') ?? '';
    if (rua.includes(`dmarc@${domain}`)) assert.match(before.findings.mx.state, /^(?:valid|partly|implicit)$/);
    for (const { name, raw } of ownRightTags(before))
      assert.ok(record.text.includes(raw), `${name} is dropped: ${record.text}`);
  }
  const usesMx = /(?:^| )mx(?: |$)/;
  if (record.name === domain && usesMx.test(record.text) && !usesMx.test(raw))
    assert.ok(before.report.mx.records.length > 0, 'mx without MX');
}

/** The tags of the present own record that B.7 wants to stay. */
function ownRightTags({ report }: Examination) {
  if (report.dmarc.inherited || !report.dmarc.is_valid) return [];
  const right = ['sp', 'np', 'adkim', 'aspf', 'fo', 'rua', 'ruf', 'psd'];
  return parseTagList(report.dmarc.raw, 'lowered').tags.filter(({ name }) => right.includes(name));
}

async function assertSafe(domain: string, records: ZoneRecords): Promise<void> {
  const before = await examine(domain, records);
  const policies = await protections(domain, records);
  for (const advice of before.advice) {
    const text = formatAdvice(advice);
    assert.ok(text.length <= 500 && !text.includes('undefined'), text);
    if (advice.change === undefined) continue;
    const { change, points } = advice;
    const line = zoneFileLine(change.record);
    assert.ok(text.endsWith(line) || line.length > 300, text);
    assert.deepEqual(readLine(line), change.record);
    assertFitsMessage(change.record);
    assertOnlyOwn(domain, change);
    assertCareful(domain, before, change);
    const changed = apply(records, change);
    const after = await examine(domain, changed);
    assert.equal(after.score.total - before.score.total, points, `${line}: ${JSON.stringify(after.score)}`);
    assert.ok(points >= 0, line);
    for (const [name, protection] of await protections(domain, changed))
      assert.ok(protection >= (policies.get(name) ?? 0), `${name} is less protected after ${line}`);
  }
}

for (const { behaviour, domain = 'example.com', records } of CORPUS)
  test(`advice, applied: ${behaviour}`, () => assertSafe(domain, records));

for (const { behaviour, domain = 'example.com', records } of CORPUS)
  test(`advice, followed to the end: ${behaviour}`, async () => {
    let current = records;
    const taken: string[] = [];
    for (;;) {
      const step = changesOf(await examine(domain, current)).find(({ points }) => points > 0);
      if (step === undefined) break;
      taken.push(zoneFileLine(step.change.record));
      assert.ok(taken.length <= 8, taken.join('\n'));
      current = apply(current, step.change);
    }
  });

test('advice: the corpus has at least 60 zones, and most of them get a record', async () => {
  assert.ok(CORPUS.length >= 60, `${CORPUS.length} zones`);
  const proposals = await Promise.all(
    CORPUS.map(
      async ({ domain = 'example.com', records }: CorpusCase) => changesOf(await examine(domain, records)).length,
    ),
  );
  assert.ok(proposals.filter((count) => count > 0).length >= 60, 'too few zones with a proposal');
});

test('advice: what is proposed for arbitrary records is safe too', async () => {
  const words = [
    ...[
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
    ],
    ...[
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
    ],
  ];
  const text = fc.array(fc.constantFrom(...words), { maxLength: 7 }).map((list) => list.join(' '));
  const mx = fc.constantFrom<ZoneEntry>({ MX: [[10, 'mx.example.com']] }, { MX: [[0, '.']] }, { A: ['192.0.2.1'] }, {});
  const dmarc = fc.tuple(fc.constantFrom('v=DMARC1; ', 'v=DMARC1 ', ''), text).map((parts) => parts.join(''));
  const domain = fc.constantFrom('example.com', 'a.example.com', 'a.gov.uk');
  await fc.assert(
    fc.asyncProperty(
      domain,
      mx,
      text,
      fc.array(dmarc, { maxLength: 2 }),
      dmarc,
      async (name, hosts, spf, own, parent) => {
        const records: ZoneRecords = {
          [name]: { ...hosts, TXT: [`v=spf1 ${spf}`] },
          [`_dmarc.${name}`]: { TXT: own },
          [`_dmarc.${name.slice(name.indexOf('.') + 1)}`]: { TXT: [parent] },
          [`s1._domainkey.${name}`]: { TXT: [KEYS.strong] },
          'mx.example.com': { A: ['192.0.2.25'] },
          'b.example': { TXT: [spf] },
        };
        await assertSafe(name, records);
      },
    ),
    { numRuns: 150 },
  );
});
