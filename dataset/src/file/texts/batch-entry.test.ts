import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import { formatAddress, ipv4 } from '../../address.ts';
import { sampleDataset } from '../../test/sample-dataset.ts';
import { recordNumber } from '../match.ts';
import { ENTRY_BYTES, targetOf, writeBatchEntry, writeRecord } from './record-writer.ts';

/** Prefixes of every length from 8 to 32, so that the text of the prefix has every length too. */
const dataset = sampleDataset({
  routes: Array.from({ length: 25 }, (_, i) => [
    `${11 + i * 9}.0.0.0/${8 + i}`,
    64_496 + i,
    `Network ${i}`,
  ]),
});

const SEED = 20261116;
const LOOKUPS = 5_000;

test(`batch entry: the text of Dataset.json after the address (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  const target = targetOf(Buffer.alloc(ENTRY_BYTES + 512));
  for (let i = 0; i < LOOKUPS; i++) {
    const network = Math.floor(random() * 25);
    const host = Math.floor(random() * 2 ** (24 - network));
    const address = ipv4(((11 + network * 9) << 24) | host);
    const words = new Int32Array([address.w0]);
    const matches = new Uint32Array(1);
    dataset.findAllIpv4(words, 1, matches);
    const match = matches[0] as number;
    assert.equal(match, dataset.find(address));
    writeRecord(dataset, address, match, target.buffer, 0);
    writeRecord(dataset, address, match, target.buffer, 0);
    const text = dataset.recordTexts.find(recordNumber(match));
    assert.ok(text !== undefined);
    const ip = formatAddress(address);
    const body = Buffer.from(`"${ip}","more texts"`);
    const view = new DataView(body.buffer, body.byteOffset, body.length);
    const end = writeBatchEntry(view, 1, 1 + ip.length, address.w0, match, text, target, 7);
    assert.equal(
      target.buffer.toString('latin1', 7, end),
      `"${ip}":${dataset.json(address, match)}`,
    );
    assert.ok(end + 8 <= 7 + ENTRY_BYTES + text.length);
  }
});
