import assert from 'node:assert/strict';
import test from 'node:test';
import { displayName, usableName } from './display-names.ts';

for (const [behaviour, name, want] of [
  ['an ordinary name', 'Example Net GmbH', 'Example Net GmbH'],
  ['a lost ampersand', 'Hyundai Engineering   Construction Co., Ltd.', 'Hyundai Engineering & Construction Co., Ltd.'],
  ['a surplus space', 'Hoseo  University ', 'Hoseo University'],
  ['three spaces before a bracket', 'Example   (Pty) Ltd', 'Example (Pty) Ltd'],
  ['a placeholder', '-Reserved AS-', undefined],
  ['a tax number', '47-2339071', undefined],
  ['the number itself', 'AS64011', undefined],
  ['a street', 'No.293,Wanbao Avenue', undefined],
  ['a floor', '6/F, No.3 Huatian Road', undefined],
  ['a name that begins with a number', '3M Company', '3M Company'],
  ['a name without Latin letters', 'Пример', 'Пример'],
  ['the name of the former registry', 'RIPE Network Coordination Centre', undefined],
] as const)
  test(`names: ${behaviour}`, () => assert.equal(usableName(name), want));

for (const [behaviour, asn, name, want] of [
  ['a handle', 8452, 'TE-AS', 'Telecom Egypt (WE)'],
  ['an abbreviation', 4155, 'USDA', 'US Department of Agriculture'],
  ['capitals', 2516, 'KDDI CORPORATION', 'KDDI'],
  ['the wrong company', 22394, 'Verizon Business', 'Verizon Wireless'],
  ['nothing usable', 719, undefined, 'Elisa'],
  ['an ordinary name is kept', 3320, 'Deutsche Telekom AG', undefined],
  ['a short name with capitals is kept', 16276, 'OVH SAS', undefined],
  ['a network without a label', 64500, 'EXAMPLE-AS', undefined],
] as const)
  test(`names: a network labelled by hand: ${behaviour}`, () => assert.equal(displayName(asn, name), want));
