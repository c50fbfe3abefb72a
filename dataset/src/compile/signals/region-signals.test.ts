import assert from 'node:assert/strict';
import test from 'node:test';
import { regionSignals } from './network-signals.ts';

for (const [behaviour, asn, country, signals] of [
  ['country and registry of a new number', 268_000, 'BR', ['country BR', 'number of LACNIC']],
  ['an old number says nothing about the registry', 3320, 'DE', ['country DE', 'old number']],
  ['without a country', 200_000, undefined, ['number of RIPE']],
] as const)
  test(`region signals: ${behaviour}`, () =>
    assert.deepEqual(regionSignals(asn, country), signals));
