import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import test from 'node:test';
import { DatasetError } from '@whence/dataset/format';
import { ReaderGone, StreamSink } from './stream-sink.ts';

test('stream sink: a slow reader is waited for', async () => {
  let most = 0;
  let text = '';
  const slow = new Writable({
    highWaterMark: 8,
    decodeStrings: false,
    write(chunk, _encoding, done) {
      most = Math.max(most, this.writableLength);
      text += chunk;
      setImmediate(done);
    },
  });
  const sink = new StreamSink(slow);
  for (let i = 0; i < 20; i++) await sink.write('12345678');
  slow.end();
  await once(slow, 'finish');
  assert.equal(text, '12345678'.repeat(20));
  assert.equal(most, 8, 'never more than one chunk was kept');
});

for (const [behaviour, code, kind] of [
  ['a reader that has gone ends the export quietly', 'EPIPE', ReaderGone],
  ['any other failure is told', 'EIO', DatasetError],
] as const)
  test(`stream sink: ${behaviour}`, async () => {
    const broken = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => setImmediate(() => done(Object.assign(new Error(`write ${code}`), { code }))),
    });
    const sink = new StreamSink(broken);
    await assert.rejects(() => sink.write('text'), kind);
    await assert.rejects(() => sink.write('more'), kind);
  });

test('stream sink: a failure that is thrown is told as well', async () => {
  const full = {
    write: () => {
      throw new Error('no space left on device');
    },
  };
  await assert.rejects(
    () => new StreamSink(full).write('text'),
    /cannot write to standard output: no space left on device/,
  );
});
