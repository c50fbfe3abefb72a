import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test, { before } from 'node:test';
import { type Address, formatAddress } from '@whence/dataset/address';
import { fromBigInt } from '@whence/dataset/prefix';
import { seededRandom } from '@whence/testing/seeded-random';
import { Reader, type Response } from 'maxmind';
import { ExportSample } from '../../test/packages/export-sample.ts';

const sample = new ExportSample();
const path = sample.path('whence.mmdb');
let reader: Reader<Response>;
before(async () => {
  const { code } = await sample.export('--format', 'mmdb', '--output', path);
  assert.equal(code, 0);
  reader = new Reader<Response>(readFileSync(path));
});

/** First and last address of every run, their neighbours, and a random address in between. */
function boundaryAddresses(): Address[] {
  const random = seededRandom(4);
  return ([4, 6] as const).flatMap((version) =>
    [...sample.dataset.runs(version)].flatMap(({ start, end }) => {
      const within = start + (BigInt(Math.floor(random() * 2 ** 32)) * (end - start)) / 2n ** 32n;
      return [start - 1n, start, within, end, end + 1n].map((at) => fromBigInt(at, version));
    }),
  );
}

/** The expected record, from the dataset. */
function expected(address: Address) {
  const match = sample.dataset.find(address);
  if (match === 0) return null;
  const { asn, asn_name, country, rir, connection_type, detection, threat } = sample.dataset.record(
    address,
    match,
  );
  return {
    country: { iso_code: country },
    autonomous_system_number: asn,
    autonomous_system_organization: asn_name,
    rir,
    connection_type,
    detection,
    // The level is absent where no current list could have raised it.
    threat:
      sample.dataset.threatGap(address.version, match) === undefined
        ? { score: threat.score, level: threat.level }
        : { score: threat.score },
  };
}

test('mmdb: the file matches the dataset at every boundary and in between', () => {
  const addresses = boundaryAddresses();
  assert.ok(addresses.length > 100);
  for (const address of addresses)
    assert.deepEqual(reader.get(formatAddress(address)), expected(address), formatAddress(address));
});

test('mmdb: an IPv4-mapped address is the IPv4 address; 6to4 is not', () => {
  assert.deepEqual(reader.get('::ffff:8.8.8.8'), reader.get('8.8.8.8'));
  assert.equal(reader.get('2002:808:808::1'), null);
});

test('mmdb: neighbours with equal records are one network', () => {
  assert.equal(reader.getWithPrefixLength('6.0.0.1')[1], 24);
  assert.equal(reader.getWithPrefixLength('1.0.9.9')[1], 32);
});

test('mmdb: metadata has version, time and credits', () => {
  const { databaseType, ipVersion, binaryFormatMajorVersion, languages, buildEpoch, description } =
    reader.metadata as unknown as Record<string, unknown>;
  assert.deepEqual(
    [databaseType, ipVersion, binaryFormatMajorVersion, languages],
    ['Whence', 6, 2, ['en']],
  );
  assert.deepEqual(buildEpoch, new Date(sample.dataset.meta.built_at));
  assert.match(
    JSON.stringify(description),
    /Whence dataset version 1\. Contains data of: .*Changes made: /,
  );
});

test('mmdb: a filtered file has no other networks', async () => {
  const filtered = sample.path('google.mmdb');
  const { code, stdout } = await sample.export(
    '--format',
    'mmdb',
    '--output',
    filtered,
    '--asn',
    '15169',
    '--json',
  );
  assert.equal(code, 0);
  assert.equal(JSON.parse(stdout).rows, 2);
  const google = new Reader<Response>(readFileSync(filtered));
  const found = ['8.8.8.8', '2001:4860::8888', '1.0.0.1'].map((ip) => google.get(ip) !== null);
  assert.deepEqual(found, [true, true, false]);
});
