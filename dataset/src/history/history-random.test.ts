/** What the history answers, compared with the whole files of all versions, which it no longer has. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import type { Address } from '../address.ts';
import { Dataset } from '../file/read.ts';
import { encodeDataset } from '../file/write.ts';
import { fromBigInt } from '../prefix.ts';
import { builtAt, similarVersions } from '../test/history-versions.ts';
import { UNITS, UNIVERSES } from '../test/random-prefixes.ts';
import { ownBuffer } from '../test/sample-dataset.ts';
import { publish, readManifest, useVersion } from '../versions/publish.ts';
import { inUseFor, PastVersions } from './past-versions.ts';
import { keepVersions } from './record-history.ts';

const VERSIONS = 14;
const RETENTION = 12;

const ADDRESSES = 50;

/** Addresses of both families, in the units of the versions and beside them. */
function randomAddresses(random: () => number): Address[] {
  return Array.from({ length: ADDRESSES }, (_, i) => {
    const version = i % 2 === 0 ? 4 : 6;
    const { base, unit } = UNIVERSES[version];
    return fromBigInt(base + BigInt(Math.floor(random() * (UNITS + 4)) - 2) * unit, version);
  });
}

for (const seed of [1, 2]) {
  test(`history: ${VERSIONS} random versions, compared with their whole files, seed ${seed}`, () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'whence-history-'));
    try {
      const random = seededRandom(seed);
      const datasets: Dataset[] = [];
      for (const content of similarVersions(random)) {
        const number = datasets.length + 1;
        datasets.push(new Dataset(ownBuffer(encodeDataset(content, number, builtAt(number)))));
        publish(dataDir, content, builtAt(number));
        keepVersions(dataDir, RETENTION, builtAt(number));
        if (number === VERSIONS) break;
      }
      assert.deepEqual(
        readManifest(dataDir)?.versions.map(({ version }) => version),
        [8, 9, 10, 11, 12, 13, 14],
      );
      const past = new PastVersions(dataDir);
      // The newest version in use, and an older one after a rollback.
      for (const inUseNumber of [VERSIONS, VERSIONS - 3]) {
        useVersion(dataDir, inUseNumber);
        const inUse = datasets[inUseNumber - 1] as Dataset;
        for (const address of randomAddresses(random)) {
          const wanted = datasets.map((dataset) => jsonOf(dataset, address));
          const served = inUseFor(inUse, address);
          for (let version = 1; version <= VERSIONS; version++) {
            const found = past.record({ version }, address, served, { now: builtAt(VERSIONS) });
            if (version <= VERSIONS - RETENTION) assert.deepEqual(found, { kind: 'not kept' });
            else if (version === inUseNumber) assert.deepEqual(found, { kind: 'in use' });
            else {
              const json = wanted[version - 1];
              assert.deepEqual(found, { kind: 'found', version, ...(json !== undefined && { json }) });
            }
          }
          assert.deepEqual(past.history(address, served), slowSpans(wanted));
        }
      }
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
}

function jsonOf(dataset: Dataset, address: Address): string | undefined {
  const match = dataset.find(address);
  return match === 0 ? undefined : dataset.json(address, match);
}

/** Spans of equal records, dates aside, from the newest to the oldest version that is kept. */
function slowSpans(records: readonly (string | undefined)[]) {
  const withoutDates = (json: string | undefined) => json?.replace(/, \d{4}-\d\d-\d\d\)/g, ')');
  const spans: { from_version: number; to_version: number; from: string; to: string; record?: string }[] = [];
  for (let version = VERSIONS; version > VERSIONS - RETENTION; version--) {
    const [record, later] = [records[version - 1], records[version]];
    const from = builtAt(version).toISOString();
    const span = spans.at(-1);
    if (span !== undefined && withoutDates(record) === withoutDates(later)) {
      span.from_version = version;
      span.from = from;
    } else
      spans.push({
        ...{ from_version: version, to_version: version, from, to: from },
        ...(record !== undefined && { record }),
      });
  }
  return spans;
}
