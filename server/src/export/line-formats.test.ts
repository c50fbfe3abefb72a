import assert from 'node:assert/strict';
import test from 'node:test';
import { parseAddress } from '@whence/dataset/address';
import { prefixLength } from '@whence/dataset/match';
import { formatPrefix, fromBigInt, parsePrefix } from '@whence/dataset/prefix';
import { ExportSample } from '../test/packages/export-sample.ts';

const sample = new ExportSample();

test('csv: a header, then a row per network, quoted as in RFC 4180', async () => {
  const { code, stdout } = await sample.export('--format', 'csv', '--asn', '64500,64501');
  assert.equal(code, 0);
  const lines = stdout.split('\n');
  assert.equal(
    lines[0],
    'network,prefix,asn,asn_name,country,rir,connection_type,is_datacenter,is_tor_exit,is_proxy,is_vpn,is_residential,' +
      'is_mobile,is_ai_crawler,ai_company,cloud_provider,threat_score,threat_level',
  );
  assert.equal(
    lines[1],
    '1.0.0.0/22,1.0.0.0/16,64500,"Exämple ""Nord"", GmbH",DE,APNIC,business,false,false,false,false,false,false,false,,,0,',
  );
  assert.ok(
    lines.includes(
      '1.0.4.0/24,1.0.4.0/24,64501,More Specific,DE,APNIC,business,false,false,false,false,false,false,false,,,0,',
    ),
  );
  assert.equal(lines.at(-1), '', 'the last line ends with LF');
  assert.ok(!stdout.includes('\r'));
});

test('csv: a part of an announced prefix with a different record is a separate row', async () => {
  const { stdout } = await sample.export('--format', 'csv', '--flag', 'tor_exit,ai_crawler');
  assert.deepEqual(
    stdout
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',').slice(0, 2)),
    [
      ['1.0.9.9/32', '1.0.0.0/16'],
      ['3.0.0.16/28', '3.0.0.0/8'],
    ],
  );
});

test('ndjson: rows are ordered, do not overlap, and match the dataset at both ends', async () => {
  const { stdout } = await sample.export('--format', 'ndjson');
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  let before = { version: 4, end: -1n };
  for (const { network, prefix, ...fields } of rows) {
    const range = parsePrefix(network);
    assert.ok(
      range !== undefined && (range.version > before.version || range.start > before.end),
      network,
    );
    before = range;
    for (const value of [range.start, range.end]) {
      const address = fromBigInt(value, range.version);
      const match = sample.dataset.find(address);
      const {
        ip: _,
        prefix: announced,
        detection,
        threat,
        ...record
      } = sample.dataset.record(address, match);
      assert.equal(prefix, announced);
      assert.equal(prefix, formatPrefix(address, prefixLength(match)));
      assert.deepEqual(fields, {
        ...record,
        ...detection,
        // Without attack lists the score is not complete, and has no level.
        threat_score: threat.score,
      });
    }
  }
  assert.deepEqual(
    rows.filter(({ network }) =>
      ['2.0.1.0/24', '2.0.2.0/23', '2.0.4.0/24', '2a00:0:0:1::8/125'].includes(network),
    ).length,
    4,
  );
});

test('ndjson: every announced address is in a row', async () => {
  const { stdout } = await sample.export('--format', 'ndjson');
  const ranges = stdout
    .trimEnd()
    .split('\n')
    .map((line) => parsePrefix(JSON.parse(line).network));
  for (const text of [
    '1.0.0.0',
    '1.0.255.255',
    '2.0.4.255',
    '223.255.255.255',
    '2a00::',
    '2a00:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  ]) {
    const address = parseAddress(text);
    assert.ok(address !== undefined && sample.dataset.find(address) !== 0, text);
    const range = parsePrefix(text);
    assert.ok(
      ranges.some(
        (r) =>
          r !== undefined &&
          range !== undefined &&
          r.version === range.version &&
          r.start <= range.start &&
          range.start <= r.end,
      ),
      text,
    );
  }
});
