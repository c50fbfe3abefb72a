import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describe, interpret, pastedLines, pathOf, typedAddresses } from './interpret.ts';

for (const [behaviour, text, path] of [
  ['an IPv4 address', '8.8.8.8', '/ip/8.8.8.8'],
  ['spaces around it', '  192.0.2.1 ', '/ip/192.0.2.1'],
  ['an IPv6 address is normalised', '2001:DB8:0:0::1', '/ip/2001:db8::1'],
  ['an IPv6 address in brackets', '[2001:db8::1]', '/ip/2001:db8::1'],
  ['an IPv4-mapped address is the IPv4 address', '::ffff:192.0.2.1', '/ip/192.0.2.1'],
  ['a port is dropped', '192.0.2.1:443', '/ip/192.0.2.1'],
  ['a port after brackets is dropped', '[2001:db8::1]:443', '/ip/2001:db8::1'],
  ['a defanged address', '192.0.2[.]1', '/ip/192.0.2.1'],
  ['quotes from a log', '"192.0.2.1",', '/ip/192.0.2.1'],
  ['a prefix', '192.0.2.0/24', '/prefix/192.0.2.0/24'],
  ['host bits of a prefix are cleared', '192.0.2.77/24', '/prefix/192.0.2.0/24'],
  ['an IPv6 prefix', '2001:db8::/32', '/prefix/2001:db8::/32'],
  ['a prefix of one address is the address', '192.0.2.1/32', '/ip/192.0.2.1'],
  ['an AS number with AS', 'AS15169', '/asn/15169'],
  ['an AS number in lower case with a space', 'as 15169', '/asn/15169'],
  ['a bare number is an AS number', '15169', '/asn/15169'],
  ['a word is part of a network name', 'telefonica', '/asn?q=telefonica'],
  ['several words are part of a network name', 'deutsche telekom', '/asn?q=deutsche%20telekom'],
  ['a domain', 'Example.COM', '/domain/example.com'],
  ['a dot at the end of a domain', 'example.com.', '/domain/example.com'],
  ['a domain outside ASCII', 'bücher.example', '/domain/xn--bcher-kva.example'],
  ['a name with an underscore', '_dmarc.example.com', '/domain/_dmarc.example.com'],
  ['a defanged domain', 'example[.]com', '/domain/example.com'],
  ['an email address', 'someone@example.com', '/domain/example.com'],
  ['an email address in angle brackets', '<someone@example.com>', '/domain/example.com'],
  ['a mailto link', 'mailto:someone@example.com?subject=x', '/domain/example.com'],
  ['a URL', 'https://www.example.com/path?q=1#x', '/domain/www.example.com'],
  ['a URL without a scheme', 'example.com/path', '/domain/example.com'],
  ['a defanged URL', 'hxxps://example[.]com/', '/domain/example.com'],
  ['a URL with an address', 'http://192.0.2.1:8080/x', '/ip/192.0.2.1'],
  ['a URL with an IPv6 address', 'http://[2001:db8::1]/', '/ip/2001:db8::1'],
  ['a scheme that browsers do not know', 'sftp://Example.com/x', '/domain/example.com'],
] as const) {
  test(`lookup field: ${behaviour}`, () => {
    const [first] = interpret(text).targets;
    assert.ok(first, `${text} was not interpreted`);
    assert.equal(pathOf(first), path);
  });
}

for (const [behaviour, text, problem] of [
  ['nothing for an empty text', ' ', undefined],
  ['half an IPv4 address', '192.0.2.', /four numbers/],
  ['an octet above 255', '192.0.2.256', /four numbers/],
  ['an IPv6 address with a zone', 'fe80::1%eth0', /without a zone/],
  ['a prefix that is too long', '192.0.2.0/33', /0 to 32/],
  ['an IPv6 prefix that is too long', '2001:db8::/129', /0 to 128/],
  ['an AS number above 32 bits', 'AS4294967296', /at most/],
  ['a URL without a host', 'http://', /no host/],
] as const) {
  test(`lookup field: refuses ${behaviour}`, () => {
    const interpretation = interpret(text);
    assert.deepEqual(interpretation.targets, []);
    if (problem === undefined) assert.equal(interpretation.problem, undefined);
    else assert.match(interpretation.problem ?? '', problem);
  });
}

for (const [behaviour, text, want] of [
  ['an address offers its /24', '192.0.2.1', ['address 192.0.2.1', 'prefix 192.0.2.0/24']],
  [
    'an IPv6 address offers its /48',
    '2001:db8:1:2::3',
    ['address 2001:db8:1:2::3', 'prefix 2001:db8:1::/48'],
  ],
  [
    'a prefix offers its first address',
    '192.0.2.0/24',
    ['prefix 192.0.2.0/24', 'address 192.0.2.0'],
  ],
  ['a number may be part of a name', '1984', ['network AS1984', 'networks named “1984”']],
  ['AS in front leaves no doubt', 'AS1984', ['network AS1984']],
  [
    'a domain may be a network name',
    'booking.com',
    ['domain booking.com', 'networks named “booking.com”'],
  ],
  [
    'a domain outside ASCII is written as people write it',
    'bücher.example',
    ['domain bücher.example', 'networks named “bücher.example”'],
  ],
  [
    'a domain from an email address says so',
    'a@b.example',
    ['domain b.example, from the email address'],
  ],
] as const) {
  test(`lookup field: ${behaviour}`, () =>
    assert.deepEqual(interpret(text).targets.map(describe), want));
}

for (const [behaviour, text, words] of [
  ['two lines are a batch', '192.0.2.1\n192.0.2.2', 'batch of 2 lines'],
  ['empty lines do not count', '\r\n192.0.2.1\r\n\r\n192.0.2.2\r\n', 'batch of 2 lines'],
  ['lines of a log are a batch', `${'192.0.2.1 GET /\n'.repeat(1200)}`, 'batch of 1,200 lines'],
  ['one line with its line break is not', '192.0.2.1\n', undefined],
] as const) {
  test(`lookup field, pasted text: ${behaviour}`, () =>
    assert.equal(pastedLines(text)?.words, words));
}

for (const [behaviour, text, words] of [
  ['addresses with spaces between them', '192.0.2.1 2001:db8::1', 'batch of 2 addresses'],
  ['addresses with commas between them', '192.0.2.1, 192.0.2.2,192.0.2.3', 'batch of 3 addresses'],
  ['one address is not a batch', '192.0.2.1', undefined],
  ['two words are the name of a network', 'deutsche telekom', undefined],
  ['an address and a word are not a batch', '192.0.2.1 and', undefined],
] as const) {
  test(`lookup field, more than one address: ${behaviour}`, () =>
    assert.equal(typedAddresses(text)?.words, words));
}
