import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import test from 'node:test';
import { StreamSink } from './output.ts';

test('stream sink: write waits for a slow reader', async () => {
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
  assert.equal(most, 8, 'at most one chunk is buffered');
});

test('stream sink: every write after a failure rejects', async () => {
  const broken = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, done) =>
      setImmediate(() => done(Object.assign(new Error('write EIO'), { code: 'EIO' }))),
  });
  const sink = new StreamSink(broken);
  for (const text of ['text', 'more'])
    await assert.rejects(sink.write(text), {
      name: 'DatasetError',
      message: 'cannot write to standard output: disk I/O error (write EIO)',
    });
});

test('stream sink: the caller may reuse the bytes after write', async () => {
  const taken: Uint8Array[] = [];
  const sink = new StreamSink({ write: (chunk) => taken.push(chunk as Uint8Array) });
  const bytes = Buffer.from('first');
  await sink.write(bytes);
  bytes.write('other');
  await sink.write(bytes);
  assert.deepEqual(
    taken.map((chunk) => Buffer.from(chunk).toString()),
    ['first', 'other'],
  );
});

test('stream sink: a synchronous failure rejects as well', async () => {
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
