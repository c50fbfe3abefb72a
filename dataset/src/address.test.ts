import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { formatAddress, parseAddress, truncateAddress } from './address.ts';
import { almostAddress } from './test/almost-address.ts';

for (const [behaviour, text, want] of [
  ['a dotted quad is unchanged', '192.0.2.1', '192.0.2.1'],
  ['the lowest address', '0.0.0.0', '0.0.0.0'],
  ['all octets at their maximum', '255.255.255.255', '255.255.255.255'],
  ['IPv6 in full is shortened', '2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
  ['upper case becomes lower', '2001:DB8::ABCD', '2001:db8::abcd'],
  ['unspecified', '::', '::'],
  ['loopback', '::1', '::1'],
  ['zeros at the end', 'fe80::', 'fe80::'],
  [
    'RFC 5952 §4.2.2: a single zero group is not shortened',
    '2001:db8:0:1:1:1:1:1',
    '2001:db8:0:1:1:1:1:1',
  ],
  ['RFC 5952 §4.2.2: :: for one group is undone', '2001:db8::1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['RFC 5952 §4.2.3: the longest run is shortened', '2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
  [
    'RFC 5952 §4.2.3: the first of equal runs is shortened',
    '2001:db8:0:0:1:0:0:1',
    '2001:db8::1:0:0:1',
  ],
  ['a gap of seven groups', '1::', '1::'],
  ['a dotted quad at the end', '64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
  ['six groups and a dotted quad', '1:2:3:4:5:6:192.0.2.1', '1:2:3:4:5:6:c000:201'],
  ['IPv4-mapped is IPv4', '::ffff:192.0.2.1', '192.0.2.1'],
  ['IPv4-mapped in hexadecimal is IPv4', '::FFFF:c000:0201', '192.0.2.1'],
  ['IPv4-mapped in full is IPv4', '0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['IPv4-compatible is not mapped', '::192.0.2.1', '::c000:201'],
  ['ffff elsewhere is not mapped', '::ffff:0:c000:201', '::ffff:0:c000:201'],
] as const) {
  test(`address: ${behaviour}`, () => {
    const address = parseAddress(text);
    assert.ok(address);
    assert.equal(formatAddress(address), want);
  });
}

for (const [behaviour, text] of [
  ['an empty text', ''],
  ['a blank', ' '],
  ['a blank before', ' 192.0.2.1'],
  ['a blank after', '192.0.2.1 '],
  ['a line end after', '192.0.2.1\n'],
  ['three octets', '192.0.2'],
  ['five octets', '192.0.2.1.1'],
  ['an octet of 256', '192.0.2.256'],
  ['an octet of four digits', '192.0.2.0001'],
  ['a leading zero', '192.0.02.1'],
  ['two zeros', '192.0.2.00'],
  ['an integer', '3221225985'],
  ['hexadecimal', '0xc0000201'],
  ['a hexadecimal octet', '0xc0.0.2.1'],
  ['a sign', '+192.0.2.1'],
  ['an empty octet', '192..2.1'],
  ['a dot before', '.192.0.2.1'],
  ['a dot after', '192.0.2.1.'],
  ['CIDR', '192.0.2.0/24'],
  ['a port', '192.0.2.1:80'],
  ['full-width digits', '１９２.0.2.1'],
  ['Arabic digits', '١٩٢.0.2.1'],
  ['a zone id', 'fe80::1%eth0'],
  ['an empty zone id', 'fe80::1%'],
  ['brackets', '[2001:db8::1]'],
  ['CIDR of IPv6', '2001:db8::/32'],
  ['seven groups', '1:2:3:4:5:6:7'],
  ['nine groups', '1:2:3:4:5:6:7:8:9'],
  ['eight groups and a gap', '1:2:3:4::5:6:7:8'],
  ['two gaps', '2001::db8::1'],
  ['three colons', ':::'],
  ['three colons inside', '2001:::1'],
  ['one colon', ':'],
  ['a colon before', ':2001:db8::1'],
  ['a colon after', '2001:db8::1:'],
  ['eight groups and a colon', '1:2:3:4:5:6:7:8:'],
  ['five digits', '2001:0db80::1'],
  ['not hexadecimal', '2001:db8::g'],
  ['a dotted quad not at the end', '::192.0.2.1:1'],
  ['a dotted quad too late', '1:2:3:4:5:6:7:192.0.2.1'],
  ['a broken dotted quad', '::ffff:192.0.2'],
  ['a leading zero in the dotted quad', '::ffff:192.0.02.1'],
  ['a dotted quad that begins with hexadecimal', '::ffff:1a.0.2.1'],
  ['a host name', 'example.com'],
  ['batch', 'batch'],
  ['a NUL', '192.0.2.1\0'],
  ['far too long', `2001:${'0'.repeat(60)}`],
] as const) {
  test(`address: refused: ${behaviour}`, () => assert.equal(parseAddress(text), undefined));
}

test('address: agrees with an obvious parser on mutated texts', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.ipV4(), fc.ipV6(), almostAddress, fc.string({ maxLength: 20 })),
      (text) => {
        const address = parseAddress(text);
        assert.deepEqual(
          address === undefined ? undefined : wordsOf(address),
          obviousWords(text),
          text,
        );
      },
    ),
    { numRuns: 20_000 },
  );
});

