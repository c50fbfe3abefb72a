import assert from 'node:assert/strict';
import test from 'node:test';
import { sampleInput } from '../../test/sample-dataset.ts';
import { routeShapes, routeSignals } from './route-shapes.ts';

const { routes, delegated } = sampleInput({
  routes: [
    ['192.0.2.0/24', 64496, 'one'],
    ['198.51.100.0/25', 64496, 'one'],
    ['2001:db8::/32', 64496, 'one'],
    ['2001:db8:1::/48', 64497, 'two'],
  ],
  delegated: [
    ['192.0.2.0/24', 'NL'],
    ['198.51.100.0/24', 'DE'],
    ['2001:db8::/32', 'FR'],
  ],
});

test('route shapes: counts per network, and the country of the largest block', () => {
  const shapes = routeShapes({ routes, delegated });
  const { ipv4Prefixes, ipv4Addresses, ipv6Prefixes, country } = shapes.get(64496) ?? {};
  assert.deepEqual([ipv4Prefixes, ipv4Addresses, ipv6Prefixes, country], [2, 384, 1, 'NL']);
  assert.equal(shapes.get(64497)?.country, 'FR');
  assert.equal(shapes.get(64498), undefined);
});

test('route shapes: the last source that has a network decides', () => {
  const later = sampleInput({ routes: [['203.0.113.0/24', 64496, 'one']] }).routes;
  const shapes = routeShapes({ routes: [...routes, ...later], delegated });
  assert.equal(shapes.get(64496)?.ipv4Addresses, 256);
  assert.equal(shapes.get(64497)?.ipv6Prefixes, 1);
});

for (const [behaviour, ipv4Prefixes, ipv4Addresses, ipv6Prefixes, signals] of [
  [
    'one /24',
    1,
    256,
    0,
    ['up to 1 /24s', 'IPv6 prefixes: 0', 'IPv4 prefixes: 2^1', 'mean prefix: 2^1 /24s'],
  ],
  [
    'a /22 and IPv6',
    1,
    1024,
    1,
    ['up to 4 /24s', 'IPv6 prefixes: 1', 'IPv4 prefixes: 2^1', 'mean prefix: 2^2 /24s'],
  ],
  ['only IPv6', 0, 0, 9, ['up to 0 /24s', 'IPv6 prefixes: many', 'IPv4 prefixes: 2^0']],
  [
    'a large network',
    99,
    2 ** 22,
    2,
    ['more than 256 /24s', 'IPv6 prefixes: 2-3', 'IPv4 prefixes: 2^4', 'mean prefix: 2^5 /24s'],
  ],
] as const)
  test(`route signals: ${behaviour}`, () =>
    assert.deepEqual(
      routeSignals({ ipv4Prefixes, ipv4Addresses, ipv6Prefixes, country: undefined }),
      signals,
    ));
