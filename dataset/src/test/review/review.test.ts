/** The review of a dataset: what its tables cover, and where its sources contradict its answers. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sampleDataset } from '../sample-dataset.ts';
import { findDisagreements } from './disagreements.ts';
import { formatCoverage, formatDisagreements } from './review.ts';
import { tableCoverage } from './table-coverage.ts';

const dataset = sampleDataset({
  routes: [
    ['1.0.0.0/16', 64_500, 'Example University'],
    ['1.2.0.0/24', 64_501, 'Example'],
    ['1.3.0.0-1.3.1.255', 64_501, 'Example'],
    ['8.8.8.0/24', 15_169, 'Google LLC'],
    ['2001:4860::/32', 15_169, 'Google LLC'],
  ],
  countries: [
    ['1.0.0.0/16', 'AU'],
    ['1.2.0.0/24', 'DE'],
    ['1.3.0.0-1.3.1.255', 'DE'],
    ['8.8.8.0/24', 'US'],
    ['2001:4860::/32', 'US'],
  ],
  delegated: [
    ['1.0.0.0/16', 'NZ'],
    ['1.2.0.0/24', 'FR'],
    ['1.3.0.0-1.3.1.255', 'FR'],
    ['2001:4860::/32', 'CA'],
  ],
});

test('table coverage: a row in the table comes before a word in the name, and that before signals', () => {
  const { decided_by } = tableCoverage(dataset, 10);
  assert.deepEqual(decided_by, {
    table: { networks: 1, ipv4_addresses: 256 },
    name: { networks: 1, ipv4_addresses: 65_536 },
    signals: { networks: 1, ipv4_addresses: 768 },
    list: { networks: 0, ipv4_addresses: 0 },
    default: { networks: 0, ipv4_addresses: 0 },
  });
});

test('table coverage: networks without a row are listed by size, up to the limit', () => {
  const asns = (limit: number) => tableCoverage(dataset, limit).not_in_table.map(({ asn }) => asn);
  assert.deepEqual([asns(10), asns(1)], [[64_500, 64_501], [64_500]]);
});

test('disagreements: equal contradictions of one network are one entry with the sum of their ranges', () => {
  const { country } = findDisagreements(dataset, 10).fields;
  assert.deepEqual(
    country.by_addresses.map(({ asn, answer, other, ipv4_addresses, ranges }) => [
      asn,
      `${answer.value} ${answer.source}, ${other.value} ${other.source}`,
      ipv4_addresses,
      ranges,
    ]),
    [
      [64_500, 'AU countries, NZ delegated', 65_536, 1],
      [64_501, 'DE countries, FR delegated', 768, 2],
      // IPv6 counts as a range only.
      [15_169, 'US countries, CA delegated', 0, 1],
    ],
  );
  assert.deepEqual([country.ipv4_addresses, country.ranges], [66_304, 4]);
});

test('disagreements: the largest by ranges are another list than the largest by addresses', () => {
  const { by_addresses, by_ranges } = findDisagreements(dataset, 1).fields.country;
  assert.deepEqual(
    [by_addresses, by_ranges].map((rows) => rows.map(({ asn }) => asn)),
    [[64_500], [64_501]],
  );
});

test('review: the reports name the file and line of a correction, and both sides of a contradiction', () => {
  const coverage = formatCoverage(dataset, 1);
  assert.match(coverage, /\nrow in the table of networks +1 +0\.38%\n/);
  assert.match(
    coverage,
    /\nthe largest networks without a row in dataset\/data\/networks\.csv\n.*\nAS64500 +\S+ +65,536 /,
  );
  const disagreements = formatDisagreements(dataset, 1);
  assert.match(disagreements, /\n65,536 +1 +AS64500 +AU \(countries\) +NZ \(delegated\) /);
});
