import assert from 'node:assert/strict';
import test from 'node:test';
import { checkDomain } from '@whence/email';
import { MAX_REPORT_BYTES } from '@whence/email/report';
import { zone } from '@whence/email/test/zone';
import { type EmailAnswer, fitAnswer } from './fit-answer.ts';

const fetchPolicy = async () => ({ kind: 'failed', reason: 'none' }) as const;
const report = await checkDomain('example.com', {
  resolver: zone({ 'example.com': {} }),
  transport: { fetchPolicy },
});
const network = {
  prefix: '',
  asn: 0,
  asn_name: '',
  country: '',
  connection_type: '',
  threat_level: '',
} as const;
const networks: EmailAnswer['networks'] = {
  carriers: [],
  mx: [],
  senders: Array.from({ length: 100 }, (_, i) => ({
    ...network,
    range: `192.0.2.${i}/32`,
    record_domain: 'x'.repeat(250),
    asn_count: 0,
    shares: [],
  })),
  range_count: 100,
  ipv4_addresses: 100,
  ipv6_48s: 0,
  open_to_all: false,
  unlisted_terms: [],
  errors: [],
};
const sized = (bytes: number): EmailAnswer => ({
  ...report,
  recommendations: ['r'.repeat(bytes)],
  networks,
});

for (const [behaviour, bytes, senders] of [
  ['an ordinary report is left alone', 1_000, 100],
  ['a large one loses ranges', 230_000, 20],
  ['a larger one all of them', 255_000, 0],
] as const)
  test(`fit answer: ${behaviour}`, () => {
    const answer = fitAnswer(sized(bytes));
    assert.equal(answer.networks?.senders.length, senders);
    assert.deepEqual(
      [answer.networks?.range_count, answer.recommendations[0]?.length],
      [100, bytes],
    );
    assert.ok(Buffer.byteLength(JSON.stringify(answer)) < MAX_REPORT_BYTES);
  });

test('fit answer: the largest loses what transport lists, and keeps what is found', () => {
  const answer = fitAnswer(sized(261_000));
  assert.deepEqual(answer.transport?.mta_sts.mx, ['…']);
  assert.equal(answer.transport?.tls_rpt.validation_errors.length, 1);
});

test('fit answer: the SPF tree is shortened before anything that was asked for by name', () => {
  const node = { depth: 1, term: 't'.repeat(100), lookups: 1, errors: ['e'.repeat(500)] };
  const readiness = { steps: [], is_ready: true, obstacles: [] };
  const details = {
    points: { mx: 0, spf: 0, dkim: 0, dmarc: 0 },
    unverified: [],
    risk: '',
    is_finished: false,
    advice: [],
    readiness,
    sender_rules: '',
    open_to_all: false,
    spf_tree: [{ ...node, depth: 0, term: 'example.com' }, ...new Array(100).fill(node)],
  };
  const answer = fitAnswer({ ...sized(200_000), details });
  assert.deepEqual([answer.details?.spf_tree.length, answer.networks?.senders.length], [1, 100]);
});

test('fit answer: a report without what was included is never touched', () => {
  const { transport: _, ...plain } = report;
  const large = { ...plain, recommendations: ['r'.repeat(300_000)] };
  assert.equal(fitAnswer(large), large);
});