test('address: what is formatted parses back to the same address', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const address = parseAddress(text);
      assert.ok(address);
      assert.deepEqual(parseAddress(formatAddress(address)), address);
    }),
    { numRuns: 5_000 },
  );
});

test('address: IPv6 is formatted as the WHATWG URL parser formats it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(0, 0, 0, 1, 0xabcd), { minLength: 8, maxLength: 8 }),
      (groups) => {
        const text = groups.map((group) => group.toString(16)).join(':');
        const address = parseAddress(text);
        assert.ok(address);
        assert.equal(formatAddress(address), new URL(`http://[${text}]`).hostname.slice(1, -1));
      },
    ),
    { numRuns: 5_000 },
  );
});

for (const [text, length, want] of [
  ['192.0.2.129', 25, '192.0.2.128'],
  ['192.0.2.129', 0, '0.0.0.0'],
  ['192.0.2.129', 32, '192.0.2.129'],
  ['2001:db8:ffff:ffff:ffff::1', 33, '2001:db8:8000::'],
  ['2001:db8::ffff:ffff', 97, '2001:db8::8000:0'],
  ['2001:db8::1', 128, '2001:db8::1'],
] as const) {
  test(`address: ${text} cut to ${length} bits is ${want}`, () => {
    const address = parseAddress(text);
    assert.ok(address);
    assert.equal(formatAddress(truncateAddress(address, length)), want);
  });
}

type Words = { version: 4 | 6; words: number[] };

function wordsOf({ version, w0, w1, w2, w3 }: NonNullable<ReturnType<typeof parseAddress>>): Words {
  const words = version === 4 ? [w0] : [w0, w1, w2, w3];
  return { version, words: words.map((word) => word >>> 0) };
}

/**
 * As the RFC describes it, without regard to speed: split into groups, fill the gap, check each.
 */
function obviousWords(text: string): Words | undefined {
  if (!text.includes(':')) {
    const octets = obviousQuad(text);
    return octets === undefined ? undefined : { version: 4, words: [octets] };
  }
  let rest = text;
  const quad = /^(.*:)([^:]*\.[^:]*)$/s.exec(text);
  if (quad !== null) {
    const word = obviousQuad(quad[2] as string);
    if (word === undefined) return undefined;
    rest = `${quad[1]}${(word >>> 16).toString(16)}:${(word & 0xffff).toString(16)}`;
  }
  const halves = rest.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
  if (head === undefined) return undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array(missing).fill('0'), ...(tail ?? [])];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  const words = [0, 2, 4, 6].map(
    (i) => Number.parseInt(groups[i], 16) * 65536 + Number.parseInt(groups[i + 1], 16),
  );
  if (words[0] === 0 && words[1] === 0 && words[2] === 0xffff)
    return { version: 4, words: words.slice(3) };
  return { version: 6, words };
}

function obviousQuad(text: string): number | undefined {
  const octets = text.split('.');
  if (
    octets.length !== 4 ||
    !octets.every((octet) => /^(0|[1-9][0-9]{0,2})$/.test(octet) && Number(octet) < 256)
  )
    return undefined;
  return octets.reduce((word, octet) => word * 256 + Number(octet), 0);
}
