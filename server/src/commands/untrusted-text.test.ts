/**
 * Text from feeds, datasets and files reaches the terminal without control characters, whatever the
 * command.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import type { Source } from '@whence/dataset/record';
import { contentOf, sampleInput } from '@whence/dataset/test/sample-dataset';
import { publish } from '@whence/dataset/versions';
import { run } from '../main.ts';
import { printable } from '../terminal/printable.ts';
import { TestFolder } from '../test/test-server.ts';

const EVIL = '\x1b[2J\x07\x9b1m\r\n\u202e';
const folder = new TestFolder();
const logs = join(folder.dataDir, 'logs');
mkdirSync(logs);
after(() => folder.remove());

publishVersion(`before${EVIL}`);
publishVersion(`Network${EVIL}`);

function publishVersion(name: string): void {
  const evilSource = (source: Source): Source => ({
    ...source,
    id: `id${EVIL}`,
    licence: EVIL,
    credit: `credit${EVIL}`,
  });
  const input = sampleInput({
    routes: [['8.8.8.0/24', 15169, name]],
    countries: [['8.8.8.0/24', 'US']],
    crawlers: [['8.8.8.16/28', `Company${EVIL}`]],
    tor: [['8.8.8.8/32', `Operator${EVIL}`]],
  });
  const overlays = input.overlays.map((overlay) => ({
    ...overlay,
    source: evilSource(overlay.source),
  }));
  const refused = [{ id: `feed${EVIL}`, reason: `reason${EVIL}`, used: `date${EVIL}` }];
  publish(folder.dataDir, contentOf({ ...input, overlays }, refused), new Date());
}

async function whence(...argv: string[]) {
  let text = '';
  const output = {
    write: (chunk: string | Uint8Array) => {
      text += chunk;
    },
  };
  await run(argv, { WHENCE_DATA_DIR: folder.dataDir }, output, output);
  return text;
}

writeFileSync(join(logs, `name${EVIL}.gz`), Buffer.from([0x1f, 0x8b, 1, 2, 3, 4, 5, 6]));
writeFileSync(join(logs, 'a.csv'), `"ip${EVIL}"\n8.8.8.8\n`);

for (const [argv, shown] of [
  [['ip', '8.8.8.8'], 'Network\\x1b[2J\\x07\\x9b1m'],
  [['ip', '--explain', '8.8.8.8'], 'id\\x1b[2J'],
  [['ip', '8.8.8.17'], 'Company\\x1b[2J'],
  [['asn', '15169'], 'Network\\x1b[2J'],
  [['asn', 'search', 'network'], 'Network\\x1b[2J'],
  [['dataset', 'list'], 'reason\\x1b[2J'],
  [['dataset', 'export', '--format', 'nftables', '--asn', '15169'], 'credit\\x1b[2J'],
  [['enrich', join(logs, `name${EVIL}.gz`)], 'name\\x1b[2J'],
  [['enrich', join(logs, `missing${EVIL}`)], 'missing\\x1b[2J'],
  [['enrich', join(logs, 'a.csv'), '--address', 'x'], '\\u202e'],
  [['ip', EVIL], '\\u202e'],
  [['dataset', 'use', EVIL], '\\x1b[2J'],
  [[EVIL], '\\u001b[2J'],
] as const)
  test(`untrusted text: whence ${printable(argv.join(' ').replace(logs, 'logs'))}`, async () => {
    const text = await whence(...argv);
    assert.ok(text.includes(shown), text);
    assert.doesNotMatch(text, /[^\P{Cc}\n\t]|\p{Bidi_Control}/u);
  });

test('untrusted text: the NOTICE of an export', async () => {
  const path = join(folder.dataDir, 'out.csv');
  await whence('dataset', 'export', '--format', 'csv', '--output', path);
  const notice = readFileSync(`${path}.NOTICE`, 'utf8');
  assert.match(notice, /^ {2}credit: credit\\x1b\[2J/m);
  assert.doesNotMatch(notice, /[^\P{Cc}\n]|\p{Bidi_Control}/u);
});
