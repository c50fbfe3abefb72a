/** What xz itself writes: a bomb, and streams that are not read. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import { decompressFile } from './decompress.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-decompress-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const from = join(folder, 'download');
const to = join(folder, 'candidate');
const PREFIX = '192.0.2.0/24\n';
const NOISE = noise(200_000);

const NO_XZ = spawnSync('xz', ['--help']).error === undefined ? false : 'xz is not installed';
test('decompress: a bomb of xz is refused, and what comes after it is read', {
  skip: NO_XZ,
}, async () => {
  const run = (input: Buffer) => spawnSync('xz', ['-c'], { input, maxBuffer: 1e9 }).stdout;
  writeFileSync(from, run(Buffer.alloc(30_000_000)));
  await assert.rejects(decompressFile(from, to, { maxBytes: 1_000_000 }), {
    message: 'larger than 1 MB uncompressed',
  });
  assert.ok(!existsSync(to));
  writeFileSync(from, run(NOISE));
  await decompressFile(from, to, { maxBytes: 1_000_000 });
  assert.ok(readFileSync(to).equals(NOISE));
});

for (const [behaviour, flags, message] of [
  [
    'a check that is not read',
    ['--check=sha256'],
    /^an xz stream with a check or filter that is not read/,
  ],
  [
    'a dictionary that would need much memory',
    ['--lzma2=dict=512MiB'],
    /^an xz stream with a dictionary of more than 64 MB/,
  ],
] as const)
  test(`decompress: refuses xz with ${behaviour}`, { skip: NO_XZ }, async () => {
    writeFileSync(from, spawnSync('xz', ['-c', ...flags], { input: PREFIX }).stdout);
    await assert.rejects(decompressFile(from, to, { maxBytes: 1000 }), {
      name: 'StreamError',
      message,
    });
  });

function noise(size: number): Buffer {
  const random = seededRandom(3);
  return Buffer.from(Uint8Array.from({ length: size }, () => Math.floor(random() * 256)));
}
