import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { sampleDataset } from '@whence/dataset/test/sample-dataset';
import { flagNote, flagSentence, noteFlags } from './flag-note.ts';

for (const [behaviour, unknown, dated, want] of [
  ['nothing to say of a live dataset', [], [], /^$/],
  [
    'both kinds',
    ['is_proxy'],
    ['is_tor_exit', 'is_vpn'],
    /false\): proxy; from dated lists: tor_exit, vpn; npx wh /,
  ],
  [
    'only unknown ones',
    ['is_proxy', 'blocklists'],
    [],
    /^flags unknown \(reported as false\): proxy, blocklists; /,
  ],
  [
    'only dated ones',
    [],
    ['is_vpn'],
    /^flags from dated lists: vpn; npx wh dataset update fetches current lists\n$/,
  ],
] as const)
  test(`flag note: ${behaviour}`, () => assert.match(flagNote({ unknown, dated }), want));

/**
 * It has a list of Tor exits, no list of proxies and no blocklist; VPNs are from the table of
 * networks.
 */
const dataset = sampleDataset({
  routes: [['9.0.0.0/16', 64500, 'One']],
  tor: [['9.0.0.1/32', 'x']],
});
const folder = mkdtempSync(join(tmpdir(), 'whence-flag-note-'));
after(() => rmSync(folder, { recursive: true }));

function noted(
  fields: readonly string[] | undefined,
  isTTY: boolean,
  environment: Record<string, string>,
): string {
  let written = '';
  const write = (text: string | Uint8Array) => {
    written += text;
  };
  noteFlags({ stderr: { write, isTTY }, environment }, { dataset, fields });
  return written;
}

for (const [behaviour, fields, want] of [
  [
    'of a whole record',
    undefined,
    /^note: flags .*: proxy, vpn, ai_crawler, blocklists, criminal_netblocks, relay; npx.*\n$/,
  ],
  ['of fields without flags', ['asn', 'country'], /^$/],
  ['of the score', ['threat_score'], /: blocklists, criminal_netblocks; npx/],
  ['of all flags', ['flags'], /: proxy, vpn, ai_crawler; npx/],
  ['of one flag', ['vpn'], /^note: flags unknown \(reported as false\): vpn;/],
  ['of a flag that a list decides', ['tor_exit'], /^$/],
] as const)
  test(`flag note: ${behaviour}`, () => {
    assert.match(noted(fields, true, {}), want);
    assert.equal(noted(fields, false, {}), '', 'nothing in a pipe');
  });

test('flag note: once a day, and always where that cannot be remembered', () => {
  const environment = { XDG_CACHE_HOME: join(folder, 'cache') };
  assert.match(noted(undefined, true, environment), /^note: /);
  assert.equal(noted(undefined, true, environment), '');
  writeFileSync(join(folder, 'cache/whence/flag-note-day'), '2001-01-01');
  assert.match(noted(undefined, true, environment), /^note: /, 'the next day');
  writeFileSync(join(folder, 'file'), '');
  for (let i = 0; i < 2; i++)
    assert.match(noted(undefined, true, { HOME: join(folder, 'file') }), /^note: /);
});

test('flag note: a file says it in one line', () => {
  assert.equal(
    flagSentence(dataset.meta, '2026-11-15'),
    'Flags unknown (reported as false): proxy, vpn, ai_crawler, blocklists, criminal_netblocks, relay.',
  );
});
