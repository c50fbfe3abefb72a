import assert from 'node:assert/strict';
import test from 'node:test';
import { parseOverrides } from './overrides.ts';

for (const [behaviour, text, message] of [
  ['a file that is not JSON', '{', /overrides: not JSON/],
  [
    'a misspelt list',
    '{"alow":[]}',
    /the file has an unknown field alow; known are allow, deny, relabel, networks/,
  ],
  ['a misspelt field', '{"deny":[{"prefx":"192.0.2.1"}]}', /deny\[0\] has an unknown field prefx/],
  [
    'an invalid prefix',
    '{"deny":[{"prefix":"192.0.2.256"}]}',
    /deny\[0\]\.prefix is "192.0.2.256"/,
  ],
  [
    'a reason with a terminal escape sequence',
    '{"deny":[{"asn":1,"reason":"a\\u001b[2J"}]}',
    /deny\[0\]\.reason is .* without control characters/,
  ],
  [
    'a prefix as wide as IPv4',
    '{"deny":[{"prefix":"0.0.0.0/0"}]}',
    /deny\[0\]\.prefix is "0.0.0.0\/0", which is wider than \/8/,
  ],
  [
    'neither prefix nor asn',
    '{"allow":[{"reason":"x"}]}',
    /allow\[0\] needs either a prefix or an asn/,
  ],
  [
    'both prefix and asn',
    '{"allow":[{"prefix":"1.1.1.1","asn":1}]}',
    /allow\[0\] needs either a prefix or an asn/,
  ],
  [
    'an unknown connection type',
    '{"relabel":[{"asn":1,"connection_type":"home"}]}',
    /must be one of residential, mobile/,
  ],
  ['a relabel without fields', '{"relabel":[{"asn":1}]}', /relabel\[0\] sets nothing/],
  [
    'an own network on loopback',
    '{"networks":[{"prefix":"127.0.0.0/8","asn":64512}]}',
    /networks\[0\] overlaps special-purpose space/,
  ],
  [
    'an own network on link-local IPv6',
    '{"networks":[{"prefix":"fe80::/64","asn":64512}]}',
    /networks\[0\] overlaps special-purpose space/,
  ],
  [
    'a label that is no text',
    '{"relabel":[{"asn":1,"labels":["a",2]}]}',
    /relabel\[0\]\.labels .* a list of at most 20 texts/,
  ],
  [
    'an entry of a file with several lines',
    '{\n  "allow": [{ "prefix": "192.0.2.1",\n    "reason": "{[" }],\n  "deny": [\n    { "asn": 1 },\n    { "asn": 0 }\n  ]\n}',
    /^DatasetError: overrides: line 6: deny\[1\]\.asn is 0/,
  ],
] as const) {
  test(`overrides: ${behaviour} is refused with its position`, () => {
    assert.throws(() => parseOverrides(text, '2026-11-15'), message);
  });
}
