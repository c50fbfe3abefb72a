import assert from 'node:assert/strict';
import test from 'node:test';
import { sampleDataset } from '@whence/dataset/internal/test/sample-dataset';
import { flagNote, flagSentence, noteFlags } from './flag-note.ts';

for (const [behaviour, unknown, dated, want] of [
  ['nothing to say of a live dataset', [], [], /^$/],
  ['both kinds', ['is_proxy'], ['is_tor_exit', 'is_vpn'], /everywhere: is_proxy\n.*too old: is_tor_exit, is_vpn\n$/],
  ['only unknown ones', ['is_proxy', 'blocklists'], [], /everywhere: is_proxy, blocklists\n$/],
  [
    'only dated ones',
    [],
    ['is_vpn'],
    /opt-in:\n {2}from tables of a past date, or with a list that is too old: is_vpn\n$/,
  ],
] as const)
  test(`flag note: ${behaviour}`, () => assert.match(flagNote({ unknown, dated }), want));

/** It has a list of Tor exits, no list of proxies and no blocklist; VPNs are from the table of networks. */
const dataset = sampleDataset({ routes: [['9.0.0.0/16', 64500, 'One']], tor: [['9.0.0.1/32', 'x']] });

for (const [behaviour, fields, want] of [
  ['of a whole record', undefined, /everywhere: is_proxy, is_ai_crawler, blocklists\n.*too old: is_vpn\n$/],
  ['of fields without flags', ['asn', 'country'], /^$/],
  ['of the score', ['threat_score'], /everywhere: blocklists\n$/],
  ['of all flags', ['flags'], /everywhere: is_proxy, is_ai_crawler\n.*: is_vpn\n$/],
  ['of one flag', ['is_vpn'], /opt-in:\n.*: is_vpn\n$/],
  ['of a flag that a list decides', ['is_tor_exit'], /^$/],
] as const)
  test(`flag note: ${behaviour}`, () => {
    const written: string[] = [];
    const stderr = { write: (text: string) => written.push(text) };
    noteFlags(stderr, { dataset, fields });
    assert.match(written.join(''), want);
    noteFlags(stderr, { dataset, fields, quiet: true });
    assert.ok(written.length <= 1, '--quiet writes nothing');
  });

test('flag note: a file says it in one line', () => {
  assert.equal(
    flagSentence(dataset.meta, '2026-11-15'),
    'Not known here, and so false: is_proxy, is_ai_crawler, blocklists. ' +
      'From tables of a past date, or with a list that is too old: is_vpn.',
  );
});
