import assert from 'node:assert/strict';
import test from 'node:test';
import { displayName, usableName } from './network-names.ts';

for (const [behaviour, name, want] of [
  ['an ordinary name', 'Example Net GmbH', 'Example Net GmbH'],
  [
    'a lost ampersand',
    'Hyundai Engineering   Construction Co., Ltd.',
    'Hyundai Engineering & Construction Co., Ltd.',
  ],
  ['a surplus space', 'Hoseo  University ', 'Hoseo University'],
  ['three spaces before a bracket', 'Example   (Pty) Ltd', 'Example (Pty) Ltd'],
  ['a placeholder', '-Reserved AS-', undefined],
  ['a tax number', '47-2339071', undefined],
  ['the number itself', 'AS64011', undefined],
  ['for whom it is', 'asn for Liaoning Provincial Net of CT', undefined],
  ['for whom the number is', 'AS number for Africa Online Ghana', undefined],
  ['a street', 'No.293,Wanbao Avenue', undefined],
  ['a floor', '6/F, No.3 Huatian Road', undefined],
  [
    'a floor, as another registry writes it',
    '6F, No.3 Huatian Road, New Technology Industry Area',
    undefined,
  ],
  ['a level', 'Level 10, 9 Hunter Street', undefined],
  ['a level alone', 'Level 8', undefined],
  ['a suite', 'Suite 1001,10/F, One Landmark East', undefined],
  ['a house number and a street', '145 Macquarie Street', undefined],
  ['a street of Jakarta', 'Jl. Raya Pasar Minggu no 99D', undefined],
  ['a post box', 'GPO Box 1681', undefined],
  [
    'a handle and a street',
    'LiaoHe-HuaYu - 76 # Oil Street of LiaoHe Oilfield, PanJin, LiaoNing',
    undefined,
  ],
  ['a sector', 'Sector 125', undefined],
  ['a building and its tower', 'DLF Building, Tower D', undefined],
  ['a flat in a block', 'A-1-1, Block A, Glomac Damansara', undefined],
  ['a building of the table', 'Planners Tower', undefined],
  ['a town in a province', 'JINHUA, ZHEJIANG Province, P.R.China.', undefined],
  ['a province', 'Heilongjiang Province, P.R.China.', undefined],
  ['a town and its postal number', 'Jinan,250000', undefined],
  ['a street without a number', 'Huizhan street, Renqiu city, Hebei, P. R. CHINA', undefined],
  ['a building and its avenue', 'Tencent Building, Kejizhongyi Avenue', undefined],
  [
    'the next line of a registration',
    'descr: No. 14, 256 Bach Dang, Chuong Duong, Hoan Kiem, Hanoi',
    undefined,
  ],
  [
    'a name before the next line',
    'EXAMPLE IDC networkdescr: Nanning , Guangxi Province',
    'EXAMPLE IDC network',
  ],
  [
    'a network in a country',
    'IOT Jiangsu network, Chinatelecom, P.R.China.',
    'IOT Jiangsu network, Chinatelecom, P.R.China.',
  ],
  [
    'an authority of a province',
    'Fars Province Gas Company (PJS)',
    'Fars Province Gas Company (PJS)',
  ],
  ['a town hall', 'City of Tempe, Arizona', 'City of Tempe, Arizona'],
  [
    'a law firm',
    'Paul, Weiss, Rifkind, Wharton & Garrison',
    'Paul, Weiss, Rifkind, Wharton & Garrison',
  ],
  ['a company that is called like a street', 'Jane Street', 'Jane Street'],
  ['a name with a word in the plural', 'Northwest Towers', 'Northwest Towers'],
  ['a railway', 'Long Island Rail Road', 'Long Island Rail Road'],
  ['a company with a word for a building', 'Sector Alarm AS', 'Sector Alarm AS'],
  ['a company with a company form and a block', 'Block One B Ltd', 'Block One B Ltd'],
  ['a company with a number', 'Level 3 Communications, Inc.', 'Level 3 Communications, Inc.'],
  ['a company with a number and no form', '360 Communications', '360 Communications'],
  ['a school district', 'Bethel School District 403', 'Bethel School District 403'],
  [
    'a utility',
    'Public Utility District No. 1 of Okanogan County',
    'Public Utility District No. 1 of Okanogan County',
  ],
  [
    'an office with its street',
    'Office of the Example 47/111 Tiwanon Way',
    'Office of the Example 47/111 Tiwanon Way',
  ],
  [
    'a company before its street',
    'Example Ltd, House # 41, Road 1/A',
    'Example Ltd, House # 41, Road 1/A',
  ],
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
  [
    'a street address, as the embedded list has it',
    23841,
    usableName('6/F, No.3 Huatian Road'),
    'Tianjin Broadcast and TV Network',
  ],
  [
    'a street address, as an update brings it',
    23841,
    usableName('6F, No.3 Huatian Road, New Area'),
    'Tianjin Broadcast and TV Network',
  ],
  ['a street address of a network with a proper name', 37936, undefined, 'Sina'],
  ['a building', 132203, usableName('Tencent Building, Kejizhongyi Avenue'), 'Tencent Cloud'],
  ['an ordinary name is kept', 3320, 'Deutsche Telekom AG', undefined],
  ['a short name with capitals is kept', 16276, 'OVH SAS', undefined],
  ['a network without a label', 64500, 'EXAMPLE-AS', undefined],
] as const)
  test(`names: a network labelled by hand: ${behaviour}`, () =>
    assert.equal(displayName(asn, name), want));
